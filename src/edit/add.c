// SPDX-License-Identifier: MIT
// Adding: components to entities, and entities. All of it is a batch (batch.h) but for the fast
// path, in which an entity comes next to others of its block of 64 and nothing needs memory.
#include "edit/batch.h"

#include "world/registry.h"
#include "world/report.h"

// ------------------------------------------------------------------ the general path
keel_result keeli_edit_add_values(keel_world *world, const keeli_holder *holder, keel_entity e,
                                  const keel_value *values) {
    if (!keeli_entity_is_alive(&world->entities, e)) return KEEL_ERROR_DEAD_ENTITY;
    keeli_batch b;
    keel_result result =
        keeli_batch_begin(&b, world, &e, 1, keeli_count_values(values), "adding components");
    if (result == KEEL_OK) result = keeli_batch_add_values(&b, holder, values);
    if (result == KEEL_OK) result = keeli_batch_reserve(&b);
    if (result == KEEL_OK) keeli_batch_commit(&b);
    keeli_batch_end(&b);
    return keeli_done(world, result);
}

keel_result keeli_edit_add(keel_world *world, const keeli_holder *holder, keel_entity e,
                           const keel_component *component, const void *value) {
    const keel_value values[] = { { component, value }, { NULL, NULL } };
    keel_result result = KEEL_OK;
    if (!keeli_entity_is_alive(&world->entities, e)) return KEEL_ERROR_DEAD_ENTITY;
    if (!component && !keeli_storage_to_edit(world, holder, component, "add", &result))
        return result;
    return keeli_edit_add_values(world, holder, e, values);
}

keel_entity keeli_edit_add_entity(keel_world *world, const keeli_holder *holder,
                                  const keel_value *values) {
    keel_entity e;
    keeli_batch b;
    keel_result result =
        keeli_batch_begin(&b, world, NULL, 1, keeli_count_values(values), "adding an entity");
    if (result == KEEL_OK) result = keeli_batch_add_values(&b, holder, values);
    if (result == KEEL_OK) result = keeli_batch_create(&b, holder, &e);
    if (result == KEEL_OK) keeli_batch_commit(&b);
    keeli_batch_end(&b);
    return keeli_done(world, result) < 0 ? keel_null() : e;
}

keel_result keeli_edit_add_held(keel_world *world, const keeli_holder *holder, keel_entity held,
                                const keel_value *values) {
    uint32_t *where = keeli_row_of(world, keel_entity_index(held));
    const uint32_t promise = *where;
    keeli_batch b;
    keel_result result =
        keeli_batch_begin(&b, world, &held, 1, keeli_count_values(values), "adding an entity");
    b.is_new = true;
    *where = KEELI_NO_ROW; // as for the living, which making room looks at
    if (result == KEEL_OK) result = keeli_batch_add_values(&b, holder, values);
    if (result == KEEL_OK && !keeli_followers_reserve_entity(world, held, 1))
        result = keeli_out_of_memory(world, "adding an entity");
    if (result == KEEL_OK) result = keeli_batch_reserve(&b);
    if (result == KEEL_OK) {
        keeli_entity_index_confirm(&world->entities, held);
        keeli_batch_commit(&b);
    } else {
        *where = promise;
    }
    keeli_batch_end(&b);
    return keeli_done(world, result);
}

// ------------------------------------------------------------------ the fast path
// A component that an entity gets: its storage, and the word of presence bits of the entity's
// block.
typedef struct place {
    keeli_storage *s;
    uint64_t *word;
} place;

