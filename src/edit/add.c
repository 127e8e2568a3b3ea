// SPDX-License-Identifier: MIT
// The verbs that add components and create entities. Each of them is a batch (batch.h), except on
// the fast path: another entity of the block of 64 indices has the component already, so that no
// memory is needed. Room for entities and components (keel_reserve) is here, too.
#include "edit/batch.h"

#include "world/registry.h"
#include "world/report.h"

// ------------------------------------------------------------------ the general path
keel_result keeli_edit_add_values(keel_world *world, const keeli_holder *holder, keel_entity e,
                                  const keel_value *values) {
    if (!keeli_entity_is_alive(&world->entities, e))
        return keeli_dead_entity(world, "keel_add", e);
    keeli_batch b;
    keeli_batch_begin(&b, world, &e, 1, "adding components");
    keeli_batch_add_values(&b, holder, values);
    return keeli_batch_finish(&b);
}

keel_result keeli_edit_add(keel_world *world, const keeli_holder *holder, keel_entity e,
                           const keel_component *component, const void *value) {
    const keel_value values[] = { { component, value }, { NULL, NULL } };
    keel_result result = KEEL_OK;
    if (!keeli_entity_is_alive(&world->entities, e))
        return keeli_dead_entity(world, "keel_add", e);
    if (!component && !keeli_storage_to_edit(world, holder, component, "add", &result))
        return result;
    return keeli_edit_add_values(world, holder, e, values);
}

keel_entity keeli_edit_add_entity(keel_world *world, const keeli_holder *holder,
                                  const keel_value *values) {
    keel_entity e;
    keeli_batch b;
    keeli_batch_begin(&b, world, NULL, 1, "adding an entity");
    keeli_batch_add_values(&b, holder, values);
    keeli_batch_create(&b, holder, &e);
    return keeli_batch_finish(&b) < 0 ? keel_null() : e;
}

keel_result keeli_edit_add_held(keel_world *world, const keeli_holder *holder, keel_entity held,
                                const keel_value *values) {
    keeli_batch b;
    keeli_batch_begin_held(&b, world, &held, 1, "adding an entity");
    keeli_batch_add_values(&b, holder, values);
    keeli_batch_create(&b, holder, NULL);
    return keeli_batch_finish(&b);
}

// ------------------------------------------------------------------ the fast path
// Returns the archetype that a row moves to when it gets the component. NULL if no edge with room
// is cached: take the general path.
static inline keeli_archetype *row_with(const keel_world *world, const keeli_storage *s,
                                        const keeli_archetype *from) {
    const keeli_edge *edge = keeli_archetype_edge(from, s->slot);
    return edge && keeli_rows_are_free(world) ? edge->with : NULL;
}

// Adds a component if another entity of the same block of 64 indices has it: then neither the
// summary of presence bits nor the list of the block changes, and all pages exist. Returns false,
// and changes nothing, if no other entity of the block has the component, if this entity has it
// already, or if the storage has flags. With `follows` the storage may have flags of followers, if
// these followers are ready. `*to` is the archetype of the entity's row with the components so far;
// a component kept in rows changes `*to`, and fill_row writes its value later.
static inline __attribute__((always_inline)) bool
give(keel_world *world, keel_entity e, const keel_value *v, bool follows, keeli_archetype **to) {
    const uint32_t index = keeli_index_of(e);
    keeli_storage *s = keeli_storage_known(world, v->component);
    if (!s || !(follows ? keeli_is_free(world, s) : keeli_is_plain(world, s)))
        return false;
    uint64_t *word = keeli_live_word(s, index);
    if (!word || *word & keeli_bit_of(index) || !keeli_store_has_place(s))
        return false;
    if (follows && keeli_flags_of(s) && !keeli_followers_are_ready(world, s))
        return false;
    if (keeli_store_has_rows(s)) {
        keeli_archetype *next = row_with(world, s, *to);
        if (!next)
            return false;
        *to = next;
        keeli_store_set_bit_beside(s, word, keeli_bit_of(index));
        return true;
    }
    keeli_store_set_bit_beside(s, word, keeli_bit_of(index));
    keeli_bytes_put(keeli_store_place_beside(s, e), v->value, s->size);
    return true;
}

