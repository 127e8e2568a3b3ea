// SPDX-License-Identifier: MIT
// The verbs that remove components from one entity, from many, or from all. They check that this is
// allowed; removal.c removes the values.
#include "edit/removal.h"

#include "link/relation.h"
#include "world/report.h"
#include "world/tree.h"

// ------------------------------------------------------------------ from one entity
static keel_result remove_from_one(keel_world *world, const keeli_holder *holder, keel_entity e,
                                   const keel_component *component, uint32_t kind, void *out) {
    if (!keeli_entity_is_alive(&world->entities, e))
        return keeli_dead_entity(world, kind == KEEL_TRACK_REMOVAL ? "keel_remove" : "keel_delete",
                                 e);
    keel_result result;
    const char *verb = kind == KEEL_TRACK_REMOVAL ? "remove" : "delete";
    keeli_storage *s = keeli_known_to_edit(world, holder, component, verb, &result);
    if (!s)
        return result < 0 ? result : KEEL_ABSENT;
    if (s->flags & KEELI_IS_REQUIRED)
        KEEL_TRY(keeli_may_remove(world, s, e, NULL, verb));
    return keeli_done(world, keeli_remove_value(world, s, e, kind, out));
}

keel_result keeli_edit_remove(keel_world *world, const keeli_holder *holder, keel_entity e,
                              const keel_component *component, void *out) {
    return remove_from_one(world, holder, e, component, KEEL_TRACK_REMOVAL, out);
}

// Removes several components: all or, on error, none.
keel_result keeli_edit_remove_values(keel_world *world, const keeli_holder *holder, keel_entity e,
                                     const keel_out *outs) {
    if (!keeli_entity_is_alive(&world->entities, e))
        return keeli_dead_entity(world, "keel_remove", e);
    if (!outs)
        return KEEL_ABSENT;
    keeli_batch b;
    keeli_batch_begin(&b, world, &e, 1, "removing components");
    for (const keel_out *o = outs; o->component && b.result == KEEL_OK; ++o) {
        keeli_storage *s = keeli_known_to_edit(world, holder, o->component, "remove", &b.result);
        if (s)
            keeli_batch_add_out(&b, s, o->value, o->taken);
    }
    for (const keel_out *o = outs; o->component && b.result == KEEL_OK; ++o)
        if (o->taken)
            *o->taken = false; // also of components that the world does not know
    return keeli_batch_remove(&b, KEEL_TRACK_REMOVAL);
}

keel_result keeli_edit_delete_components(keel_world *world, const keeli_holder *holder,
                                         keel_entity e, const keel_component *const *components) {
    if (!keeli_entity_is_alive(&world->entities, e))
        return keeli_dead_entity(world, "keel_delete", e);
    if (components && components[0] && !components[1])
        return remove_from_one(world, holder, e, *components, KEEL_TRACK_DELETION, NULL);
    keeli_batch b;
    keeli_batch_begin(&b, world, &e, 1, "removing components");
    for (; components && *components && b.result == KEEL_OK; ++components) {
        keeli_storage *s = keeli_known_to_edit(world, holder, *components, "delete", &b.result);
        if (s)
            keeli_batch_add_out(&b, s, NULL, NULL);
    }
    return keeli_batch_remove(&b, KEEL_TRACK_DELETION);
}

keel_result keeli_edit_strip(keel_world *world, const keeli_holder *holder, keel_entity e) {
    if (!keeli_entity_is_alive(&world->entities, e))
        return keeli_dead_entity(world, "keel_strip", e);
    bool any = false;
    uint32_t at = UINT32_MAX;
    for (keeli_storage *s; (s = keeli_store_next_of(world, keeli_index_of(e), &at)) != NULL;) {
        KEEL_TRY(keeli_may_edit(world, holder, s->relation ? s->relation->sources : s,
                                "strip an entity that has"));
        any |= keeli_store_has(s, keeli_index_of(e));
    }
    KEEL_TRY(keeli_may_orphan(world, holder, e));
    keeli_strip_begin(world, e);
    keeli_lose_all(world, e);
    keeli_strip_end(world, e);
    return keeli_done(world, any ? KEEL_OK : KEEL_ABSENT);
}

