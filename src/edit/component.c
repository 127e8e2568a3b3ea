// SPDX-License-Identifier: MIT
// Adding, removing and reading components of one entity.
#include "edit/edit.h"

#include "edit/registry.h"
#include "edit/report.h"

#include <string.h>

// ------------------------------------------------------------------ validation in test builds
// A walk costs as much as the storage is large, so large ones are walked once per as many edits.
#if defined(KEELI_VALIDATE) && KEELI_VALIDATE
static bool is_turn(uint32_t count) {
    static uint32_t edits;
    const uint32_t now = __atomic_add_fetch(&edits, 1, __ATOMIC_RELAXED);
    return count < 256 || now % count == 0;
}
void keeli_validate_storage(keel_world *world, const keeli_storage *storage) {
    (void)world;
    if (is_turn(storage->set.count))
        KEELI_CHECK_STRUCTURE(keeli_sparse_set_is_valid(&storage->set));
}
void keeli_validate_entities(keel_world *world) {
    if (is_turn(world->entities.size))
        KEELI_CHECK_STRUCTURE(keeli_entity_index_is_valid(&world->entities));
}
#else
void keeli_validate_storage(keel_world *world, const keeli_storage *storage) {
    (void)world, (void)storage;
}
void keeli_validate_entities(keel_world *world) { (void)world; }
#endif

// ------------------------------------------------------------------ steps of an edit
keeli_storage *keeli_storage_to_edit(keel_world *world, const keeli_holder *holder,
                                     const keel_component *component, const char *verb,
                                     keel_result *result) {
    keeli_storage *s = keeli_storage_get(world, component, false, result);
    if (!s) return NULL;
    if (s == world->parents || s == world->children) {
        *result = keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                               "cannot %s '%s' by hand; use keel_attach, keel_detach, keel_unlink",
                               verb, s->component.name);
        return NULL;
    }
    *result = keeli_may_edit(world, holder, s, verb);
    return *result < 0 ? NULL : s;
}

// The storage if the world knows the component and it may be edited. NULL with KEEL_OK: not known.
static keeli_storage *known_to_edit(keel_world *world, const keeli_holder *holder,
                                    const keel_component *component, const char *verb,
                                    keel_result *result) {
    *result = KEEL_OK;
    if (component && !component->is_unique && !keeli_storage_find(world, component)) return NULL;
    return keeli_storage_to_edit(world, holder, component, verb, result);
}

bool keeli_reserve_noting(keel_world *world, keeli_storage *s, uint32_t extra,
                          keeli_storage **moved) {
    const keeli_sparse_set *set = &s->set;
    const bool has_values = set->value_pages && set->size;
    const uintptr_t first = has_values ? (uintptr_t)set->values[0] : 0;
    const size_t bytes = (size_t)set->first_values * set->size;
    if (!keeli_sparse_set_reserve(&s->set, &world->heap, extra)) return false;
    if (!has_values || (uintptr_t)set->values[0] == first) return true;
    s->moved_from = first;
    s->moved_bytes = bytes;
    s->next_moved = *moved;
    *moved = s;
    return true;
}

const void *keeli_follow(const keeli_storage *moved, const void *value) {
    for (; value && moved; moved = moved->next_moved) {
        const uintptr_t offset = (uintptr_t)value - moved->moved_from;
        if (offset < moved->moved_bytes) return (const char *)moved->set.values[0] + offset;
    }
    return value;
}

static bool reserve(keel_world *world, keeli_storage *s, uint32_t index, keeli_storage **moved) {
    if (keeli_sparse_set_find(&s->set, index) != KEELI_NO_SLOT) return true;
    return keeli_sparse_set_reserve_cell(&s->set, &world->heap, index) &&
           keeli_reserve_noting(world, s, 1, moved);
}

// Fill the entity's place, which is there or can be made without memory.
static void *commit_add(keel_world *world, keeli_storage *s, keel_entity e, const void *value) {
    keeli_sparse_set *set = &s->set;
    uint32_t slot = keeli_sparse_set_find(set, keel_entity_index(e));
    if (slot == KEELI_NO_SLOT) {
        slot = keeli_sparse_set_push(set, e);
    } else {
        if (value && value == keeli_sparse_set_value(set, slot))
            return keeli_sparse_set_value(set, slot);
        keeli_sparse_set_drop(set, slot);
    }
    keeli_sparse_set_put(set, slot, value);
    keeli_validate_storage(world, s);
    return keeli_sparse_set_value(set, slot);
}

bool keeli_commit_delete(keel_world *world, keeli_storage *s, keel_entity e) {
    const uint32_t slot = keeli_sparse_set_find(&s->set, keel_entity_index(e));
    if (slot == KEELI_NO_SLOT) return false;
    keeli_sparse_set_drop(&s->set, slot);
    keeli_sparse_set_take(&s->set, slot);
    keeli_validate_storage(world, s);
    return true;
}

