// SPDX-License-Identifier: MIT
// Disabling components of KEEL_INDEXED: the presence bit goes, a bit in a second bitmap comes, and
// the value stays where it is. Only this file sets and clears bits of `disabled`.
#include "edit/edit.h"

#include "edit/flush.h"
#include "world/report.h"

// ------------------------------------------------------------------ bits
void keeli_store_disable(keeli_storage *s, uint32_t index) {
    (void)keeli_presence_set(&s->disabled, index);
    (void)keeli_presence_clear(&s->presence, index);
    s->flags |= KEELI_HAS_DISABLED;
}

void keeli_store_enable(keeli_storage *s, uint32_t index) {
    (void)keeli_presence_clear(&s->disabled, index);
    (void)keeli_presence_set(&s->presence, index);
    if (!s->disabled.count) s->flags &= ~(uint32_t)KEELI_HAS_DISABLED;
}

void keeli_store_drop_disabled(keel_world *world, keeli_storage *s, uint32_t index) {
    keeli_store_enable(s, index);
    keeli_value_drop(s, keeli_indexed_set_value(&s->indexed, index));
    keeli_store_pop(world, s, index);
}

// ------------------------------------------------------------------ public
// The storage of a component that can be disabled; NULL with the reason in `*result`, which is
// KEEL_OK when the world does not know the component.
static keeli_storage *storage_of(keel_world *world, keel_entity e, const keel_component *component,
                                 const char *verb, keel_result *result) {
    if (!keeli_entity_is_alive(&world->entities, e)) {
        *result = KEEL_ERROR_DEAD_ENTITY;
        return NULL;
    }
    if (component && !component->is_unique && component->storage != KEEL_INDEXED) {
        *result = keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                               "cannot %s '%s': that takes KEEL_INDEXED storage; declare it with "
                               ".storage = KEEL_INDEXED, or delete and add it",
                               verb, keeli_component_name(component));
        return NULL;
    }
    return keeli_known_to_edit(world, NULL, component, verb, result);
}

void keeli_disable(keel_world *world, keeli_storage *s, uint32_t index) {
    keeli_hiding(world, s, index);
    keeli_store_disable(s, index);
    keeli_validate_storage(world, s);
}

keel_result keel_disable_component(keel_world *world, keel_entity e,
                                   const keel_component *component) {
    if (!world) return keeli_no_world();
    keel_result result;
    keeli_storage *s = storage_of(world, e, component, "disable", &result);
    if (!s) return result < 0 ? result : KEEL_ABSENT;
    const uint32_t index = keel_entity_index(e);
    if (!keeli_store_has(s, index)) return KEEL_ABSENT;
    if (!keeli_presence_reserve(&s->disabled, &world->heap, index))
        return keeli_out_of_memory(world, "disabling a component");
    keeli_disable(world, s, index);
    return keeli_done(world, KEEL_OK);
}

keel_result keel_enable_component(keel_world *world, keel_entity e,
                                  const keel_component *component) {
    if (!world) return keeli_no_world();
    keel_result result;
    keeli_storage *s = storage_of(world, e, component, "enable", &result);
    if (!s) return result < 0 ? result : KEEL_ABSENT;
    const uint32_t index = keel_entity_index(e);
    if (!keeli_store_is_disabled(s, index)) return KEEL_ABSENT;
    keeli_store_enable(s, index);
    keeli_shown(world, s, index);
    keeli_validate_storage(world, s);
    return keeli_done(world, KEEL_OK);
}

bool keel_is_component_disabled(const keel_world *world, keel_entity e,
                                const keel_component *component) {
    const keeli_storage *s = world && component ? keeli_storage_find(world, component) : NULL;
    return s && keeli_entity_is_alive(&world->entities, e) &&
           keeli_store_is_disabled(s, keel_entity_index(e));
}

bool keel_is_component_enabled(const keel_world *world, keel_entity e,
                               const keel_component *component) {
    return keel_has_component(world, e, component);
}
