// SPDX-License-Identifier: MIT
// Values in storages of every kind: what changes them, but for fast paths (edit/)
// and the order of groups. A change has two halves:
// reserve may fail and leaves all values as they are; the rest cannot fail.
#pragma once
#include "base/bytes.h"
#include "base/platform/platform.h"
#include "borrow.h"
#include "world.h"

#include <keel/edit.h>

#include <string.h>

// ------------------------------------------------------------------ looking
static inline bool keeli_store_has(const keeli_storage *s, uint32_t index) {
    return keeli_presence_has(&s->presence, index);
}
// Where an entity index has its value, UINT32_MAX when it has none.
static inline uint32_t keeli_store_place(const keel_world *world, const keeli_storage *s,
                                         uint32_t index) {
    return keeli_place(s->kind, s->root, &s->presence.root, &world->entities.root, index);
}
static inline void *keeli_store_at(const keeli_storage *s, uint32_t place) {
    const struct keeli_set_root *root = s->root;
    return (char *)root->pages[place >> root->shift] + (size_t)(place & root->mask) * s->size;
}
// The value of an entity index, or NULL.
static inline void *keeli_store_value(const keel_world *world, const keeli_storage *s,
                                      uint32_t index) {
    const uint32_t place = keeli_store_place(world, s, index);
    return place == UINT32_MAX ? NULL : keeli_store_at(s, place);
}
// The same of an index that has one.
static inline void *keeli_store_value_there(const keeli_storage *s, uint32_t index) {
    uint32_t *const *places = *s->root->places;
    return keeli_store_at(s, places ? places[index / KEELI_PAGE][index % KEELI_PAGE] : index);
}
// Has the entity, alive or not, a value, and where? What has one is alive, so its version is there,
// and is one of a living entity. `kind` is the storage's, a constant: steps of others fall away.
static inline __attribute__((always_inline)) bool
keeli_store_find_in(const keel_world *world, const keeli_storage *s, keel_storage kind,
                    keel_entity e, uint32_t *place) {
    const uint32_t index = keeli_index_of(e);
    const uint32_t page = index / KEELI_PAGE, at = index % KEELI_PAGE;
    if (kind == KEEL_SPARSE_SET) *place = keeli_sparse_set_find(&s->set, index);
    if (kind == KEEL_SPARSE_SET ? *place == KEELI_NO_SLOT : !keeli_store_has(s, index))
        return false;
    if (kind == KEEL_INDEXED) *place = index;
    if (kind == KEEL_ARCHETYPE) *place = world->entities.root.where[page][at];
    return world->entities.root.versions[page][at] == (uint32_t)(e.bits >> KEEL_ENTITY_INDEX_BITS);
}
static inline __attribute__((always_inline)) bool
keeli_store_find(const keel_world *world, const keeli_storage *s, keel_entity e, uint32_t *place) {
    if (s->kind == KEEL_INDEXED) return keeli_store_find_in(world, s, KEEL_INDEXED, e, place);
    if (s->kind == KEEL_SPARSE_SET) return keeli_store_find_in(world, s, KEEL_SPARSE_SET, e, place);
    return keeli_store_find_in(world, s, KEEL_ARCHETYPE, e, place);
}
static inline void *keeli_store_value_of(const keel_world *world, const keeli_storage *s,
                                         keel_entity e) {
    uint32_t place;
    return keeli_store_find(world, s, e, &place) ? keeli_store_at(s, place) : NULL;
}
// Is it the storage of who has sources in a relation, which nobody names?
static inline bool keeli_store_has_sources(const keeli_storage *s) {
    return s->relation && s == s->relation->targets;
}
// Or of the sources of a relation with values, which are written as others are?
static inline bool keeli_store_is_valued(const keeli_storage *s) {
    return s->relation && s == s->relation->sources && s->size;
}
// True if values of the relation, where it has any, are those of edges: a source may have several
// targets, or shares the value with its target.
static inline bool keeli_values_are_of_edges(const keel_component *c) {
    return c->is_relation && (!c->exclusive || c->symmetric);
}
// Or of a relation that has a value for each edge? Then the entity has none: who looks for bytes
// finds those of a tag.
static inline bool keeli_store_has_edge_values(const keeli_storage *s) {
    return s->size != s->component.size;
}
// Does nobody add its values by hand, so that other verbs make their copies?
static inline bool keeli_store_is_derived(const keeli_storage *s) {
    return s->flags & KEELI_IS_LINK || s->relation || keeli_store_has_sources(s) ||
           s->sources.count;
}
// It is as if nobody knew it: nothing ever came, or was cleared.
bool keeli_store_is_new(const keeli_storage *s);
static inline uint32_t keeli_store_count(const keeli_storage *s) { return s->presence.count; }
// Are values packed, in slots of a sparse set; in rows of archetypes; or where the index says?
static inline bool keeli_store_is_sparse(const keeli_storage *s) {
    return s->kind == KEEL_SPARSE_SET;
}
static inline bool keeli_store_has_rows(const keeli_storage *s) {
    return s->kind == KEEL_ARCHETYPE;
}
static inline bool keeli_store_is_by_index(const keeli_storage *s) {
    return s->kind == KEEL_INDEXED;
}
// Walk over all entities that have the component, by ascending index: the next at `from` or above;
// UINT32_MAX at the end.
static inline uint32_t keeli_store_next(const keeli_storage *s, uint32_t from) {
    return keeli_presence_next(&s->presence, from);
}
// The same in the storage's own order: the index at place `*at`, or the next that there is.
static inline uint32_t keeli_store_in_order(const keeli_storage *s, uint32_t *at) {
    if (!keeli_store_is_sparse(s)) return *at = keeli_store_next(s, *at);
    return *at < s->set.count ? keeli_index_of(*keeli_sparse_set_entity(&s->set, *at)) : UINT32_MAX;
}