// ------------------------------------------------------------------ the fast path
// The fast path makes only tail calls, so that it saves no registers. Each noinline function that
// it calls finishes the edit and returns the result.
static __attribute__((noinline)) keel_result take_general(keel_world *world, keel_entity e,
                                                          const keel_component *component,
                                                          uint32_t kind, void *out) {
    return keeli_is_no_world(world) ? keeli_no_world()
                                    : remove_from_one(world, NULL, e, component, kind, out);
}

static __attribute__((noinline)) keel_result remove_slot(keel_world *world, keeli_storage *s,
                                                         uint32_t *cell) {
    keeli_sparse_set_remove_plain(&s->set, cell);
    keeli_validate_storage(world, s);
    return KEEL_OK;
}

// Moves the row along a cached edge, which takes a fifth fewer instructions than the general path
// (benchmark remove_1, archetypes).
static __attribute__((noinline)) keel_result
take_row(keel_world *world, keeli_storage *s, keel_entity e, uint64_t *word, uint32_t kind) {
    const uint32_t index = keeli_index_of(e), place = *keeli_row_of(&world->entities, index);
    const keeli_edge *edge =
        keeli_archetype_edge(keeli_block_of(&world->archetypes, place)->archetype, s->slot);
    keeli_archetype *to = edge ? edge->without : NULL;
    if (!to || (to->column_count && !keeli_archetype_has_room(to)) || !keeli_rows_are_free(world))
        return take_general(world, e, &s->component, kind, NULL);
    keeli_store_clear_bit_beside(s, word, *word & ~keeli_bit_of(index));
    keeli_row_move(world, e, to);
    keeli_validate_storage(world, s);
    return KEEL_OK;
}

static __attribute__((noinline)) keel_result take_followed(keel_world *world, keeli_storage *s,
                                                           keel_entity e, uint32_t kind) {
    if (!keeli_entity_is_alive(&world->entities, e) || s->flags & KEELI_IS_REQUIRED ||
        !keeli_followers_are_simple(world, s) ||
        (keeli_store_has_rows(s) && !keeli_rows_are_free(world)))
        return take_general(world, e, &s->component, kind, NULL);
    return keeli_done(world, keeli_remove_value(world, s, e, kind, NULL));
}

// Removes a component that another entity of the block of 64 has, too. An index with a value
// belongs to a living entity, so its version is in memory and only needs to be compared.
static inline __attribute__((always_inline)) keel_result
take_fast(keel_world *world, keel_entity e, const keel_component *component, uint32_t kind) {
    keeli_storage *s = world ? keeli_storage_known(world, component) : NULL;
    if (!s || !keeli_is_free(world, s))
        return take_general(world, e, component, kind, NULL);
    if (keeli_flags_of(s))
        return take_followed(world, s, e, kind);
    const uint32_t index = keeli_index_of(e);
    const bool has_page = index / KEELI_PAGE < s->presence.root.page_count;
    uint64_t *word = has_page ? keeli_listed_word(s, index) : NULL;
    const uint64_t bits = has_page ? *word : 0, rest = bits & ~keeli_bit_of(index);
    if (rest == bits && keeli_entity_is_alive(&world->entities, e))
        return KEEL_ABSENT;
    if (!rest || rest == bits || !keeli_entity_is_current(&world->entities, e))
        return take_general(world, e, component, kind, NULL);
    if (keeli_store_has_rows(s))
        return take_row(world, s, e, word, kind);
    if (keeli_store_is_sparse(s)) {
        keeli_store_clear_bit_beside(s, word, rest);
        return remove_slot(world, s, keeli_sparse_set_cell(&s->set, index));
    }
    if (!s->goes_with_bit)
        return take_general(world, e, component, kind, NULL);
    keeli_store_clear_bit_beside(s, word, rest);
    keeli_validate_storage(world, s);
    return KEEL_OK;
}

keel_result keeli_world_remove(keel_scope *scope, keel_entity e, const keel_component *component,
                               void *out) {
    keel_world *world = keeli_world_of(scope);
    if (out)
        return take_general(world, e, component, KEEL_TRACK_REMOVAL, out);
    return take_fast(world, e, component, KEEL_TRACK_REMOVAL);
}

