// SPDX-License-Identifier: MIT
// What terms over a relation ask of it: who is the target of an index, the first and the next
// source, and has anything changed. keel_child is the relation there is: the target of a child is
// its parent.
#pragma once
#include "edit/hierarchy.h"

// Of an index that has one.
static inline keel_entity keeli_target_at(const keeli_storage *relation, uint32_t index) {
    const struct keeli_set_root *root = relation->root;
    const keel_child *page = root->pages[index >> root->shift];
    return page[index & root->mask].parent;
}
static inline uint32_t keeli_source_count(const keel_world *world, keel_entity target) {
    return keeli_has_children(world, target) ? keeli_link_of_parent(world, target)->child_count : 0;
}
// Of a target that has sources.
static inline keel_entity keeli_first_source(const keel_world *world, keel_entity target) {
    return keeli_link_of_parent(world, target)->first_child;
}
// After the last one the first comes again.
static inline keel_entity keeli_next_source(const keel_world *world, keel_entity source) {
    return keeli_link_of_child(world, source)->next;
}
// Another number after each change of links.
static inline uint64_t keeli_relation_edits(const keel_world *world) {
    return world->hierarchy.links.edits;
}
