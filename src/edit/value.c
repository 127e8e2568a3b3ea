// SPDX-License-Identifier: MIT
// Reads, writes and marks the value of one entity; visits all values of a component, and all edges
// of a relation; and has the verbs of uniques. Reading and writing are called most, so each is a
// short fast path that ends in a tail call of its general function.
#include "data/edge_order.h"
#include "edit/edit.h"

#include "world/report.h"

#include <keel/relation.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ looking
// Reports that a relation has its values at the edges, not at their source. Returns NULL.
static void *not_of_source(const keel_world *world, const keeli_storage *s) {
    keeli_misuse((keel_world *)(uintptr_t)world, KEEL_ERROR_ARGUMENT,
                 "'%s' has a value for each target and none for the source; use keel_get_related",
                 s->component.name);
    return NULL;
}

static __attribute__((noinline)) const void *get_general(const keel_world *world, keel_entity e,
                                                         const keel_component *component) {
    const keeli_storage *s = component ? keeli_storage_find(world, component) : NULL;
    if (!s || !keeli_entity_is_alive(&world->entities, e))
        return NULL;
    if (s->flags & KEELI_IS_BOUND && !keeli_may_look(world, s))
        return NULL;
    const void *value = keeli_store_value(world, s, keeli_index_of(e));
    return value && keeli_store_has_edge_values(s) ? not_of_source(world, s) : value;
}

// Returns NULL. In checked builds, warns once per component if the entity is not alive: a caller
// that does not test the pointer is about to crash.
static void *not_alive(keel_world *world, keeli_storage *s, keel_entity e) {
    if (!KEELI_CHECKED || keeli_entity_is_alive(&world->entities, e))
        return NULL;
    if (keeli_atomic_fetch_add(&s->absent_writes, 1))
        return NULL;
    keeli_warn(world,
               "keel_get_mut of '%s' is NULL: the entity %s; test the pointer, or use "
               "keel_at_mut if the entity must be alive",
               s->component.name, keel_is_null(e) ? "is null" : keeli_not_alive(world, e));
    return NULL;
}

// Returns a value through a view or context that may access the component.
static __attribute__((noinline)) void *value_held(const keel_scope *scope, keel_entity e,
                                                  const keel_component *component,
                                                  keel_access access) {
    keeli_caller who;
    keeli_storage *s =
        keeli_caller_is(scope, &who) < 0 ? NULL : keeli_look_up(&who, component, access);
    if (!s)
        return NULL;
    if (!keeli_entity_is_alive(&who.world->entities, e))
        return access == KEEL_ACCESS_WRITE ? not_alive(who.world, s, e) : NULL;
    if (access == KEEL_ACCESS_WRITE && keeli_store_has_edge_values(s))
        return not_of_source(who.world, s);
    if (access == KEEL_ACCESS_WRITE && s->flags & KEELI_IS_LINK && !keeli_store_is_valued(s)) {
        keeli_not_by_hand(who.world, s, "write");
        return NULL;
    }
    void *value = keeli_store_value(who.world, s, keeli_index_of(e));
    if (value && access == KEEL_ACCESS_WRITE)
        keeli_track_modified(who.world, s, keeli_index_of(e));
    return value;
}

static __attribute__((noinline)) const void *get_held(const keel_scope *scope, keel_entity e,
                                                      const keel_component *component) {
    const void *value = value_held(scope, e, component, KEEL_ACCESS_READ);
    keeli_caller who;
    if (!value || keeli_caller_is(scope, &who) < 0)
        return value;
    const keeli_storage *s = keeli_storage_find(who.world, component);
    return s && keeli_store_has_edge_values(s) ? not_of_source(who.world, s) : value;
}

const void *(keel_get_component)(const keel_scope *scope, keel_entity e,
                                 const keel_component *component) {
    const uint32_t asks = KEELI_IS_BOUND | KEELI_IS_STORED_OTHERWISE;
    if (!keeli_is_world(scope))
        return get_held(scope, e, component);
    const keel_world *world = keeli_world_of(scope);
    const keeli_storage *s = keeli_storage_known(world, component);
    if (!s || s->flags & asks)
        return get_general(world, e, component);
    return keeli_store_value_of(world, s, e);
}