// The presence bits of the index's block of 64 when any is set, else NULL. Then pages of values and
// cells are there, and the summary and the block's list say so.
static inline uint64_t *keeli_live_word(const keeli_storage *s, uint32_t index) {
    const uint32_t page = index / KEELI_PAGE;
    if (page >= s->presence.root.page_count) return NULL;
    uint64_t *word = &s->presence.root.pages[page][index / 64 % KEELI_PAGE_WORDS];
    return *word ? word : NULL;
}

// The same of a block whose list names the component: the page is there, unless the component has
// disabled values (KEELI_HAS_DISABLED) and no others.
static inline uint64_t *keeli_listed_word(const keeli_storage *s, uint32_t index) {
    return &s->presence.root.pages[index / KEELI_PAGE][index / 64 % KEELI_PAGE_WORDS];
}

// The value in a place is written; of KEELI_IS_STAMPED. Several threads may write values of one
// block.
static inline void keeli_stamp_place(const keel_world *world, const keeli_storage *s,
                                     uint32_t place) {
    const uint32_t block = place / 64;
    if (block < s->stamps.count) keeli_atomic_put(&s->stamps.items[block], world->epoch);
}

// ------------------------------------------------------------------ values
// Copy the bytes of a value. NULL: zeros.
static inline void keeli_bytes_put(void *to, const void *value, uint32_t size) {
    if (value) keeli_bytes_copy_fresh(to, value, size);
    else memset(to, 0, size);
}
static inline void keeli_value_drop(const keeli_storage *s, void *value) {
    if (s->component.drop) keeli_hook_drop(value, (void *)(uintptr_t)s);
}
static inline void keeli_value_move(const keeli_storage *s, void *to, void *from) {
    if (s->component.move) keeli_hook_move(to, from, (void *)(uintptr_t)s);
    else memcpy(to, from, s->component.size); // analyzer: values lie in storages, with room
}

// Can values of the component be copied, if its copy hook does not fail? And the error of one that
// cannot, or whose hook failed.
bool keeli_can_copy(const keeli_storage *s);
keel_result keeli_cannot_copy(keel_world *world, const keeli_storage *s);
// Does a value lie between one and the next of a column? KEEL_OK, KEEL_ERROR_ARGUMENT.
keel_result keeli_check_stride(keel_world *world, const keeli_storage *s, size_t stride);

