// SPDX-License-Identifier: MIT
// Indexed storage: the value of an entity lies at the entity's own index, in pages of 32 KiB or
// more. A value never moves while it lives. Which indices have one is the owner's presence bitmap;
// this is the memory. Pages start at different places within 2 KiB (colours), so that the same
// index of several components does not fall into the same cache set; the address of the set is one
// part of the colour, so a set must not move. A value above 1 KiB has a page of its own.
// A page knows how many blocks of 64 indices have values on it, not how many values: so a value
// that comes or goes next to others of its block changes nothing here. The owner says which block
// got its first value or lost its last one. Invariant: a page with values has memory. Checked by
// keeli_indexed_set_is_valid.
#pragma once
#include "base/memory.h"

#include <keel/view.h>

#define KEELI_SPARE_PAGE UINT32_MAX // in page_counts: it became empty and keeps its memory

typedef struct keeli_indexed_set {
    struct keeli_set_root
        root;              // what keel_lookup reads; root.shift: a page holds 1 << shift values
    void **pages;          // those of values, to write; NULL: no value there
    uint32_t *page_counts; // blocks with values in each page; or values, where it is one value;
                           // or KEELI_SPARE_PAGE
    uint32_t page_count, capacity;
    uint32_t size, align;              // of a value; size 0: a tag, without pages
    uint32_t spare_count, first_spare; // spare pages; no page before that one is spare
    size_t bytes;
} keeli_indexed_set;

void keeli_indexed_set_init(keeli_indexed_set *set, uint32_t size, uint32_t align);
void keeli_indexed_set_deinit(keeli_indexed_set *set, keeli_heap *heap);

static inline void *keeli_indexed_set_value(const keeli_indexed_set *set, uint32_t index) {
    return (char *)set->root.pages[index >> set->root.shift] +
           (size_t)(index & set->root.mask) * set->size;
}

// What is counted on a page that may not be there.
static inline uint32_t keeli_indexed_set_count_of(const keeli_indexed_set *set, uint32_t page) {
    const uint32_t count = page < set->page_count ? set->page_counts[page] : 0;
    return count == KEELI_SPARE_PAGE ? 0 : count;
}
// A page that becomes empty is spare: its memory serves the next page that is needed, or it again.
static inline void keeli_indexed_set_give_page(keeli_indexed_set *set, uint32_t page) {
    set->page_counts[page] = KEELI_SPARE_PAGE;
    if (set->spare_count++ == 0 || page < set->first_spare) set->first_spare = page;
}
static inline void keeli_indexed_set_keep_page(keeli_indexed_set *set, uint32_t page) {
    if (set->page_counts[page] != KEELI_SPARE_PAGE) return;
    set->page_counts[page] = 0;
    --set->spare_count;
}

// Make room for the value of an index; false when out of memory.
bool keeli_indexed_set_add_page(keeli_indexed_set *set, keeli_heap *heap, uint32_t index);
static inline bool keeli_indexed_set_reserve(keeli_indexed_set *set, keeli_heap *heap,
                                             uint32_t index) {
    if (!set->size) return true;
    const uint32_t page = index >> set->root.shift;
    if (page >= set->page_count || !set->pages[page])
        return keeli_indexed_set_add_page(set, heap, index);
    keeli_indexed_set_keep_page(set, page); // reserved now: not to be given away
    return true;
}
// What was allocated for a page; NULL: nothing.
void *keeli_indexed_set_memory(const keeli_indexed_set *set, uint32_t page);
// Does each block of 64 indices lie on one page? If not, each value has a page of its own.
static inline bool keeli_indexed_set_has_whole_blocks(const keeli_indexed_set *set) {
    return set->root.shift != 0;
}
static inline void keeli_indexed_set_count_page(keeli_indexed_set *set, uint32_t page) {
    KEELI_ASSERT_ROOM(page < set->page_count && set->pages[page]);
    keeli_indexed_set_keep_page(set, page);
    ++set->page_counts[page];
}
static inline void keeli_indexed_set_uncount_page(keeli_indexed_set *set, uint32_t page) {
    if (--set->page_counts[page] == 0) keeli_indexed_set_give_page(set, page);
}

// A block gets its first value, after a reserve; and its last value was taken (moved out or
// dropped).
static inline void keeli_indexed_set_block_began(keeli_indexed_set *set, uint32_t index) {
    if (set->size && keeli_indexed_set_has_whole_blocks(set))
        keeli_indexed_set_count_page(set, index >> set->root.shift);
}
static inline void keeli_indexed_set_block_ended(keeli_indexed_set *set, uint32_t index) {
    if (set->size && keeli_indexed_set_has_whole_blocks(set))
        keeli_indexed_set_uncount_page(set, index >> set->root.shift);
}
// A value comes to the index, after a reserve: where it belongs, not initialised; and it was taken.
static inline void *keeli_indexed_set_add(keeli_indexed_set *set, uint32_t index) {
    if (!keeli_indexed_set_has_whole_blocks(set)) keeli_indexed_set_count_page(set, index);
    return keeli_indexed_set_value(set, index);
}
static inline void keeli_indexed_set_remove(keeli_indexed_set *set, uint32_t index) {
    if (!keeli_indexed_set_has_whole_blocks(set)) keeli_indexed_set_uncount_page(set, index);
}
// The same for consecutive indices, and for several of the 64 indices of a block.
static inline void keeli_indexed_set_add_range(keeli_indexed_set *set, uint32_t index,
                                               uint32_t count) {
    for (; !keeli_indexed_set_has_whole_blocks(set) && count; --count)
        keeli_indexed_set_count_page(set, index++);
}
static inline void keeli_indexed_set_remove_bits(keeli_indexed_set *set, uint32_t first,
                                                 uint64_t bits) {
    for (; !keeli_indexed_set_has_whole_blocks(set) && bits; bits &= bits - 1)
        keeli_indexed_set_uncount_page(set, first + (uint32_t)__builtin_ctzll(bits));
}
// Values come to some of 64 indices from `first` on, after reserves: copies of those of another
// set. keeli_indexed_set_block_began is called separately.
void keeli_indexed_set_copy(keeli_indexed_set *to, const keeli_indexed_set *from, uint32_t first,
                            uint64_t bits);
// Make room for all of another set; then pages count what they count there. Values are copied
// separately.
bool keeli_indexed_set_reserve_all(keeli_indexed_set *set, keeli_heap *heap,
                                   const keeli_indexed_set *from);
void keeli_indexed_set_assign(keeli_indexed_set *set, const keeli_indexed_set *from);
// All values were taken.
void keeli_indexed_set_clear(keeli_indexed_set *set);
// Free pages that are empty.
void keeli_indexed_set_trim(keeli_indexed_set *set, keeli_heap *heap);
bool keeli_indexed_set_is_valid(const keeli_indexed_set *set);