bool(keel_has_component)(const keel_scope *scope, keel_entity e, const keel_component *component) {
    if (!keeli_is_world(scope))
        return value_held(scope, e, component, KEEL_ACCESS_READ) != NULL;
    const keel_world *world = keeli_world_of(scope);
    const keeli_storage *s = component ? keeli_storage_find(world, component) : NULL;
    return s && keeli_entity_is_alive(&world->entities, e) && keeli_store_has(s, keeli_index_of(e));
}

bool(keel_has_all_components)(const keel_scope *scope, keel_entity e,
                              const keel_component *const *components) {
    bool has = components && keel_is_alive(scope, e);
    for (; has && *components; ++components)
        has = keel_has_component(scope, e, *components);
    return has;
}

bool(keel_has_any_component)(const keel_scope *scope, keel_entity e,
                             const keel_component *const *components) {
    bool has = false;
    for (; components && !has && *components; ++components)
        has = keel_has_component(scope, e, *components);
    return has;
}

// ------------------------------------------------------------------ to write
// True if values may be written although an edit might be refused, as writing moves no values: the
// storage is free, also in a loop that is split over threads, or only views of the owner borrow it.
static bool stays_in_place(const keel_world *world, const keeli_storage *s) {
    const bool is_free = !keeli_atomic_peek(&s->borrow);
    return world->refused ? is_free && keeli_world_is_looped(world)
                          : is_free || keeli_only_own_views_use(world, s);
}
static bool may_write(keel_world *world, const keeli_storage *s, const keel_component *component) {
    keel_result result = KEEL_OK;
    if (s->flags & KEELI_IS_BOUND &&
        keeli_check_thread(world, world, s, KEEL_ACCESS_WRITE, NULL, "write") < 0)
        return false;
    if ((!(s->flags & KEELI_IS_LINK) || keeli_store_is_valued(s)) && stays_in_place(world, s))
        return true;
    return keeli_storage_to_edit(world, NULL, component, "write", &result) != NULL;
}

bool keeli_may_write_edges(const keel_scope *scope, const keeli_caller *who,
                           const keeli_storage *s) {
    keel_world *world = who->world;
    if (!keeli_is_world(scope))
        return keeli_may_look_up(who, s, KEEL_ACCESS_WRITE);
    if (s->flags & KEELI_IS_BOUND &&
        keeli_check_thread(world, world, s, KEEL_ACCESS_WRITE, NULL, "write") < 0)
        return false;
    return stays_in_place(world, s) || keeli_may_edit(world, NULL, s, "write") >= 0;
}

static __attribute__((noinline)) void *get_mut_general(keel_world *world, keel_entity e,
                                                       const keel_component *component) {
    if (keeli_is_no_world(world) || !component)
        return NULL;
    keeli_storage *s = keeli_storage_find(world, component);
    if (!s)
        return NULL;
    if (!keeli_entity_is_alive(&world->entities, e))
        return not_alive(world, s, e);
    void *value = keeli_store_value(world, s, keeli_index_of(e));
    if (!value)
        return NULL;
    if (keeli_store_has_edge_values(s))
        return not_of_source(world, s);
    if (!may_write(world, s, component))
        return NULL;
    keeli_track_modified(world, s, keeli_index_of(e));
    return value;
}

static inline bool has_value(const keel_world *world, const keeli_storage *s, keel_entity e) {
    return keeli_store_has(s, keeli_index_of(e)) && keeli_entity_has_version(&world->entities, e);
}