// Removes the values from `values` to `end` again, because a later value of the list needs the
// general path. Returns false.
static __attribute__((noinline)) bool undo_values(keel_world *world, keel_entity e,
                                                  const keel_value *values, const keel_value *end) {
    while (end-- != values)
        keeli_store_close(world, keeli_storage_known(world, end->component), keeli_index_of(e));
    return false;
}

// Adds all components of a list. False, with nothing changed, if one of them needs the general
// path.
static inline __attribute__((always_inline)) bool give_all(keel_world *world, keel_entity e,
                                                           const keel_value *values, bool follows,
                                                           keeli_archetype **to) {
    const keeli_archetype *from = *to;
    const keel_value *v = values;
    for (; v->component; ++v)
        if (!give(world, e, v, follows, to))
            return undo_values(world, e, values, v);
    return *to == from || keeli_archetype_has_room(*to) || undo_values(world, e, values, v);
}

// Writes the values of the list that are kept in rows to the entity's new row.
static inline void fill_row(const keel_world *world, keel_entity e, const keel_value *values) {
    const uint32_t place = *keeli_row_of(&world->entities, keeli_index_of(e));
    for (; values->component; ++values) {
        const keeli_storage *s = keeli_storage_known(world, values->component);
        if (keeli_store_has_rows(s))
            keeli_bytes_put(keeli_row_value(&s->row, place), values->value, s->size);
    }
}

// Notifies the followers, once all values of the list are in place.
static inline void end_list(keel_world *world, keel_entity e, const keel_value *values,
                            bool follows) {
    if (follows) {
        for (const keel_value *v = values; v->component; ++v)
            keeli_follow_added(world, keeli_storage_known(world, v->component), keeli_index_of(e));
    }
    if (KEELI_VALIDATES) {
        for (; values->component; ++values)
            keeli_validate_storage(world, keeli_storage_known(world, values->component));
    }
    if (follows)
        (void)keeli_done(world, KEEL_OK);
}

keel_result keeli_world_add_values(keel_scope *scope, keel_entity e, const keel_value *values) {
    keel_world *world = keeli_world_of(scope);
    if (keeli_is_no_world(world))
        return keeli_no_world();
    if (!keeli_entity_is_alive(&world->entities, e))
        return keeli_dead_entity(world, "keel_add", e);
    if (!values)
        return KEEL_OK;
    keeli_archetype *from = keeli_archetype_of(world, keeli_index_of(e)), *to = from;
    if (!give_all(world, e, values, true, &to))
        return keeli_edit_add_values(world, NULL, e, values);
    if (to != from) {
        const uint32_t old = keeli_row_begin(world, e, to);
        fill_row(world, e, values);
        keeli_row_end(world, old); // last: values of the caller may lie in the old row
    }
    end_list(world, e, values, true);
    return KEEL_OK;
}

keel_result(keel_add_component_values)(keel_scope *scope, keel_entity e, const keel_value *values) {
    keel_commands *list = keeli_commands_of(scope);
    if (keeli_is_world(scope))
        return keeli_world_add_values(scope, e, values);
    if (list)
        return keeli_record_add(list, e, values, keeli_count_values(values));
    keeli_caller who;
    KEEL_TRY(keeli_edit_begin(scope, &who));
    return keeli_edit_end(&who, keeli_edit_add_values(who.world, who.editor, e, values));
}