// ------------------------------------------------------------------ adding
static void *add(keel_world *world, const keeli_holder *holder, keel_entity e,
                 const keel_component *component, const void *value, keel_result *result) {
    keeli_storage *s = keeli_storage_to_edit(world, holder, component, "add", result);
    if (!s) return NULL;
    keeli_storage *moved = NULL;
    if (!reserve(world, s, keel_entity_index(e), &moved)) {
        *result = keeli_out_of_memory(world, "adding a component");
        return NULL;
    }
    return commit_add(world, s, e, keeli_follow(moved, value));
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
                                 const keel_value *values, keeli_storage **moved) {
    for (const keel_value *v = values; v && v->component; ++v) {
        keel_result result;
        keeli_storage *s = keeli_storage_to_edit(world, holder, v->component, "add", &result);
        if (!s) return result;
        if (!reserve(world, s, index, moved))
            return keeli_out_of_memory(world, "adding components");
    }
    return KEEL_OK;
}

void keeli_commit_values(keel_world *world, keel_entity e, const keel_value *values,
                         const keeli_storage *moved) {
    for (const keel_value *v = values; v && v->component; ++v)
        (void)commit_add(world, keeli_storage_find(world, v->component), e,
                         keeli_follow(moved, v->value));
}

keel_result keeli_edit_add_values(keel_world *world, const keeli_holder *holder, keel_entity e,
                                  const keel_value *values) {
    if (!keeli_entity_is_alive(&world->entities, e)) return KEEL_ERROR_DEAD_ENTITY;
    keeli_storage *moved = NULL;
    KEEL_TRY(keeli_reserve_values(world, holder, keel_entity_index(e), values, &moved));
    keeli_commit_values(world, e, values, moved);
    return KEEL_OK;
}

// ------------------------------------------------------------------ removing
static bool commit_remove(keel_world *world, keeli_storage *s, keel_entity e, void *out) {
    const uint32_t slot = keeli_sparse_set_find(&s->set, keel_entity_index(e));
    if (slot == KEELI_NO_SLOT) return false;
    if (out) keeli_sparse_set_move_out(&s->set, slot, out);
    else keeli_sparse_set_drop(&s->set, slot);
    keeli_sparse_set_take(&s->set, slot);
    keeli_validate_storage(world, s);
    return true;
}

keel_result keeli_edit_remove(keel_world *world, const keeli_holder *holder, keel_entity e,
                              const keel_component *component, void *out) {
    if (!keeli_entity_is_alive(&world->entities, e)) return KEEL_ERROR_DEAD_ENTITY;
    keel_result result;
    keeli_storage *s = known_to_edit(world, holder, component, "remove", &result);
    if (!s) return result < 0 ? result : KEEL_ABSENT;
    return commit_remove(world, s, e, out) ? KEEL_OK : KEEL_ABSENT;
}

keel_result keeli_edit_remove_values(keel_world *world, const keeli_holder *holder, keel_entity e,
                                     const keel_out *outs) {
    if (!keeli_entity_is_alive(&world->entities, e)) return KEEL_ERROR_DEAD_ENTITY;
    keel_result result;
    for (const keel_out *o = outs; o && o->component; ++o)
        if (!known_to_edit(world, holder, o->component, "remove", &result) && result < 0)
            return result;
    bool any = false;
    for (const keel_out *o = outs; o && o->component; ++o) {
        keeli_storage *s = keeli_storage_find(world, o->component);
        const bool taken = s && commit_remove(world, s, e, o->value);
        if (o->taken) *o->taken = taken;
        any = any || taken;
    }
    return any ? KEEL_OK : KEEL_ABSENT;
}

keel_result keeli_edit_delete_components(keel_world *world, const keeli_holder *holder,
                                         keel_entity e, const keel_component *const *components) {
    if (!keeli_entity_is_alive(&world->entities, e)) return KEEL_ERROR_DEAD_ENTITY;
    keel_result result;
    for (const keel_component *const *c = components; c && *c; ++c)
        if (!known_to_edit(world, holder, *c, "delete", &result) && result < 0) return result;
    bool any = false;
    for (const keel_component *const *c = components; c && *c; ++c) {
        keeli_storage *s = keeli_storage_find(world, *c);
        if (s && keeli_commit_delete(world, s, e)) any = true;
    }
    return any ? KEEL_OK : KEEL_ABSENT;
}

keel_result keeli_edit_strip(keel_world *world, const keeli_holder *holder, keel_entity e) {
    if (!keeli_entity_is_alive(&world->entities, e)) return KEEL_ERROR_DEAD_ENTITY;
    bool any = keeli_has_links(world, e);
    if (any) KEEL_TRY(keeli_may_edit_links(world, holder));
    for (uint32_t i = 0; i < world->order.count; ++i) {
        const keeli_storage *s = world->order.items[i];
        if (keeli_sparse_set_find(&s->set, keel_entity_index(e)) != KEELI_NO_SLOT)
            KEEL_TRY(keeli_may_edit(world, holder, s, "strip"));
    }
    if (any) keeli_commit_unlink(world, e);
    for (uint32_t i = 0; i < world->order.count; ++i)
        if (keeli_commit_delete(world, world->order.items[i], e)) any = true;
    return any ? KEEL_OK : KEEL_ABSENT;
}