static __attribute__((noinline)) void *get_stamped(keel_world *world, keel_entity e,
                                                   keeli_storage *s) {
    uint32_t place;
    if (!keeli_store_find(world, s, e, &place))
        return not_alive(world, s, e);
    keeli_stamp_place(world, s, place);
    if (keeli_is_marked(s) && !keeli_track_modified_fast(world, s, keeli_index_of(e)))
        return get_mut_general(world, e, &s->component);
    return keeli_store_at(s, place);
}

// keel_get_mut of a storage that is marked or stamped. A separate function, so that the fast path
// of other storages saves no registers.
void *keeli_get_marked(keel_scope *scope, keel_entity e, keeli_storage *s) {
    keel_world *world = keeli_world_of(scope);
    uint32_t place;
    if (s->flags & KEELI_IS_STAMPED)
        return get_stamped(world, e, s);
    if (!keeli_store_find(world, s, e, &place))
        return not_alive(world, s, e);
    if (!keeli_track_modified_fast(world, s, keeli_index_of(e)))
        return get_mut_general(world, e, &s->component);
    return keeli_store_at(s, place);
}

void *(keel_get_component_mut)(keel_scope *scope, keel_entity e, const keel_component *component) {
    const uint32_t asks = KEELI_IS_LINK | KEELI_IS_BOUND;
    if (!keeli_is_world(scope))
        return value_held(scope, e, component, KEEL_ACCESS_WRITE);
    keel_world *world = keeli_world_of(scope);
    keeli_storage *s = keeli_storage_known(world, component);
    if (!s || !keeli_is_free(world, s))
        return get_mut_general(world, e, component);
    if (!keeli_writes_are_plain(s, asks))
        return s->flags & asks ? get_mut_general(world, e, component)
                               : keeli_get_marked(scope, e, s);
    void *value = keeli_store_value_of(world, s, e);
    return value ? value : not_alive(world, s, e);
}

// ------------------------------------------------------------------ where absence is a bug
// Aborts with a message that says why the entity has no value.
static void stop(const keel_scope *scope, keel_entity e, const keel_component *component,
                 const char *place) {
    keeli_caller who = { 0 };
    char message[400];
    const char *why = "has no such component";
    if (keeli_caller_is(scope, &who) < 0)
        why = "is asked for through a scope that has ended";
    else if (keel_is_null(e))
        why = "is null";
    else if (!keeli_entity_is_alive(&who.world->entities, e))
        why = "was deleted";
    else if (component && keeli_storage_find(who.world, component) &&
             keeli_store_has(keeli_storage_find(who.world, component), keeli_index_of(e)))
        why = keel_last_error(who.world)->message; // it has the component; the access was refused
    snprintf(message, sizeof message, "%s: no '%s' of the entity %s: it %s",
             place ? place : "keel_at", component ? keeli_component_name(component) : "component",
             who.world ? KEELI_ENTITY(who.world, e) : "", why);
    keeli_assert_failed("keel_at", message, __FILE__, __LINE__);
    abort();
}

const void *(keel_at_component)(const keel_scope *scope, keel_entity e,
                                const keel_component *component, const char *place) {
    const void *value = scope ? keel_get_component(scope, e, component) : NULL;
    if (!value)
        stop(scope, e, component, place);
    return value;
}

void *(keel_at_component_mut)(keel_scope *scope, keel_entity e, const keel_component *component,
                              const char *place) {
    void *value = scope ? keel_get_component_mut(scope, e, component) : NULL;
    if (!value)
        stop(scope, e, component, place);
    return value;
}

// ------------------------------------------------------------------ marking
// Finds the value that an edit changes, and its storage, and checks that the storage may be edited.
// `*result` is KEEL_OK if the entity has the component. Returns NULL otherwise, and for a tag.
static void *value_to_change(keel_world *world, const keeli_holder *holder, keel_entity e,
                             const keel_component *component, const char *call, keeli_storage **s,
                             keel_result *result) {
    const char *verb = call + sizeof "keel_" - 1;
    *s = NULL;
    if (!keeli_entity_is_alive(&world->entities, e)) {
        *result = keeli_dead_entity(world, call, e);
        return NULL;
    }
    *s = keeli_known_to_edit(world, holder, component, verb, result);
    if (!*s) {
        if (*result == KEEL_OK)
            *result = KEEL_ABSENT;
        return NULL;
    }
    void *value = keeli_store_value(world, *s, keeli_index_of(e));
    *result = value || keeli_store_has(*s, keeli_index_of(e)) ? KEEL_OK : KEEL_ABSENT;
    return value;
}

