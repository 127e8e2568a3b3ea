// SPDX-License-Identifier: MIT
// Structural edits, on behalf of a holder (a view or a system) or, with NULL, of the world's owner.
// A public verb finds out who calls, and records the edit or makes it here. Every edit checks and
// reserves first, then commits, which cannot fail.
#pragma once
#include "follow/follow.h"
#include "world/registry.h"
#include "world/scope.h"

// add.c
keel_entity keeli_edit_add_entity(keel_world *world, const keeli_holder *holder,
                                  const keel_value *values);
// The same where nobody follows anything and no memory is needed; null, with nothing done, when it
// takes more.
keel_entity keeli_add_plain_entity(keel_world *world, const keel_value *values);
// Bring a promised handle to life with its components.
keel_result keeli_edit_add_held(keel_world *world, const keeli_holder *holder, keel_entity held,
                                const keel_value *values);
// Bring a promised handle to life as a child of an entity that is alive, which observers see.
keel_result keeli_edit_add_child_held(keel_world *world, keel_entity held, keel_entity parent,
                                      const keel_value *values);
keel_result keeli_edit_delete_entity(keel_world *world, const keeli_holder *holder, keel_entity e);
keel_result keeli_edit_delete_tree(keel_world *world, const keeli_holder *holder, keel_entity root);
keel_result keeli_edit_attach(keel_world *world, const keeli_holder *holder, keel_entity child,
                              keel_entity parent);
// Returns an error unless this living entity may be deleted now: the list of entities, its
// components and its relations are free.
keel_result keeli_may_delete_entity(keel_world *world, const keeli_holder *holder, keel_entity e);

// add.c, remove.c
keel_result keeli_edit_add(keel_world *world, const keeli_holder *holder, keel_entity e,
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

keel_result keeli_edit_add_many(keel_world *world, const keeli_holder *holder,
                                const keel_entity *entities, uint32_t count,
                                const keel_value_column *column);
keel_result keeli_edit_delete_many(keel_world *world, const keeli_holder *holder,
                                   const keel_entity *entities, uint32_t count,
                                   const keel_component *component);
// delete.c, copy.c: many entities. `held`: handles that were promised to the clones.
keel_result keeli_edit_delete_entities(keel_world *world, const keeli_holder *holder,
                                       const keel_entity *entities, uint32_t count);
keel_result keeli_edit_clone(keel_world *world, keel_entity prototype, const keel_entity *held,
                             uint32_t count);
// value.c
keel_result keeli_edit_replace(keel_world *world, const keeli_holder *holder, keel_entity e,
                               const keel_component *component, const void *value);
keel_result keeli_edit_set_unique(keel_world *world, const keeli_holder *holder, keeli_storage *s,
                                  const void *value);
keel_result keeli_edit_remove_unique(keel_world *world, const keeli_holder *holder,
                                     keeli_storage *s, void *out);
// True if values of edges may be written now.
bool keeli_may_write_edges(const keel_scope *scope, const keeli_caller *who,
                           const keeli_storage *s);
// disable.c
keel_result keeli_edit_disable(keel_world *world, const keeli_holder *holder, keel_entity e,
                               const keel_component *component);
// name.c. NULL or "": the name goes.
keel_result keeli_edit_name(keel_world *world, const keeli_holder *holder, keel_entity e,
                            const char *text);
// Before an entity goes below `parent`, or (null) becomes a root: KEEL_ERROR_OCCUPIED where it
// would have a sibling of its name. `doing`: "attach".
keel_result keeli_may_place_name(keel_world *world, const char *doing, keel_entity e,
                                 keel_entity parent);
// Before its children become roots: may those lose their names that another root has?
keel_result keeli_may_orphan(keel_world *world, const keeli_holder *holder, keel_entity e);
// These cannot fail. The entity has another place, and is found there, or as a root loses a name
// that another root has.
void keeli_place_name(keel_world *world, keel_entity e);
// The entity is about to be deleted: others may have its name.
void keeli_free_name(keel_world *world, keel_entity e);
// A name for an entity that has none, with room for it; NULL when out of memory. Then it gets the
// name; this cannot fail.
struct keeli_name *keeli_reserve_name(keel_world *world, keel_entity e, const char *text,
                                      size_t length);
void keeli_push_name(keel_world *world, keel_entity e, keel_entity parent, struct keeli_name *name);
// All names of a world come to the same entities of another one; false when out of memory.
bool keeli_copy_names(const keel_world *from, keel_world *to);

// The bytes of a value that count, or what its hook says (hash.c).
uint64_t keeli_hash_value(const keeli_storage *s, const void *value, uint64_t seed);
// The components of a list of columns may be edited, and none is named twice (add.c).
keel_result keeli_check_columns(keel_world *world, const keeli_holder *holder,
                                const keel_value_column *columns);
// A list of entities that is NULL although its length is not 0: KEEL_ERROR_ARGUMENT (add.c).
keel_result keeli_check_list(keel_world *world, const keel_entity *entities, uint32_t count,
                             const char *function);
