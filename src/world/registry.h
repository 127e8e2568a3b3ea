// SPDX-License-Identifier: MIT
// Which components and uniques a world knows.
#pragma once
#include "world.h"

// The storage of a component, made when the world does not know it yet. NULL on error, with the
// reason in
// `*result` (which is KEEL_OK otherwise): KEEL_ERROR_COMPONENT, KEEL_ERROR_ARGUMENT,
// KEEL_ERROR_MEMORY.
keeli_storage *keeli_storage_get(keel_world *world, const keel_component *c, bool is_unique,
                                 keel_result *result);
// The same for keel_register_component: one that is known already may become what `c` says. Its
// hooks and tracking are not taken over yet.
keeli_storage *keeli_storage_register(keel_world *world, const keel_component *c,
                                      keel_result *result);
// The same as keeli_storage_get where &keel_entities stands for the list of entities.
keeli_storage *keeli_followed_get(keel_world *world, const keel_component *c, keel_result *result);
// The same for one that need not be known: NULL when it is not.
static inline keeli_storage *keeli_followed_find(const keel_world *world, const keel_component *c) {
    if (c == &keel_entities) return (keeli_storage *)(uintptr_t)&world->stand_in.entities;
    return c ? keeli_storage_find(world, c) : NULL;
}
// The same for a type of events.
keeli_storage *keeli_event_refused(keel_world *world, const keel_component *event,
                                   keel_result *result);
static inline keeli_storage *keeli_event_get(keel_world *world, const keel_component *event,
                                             keel_result *result) {
    return event && event->is_event ? keeli_storage_get(world, event, true, result)
                                    : keeli_event_refused(world, event, result);
}
// One that the world knows as a type of events, or NULL.
static inline keeli_storage *keeli_event_known(const keel_world *world,
                                               const keel_component *event) {
    keeli_storage *s = event ? keeli_storage_find(world, event) : NULL;
    return s && s->events ? s : NULL;
}
// For messages: "sparse set".
const char *keeli_storage_text(keel_storage storage);
// What a component with `.required` requires becomes known: KEEL_ERROR_CYCLE, or as
// keeli_storage_get. Then both sides know each other, which may need memory; and forget it
// (required.c).
keel_result keeli_required_get(keel_world *world, const keel_component *c);
bool keeli_required_begin(keel_world *world, keeli_storage *s);
void keeli_required_end(keel_world *world, keeli_storage *s);
// True if these, up to a NULL, and what they require are all that the component requires.
bool keeli_required_are(const keel_world *world, const keeli_storage *s,
                        const keel_component *const *required);
// Who has a component has what it requires.
bool keeli_required_are_there(const keel_world *world);
// The component has no values and no followers any more: it becomes unknown.
void keeli_storage_forget(keel_world *world, keeli_storage *s);
// Give the memory of levels back.
void keeli_levels_release(keeli_heap *heap, keeli_levels *levels);
// At the end of the world: drop uniques and events while everything is in its place, for hooks that
// look; then free it all.
void keeli_registry_drop(keel_world *world);
void keeli_registry_deinit(keel_world *world);
bool keeli_registry_init(keel_world *world);
// KEEL_OK, or KEEL_ERROR_COMPONENT, kept by `teller`: another copy of the library made the world.
keel_result keeli_world_is_ours(const keel_world *world, keel_world *teller);
// What only the library changes was to be changed: KEEL_ERROR_ARGUMENT.
keel_result keeli_not_by_hand(keel_world *world, const keeli_storage *s, const char *verb);
// The storage of a component that is about to be edited; NULL on error. keel_child and
// keel_name are refused, but names may go.
keeli_storage *keeli_storage_to_edit(keel_world *world, const keeli_holder *holder,
                                     const keel_component *component, const char *verb,
                                     keel_result *result);
// The same for a component that need not be known: NULL with KEEL_OK when the world does not know
// it.
keeli_storage *keeli_known_to_edit(keel_world *world, const keeli_holder *holder,
                                   const keel_component *component, const char *verb,
                                   keel_result *result);
