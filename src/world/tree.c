// SPDX-License-Identifier: MIT
// Walks over the hierarchy, for the functions of keel/hierarchy.h and the loops of keel/walk.h. It
// makes no edits (link/hierarchy.c).
#include "world/tree.h"

#include "world/scope.h"

#include <keel/hierarchy.h>

// ------------------------------------------------------------------ walking
static bool is_parent(const keel_world *world, keel_entity e) {
    return keeli_entity_is_alive(&world->entities, e) && keeli_has_children(world, e);
}
static bool is_child(const keel_world *world, keel_entity e) {
    return keeli_entity_is_alive(&world->entities, e) && keeli_has_parent(world, e);
}

static keel_entity parent_of(const keel_world *world, keel_entity e) {
    return is_child(world, e) ? keeli_parent_of(world, e) : keel_null();
}

static keel_entity first_child(const keel_world *world, keel_entity parent) {
    if (!is_parent(world, parent))
        return keel_null();
    const keeli_chains *chains = keeli_tree_chains(world);
    return keeli_source_at(chains, keeli_chain_at(chains, keeli_index_of(parent))->first);
}

// Returns the sibling behind a child, or null.
static keel_entity beside(const keel_world *world, keel_entity child) {
    const keeli_chains *chains = keeli_tree_chains(world);
    return keeli_source_at(chains, keeli_link_at(chains, keeli_index_of(child))->next);
}

keel_entity keeli_tree_beside(const struct keeli_tree *tree, keel_entity of, keel_entity child) {
    const keel_world *world = tree->world;
    const bool is_there = is_child(world, child) && keeli_entity_is_alive(&world->entities, of) &&
                          keel_is_same(keeli_parent_of(world, child), of);
    return is_there ? beside(world, child) : keel_null();
}

// Returns the next entity of the tree in pre-order that is not below `e`.
keel_entity keeli_tree_past(const keel_world *world, keel_entity root, keel_entity e) {
    for (; !keel_is_same(e, root); e = keeli_parent_of(world, e)) {
        if (!keeli_has_parent(world, e))
            return keel_null(); // it is not below `root`
        const keel_entity next = beside(world, e);
        if (!keel_is_null(next))
            return next;
    }
    return keel_null();
}

keel_entity keeli_tree_onward(const struct keeli_tree *tree, keel_entity root, keel_entity e) {
    const keel_world *world = tree->world;
    if (!keeli_entity_is_alive(&world->entities, root) ||
        !keeli_entity_is_alive(&world->entities, e))
        return keel_null();
    return keeli_has_children(world, e) ? first_child(world, e) : keeli_tree_past(world, root, e);
}

// Returns the next entity behind `e`, in pre-order, that is exactly `level` levels below `root`;
// null if there is none. `depth` is the number of levels that `e` is below `root`.
static keel_entity next_on_level(const keel_world *world, keel_entity root, keel_entity e,
                                 uint32_t depth, uint32_t level) {
    do {
        keel_entity next = depth < level ? first_child(world, e) : keel_null();
        if (!keel_is_null(next))
            ++depth;
        for (; keel_is_null(next) && !keel_is_same(e, root); --depth) {
            const keel_entity parent = parent_of(world, e);
            next = keeli_tree_beside(&world->relations.tree, parent, e);
            if (!keel_is_null(next))
                break;
            e = parent;
        }
        e = next;
    } while (!keel_is_null(e) && depth != level);
    return e;
}

// Returns the next entity in breadth-first order. It needs no queue: it finds the entities of a
// level by walking all levels above it from `root` again.
static keel_entity next_descendant_breadth(const keel_world *world, keel_entity root,
                                           keel_entity after) {
    if (!keeli_entity_is_alive(&world->entities, root))
        return keel_null();
    if (keel_is_null(after) || keel_is_same(after, root))
        return first_child(world, root);
    uint32_t level = 0;
    for (keel_entity e = after; !keel_is_same(e, root); ++level) {
        e = parent_of(world, e);
        if (keel_is_null(e))
            return e; // `after` is not below `root`
    }
    const keel_entity next = next_on_level(world, root, after, level, level);
    return keel_is_null(next) ? next_on_level(world, root, root, 0, level + 1) : next;
}

// ------------------------------------------------------------------ looking
// Returns the world behind the scope, or NULL if the scope may not read the hierarchy.
static __attribute__((noinline)) const keel_world *looks_elsewhere(const keel_scope *scope) {
    keeli_caller who;
    if (keeli_caller_is(scope, &who) < 0)
        return NULL;
    const keeli_storage *children = who.world->relations.child->sources;
    return keeli_may_look_up(&who, children, KEEL_ACCESS_READ) ? who.world : NULL;
}
static inline const keel_world *world_of_tree(const keel_scope *scope) {
    return keeli_is_world(scope) ? keeli_world_of(scope) : looks_elsewhere(scope);
}

keeli_walk_start keeli_tree_of(const keel_scope *scope, keel_entity of) {
    static const keeli_walk_start nowhere;
    const keel_world *world = world_of_tree(scope);
    if (!world || !keeli_entity_is_alive(&world->entities, of))
        return nowhere;
    const keeli_chain *chain = keeli_chain_if_any(keeli_tree_chains(world), keeli_index_of(of));
    if (!chain)
        return nowhere;
    return (keeli_walk_start){ &world->relations.tree, chain->first };
}
keel_entity(keel_parent_of)(const keel_scope *scope, keel_entity e) {
    const keel_world *world = world_of_tree(scope);
    return world ? keeli_target_of(keeli_tree_chains(world), e) : keel_null();
}
uint32_t(keel_child_count)(const keel_scope *scope, keel_entity e) {
    const keel_world *world = world_of_tree(scope);
    if (!world || !keeli_entity_is_alive(&world->entities, e))
        return 0;
    return keeli_chain_count(keeli_tree_chains(world), keeli_index_of(e));
}
keel_entity(keel_first_child)(const keel_scope *scope, keel_entity parent) {
    const keel_world *world = world_of_tree(scope);
    return world ? first_child(world, parent) : keel_null();
}
keel_entity(keel_next_child)(const keel_scope *scope, keel_entity parent, keel_entity child) {
    const keel_world *world = world_of_tree(scope);
    return world ? keeli_tree_beside(&world->relations.tree, parent, child) : keel_null();
}
keel_entity(keel_next_descendant)(const keel_scope *scope, keel_entity root, keel_entity after,
                                  keel_walk_order order) {
    const keel_world *world = world_of_tree(scope);
    if (!world)
        return keel_null();
    return order == KEEL_BREADTH_FIRST
               ? next_descendant_breadth(world, root, after)
               : keeli_next_in_tree(world, root, keel_is_null(after) ? root : after);
}
