// SPDX-License-Identifier: MIT
// Archetype storage: one table per set of components. A row is an entity with all its values; rows
// are packed, in blocks of up to 4,096. An entity's place is `block number << 12 | row`, kept in
// the entity index; an entity with no archetype component has no row. Adding or removing a
// component moves the row to the table of the other set, found along an edge that is kept from the
// first time. Invariant: row r of every column belongs to entities[r]; the place in the entity
// index says so; a bit of `filled` says of each table whether it has rows. Checked by
// keeli_archetypes_are_valid.
#pragma once
#include "data/entity_index.h"

#define KEELI_ROW_SHIFT KEELI_PAGE_SHIFT
#define KEELI_ROW_MASK ((1u << KEELI_ROW_SHIFT) - 1)

// A component kept in archetypes.
typedef struct keeli_row_component {
    struct keeli_set_root root; // the same as `bases`, for keel_lookup
    uint32_t number;            // process-wide number
    uint32_t size, align;       // a value's; size 0: a tag
    keel_drop_hook *drop;
    keel_move_hook *move;
    void *hook_data;
    void **bases; // by block number: where its column starts; valid for blocks that have it
    uint32_t base_capacity;
} keeli_row_component;

typedef struct keeli_block {
    struct keeli_archetype *archetype; // NULL: the number is free
    uint32_t number, count, capacity;  // rows
    keel_entity *entities;             // at the start of the memory
    size_t bytes, align;
    struct keeli_block *next_free; // while the number is free
} keeli_block;

typedef struct keeli_edge {
    uint32_t number;                        // the component's; 0: the place is empty
    struct keeli_archetype *with, *without; // NULL: not known yet
} keeli_edge;

typedef struct keeli_archetype {
    keeli_row_component **columns; // in ascending order of number
    uint32_t column_count;
    uint32_t rows_per_block;
    uint64_t hash;        // hash of its set of components
    keeli_block **blocks; // all full but the last
    uint32_t block_count, block_capacity;
    uint32_t row_count;
    uint32_t block_shift; // each block has room for 1 << block_shift rows
    uint32_t position;    // in keeli_archetypes.all
    keeli_edge *edges;    // open addressing by number
    uint32_t edge_count, edge_capacity;
} keeli_archetype;

typedef struct keeli_archetypes {
    keeli_archetype **all; // [0]: the empty set, which never has rows
    uint32_t count, capacity;
    KEELI_ARRAY(uint64_t) filled; // a bit by position: it has rows
    uint64_t turns;               // goes up when a bit of `filled` changes, or its position
    uint64_t moves;               // goes up when a row gets another place, or none
    uint32_t generation;          // changes when archetypes are freed: lists of them are then stale
    keeli_archetype **by_set;     // open addressing by hash
    uint32_t set_capacity;
    keeli_block **blocks; // by number
    uint32_t block_count, block_capacity;
    keeli_block *free; // blocks without memory, whose numbers come next
    keeli_block old;   // memory of a block that grew, until keeli_archetypes_free_old
    size_t bytes;      // without the tables of the components (`bases`), which their owner frees
} keeli_archetypes;

bool keeli_archetypes_init(keeli_archetypes *a, keeli_heap *heap);
// Drops all values.
void keeli_archetypes_deinit(keeli_archetypes *a, keeli_heap *heap);

// The archetype of exactly these components, sorted by number, each once; made when there is none.
// NULL when out of memory.
keeli_archetype *keeli_archetypes_find(keeli_archetypes *a, keeli_heap *heap,
                                       keeli_row_component *const *set, uint32_t count);
// The archetype with (without) one component more; the component is not (is) in it. NULL when out
// of memory.
keeli_archetype *keeli_archetype_with(keeli_archetypes *a, keeli_heap *heap, keeli_archetype *from,
                                      keeli_row_component *component);
keeli_archetype *keeli_archetype_without(keeli_archetypes *a, keeli_heap *heap,
                                         keeli_archetype *from, keeli_row_component *component);
// Returns the place of a component's edge, or the empty place for it. There are places.
static inline keeli_edge *keeli_edge_place(const keeli_archetype *archetype, uint32_t number) {
    const uint32_t mask = archetype->edge_capacity - 1;
    uint32_t at = number & mask; // numbers are dense
    while (archetype->edges[at].number && archetype->edges[at].number != number)
        at = (at + 1) & mask;
    return &archetype->edges[at];
}
// The edge, or NULL when it was never followed.
static inline keeli_edge *keeli_archetype_edge(const keeli_archetype *archetype, uint32_t number) {
    keeli_edge *edge = archetype->edge_capacity ? keeli_edge_place(archetype, number) : NULL;
    return edge && edge->number ? edge : NULL;
}
// The position of a component among the columns, or UINT32_MAX.
uint32_t keeli_archetype_column(const keeli_archetype *archetype, uint32_t number);

