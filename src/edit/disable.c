// SPDX-License-Identifier: MIT
// Disabling components of KEEL_INDEXED: the presence bit goes, a bit in a second bitmap comes, and
// the value stays where it is (keeli_store_disable).
#include "edit/edit.h"

#include "world/report.h"

void keeli_disable(keel_world *world, keeli_storage *s, uint32_t index) {
    keeli_hiding(world, s, index);
    keeli_store_disable(s, index);
    keeli_validate_storage(world, s);
}

static keel_result show(keel_world *world, keel_entity e, const keel_component *component,
                        bool shows) {
    const char *verb = shows ? "enable" : "disable";
    if (!world) return keeli_no_world();
    if (!keeli_entity_is_alive(&world->entities, e)) return KEEL_ERROR_DEAD_ENTITY;
    if (component && !component->is_unique && component->storage != KEEL_INDEXED)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "cannot %s '%s': that takes KEEL_INDEXED storage; declare it with "
                            ".storage = KEEL_INDEXED, or delete and add it",
                            verb, keeli_component_name(component));
    keel_result result;
    keeli_storage *s = keeli_known_to_edit(world, NULL, component, verb, &result);
    if (!s) return result < 0 ? result : KEEL_ABSENT;
    const uint32_t index = keel_entity_index(e);
    if (shows ? !keeli_store_is_disabled(s, index) : !keeli_store_has(s, index)) return KEEL_ABSENT;
    if (shows) {
        keeli_store_enable(s, index);
        keeli_shown(world, s, index);
        keeli_validate_storage(world, s);
    } else {
        if (!keeli_presence_reserve(&s->disabled, &world->heap, index))
            return keeli_out_of_memory(world, "disabling a component");
        keeli_disable(world, s, index);
    }
    return keeli_done(world, KEEL_OK);
}

keel_result keel_disable_component(keel_world *world, keel_entity e,
                                   const keel_component *component) {
    return show(world, e, component, false);
}
keel_result keel_enable_component(keel_world *world, keel_entity e,
                                  const keel_component *component) {
    return show(world, e, component, true);
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
