// SPDX-License-Identifier: MIT
// Adding, removing and reading components of one entity.
#include "edit/edit.h"

#include "edit/quick.h"
#include "follow/collect.h"
#include "follow/observe.h"
#include "follow/track.h"
#include "world/registry.h"
#include "world/report.h"
#include "world/threads.h"

#include <string.h>

// ------------------------------------------------------------------ steps of an edit
keeli_storage *keeli_storage_to_edit(keel_world *world, const keeli_holder *holder,
                                     const keel_component *component, const char *verb,
                                     keel_result *result) {
    keeli_storage *s = keeli_storage_get(world, component, false, result);
    if (!s) return NULL;
    if (s->flags & KEELI_IS_LINK) {
        *result = keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                               "cannot %s '%s' by hand; use keel_attach, keel_detach, keel_unlink",
                               verb, s->component.name);
        return NULL;
    }
    *result = keeli_may_edit(world, holder, s, verb);
    return *result < 0 ? NULL : s;
}

keeli_storage *keeli_known_to_edit(keel_world *world, const keeli_holder *holder,
                                   const keel_component *component, const char *verb,
                                   keel_result *result) {
    *result = KEEL_OK;
    if (component && !component->is_unique && !keeli_storage_find(world, component)) return NULL;
    return keeli_storage_to_edit(world, holder, component, verb, result);
}

// ------------------------------------------------------------------ adding
static __attribute__((noinline)) void *add_slowly(keel_world *world, const keeli_holder *holder,
                                                  keel_entity e, const keel_component *component,
                                                  const void *value, keel_result *result) {
    keeli_storage *s = keeli_storage_to_edit(world, holder, component, "add", result);
    if (!s) return NULL;
    const uint32_t index = keel_entity_index(e);
    const keel_value values[] = { { &s->component, value }, { NULL, NULL } };
    keeli_room room = { 0 };
    if (!keeli_store_has(s, index) &&
        (!keeli_store_reserve(world, s, index, &room) || !keeli_store_reserve_row(world, &room))) {
        *result = keeli_out_of_memory(world, "adding a component");
        return NULL;
    }
    keeli_store_commit(world, e, values, &room);
    keeli_validate_storage(world, s);
    (void)keeli_done(world, KEEL_OK);
    return keeli_entity_is_alive(&world->entities, e) ? keeli_store_value(world, s, index) : NULL;
}

static inline void *add(keel_world *world, const keeli_holder *holder, keel_entity e,
                        const keel_component *component, const void *value, keel_result *result) {
    void *to = holder ? NULL : keeli_quick_add(world, e, component, value);
    *result = KEEL_OK;
    return to ? to : add_slowly(world, holder, e, component, value, result);
}

keel_result keeli_edit_add_unchecked(keel_world *world, const keeli_holder *holder, keel_entity e,
                                     const keel_component *component, const void *value) {
    keel_result result;
    (void)add(world, holder, e, component, value, &result);
    return result;
}

keel_result keeli_edit_add(keel_world *world, const keeli_holder *holder, keel_entity e,
                           const keel_component *component, const void *value) {
    if (!keeli_entity_is_alive(&world->entities, e)) return KEEL_ERROR_DEAD_ENTITY;
    return keeli_edit_add_unchecked(world, holder, e, component, value);
}

keel_result keeli_reserve_values(keel_world *world, const keeli_holder *holder, uint32_t index,
                                 const keel_value *values, keeli_room *room) {
    for (const keel_value *v = values; v->component; ++v) {
        keel_result result;
        keeli_storage *s = keeli_storage_to_edit(world, holder, v->component, "add", &result);
        if (!s) return result;
        if (!keeli_store_has(s, index) && !keeli_store_reserve(world, s, index, room))
            return keeli_out_of_memory(world, "adding components");
    }
    return keeli_store_reserve_row(world, room) ? KEEL_OK
                                                : keeli_out_of_memory(world, "adding components");
}