// The word in which the entity gets its bit next to others of its block of 64: neither the summary
// nor the list of the block changes, and all pages are there. NULL when that is not so, when it has
// the component, or when more than its bytes is to be edited (`follows`: and that is not ready).
// `to`: where its row will be.
static inline __attribute__((always_inline)) uint64_t *find_word(const keel_world *world,
                                                                 const keeli_storage *s,
                                                                 uint32_t index, bool follows,
                                                                 keeli_archetype **to) {
    if (follows ? !keeli_is_free(world, s) : !keeli_is_plain(world, s)) return NULL;
    uint64_t *word = keeli_live_word(s, index);
    if (!word || *word >> (index % 64) & 1) return NULL;
    if (follows && s->flags && !keeli_followers_are_ready(world, s, index)) return NULL;
    if (s->kind == KEEL_INDEXED) return s->goes_with_bit ? word : NULL;
    if (s->kind == KEEL_SPARSE_SET) return s->set.count < s->set.room ? word : NULL;
    if (!keeli_rows_are_free(world)) return NULL;
    const keeli_edge *edge = keeli_archetype_edge(*to, s->slot);
    *to = edge ? edge->with : NULL;
    return *to ? word : NULL;
}

// After that: where its value belongs, not initialised. Its row is there.
static inline void *take_word(const keel_world *world, keeli_storage *s, uint64_t *word,
                              keel_entity e) {
    const uint32_t index = keel_entity_index(e);
    *word |= (uint64_t)1 << (index % 64);
    ++s->presence.count;
    if (s->kind == KEEL_INDEXED) return keeli_indexed_set_value(&s->indexed, index);
    if (s->kind == KEEL_SPARSE_SET)
        return keeli_sparse_set_value(&s->set, keeli_sparse_set_push(&s->set, e));
    return keeli_row_value(&s->row, *keeli_row_of(world, index));
}

enum { places_at_most = 8 };

// Places for all values; how many, or -1. `*to`: where the row will be.
static inline __attribute__((always_inline)) int32_t
find_places(const keel_world *world, uint32_t index, const keel_value *values, bool follows,
            place *places, keeli_archetype **to) {
    const keeli_archetype *from = *to;
    int32_t count = 0;
    for (; values[count].component; ++count) {
        keeli_storage *s = keeli_storage_known(world, values[count].component);
        if (!s || count == places_at_most) return -1;
        uint64_t *word = find_word(world, s, index, follows, to);
        if (!word) return -1;
        places[count] = (place){ s, word };
        for (int32_t k = 0; k < count; ++k)
            if (places[k].s == s) return -1; // named twice
    }
    return *to == from || keeli_archetype_has_room(*to) ? count : -1;
}

static inline void fill_places(keel_world *world, keel_entity e, const keel_value *values,
                               const place *places, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
        keeli_storage *s = places[i].s;
        keeli_bytes_put(take_word(world, s, places[i].word, e), values[i].value, s->size);
    }
}

// All values are in place.
static inline void tell_places(keel_world *world, keel_entity e, const place *places,
                               int32_t count) {
    for (int32_t i = 0; i < count; ++i)
        keeli_came(world, places[i].s, keel_entity_index(e));
    for (int32_t i = 0; i < count; ++i)
        keeli_validate_storage(world, places[i].s);
    (void)keeli_done(world, KEEL_OK);
}

keel_result keel_world_add_values(keel_world *world, keel_entity e, const keel_value *values) {
    if (!world) return keeli_no_world();
    if (!keeli_entity_is_alive(&world->entities, e)) return KEEL_ERROR_DEAD_ENTITY;
    if (!values) return KEEL_OK;
    place places[places_at_most];
    keeli_archetype *from = keeli_archetype_of(world, keel_entity_index(e)), *to = from;
    const int32_t count = find_places(world, keel_entity_index(e), values, true, places, &to);
    if (count < 0) return keeli_edit_add_values(world, NULL, e, values);
    const uint32_t old = to == from ? KEELI_NO_ROW : keeli_row_begin(world, e, to);
    fill_places(world, e, values, places, count);
    keeli_row_end(world, old); // not before: values may lie in it
    tell_places(world, e, places, count);
    return KEEL_OK;
}