static keel_result changed(keel_world *world, keeli_storage *s, keel_entity e) {
    keeli_follow_changed(world, s, e);
    return keeli_done(world, KEEL_OK);
}

static __attribute__((noinline)) keel_result mark_general(keel_world *world,
                                                          const keeli_holder *holder, keel_entity e,
                                                          const keel_component *component) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    keeli_storage *s;
    keel_result result;
    (void)value_to_change(world, holder, e, component, "keel_mark", &s, &result);
    return result == KEEL_OK ? changed(world, s, e) : result;
}

keel_result keeli_world_mark(keel_scope *scope, keel_entity e, const keel_component *component) {
    keel_world *world = keeli_world_of(scope);
    const uint32_t asks = KEELI_IS_LINK | KEELI_IS_UNIQUE | KEELI_IS_BOUND;
    keeli_storage *s = world ? keeli_storage_known(world, component) : NULL;
    if (!s || !keeli_is_free(world, s) || !keeli_changes_are_marked_only(s, asks) ||
        (keeli_store_has_rows(s) && !keeli_rows_are_free(world)) || !has_value(world, s, e) ||
        !keeli_track_modified_fast(world, s, keeli_index_of(e)))
        return mark_general(world, NULL, e, component);
    return KEEL_OK;
}

// Marks a value as modified, through a view or context that may write the component. `*s` is set to
// its storage.
static keel_result mark_in(const keeli_caller *who, keel_entity e, const keel_component *component,
                           keeli_storage **s) {
    if (!component || !keeli_storage_find(who->world, component))
        return KEEL_ABSENT;
    *s = keeli_look_up(who, component, KEEL_ACCESS_WRITE);
    if (!*s)
        return who->holder ? KEEL_ERROR_ACCESS : KEEL_ERROR_ARGUMENT;
    if (!keeli_entity_is_alive(&who->world->entities, e))
        return keeli_dead_entity(who->world, "keel_mark", e);
    if (!keeli_store_has(*s, keeli_index_of(e)))
        return KEEL_ABSENT;
    keeli_track_modified(who->world, *s, keeli_index_of(e));
    return KEEL_OK;
}

static __attribute__((noinline)) keel_result mark_held(const keel_scope *scope, keel_entity e,
                                                       const keel_component *component) {
    keeli_caller who;
    keeli_storage *s;
    KEEL_TRY(keeli_caller_must_be(scope, &who));
    return mark_in(&who, e, component, &s);
}

keel_result(keel_mark_component)(keel_scope *scope, keel_entity e,
                                 const keel_component *component) {
    return keeli_is_world(scope)      ? keeli_world_mark(scope, e, component)
           : keeli_commands_of(scope) ? keeli_edit_of_elsewhere(scope, e, component, mark_general)
                                      : mark_held(scope, e, component);
}

keel_result keel_patch_component(keel_world *world, keel_entity e, const keel_component *component,
                                 keel_patch_fn *patch, void *data) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    if (!patch)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "keel_patch needs a function");
    keeli_storage *s;
    keel_result result;
    void *value = value_to_change(world, NULL, e, component, "keel_patch", &s, &result);
    if (result != KEEL_OK)
        return result;
    const uint32_t before_it =
        keeli_refuse_begin(world, KEELI_REFUSED_ASKING); // `patch` may read the world, not edit it
    patch(value, data);
    keeli_refuse_end(world, before_it);
    return changed(world, s, e);
}

