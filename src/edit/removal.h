// SPDX-License-Identifier: MIT
// Edits that take components away: the other direction of a batch (batch.h). Values go first,
// notified one by one while they are still there; the rows of archetypes follow.
#pragma once
#include "edit/batch.h"

// ------------------------------------------------------------------ components
// Take one component from an entity: KEEL_OK, KEEL_ABSENT, KEEL_ERROR_MEMORY (its row cannot move).
// `kind`: KEEL_TRACK_REMOVAL (the value goes to `out`; NULL: it is dropped) or KEEL_TRACK_DELETION.
keel_result keeli_remove_value(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                               void *out);
// KEEL_ERROR_REQUIRED, reported, when the entity has the component and another one that requires
// it, unless that goes with it: a column of `going` (NULL: nothing does). And when anybody has one
// that requires it.
keel_result keeli_may_remove(keel_world *world, const keeli_storage *s, keel_entity e,
                             const keeli_batch *going, const char *verb);
keel_result keeli_may_remove_from_all(keel_world *world, const keeli_storage *s, const char *verb);
// The end of a batch of columns without values: they go from all of its entities that are alive.
// KEEL_OK, KEEL_ABSENT when none had one, or an error, and then nothing has changed.
keel_result keeli_batch_remove(keeli_batch *b, uint32_t kind);

// Make room to take the component from all entities; false when out of memory. Then delete it from
// all of them.
bool keeli_reserve_clear(keel_world *world, keeli_storage *s);
void keeli_clear(keel_world *world, keeli_storage *s);

// ------------------------------------------------------------------ entities
// These cannot fail. Take all components of an entity, of which observers were notified: they are
// dropped, or (KEEL_TRACK_REMOVAL) were moved out.
void keeli_remove_components(keel_world *world, keel_entity e, uint32_t kind);
// Takes all relations and components of an entity that lives on. Observers are notified before,
// while it still has them, and hear no more of it.
void keeli_lose_all(keel_world *world, keel_entity e);
// Deletes an entity that is alive and may be deleted.
void keeli_commit_delete_entity(keel_world *world, keel_entity e);
// The same for many, in this order; those in the hierarchy were unlinked before, or their links
// were dropped with those of the whole tree. An entity that comes again is
// left out.
void keeli_commit_delete_entities(keel_world *world, const keel_entity *list, uint32_t count);
// Delete all components of all entities.
void keeli_clear_all(keel_world *world);
