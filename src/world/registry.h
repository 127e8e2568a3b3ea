// SPDX-License-Identifier: MIT
// The registry: the components, uniques and types of events that a world knows, and their storages.
// Verbs call it to find or register the component that they name, and world.c calls it when a world
// is created or destroyed. It changes no values of entities (storage.h) and borrows nothing
// (borrow.h).
#pragma once
#include "world.h"

// Returns the storage of a component, and registers the component if the world does not know it.
// NULL on error, with the reason in `*result` (otherwise KEEL_OK): KEEL_ERROR_COMPONENT,
// KEEL_ERROR_ARGUMENT, KEEL_ERROR_MEMORY.
keeli_storage *keeli_storage_get(keel_world *world, const keel_component *c, bool is_unique,
                                 keel_result *result);
// The same for keel_register_component. Of a component that the world knows already, `c` may give
// new hooks, tracking and an initial value: this checks that it differs in nothing else, and the
// caller copies them.
keeli_storage *keeli_storage_register(keel_world *world, const keel_component *c,
                                      keel_result *result);
// As keeli_storage_get, except that &keel_entities stands for the list of entities.
keeli_storage *keeli_followed_get(keel_world *world, const keel_component *c, keel_result *result);
// As keeli_followed_get, without registering: NULL if the world does not know the component.
static inline keeli_storage *keeli_followed_find(const keel_world *world, const keel_component *c) {
    if (c == &keel_entities)
        return (keeli_storage *)(uintptr_t)&world->stand_in.entities;
    return c ? keeli_storage_find(world, c) : NULL;
}
// keeli_event_get is keeli_storage_get for a type of events. keeli_event_refused is its error path:
// reports that `event` is NULL or no type of events, and returns NULL.
keeli_storage *keeli_event_refused(keel_world *world, const keel_component *event,
                                   keel_result *result);
static inline keeli_storage *keeli_event_get(keel_world *world, const keel_component *event,
                                             keel_result *result) {
    return event && event->is_event ? keeli_storage_get(world, event, true, result)
                                    : keeli_event_refused(world, event, result);
}
// Returns the storage of a type of events if the world knows it, or NULL.
static inline keeli_storage *keeli_event_known(const keel_world *world,
                                               const keel_component *event) {
    keeli_storage *s = event ? keeli_storage_find(world, event) : NULL;
    return s && s->events ? s : NULL;
}
// Returns the name of a kind of storage for messages: "sparse set".
const char *keeli_storage_text(keel_storage storage);
// Required components (required.c). keeli_required_get registers the components that a component
// names in `.required`; returns errors as keeli_storage_get, or KEEL_ERROR_CYCLE.
// keeli_required_begin fills `s->required` and adds `s` to the `required_by` of each; false when
// out of memory. keeli_required_end removes both.
keel_result keeli_required_get(keel_world *world, const keel_component *c);
bool keeli_required_begin(keel_world *world, keeli_storage *s);
void keeli_required_end(keel_world *world, keeli_storage *s);
// True if the component requires exactly the components of `required`, a list that ends with NULL,
// and the components that these require.
bool keeli_required_are(const keel_world *world, const keeli_storage *s,
                        const keel_component *const *required);
// True if each entity has the components that its components require.
bool keeli_required_are_there(const keel_world *world);
// Unregisters a component that has no values and no followers any more.
void keeli_storage_forget(keel_world *world, keeli_storage *s);
// Frees the memory of levels.
void keeli_levels_release(keeli_heap *heap, keeli_levels *levels);
// End of the world: keeli_registry_drop drops uniques and events while all storages still exist,
// since hooks may read them. keeli_registry_deinit then frees everything.
void keeli_registry_drop(keel_world *world);
void keeli_registry_deinit(keel_world *world);
// Registers keel_child; false when out of memory.
bool keeli_registry_init(keel_world *world);
// Returns KEEL_OK if this copy of the library created the world, or else KEEL_ERROR_COMPONENT,
// which `teller` keeps.
keel_result keeli_world_is_ours(const keel_world *world, keel_world *teller);
// Reports an edit of a component that only the library changes. Returns KEEL_ERROR_ARGUMENT.
keel_result keeli_not_by_hand(keel_world *world, const keeli_storage *s, const char *verb);
// Returns the storage of a component that is about to be edited, registered if it was not known;
// NULL on error. Relations and keel_name are refused, as only their own verbs add and remove their
// values; but a verb may delete names, and write values of a relation's sources.
keeli_storage *keeli_storage_to_edit(keel_world *world, const keeli_holder *holder,
                                     const keel_component *component, const char *verb,
                                     keel_result *result);
// As keeli_storage_to_edit, without registering: NULL with KEEL_OK if the world does not know the
// component.
keeli_storage *keeli_known_to_edit(keel_world *world, const keeli_holder *holder,
                                   const keel_component *component, const char *verb,
                                   keel_result *result);