static void put_unique(keeli_storage *s, void *to, const void *value) {
    if (to == value || !s->size)
        return;
    keeli_value_drop(s, to);
    if (value)
        keeli_value_move(s, to, (void *)(uintptr_t)value); // the world owns it now
    else
        memset(to, 0, s->size);
}

keel_result keeli_edit_replace(keel_world *world, const keeli_holder *holder, keel_entity e,
                               const keel_component *component, const void *value) {
    keeli_storage *s;
    keel_result result;
    void *to = value_to_change(world, holder, e, component, "keel_replace", &s, &result);
    if (result != KEEL_OK)
        return result;
    put_unique(s, to, value);
    return changed(world, s, e);
}

// Replaces a value through a view or context that may write the component.
static keel_result replace_held(const keel_scope *scope, keel_entity e,
                                const keel_component *component, const void *value) {
    keeli_caller who;
    keeli_storage *s;
    KEEL_TRY(keeli_caller_is(scope, &who));
    const keel_result result = mark_in(&who, e, component, &s);
    if (result != KEEL_OK)
        return result;
    put_unique(s, keeli_store_value(who.world, s, keeli_index_of(e)), value);
    return KEEL_OK;
}

keel_result(keel_replace_component)(keel_scope *scope, keel_entity e,
                                    const keel_component *component, const void *value) {
    if (!scope)
        return keeli_no_world();
    if (keeli_is_world(scope))
        return keeli_edit_replace(keeli_world_of(scope), NULL, e, component, value);
    keel_commands *list = keeli_commands_of(scope);
    return list ? keeli_record_value(list, KEELI_RECORD_REPLACE, e, component, value)
                : replace_held(scope, e, component, value);
}

// ------------------------------------------------------------------ all of a component
// State of keel_visit_values. `run` collects values with consecutive indices that are adjacent in
// memory; the user's function is called for it when the next value does not continue it.
typedef struct visit {
    keel_visit_fn *function;
    void *data;
    size_t size;
    keel_value_run run;
    const char *end; // end of the values of the run
    bool goes_on;
} visit;

static void hand_out_run(visit *v) {
    if (v->run.count && v->goes_on)
        v->goes_on = v->function(&v->run, v->data);
    v->run.count = 0;
}

static inline void visit_some(visit *v, uint32_t index, uint32_t count, const char *values,
                              bool disabled) {
    const bool follows = v->run.count && index == v->run.index + v->run.count && values == v->end &&
                         disabled == v->run.disabled;
    if (!follows) {
        hand_out_run(v);
        v->run = (keel_value_run){ values, index, 0, disabled };
        v->end = values;
    }
    v->run.count += count;
    v->end += count * v->size;
}

// Returns the first of the 64 values of a block in which every index has a value. NULL if they are
// not adjacent in memory, in the order of indices.
static const char *values_side_by_side(const keeli_storage *s, uint32_t first) {
    const struct keeli_set_root *root = s->root;
    uint32_t *const *places = *root->places, apart = 0;
    if (!places)
        return keeli_store_reserve_step(s) == 64 ? keeli_store_at(s, first) : NULL;
    const uint32_t *place = &places[first / KEELI_PAGE][first % KEELI_PAGE];
    for (uint32_t i = 0; i < 64; ++i)
        apart |= place[i] ^ (place[0] + i);
    return apart || (place[0] ^ place[63]) >> root->shift ? NULL : keeli_store_at(s, place[0]);
}

// Visits the values of the 64 indices from `first` on, disabled ones too.
static void visit_block(visit *v, const keel_world *world, const keeli_storage *s, uint32_t first) {
    const uint64_t bits = keeli_presence_word(&s->presence, first / 64);
    const uint64_t hidden =
        s->flags & KEELI_HAS_DISABLED ? keeli_presence_word(&s->disabled, first / 64) : 0;
    const char *values = bits == UINT64_MAX ? values_side_by_side(s, first) : NULL;
    if (values) {
        visit_some(v, first, 64, values, false);
        return;
    }
    for (uint64_t left = bits | hidden; left && v->goes_on; left &= left - 1) {
        const uint32_t at = KEELI_LOWEST_BIT(left), index = first + at;
        const bool disabled = hidden >> at & 1;
        visit_some(v, index, 1,
                   disabled ? keeli_store_disabled_value(s, index)
                            : keeli_store_value(world, s, index),
                   disabled);
    }
}

