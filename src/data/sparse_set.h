// SPDX-License-Identifier: MIT
// Sparse set: entity index -> slot through a paged table, and packed pages of entities and values.
// Invariant: cell(index of entities[slot]) == slot for every slot < count; all other cells are
// KEELI_NO_SLOT. Checked by keeli_sparse_set_is_valid.
//
// Values never move when one is added, except within the first page while it grows to its full
// size. A value above 1 KiB has a page of its own. Removing moves the last value into the hole.
#pragma once
#include "base/bytes.h"
#include "base/memory.h"

#include <keel/view.h>
#include <string.h>

#define KEELI_NO_SLOT UINT32_MAX
#define KEELI_DENSE_SHIFT KEELI_PAGE_SHIFT // entities per packed page

// Items in pages of 1 << shift, of which the first grows by doubling until it is as large as the
// others, so that a component of three entities stays small.
typedef struct keeli_packed {
    void **pages;
    uint32_t capacity, page_count; // of that table
    uint32_t first;                // items that the first page holds so far
    uint32_t shift, size, align;   // of an item
} keeli_packed;

typedef struct keeli_sparse_set {
    struct keeli_set_root root; // the pages of cells and of values, for keel_lookup too
    keeli_pages cells;          // a page that was never used is one shared empty page
    keeli_packed dense;         // entities, 1 << KEELI_DENSE_SHIFT on a page
    keeli_packed values;        // 1 << root.shift on a page
    uint32_t count, room;       // slots in use, and how many there is memory for
    uint64_t moves;             // goes up when a slot in use gets another entity or place, or none
    uint32_t size;              // of a value; 0: a tag
    keel_drop_hook *drop;
    keel_move_hook *move;
    void *hook_data;
    size_t bytes;
} keeli_sparse_set;

void keeli_sparse_set_init(keeli_sparse_set *set, const keel_component *component);
// Drops all values and frees everything.
void keeli_sparse_set_deinit(keeli_sparse_set *set, keeli_heap *heap);

// The slot of an entity index that is in the set.
static inline uint32_t keeli_sparse_set_slot(const keeli_sparse_set *set, uint32_t index) {
    return set->root.sparse[index / KEELI_PAGE][index % KEELI_PAGE];
}
// The slot of an entity index, or KEELI_NO_SLOT.
static inline uint32_t keeli_sparse_set_find(const keeli_sparse_set *set, uint32_t index) {
    return index / KEELI_PAGE < set->root.page_count ? keeli_sparse_set_slot(set, index)
                                                     : KEELI_NO_SLOT;
}
static inline void *keeli_sparse_set_value(const keeli_sparse_set *set, uint32_t slot) {
    return (char *)set->root.pages[slot >> set->root.shift] +
           (size_t)(slot & set->root.mask) * set->size;
}
static inline keel_entity *keeli_sparse_set_entity(const keeli_sparse_set *set, uint32_t slot) {
    keel_entity *page = set->dense.pages[slot >> KEELI_DENSE_SHIFT];
    return &page[slot & ((1u << KEELI_DENSE_SHIFT) - 1)];
}