keel_result keeli_world_delete(keel_scope *scope, keel_entity e, const keel_component *component) {
    return take_fast(keeli_world_of(scope), e, component, KEEL_TRACK_DELETION);
}

// ------------------------------------------------------------------ now or later
static keel_result cannot_record(keel_world *world) {
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                        "commands cannot return a value; pass NULL for the removed value, or "
                        "remove with the world, a view or a context");
}

static __attribute__((noinline)) keel_result
remove_elsewhere(keel_scope *scope, keel_entity e, const keel_component *component, void *out) {
    keel_commands *list = keeli_commands_of(scope);
    if (list)
        return out ? cannot_record(list->world)
                   : keeli_record_removal(list, false, e, &component, 1);
    keeli_caller who;
    KEEL_TRY(keeli_edit_begin(scope, &who));
    return keeli_edit_end(&who, keeli_edit_remove(who.world, who.editor, e, component, out));
}

keel_result(keel_remove_component)(keel_scope *scope, keel_entity e,
                                   const keel_component *component, void *out) {
    return keeli_is_world(scope) ? keeli_world_remove(scope, e, component, out)
                                 : remove_elsewhere(scope, e, component, out);
}

keel_result(keel_remove_component_values)(keel_scope *scope, keel_entity e, const keel_out *outs) {
    const keel_commands *list = keeli_commands_of(scope);
    if (keeli_is_world(scope))
        return keeli_edit_remove_values(keeli_world_of(scope), NULL, e, outs);
    if (list)
        return cannot_record(list->world);
    keeli_caller who;
    KEEL_TRY(keeli_edit_begin(scope, &who));
    return keeli_edit_end(&who, keeli_edit_remove_values(who.world, who.editor, e, outs));
}

static __attribute__((noinline)) keel_result delete_elsewhere(keel_scope *scope, keel_entity e,
                                                              const keel_component *component) {
    return keel_delete_components(scope, e, ((const keel_component *const[]){ component, NULL }));
}

keel_result(keel_delete_component)(keel_scope *scope, keel_entity e,
                                   const keel_component *component) {
    return keeli_is_world(scope) ? keeli_world_delete(scope, e, component)
                                 : delete_elsewhere(scope, e, component);
}

keel_result(keel_delete_components)(keel_scope *scope, keel_entity e,
                                    const keel_component *const *components) {
    uint32_t count = 0;
    while (components && components[count])
        ++count;
    if (keeli_is_world(scope))
        return count == 1
                   ? keeli_world_delete(scope, e, *components)
                   : keeli_edit_delete_components(keeli_world_of(scope), NULL, e, components);
    keel_commands *list = keeli_commands_of(scope);
    if (list)
        return keeli_record_removal(list, true, e, components, count);
    keeli_caller who;
    KEEL_TRY(keeli_edit_begin(scope, &who));
    return keeli_edit_end(&who, keeli_edit_delete_components(who.world, who.editor, e, components));
}

keel_result(keel_strip)(keel_scope *scope, keel_entity e) {
    return keeli_edit_entity(scope, e, keeli_edit_strip);
}

// ------------------------------------------------------------------ from many, from all
bool(keel_drain_component)(keel_scope *scope, const keel_component *component, keel_entity *e,
                           void *out) {
    keeli_caller who;
    if (keeli_caller_is(scope, &who) < 0)
        return false;
    const keeli_storage *s = keeli_look_up(&who, component, KEEL_ACCESS_READ);
    const uint32_t index = s ? keeli_store_next(s, 0) : UINT32_MAX;
    if (index == UINT32_MAX)
        return false;
    const keel_entity next = keeli_entity_at(&who.world->entities, index);
    if (e)
        *e = next;
    return keel_remove_component(scope, next, component, out) == KEEL_OK;
}

keel_result keeli_edit_delete_many(keel_world *world, const keeli_holder *holder,
                                   const keel_entity *entities, uint32_t count,
                                   const keel_component *component) {
    keel_result result;
    keeli_storage *s = keeli_known_to_edit(world, holder, component, "delete", &result);
    if (result < 0)
        return result;
    if (!s || !count)
        return KEEL_ABSENT;
    const uint32_t before = keeli_store_count(s);
    keeli_batch b;
    keeli_batch_begin(&b, world, entities, count, "deleting a component from many entities");
    keeli_batch_add_out(&b, s, NULL, NULL);
    result = keeli_batch_remove(&b, KEEL_TRACK_DELETION);
    world->commands.last_count = before - keeli_store_count(s);
    return result;
}

