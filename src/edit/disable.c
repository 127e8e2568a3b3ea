// SPDX-License-Identifier: MIT
// Disables and enables the value of one component, or all values of an entity. A disabled value is
// kept, but no verb and no query finds it.
#include "edit/removal.h"

#include "world/report.h"

// An edit that disables a component, or enables it again.
typedef struct change {
    keel_world *world;
    const keeli_holder *holder;
    keel_entity entity;
    keeli_storage *only;  // the component; NULL: all components of the entity
    bool shows;           // true: enable, false: disable
    uint32_t count;       // number of values that change
    keeli_archetype *row; // the archetype that the entity's row moves to
} change;

// True if the edit changes the entity's value in the storage.
static bool is_meant(const change *c, const keeli_storage *s) {
    const uint32_t index = keeli_index_of(c->entity);
    return c->shows ? keeli_store_is_disabled(s, index) : keeli_store_has(s, index);
}

// Returns the next storage whose value changes; NULL at the end. `*at` is UINT32_MAX at first. Left
// out are the name of the entity, its place in the hierarchy, and reactive sets.
static keeli_storage *next_meant(const change *c, uint32_t *at) {
    if (c->only)
        return *at == UINT32_MAX && is_meant(c, c->only) ? (*at = 0, c->only) : NULL;
    for (keeli_storage *s; (s = keeli_store_next_of(c->world, keeli_index_of(c->entity), at));)
        if (!(s->flags & KEELI_IS_LINK) && !s->sources.count && is_meant(c, s))
            return s;
    return NULL;
}

static bool reserve_value(const change *c, keeli_storage *s) {
    keel_world *world = c->world;
    const uint32_t index = keeli_index_of(c->entity);
    if (!c->shows)
        return keeli_store_reserve_disabled(world, s, index);
    if (s->kind == KEEL_INDEXED)
        return true; // a disabled value of an indexed set stays at its place
    return keeli_reserve_value(world, s, index) &&
           (s->kind != KEEL_SPARSE_SET || keeli_sparse_set_reserve(&s->set, &world->heap, 1));
}

static bool reserve_disabled_row(change *c, keeli_storage *s) {
    keeli_archetypes *a = &c->world->archetypes;
    keeli_heap *heap = &c->world->heap;
    c->row = c->shows ? keeli_archetype_with(a, heap, c->row, &s->row)
                      : keeli_archetype_without(a, heap, c->row, &s->row);
    return c->row != NULL;
}

// Returns an error unless all required components are enabled, or become so in this edit, and no
// enabled component requires a disabled one.
static keel_result check_required(const change *c, const keeli_storage *s) {
    const uint32_t index = keeli_index_of(c->entity);
    if (!c->shows)
        return c->only ? keeli_may_remove(c->world, s, c->entity, NULL, "disable") : KEEL_OK;
    for (uint32_t i = 0; i < s->required.count; ++i) {
        const keeli_storage *r = s->required.items[i];
        const bool is_enabled_too = !c->only && keeli_store_is_disabled(r, index);
        if (!is_enabled_too && !keeli_store_has(r, index))
            return keeli_error(c->world, KEEL_ERROR_REQUIRED,
                               "cannot enable '%s' of %s: it requires '%s'; %s that first",
                               s->component.name, KEELI_ENTITY(c->world, c->entity),
                               r->component.name,
                               keeli_store_is_disabled(r, index) ? "enable" : "add");
    }
    return KEEL_OK;
}

static keel_result reserve_disabled(change *c) {
    keel_world *world = c->world;
    keeli_archetype *const before = c->row = keeli_archetype_of(world, keeli_index_of(c->entity));
    uint32_t at = UINT32_MAX;
    bool room = true;
    for (keeli_storage *s; room && (s = next_meant(c, &at)) != NULL; ++c->count) {
        keel_result result;
        if (!c->only && !keeli_storage_to_edit(world, c->holder, &s->component,
                                               c->shows ? "enable" : "disable", &result))
            return result;
        if (s->flags & (KEELI_IS_REQUIRED | KEELI_IS_MORE))
            KEEL_TRY(check_required(c, s));
        room = reserve_value(c, s) && (!keeli_store_has_rows(s) || reserve_disabled_row(c, s));
    }
    if (room && c->row != before && c->row->column_count && !keeli_archetype_has_room(c->row))
        room = keeli_archetype_reserve(&world->archetypes, &world->heap, c->row, 1);
    if (!room)
        return keeli_out_of_memory(world,
                                   c->shows ? "enabling components" : "disabling components");
    if (c->row == before)
        c->row = NULL;
    return c->count ? KEEL_OK : KEEL_ABSENT;
}

