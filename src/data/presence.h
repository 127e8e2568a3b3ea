// SPDX-License-Identifier: MIT
// Which entity indices have a component: one bit each, in pages of 4,096 bits, with one summary bit
// per page and one per 64 pages (262,144 indices), so that a walk over few bits among millions
// skips what is empty. Invariant: a summary bit is set exactly when there is a bit below it.
// Checked by keeli_presence_is_valid.
#pragma once
#include "base/heap.h"

#include <keel/view.h>

#define KEELI_PAGE_WORDS 64u // of 64 bits

typedef struct keeli_presence {
    struct keeli_bits_root root; // what keel_column reads; root.page_count pages are set
    uint64_t **pages;            // a page that was never used is one shared page of zeros
    uint64_t *summary;           // bit p % 64 of word p / 64: page p is not empty
    uint64_t *top;               // bit s % 64 of word s / 64: word s of the summary is not zero
    uint32_t capacity;           // pages; a multiple of 64
    uint32_t count;              // bits set
    uint64_t cleared; // goes up when bits are cleared: with it equal, and `count`, all are
    size_t bytes;
} keeli_presence;

static inline uint64_t keeli_presence_word(const keeli_presence *p, uint32_t word) {
    const uint32_t page = word / KEELI_PAGE_WORDS;
    return page < p->root.page_count ? p->pages[page][word % KEELI_PAGE_WORDS] : 0;
}
static inline bool keeli_presence_has(const keeli_presence *p, uint32_t index) {
    return keeli_presence_word(p, index / 64) >> (index % 64) & 1;
}

// Make room for the bit of an index; false when out of memory.
bool keeli_presence_reserve_slow(keeli_presence *p, keeli_heap *heap, uint32_t index);
extern uint64_t keeli_no_bits[KEELI_PAGE_WORDS];
// Has the page memory of its own, empty or not?
static inline bool keeli_presence_has_page(const keeli_presence *p, uint32_t page) {
    return page < p->root.page_count && p->pages[page] != keeli_no_bits;
}
static inline bool keeli_presence_reserve(keeli_presence *p, keeli_heap *heap, uint32_t index) {
    return keeli_presence_has_page(p, index / 4096) || keeli_presence_reserve_slow(p, heap, index);
}

// The first bit of a word was set, or its last one cleared: keep the summaries right.
static inline void keeli_presence_began(keeli_presence *p, uint32_t index) {
    const uint32_t page = index / 4096;
    p->summary[page / 64] |= (uint64_t)1 << (page % 64);
    p->top[page / 4096] |= (uint64_t)1 << (page / 64 % 64);
}
void keeli_presence_ended(keeli_presence *p, uint32_t index);

// Set a bit that is clear, after a reserve. True when it is the first of its word.
static inline bool keeli_presence_set(keeli_presence *p, uint32_t index) {
    uint64_t *word = &p->pages[index / 4096][index / 64 % KEELI_PAGE_WORDS];
    const uint64_t before = *word;
    *word = before | (uint64_t)1 << (index % 64);
    ++p->count;
    if (before == 0) keeli_presence_began(p, index);
    return before == 0;
}
// Clear a bit that is set. True when it was the last of its word.
static inline bool keeli_presence_clear(keeli_presence *p, uint32_t index) {
    uint64_t *word = &p->pages[index / 4096][index / 64 % KEELI_PAGE_WORDS];
    const uint64_t after = *word & ~((uint64_t)1 << (index % 64));
    *word = after;
    --p->count;
    ++p->cleared;
    if (after == 0) keeli_presence_ended(p, index);
    return after == 0;
}
// The same for several bits of one word, all of them set. `index` is any one's.
static inline bool keeli_presence_clear_bits(keeli_presence *p, uint32_t index, uint64_t bits) {
    uint64_t *word = &p->pages[index / 4096][index / 64 % KEELI_PAGE_WORDS];
    const uint64_t after = *word & ~bits;
    *word = after;
    p->count -= (uint32_t)__builtin_popcountll(bits);
    ++p->cleared;
    if (after == 0) keeli_presence_ended(p, index);
    return after == 0;
}

// The first page at `page` or above that is not empty; UINT32_MAX at the end.
uint32_t keeli_presence_next_page(const keeli_presence *p, uint32_t page);
// The first index at `from` or above; UINT32_MAX at the end.
uint32_t keeli_presence_next(const keeli_presence *p, uint32_t from);
// The last index; UINT32_MAX when there is none.
uint32_t keeli_presence_last(const keeli_presence *p);
// Set the bits of another bitmap, after reserves; there are none so far.
void keeli_presence_copy(keeli_presence *to, const keeli_presence *from);
// Clear all bits; the memory is kept.
void keeli_presence_reset(keeli_presence *p);
// Free pages that are empty.
void keeli_presence_trim(keeli_presence *p, keeli_heap *heap);
void keeli_presence_deinit(keeli_presence *p, keeli_heap *heap);
bool keeli_presence_is_valid(const keeli_presence *p);