void keeli_commit_values(keel_world *world, keel_entity e, const keel_value *values,
                         const keeli_room *room) {
    keeli_store_commit(world, e, values, room);
    for (const keel_value *v = values; v->component; ++v)
        keeli_validate_storage(world, keeli_storage_find(world, v->component));
}

keel_result keeli_edit_add_values(keel_world *world, const keeli_holder *holder, keel_entity e,
                                  const keel_value *values) {
    if (!keeli_entity_is_alive(&world->entities, e)) return KEEL_ERROR_DEAD_ENTITY;
    if (!values || (!holder && keeli_quick_add_values(world, e, values))) return KEEL_OK;
    keeli_room room = { 0 };
    KEEL_TRY(keeli_reserve_values(world, holder, keel_entity_index(e), values, &room));
    keeli_commit_values(world, e, values, &room);
    return keeli_done(world, KEEL_OK);
}

// ------------------------------------------------------------------ removing
// Take the value out of a storage that may be edited: KEEL_OK, KEEL_ABSENT, KEEL_ERROR_MEMORY.
static keel_result take_value(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                              void *out) {
    const uint32_t index = keel_entity_index(e);
    if (!keeli_store_has(s, index)) {
        if (keeli_store_is_disabled(s, index)) keeli_store_drop_disabled(world, s, index);
        return KEEL_ABSENT;
    }
    if (!keeli_store_reserve_take(world, s, index))
        return keeli_out_of_memory(world, "removing a component");
    keeli_store_leaving(world, s, index, kind);
    void *value = keeli_store_value(world, s, index);
    if (kind == KEEL_TRACK_DELETION) keeli_value_delete(world, s, index, value);
    else if (!out) keeli_value_drop(s, value);
    else if (s->size) keeli_value_move(s, out, value);
    keeli_store_take(world, s, e);
    keeli_validate_storage(world, s);
    return KEEL_OK;
}

bool keeli_commit_delete(keel_world *world, keeli_storage *s, keel_entity e) {
    return take_value(world, s, e, KEEL_TRACK_DELETION, NULL) == KEEL_OK;
}

keel_result keeli_edit_remove(keel_world *world, const keeli_holder *holder, keel_entity e,
                              const keel_component *component, void *out) {
    if (!keeli_entity_is_alive(&world->entities, e)) return KEEL_ERROR_DEAD_ENTITY;
    keel_result result;
    if (!holder && keeli_quick_remove(world, e, component, out, &result)) return result;
    keeli_storage *s = keeli_known_to_edit(world, holder, component, "remove", &result);
    if (!s) return result < 0 ? result : KEEL_ABSENT;
    return keeli_done(world, take_value(world, s, e, KEEL_TRACK_REMOVAL, out));
}

// Make room to take all of these away, one after the other: rows move more than once.
static keel_result reserve_take_all(keel_world *world, keel_entity e,
                                    const keel_component *const *components, const keel_out *outs) {
    const uint32_t index = keel_entity_index(e);
    keeli_archetypes *a = &world->archetypes;
    keeli_archetype *to = keeli_archetype_of(world, index);
    for (;;) {
        const keel_component *c = outs ? outs->component : *components;
        if (!c) return KEEL_OK;
        if (outs) ++outs;
        else ++components;
        keeli_storage *s = keeli_storage_find(world, c);
        if (!s || s->kind != KEEL_ARCHETYPE || keeli_archetype_column(to, s->slot) == UINT32_MAX)
            continue;
        to = keeli_archetype_without(a, &world->heap, to, &s->row);
        if (!to || (to->column_count && !keeli_archetype_reserve(a, &world->heap, to, 1)))
            return keeli_out_of_memory(world, "removing components");
    }
}

