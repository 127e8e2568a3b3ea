// SPDX-License-Identifier: MIT
// Archetype storage: one table of rows per set of components. It knows no world and no followers;
// world/storage.h and edit/ call it. A row holds an entity and its values. Rows are packed in
// blocks of up to 4,096. The place of a row is `block number << 12 | row in the block`; the entity
// index stores it. An entity without archetype components has no row. Adding or removing a
// component moves the row to another archetype, which is cached in an edge after the first time.
// Invariants, checked by keeli_archetypes_are_valid: row r of every column belongs to entities[r];
// the entity index has the place of each row; an archetype's bit in `filled` is 1 if it has rows.
#pragma once
#include "data/entity_index.h"

#define KEELI_ROW_SHIFT KEELI_PAGE_SHIFT
#define KEELI_ROW_MASK ((1u << KEELI_ROW_SHIFT) - 1)

// A component whose values are stored in rows of archetypes.
typedef struct keeli_row_component {
    struct keeli_set_root root; // points to `bases`, for keel_lookup
    uint32_t number;            // process-wide number of the component
    uint32_t size, align;       // bytes and alignment of a value; size 0: a tag
    keel_drop_hook *drop;
    keel_move_hook *move;
    void *hook_data;
    void **bases; // start of the column by block number; valid for blocks that have the component
    uint32_t base_capacity;
} keeli_row_component;

typedef struct keeli_block {
    struct keeli_archetype *archetype; // NULL: the number is free
    // index in keeli_archetypes.blocks, number of rows, number of rows that fit
    uint32_t number, count, capacity;
    keel_entity *entities;         // start of the memory; the columns are behind the entities
    size_t bytes, align;           // size and alignment of the memory
    struct keeli_block *next_free; // while the number is free
} keeli_block;

// Cache: the archetypes that a row moves to when one component is added or removed.
typedef struct keeli_edge {
    uint32_t number;                        // number of the component; 0: an empty place
    struct keeli_archetype *with, *without; // after adding, after removing; NULL: not cached
} keeli_edge;

typedef struct keeli_archetype {
    keeli_row_component **columns; // in ascending order of number
    uint32_t column_count;
    uint32_t rows_per_block; // capacity of a full-grown block
    uint64_t hash;           // hash of the set of components
    keeli_block **blocks;    // full blocks, then at most one partly full, then empty ones
    uint32_t block_count, block_capacity;
    uint32_t row_count;
    uint32_t block_shift; // each block has room for 1 << block_shift rows
    uint32_t position;    // index in keeli_archetypes.all
    keeli_edge *edges;    // hash table by component number, open addressing
    uint32_t edge_count, edge_capacity;
} keeli_archetype;

typedef struct keeli_archetypes {
    keeli_archetype **all; // [0]: the empty set, which never has rows
    uint32_t count, capacity;
    KEELI_ARRAY(uint64_t) filled; // bit by position: the archetype has rows
    uint64_t turns;               // counter of changes of `filled` and of positions
    uint64_t moves;               // counter of moves and removals of rows
    uint32_t generation;          // counter of freed archetypes, which invalidate lists of them
    keeli_archetype **by_set;     // hash table by `hash`, open addressing
    uint32_t set_capacity;
    keeli_block **blocks; // block by number
    uint32_t block_count, block_capacity;
    keeli_block *free; // list of blocks without memory; new blocks take their numbers from it
    keeli_block old;   // memory that a block had before it grew, until keeli_archetypes_free_old
    size_t bytes; // allocated bytes, without the `bases` of components, which their owner frees
} keeli_archetypes;

bool keeli_archetypes_init(keeli_archetypes *a, keeli_heap *heap);
// Drops all values.
void keeli_archetypes_deinit(keeli_archetypes *a, keeli_heap *heap);

// Returns the archetype of exactly these components, and creates it if there is none. `set` is
// sorted by number, without duplicates. NULL when out of memory.
keeli_archetype *keeli_archetypes_find(keeli_archetypes *a, keeli_heap *heap,
                                       keeli_row_component *const *set, uint32_t count);
// Returns the archetype that has one component more (`with`) or less (`without`) than `from`, and
// creates it if there is none. `from` must not have (must have) the component. NULL when out of
// memory.
keeli_archetype *keeli_archetype_with(keeli_archetypes *a, keeli_heap *heap, keeli_archetype *from,
                                      keeli_row_component *component);
keeli_archetype *keeli_archetype_without(keeli_archetypes *a, keeli_heap *heap,
                                         keeli_archetype *from, keeli_row_component *component);
// Returns the place of a component's edge, or the empty place for it. `edge_capacity` is not 0.
static inline keeli_edge *keeli_edge_place(const keeli_archetype *archetype, uint32_t number) {
    const uint32_t mask = archetype->edge_capacity - 1;
    uint32_t at = number & mask; // numbers are dense
    while (archetype->edges[at].number && archetype->edges[at].number != number)
        at = (at + 1) & mask;
    return &archetype->edges[at];
}
// Returns the edge of a component, or NULL if there is none yet.
static inline keeli_edge *keeli_archetype_edge(const keeli_archetype *archetype, uint32_t number) {
    keeli_edge *edge = archetype->edge_capacity ? keeli_edge_place(archetype, number) : NULL;
    return edge && edge->number ? edge : NULL;
}
// Returns the index of a component among the columns, or UINT32_MAX.
uint32_t keeli_archetype_column(const keeli_archetype *archetype, uint32_t number);

