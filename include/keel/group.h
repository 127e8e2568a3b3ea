// SPDX-License-Identifier: MIT
/// @file group.h
/// Groups keep the entities that have a set of components together; and the order of sparse sets.
///
/// A **group** owns sparse sets: their first values are those of the members, side by side and in
/// the same order in each, so that a view of these components is a walk over arrays. The price is a
/// few swaps whenever an entity comes to match or ceases to. Views find groups by themselves:
/// nothing is asked of a group but that it exists.
///
/// The members are the entities that have all components that the group owns or **gets** and none
/// that it **excludes**. A group that owns everything it needs is full, one that gets some is
/// partial; one that owns nothing keeps a list of its members, and saves its views the filtering.
///
/// A component is owned by one group at most, and got and excluded by any number. What is owned is
/// a sparse set; what is got or excluded may be of any storage.
///
/// **Order.** A group over filled storages takes members in from its first component (owned ones
/// come first), front to back; without a sparse set there by ascending index. Later, a component is
/// added and then its entity becomes the last member; an entity that leaves changes places with the
/// last member first and loses the component then. Adding an excluded component makes it leave,
/// removing one lets it in.
///
/// **Sorting** changes the order of a sparse set, or of a group. It is stable: what compares equal
/// keeps its order. Later edits do not keep a set sorted.
#pragma once
#include <keel/hierarchy.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A group of a world. Calls with one that was destroyed are errors, not crashes.
typedef struct keel_group keel_group;

/// What a group is made of. At least two components in all, at least one of them owned or got, and
/// none named twice. See KEEL_GROUP in typed.h.
typedef struct keel_group_desc {
    const char *name; ///< for messages and keel_find_group, to 63 bytes, not used by
                      ///< another group; default: the names of the components
    const keel_component *const *owned;   ///< sparse sets, ends with NULL; default none
    const keel_component *const *get;     ///< have to be there too, ends with NULL; default none
    const keel_component *const *exclude; ///< must not be there, ends with NULL; default none
} keel_group_desc;

/// Make a group and take in the entities that match already. It is an edit of all it names.
/// Components that the world does not know yet become known to it.
/// @param group receives the group, NULL on error; may be NULL
/// @invalidates pointers to values of owned components
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ERROR_GROUPED when another group owns one of `owned` (the message names
/// it),
///   KEEL_ERROR_ARGUMENT (see keel_group_desc; an owned component that is no sparse set, or
///   keel_parent or keel_child), KEEL_ERROR_COMPONENT, KEEL_ERROR_MEMORY, KEEL_ERROR_BORROWED,
///   KEEL_ERROR_SHARED (in systems of a workload, too)
KEEL_API keel_result keel_group_create(keel_world *world, const keel_group_desc *desc,
                                       keel_group **group);

/// End a group: other groups may own its components then. Values stay where they are.
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ERROR_ARGUMENT when it is not a group of this world, KEEL_ERROR_BORROWED,
///   KEEL_ERROR_SHARED (in systems of a workload, too)
KEEL_API keel_result keel_group_destroy(keel_world *world, keel_group *group);

/// The group of this name, or NULL.
KEEL_API keel_group *keel_find_group(const keel_world *world, const char *name);

/// The name of a group; "" when it is not one of this world.
KEEL_API const char *keel_group_name(const keel_world *world, const keel_group *group);

/// How many members a group has; 0 when it is not one of this world.
KEEL_API uint32_t keel_group_count(const keel_world *world, const keel_group *group);

/// Is the entity a member? False when it is not alive, and when the group is not one of this world.
KEEL_API bool keel_group_contains(const keel_world *world, const keel_group *group, keel_entity e);

/// The member at a position of the order, from 0; null at the end and above.
KEEL_API keel_entity keel_group_entity(const keel_world *world, const keel_group *group,
                                       uint32_t position);

/// Compares two values: negative, zero or positive as for qsort. It must not edit what is sorted:
/// that is refused with KEEL_ERROR_BORROWED.
typedef int keel_value_compare(const void *a, const void *b, void *data);

/// Sort the members of a group, by whatever `compare` looks at: their order in all owned storages,
/// alike, or that of a group that owns nothing. Entities and storages outside stay as they are.
/// @invalidates pointers to values of owned components
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ERROR_ARGUMENT when it is not a group of this world or `compare` is NULL,
///   KEEL_ERROR_MEMORY, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_group_sort(keel_world *world, keel_group *group,
                                     keel_entity_compare *compare, void *data);

/// keel_group_sort by the values of one component that the group owns or gets: faster.
/// @return as keel_group_sort; also KEEL_ERROR_ARGUMENT for another component, or a tag
KEEL_API keel_result keel_group_sort_by(keel_world *world, keel_group *group,
                                        const keel_component *component,
                                        keel_value_compare *compare, void *data);

/// Sort a sparse set by its values. Time n log n, less where much is in order; memory for two
/// numbers per value and one value, which is given back.
/// @invalidates pointers to values of the component
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ABSENT when the world does not know the component, KEEL_ERROR_GROUPED when
/// a
///   group owns it (use keel_group_sort_by), KEEL_ERROR_ARGUMENT for other storages than sparse
///   sets, for tags, and without `compare`, KEEL_ERROR_MEMORY, KEEL_ERROR_BORROWED,
///   KEEL_ERROR_SHARED
KEEL_API keel_result keel_sort_component(keel_world *world, const keel_component *component,
                                         keel_value_compare *compare, void *data);

/// Sort a sparse set, tags too, by whatever `compare` looks at.
/// @return as keel_sort_component
KEEL_API keel_result keel_sort_component_by_entity(keel_world *world,
                                                   const keel_component *component,
                                                   keel_entity_compare *compare, void *data);

/// Sort a sparse set in the order of another component: first the entities that have both, in the
/// order of `other` (a sparse set's own, ascending index for KEEL_INDEXED), then the rest in the
/// order in which they are. Views of both then find runs of values side by side.
/// @return as keel_sort_component; also KEEL_ERROR_ARGUMENT when `other` is kept in archetypes
KEEL_API keel_result keel_sort_component_as(keel_world *world, const keel_component *component,
                                            const keel_component *other);

#ifdef __cplusplus
}
#endif
