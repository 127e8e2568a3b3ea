// SPDX-License-Identifier: MIT
// The indexed set: memory for values, each at the index of its entity, in pages of 32 KiB or more.
// A value never moves while it lives. The set does not know which indices have a value: the
// presence bitmap of its owner does. Called by world/storage, edit/ and rewind/.
// Pages start at different places within 2 KiB (colours), so that the same index of several
// components does not fall into the same cache set. The colour depends on the address of the set,
// so a set must not move. A value above 1 KiB has a page of its own.
// A page counts the blocks of 64 indices that have values, not the values. So the count changes
// only when a block gets its first value or loses its last one; the owner of the set reports both.
// Invariant: a page with values has memory. Checked by keeli_indexed_set_is_valid.
#pragma once
#include "base/memory.h"

#include <keel/view.h>

#define KEELI_SPARE_PAGE UINT32_MAX // in page_counts: the page is empty but has its memory

typedef struct keeli_indexed_set {
    struct keeli_set_root
        root;              // the part that keel_lookup reads; a page has 1 << root.shift values
    void **pages;          // the pages of `root`, not const; NULL: the page has no memory
    uint32_t *page_counts; // by page: blocks with values (for a page of one value: values), or
                           // KEELI_SPARE_PAGE
    uint32_t page_count, capacity;
    uint32_t size, align; // bytes and alignment of a value; size 0: a tag, without pages
    uint32_t spare_count, first_spare; // spare pages; no page before `first_spare` is spare
    size_t bytes;                      // allocated bytes
} keeli_indexed_set;

void keeli_indexed_set_init(keeli_indexed_set *set, uint32_t size, uint32_t align);
void keeli_indexed_set_deinit(keeli_indexed_set *set, keeli_heap *heap);

static inline void *keeli_indexed_set_value(const keeli_indexed_set *set, uint32_t index) {
    return (char *)set->root.pages[index >> set->root.shift] +
           (size_t)(index & set->root.mask) * set->size;
}

// Returns the count of a page, 0 for a page that is spare or not in the table.
static inline uint32_t keeli_indexed_set_count_of(const keeli_indexed_set *set, uint32_t page) {
    const uint32_t count = page < set->page_count ? set->page_counts[page] : 0;
    return count == KEELI_SPARE_PAGE ? 0 : count;
}
// Marks an empty page as spare: its memory may be used for the next page that needs some.
static inline void keeli_indexed_set_mark_spare(keeli_indexed_set *set, uint32_t page) {
    set->page_counts[page] = KEELI_SPARE_PAGE;
    if (set->spare_count++ == 0 || page < set->first_spare)
        set->first_spare = page;
}
// Marks the page as in use again, if it was spare.
static inline void keeli_indexed_set_unmark_spare(keeli_indexed_set *set, uint32_t page) {
    if (set->page_counts[page] != KEELI_SPARE_PAGE)
        return;
    set->page_counts[page] = 0;
    --set->spare_count;
}

// Allocates the page of an index, or reuses a spare one; false when out of memory. reserve calls it
// only if the page has no memory.
bool keeli_indexed_set_add_page(keeli_indexed_set *set, keeli_heap *heap, uint32_t index);
static inline bool keeli_indexed_set_reserve(keeli_indexed_set *set, keeli_heap *heap,
                                             uint32_t index) {
    if (!set->size)
        return true;
    const uint32_t page = index >> set->root.shift;
    if (page >= set->page_count || !set->pages[page])
        return keeli_indexed_set_add_page(set, heap, index);
    keeli_indexed_set_unmark_spare(set, page); // or another page could use its memory
    return true;
}
// Returns the allocation of a page (the page begins behind it by the colour), or NULL.
void *keeli_indexed_set_memory(const keeli_indexed_set *set, uint32_t page);
// True if each block of 64 indices lies on one page. If not, each value has a page of its own.
static inline bool keeli_indexed_set_has_whole_blocks(const keeli_indexed_set *set) {
    return set->root.shift != 0;
}
static inline void keeli_indexed_set_count_page(keeli_indexed_set *set, uint32_t page) {
    KEELI_ASSERT_ROOM(page < set->page_count && set->pages[page]);
    keeli_indexed_set_unmark_spare(set, page);
    ++set->page_counts[page];
}
static inline void keeli_indexed_set_uncount_page(keeli_indexed_set *set, uint32_t page) {
    if (--set->page_counts[page] == 0)
        keeli_indexed_set_mark_spare(set, page);
}

// Update the count of a page: block_began when a block gets its first value, after a reserve, and
// block_ended after the last value of a block was moved out or dropped.
static inline void keeli_indexed_set_block_began(keeli_indexed_set *set, uint32_t index) {
    if (set->size && keeli_indexed_set_has_whole_blocks(set))
        keeli_indexed_set_count_page(set, index >> set->root.shift);
}
static inline void keeli_indexed_set_block_ended(keeli_indexed_set *set, uint32_t index) {
    if (set->size && keeli_indexed_set_has_whole_blocks(set))
        keeli_indexed_set_uncount_page(set, index >> set->root.shift);
}
// add returns the uninitialised place of a new value, after a reserve. remove is called after the
// value was moved out or dropped. They update the count of a page only if each value has a page of
// its own; otherwise block_began and block_ended do.
static inline void *keeli_indexed_set_add(keeli_indexed_set *set, uint32_t index) {
    if (!keeli_indexed_set_has_whole_blocks(set))
        keeli_indexed_set_count_page(set, index);
    return keeli_indexed_set_value(set, index);
}
static inline void keeli_indexed_set_remove(keeli_indexed_set *set, uint32_t index) {
    if (!keeli_indexed_set_has_whole_blocks(set))
        keeli_indexed_set_uncount_page(set, index);
}
// The same for `count` consecutive indices, and for the indices first + i with bit i in `bits`.
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
// Copies the values at the indices first + i with bit i in `bits` from another set, after reserves.
// The caller calls keeli_indexed_set_block_began.
void keeli_indexed_set_copy(keeli_indexed_set *to, const keeli_indexed_set *from, uint32_t first,
                            uint64_t bits);
// reserve_all makes room for all values of another set; false when out of memory. assign then sets
// the counts of all pages to those of `from`. The caller copies the values.
bool keeli_indexed_set_reserve_all(keeli_indexed_set *set, keeli_heap *heap,
                                   const keeli_indexed_set *from);
void keeli_indexed_set_assign(keeli_indexed_set *set, const keeli_indexed_set *from);
// Marks all pages as spare, after all values were moved out or dropped.
void keeli_indexed_set_clear(keeli_indexed_set *set);
// Frees the memory of empty pages.
void keeli_indexed_set_trim(keeli_indexed_set *set, keeli_heap *heap);
bool keeli_indexed_set_is_valid(const keeli_indexed_set *set);