static uint32_t next_value_block(const keeli_storage *s, uint32_t from) {
    const uint32_t next = keeli_store_next(s, from);
    const uint32_t hidden =
        s->flags & KEELI_HAS_DISABLED ? keeli_presence_next(&s->disabled, from) : UINT32_MAX;
    return (next < hidden ? next : hidden) / 64 * 64;
}

static keel_result may_visit(keel_world *world, const char *call) {
    if (keeli_atomic_peek(&world->refused) & ~(uint32_t)KEELI_REFUSED_COPIED)
        return keeli_error(world, KEEL_ERROR_SHARED,
                           "%s cannot read a world that is shared or edited; call it when that "
                           "has ended",
                           call);
    const char *written = NULL;
    if (world->stand_in.entities.borrow < 0 || world->stand_in.rows.borrow < 0)
        written = "entities";
    for (uint32_t i = 0; i < world->storages.count; ++i) {
        const keeli_storage *s = world->storages.items[i];
        if (s->borrow < 0)
            written = s->component.name;
        if (s->flags & KEELI_IS_BOUND && !keeli_may_look(world, s))
            return keeli_error(world, KEEL_ERROR_THREAD,
                               "%s cannot read '%s' in this thread: it is bound to another thread; "
                               "call it there",
                               call, s->component.name);
    }
    if (!written)
        return KEEL_OK;
    return keeli_error(world, KEEL_ERROR_BORROWED,
                       "%s cannot read values while '%s' is written; end that view or loop first",
                       call, written);
}

// Refuses edits while the user's function is called: they would move the values that it gets.
// Returns true if allow_edits must undo it. False if edits are refused already, and for an image or
// a world of another thread: other threads may visit it at the same time, so nothing is changed.
static bool refuse_edits(keel_world *world) {
    const uint32_t before = keeli_atomic_peek(&world->refused);
    if (before & KEELI_REFUSED_COPIED || world->access.is_image ||
        world->access.owner != keeli_thread_id())
        return false;
    keeli_atomic_put(&world->refused, before | KEELI_REFUSED_COPIED);
    return true;
}

static void allow_edits(keel_world *world, bool refuses) {
    if (!refuses)
        return;
    keeli_atomic_put(&world->refused, world->refused & ~(uint32_t)KEELI_REFUSED_COPIED);
}

keel_result keel_visit_values(const keel_world *world, const keel_component *component,
                              keel_visit_fn *function, void *data) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    keel_world *own = (keel_world *)(uintptr_t)world; // a const world records its errors, too
    if (!component || !function)
        return keeli_error(own, KEEL_ERROR_ARGUMENT, "keel_visit_values needs a %s, but it is NULL",
                           component ? "function" : "component");
    KEEL_TRY(may_visit(own, "keel_visit_values"));
    const keeli_storage *s = keeli_storage_find(world, component);
    visit v = { .function = function, .data = data, .goes_on = true };
    if (!s || s->relation)
        return KEEL_OK;
    v.size = s->size;
    const bool refuses = refuse_edits(own);
    for (uint32_t at = 0; v.goes_on && (at = next_value_block(s, at)) < UINT32_MAX / 64 * 64;
         at += 64)
        visit_block(&v, world, s, at);
    hand_out_run(&v);
    allow_edits(own, refuses);
    return KEEL_OK;
}

