// SPDX-License-Identifier: MIT
// Edits that remove components and delete entities. Values are removed first, one by one; followers
// are notified of each while it is still there. The rows of archetypes are moved afterwards.
#pragma once
#include "edit/batch.h"

// ------------------------------------------------------------------ components
// Removes one component of an entity, which must be allowed. Returns KEEL_OK, KEEL_ABSENT, or
// KEEL_ERROR_MEMORY if there is no room to move its row. `kind`: KEEL_TRACK_REMOVAL (the value is
// moved to `out`; NULL: it is dropped) or KEEL_TRACK_DELETION.
keel_result keeli_remove_value(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                               void *out);
// Reports and returns KEEL_ERROR_REQUIRED if the entity has the component and another one that
// requires it and is not removed in the same edit. `removed`: the batch whose columns are removed,
// or NULL.
keel_result keeli_may_remove(keel_world *world, const keeli_storage *s, keel_entity e,
                             const keeli_batch *removed, const char *verb);
// Reports and returns KEEL_ERROR_REQUIRED if any entity has a component that requires this one.
keel_result keeli_may_remove_from_all(keel_world *world, const keeli_storage *s, const char *verb);
// Ends a batch of columns without values: removes these components from all of its entities that
// are alive. Returns KEEL_OK, KEEL_ABSENT if no entity had any of them, or an error after which
// nothing has changed.
keel_result keeli_batch_remove(keeli_batch *b, uint32_t kind);

// Makes room in the archetypes that rows move to when all entities lose the component. False when
// out of memory.
bool keeli_reserve_clear(keel_world *world, keeli_storage *s);
// Deletes the component of all entities, after keeli_reserve_clear. Cannot fail.
void keeli_clear(keel_world *world, keeli_storage *s);

// ------------------------------------------------------------------ entities
// The functions from here on cannot fail.
//
// Removes all components of an entity after its observers were notified. The values are dropped;
// with KEEL_TRACK_REMOVAL the caller has moved them out before.
void keeli_remove_components(keel_world *world, keel_entity e, uint32_t kind);
// Removes all relations and components of an entity that stays alive. Observers are notified
// before, while the entity still has all of them.
void keeli_lose_all(keel_world *world, keel_entity e);
// Deletes an entity that is alive and may be deleted.
void keeli_commit_delete_entity(keel_world *world, keel_entity e);
// Deletes many entities, in the order of the list. Entities that are not alive are skipped. The
// caller has already removed the entities from the hierarchy.
void keeli_commit_delete_entities(keel_world *world, const keel_entity *list, uint32_t count);
// Deletes all components of all entities.
void keeli_clear_all(keel_world *world);
