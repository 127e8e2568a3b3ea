// SPDX-License-Identifier: MIT
// Values in storages of every kind: the only code that changes them. A change has two halves:
// reserve may fail and leaves all values as they are; the rest cannot fail.
#pragma once
#include "base/bytes.h"
#include "hooks.h"
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
static inline uint32_t keeli_store_count(const keeli_storage *s) { return s->presence.count; }
// Where an entity has its row, KEELI_NO_ROW when it has none. The entity is alive.
static inline uint32_t *keeli_row_of(const keel_world *world, uint32_t index) {
    return &world->entities.where[index / KEELI_ENTITY_PAGE][index % KEELI_ENTITY_PAGE];
}

// ------------------------------------------------------------------ values
// Copy the bytes of a value. NULL: zeros.
static inline void keeli_bytes_put(void *to, const void *value, uint32_t size) {
    if (value) keeli_bytes_copy_fresh(to, value, size);
    else memset(to, 0, size);
}
// Fill a place that holds no value. NULL: zeros.
static inline void keeli_value_put(const keeli_storage *s, void *to, const void *value) {
    if (value && s->component.move) keeli_hook_move(s, to, (void *)(uintptr_t)value); // handed over
    else keeli_bytes_put(to, value, s->size);
}
static inline void keeli_value_drop(const keeli_storage *s, void *value) {
    if (s->component.drop) keeli_hook_drop(s, value);
}
static inline void keeli_value_move(const keeli_storage *s, void *to, void *from) {
    if (s->component.move) keeli_hook_move(s, to, from);
    else memcpy(to, from, s->size);
}

// ------------------------------------------------------------------ who has what
// What was reserved for an edit that adds components to one entity. Starts zeroed.
typedef struct keeli_room {
    keeli_archetype *to;  // where its row will be; NULL: where it is
    uint32_t numbers;     // that its block's list gets
    keeli_storage *moved; // sparse sets whose first page moved: see keeli_follow
} keeli_room;

static inline bool keeli_store_reserve_bit(keel_world *world, keeli_storage *s, uint32_t index,
                                           keeli_room *room) {
    if (!keeli_presence_reserve(&s->presence, &world->heap, index)) return false;
    if (keeli_presence_word(&s->presence, index / 64)) return true;
    return keeli_component_lists_reserve(&world->lists, &world->heap, index, ++room->numbers);
}
// Is a value of the entity kept out of sight?
static inline bool keeli_store_is_disabled(const keeli_storage *s, uint32_t index) {
    return s->flags & KEELI_HAS_DISABLED && keeli_presence_has(&s->disabled, index);
}
// Is one of its block?
static inline bool keeli_store_block_is_disabled(const keeli_storage *s, uint32_t index) {
    return s->flags & KEELI_HAS_DISABLED && keeli_presence_word(&s->disabled, index / 64);
}
// A block's list has the component's number while any of its entities has a value, disabled or not.
void keeli_store_list_block(keel_world *world, keeli_storage *s, uint32_t index);
void keeli_store_unlist_block(keel_world *world, keeli_storage *s, uint32_t index);
static inline void keeli_store_set_bit(keel_world *world, keeli_storage *s, uint32_t index) {
    if (keeli_presence_set(&s->presence, index)) keeli_store_list_block(world, s, index);
}
static inline void keeli_store_clear_bit(keel_world *world, keeli_storage *s, uint32_t index) {
    if (keeli_presence_clear(&s->presence, index)) keeli_store_unlist_block(world, s, index);
}

// ------------------------------------------------------------------ disabled values (disable.c)
// Drop the value that is kept out of sight for the entity.
void keeli_store_drop_disabled(keel_world *world, keeli_storage *s, uint32_t index);
// Put a value out of sight, after making room for its bit in `disabled`; and back, which needs no
// room: `presence` keeps its pages as long as something is disabled.
void keeli_store_disable(keeli_storage *s, uint32_t index);
void keeli_store_enable(keeli_storage *s, uint32_t index);

// ------------------------------------------------------------------ one value of a sparse set or
// indexed storage. Not for KEEL_ARCHETYPE, whose values move in rows (below).
//
// The entity gets the component, after a reserve: where its value belongs, not initialised.
static inline void *keeli_store_push(keel_world *world, keeli_storage *s, keel_entity e) {
    const uint32_t index = keel_entity_index(e);
    if (keeli_store_is_disabled(s, index)) keeli_store_drop_disabled(world, s, index);
    keeli_store_set_bit(world, s, index);
    if (s->kind == KEEL_INDEXED) return keeli_indexed_set_add(&s->indexed, index);
    return keeli_sparse_set_value(&s->set, keeli_sparse_set_push(&s->set, e));
}
// The entity loses the component, whose value was moved out or dropped.
static inline void keeli_store_pop(keel_world *world, keeli_storage *s, uint32_t index) {
    keeli_store_clear_bit(world, s, index);
    if (s->kind == KEEL_INDEXED) keeli_indexed_set_remove(&s->indexed, &world->heap, index);
    else keeli_sparse_set_take(&s->set, keeli_sparse_set_find(&s->set, index));
}

