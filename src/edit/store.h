// SPDX-License-Identifier: MIT
// Values in storages of every kind: the only code that changes them. A change has two halves:
// reserve may fail and leaves all values as they are; the rest cannot fail.
#pragma once
#include "world.h"

#include <string.h>

// ------------------------------------------------------------------ looking
static inline bool keeli_store_has(const keeli_storage *s, uint32_t index) {
    return keeli_presence_has(&s->presence, index);
}
// Where an entity index has its value, UINT32_MAX when it has none.
static inline uint32_t keeli_store_place(const keel_world *world, const keeli_storage *s,
                                         uint32_t index) {
    return keeli_place(s->root, &world->entities.root, index);
}
static inline void *keeli_store_at(const keeli_storage *s, uint32_t place) {
    const uint32_t shift = s->root->shift;
    return (char *)s->root->pages[place >> shift] +
           (size_t)(place & (((uint32_t)1 << shift) - 1)) * s->size;
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
// Fill a place that holds no value. NULL: zeros.
static inline void keeli_value_put(const keeli_storage *s, void *to, const void *value) {
    if (!value) memset(to, 0, s->size);
    else if (s->component.move)
        s->component.move(to, (void *)(uintptr_t)value, s->component.hook_data);
    else if (s->size == 8) memcpy(to, value, 8);
    else memcpy(to, value, s->size);
}
static inline void keeli_value_drop(const keeli_storage *s, void *value) {
    if (s->component.drop) s->component.drop(value, s->component.hook_data);
}
static inline void keeli_value_move(const keeli_storage *s, void *to, void *from) {
    if (s->component.move) s->component.move(to, from, s->component.hook_data);
    else memcpy(to, from, s->size);
}

// ------------------------------------------------------------------ who has what
static inline bool keeli_store_reserve_bit(keel_world *world, keeli_storage *s, uint32_t index) {
    if (!keeli_presence_reserve(&s->presence, &world->heap, index)) return false;
    return keeli_presence_word(&s->presence, index / 64) ||
           keeli_component_lists_reserve(&world->lists, &world->heap, index);
}
static inline void keeli_store_set_bit(keel_world *world, keeli_storage *s, uint32_t index) {
    if (keeli_presence_set(&s->presence, index))
        keeli_component_lists_add(&world->lists, index, s->ordinal);
}
static inline void keeli_store_clear_bit(keel_world *world, keeli_storage *s, uint32_t index) {
    if (keeli_presence_clear(&s->presence, index))
        keeli_component_lists_remove(&world->lists, index, s->ordinal);
}

// ------------------------------------------------------------------ one value of a sparse set or
// indexed storage Not for KEEL_ARCHETYPE, whose values move in rows (below).
static inline bool keeli_store_reserve(keel_world *world, keeli_storage *s, uint32_t index) {
    if (!keeli_store_reserve_bit(world, s, index)) return false;
    if (s->kind == KEEL_INDEXED) return keeli_indexed_set_reserve(&s->indexed, &world->heap, index);
    return keeli_sparse_set_reserve_cell(&s->set, &world->heap, index) &&
           keeli_sparse_set_reserve(&s->set, &world->heap, 1);
}
// The entity gets the component, after a reserve: where its value belongs, not initialised.
static inline void *keeli_store_add(keel_world *world, keeli_storage *s, keel_entity e) {
    const uint32_t index = keel_entity_index(e);
    keeli_store_set_bit(world, s, index);
    if (s->kind == KEEL_INDEXED) return keeli_indexed_set_add(&s->indexed, index);
    return keeli_sparse_set_value(&s->set, keeli_sparse_set_push(&s->set, e));
}
// The entity loses the component, whose value was moved out or dropped.
static inline void keeli_store_take(keel_world *world, keeli_storage *s, uint32_t index) {
    keeli_store_clear_bit(world, s, index);
    if (s->kind == KEEL_INDEXED) keeli_indexed_set_remove(&s->indexed, &world->heap, index);
    else keeli_sparse_set_take(&s->set, keeli_sparse_set_find(&s->set, index));
}

// ------------------------------------------------------------------ rows (store.c)
// The archetype that an entity is in; that of no component for an entity without a row.
keeli_archetype *keeli_archetype_of(const keel_world *world, uint32_t index);
// Make room to move an entity from `from` to `to`: a row there. False when out of memory.
bool keeli_row_reserve(keel_world *world, keeli_archetype *to);
// Move the entity's row (or make one, or take it away) after the reserve. Values of components that
// are only in `to` are not initialised; those only in the old one were moved out or dropped.
void keeli_row_move(keel_world *world, keel_entity e, keeli_archetype *to);

// Add any component, whatever its kind: make room; false when out of memory. Then the place, not
// initialised.
bool keeli_store_reserve_any(keel_world *world, keeli_storage *s, uint32_t index);
void *keeli_store_add_any(keel_world *world, keeli_storage *s, keel_entity e);
// Take any component whose value was moved out or dropped; for KEEL_ARCHETYPE make room first.
bool keeli_store_reserve_take(keel_world *world, keeli_storage *s, uint32_t index);
void keeli_store_take_any(keel_world *world, keeli_storage *s, keel_entity e);
// Drop and take all components of an entity: cannot fail.
void keeli_store_take_all(keel_world *world, keel_entity e);
// Does the entity have any component?
bool keeli_store_has_any(const keel_world *world, uint32_t index);
// The next component of an entity from position `*at` of its block's list, downwards from the end.
// Start with UINT32_MAX; NULL at the end.
keeli_storage *keeli_store_next_of(const keel_world *world, uint32_t index, uint32_t *at);
// Make room to take the component from all entities (rows move); false when out of memory.
bool keeli_store_reserve_clear(keel_world *world, keeli_storage *s);
// Delete the component from all entities, after that.
void keeli_store_clear(keel_world *world, keeli_storage *s);
void keeli_store_trim(keel_world *world, keeli_storage *s);
void keeli_store_init(keeli_storage *s);
void keeli_store_deinit(keel_world *world, keeli_storage *s);
bool keeli_store_is_valid(const keel_world *world, const keeli_storage *s);
size_t keeli_store_bytes(const keeli_storage *s);
