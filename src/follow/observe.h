// SPDX-License-Identifier: MIT
// Observers: user code that is called when something happens. While it runs the world is shared, so
// that edits are refused; what observers record is applied when the edit that called them is done.
#pragma once
#include "collect.h"

// Tell the observers of a component, if it has any, of one entity's.
void keeli_notify_slowly(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind);
static inline void keeli_notify(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind) {
    if (s->flags & KEELI_IS_OBSERVED) keeli_notify_slowly(world, s, e, kind);
}
// The same where the storage has observers, its value is known, nobody uses anything, and that is
// the whole edit.
void keeli_notify_alone(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                        const void *value);
// Something happened to a component of a living entity: sets collect it, observers are told.
static inline void keeli_tell(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind) {
    if (!(s->flags & KEELI_IS_TOLD)) return;
    if (s->flags & KEELI_IS_SOURCE) keeli_collect(world, s, e, kind);
    keeli_notify(world, s, e, kind);
}
// An entity was created, for which keeli_sets_reserve_new made room.
static inline void keeli_tell_created(keel_world *world, keel_entity e) {
    keeli_tell(world, &world->entity_storage, e, KEEL_ON_CREATED);
}
// Everything that an entity has is about to go: its components, and, with `dies`, itself.
void keeli_notify_all_of(keel_world *world, keel_entity e, uint32_t kind, bool dies);
// All values of a component are about to be deleted, from entities that live on.
void keeli_tell_clear(keel_world *world, keeli_storage *s);
// All entities are: nobody is called after that.
void keeli_notify_end(keel_world *world);

// Around each call of an observer.
void keeli_calling_begin(keel_world *world);
void keeli_calling_end(keel_world *world);
// The component becomes unknown: nobody observes it.
void keeli_observers_forget(keel_world *world, keeli_storage *s);