// The entity gets the component, of any kind, where its row is made already: where its value
// belongs, not initialised.
static inline void *keeli_store_open(keel_world *world, keeli_storage *s, keel_entity e) {
    if (s->kind != KEEL_ARCHETYPE) return keeli_store_push(world, s, e);
    const uint32_t index = keel_entity_index(e);
    keeli_store_set_bit(world, s, index);
    return keeli_row_value(&s->row, *keeli_row_of(world, index));
}

// ------------------------------------------------------------------ who follows (follow/follow.c)
void keeli_groups_added(keeli_storage *s, uint32_t index); // group_pack.c
void keeli_groups_removing(keeli_storage *s, uint32_t index);
// After the entity got the component, and all values of the edit are in place: groups take it in,
// or let it go; it is noted; observers are told.
void keeli_store_joined_slowly(keel_world *world, keeli_storage *s, uint32_t index);
static inline void keeli_store_joined(keel_world *world, keeli_storage *s, uint32_t index) {
    if (s->flags & KEELI_IS_WATCHED) keeli_store_joined_slowly(world, s, index);
}
// Before the entity loses the component, while its value is still there. The value may move.
// `kind`: KEEL_TRACK_REMOVAL or KEEL_TRACK_DELETION.
void keeli_store_leaving_slowly(keel_world *world, keeli_storage *s, uint32_t index, uint32_t kind);
static inline void keeli_store_leaving(keel_world *world, keeli_storage *s, uint32_t index,
                                       uint32_t kind) {
    if (s->flags & KEELI_IS_WATCHED) keeli_store_leaving_slowly(world, s, index, kind);
}
// The value of an entity goes: it is dropped, or kept for those who want to know what it was.
void keeli_value_delete(keel_world *world, keeli_storage *s, uint32_t index, void *value);
// Delete all values one by one, when somebody wants to know of each; what nobody watches is left
// alone.
void keeli_store_clear_watched(keel_world *world, keeli_storage *s);

// ------------------------------------------------------------------ adding (store.c)
// Make room for a component that the entity does not have; several calls for one edit share
// `room`, and keeli_store_reserve_row ends them. False when out of memory.
bool keeli_store_reserve(keel_world *world, keeli_storage *s, uint32_t index, keeli_room *room);
bool keeli_store_reserve_row(keel_world *world, const keeli_room *room);
// Packed places in a sparse set, noting when the first page of values moves: the caller's values
// may lie there.
bool keeli_store_reserve_slots(keel_world *world, keeli_storage *s, uint32_t extra,
                               keeli_room *room);
// Give the entity's values to it: every listed component that can be, now that there is room.
// Values that are there are dropped and overwritten. Cannot fail.
void keeli_store_commit(keel_world *world, keel_entity e, const keel_value *values,
                        const keeli_room *room);
// Where a value of the caller is after room was made: it may lie in a page that moved.
const void *keeli_follow(const keeli_room *room, const void *value);

// ------------------------------------------------------------------ rows (store.c)
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

// ------------------------------------------------------------------ removing (store.c)
// Make room to take a component away: its row moves. False when out of memory; cannot fail for the
// other kinds.
bool keeli_store_reserve_take(keel_world *world, keeli_storage *s, uint32_t index);
// Take away a component whose value was moved out or dropped, after that.
void keeli_store_take(keel_world *world, keeli_storage *s, keel_entity e);
// Drop and take all components of an entity: cannot fail.
void keeli_store_take_all(keel_world *world, keel_entity e);
// The same after all values were moved out.
void keeli_store_leave_all(keel_world *world, keel_entity e);
// The next component of an entity, disabled ones included, from position `*at` of its block's list,
// downwards from the end. Start with UINT32_MAX; NULL at the end.
keeli_storage *keeli_store_next_of(const keel_world *world, uint32_t index, uint32_t *at);
// Make room to take the component from all entities (rows move); false when out of memory.
bool keeli_store_reserve_clear(keel_world *world, keeli_storage *s);
// Delete the component from all entities, after that.
void keeli_store_clear(keel_world *world, keeli_storage *s);
// Delete all components from all entities: cannot fail.
void keeli_store_clear_all(keel_world *world);
// The same unseen: nobody was told that they came.
void keeli_store_drop_all(keel_world *world);

// ------------------------------------------------------------------ whole storages (store.c)
void keeli_store_init(const keel_world *world, keeli_storage *s);
void keeli_store_deinit(keel_world *world, keeli_storage *s);
void keeli_store_trim(keel_world *world, keeli_storage *s);
// The hooks of the component changed.
void keeli_store_update_hooks(keeli_storage *s);
size_t keeli_store_bytes(const keeli_storage *s);
bool keeli_store_is_valid(const keel_world *world, const keeli_storage *s);
// Walk over all entities that have the component, by ascending index: the next at `from` or above;
// UINT32_MAX at the end.
static inline uint32_t keeli_store_next(const keeli_storage *s, uint32_t from) {
    return keeli_presence_next(&s->presence, from);
}
// In test builds: walk what was just edited.
#if defined(KEELI_VALIDATE) && KEELI_VALIDATE
void keeli_validate_storage(keel_world *world, const keeli_storage *storage);
void keeli_validate_entities(keel_world *world);
#else
static inline void keeli_validate_storage(keel_world *world, const keeli_storage *storage) {
    (void)world, (void)storage;
}
static inline void keeli_validate_entities(keel_world *world) { (void)world; }
#endif