// Creates an entity on the fast path. Returns null, and changes nothing, if the edit needs the
// general path. Instantiated twice: without followers it takes a fifth fewer instructions
// (benchmark create_2).
static inline __attribute__((always_inline)) keel_entity
create_one(keel_world *world, const keel_value *values, bool follows) {
    const keel_entity e = keeli_entity_index_peek(&world->entities);
    keeli_archetype *none = world->archetypes.all[0], *to = none;
    if (!give_all(world, e, values, follows, &to))
        return keel_null();
    keeli_entity_index_add_peeked(&world->entities, e);
    if (to != none) {
        *keeli_row_of(&world->entities, keeli_index_of(e)) =
            keeli_archetype_push(&world->archetypes, to, e);
        fill_row(world, e, values);
    }
    end_list(world, e, values, follows);
    return e;
}

static __attribute__((noinline)) keel_entity create_followed(keel_world *world,
                                                             const keel_value *values) {
    const keel_entity e = create_one(world, values, true);
    return keel_is_null(e) ? keeli_edit_add_entity(world, NULL, values) : e;
}

static bool is_ready(const keel_world *world) {
    return keeli_is_plain(world, &world->stand_in.entities) &&
           keeli_entity_index_is_ready(&world->entities);
}

keel_entity keeli_add_plain_entity(keel_world *world, const keel_value *values) {
    return is_ready(world) ? create_one(world, values, false) : keel_null();
}

static __attribute__((noinline)) keel_entity create_plain(keel_world *world,
                                                          const keel_value *values) {
    const keel_entity e = create_one(world, values, false);
    return keel_is_null(e) ? create_followed(world, values) : e;
}

keel_entity keeli_world_add_entity(keel_scope *scope, const keel_value *values) {
    keel_world *world = keeli_world_of(scope);
    if (keeli_is_no_world(world)) {
        keeli_no_world();
        return keel_null();
    }
    if (!is_ready(world))
        return keeli_edit_add_entity(world, NULL, values);
    if (values && values->component)
        return create_plain(world, values);
    const keel_entity e = keeli_entity_index_peek(&world->entities);
    keeli_entity_index_add_peeked(&world->entities, e);
    return e;
}

static __attribute__((noinline)) keel_entity add_entity_elsewhere(keel_scope *scope,
                                                                  const keel_value *values) {
    keel_commands *list = keeli_commands_of(scope);
    if (list)
        return keeli_record_add_entity(list, values);
    keeli_caller who;
    if (keeli_edit_begin(scope, &who) < 0)
        return keel_null();
    const keel_entity e = keeli_edit_add_entity(who.world, who.editor, values);
    (void)keeli_edit_end(&who, KEEL_OK);
    return e;
}

keel_entity(keel_add_entity_values)(keel_scope *scope, const keel_value *values) {
    return keeli_is_world(scope) ? keeli_world_add_entity(scope, values)
                                 : add_entity_elsewhere(scope, values);
}

// The fast path of adding one component makes only tail calls, so that it saves no registers. Each
// noinline function that it calls finishes the edit and returns the result.
static __attribute__((noinline)) keel_result
add_general(keel_world *world, keel_entity e, const keel_component *component, const void *value) {
    return keeli_is_no_world(world) ? keeli_no_world()
                                    : keeli_edit_add(world, NULL, e, component, value);
}

static inline void put_value(void *to, const void *value, uint32_t size) {
    static const uint32_t zeros[4];
    if (value || !keeli_bytes_copy_fours(to, zeros, size))
        keeli_bytes_put(to, value, size);
}
static __attribute__((noinline)) keel_result put_other(keel_world *world, keeli_storage *s,
                                                       void *to, const void *value) {
    put_value(to, value, s->size);
    keeli_validate_storage(world, s);
    return KEEL_OK;
}
static __attribute__((noinline)) keel_result
put_followed(keel_world *world, keeli_storage *s, keel_entity e, void *to, const void *value) {
    put_value(to, value, s->size);
    return keeli_follow_added_last(world, s, e, to);
}
// The followers that a storage may have: a constant in each instance of add_beside.
enum { NOBODY, OBSERVERS, ANYBODY };
static inline keel_result end_add(keel_world *world, keeli_storage *s, keel_entity e, void *to,
                                  const void *value, uint32_t who) {
    if (!value || !keeli_bytes_copy_fours(to, value, s->size))
        return who ? put_followed(world, s, e, to, value) : put_other(world, s, to, value);
    if (who == ANYBODY)
        return keeli_follow_added_last(world, s, e, to);
    keeli_validate_storage(world, s);
    return who == OBSERVERS ? keeli_notify_last(world, s, e, KEEL_ON_INSERTED, to) : KEEL_OK;
}