// Two bodies: what nobody follows makes a fifth fewer instructions (create_2) without the others.
static inline __attribute__((always_inline)) keel_entity
create(keel_world *world, const keel_value *values, bool follows) {
    const keel_entity e = keeli_entity_index_peek(&world->entities);
    place places[places_at_most];
    keeli_archetype *none = world->archetypes.all[0], *to = none;
    const int32_t count = find_places(world, keel_entity_index(e), values, follows, places, &to);
    if (count < 0) return keel_null();
    keeli_entity_index_take(&world->entities, e);
    if (to != none) *keeli_row_of(world, keel_entity_index(e)) = keeli_archetype_push(to, e);
    fill_places(world, e, values, places, count);
    if (follows) tell_places(world, e, places, count);
    for (int32_t i = 0; !follows && i < count; ++i)
        keeli_validate_storage(world, places[i].s);
    return e;
}

static __attribute__((noinline)) keel_entity create_followed(keel_world *world,
                                                             const keel_value *values) {
    const keel_entity e = create(world, values, true);
    return keel_is_null(e) ? keeli_edit_add_entity(world, NULL, values) : e;
}

static __attribute__((noinline)) keel_entity create_plain(keel_world *world,
                                                          const keel_value *values) {
    const keel_entity e = create(world, values, false);
    return keel_is_null(e) ? create_followed(world, values) : e;
}

keel_entity keel_world_add_entity(keel_world *world, const keel_value *values) {
    if (!world) return keeli_no_world(), keel_null();
    keeli_entity_index *ix = &world->entities;
    if (!keeli_is_free(world, &world->stand_in.entities) || world->stand_in.entities.flags ||
        !keeli_entity_index_is_ready(ix))
        return keeli_edit_add_entity(world, NULL, values);
    if (values && values->component) return create_plain(world, values);
    const keel_entity e = keeli_entity_index_peek(ix);
    keeli_entity_index_take(ix, e);
    return e;
}

// Nothing of adding one component is a call that comes back, so that no register is saved: what
// takes more is done by functions that go on from there.
static __attribute__((noinline)) keel_result
add_general(keel_world *world, keel_entity e, const keel_component *component, const void *value) {
    return world ? keeli_edit_add(world, NULL, e, component, value) : keeli_no_world();
}

static __attribute__((noinline)) keel_result end_add(keel_world *world, keeli_storage *s, void *to,
                                                     const void *value) {
    keeli_bytes_put(to, value, s->size);
    keeli_validate_storage(world, s);
    return KEEL_OK;
}

// To a sparse set that has room.
static __attribute__((noinline)) keel_result
add_slot(keel_world *world, keeli_storage *s, keel_entity e, const void *value, uint64_t *word) {
    *word |= (uint64_t)1 << (keel_entity_index(e) % 64);
    ++s->presence.count;
    void *to = keeli_sparse_set_value(&s->set, keeli_sparse_set_push(&s->set, e));
    if (!value || !keeli_bytes_copy_fours(to, value, s->size)) return end_add(world, s, to, value);
    keeli_validate_storage(world, s);
    return KEEL_OK;
}

// To archetypes: the row moves along an edge that was gone before.
static __attribute__((noinline)) keel_result
add_row(keel_world *world, keeli_storage *s, keel_entity e, const void *value, uint64_t *word) {
    keeli_archetype *from = keeli_archetype_of(world, keel_entity_index(e)), *to = from;
    if (!find_word(world, s, keel_entity_index(e), true, &to) || !keeli_archetype_has_room(to))
        return add_general(world, e, &s->component, value);
    const uint32_t old = keeli_row_begin(world, e, to);
    keeli_bytes_put(take_word(world, s, word, e), value, s->size);
    keeli_row_end(world, old); // last: the value may lie in it
    if (s->flags)
        return keeli_came_alone(world, s, e, keeli_store_value(world, s, keel_entity_index(e)));
    keeli_validate_storage(world, s);
    return KEEL_OK;
}