keel_result keeli_edit_remove_values(keel_world *world, const keeli_holder *holder, keel_entity e,
                                     const keel_out *outs) {
    if (!keeli_entity_is_alive(&world->entities, e)) return KEEL_ERROR_DEAD_ENTITY;
    if (!outs) return KEEL_ABSENT;
    keel_result result;
    for (const keel_out *o = outs; o->component; ++o)
        if (!keeli_known_to_edit(world, holder, o->component, "remove", &result) && result < 0)
            return result;
    KEEL_TRY(reserve_take_all(world, e, NULL, outs));
    bool any = false;
    for (const keel_out *o = outs; o->component; ++o) {
        keeli_storage *s = keeli_storage_find(world, o->component);
        const bool taken = s && take_value(world, s, e, KEEL_TRACK_REMOVAL, o->value) == KEEL_OK;
        if (o->taken) *o->taken = taken;
        any = any || taken;
    }
    return keeli_done(world, any ? KEEL_OK : KEEL_ABSENT);
}

keel_result keeli_edit_delete_components(keel_world *world, const keeli_holder *holder,
                                         keel_entity e, const keel_component *const *components) {
    if (!keeli_entity_is_alive(&world->entities, e)) return KEEL_ERROR_DEAD_ENTITY;
    if (!components || !components[0]) return KEEL_ABSENT;
    keel_result result;
    if (!holder && !components[1] && keeli_quick_delete(world, e, components[0], &result))
        return result;
    for (const keel_component *const *c = components; *c; ++c)
        if (!keeli_known_to_edit(world, holder, *c, "delete", &result) && result < 0) return result;
    KEEL_TRY(reserve_take_all(world, e, components, NULL));
    bool any = false;
    for (const keel_component *const *c = components; *c; ++c) {
        keeli_storage *s = keeli_storage_find(world, *c);
        if (s && keeli_commit_delete(world, s, e)) any = true;
    }
    return keeli_done(world, any ? KEEL_OK : KEEL_ABSENT);
}

keel_result keeli_edit_strip(keel_world *world, const keeli_holder *holder, keel_entity e) {
    if (!keeli_entity_is_alive(&world->entities, e)) return KEEL_ERROR_DEAD_ENTITY;
    bool any = keeli_has_links(world, e);
    if (any) KEEL_TRY(keeli_may_edit_links(world, holder));
    uint32_t at = UINT32_MAX;
    for (keeli_storage *s; (s = keeli_store_next_of(world, keel_entity_index(e), &at)) != NULL;) {
        KEEL_TRY(keeli_may_edit(world, holder, s, "strip"));
        any |= keeli_store_has(s, keel_entity_index(e));
    }
    keeli_storage *sets = keeli_sets_before_strip(world, e);
    if (keeli_has_links(world, e)) keeli_commit_unlink(world, e);
    keeli_notify_all_of(world, e, KEEL_ON_DELETED, false);
    keeli_store_take_all(world, e);
    keeli_sets_after_strip(world, e, sets);
    return keeli_done(world, any ? KEEL_OK : KEEL_ABSENT);
}

// ------------------------------------------------------------------ public: edits
keel_result keel_world_add_values(keel_world *world, keel_entity e, const keel_value *values) {
    return world ? keeli_edit_add_values(world, NULL, e, values) : keeli_no_world();
}

void *keel_emplace_component(keel_world *world, keel_entity e, const keel_component *component) {
    if (!world) return keeli_no_world(), NULL;
    if (!keeli_entity_is_alive(&world->entities, e)) return NULL;
    keel_result result;
    return add(world, NULL, e, component, NULL, &result);
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
    return add(world, NULL, e, component, value, &result);
}

keel_result keel_world_remove_values(keel_world *world, keel_entity e, const keel_out *outs) {
    return world ? keeli_edit_remove_values(world, NULL, e, outs) : keeli_no_world();
}

keel_result keel_delete_component(keel_world *world, keel_entity e,
                                  const keel_component *component) {
    if (!world) return keeli_no_world();
    const keel_component *const list[] = { component, NULL };
    return keeli_edit_delete_components(world, NULL, e, list);
}

keel_result keel_world_delete_components(keel_world *world, keel_entity e,
                                         const keel_component *const *components) {
    return world ? keeli_edit_delete_components(world, NULL, e, components) : keeli_no_world();
}

keel_result keel_world_strip(keel_world *world, keel_entity e) {
    return world ? keeli_edit_strip(world, NULL, e) : keeli_no_world();
}