// ------------------------------------------------------------------ public: edits
keel_result keel_add_component(keel_world *world, keel_entity e, const keel_component *component,
                               const void *value) {
    return world ? keeli_edit_add(world, NULL, e, component, value) : keeli_no_world();
}

keel_result keel_add_component_unchecked(keel_world *world, keel_entity e,
                                         const keel_component *component, const void *value) {
    return keeli_edit_add_unchecked(world, NULL, e, component, value);
}

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
    const uint32_t slot = keeli_sparse_set_find(&s->set, keel_entity_index(e));
    if (slot != KEELI_NO_SLOT) return keeli_sparse_set_value(&s->set, slot);
    return add(world, NULL, e, component, value, &result);
}

keel_result keel_remove_component(keel_world *world, keel_entity e, const keel_component *component,
                                  void *out) {
    return world ? keeli_edit_remove(world, NULL, e, component, out) : keeli_no_world();
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

keel_result keel_clear_component(keel_world *world, const keel_component *component) {
    if (!world) return keeli_no_world();
    keel_result result;
    keeli_storage *s = known_to_edit(world, NULL, component, "clear", &result);
    if (!s) return result < 0 ? result : KEEL_ABSENT;
    if (s->set.count == 0) return KEEL_ABSENT;
    keeli_sparse_set_clear(&s->set);
    keeli_validate_storage(world, s);
    return KEEL_OK;
}

keel_result keel_retain_component(keel_world *world, const keel_component *component,
                                  keel_retain_fn *keep, void *data) {
    if (!world) return keeli_no_world();
    keel_result result;
    keeli_storage *s = known_to_edit(world, NULL, component, "retain", &result);
    if (!s) return result < 0 ? result : KEEL_ABSENT;
    if (!keep)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "keel_retain needs a function that decides");
    const uint32_t before = s->set.count;
    // from the back, so that what moves into a hole was asked already
    for (uint32_t slot = before; slot--;) {
        const keel_entity e = *keeli_sparse_set_entity(&s->set, slot);
        if (!keep(e, keeli_sparse_set_value(&s->set, slot), data)) keeli_commit_delete(world, s, e);
    }
    return s->set.count < before ? KEEL_OK : KEEL_ABSENT;
}

// Cells for the entities that `count` new ones would be, and for all that are alive.
static bool reserve_cells(keel_world *world, keeli_storage *s, uint32_t count) {
    for (uint64_t i = 0; i < count; i += KEELI_SPARSE_PAGE)
        if (!keeli_sparse_set_reserve_cell(&s->set, &world->heap, (uint32_t)i)) return false;
    uint64_t from = 0; // the page after the last one looked at
    while (from <= KEEL_ENTITY_INDEX_MAX) {
        const keel_entity e = keeli_entity_index_next(&world->entities, (uint32_t)from);
        if (keel_is_null(e)) break;
        const uint32_t index = keel_entity_index(e);
        if (!keeli_sparse_set_reserve_cell(&s->set, &world->heap, index)) return false;
        from = ((uint64_t)index / KEELI_SPARSE_PAGE + 1) * KEELI_SPARSE_PAGE;
    }
    return true;
}

keel_result keel_reserve_component(keel_world *world, const keel_component *component,
                                   uint32_t count) {
    if (!world) return keeli_no_world();
    keel_result result;
    keeli_storage *s = keeli_storage_to_edit(world, NULL, component, "reserve", &result);
    if (!s) return result;
    const uint32_t extra = count > s->set.count ? count - s->set.count : 0;
    if (!keeli_sparse_set_reserve(&s->set, &world->heap, extra))
        return keeli_out_of_memory(world, "reserving room for components");
    if (count && !reserve_cells(world, s, count))
        return keeli_out_of_memory(world, "reserving room for components");
    return KEEL_OK;
}

// ------------------------------------------------------------------ public: reading
const void *keel_get_component(const keel_world *world, keel_entity e,
                               const keel_component *component) {
    if (!world || !component) return NULL;
    const keeli_storage *s = keeli_storage_find(world, component);
    if (!s || !keeli_entity_is_alive(&world->entities, e)) return NULL;
    const uint32_t slot = keeli_sparse_set_find(&s->set, keel_entity_index(e));
    return slot == KEELI_NO_SLOT ? NULL : keeli_sparse_set_value(&s->set, slot);
}

void *keel_get_component_mut(keel_world *world, keel_entity e, const keel_component *component) {
    if (!world || !component) return NULL;
    const keeli_storage *s = keeli_storage_find(world, component);
    if (!s || !keeli_entity_is_alive(&world->entities, e)) return NULL;
    const uint32_t slot = keeli_sparse_set_find(&s->set, keel_entity_index(e));
    if (slot == KEELI_NO_SLOT) return NULL;
    keel_result result;
    if (keeli_atomic_peek(&s->borrow) || world->share_depth || s == world->parents ||
        s == world->children)
        return keeli_storage_to_edit(world, NULL, component, "write", &result), NULL;
    return keeli_sparse_set_value(&s->set, slot);
}

bool keel_has_component(const keel_world *world, keel_entity e, const keel_component *component) {
    return keel_get_component(world, e, component) != NULL;
}
