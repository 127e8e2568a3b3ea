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
/// none named twice. keel_group_create of typed.h takes these lists in place.
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
///   it), KEEL_ERROR_ARGUMENT (see keel_group_desc; an owned component that is no sparse set, or
///   keel_child), KEEL_ERROR_COMPONENT, KEEL_ERROR_MEMORY, KEEL_ERROR_BORROWED,
///   KEEL_ERROR_SHARED (in systems of a workload, too)
KEEL_API keel_result keel_group_create_of(keel_world *world, const keel_group_desc *desc,
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

/// What is sorted, and by what. Members that are not set are NULL or 0.
typedef struct keel_sort_desc {
    const keel_component *component; ///< a sparse set, tags too, that no group owns; or
    keel_group *group; ///< a group: its members' order in all that it owns, alike, or that of the
                       ///< list of a group that owns nothing
    keel_value_compare *compare;           ///< by values: of `by`; or
    keel_entity_compare *compare_entities; ///< by whatever this looks at; or
    /// as another component: first those who have it, in its order (a sparse set's own, ascending
    /// index for KEEL_INDEXED), then the rest in the order in which they are. Views of both then
    /// find runs of values side by side.
    const keel_component *as;
    /// Whose values `compare` gets; default: those of `component`. Of any storage, who has none
    /// comes last; for a group one that it owns or gets.
    const keel_component *by;
    uint32_t first; ///< so many at the front are sorted, among themselves; default 0: all
    void *data;     ///< handed to the function that compares
} keel_sort_desc;

/// Sort a sparse set or a group; what compares equal keeps its order. Only sparse sets have an
/// order of their own: KEEL_INDEXED goes by index, KEEL_ARCHETYPE by tables and rows. Later edits
/// do not keep a set sorted. Time n log n, less where much is in order; memory for two numbers per
/// value and one value, which is given back. keel_sort_with writes the description in place,
/// keel_sort and keel_sort_as the most frequent ones.
/// @invalidates pointers to values of what is sorted
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ABSENT when the world does not know the component, KEEL_ERROR_GROUPED when
///   a group owns it (name the group), KEEL_ERROR_ARGUMENT for other storages, values of tags, a
///   group of another world, without or with several of `compare`, `compare_entities` and `as`, and
///   `as` an archetype component; KEEL_ERROR_MEMORY, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_sort_by(keel_world *world, const keel_sort_desc *desc);

/// Let two entities change places in the order of a sparse set, tags too; values stay with their
/// entities. In a set that a group owns members change places in all that the group owns.
/// @invalidates pointers to both values
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ABSENT when one of them has no such component, KEEL_ERROR_DEAD_ENTITY,
///   KEEL_ERROR_GROUPED when a group owns it and has one of both as a member,
///   KEEL_ERROR_ARGUMENT for other storages, KEEL_ERROR_MEMORY, KEEL_ERROR_BORROWED,
///   KEEL_ERROR_SHARED
KEEL_API keel_result keel_swap_component(keel_world *world, const keel_component *component,
                                         keel_entity a, keel_entity b);

#ifdef __cplusplus
}
#endif
