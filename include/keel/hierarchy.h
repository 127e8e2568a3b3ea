// SPDX-License-Identifier: MIT
/// @file hierarchy.h
/// Parents and children: attach, detach, walk and delete trees of entities.
///
/// The hierarchy is a relation (relation.h) that every world has: keel_child, exclusive and
/// acyclic. The child is the source, and its parent is the target. An entity has the component
/// keel_child while it has a parent, so views can use it: `KEEL_WITH(keel_child)` for entities with
/// a parent, `KEEL_TARGETED(keel_child)` for parents, `KEEL_TARGETS_FIRST(keel_child)` for parents
/// before their children, `KEEL_OF_TARGET(keel_child, ...)` for values of the parent. Functions
/// that read relations accept keel_child, too. Children keep the order in which they were attached.
///
///     keel_entity tank = keel_add_entity(world, KEEL_INIT(Position, {1, 2}));
///     keel_entity turret = keel_add_child(world, tank, KEEL_INIT(Angle));
///     keel_attach(world, antenna, turret);
///     KEEL_EACH_CHILD(world, tank, child) keel_add(world, child, Frozen);
///     keel_delete_tree(world, tank); // the turret and the antenna, too
///
/// This header adds names for these operations, and edits of whole trees. Names of entities
/// (name.h) are unique among siblings. Deleting an entity makes roots of its children, unless the
/// world was made with another .on_parent_delete.
///
/// The edits follow the rules of edit.h. A view or context cannot declare to edit keel_child alone,
/// so it needs the whole world: KEEL_TERM_MAY_EDIT_WORLD. To read the hierarchy, it needs to read
/// keel_child.
#pragma once
#include <keel/edit.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The relation of a child to its parent. It has no values.
typedef struct keel_child keel_child;

/// Makes `child` the last child of `parent`. The child leaves its old parent and keeps its own
/// children. Observers see a new parent as a modification of keel_child.
/// @param scope a view or context needs KEEL_TERM_MAY_EDIT_WORLD
/// @return KEEL_OK, KEEL_ERROR_DEAD_ENTITY, KEEL_ERROR_CYCLE when `parent` is `child` or below it,
///   KEEL_ERROR_MEMORY, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_attach(keel_scope *scope, keel_entity child, keel_entity parent);

/// Creates an entity as the last child of `parent`. Typed: keel_add_child.
/// @param scope as keel_attach
/// @param values as keel_add_entity_values
/// @return null on error, as keel_add_entity_values and keel_attach
KEEL_API keel_entity keel_add_child_values(keel_scope *scope, keel_entity parent,
                                           const keel_value *values);

/// Makes `child` a root. It keeps its own children.
/// @param scope as keel_attach
/// @return KEEL_OK, KEEL_ABSENT when `child` has no parent, KEEL_ERROR_DEAD_ENTITY,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_detach(keel_scope *scope, keel_entity child);

/// Removes one entity from the hierarchy: it becomes a root without children, and its children
/// become roots that keep their own children. No entity is deleted.
/// @param scope as keel_attach
/// @return KEEL_OK, KEEL_ABSENT when the entity had neither parent nor children,
///   KEEL_ERROR_DEAD_ENTITY, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_unlink(keel_scope *scope, keel_entity e);

/// Removes an entity and all its descendants from the hierarchy: each becomes a root without
/// children. No entity is deleted.
/// @param scope as keel_attach
/// @return as keel_unlink
KEEL_API keel_result keel_unlink_tree(keel_scope *scope, keel_entity root);

/// Deletes an entity and all its descendants: the last one in pre-order first, the entity itself at
/// the end.
/// @param scope as keel_attach
/// @return KEEL_OK, KEEL_ABSENT when `root` was not alive, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
///   or KEEL_ERROR_RELATED (then none is deleted)
KEEL_API keel_result keel_delete_tree(keel_scope *scope, keel_entity root);

/// Compares two entities: negative, zero or positive as for qsort. It must not change the world.
typedef int keel_entity_compare(const keel_world *world, keel_entity a, keel_entity b, void *data);

/// Sorts the children of `parent`: keel_sort_sources of keel_child.
/// @return as keel_sort_sources
KEEL_API keel_result keel_sort_children(keel_world *world, keel_entity parent,
                                        keel_entity_compare *compare, void *data);

/// Returns the parent; null for a root and for an entity that is not alive.
KEEL_API keel_entity keel_parent_of(const keel_scope *scope, keel_entity e);

/// Returns the number of children of an entity.
KEEL_API uint32_t keel_child_count(const keel_scope *scope, keel_entity e);

/// Returns the first child, or null.
KEEL_API keel_entity keel_first_child(const keel_scope *scope, keel_entity parent);

/// Returns the child after `child` among the children of `parent`; null after the last one.
KEEL_API keel_entity keel_next_child(const keel_scope *scope, keel_entity parent,
                                     keel_entity child);

/// The order in which keel_next_descendant visits descendants.
typedef enum keel_walk_order {
    KEEL_DEPTH_FIRST,  ///< parents before their children, siblings in order (pre-order)
    KEEL_BREADTH_FIRST ///< level by level. The walk needs no memory, but visits all levels above
                       ///< again for each level: its time is at most entities times depth
} keel_walk_order;

/// Iterates over all descendants of `root`.
/// @param after null or `root` for the first, then the last answer
/// @return null at the end
KEEL_API keel_entity keel_next_descendant(const keel_scope *scope, keel_entity root,
                                          keel_entity after, keel_walk_order order);

#ifdef __cplusplus
}
#endif

// clang-format off
/// @cond macros that let the functions above take their scopes as they are
#define keel_attach(scope, ...) keel_attach(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_add_child_values(scope, ...) keel_add_child_values(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_detach(scope, ...) keel_detach(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_unlink(scope, ...) keel_unlink(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_unlink_tree(scope, ...) keel_unlink_tree(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_delete_tree(scope, ...) keel_delete_tree(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_parent_of(scope, ...) keel_parent_of(KEELI_TO_READ(scope), __VA_ARGS__)
#define keel_child_count(scope, ...) keel_child_count(KEELI_TO_READ(scope), __VA_ARGS__)
#define keel_first_child(scope, ...) keel_first_child(KEELI_TO_READ(scope), __VA_ARGS__)
#define keel_next_child(scope, ...) keel_next_child(KEELI_TO_READ(scope), __VA_ARGS__)
#define keel_next_descendant(scope, ...) keel_next_descendant(KEELI_TO_READ(scope), __VA_ARGS__)
/// @endcond
// clang-format on
