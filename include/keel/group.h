// SPDX-License-Identifier: MIT
/// @file group.h
/// Groups keep the entities that have a set of components together. This header also has the
/// functions that sort sparse sets.
///
/// A **group** owns sparse sets. In each set, the values of the group's members come first, in the
/// same order in all sets, so that a view of these components iterates over plain arrays. The price
/// is a few swaps whenever an entity begins or ceases to match. Views find groups by themselves: a
/// group only has to exist.
///
/// The members are the entities that have all components that the group **owns** or **gets**, and
/// none that it **excludes**. A full group owns all components that its members must have. A
/// partial group owns some of them and gets the others. A group that owns nothing keeps a list of
/// its members, so that views need not filter entities.
///
///     keel_group *moving = keel_group_create(world, KEEL_OWNED(Position, Velocity));
///
/// A component is owned by one group at most. Any number of groups may get or exclude it. An owned
/// component must be a sparse set; the other components may have any storage.
///
/// **Order.** The entities that match when the group is created become members in the order of the
/// group's first component (owned components are first); if no component is a sparse set, by
/// ascending index. Later, an entity that begins to match becomes the last member. An entity that
/// ceases to match first changes places with the last member, and then loses the component. Adding
/// an excluded component ends the membership of an entity, and removing it may make the entity a
/// member.
///
/// **Sorting** changes the order of a sparse set, or of a group. It is stable: values that compare
/// equal keep their order. Later edits do not keep a set sorted.
#pragma once
#include <keel/hierarchy.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A group of a world. A call with a group that was destroyed returns an error; its behaviour is
/// defined.
typedef struct keel_group keel_group;

/// The components of a group. At least two components in all, at least one of them owned or got,
/// and none named twice. keel_group_create of typed.h takes these lists in place.
typedef struct keel_group_desc {
    const char *name; ///< name for messages and keel_find_group, to 63 bytes, not used by another
                      ///< group; default: the names of the components
    const keel_component *const *owned; ///< sparse sets, ends with NULL; default none
    const keel_component *const *get;   ///< components of any storage that a member must have, ends
                                        ///< with NULL; default none
    const keel_component *const *exclude; ///< components that a member must not have, ends with
                                          ///< NULL; default none
} keel_group_desc;

/// Creates a group; the entities that match already become members. The call counts as an edit of
/// all components that the group names. Components that the world does not know are registered.
/// Typed: keel_group_create.
/// @param group receives the group, NULL on error; may be NULL
/// @invalidates pointers to values of owned components
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ERROR_GROUPED when another group owns one of `owned` (the message names
///   it), KEEL_ERROR_ARGUMENT (see keel_group_desc; an owned component that is no sparse set, or
///   keel_child), KEEL_ERROR_COMPONENT, KEEL_ERROR_MEMORY, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
///   (in systems of a workload, too)
KEEL_API keel_result keel_group_create_of(keel_world *world, const keel_group_desc *desc,
                                          keel_group **group);

/// Destroys a group. Afterwards other groups may own its components. Values stay where they are.
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ERROR_ARGUMENT when `group` is not a group of this world,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED (in systems of a workload, too)
KEEL_API keel_result keel_group_destroy(keel_world *world, keel_group *group);

/// Returns the group of this name, or NULL.
KEEL_API keel_group *keel_find_group(const keel_world *world, const char *name);

/// Returns the name of a group; "" when it is not a group of this world.
KEEL_API const char *keel_group_name(const keel_world *world, const keel_group *group);

/// Returns the number of members of a group; 0 when it is not a group of this world.
KEEL_API uint32_t keel_group_count(const keel_world *world, const keel_group *group);

/// True if the entity is a member. False when it is not alive, and when the group is not one of
/// this world.
KEEL_API bool keel_group_contains(const keel_world *world, const keel_group *group, keel_entity e);

/// Returns the member at a position of the group's order, counted from 0; null if `position` is not
/// below keel_group_count.
KEEL_API keel_entity keel_group_entity(const keel_world *world, const keel_group *group,
                                       uint32_t position);

/// Compares two values: negative, zero or positive as for qsort. The function must not edit the
/// storages that are being sorted: such an edit is refused with KEEL_ERROR_BORROWED.
typedef int keel_value_compare(const void *a, const void *b, void *data);

/// The sparse set or group to sort, and the order. Unset members must be NULL or 0. Set either
/// `component` or `group`, and exactly one of `compare`, `compare_entities` and `as`.
typedef struct keel_sort_desc {
    const keel_component *component; ///< a sparse set, also of tags, that no group owns
    keel_group *group; ///< a group: sorts its members, in all sets that it owns alike; for a group
                       ///< that owns nothing, its list of members
    keel_value_compare *compare;           ///< compares values of `by`
    keel_entity_compare *compare_entities; ///< compares entities by any of their data
    /// A component to take the order from: first the entities that have it, in its order (a sparse
    /// set's own, ascending index for KEEL_INDEXED), then the rest in their present order. Views of
    /// both components then find runs of values side by side.
    const keel_component *as;
    /// The component that `compare` gets the values of, of any storage; entities that lack it are
    /// last. For a group: a component that it owns or gets. Default: `component`.
    const keel_component *by;
    uint32_t first; ///< sort only this many values at the front; default 0: all
    void *data;     ///< passed to the function that compares
} keel_sort_desc;

/// Sorts a sparse set or a group. The sort is stable. Only sparse sets have an order of their own:
/// KEEL_INDEXED is iterated by index, KEEL_ARCHETYPE by tables and rows. Later edits do not keep a
/// set sorted. Typed: keel_sort_with takes the description in place; keel_sort and keel_sort_as are
/// the usual cases.
///
/// Cost: time n log n, less if much is in order already. The call allocates two numbers for each
/// value, and room for one value, and frees them.
/// @invalidates pointers to values of the sorted components
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ABSENT when the world does not know the component, KEEL_ERROR_GROUPED when
///   a group owns the component (set `group` instead), KEEL_ERROR_ARGUMENT (a component that is no
///   sparse set; `compare` for a tag; a group of another world; none or several of `compare`,
///   `compare_entities` and `as`; `as` is a KEEL_ARCHETYPE component), KEEL_ERROR_MEMORY,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_sort_by(keel_world *world, const keel_sort_desc *desc);

/// Swaps two entities in the order of a sparse set, also of tags. Values stay with their entities.
/// In a set that a group owns, members swap in all sets that the group owns. Typed: keel_swap.
/// @invalidates pointers to both values
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ABSENT when one of them lacks the component, KEEL_ERROR_DEAD_ENTITY,
///   KEEL_ERROR_GROUPED when a group owns the component and exactly one of the two entities is a
///   member, KEEL_ERROR_ARGUMENT when the component is no sparse set, KEEL_ERROR_MEMORY,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_swap_component(keel_world *world, const keel_component *component,
                                         keel_entity a, keel_entity b);

#ifdef __cplusplus
}
#endif