// Enabled values are written to the new row before the old one is removed; disabled values are
// moved out of the row before it moves.
static keel_result commit_disable(const change *c) {
    keel_world *world = c->world;
    const uint32_t index = keeli_index_of(c->entity);
    uint32_t at = UINT32_MAX, old = KEELI_NO_ROW;
    if (c->row && c->shows)
        old = keeli_row_begin(world, c->entity, c->row);
    for (keeli_storage *s; (s = next_meant(c, &at)) != NULL;) {
        if (c->shows) {
            keeli_store_enable(world, s, c->entity);
            keeli_follow_enabled(world, s, index);
        } else {
            keeli_follow_disabling(world, s, index);
            keeli_store_disable(world, s, index);
        }
    }
    if (c->row && c->shows)
        keeli_row_end(world, old);
    else if (c->row)
        keeli_row_move(world, c->entity, c->row);
    if (c->only)
        keeli_validate_storage(world, c->only);
    return keeli_done(world, KEEL_OK);
}

// ------------------------------------------------------------------ one component
static keel_result show(keel_world *world, const keeli_holder *holder, keel_entity e,
                        const keel_component *component, bool shows) {
    if (!keeli_entity_is_alive(&world->entities, e))
        return keeli_dead_entity(world, shows ? "keel_enable" : "keel_disable", e);
    keel_result result;
    keeli_storage *s =
        keeli_known_to_edit(world, holder, component, shows ? "enable" : "disable", &result);
    if (!s)
        return result < 0 ? result : KEEL_ABSENT;
    change c = { .world = world, .holder = holder, .entity = e, .only = s, .shows = shows };
    result = reserve_disabled(&c);
    return result == KEEL_OK ? commit_disable(&c) : result;
}

keel_result keeli_edit_disable(keel_world *world, const keeli_holder *holder, keel_entity e,
                               const keel_component *component) {
    return show(world, holder, e, component, false);
}
static keel_result enable(keel_world *world, const keeli_holder *holder, keel_entity e,
                          const keel_component *component) {
    return show(world, holder, e, component, true);
}

keel_result(keel_enable_component)(keel_scope *scope, keel_entity e,
                                   const keel_component *component, bool enabled) {
    return keeli_edit_component(scope, e, component, enabled ? enable : keeli_edit_disable);
}

bool keel_is_component_disabled(const keel_world *world, keel_entity e,
                                const keel_component *component) {
    if (keeli_is_nobody(world) || !component)
        return false;
    const keeli_storage *s = keeli_storage_find(world, component);
    return s && keeli_entity_is_alive(&world->entities, e) &&
           keeli_store_is_disabled(s, keeli_index_of(e));
}

// ------------------------------------------------------------------ all of an entity
static keel_result show_all(keel_world *world, const keeli_holder *holder, keel_entity e,
                            bool shows) {
    if (!keeli_entity_is_alive(&world->entities, e))
        return keeli_dead_entity(world, shows ? "keel_enable_entity" : "keel_disable_entity", e);
    change c = { .world = world, .holder = holder, .entity = e, .shows = shows };
    const keel_result result = reserve_disabled(&c);
    return result == KEEL_OK ? commit_disable(&c) : result;
}

static keel_result disable_all(keel_world *world, const keeli_holder *holder, keel_entity e) {
    return show_all(world, holder, e, false);
}
static keel_result enable_all(keel_world *world, const keeli_holder *holder, keel_entity e) {
    return show_all(world, holder, e, true);
}

keel_result(keel_enable_entity)(keel_scope *scope, keel_entity e, bool enabled) {
    return keeli_edit_entity(scope, e, enabled ? enable_all : disable_all);
}