// Adds a value to a sparse set that has a free slot.
static __attribute__((noinline)) keel_result
add_slot(keel_world *world, keeli_storage *s, keel_entity e, const void *value, uint64_t *word) {
    keeli_store_set_bit_beside(s, word, keeli_bit_of(keeli_index_of(e)));
    void *to = keeli_sparse_set_value(&s->set, keeli_sparse_set_push(&s->set, e));
    return end_add(world, s, e, to, value, NOBODY);
}

static __attribute__((noinline)) keel_result
add_row(keel_world *world, keeli_storage *s, keel_entity e, const void *value, uint64_t *word) {
    const uint32_t index = keeli_index_of(e);
    keeli_archetype *to = row_with(world, s, keeli_archetype_of(world, index));
    if (!to || !keeli_archetype_has_room(to) ||
        (keeli_flags_of(s) && !keeli_followers_are_ready(world, s)))
        return add_general(world, e, &s->component, value);
    const uint32_t old = keeli_row_begin(world, e, to);
    keeli_store_set_bit_beside(s, word, keeli_bit_of(index));
    keeli_bytes_put(keeli_row_value(&s->row, *keeli_row_of(&world->entities, index)), value,
                    s->size);
    keeli_row_end(world, old); // last: the caller's value may lie in the old row
    if (keeli_flags_of(s))
        return keeli_follow_added_last(world, s, e, keeli_store_value(world, s, index));
    keeli_validate_storage(world, s);
    return KEEL_OK;
}

// Overwrites the value of an entity that has the component. A value with hooks, or whose followers
// need more than a notification, takes the general path.
static __attribute__((noinline)) keel_result overwrite_value(keel_world *world, keeli_storage *s,
                                                             keel_entity e, const void *value) {
    if ((s->flags && !keeli_change_is_simple(world, s)) ||
        (keeli_store_has_rows(s) && !keeli_rows_are_free(world)))
        return add_general(world, e, &s->component, value);
    if (!value)
        return KEEL_OK; // without a new value the entity keeps its own
    void *to = keeli_store_value_there(s, keeli_index_of(e));
    if (value != to)
        keeli_bytes_put(to, value, s->size);
    if (!s->flags)
        return KEEL_OK;
    return keeli_follow_changed_last(world, s, e, to);
}

// Adds a value to an entity if another entity of its block of 64 indices has the component. The
// page of the block's versions exists then, so comparing versions is enough to tell that the entity
// is alive.
static inline __attribute__((always_inline)) keel_result
add_beside(keel_world *world, keel_entity e, const void *value, keeli_storage *s, uint32_t who) {
    const uint32_t index = keeli_index_of(e);
    uint64_t *word = keeli_live_word(s, index);
    if (!word || !keeli_entity_has_version(&world->entities, e))
        return add_general(world, e, &s->component, value);
    if (*word & keeli_bit_of(index))
        return overwrite_value(world, s, e, value);
    if (who == NOBODY && keeli_store_has_free_slot(s))
        return add_slot(world, s, e, value, word);
    if (keeli_store_has_rows(s))
        return add_row(world, s, e, value, word);
    if (!keeli_store_has_place(s) || (who == ANYBODY && !keeli_followers_are_ready(world, s)))
        return add_general(world, e, &s->component, value);
    keeli_store_set_bit_beside(s, word, keeli_bit_of(index));
    void *to = who ? keeli_store_place_beside(s, e) : keeli_indexed_set_value(&s->indexed, index);
    return end_add(world, s, e, to, value, who);
}