static void visit_edges(const keeli_relation *r, keeli_edge_order *order,
                        keel_visit_edge_fn *function, void *data) {
    const keeli_storage *s = r->sources;
    const keel_world *world = s->world;
    bool goes_on = true;
    for (keeli_edge_walk at; goes_on && keeli_edge_order_next(order, &at);) {
        const uint32_t target = keeli_edge_other(&r->edges, KEELI_TARGETS, at.source, at.place);
        const void *value = keeli_edges_have_values(&r->edges)
                                ? keeli_edge_value(&r->edges, at.source, at.place)
                            : s->size ? keeli_store_value(world, s, at.source)
                                      : NULL;
        goes_on = function(keeli_entity_at(&world->entities, at.source),
                           keeli_entity_at(&world->entities, target), value, data);
    }
}

keel_result keel_visit_edges(const keel_world *world, const keel_component *relation,
                             keel_visit_edge_fn *function, void *data) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    keel_world *own = (keel_world *)(uintptr_t)world;
    if (!relation || !function)
        return keeli_error(own, KEEL_ERROR_ARGUMENT, "keel_visit_edges needs a %s, but it is NULL",
                           relation ? "function" : "relation");
    KEEL_TRY(may_visit(own, "keel_visit_edges"));
    const keeli_storage *s = keeli_storage_find(world, relation);
    if (s && (!s->relation || keeli_store_has_sources(s)))
        return keeli_error(own, KEEL_ERROR_ARGUMENT,
                           "'%s' is no relation; declare it with KEEL_RELATION", s->component.name);
    if (!s || !s->relation->edges.count)
        return KEEL_OK;
    keeli_heap heap; // not the world's, which another thread may be using
    keeli_heap_init(&heap, (keel_allocator){ 0 });
    keeli_edge_order order = { .edges = &s->relation->edges };
    const bool is_room = keeli_edge_order_begin(&order, &heap);
    const bool refuses = is_room && refuse_edits(own);
    if (is_room)
        visit_edges(s->relation, &order, function, data);
    allow_edits(own, refuses);
    if (is_room)
        keeli_edge_order_end(&order, &heap);
    keeli_heap_deinit(&heap);
    return is_room ? KEEL_OK : keeli_out_of_memory(own, "visiting edges");
}

// ------------------------------------------------------------------ uniques
static size_t value_bytes(const keel_component *c) {
    return c->size ? c->size : 1; // a unique tag has memory, too: its address says that it is set
}

keel_result keeli_edit_set_unique(keel_world *world, const keeli_holder *holder, keeli_storage *s,
                                  const void *value) {
    KEEL_TRY(keeli_may_edit(world, holder, s, "set"));
    const keel_component *c = &s->component;
    if (s->unique) {
        if (value == s->unique) {
            s->changed_at = world->changes.tick;
            return KEEL_OK;
        }
        keeli_value_drop(s, s->unique);
        s->changed_at = world->changes.tick;
    } else {
        s->unique = keeli_new(&world->heap, value_bytes(c), c->align);
        if (!s->unique)
            return keeli_out_of_memory(world, "setting a unique");
        s->set_at = world->changes.tick;
        s->changed_at = 0;
    }
    if (!value)
        memset(s->unique, 0, value_bytes(c));
    else
        keeli_value_move(s, s->unique, (void *)(uintptr_t)value); // the world owns it now
    return KEEL_OK;
}

static keel_result set_unique(keel_world *world, const keel_component *unique, const void *value) {
    keel_result result;
    keeli_storage *s = keeli_storage_get(world, unique, true, &result);
    if (!s)
        return result;
    if (s->events)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "'%s' is a type of events; keel_send them",
                            s->component.name);
    return keeli_edit_set_unique(world, NULL, s, value);
}

keel_result(keel_set_unique_value)(keel_scope *scope, const keel_component *unique,
                                   const void *value) {
    if (keeli_is_world(scope))
        return set_unique(keeli_world_of(scope), unique, value);
    keeli_caller who;
    KEEL_TRY(keeli_edit_outside(scope, &who, "set uniques"));
    return keeli_record_value(who.commands, KEELI_RECORD_SET_UNIQUE, keel_null(), unique, value);
}

