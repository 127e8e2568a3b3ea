// SPDX-License-Identifier: MIT
// Indexed storage: the value of an entity lies at the entity's own index, in pages of 32 KiB or
// more. A value never moves while it lives. Which indices have one is the owner's presence bitmap;
// this is the memory. Pages start at different places within 2 KiB (colours), so that the same
// index of several components does not fall into the same cache set; the address of the set is one
// part of the colour, so a set must not move. A value above 1 KiB has a page of its own.
// Invariant: page_counts[p] values lie on page p; a page with values has memory. Checked by
// keeli_indexed_set_is_valid.
#pragma once
#include "base/heap.h"

#include <keel/view.h>

#define KEELI_NO_SPARE UINT32_MAX

typedef struct keeli_indexed_set {
    struct keeli_set_root
        root;              // what keel_column reads; root.shift: a page holds 1 << shift values
    void **pages;          // NULL: no value there
    uint32_t *page_counts; // values in each page
    uint32_t page_count, capacity;
    uint32_t size, align; // of a value; size 0: a tag, without pages
    uint32_t spare;       // a page that became empty and keeps its memory; KEELI_NO_SPARE: none
    uint32_t tag_count;   // what page_counts points to for a tag; says nothing
    size_t bytes;
} keeli_indexed_set;

void keeli_indexed_set_init(keeli_indexed_set *set, uint32_t size, uint32_t align);
void keeli_indexed_set_deinit(keeli_indexed_set *set, keeli_heap *heap);

static inline void *keeli_indexed_set_value(const keeli_indexed_set *set, uint32_t index) {
    return (char *)set->pages[index >> set->root.shift] +
           (size_t)(index & set->root.mask) * set->size;
}

// Make room for the value of an index; false when out of memory.
bool keeli_indexed_set_reserve_slow(keeli_indexed_set *set, keeli_heap *heap, uint32_t index);
static inline bool keeli_indexed_set_reserve(keeli_indexed_set *set, keeli_heap *heap,
                                             uint32_t index) {
    if (!set->size) return true;
    const uint32_t page = index >> set->root.shift;
    if (page >= set->page_count || !set->pages[page])
        return keeli_indexed_set_reserve_slow(set, heap, index);
    if (page == set->spare) set->spare = KEELI_NO_SPARE; // promised now: not to be given away
    return true;
}
// A value comes to the index, after a reserve: where it belongs, not initialised.
static inline void *keeli_indexed_set_add(keeli_indexed_set *set, uint32_t index) {
    if (!set->size) return set->pages[0];
    uint32_t *count = &set->page_counts[index >> set->root.shift];
    if ((*count)++ == 0 && set->spare == index >> set->root.shift) set->spare = KEELI_NO_SPARE;
    return keeli_indexed_set_value(set, index);
}
// The same for an index whose block of 64 has a value on the same page: nothing to reserve.
static inline void *keeli_indexed_set_add_beside(keeli_indexed_set *set, uint32_t index) {
    const uint32_t page = index >> set->root.shift;
    ++set->page_counts[page];
    return (char *)set->pages[page] + (size_t)(index & set->root.mask) * set->size;
}
// Does each block of 64 indices lie on one page?
static inline bool keeli_indexed_set_has_whole_blocks(const keeli_indexed_set *set) {
    return set->root.shift >= 6;
}
// The same for consecutive indices.
static inline void keeli_indexed_set_add_run(keeli_indexed_set *set, uint32_t index,
                                             uint32_t count) {
    while (set->size && count) {
        const uint32_t page = index >> set->root.shift, whole = (uint32_t)1 << set->root.shift;
        const uint32_t left = whole - (index & (whole - 1)), n = count < left ? count : left;
        set->page_counts[page] += n;
        if (set->spare == page) set->spare = KEELI_NO_SPARE;
        index += n;
        count -= n;
    }
}
// The value of the index is gone (moved out or dropped). A page that becomes empty is kept as the
// spare, whose memory serves the next page that is needed; the spare before it goes back to the
// allocator. So a page that empties and fills again in turns costs no allocation.
void keeli_indexed_set_give_page(keeli_indexed_set *set, keeli_heap *heap, uint32_t page);
static inline void keeli_indexed_set_remove(keeli_indexed_set *set, keeli_heap *heap,
                                            uint32_t index) {
    if (!set->size) return;
    const uint32_t page = index >> set->root.shift;
    if (--set->page_counts[page] == 0) keeli_indexed_set_give_page(set, heap, page);
}
// The same while its block of 64 keeps a value on the same page.
static inline void keeli_indexed_set_remove_beside(keeli_indexed_set *set, uint32_t index) {
    --set->page_counts[index >> set->root.shift];
}
// The same for the values of several of the 64 indices of a block.
static inline void keeli_indexed_set_remove_bits(keeli_indexed_set *set, keeli_heap *heap,
                                                 uint32_t first, uint64_t bits) {
    if (!set->size) return;
    const uint32_t page = first >> set->root.shift;
    if (set->root.shift < 6) { // not all on one page
        for (; bits; bits &= bits - 1)
            keeli_indexed_set_remove(set, heap, first + (uint32_t)__builtin_ctzll(bits));
    } else if ((set->page_counts[page] -= (uint32_t)__builtin_popcountll(bits)) == 0) {
        keeli_indexed_set_give_page(set, heap, page);
    }
}
// Values come to some of 64 indices from `first` on, after reserves: copies of those of another
// set.
void keeli_indexed_set_copy(keeli_indexed_set *to, const keeli_indexed_set *from, uint32_t first,
                            uint64_t bits);
// All values are gone: pages go as when the values are removed one by one.
void keeli_indexed_set_clear(keeli_indexed_set *set, keeli_heap *heap);
// Free pages that are empty.
void keeli_indexed_set_trim(keeli_indexed_set *set, keeli_heap *heap);
bool keeli_indexed_set_is_valid(const keeli_indexed_set *set);