// Two instances of add_beside. A storage that has only observers needs no call to ask whether its
// followers are ready, which saves a fifth of the instructions (benchmark observer_add).
static __attribute__((noinline)) keel_result add_followed(keel_world *world, keel_entity e,
                                                          const void *value, keeli_storage *s) {
    return add_beside(world, e, value, s, ANYBODY);
}
static __attribute__((noinline)) keel_result add_observed(keel_world *world, keel_entity e,
                                                          const void *value, keeli_storage *s) {
    return add_beside(world, e, value, s, OBSERVERS);
}

keel_result keeli_world_add(keel_scope *scope, keel_entity e, const keel_component *component,
                            const void *value) {
    keel_world *world = keeli_world_of(scope);
    keeli_storage *s = world ? keeli_storage_known(world, component) : NULL;
    if (!s || !keeli_is_free(world, s))
        return add_general(world, e, component, value);
    if (!keeli_flags_of(s))
        return add_beside(world, e, value, s, NOBODY);
    return keeli_is_only_observed(s) ? add_observed(world, e, value, s)
                                     : add_followed(world, e, value, s);
}

static __attribute__((noinline)) keel_result
record_one(keel_commands *list, keel_entity e, const keel_component *component, const void *value) {
    return keeli_record_add(list, e, &(keel_value){ component, value }, 1);
}

static __attribute__((noinline)) keel_result add_held_entity(keel_scope *scope, keel_entity e,
                                                             const keel_component *component,
                                                             const void *value) {
    keeli_caller who;
    KEEL_TRY(keeli_edit_begin(scope, &who));
    return keeli_edit_end(&who, keeli_edit_add(who.world, who.editor, e, component, value));
}

keel_result(keel_add_component)(keel_scope *scope, keel_entity e, const keel_component *component,
                                const void *value) {
    if (keeli_is_world(scope))
        return keeli_world_add(scope, e, component, value);
    keel_commands *list = keeli_commands_of(scope);
    return list ? record_one(list, e, component, value)
                : add_held_entity(scope, e, component, value);
}

// Checks the entity all the same: comparing one version costs no time that can be measured.
keel_result(keel_add_component_unchecked)(keel_scope *scope, keel_entity e,
                                          const keel_component *component, const void *value) {
    return keel_add_component(scope, e, component, value);
}

void *keel_get_or_add_component(keel_world *world, keel_entity e, const keel_component *component,
                                const void *value) {
    if (keeli_is_no_world(world)) {
        keeli_no_world();
        return NULL;
    }
    if (!keeli_entity_is_alive(&world->entities, e))
        return NULL;
    keel_result result;
    keeli_storage *s = keeli_storage_to_edit(world, NULL, component, "add", &result);
    if (!s)
        return NULL;
    void *there = keeli_store_value(world, s, keeli_index_of(e));
    if (there) {
        keeli_track_modified(world, s, keeli_index_of(e));
        return there;
    }
    if (keel_add_component(world, e, component, value) < 0)
        return NULL;
    return keeli_store_value_of(world, s, e); // NULL: an observer has deleted it
}

// ------------------------------------------------------------------ many
keel_result keeli_check_list(keel_world *world, const keel_entity *entities, uint32_t count,
                             const char *function) {
    if (entities || !count)
        return KEEL_OK;
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                        "%s was given no list, but a count of %u; pass an array of that many",
                        function, (unsigned)count);
}

keel_result keeli_check_columns(keel_world *world, const keeli_holder *holder,
                                const keel_value_column *columns) {
    keel_result result = KEEL_OK;
    for (const keel_value_column *c = columns; c && c->component; ++c) {
        const keeli_storage *s = keeli_storage_to_edit(world, holder, c->component, "add", &result);
        if (!s)
            return result;
        for (const keel_value_column *other = columns; other < c; ++other)
            if (keeli_storage_find(world, other->component) == s)
                return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                                    "'%s' is named twice in one list of columns",
                                    s->component.name);
    }
    return KEEL_OK;
}