// ------------------------------------------------------------------ who has what
// Is a value of the entity kept out of sight?
static inline bool keeli_store_is_disabled(const keeli_storage *s, uint32_t index) {
    return s->flags & KEELI_HAS_DISABLED && keeli_presence_has(&s->disabled, index);
}
// Is one of its block?
static inline bool keeli_store_block_is_disabled(const keeli_storage *s, uint32_t index) {
    return s->flags & KEELI_HAS_DISABLED && keeli_presence_word(&s->disabled, index / 64);
}
// True if a block's list names the component: an entity of the block has a value, disabled or not,
// or the component is a reactive set, which is named wherever it may have room.
static inline bool keeli_is_in_block(const keeli_storage *s, uint32_t index) {
    if (!s) return false;
    if (s->sources.count) return keeli_presence_has_page(&s->presence, index / KEELI_PAGE);
    return keeli_presence_word(&s->presence, index / 64) ||
           keeli_presence_word(&s->disabled, index / 64);
}
// Makes room for the component in the list of a block that does not name it.
bool keeli_reserve_listing(keel_world *world, const keeli_storage *s, uint32_t index);
// The bit of the first entity of a block that has a value, disabled or not, was set; the bit of the
// last one was cleared: the block's list follows.
void keeli_store_list_block(keel_world *world, keeli_storage *s, uint32_t index);
void keeli_store_unlist_block(keel_world *world, keeli_storage *s, uint32_t index);
static inline void keeli_store_set_bit(keel_world *world, keeli_storage *s, uint32_t index) {
    if (keeli_presence_set(&s->presence, index)) keeli_store_list_block(world, s, index);
}
static inline void keeli_store_clear_bit(keel_world *world, keeli_storage *s, uint32_t index) {
    if (keeli_presence_clear(&s->presence, index)) keeli_store_unlist_block(world, s, index);
}

// The same for several entities of the block that begins at `first`, with the memory of plain
// values; slots and rows go separately.
static inline void keeli_store_clear_bits(keel_world *world, keeli_storage *s, uint32_t first,
                                          uint64_t bits) {
    if (s->kind == KEEL_INDEXED) keeli_indexed_set_remove_bits(&s->indexed, first, bits);
    if (keeli_presence_clear_bits(&s->presence, first, bits))
        keeli_store_unlist_block(world, s, first);
}

// ------------------------------------------------------------------ disabled values (storage.c)
// They lie by index in `indexed`, whatever the storage: of KEEL_INDEXED where they were before,
// those of others go there and come back.
static inline void *keeli_store_disabled_value(const keeli_storage *s, uint32_t index) {
    return keeli_indexed_set_value(&s->indexed, index);
}
// Make room for one, which comes after it: where it belongs, not initialised.
bool keeli_store_reserve_disabled(keel_world *world, keeli_storage *s, uint32_t index);
void *keeli_store_push_disabled(keel_world *world, keeli_storage *s, uint32_t index);
// It was moved out; and it is dropped.
void keeli_store_pop_disabled(keel_world *world, keeli_storage *s, uint32_t index);
void keeli_store_drop_disabled(keel_world *world, keeli_storage *s, uint32_t index);
// Put a value out of sight, after making room; its row stays. And back, after making room for a
// value as for a new one, its row included.
void keeli_store_disable(keel_world *world, keeli_storage *s, uint32_t index);
void keeli_store_enable(keel_world *world, keeli_storage *s, keel_entity e);

// ------------------------------------------------------------------ one value of a sparse set or
// indexed storage. Not for KEEL_ARCHETYPE, whose values move in rows (below).
//
// The entity gets the component, after a reserve: where its value belongs, not initialised.
static inline void *keeli_store_push(keel_world *world, keeli_storage *s, keel_entity e) {
    const uint32_t index = keeli_index_of(e);
    if (keeli_store_is_disabled(s, index)) keeli_store_drop_disabled(world, s, index);
    keeli_store_set_bit(world, s, index);
    if (s->kind == KEEL_INDEXED) return keeli_indexed_set_add(&s->indexed, index);
    return keeli_sparse_set_value(&s->set, keeli_sparse_set_push(&s->set, e));
}
// The entity loses the component, whose value was moved out or dropped.
static inline void keeli_store_pop(keel_world *world, keeli_storage *s, uint32_t index) {
    if (s->kind == KEEL_INDEXED && s->size)
        keeli_bytes_vacate(keeli_indexed_set_value(&s->indexed, index), s->size);
    keeli_store_clear_bit(world, s, index);
    if (s->kind == KEEL_INDEXED) keeli_indexed_set_remove(&s->indexed, index);
    else keeli_sparse_set_take(&s->set, keeli_sparse_set_find(&s->set, index));
}

// The entity loses the component, of any kind, whose value was moved out or dropped; its row stays.
static inline void keeli_store_close(keel_world *world, keeli_storage *s, uint32_t index) {
    if (s->kind == KEEL_ARCHETYPE) keeli_store_clear_bit(world, s, index);
    else keeli_store_pop(world, s, index);
}