// Make room for `extra` rows; values may move when the first block grows. False when out of memory.
bool keeli_archetype_reserve(keeli_archetypes *a, keeli_heap *heap, keeli_archetype *archetype,
                             uint32_t extra);
static inline bool keeli_archetype_has_room(const keeli_archetype *archetype) {
    return archetype->row_count < archetype->block_count << archetype->block_shift;
}
// Note that an archetype got its first row, or lost its last one.
static inline void keeli_archetype_turn(keeli_archetypes *a, const keeli_archetype *archetype) {
    a->filled.items[archetype->position / 64] ^= (uint64_t)1 << archetype->position % 64;
    ++a->turns;
}
// Append a row for an entity, after a reserve: its place. Values are not initialised.
static inline uint32_t keeli_archetype_push(keeli_archetypes *a, keeli_archetype *archetype,
                                            keel_entity e) {
    KEELI_ASSERT_ROOM(keeli_archetype_has_room(archetype));
    keeli_block *block = archetype->blocks[archetype->row_count >> archetype->block_shift];
    KEELI_ASSERT_ROOM(block->count < block->capacity);
    const uint32_t row = block->count++;
    block->entities[row] = e;
    if (archetype->row_count++ == 0) keeli_archetype_turn(a, archetype);
    return block->number << KEELI_ROW_SHIFT | row;
}
// The same for many: in order, and the entity index knows their places.
void keeli_archetype_push_many(keeli_archetypes *a, keeli_archetype *archetype,
                               keeli_entity_index *ix, const keel_entity *entities, uint32_t count);
// Take a row out whose values were moved out or dropped: the last row moves into the hole, and the
// entity index knows its new place.
void keeli_archetype_remove(keeli_archetypes *a, keeli_entity_index *ix, uint32_t place);
// Append a row with the common values of the row at `place`, moved there, after a reserve: its
// place. Values of components that are only in the target are not initialised. The old row is to be
// taken next; until then its bytes stay.
uint32_t keeli_archetype_copy_row(keeli_archetypes *a, uint32_t place, keeli_archetype *to);
// The same for `count` rows that lie side by side in one block; the entity index knows. To the
// empty set: the entities have no rows.
void keeli_archetype_copy_rows(keeli_archetypes *a, keeli_entity_index *ix, uint32_t place,
                               uint32_t count, keeli_archetype *to);
// Take rows out that were copied, at these places, each once, while their entities are at others.
void keeli_archetype_remove_left(keeli_archetypes *a, keeli_entity_index *ix,
                                 const uint32_t *places, uint32_t count);
// True if both have the same sets in the same order, and blocks of the same numbers and sizes.
bool keeli_archetypes_are_alike(const keeli_archetypes *a, const keeli_archetypes *b);
// Make archetypes like those of another world, without rows, of the components that `find` gives
// for numbers. False when out of memory. Then they take the place of those there were, whose values
// were dropped.
bool keeli_archetypes_make_alike(keeli_archetypes *fresh, keeli_heap *heap,
                                 const keeli_archetypes *from,
                                 keeli_row_component *(*find)(void *data, uint32_t number),
                                 void *data);
void keeli_archetypes_replace(keeli_archetypes *a, keeli_heap *heap, keeli_archetypes *fresh);
// Copies the rows of archetypes that are alike; the old rows were dropped before. Values are copied
// separately, before.
void keeli_archetypes_assign(keeli_archetypes *a, const keeli_archetypes *from);
// Free what the last growth of a block left: values of the caller may have been in it.
void keeli_archetypes_free_old(keeli_archetypes *a, keeli_heap *heap);
// Drop all values; the entities have no rows afterwards, unless `ix` is NULL. The memory is kept.
void keeli_archetype_clear(keeli_archetypes *a, keeli_entity_index *ix, keeli_archetype *archetype);
// Free blocks of the archetype that are empty.
void keeli_archetype_trim(keeli_archetypes *a, keeli_heap *heap, keeli_archetype *archetype);
// Free blocks and archetypes that are empty.
void keeli_archetypes_trim(keeli_archetypes *a, keeli_heap *heap);
bool keeli_archetypes_are_valid(const keeli_archetypes *a, const keeli_entity_index *ix);
// The part of that which is about sets and edges.
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