// Adds a column of the caller's. With a stride the world becomes the owner of its values; without a
// stride there is one value, and each entity gets a copy.
static keel_result add_column(keeli_batch *b, const keeli_holder *holder,
                              const keel_value_column *c) {
    keel_world *world = b->world;
    keel_result result;
    keeli_storage *s = keeli_storage_to_edit(world, holder, c->component, "add", &result);
    if (!s)
        return result;
    const bool is_copied = !c->values || !c->stride;
    if (c->values && is_copied && !keeli_can_copy(s))
        return keeli_cannot_copy(world, s);
    if (!is_copied)
        KEEL_TRY(keeli_check_stride(world, s, c->stride));
    keeli_batch_add(b, holder, s, c->values, c->stride,
                    is_copied ? KEELI_COPIED : KEELI_HANDED_OVER);
    return b->result;
}

keel_result(keel_add_entity_columns)(keel_scope *scope, uint32_t count, keel_entity *out,
                                     const keel_value_column *columns) {
    keeli_caller who;
    KEEL_TRY(keeli_edit_begin(scope, &who));
    if (who.commands)
        return keeli_record_add_entities(who.commands, count, out, columns);
    keeli_batch b;
    keeli_batch_begin(&b, who.world, NULL, count, "adding entities");
    b.result = keeli_check_columns(who.world, who.editor, columns);
    for (const keel_value_column *c = columns; c && c->component && b.result == KEEL_OK; ++c)
        b.result = add_column(&b, who.editor, c);
    keeli_batch_create(&b, who.editor, out);
    return keeli_edit_end(&who, keeli_batch_finish(&b));
}

static keel_result check_alive(keel_world *world, const keeli_storage *s,
                               const keel_entity *entities, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        if (!keeli_entity_is_alive(&world->entities, entities[i]))
            return keeli_error(world, KEEL_ERROR_DEAD_ENTITY,
                               "cannot add '%s' to many: entity %u of the list, %s, %s; nothing "
                               "was changed",
                               s->component.name, (unsigned)i, KEELI_ENTITY(world, entities[i]),
                               keeli_not_alive(world, entities[i]));
    return KEEL_OK;
}

keel_result keeli_edit_add_many(keel_world *world, const keeli_holder *holder,
                                const keel_entity *entities, uint32_t count,
                                const keel_value_column *column) {
    keel_result result;
    const keeli_storage *s =
        keeli_storage_to_edit(world, holder, column->component, "add", &result);
    if (!s)
        return result;
    if (column->values && column->stride)
        KEEL_TRY(keeli_check_stride(world, s, column->stride));
    if (!count)
        return KEEL_OK;
    KEEL_TRY(check_alive(world, s, entities, count));
    keeli_batch b;
    keeli_batch_begin(&b, world, entities, count, "adding a component to many entities");
    b.result = add_column(&b, holder, column);
    return keeli_batch_finish(&b);
}

keel_result(keel_add_component_to_many)(keel_scope *scope, const keel_entity *entities,
                                        uint32_t count, const keel_component *component,
                                        const void *values, size_t stride) {
    const keel_value_column column = { component, values, stride };
    keeli_caller who;
    KEEL_TRY(keeli_edit_begin(scope, &who));
    keel_result result = keeli_check_list(who.world, entities, count, "keel_add_component_to_many");
    if (result == KEEL_OK && who.commands)
        return count ? keeli_record_many(who.commands, KEELI_RECORD_ADD_MANY, entities, count,
                                         &column)
                     : KEEL_OK;
    if (result == KEEL_OK)
        result = keeli_edit_add_many(who.world, who.editor, entities, count, &column);
    return keeli_edit_end(&who, result);
}