// Make room for `extra` more entities in the packed pages; false when out of memory. With a move
// hook the values may move.
bool keeli_sparse_set_grow(keeli_sparse_set *set, keeli_heap *heap, uint32_t extra);
static inline bool keeli_sparse_set_reserve(keeli_sparse_set *set, keeli_heap *heap,
                                            uint32_t extra) {
    return extra <= set->room - set->count || keeli_sparse_set_grow(set, heap, extra);
}
// Make room for the cell of an entity index.
extern const uint32_t keeli_no_cells[KEELI_PAGE]; // a page that was never used
extern const keeli_page_kind keeli_cell_pages;
bool keeli_sparse_set_add_cells(keeli_sparse_set *set, keeli_heap *heap, uint32_t index);
static inline bool keeli_sparse_set_has_cell(const keeli_sparse_set *set, uint32_t index) {
    const uint32_t page = index / KEELI_PAGE;
    return page < set->root.page_count && set->root.sparse[page] != keeli_no_cells;
}
static inline bool keeli_sparse_set_reserve_cell(keeli_sparse_set *set, keeli_heap *heap,
                                                 uint32_t index) {
    return keeli_sparse_set_has_cell(set, index) || keeli_sparse_set_add_cells(set, heap, index);
}
// Append an entity that is not there, after both reserves: its slot; the value is not initialised.
static inline uint32_t keeli_sparse_set_push(keeli_sparse_set *set, keel_entity e) {
    const uint32_t index = keeli_index_of(e), slot = set->count;
    KEELI_ASSERT_ROOM(slot < set->room && keeli_sparse_set_has_cell(set, index));
    *keeli_sparse_set_entity(set, slot) = e;
    set->root.sparse[index / KEELI_PAGE][index % KEELI_PAGE] = slot;
    set->count = slot + 1;
    return slot;
}
// The same for entities whose indices ascend or descend one by one.
void keeli_sparse_set_push_range(keeli_sparse_set *set, const keel_entity *entities, uint32_t count,
                                 bool descends);
// Take a slot out whose value was moved out or dropped: the last one moves into the hole.
void keeli_sparse_set_take(keeli_sparse_set *set, uint32_t slot);
// The same where values are plain bytes; `index`: of the entity in that slot.
static inline void keeli_sparse_set_take_plain(keeli_sparse_set *set, uint32_t slot,
                                               uint32_t index) {
    const uint32_t last = --set->count;
    ++set->moves;
    const keel_entity moved = *keeli_sparse_set_entity(set, last);
    const uint32_t moved_index = keeli_index_of(moved);
    // nothing to move when it is the last, but that is as cheap as to ask
    *keeli_sparse_set_entity(set, slot) = moved;
    set->root.sparse[moved_index / KEELI_PAGE][moved_index % KEELI_PAGE] = slot;
    set->root.sparse[index / KEELI_PAGE][index % KEELI_PAGE] = KEELI_NO_SLOT;
    keeli_bytes_copy(keeli_sparse_set_value(set, slot), keeli_sparse_set_value(set, last),
                     set->size);
    keeli_bytes_vacate(keeli_sparse_set_value(set, last), set->size);
}
// Call the drop hook on the value of a slot.
static inline void keeli_sparse_set_drop(keeli_sparse_set *set, uint32_t slot) {
    if (set->drop) set->drop(keeli_sparse_set_value(set, slot), set->hook_data);
}
// Exchange two slots. `scratch` has room for one value; NULL: the value in `a` was taken (moved out
// or dropped) and needs no place.
void keeli_sparse_set_swap(keeli_sparse_set *set, uint32_t a, uint32_t b, void *scratch);
// Reorder the first `count` slots: slot i gets what is in slot order[i], a permutation, which is
// used up. `scratch` has room for one value. Each value moves once, and one per cycle twice.
void keeli_sparse_set_permute(keeli_sparse_set *set, uint32_t *order, uint32_t count,
                              void *scratch);
// Make room for all of another set; then the entities are the same, in the same slots. Values are
// copied separately, before; those that were there were dropped.
bool keeli_sparse_set_reserve_all(keeli_sparse_set *set, keeli_heap *heap,
                                  const keeli_sparse_set *from);
void keeli_sparse_set_assign(keeli_sparse_set *set, const keeli_sparse_set *from);
void keeli_sparse_set_assign_values(keeli_sparse_set *set, const keeli_sparse_set *from);
// Drop all values; the memory is kept.
void keeli_sparse_set_clear(keeli_sparse_set *set);
// Free pages that hold nothing.
void keeli_sparse_set_trim(keeli_sparse_set *set, keeli_heap *heap);
bool keeli_sparse_set_is_valid(const keeli_sparse_set *set);
