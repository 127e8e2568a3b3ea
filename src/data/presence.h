// SPDX-License-Identifier: MIT
// Two records of which entity has which component. They hold no values; world/storage keeps both in
// step with the storages.
// keeli_presence, one for each component: a bit per entity index, in pages of 4,096 bits, with a
// summary bit per page, so that iterating over few bits among millions skips empty pages.
// Invariant: a summary bit is set exactly if a bit of its page is. Checked by
// keeli_presence_is_valid.
// keeli_component_lists, one for all: for each block of 64 indices a list of the components that
// its entities have. So the cost of deleting an entity depends on the components of its block, not
// on the number of registered ones. Invariant: a number is in a list at most once. Checked by
// keeli_component_lists_are_valid.
#pragma once
#include "base/memory.h"

#include <keel/view.h>

#define KEELI_PAGE_WORDS (KEELI_PAGE / 64) // words of 64 bits on a page

typedef struct keeli_presence {
    struct keeli_bits_root root;   // the pages, which keel_lookup reads too
    keeli_pages pages;             // all that were never used are one shared page of zeros
    KEELI_ARRAY(uint64_t) summary; // bit p % 64 of word p / 64: page p is not empty
    uint32_t count;                // bits set
    // Counter of edits that cleared bits; code that clears bits without these functions raises it,
    // too. As long as it and `count` are as before, no bit has changed.
    uint64_t cleared;
    size_t bytes; // allocated bytes
} keeli_presence;

static inline uint64_t keeli_presence_word(const keeli_presence *p, uint32_t word) {
    const uint32_t page = word / KEELI_PAGE_WORDS;
    return page < p->root.page_count ? p->root.pages[page][word % KEELI_PAGE_WORDS] : 0;
}
static inline bool keeli_presence_has(const keeli_presence *p, uint32_t index) {
    return keeli_presence_word(p, index / 64) >> (index % 64) & 1;
}

// Makes room for the bit of an index; false when out of memory. reserve calls it only if the page
// has no memory of its own.
bool keeli_presence_add_page(keeli_presence *p, keeli_heap *heap, uint32_t index);
extern const uint64_t keeli_no_bits[KEELI_PAGE_WORDS];
extern const keeli_page_kind keeli_bit_pages;
// True if the page has memory of its own, empty or not.
static inline bool keeli_presence_has_page(const keeli_presence *p, uint32_t page) {
    return page < p->root.page_count && p->root.pages[page] != keeli_no_bits;
}
static inline bool keeli_presence_reserve(keeli_presence *p, keeli_heap *heap, uint32_t index) {
    return keeli_presence_has_page(p, index / KEELI_PAGE) ||
           keeli_presence_add_page(p, heap, index);
}

// Update the summary: began after the first bit of a word was set, ended after the last one was
// cleared.
static inline void keeli_presence_began(keeli_presence *p, uint32_t index) {
    const uint32_t page = index / KEELI_PAGE;
    p->summary.items[page / 64] |= (uint64_t)1 << (page % 64);
}
void keeli_presence_ended(keeli_presence *p, uint32_t index);

// Sets a bit that is clear, after a reserve. True if it is the first of its word.
static inline bool keeli_presence_set(keeli_presence *p, uint32_t index) {
    KEELI_ASSERT_ROOM(keeli_presence_has_page(p, index / KEELI_PAGE));
    uint64_t *word = &p->root.pages[index / KEELI_PAGE][index / 64 % KEELI_PAGE_WORDS];
    const uint64_t before = *word;
    *word = before | (uint64_t)1 << (index % 64);
    ++p->count;
    if (before == 0)
        keeli_presence_began(p, index);
    return before == 0;
}
// Clears a bit that is set. True if it was the last of its word.
static inline bool keeli_presence_clear(keeli_presence *p, uint32_t index) {
    uint64_t *word = &p->root.pages[index / KEELI_PAGE][index / 64 % KEELI_PAGE_WORDS];
    const uint64_t after = *word & ~((uint64_t)1 << (index % 64));
    *word = after;
    --p->count;
    ++p->cleared;
    if (after == 0)
        keeli_presence_ended(p, index);
    return after == 0;
}
// The same for several bits of one word, all of them set. `index` is one of the word's indices.
static inline bool keeli_presence_clear_bits(keeli_presence *p, uint32_t index, uint64_t bits) {
    uint64_t *word = &p->root.pages[index / KEELI_PAGE][index / 64 % KEELI_PAGE_WORDS];
    const uint64_t after = *word & ~bits;
    *word = after;
    p->count -= (uint32_t)__builtin_popcountll(bits);
    ++p->cleared;
    if (after == 0)
        keeli_presence_ended(p, index);
    return after == 0;
}

// Returns the first page at `page` or above that is not empty; UINT32_MAX at the end.
uint32_t keeli_presence_next_page(const keeli_presence *p, uint32_t page);
// Returns the first index at `from` or above whose bit is set; UINT32_MAX at the end.
uint32_t keeli_presence_next(const keeli_presence *p, uint32_t from);
// Iterates over the indices whose bits are set, in ascending order. The body may change bits.
#define KEELI_EACH_BIT(index, presence)                                                            \
    for (uint32_t index = 0; (index = keeli_presence_next((presence), index)) != UINT32_MAX;       \
         ++index)
