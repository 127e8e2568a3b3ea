// SPDX-License-Identifier: MIT
// Who has what, both ways round.
// By component: one bit per entity index, in pages of 4,096 bits, with one summary bit per page, so
// that a walk over few bits among millions skips what is empty. Invariant: a summary bit is set
// exactly when there is a bit on its page. Checked by keeli_presence_is_valid.
// By block of 64 indices: a list of the components that its entities have, so that deleting an
// entity costs what it and its 63 neighbours own, never what is registered. Invariant: a number is
// in a list at most once. Checked by keeli_component_lists_are_valid.
#pragma once
#include "base/memory.h"

#include <keel/view.h>

#define KEELI_PAGE_WORDS (KEELI_PAGE / 64) // of 64 bits

typedef struct keeli_presence {
    struct keeli_bits_root root;   // the pages, for keel_lookup too
    keeli_pages pages;             // one that was never used is one shared page of zeros
    KEELI_ARRAY(uint64_t) summary; // bit p % 64 of word p / 64: page p is not empty
    uint32_t count;                // bits set
    // Goes up when bits are cleared, by hand too: with it and `count` equal, all bits are.
    uint64_t cleared;
    size_t bytes;
} keeli_presence;

static inline uint64_t keeli_presence_word(const keeli_presence *p, uint32_t word) {
    const uint32_t page = word / KEELI_PAGE_WORDS;
    return page < p->root.page_count ? p->root.pages[page][word % KEELI_PAGE_WORDS] : 0;
}
static inline bool keeli_presence_has(const keeli_presence *p, uint32_t index) {
    return keeli_presence_word(p, index / 64) >> (index % 64) & 1;
}

// Make room for the bit of an index; false when out of memory.
bool keeli_presence_add_page(keeli_presence *p, keeli_heap *heap, uint32_t index);
extern const uint64_t keeli_no_bits[KEELI_PAGE_WORDS];
extern const keeli_page_kind keeli_bit_pages;
// Has the page memory of its own, empty or not?
static inline bool keeli_presence_has_page(const keeli_presence *p, uint32_t page) {
    return page < p->root.page_count && p->root.pages[page] != keeli_no_bits;
}
static inline bool keeli_presence_reserve(keeli_presence *p, keeli_heap *heap, uint32_t index) {
    return keeli_presence_has_page(p, index / KEELI_PAGE) ||
           keeli_presence_add_page(p, heap, index);
}

// The first bit of a word was set, or its last one cleared: keep the summary right.
static inline void keeli_presence_began(keeli_presence *p, uint32_t index) {
    const uint32_t page = index / KEELI_PAGE;
    p->summary.items[page / 64] |= (uint64_t)1 << (page % 64);
}
void keeli_presence_ended(keeli_presence *p, uint32_t index);

