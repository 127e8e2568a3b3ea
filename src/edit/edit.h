// SPDX-License-Identifier: MIT
// Structural edits, on behalf of a holder (a view or a system) or, with NULL, of the world's owner.
// A public verb finds out which kind of scope calls it, and records the edit as a command or calls
// a function of this header. Every edit checks and reserves first, then commits, which cannot fail.
#pragma once
#include "follow/follow.h"
#include "world/registry.h"
#include "world/scope.h"

// add.c
keel_entity keeli_edit_add_entity(keel_world *world, const keeli_holder *holder,
                                  const keel_value *values);
// Adds an entity if none of the components has followers and no memory needs to be allocated.
// Otherwise changes nothing and returns the null handle: the caller takes the general path.
keel_entity keeli_add_plain_entity(keel_world *world, const keel_value *values);
// Creates the entity of a promised handle with these components.
keel_result keeli_edit_add_held(keel_world *world, const keeli_holder *holder, keel_entity held,
                                const keel_value *values);
// Creates the entity of a promised handle as a child of a living entity. Observers of the
// components see the child below its parent.
keel_result keeli_edit_add_child_held(keel_world *world, keel_entity held, keel_entity parent,
                                      const keel_value *values);
keel_result keeli_edit_delete_entity(keel_world *world, const keeli_holder *holder, keel_entity e);
keel_result keeli_edit_delete_tree(keel_world *world, const keeli_holder *holder, keel_entity root);
keel_result keeli_edit_attach(keel_world *world, const keeli_holder *holder, keel_entity child,
                              keel_entity parent);
// Returns an error unless `holder`, or the owner if it is NULL, may delete this living entity now,
// which takes the right to edit the list of entities, its components and its relations.
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
// delete.c, copy/clone.c: many entities. `held`: the handles promised to the `count` clones.
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
// link/name.c
// Names an entity. NULL or "" removes its name.
keel_result keeli_edit_name(keel_world *world, const keeli_holder *holder, keel_entity e,
                            const char *text);
// Checks that the name of an entity is free below a new parent or, if `parent` is null, among the
// roots. Returns KEEL_ERROR_OCCUPIED if another child of the parent, or another root, has the name.
// `doing` is the verb in the message: "attach".
keel_result keeli_may_place_name(keel_world *world, const char *doing, keel_entity e,
                                 keel_entity parent);
// Returns an error unless the children of an entity may become roots now. A child loses its name if
// another root has the same, so the caller needs the right to edit keel_name if a child has a name.
keel_result keeli_may_orphan(keel_world *world, const keeli_holder *holder, keel_entity e);
// Updates the index of names after an entity got another parent. An entity that became a root loses
// its name if another root has the same. Cannot fail.
void keeli_place_name(keel_world *world, keel_entity e);
// Removes the name of an entity that is about to be deleted from the index of names, so that
// another entity can get it. Cannot fail.
void keeli_free_name(keel_world *world, keel_entity e);
// Returns a name for an entity that has none, with room for keeli_push_name; NULL when out of
// memory.
struct keeli_name *keeli_reserve_name(keel_world *world, keel_entity e, const char *text,
                                      size_t length);
// Gives the entity the name that was reserved for it. Cannot fail.
void keeli_push_name(keel_world *world, keel_entity e, keel_entity parent, struct keeli_name *name);
// Copies all names of a world to the entities with the same handles of another one. False when out
// of memory.
bool keeli_copy_names(const keel_world *from, keel_world *to);

// Returns KEEL_OK if all of the world can be hashed now. `teller`: the world that keeps the error.
// `call`: the public function. `where`: the user's place for what it answers; NULL is an error.
keel_result keeli_may_hash_world(const keel_world *world, keel_world *teller, const char *call,
                                 const void *where);
// Returns the hash of keel_world_hash, after keeli_may_hash_world.
uint64_t keeli_world_sum(const keel_world *world);
// Returns the hash of a value: of its bytes without padding, or by its hash hook (hash.c).
uint64_t keeli_hash_value(const keeli_storage *s, const void *value, uint64_t seed);
// Returns an error unless the components of all columns may be edited and no component has two
// columns (add.c).
keel_result keeli_check_columns(keel_world *world, const keeli_holder *holder,
                                const keel_value_column *columns);
// Returns KEEL_ERROR_ARGUMENT if the list is NULL and `count` is not 0 (add.c).
keel_result keeli_check_list(keel_world *world, const keel_entity *entities, uint32_t count,
                             const char *function);
