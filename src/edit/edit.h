// SPDX-License-Identifier: MIT
// Structural edits, on behalf of a holder (a view or a system) or, with NULL, of the world's owner.
// The public functions of edit.h, view.h, commands.h and workload.h all end here. Every edit checks
// and reserves first, then commits, which cannot fail.
#pragma once
#include "world/borrow.h"
#include "world/storage.h"

// entity.c
keel_entity keeli_edit_add_entity(keel_world *world, const keeli_holder *holder,
                                  const keel_value *values);
// Bring a promised handle to life with its components.
keel_result keeli_edit_add_held(keel_world *world, const keeli_holder *holder, keel_entity held,
                                const keel_value *values);
keel_result keeli_edit_delete_entity(keel_world *world, const keeli_holder *holder, keel_entity e);
keel_result keeli_edit_delete_entities_with(keel_world *world, const keeli_holder *holder,
                                            const keel_component *component);
// The entity is alive, may be deleted, and is in no hierarchy: delete its components, then itself.
void keeli_commit_delete_entity(keel_world *world, keel_entity e);
// The same for many different ones, in this order (delete_many.c).
void keeli_commit_delete_entities(keel_world *world, const keel_entity *list, uint32_t count);
// May this living entity be deleted now: the list of entities, its components, its family's links?
keel_result keeli_may_delete_entity(keel_world *world, const keeli_holder *holder, keel_entity e);

// component.c
keel_result keeli_edit_add(keel_world *world, const keeli_holder *holder, keel_entity e,
                           const keel_component *component, const void *value);
keel_result keeli_edit_add_unchecked(keel_world *world, const keeli_holder *holder, keel_entity e,
                                     const keel_component *component, const void *value);
keel_result keeli_edit_add_values(keel_world *world, const keeli_holder *holder, keel_entity e,
                                  const keel_value *values);
keel_result keeli_edit_remove(keel_world *world, const keeli_holder *holder, keel_entity e,
                              const keel_component *component, void *out);
keel_result keeli_edit_remove_values(keel_world *world, const keeli_holder *holder, keel_entity e,
                                     const keel_out *outs);
keel_result keeli_edit_delete_components(keel_world *world, const keeli_holder *holder,
                                         keel_entity e, const keel_component *const *components);
keel_result keeli_edit_strip(keel_world *world, const keeli_holder *holder, keel_entity e);

// component.c, used by its neighbours.
// The storage of a component that is about to be edited; NULL on error. The hierarchy's own
// components are refused.
keeli_storage *keeli_storage_to_edit(keel_world *world, const keeli_holder *holder,
                                     const keel_component *component, const char *verb,
                                     keel_result *result);
// The same for a component that need not be known: NULL with KEEL_OK when the world does not know
// it.
keeli_storage *keeli_known_to_edit(keel_world *world, const keeli_holder *holder,
                                   const keel_component *component, const char *verb,
                                   keel_result *result);
// Check and make room for the values on an entity with this index. `*room` starts zeroed.
keel_result keeli_reserve_values(keel_world *world, const keeli_holder *holder, uint32_t index,
                                 const keel_value *values, keeli_room *room);
// After keeli_reserve_values: cannot fail.
void keeli_commit_values(keel_world *world, keel_entity e, const keel_value *values,
                         const keeli_room *room);
// Delete the value of an entity if it is there. True when it was.
bool keeli_commit_delete(keel_world *world, keeli_storage *storage, keel_entity e);
// bulk.c
// Can values of the component be copied, if its copy hook does not fail? And the error of one that
// cannot, or whose hook failed.
bool keeli_can_copy(const keeli_storage *s);
keel_result keeli_cannot_copy(keel_world *world, const keeli_storage *s);
// Values that are handed over must not overlap: KEEL_ERROR_ARGUMENT.
keel_result keeli_check_stride(keel_world *world, const keeli_storage *s, size_t stride);

// hierarchy.c
// Does the entity have a parent or children?
bool keeli_has_links(const keel_world *world, keel_entity e);
// May the links be changed now?
keel_result keeli_may_edit_links(keel_world *world, const keeli_holder *holder);
// Detach the entity from its parent and its children from it: cannot fail.
void keeli_commit_unlink(keel_world *world, keel_entity e);
bool keeli_hierarchy_is_valid(const keel_world *world);