// It has the component: only its bytes change, where they are no more than that.
static __attribute__((noinline)) keel_result overwrite(keel_world *world, keeli_storage *s,
                                                       keel_entity e, const void *value) {
    const uint32_t index = keel_entity_index(e);
    if ((s->flags && !keeli_followers_are_simple(world, s)) ||
        (s->kind == KEEL_ARCHETYPE && !keeli_rows_are_free(world)))
        return add_general(world, e, &s->component, value);
    void *to = keeli_store_value(world, s, index);
    if (value != to) keeli_bytes_put(to, value, s->size);
    if (!s->flags) return KEEL_OK;
    keeli_changed(world, s, e);
    return keeli_done(world, KEEL_OK);
}

// `follows`: somebody does, and all of them are ready. What has neighbours in its block has a
// version, so only that is compared.
static inline __attribute__((always_inline)) keel_result
add_beside(keel_world *world, keel_entity e, const void *value, keeli_storage *s, bool follows) {
    const uint32_t index = keel_entity_index(e);
    uint64_t *word = keeli_live_word(s, index);
    if (!word || !keeli_entity_has_version(&world->entities, e))
        return add_general(world, e, &s->component, value);
    if (*word >> (index % 64) & 1) return overwrite(world, s, e, value);
    if (s->kind == KEEL_ARCHETYPE) return add_row(world, s, e, value, word);
    const bool has_slot = s->kind == KEEL_SPARSE_SET && s->set.count < s->set.room;
    if (has_slot && !follows) return add_slot(world, s, e, value, word);
    if (!has_slot && !s->goes_with_bit) return add_general(world, e, &s->component, value);
    if (follows) {
        void *to = take_word(world, s, word, e);
        keeli_bytes_put(to, value, s->size);
        return keeli_came_alone(world, s, e, to);
    }
    *word |= (uint64_t)1 << (index % 64);
    ++s->presence.count;
    void *to = keeli_indexed_set_value(&s->indexed, index);
    if (!value || !keeli_bytes_copy_fours(to, value, s->size)) return end_add(world, s, to, value);
    keeli_validate_storage(world, s);
    return KEEL_OK;
}

static __attribute__((noinline)) keel_result add_tracked(keel_world *world, keel_entity e,
                                                         const void *value, keeli_storage *s) {
    const uint32_t index = keel_entity_index(e);
    if (s->kind != KEEL_ARCHETYPE && !keeli_store_has(s, index) &&
        !keeli_followers_are_ready(world, s, index))
        return add_general(world, e, &s->component, value);
    return add_beside(world, e, value, s, true);
}
// A body of its own: without the call that asks whether there is room it is an eighth fewer
// instructions (observer_add).
static __attribute__((noinline)) keel_result add_observed(keel_world *world, keel_entity e,
                                                          const void *value, keeli_storage *s) {
    return add_beside(world, e, value, s, true);
}

keel_result keel_add_component(keel_world *world, keel_entity e, const keel_component *component,
                               const void *value) {
    keeli_storage *s = world ? keeli_storage_known(world, component) : NULL;
    if (!s || !keeli_is_free(world, s)) return add_general(world, e, component, value);
    if (!s->flags) return add_beside(world, e, value, s, false);
    return keeli_is_only_observed(s) ? add_observed(world, e, value, s)
                                     : add_tracked(world, e, value, s);
}

// As fast with the check, which is one compare of a version.
keel_result keel_add_component_unchecked(keel_world *world, keel_entity e,
                                         const keel_component *component, const void *value) {
    return keel_add_component(world, e, component, value);
}

void *keel_emplace_component(keel_world *world, keel_entity e, const keel_component *component) {
    if (keel_add_component(world, e, component, NULL) < 0) return NULL;
    const keeli_storage *s = keeli_storage_find(world, component);
    if (!s || !keeli_entity_is_alive(&world->entities, e)) return NULL; // an observer deleted it
    return keeli_store_value(world, s, keel_entity_index(e));
}