// The entity gets the component, of any kind, where its row is made already: where its value
// belongs, not initialised.
static inline void *keeli_store_open(keel_world *world, keeli_storage *s, keel_entity e) {
    if (s->kind != KEEL_ARCHETYPE) return keeli_store_push(world, s, e);
    const uint32_t index = keeli_index_of(e);
    if (keeli_store_is_disabled(s, index)) keeli_store_drop_disabled(world, s, index);
    keeli_store_set_bit(world, s, index);
    return keeli_row_value(&s->row, *keeli_row_of(&world->entities, index));
}

// ------------------------------------------------------------------ next to others
static inline uint64_t keeli_bit_of(uint32_t index) { return (uint64_t)1 << (index % 64); }
// For the fast paths, where an entity gets a component, or loses it, while others of its block of
// 64 keep theirs (keeli_live_word): no more changes than its bit, and its slot or row.
//
// Does a value that comes need no memory? Its row apart.
static inline bool keeli_store_has_free_slot(const keeli_storage *s) {
    return s->set.count < s->set.room;
}
static inline bool keeli_store_has_place(const keeli_storage *s) {
    return s->goes_with_bit || keeli_store_has_free_slot(s);
}
// Its bit in that word, and where it belongs, not initialised; the latter not for rows.
static inline void keeli_store_take_bit(keeli_storage *s, uint64_t *word, uint64_t bit) {
    *word |= bit;
    ++s->presence.count;
}
static inline void *keeli_store_take_place(keeli_storage *s, keel_entity e) {
    if (s->goes_with_bit) return keeli_indexed_set_value(&s->indexed, keeli_index_of(e));
    return keeli_sparse_set_value(&s->set, keeli_sparse_set_push(&s->set, e));
}
// A plain value goes: its bit, of a word that keeps the rest.
static inline void keeli_store_give_bit(keeli_storage *s, uint64_t *word, uint64_t rest) {
    *word = rest;
    --s->presence.count;
    ++s->presence.cleared;
}

// ------------------------------------------------------------------ room
// How many values may be removed before room is made again in the log of removals. A reactive set,
// which entities enter again and again without making room, has all that its log may have.
static inline uint32_t keeli_removals_to_come(const keeli_storage *s) {
    return s->sources.count ? s->tracking.removed.limit : s->presence.count + s->disabled.count;
}

// Makes room for the value of an index that has none, but for slots of sparse sets and rows, of
// which an edit makes as many as it needs. False when out of memory.
static inline bool keeli_store_reserve(keel_world *world, keeli_storage *s, uint32_t index) {
    if (!keeli_presence_reserve(&s->presence, &world->heap, index)) return false;
    if (!keeli_presence_word(&s->presence, index / 64) && !keeli_reserve_listing(world, s, index))
        return false;
    if (s->kind == KEEL_SPARSE_SET)
        return keeli_sparse_set_reserve_cell(&s->set, &world->heap, index);
    return s->kind != KEEL_INDEXED || keeli_indexed_set_reserve(&s->indexed, &world->heap, index);
}
// How far that room reaches: to all of the block of 64 indices, unless each value has memory of its
// own.
static inline uint32_t keeli_store_reserve_step(const keeli_storage *s) {
    return s->kind == KEEL_INDEXED && !keeli_indexed_set_has_whole_blocks(&s->indexed) ? 1 : 64;
}

// ------------------------------------------------------------------ ranges (storage.c)
// How many entities of a list have indices that ascend one by one from the first on, to `count`.
uint32_t keeli_range_length(const keel_entity *entities, uint32_t count);
// The same for indices that ascend or descend one by one: new entities take the indices of deleted
// ones, the last deleted first.
typedef struct keeli_range {
    uint32_t count, lowest;
    bool descends;
} keeli_range;
keeli_range keeli_range_of(const keel_entity *entities, uint32_t count);
// Give the entities of a range the component, after room was made; its values are plain bytes,
// `stride` bytes apart (0: all get the same; NULL: zeros). Rows are there already, one after the
// other in the order of the list. None of the entities has a disabled value.
void keeli_store_push_range(keel_world *world, keeli_storage *s, const keel_entity *entities,
                            keeli_range range, const void *values, size_t stride);