keel_result(keel_delete_component_from_many)(keel_scope *scope, const keel_entity *entities,
                                             uint32_t count, const keel_component *component) {
    const keel_value_column column = { component, NULL, 0 };
    keeli_caller who;
    KEEL_TRY(keeli_edit_begin(scope, &who));
    keel_result result =
        keeli_check_list(who.world, entities, count, "keel_delete_component_from_many");
    if (result == KEEL_OK && who.commands)
        return keeli_record_many(who.commands, KEELI_RECORD_DELETE_MANY, entities, count, &column);
    if (result == KEEL_OK)
        result = keeli_edit_delete_many(who.world, who.editor, entities, count, component);
    return keeli_edit_end(&who, result);
}

static keel_result clear_component(keel_world *world, const keeli_holder *holder, keel_entity none,
                                   const keel_component *component) {
    (void)none;
    keel_result result;
    keeli_storage *s = keeli_known_to_edit(world, holder, component, "clear", &result);
    if (!s)
        return result < 0 ? result : KEEL_ABSENT;
    const uint32_t count = keeli_store_count(s);
    if (!count && !s->disabled.count)
        return KEEL_ABSENT;
    KEEL_TRY(keeli_may_remove_from_all(world, s, "clear"));
    if (!keeli_reserve_clear(world, s))
        return keeli_out_of_memory(world, "clearing a component");
    keeli_clear(world, s);
    world->commands.last_count = count;
    keeli_validate_storage(world, s);
    return keeli_done(world, count ? KEEL_OK : KEEL_ABSENT);
}

keel_result(keel_clear_component)(keel_scope *scope, const keel_component *component) {
    return keeli_edit_component(scope, keel_null(), component, clear_component);
}

// Asks the user's function whether the entity keeps the component. The function may write the
// value: hashes from before and after tell whether it did, without memory for a copy.
static void ask_followers(keel_world *world, keeli_storage *s, keel_entity e, keel_retain_fn *keep,
                          void *data) {
    void *value = keeli_store_value(world, s, keeli_index_of(e));
    const bool follows = keeli_changes_are_followed(s);
    const uint64_t before = follows ? keeli_hash(value, s->size, 0) : 0;
    const uint32_t before_it = keeli_refuse_begin(world, KEELI_REFUSED_ASKING);
    const bool stays = keep(e, value, data);
    keeli_refuse_end(world, before_it);
    if (!stays)
        (void)keeli_remove_value(world, s, e, KEEL_TRACK_DELETION, NULL);
    else if (follows && keeli_hash(value, s->size, 0) != before)
        keeli_follow_changed(world, s, e);
}

keel_result keel_retain_component(keel_world *world, const keel_component *component,
                                  keel_retain_fn *keep, void *data) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    keel_result result;
    keeli_storage *s = keeli_known_to_edit(world, NULL, component, "retain", &result);
    if (!s)
        return result < 0 ? result : KEEL_ABSENT;
    if (!keep)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "keel_retain needs a function that tells which values stay");
    if (s->flags & KEELI_IS_REQUIRED)
        KEEL_TRY(keeli_may_remove_from_all(world, s, "retain"));
    if (!keeli_reserve_clear(world, s))
        return keeli_out_of_memory(world, "retaining components");
    const uint32_t before = keeli_store_count(s);
    if (keeli_store_is_sparse(s) && !s->collectors.count) {
        for (uint32_t slot = s->set.count;
             slot--;) // backwards: a value that moves to a removed one's place was asked about
            ask_followers(world, s, *keeli_sparse_set_entity(&s->set, slot), keep, data);
    } else { // by index: a removal that a reactive set collects may make a group reorder the slots
        KEELI_EACH_BIT(i, &s->presence)
            ask_followers(world, s, keeli_entity_at(&world->entities, i), keep, data);
    }
    world->commands.last_count = before - keeli_store_count(s);
    return keeli_done(world, world->commands.last_count ? KEEL_OK : KEEL_ABSENT);
}
