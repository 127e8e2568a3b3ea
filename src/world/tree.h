// SPDX-License-Identifier: MIT
// Reads of the hierarchy: parents, children, and the next entity of a tree. It makes no edits:
// link/relation.c and link/hierarchy.c do. Called by them, and by verbs that copy or delete trees.
#pragma once
#include "world/storage.h"

static inline const keeli_chains *keeli_tree_chains(const keel_world *world) {
    return &world->relations.child->edges.chains;
}
static inline bool keeli_has_children(const keel_world *world, keel_entity e) {
    return keeli_store_has(world->relations.child->targets, keeli_index_of(e));
}
static inline bool keeli_has_parent(const keel_world *world, keel_entity e) {
    return keeli_store_has(world->relations.child->sources, keeli_index_of(e));
}
static inline bool keeli_has_links(const keel_world *world, keel_entity e) {
    return keeli_has_children(world, e) || keeli_has_parent(world, e);
}
// Returns the parent of an entity, or null. `e` is alive.
static inline keel_entity keeli_parent_of(const keel_world *world, keel_entity e) {
    const keeli_link *link = keeli_link_of(keeli_tree_chains(world), keeli_index_of(e));
    return link && link->stamp ? link->target : keel_null();
}
// Returns the next entity of a tree in pre-order, parents first; null at the end.
static inline keel_entity keeli_next_in_tree(const keel_world *world, keel_entity root,
                                             keel_entity e) {
    return keeli_tree_onward(&world->relations.tree, root, e);
}
// As keeli_next_in_tree, but skips the entities below `e`.
keel_entity keeli_tree_past(const keel_world *world, keel_entity root, keel_entity e);