void *keel_get_or_add_component(keel_world *world, keel_entity e, const keel_component *component,
                                const void *value) {
    if (!world) return keeli_no_world(), NULL;
    if (!keeli_entity_is_alive(&world->entities, e)) return NULL;
    keel_result result;
    keeli_storage *s = keeli_storage_to_edit(world, NULL, component, "add", &result);
    if (!s) return NULL;
    void *there = keeli_store_value(world, s, keel_entity_index(e));
    if (there) return keeli_track_modified(world, s, keel_entity_index(e)), there;
    if (keel_add_component(world, e, component, value) < 0) return NULL;
    if (!keeli_entity_is_alive(&world->entities, e)) return NULL;
    return keeli_store_value(world, s, keel_entity_index(e));
}

// ------------------------------------------------------------------ many
keel_result keeli_check_list(keel_world *world, const keel_entity *entities, uint32_t count,
                             const char *function) {
    if (entities || !count) return KEEL_OK;
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                        "%s was given no list, but a count of %u; pass an array of that many",
                        function, (unsigned)count);
}

static keel_result check_stride(keel_world *world, const keeli_storage *s, size_t stride) {
    if (stride >= s->size) return KEEL_OK;
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                        "values of '%s' have %u bytes but a stride of %u; pass the size of what "
                        "they are in",
                        s->component.name, (unsigned)s->size, (unsigned)stride);
}

// A column of the caller's: with a stride the values are handed over, without they are copied.
static keel_result add_column(keeli_batch *b, const keel_bulk *c) {
    keel_world *world = b->world;
    keel_result result;
    keeli_storage *s = keeli_storage_to_edit(world, NULL, c->component, "add", &result);
    if (!s) return result;
    const bool is_copied = !c->values || !c->stride;
    if (c->values && is_copied && !keeli_can_copy(s)) return keeli_cannot_copy(world, s);
    if (!is_copied) KEEL_TRY(check_stride(world, s, c->stride));
    for (uint32_t k = 0; k < b->column_count; ++k)
        if (b->columns[k].storage == s)
            return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                                "'%s' is named twice in one list of columns", s->component.name);
    keeli_batch_add(b, s, c->values, c->stride, is_copied ? KEELI_COPIED : KEELI_HANDED_OVER);
    return KEEL_OK;
}

keel_result keel_world_add_entities(keel_world *world, uint32_t count, keel_entity *out,
                                    const keel_bulk *columns) {
    if (!world) return keeli_no_world();
    uint32_t column_count = 0;
    while (columns && columns[column_count].component)
        ++column_count;
    keeli_batch b;
    keel_result result = keeli_batch_begin(&b, world, NULL, count, column_count, "adding entities");
    for (uint32_t k = 0; result == KEEL_OK && k < column_count; ++k)
        result = add_column(&b, &columns[k]);
    if (result == KEEL_OK && count) {
        result = keeli_batch_create(&b, NULL, out);
        if (result == KEEL_OK) keeli_batch_commit(&b);
    }
    keeli_batch_end(&b);
    return keeli_done(world, result);
}

static keel_result check_alive(keel_world *world, const keeli_storage *s,
                               const keel_entity *entities, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        if (!keeli_entity_is_alive(&world->entities, entities[i]))
            return keeli_error(world, KEEL_ERROR_DEAD_ENTITY,
                               "cannot add '%s' to many: entity %u of the list is not alive; "
                               "nothing was changed",
                               s->component.name, (unsigned)i);
    return KEEL_OK;
}

keel_result keel_add_component_to_many(keel_world *world, const keel_entity *entities,
                                       uint32_t count, const keel_component *component,
                                       const void *values, size_t stride) {
    if (!world) return keeli_no_world();
    keel_result result;
    const keeli_storage *s = keeli_storage_to_edit(world, NULL, component, "add", &result);
    if (!s) return result;
    KEEL_TRY(keeli_check_list(world, entities, count, "keel_add_component_to_many"));
    if (values && stride) KEEL_TRY(check_stride(world, s, stride));
    if (!count) return KEEL_OK;
    KEEL_TRY(check_alive(world, s, entities, count));
    keeli_batch b;
    (void)keeli_batch_begin(&b, world, entities, count, 1, "adding a component to many entities");
    result = add_column(&b, &(keel_bulk){ component, values, stride });
    if (result == KEEL_OK) result = keeli_batch_reserve(&b);
    if (result == KEEL_OK) keeli_batch_commit(&b);
    keeli_batch_end(&b);
    return keeli_done(world, result);
}