// ------------------------------------------------------------------ entities by handle, and room
keel_result keel_add_entity_at(keel_world *world, keel_entity e) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    KEEL_TRY(keeli_may_edit(world, NULL, &world->stand_in.entities, "add to"));
    keel_result result = keeli_entity_index_may_add_at(&world->entities, e);
    if (result == KEEL_OK && !keeli_followers_reserve_entity(world, e, 1))
        result = KEEL_ERROR_MEMORY;
    if (result == KEEL_OK)
        result = keeli_entity_index_add_at(&world->entities, &world->heap, e);
    if (result == KEEL_ERROR_MEMORY)
        return keeli_out_of_memory(world, "adding an entity");
    const uint32_t index = keeli_index_of(e);
    if (result == KEEL_ERROR_OCCUPIED)
        return keeli_error(world, result, "cannot add %s: index %u belongs to %s, which is alive",
                           KEELI_ENTITY(world, e), (unsigned)index,
                           KEELI_ENTITY(world, keeli_entity_at(&world->entities, index)));
    if (result == KEEL_ERROR_FULL)
        return keeli_error(world, result, "cannot add an entity at index %u: %s", (unsigned)index,
                           keel_result_text(result));
    if (result < 0)
        return keeli_quiet_error(world, result,
                                 "keel_add_entity_at: the handle is null; pass one that "
                                 "keel_entity_make or another world made");
    keeli_follow_created(world, e);
    keeli_validate_entities(world);
    return keeli_done(world, KEEL_OK);
}

static keel_result reserve_entities(keel_world *world, uint32_t count) {
    KEEL_TRY(keeli_world_is_editable(world));
    const uint32_t alive = keeli_entity_count(&world->entities);
    const keel_result result =
        count > alive ? keeli_entity_index_reserve(&world->entities, &world->heap, count - alive)
                      : KEEL_OK;
    if (result == KEEL_ERROR_MEMORY)
        return keeli_out_of_memory(world, "reserving entities");
    if (result == KEEL_ERROR_FULL)
        return keeli_error(world, result,
                           "cannot make room for %u entities: there are not enough free indices",
                           (unsigned)count);
    return result;
}

// Makes room for the component of all living entities, and of the indices below `count`, which new
// entities get. Room for one index of a block of 64 is room for the whole block.
static bool reserve_indices(keel_world *world, keeli_storage *s, uint32_t count) {
    for (uint64_t i = 0; i < count; i += 64)
        if (!keeli_store_reserve(world, s, (uint32_t)i))
            return false;
    uint64_t from = 0; // first index of the block after the last one visited
    while (from <= KEEL_MAX_ENTITY_INDEX) {
        const keel_entity e = keeli_entity_index_next(&world->entities, (uint32_t)from);
        if (keel_is_null(e))
            break;
        const uint32_t index = keeli_index_of(e);
        if (!keeli_store_reserve(world, s, index))
            return false;
        from = ((uint64_t)index / 64 + 1) * 64;
    }
    return true;
}

keel_result keel_reserve_component(keel_world *world, const keel_component *component,
                                   uint32_t count) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    if (component == &keel_entities)
        return reserve_entities(world, count);
    keel_result result;
    keeli_storage *s = keeli_storage_to_edit(world, NULL, component, "reserve", &result);
    if (!s)
        return result;
    if (count > (uint64_t)KEEL_MAX_ENTITY_INDEX + 1)
        return keeli_error(
            world, KEEL_ERROR_FULL,
            "cannot make room for %u '%s': there are at most %llu entities at a time",
            (unsigned)count, s->component.name, (unsigned long long)KEEL_MAX_ENTITY_INDEX + 1);
    const uint32_t have = keeli_store_count(s), extra = count > have ? count - have : 0;
    if (keeli_store_is_sparse(s) && !keeli_sparse_set_reserve(&s->set, &world->heap, extra))
        return keeli_out_of_memory(world, "reserving room for components");
    if (count && !reserve_indices(world, s, count))
        return keeli_out_of_memory(world, "reserving room for components");
    return KEEL_OK;
}