// Set a bit that is clear, after a reserve. True when it is the first of its word.
static inline bool keeli_presence_set(keeli_presence *p, uint32_t index) {
    KEELI_ASSERT_ROOM(keeli_presence_has_page(p, index / KEELI_PAGE));
    uint64_t *word = &p->root.pages[index / KEELI_PAGE][index / 64 % KEELI_PAGE_WORDS];
    const uint64_t before = *word;
    *word = before | (uint64_t)1 << (index % 64);
    ++p->count;
    if (before == 0) keeli_presence_began(p, index);
    return before == 0;
}
// Clear a bit that is set. True when it was the last of its word.
static inline bool keeli_presence_clear(keeli_presence *p, uint32_t index) {
    uint64_t *word = &p->root.pages[index / KEELI_PAGE][index / 64 % KEELI_PAGE_WORDS];
    const uint64_t after = *word & ~((uint64_t)1 << (index % 64));
    *word = after;
    --p->count;
    ++p->cleared;
    if (after == 0) keeli_presence_ended(p, index);
    return after == 0;
}
// The same for several bits of one word, all of them set. `index` is any one's.
static inline bool keeli_presence_clear_bits(keeli_presence *p, uint32_t index, uint64_t bits) {
    uint64_t *word = &p->root.pages[index / KEELI_PAGE][index / 64 % KEELI_PAGE_WORDS];
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
// Behind the last page that is not empty. Loops and their costs go by it: how much memory there is
// depends on what was, and a world that is restored keeps its own.
uint32_t keeli_presence_page_end(const keeli_presence *p);
// Make room for the bits of another bitmap; then it has these and no others.
bool keeli_presence_reserve_all(keeli_presence *p, keeli_heap *heap, const keeli_presence *from);
void keeli_presence_assign(keeli_presence *p, const keeli_presence *from);
// Clear all bits; the memory is kept.
void keeli_presence_reset(keeli_presence *p);
// Free pages that are empty.
void keeli_presence_trim(keeli_presence *p, keeli_heap *heap);
void keeli_presence_deinit(keeli_presence *p, keeli_heap *heap);
bool keeli_presence_is_valid(const keeli_presence *p);

// ------------------------------------------------------------------ components of each block
// Up to four numbers in place, more in memory of their own. They ascend, in whatever order they
// were added: systems on several threads add to the list of one block.
//
// Room is reserved component by component: behind its numbers a list keeps those that are promised
// a place. But a list only saves work, so that nothing depends on a promise: a number that finds no
// room makes the list *incomplete*. Who reads an incomplete list asks the bits of every component
// of the world for the block instead (keeli_block_storage, world/storage.h); the next reserve makes
// it complete again. Such a list holds the number 0 and nothing else: that is keel_child, which no
// fast path removes.
typedef struct keeli_component_list {
    union {
        uint16_t few[4];
        uint16_t *many;
    } numbers;
    uint16_t count, capacity; // capacity 0: in place
    uint16_t promised;        // how many more lie behind the first `count`, or KEELI_INCOMPLETE
} keeli_component_list;

enum { KEELI_LIST_IN_PLACE = KEELI_SIZE(4, 1), KEELI_INCOMPLETE = UINT16_MAX };

static inline bool keeli_list_is_incomplete(const keeli_component_list *list) {
    return list->promised == KEELI_INCOMPLETE;
}

typedef struct keeli_component_lists {
    keeli_component_list *
        *pages; // by block / 64: pages of 64 lists (4,096 indices); NULL: never used
    uint32_t capacity;
    bool names_sets; // lists may name reactive sets that have nobody there
    size_t bytes;
} keeli_component_lists;

static inline keeli_component_list *keeli_list_of(const keeli_component_lists *lists,
                                                  uint32_t index) {
    return &lists->pages[index / KEELI_PAGE][index / 64 % KEELI_PAGE_WORDS];
}
// The same; NULL: no component ever was on that page.
static inline keeli_component_list *keeli_list_if_any(const keeli_component_lists *lists,
                                                      uint32_t index) {
    const uint32_t page = index / KEELI_PAGE;
    return page < lists->capacity && lists->pages[page] ? keeli_list_of(lists, index) : NULL;
}
static inline uint16_t *keeli_list_numbers(keeli_component_list *list) {
    return list->capacity ? list->numbers.many : list->numbers.few;
}

// Promises a place to a number in the list of the index, which does not have it and is not
// incomplete; false when out of memory.
bool keeli_component_lists_reserve(keeli_component_lists *lists, keeli_heap *heap, uint32_t index,
                                   uint16_t number);
// Makes room for `count` numbers in all, promised ones included; false when out of memory.
bool keeli_component_list_reserve(keeli_component_lists *lists, keeli_heap *heap,
                                  keeli_component_list *list, uint32_t count);
// The first entity of the block got the component, whose number is not in the list, on a page that
// is there. Without room the list becomes incomplete.
void keeli_component_lists_add(keeli_component_lists *lists, uint32_t index, uint16_t number);
// The last entity of the block lost the component.
void keeli_component_lists_remove(keeli_component_lists *lists, uint32_t index, uint16_t number);
// Is the number in the list of this index, or may it be, as the list is incomplete?
bool keeli_component_lists_has(const keeli_component_lists *lists, uint32_t index, uint16_t number);
// Makes room for the lists of another one, and for `extra` numbers more in each; then they are the
// same.
bool keeli_component_lists_reserve_all(keeli_component_lists *lists, keeli_heap *heap,
                                       const keeli_component_lists *from, uint32_t extra);
void keeli_component_lists_assign(keeli_component_lists *lists, const keeli_component_lists *from);
// Gives memory back that lists do not need now.
void keeli_component_lists_trim(keeli_component_lists *lists, keeli_heap *heap);
bool keeli_component_lists_are_valid(const keeli_component_lists *lists);
void keeli_component_lists_deinit(keeli_component_lists *lists, keeli_heap *heap);