// Returns the last index whose bit is set; UINT32_MAX if there is none.
uint32_t keeli_presence_last(const keeli_presence *p);
// Returns the number of the last page that is not empty, plus 1. Loops, and estimates of their
// costs, use it and not the number of pages in memory: a world that was restored has its own pages,
// and must do the same.
uint32_t keeli_presence_page_end(const keeli_presence *p);
// reserve_all makes room for the bits of another bitmap; false when out of memory. assign then
// copies them; all other bits are cleared.
bool keeli_presence_reserve_all(keeli_presence *p, keeli_heap *heap, const keeli_presence *from);
void keeli_presence_assign(keeli_presence *p, const keeli_presence *from);
// Clears all bits; the memory stays.
void keeli_presence_reset(keeli_presence *p);
// Frees the memory of empty pages.
void keeli_presence_trim(keeli_presence *p, keeli_heap *heap);
void keeli_presence_deinit(keeli_presence *p, keeli_heap *heap);
bool keeli_presence_is_valid(const keeli_presence *p);

// ------------------------------------------------------------------ components of each block
// The numbers of the components of a block: up to four in place, more in memory of their own. They
// are kept in ascending order, because systems on several threads may add them to one list in any
// order.
//
// A reservation promises a place to the number of one component. A list stores the promised
// numbers, which are not added yet, behind the added ones. A list only saves work, so nothing
// depends on a promise: a number that finds no room makes the list *incomplete*. Readers of an
// incomplete list look at the bits of every component of the world for the block instead
// (keeli_block_storage, world/storage.h). The next reserve makes the list complete again. An
// incomplete list holds only the number 0, that of keel_child, which no fast path removes.
typedef struct keeli_component_list {
    union {
        uint16_t few[4];
        uint16_t *many;
    } numbers;
    uint16_t count, capacity; // capacity 0: in place
    uint16_t promised;        // number of promised numbers, which are behind the first `count`, or
                              // KEELI_INCOMPLETE
} keeli_component_list;

enum { KEELI_LIST_IN_PLACE = KEELI_SIZE(4, 1), KEELI_INCOMPLETE = UINT16_MAX };

static inline bool keeli_list_is_incomplete(const keeli_component_list *list) {
    return list->promised == KEELI_INCOMPLETE;
}

typedef struct keeli_component_lists {
    keeli_component_list *
        *pages; // by block / 64: pages of 64 lists (4,096 indices); NULL: never used
    uint32_t capacity;
    bool names_sets; // lists may name reactive sets that have no entity in the block
    size_t bytes;    // allocated bytes
} keeli_component_lists;

static inline keeli_component_list *keeli_list_of(const keeli_component_lists *lists,
                                                  uint32_t index) {
    return &lists->pages[index / KEELI_PAGE][index / 64 % KEELI_PAGE_WORDS];
}
// The same; NULL if no component was ever added on that page.
static inline keeli_component_list *keeli_list_if_any(const keeli_component_lists *lists,
                                                      uint32_t index) {
    const uint32_t page = index / KEELI_PAGE;
    return page < lists->capacity && lists->pages[page] ? keeli_list_of(lists, index) : NULL;
}
static inline uint16_t *keeli_list_numbers(keeli_component_list *list) {
    return list->capacity ? list->numbers.many : list->numbers.few;
}

// Promises a place to a number in the list of the index; false when out of memory. The list must
// not have the number, nor be incomplete.
bool keeli_component_lists_reserve(keeli_component_lists *lists, keeli_heap *heap, uint32_t index,
                                   uint16_t number);
// Makes room for `count` numbers in all, promised ones included; false when out of memory.
bool keeli_component_list_reserve(keeli_component_lists *lists, keeli_heap *heap,
                                  keeli_component_list *list, uint32_t count);
// Adds a number when the first entity of the block gets the component. The list must not have the
// number, and its page must have memory. Without room the list becomes incomplete.
void keeli_component_lists_add(keeli_component_lists *lists, uint32_t index, uint16_t number);
// Removes the number when the last entity of the block loses the component.
void keeli_component_lists_remove(keeli_component_lists *lists, uint32_t index, uint16_t number);
// True if the number is in the list of this index, or the list is incomplete.
bool keeli_component_lists_has(const keeli_component_lists *lists, uint32_t index, uint16_t number);
// reserve_all makes room for all lists of `from`, and for `extra` more numbers in each of them;
// false when out of memory. assign then copies them.
bool keeli_component_lists_reserve_all(keeli_component_lists *lists, keeli_heap *heap,
                                       const keeli_component_lists *from, uint32_t extra);
void keeli_component_lists_assign(keeli_component_lists *lists, const keeli_component_lists *from);
// Frees memory that no list needs now, and removes all promised numbers.
void keeli_component_lists_trim(keeli_component_lists *lists, keeli_heap *heap);
bool keeli_component_lists_are_valid(const keeli_component_lists *lists);
void keeli_component_lists_deinit(keeli_component_lists *lists, keeli_heap *heap);
