// SPDX-License-Identifier: MIT
// The sparse set: a paged table from entity index to slot, and packed pages of entities and values
// by slot. It knows no world and calls only the hooks of its component. Storages (world/storage.h),
// verbs, groups and snapshots call it.
// Invariant: cell(index of entities[slot]) == slot for every slot < count; all other cells are
// KEELI_NO_SLOT. Checked by keeli_sparse_set_is_valid.
//
// Adding a value moves no other value, except those of the first page while it grows to its full
// size. A value above 1 KiB has a page of its own. Removing moves the last value into the hole.
#pragma once
#include "base/bytes.h"
#include "base/memory.h"

#include <keel/view.h>
#include <string.h>

#define KEELI_NO_SLOT UINT32_MAX
#define KEELI_DENSE_SHIFT KEELI_PAGE_SHIFT // 1 << this: entities per packed page

// Items in pages of 1 << shift items. The first page grows by doubling until it is as large as the
// others, so that a component of three entities stays small.
typedef struct keeli_packed {
    void **pages;
    uint32_t capacity, page_count; // length of `pages`, and number of allocated pages
    uint32_t first;                // number of items that the first page has room for
    uint32_t shift, size, align;   // shift as above; bytes and alignment of an item
} keeli_packed;

typedef struct keeli_sparse_set {
    struct keeli_set_root root; // the pages of cells and of values, which keel_lookup reads too
    keeli_pages cells;          // all that were never used are one shared empty page
    keeli_packed dense;         // entities, 1 << KEELI_DENSE_SHIFT on a page
    keeli_packed values;        // values, 1 << root.shift on a page
    uint32_t count, room;       // slots in use, and slots that have memory
    uint64_t moves;             // counter: a used slot got another entity or address, or was freed
    uint32_t size;              // bytes of a value; 0: a tag
    keel_drop_hook *drop;
    keel_move_hook *move;
    void *hook_data;
    size_t bytes; // allocated bytes
} keeli_sparse_set;

void keeli_sparse_set_init(keeli_sparse_set *set, const keel_component *component);
// Calls the drop hook on all values and frees everything.
void keeli_sparse_set_deinit(keeli_sparse_set *set, keeli_heap *heap);

// Returns the cell of an entity index whose page is in the table.
static inline uint32_t *keeli_sparse_set_cell(const keeli_sparse_set *set, uint32_t index) {
    return &set->root.sparse[index / KEELI_PAGE][index % KEELI_PAGE];
}
// Returns the slot of an entity index that is in the set.
static inline uint32_t keeli_sparse_set_slot(const keeli_sparse_set *set, uint32_t index) {
    return *keeli_sparse_set_cell(set, index);
}
// Returns the slot of an entity index, or KEELI_NO_SLOT.
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

// Makes room for `extra` more entities in the packed pages; false when out of memory. The values of
// the first page may move, with the move hook. reserve calls it only if there is too little room.
bool keeli_sparse_set_grow(keeli_sparse_set *set, keeli_heap *heap, uint32_t extra);
static inline bool keeli_sparse_set_reserve(keeli_sparse_set *set, keeli_heap *heap,
                                            uint32_t extra) {
    return extra <= set->room - set->count || keeli_sparse_set_grow(set, heap, extra);
}
extern const uint32_t keeli_no_cells[KEELI_PAGE]; // the shared empty page
extern const keeli_page_kind keeli_cell_pages;
// Makes room for the cell of an entity index; false when out of memory. reserve_cell calls it only
// if the page has no memory of its own.
bool keeli_sparse_set_add_cells(keeli_sparse_set *set, keeli_heap *heap, uint32_t index);
static inline bool keeli_sparse_set_has_cell(const keeli_sparse_set *set, uint32_t index) {
    const uint32_t page = index / KEELI_PAGE;
    return page < set->root.page_count && set->root.sparse[page] != keeli_no_cells;
}
static inline bool keeli_sparse_set_reserve_cell(keeli_sparse_set *set, keeli_heap *heap,
                                                 uint32_t index) {
    return keeli_sparse_set_has_cell(set, index) || keeli_sparse_set_add_cells(set, heap, index);
}
// Adds an entity that is not in the set, after both reserves, and returns its slot. Its value is
// not initialised.
static inline uint32_t keeli_sparse_set_push(keeli_sparse_set *set, keel_entity e) {
    const uint32_t index = keeli_index_of(e), slot = set->count;
    KEELI_ASSERT_ROOM(slot < set->room && keeli_sparse_set_has_cell(set, index));
    *keeli_sparse_set_entity(set, slot) = e;
    set->root.sparse[index / KEELI_PAGE][index % KEELI_PAGE] = slot;
    set->count = slot + 1;
    return slot;
}
// The same for `count` entities whose indices ascend or descend by 1 each.
void keeli_sparse_set_push_range(keeli_sparse_set *set, const keel_entity *entities, uint32_t count,
                                 bool descends);
// Removes the entity of a slot, after its value was moved out or dropped. The last entity and its
// value move to that slot.
void keeli_sparse_set_remove(keeli_sparse_set *set, uint32_t slot);
// The same for values that are plain bytes. `cell` is that of the removed entity.
static inline void keeli_sparse_set_remove_plain(keeli_sparse_set *set, uint32_t *cell) {
    const uint32_t slot = *cell, last = --set->count;
    ++set->moves;
    *cell = KEELI_NO_SLOT;
    if (slot != last) {
        const keel_entity moved = *keeli_sparse_set_entity(set, last);
        *keeli_sparse_set_entity(set, slot) = moved;
        *keeli_sparse_set_cell(set, keeli_index_of(moved)) = slot;
        keeli_bytes_copy(keeli_sparse_set_value(set, slot), keeli_sparse_set_value(set, last),
                         set->size);
    }
    keeli_bytes_vacate(keeli_sparse_set_value(set, last), set->size);
}
// Calls the drop hook, if any, on the value of a slot.
static inline void keeli_sparse_set_drop(keeli_sparse_set *set, uint32_t slot) {
    if (set->drop)
        set->drop(keeli_sparse_set_value(set, slot), set->hook_data);
}
// Exchanges two slots. `scratch` has room for one value. If it is NULL, the value in `a` was moved
// out or dropped, and only that in `b` moves.
void keeli_sparse_set_swap(keeli_sparse_set *set, uint32_t a, uint32_t b, void *scratch);
// Reorders the first `count` slots: slot i gets the entity of slot order[i]. `order` is a
// permutation, which this overwrites. `scratch` has room for one value. Each value moves once, and
// one in each cycle twice.
void keeli_sparse_set_permute(keeli_sparse_set *set, uint32_t *order, uint32_t count,
                              void *scratch);
// reserve_all makes room for all entities of another set; false when out of memory. assign then
// makes the entities and their slots those of `from`. Before assign, the caller drops the old
// values and copies the new ones; assign_values copies plain bytes.
bool keeli_sparse_set_reserve_all(keeli_sparse_set *set, keeli_heap *heap,
                                  const keeli_sparse_set *from);
void keeli_sparse_set_assign(keeli_sparse_set *set, const keeli_sparse_set *from);
void keeli_sparse_set_assign_values(keeli_sparse_set *set, const keeli_sparse_set *from);
// Calls the drop hook on all values and removes all entities; the memory stays.
void keeli_sparse_set_clear(keeli_sparse_set *set);
// Frees empty pages.
void keeli_sparse_set_trim(keeli_sparse_set *set, keeli_heap *heap);
bool keeli_sparse_set_is_valid(const keeli_sparse_set *set);