// ------------------------------------------------------------------ rows (storage.c)
// The archetype that an entity is in; that of no component for an entity without a row.
keeli_archetype *keeli_archetype_of(const keel_world *world, uint32_t index);
// Move the entity's row (or make one, or take it away) after room was made there. Values of
// components that are only in `to` are not initialised; those only in the old one were moved out or
// dropped.
void keeli_row_move(keel_world *world, keel_entity e, keeli_archetype *to);
// The two halves of that: the row in `to`, and its old place; then the old row goes. In between its
// bytes stay as they are: values of the caller may lie in it.
uint32_t keeli_row_begin(keel_world *world, keel_entity e, keeli_archetype *to);
void keeli_row_end(keel_world *world, uint32_t old);

// The components that entities of a block may have: those that its list names, or all of the world
// where the list is incomplete, among them NULL for numbers that are free.
static inline uint32_t keeli_block_length(const keel_world *world,
                                          const keeli_component_list *list) {
    if (!list) return 0;
    return keeli_list_is_incomplete(list) ? world->registry.by_ordinal.count : list->count;
}
static inline keeli_storage *keeli_block_storage(const keel_world *world,
                                                 keeli_component_list *list, uint32_t at) {
    const uint32_t number = keeli_list_is_incomplete(list) ? at : keeli_list_numbers(list)[at];
    return world->registry.by_ordinal.items[number];
}

// The next component of an entity, disabled ones included, from position `*at` of its block's list,
// downwards from the end: what was registered last comes first. Start with UINT32_MAX; NULL at the
// end. Meanwhile the entities of the block may lose components, but get none that it did not have.
// Where the list is incomplete, every component is asked.
keeli_storage *keeli_store_next_of_all(const keel_world *world, uint32_t index, uint32_t *at);
static inline keeli_storage *keeli_store_next_of(const keel_world *world, uint32_t index,
                                                 uint32_t *at) {
    keeli_component_list *list = keeli_list_if_any(&world->lists, index);
    if (list && keeli_list_is_incomplete(list)) return keeli_store_next_of_all(world, index, at);
    const uint16_t *numbers = list ? keeli_list_numbers(list) : NULL;
    for (*at = !list ? 0 : *at < list->count ? *at : list->count; *at;) {
        keeli_storage *s = world->registry.by_ordinal.items[numbers[--*at]];
        if (keeli_presence_has(&s->presence, index) || keeli_store_is_disabled(s, index)) return s;
    }
    return NULL;
}
// Drop all values of all components: nobody is notified.
void keeli_store_drop_all(keel_world *world);
// The same for one, whose rows stay where they are: their values were dropped.
void keeli_store_drop_values(keel_world *world, keeli_storage *s);

// ------------------------------------------------------------------ whole storages (storage.c)
void keeli_store_init(const keel_world *world, keeli_storage *s);
// What columns read (keel_lookup): who has a value, and where. Of an empty storage: nobody.
void keeli_store_connect(const keel_world *world, keeli_storage *s);
// Free what has no values any more.
void keeli_store_release_stamps(keel_world *world, keeli_storage *s);
void keeli_store_deinit(keel_world *world, keeli_storage *s);
void keeli_store_trim(keel_world *world, keeli_storage *s);
// The hooks of the component changed.
void keeli_store_update_hooks(keeli_storage *s);
// It has the hooks of that one from now on, and its version and .initial value where there are
// such; false: they are no user's, as of links and names.
bool keeli_store_take_hooks(keeli_storage *s, const keel_component *from);
// What was recorded of changes goes, and the list of observers.
void keeli_tracking_deinit(keel_world *world, keeli_tracking *t);
// How many blocks of 64 indices have a value, disabled or not.
uint32_t keeli_store_count_blocks(const keeli_storage *s);
// All edges go, and values with them.
void keeli_store_drop_edges(const keeli_relation *relation, keeli_edges *edges, keeli_heap *heap);
size_t keeli_store_bytes(const keeli_storage *s);
bool keeli_store_is_valid(const keel_world *world, const keeli_storage *s);
// In test builds: walk what was just edited.
#if defined(KEELI_VALIDATE) && KEELI_VALIDATE
enum { KEELI_VALIDATES = 1 };
bool keeli_is_turn_to_validate(uint32_t count);
void keeli_validate_entities(keel_world *world);
#else
enum { KEELI_VALIDATES = 0 };
static inline void keeli_validate_entities(keel_world *world) { (void)world; }
#endif