void *keel_get_or_set_unique_value(keel_world *world, const keel_component *unique,
                                   const void *value) {
    keel_result result;
    if (keeli_is_no_world(world)) {
        keeli_no_world();
        return NULL;
    }
    const keeli_storage *s = keeli_storage_get(world, unique, true, &result); // sets .initial
    if (!s || (!s->unique && keel_set_unique_value(world, unique, value) < 0))
        return NULL;
    return keel_get_unique_value_mut(world, unique);
}

// Returns the storage of a unique with an .initial value, which is registered and set at its first
// use. NULL for any other.
static keeli_storage *meet_unique(keel_world *world, const keel_component *unique) {
    keel_result result;
    return unique->is_unique && unique->initial ? keeli_storage_get(world, unique, true, &result)
                                                : NULL;
}

const void *(keel_get_unique_value)(const keel_scope *scope, const keel_component *unique) {
    keeli_caller who;
    const keeli_storage *s =
        keeli_is_world(scope) ? keeli_storage_known(keeli_world_of(scope), unique) : NULL;
    if (s && !(s->flags & KEELI_IS_BOUND))
        return s->unique;
    if (keeli_caller_is(scope, &who) < 0)
        return NULL;
    if (unique && !who.holder)
        (void)meet_unique(who.world, unique);
    s = keeli_look_up(&who, unique, KEEL_ACCESS_READ);
    return s ? s->unique : NULL;
}

void *(keel_get_unique_value_mut)(keel_scope *scope, const keel_component *unique) {
    keeli_caller who;
    if (keeli_caller_is(scope, &who) < 0)
        return NULL;
    if (unique && !who.holder)
        (void)meet_unique(who.world, unique);
    keeli_storage *s = keeli_look_up(&who, unique, KEEL_ACCESS_WRITE);
    if (!s || !s->unique)
        return NULL;
    if (!who.holder && keeli_may_edit(who.world, NULL, s, "write") < 0)
        return NULL;
    s->changed_at = who.holder ? keeli_holder_now(who.world, who.holder) : who.world->changes.tick;
    return s->unique;
}

keel_result keeli_edit_remove_unique(keel_world *world, const keeli_holder *holder,
                                     keeli_storage *s, void *out) {
    if (!s->unique)
        return KEEL_ABSENT;
    KEEL_TRY(keeli_may_edit(world, holder, s, "remove"));
    const keel_component *c = &s->component;
    if (out)
        keeli_value_move(s, out, s->unique);
    else
        keeli_value_drop(s, s->unique);
    keeli_free(&world->heap, s->unique, value_bytes(c), c->align);
    s->unique = NULL;
    return KEEL_OK;
}

keel_result(keel_remove_unique_value)(keel_scope *scope, const keel_component *unique, void *out) {
    keeli_caller who;
    KEEL_TRY(keeli_edit_outside(scope, &who, "remove uniques"));
    if (who.commands && out)
        return keeli_misuse(who.world, KEEL_ERROR_ARGUMENT,
                            "commands cannot return a value; pass NULL for the removed value, or "
                            "remove with the world");
    if (who.commands)
        return keeli_record_value(who.commands, KEELI_RECORD_REMOVE_UNIQUE, keel_null(), unique,
                                  NULL);
    keeli_storage *s = unique ? keeli_storage_find(who.world, unique) : NULL;
    return s ? keeli_edit_remove_unique(who.world, NULL, s, out) : KEEL_ABSENT;
}

keel_result keel_clear_uniques(keel_world *world) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->storages.count; ++i) {
        if (!world->storages.items[i]->unique)
            continue;
        KEEL_TRY(keeli_may_edit(world, NULL, world->storages.items[i], "clear"));
        ++count;
    }
    for (uint32_t i = 0; i < world->storages.count; ++i)
        (void)keeli_edit_remove_unique(world, NULL, world->storages.items[i], NULL);
    world->commands.last_count = count;
    return count ? KEEL_OK : KEEL_ABSENT;
}