// Makes room for `extra` rows. Values move if the first block grows. False when out of memory.
bool keeli_archetype_reserve(keeli_archetypes *a, keeli_heap *heap, keeli_archetype *archetype,
                             uint32_t extra);
static inline bool keeli_archetype_has_room(const keeli_archetype *archetype) {
    return archetype->row_count < archetype->block_count << archetype->block_shift;
}
// Flips the bit in `filled` of an archetype that got its first row or lost its last one.
static inline void keeli_archetype_turn(keeli_archetypes *a, const keeli_archetype *archetype) {
    a->filled.items[archetype->position / 64] ^= (uint64_t)1 << archetype->position % 64;
    ++a->turns;
}
// Appends a row for an entity, after a reserve, and returns its place. Values are uninitialised,
// and the caller must store the place in the entity index.
static inline uint32_t keeli_archetype_push(keeli_archetypes *a, keeli_archetype *archetype,
                                            keel_entity e) {
    KEELI_ASSERT_ROOM(keeli_archetype_has_room(archetype));
    keeli_block *block = archetype->blocks[archetype->row_count >> archetype->block_shift];
    KEELI_ASSERT_ROOM(block->count < block->capacity);
    const uint32_t row = block->count++;
    block->entities[row] = e;
    if (archetype->row_count++ == 0)
        keeli_archetype_turn(a, archetype);
    return block->number << KEELI_ROW_SHIFT | row;
}
// Appends rows for `count` entities in order, after a reserve, and stores their places in the
// entity index.
void keeli_archetype_push_many(keeli_archetypes *a, keeli_archetype *archetype,
                               keeli_entity_index *ix, const keel_entity *entities, uint32_t count);
// Removes a row after its values were moved out or dropped. The last row of the archetype moves to
// `place`, and the entity index gets its new place.
void keeli_archetype_remove(keeli_archetypes *a, keeli_entity_index *ix, uint32_t place);
// Appends a row to `to` for the entity of the row at `place`, after a reserve, and returns the new
// place. Moves the values of components that both archetypes have; other values of the new row are
// uninitialised. The old row stays, with the bytes of its values, until the caller removes it; the
// caller also stores the new place in the entity index.
uint32_t keeli_archetype_copy_row(keeli_archetypes *a, uint32_t place, keeli_archetype *to);
// The same for `count` adjacent rows of one block. Stores the new places in the entity index. If
// `to` is the empty set, the entities have no rows afterwards.
void keeli_archetype_copy_rows(keeli_archetypes *a, keeli_entity_index *ix, uint32_t place,
                               uint32_t count, keeli_archetype *to);
// Removes the old rows that keeli_archetype_copy_row and copy_rows left at these places. `places`
// has no duplicates, and the entity index has another place, or none, for each of their entities.
void keeli_archetype_remove_left(keeli_archetypes *a, keeli_entity_index *ix,
                                 const uint32_t *places, uint32_t count);
// True if both have the same sets in the same order, and blocks of the same numbers and sizes.
bool keeli_archetypes_are_alike(const keeli_archetypes *a, const keeli_archetypes *b);
// Creates archetypes without rows for which keeli_archetypes_are_alike is true with those of
// another world. `find` returns this world's component for a number. False when out of memory.
bool keeli_archetypes_make_alike(keeli_archetypes *fresh, keeli_heap *heap,
                                 const keeli_archetypes *from,
                                 keeli_row_component *(*find)(void *data, uint32_t number),
                                 void *data);
// Replaces the archetypes of `a`, whose values the caller has dropped, by those that
// keeli_archetypes_make_alike created.
void keeli_archetypes_replace(keeli_archetypes *a, keeli_heap *heap, keeli_archetypes *fresh);
// Copies entities and numbers of rows from archetypes that are alike. The caller has dropped the
// old values and copied the new ones before.
void keeli_archetypes_assign(keeli_archetypes *a, const keeli_archetypes *from);
// Frees the memory that a block had before its last growth. Growth does not free it, because the
// caller may be adding values that lie in it.
void keeli_archetypes_free_old(keeli_archetypes *a, keeli_heap *heap);
// Drops all values and removes all rows; the blocks stay allocated. The entity index is updated
// unless `ix` is NULL.
void keeli_archetype_clear(keeli_archetypes *a, keeli_entity_index *ix, keeli_archetype *archetype);
// Frees the empty blocks of an archetype.
void keeli_archetype_trim(keeli_archetypes *a, keeli_heap *heap, keeli_archetype *archetype);
// Frees all empty blocks and all archetypes without rows, except the empty set.
void keeli_archetypes_trim(keeli_archetypes *a, keeli_heap *heap);
bool keeli_archetypes_are_valid(const keeli_archetypes *a, const keeli_entity_index *ix);
// The part of keeli_archetypes_are_valid that checks sets and edges.
bool keeli_archetype_graph_is_valid(const keeli_archetypes *a);

static inline keeli_block *keeli_block_of(const keeli_archetypes *a, uint32_t place) {
    return a->blocks[place >> KEELI_ROW_SHIFT];
}
// Returns the slot of a living entity's row in the entity index; it holds KEELI_NO_ROW if there is
// no row.
static inline uint32_t *keeli_row_of(const keeli_entity_index *ix, uint32_t index) {
    return &ix->root.where[index / KEELI_PAGE][index % KEELI_PAGE];
}
static inline void *keeli_row_value(const keeli_row_component *c, uint32_t place) {
    return (char *)c->bases[place >> KEELI_ROW_SHIFT] + (size_t)(place & KEELI_ROW_MASK) * c->size;
}