// ------------------------------------------------------------------ entities by handle, and room
keel_result keel_add_entity_at(keel_world *world, keel_entity e) {
    if (!world) return keeli_no_world();
    KEEL_TRY(keeli_may_edit(world, NULL, &world->stand_in.entities, "add to"));
    keel_result result = keeli_entity_index_may_add_at(&world->entities, e);
    if (result == KEEL_OK && !keeli_followers_reserve_entity(world, e, 1))
        result = KEEL_ERROR_MEMORY;
    if (result == KEEL_OK) result = keeli_entity_index_add_at(&world->entities, &world->heap, e);
    if (result == KEEL_ERROR_MEMORY) return keeli_out_of_memory(world, "adding an entity");
    if (result == KEEL_ERROR_OCCUPIED || result == KEEL_ERROR_FULL)
        return keeli_error(world, result, "cannot add an entity at index %u: %s",
                           (unsigned)keel_entity_index(e), keel_result_text(result));
    if (result < 0) return result; // a handle of nothing
    keeli_entity_came(world, e);
    keeli_validate_entities(world);
    return keeli_done(world, KEEL_OK);
}

keel_result keel_reserve_entities(keel_world *world, uint32_t count) {
    if (!world) return keeli_no_world();
    KEEL_TRY(keeli_world_is_editable(world));
    const uint32_t alive = keeli_entity_count(&world->entities);
    const keel_result result =
        count > alive ? keeli_entity_index_reserve(&world->entities, &world->heap, count - alive)
                      : KEEL_OK;
    if (result == KEEL_ERROR_MEMORY) return keeli_out_of_memory(world, "reserving entities");
    if (result == KEEL_ERROR_FULL)
        return keeli_error(world, result,
                           "cannot make room for %u entities: there are not enough free indices",
                           (unsigned)count);
    return result;
}

// Room for components of the entities that `count` new ones would be, and of all that are alive.
// Each block of 64 indices has a list of its own.
static bool reserve_indices(keel_world *world, keeli_storage *s, uint32_t count) {
    for (uint64_t i = 0; i < count; i += 64)
        if (!keeli_store_reserve(world, s, (uint32_t)i, 0)) return false;
    uint64_t from = 0; // the block after the last one looked at
    while (from <= KEEL_ENTITY_INDEX_MAX) {
        const keel_entity e = keeli_entity_index_next(&world->entities, (uint32_t)from);
        if (keel_is_null(e)) break;
        const uint32_t index = keel_entity_index(e);
        if (!keeli_store_reserve(world, s, index, 0)) return false;
        from = ((uint64_t)index / 64 + 1) * 64;
    }
    return true;
}

keel_result keel_reserve_component(keel_world *world, const keel_component *component,
                                   uint32_t count) {
    if (!world) return keeli_no_world();
    keel_result result;
    keeli_storage *s = keeli_storage_to_edit(world, NULL, component, "reserve", &result);
    if (!s) return result;
    if (count > (uint64_t)KEEL_ENTITY_INDEX_MAX + 1)
        return keeli_error(
            world, KEEL_ERROR_FULL,
            "cannot make room for %u '%s': there are at most %llu entities at a time",
            (unsigned)count, s->component.name, (unsigned long long)KEEL_ENTITY_INDEX_MAX + 1);
    const uint32_t have = keeli_store_count(s), extra = count > have ? count - have : 0;
    if (s->kind == KEEL_SPARSE_SET && !keeli_sparse_set_reserve(&s->set, &world->heap, extra))
        return keeli_out_of_memory(world, "reserving room for components");
    if (count && !reserve_indices(world, s, count))
        return keeli_out_of_memory(world, "reserving room for components");
    return KEEL_OK;
}
