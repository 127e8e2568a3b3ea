// SPDX-License-Identifier: MIT
// Parents and children: two components and circular chains of siblings, as the hierarchy recipe of
// the Shipyard guide lays them out, with guards against cycles and dead entities. Invariant: for
// each keel_parent, following `next` from `first_child` visits `child_count` children whose
// `parent` is this entity and comes back; `prev` is the inverse. Checked by
// keeli_hierarchy_is_valid.
#pragma once
#include "base/assert.h"
#include "edit/edit.h"

// The links of an entity that has them.
static inline keel_parent *keeli_link_of_parent(const keel_world *world, keel_entity e) {
    return keeli_parent_at(&world->hierarchy.links, e);
}
static inline keel_child *keeli_link_of_child(const keel_world *world, keel_entity e) {
    return keeli_child_at(&world->hierarchy.links, e);
}
static inline bool keeli_has_children(const keel_world *world, keel_entity e) {
    return keeli_store_has(world->hierarchy.parents, keeli_index_of(e));
}
static inline bool keeli_has_parent(const keel_world *world, keel_entity e) {
    return keeli_store_has(world->hierarchy.children, keeli_index_of(e));
}
static inline bool keeli_has_links(const keel_world *world, keel_entity e) {
    return keeli_has_children(world, e) || keeli_has_parent(world, e);
}
// May the links be changed now?
keel_result keeli_may_edit_links(keel_world *world, const keeli_holder *holder);
// Room for a child and its parent. False when out of memory.
bool keeli_reserve_links(keel_world *world, keel_entity child, keel_entity parent);

// These cannot fail. The entity has no parent, there is room, and it gets one.
void keeli_commit_attach(keel_world *world, keel_entity e, keel_entity to);
// The entity has a parent and loses it.
void keeli_commit_detach(keel_world *world, keel_entity e);
// Detach the entity from its parent and its children from it.
void keeli_commit_unlink(keel_world *world, keel_entity e);
// The same for any entity that goes; its children may have its name from then on.
void keeli_leave_family(keel_world *world, keel_entity e);
bool keeli_hierarchy_is_valid(const keel_world *world);
// In test builds: walk the hierarchy, which was just edited.
static inline void keeli_validate_links(const keel_world *world) {
    KEELI_CHECK_STRUCTURE(keeli_store_count(world->hierarchy.parents) > 256 ||
                          keeli_hierarchy_is_valid(world));
    (void)world;
}
