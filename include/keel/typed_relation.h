// SPDX-License-Identifier: MIT
/// @file typed_relation.h
/// The part of typed.h that is about relations (relation.h). A relation `Likes` is the component
/// KEEL_COMPONENT_Likes, and a pointer KEEL_RELATION_Likes to it. The verbs of relations use the
/// pointer, so that they do not compile with a component that is no relation.
#pragma once
#pragma GCC system_header
#include <keel/relation.h>
#include <keel/typed_core.h>
#include <keel/typed_cpp.h>
// clang-format off

/// Declares a relation between entities: `KEEL_RELATION(Likes);`, `KEEL_RELATION(PartOf, .exclusive = true);`. It declares the
/// type `T`, which has no values; the options are members of keel_component.
#define KEEL_RELATION(...) KEELI_RELATION(__VA_ARGS__, .line = __LINE__)
#define KEELI_RELATION(T, ...)                                                                      \
    typedef struct T T; KEELI_DESCRIPTOR(, KEEL_COMPONENT_##T, #T, 0, 1, false, .is_relation = true, __VA_ARGS__) KEELI_FOUND(KEEL_COMPONENT_, T); \
    KEELI_UNUSED static const keel_component *const KEEL_RELATION_##T = &KEEL_COMPONENT_##T
/// Declares a relation whose edges have values of the struct `T`: `KEEL_VALUED_RELATION(Holds);`, or with options,
/// `KEEL_VALUED_RELATION(DockedAt, .exclusive = true);`. If it is exclusive, the value is the component of the source, so
/// `KEEL_READ(DockedAt, d)`, keel_get and so on return it.
#define KEEL_VALUED_RELATION(...) KEELI_VALUED_RELATION(__VA_ARGS__, .line = __LINE__)
#define KEELI_VALUED_RELATION(T, ...)                                                               \
    KEELI_TYPE_DESCRIPTOR(KEEL_COMPONENT_##T, T, false, .is_relation = true, __VA_ARGS__) KEELI_FOUND(KEEL_COMPONENT_, T); \
    KEELI_UNUSED static const keel_component *const KEEL_RELATION_##T = &KEEL_COMPONENT_##T
/// The descriptor of a relation, for functions that take one.
#define KEEL_RELATION_OF(T) (KEEL_RELATION_##T)

/// Relates two entities: `keel_relate(world, a, Likes, b)`, with a value `keel_relate(world, ship, DockedAt, port, { 3 })`.
/// Scope: any. See keel_relate_component.
#define keel_relate(scope, ...) KEELI_CAT(KEELI_RELATE_, KEELI_OVER_3(__VA_ARGS__))(scope, __VA_ARGS__)
#define KEELI_RELATE_keeli_one(scope, source, T, target) keel_relate_component((scope), (source), KEEL_RELATION_OF(T), (target), NULL)
#define KEELI_RELATE_keeli_more(scope, source, T, target, ...) KEELI_RELATE((scope), (source), KEEL_RELATION_OF(T), (target), KEELI_THE_VALUE(T, __VA_ARGS__))
/// Returns the value of an edge, or NULL: `keel_get_related(world, ship, DockedAt, port)`. Scope: all but commands.
#define keel_get_related(scope, source, T, target) ((const T *)keel_get_related_component((scope), (source), KEEL_RELATION_OF(T), (target)))
/// Returns the value of an edge to change in place, or NULL; the value counts as modified. Scope: all but commands.
#define keel_get_related_mut(scope, source, T, target) ((T *)keel_get_related_component_mut((scope), (source), KEEL_RELATION_OF(T), (target)))
/// Removes the edge between two entities: `keel_unrelate(world, a, Likes, b)`. Scope: any.
#define keel_unrelate(scope, source, T, target) keel_unrelate_component((scope), (source), KEEL_RELATION_OF(T), (target))
/// Removes the edges from a source to all its targets: `keel_unrelate_all(world, a, Likes)`. Scope: any.
#define keel_unrelate_all(scope, source, T) keel_unrelate_all_component((scope), (source), KEEL_RELATION_OF(T))
/// Removes the edges from all sources to a target: `keel_unrelate_sources(world, Likes, b)`. Scope: any.
#define keel_unrelate_sources(scope, T, target) keel_unrelate_sources_component((scope), (target), KEEL_RELATION_OF(T))
/// True if `target` is a target of `source`. Scope: all but commands.
#define keel_is_related(scope, source, T, target) keel_is_related_component((scope), (source), KEEL_RELATION_OF(T), (target))
/// Returns the first target of a source, the only one of an exclusive relation; or null. Scope: all but commands.
#define keel_target_of(scope, source, T) keel_target_of_component((scope), (source), KEEL_RELATION_OF(T))
/// Returns the number of targets of a source. Scope: all but commands.
#define keel_target_count(scope, source, T) keel_target_count_component((scope), (source), KEEL_RELATION_OF(T))
/// Returns the number of sources of a target. Scope: all but commands.
#define keel_source_count(scope, target, T) keel_source_count_component((scope), (target), KEEL_RELATION_OF(T))
/// Loops over all targets of a source, in the order of relating: `KEEL_EACH_TARGET(world, a, Likes, b) { ... }`. The body may
/// edit the relation. The loop visits the targets that the source had at the beginning, except those that are removed before
/// their turn, and no targets that are added during the loop, so it ends. A target that was removed and added again before its
/// turn may be left out. If the relation is unregistered, the loop ends, too. break and return may leave the loop; longjmp must
/// not. A relation with values takes one more name, `KEEL_EACH_TARGET(world, who, Holds, what, h)`: `const Holds *h` is the
/// value of the edge, valid until the edge is removed. Scope: all but commands.
#define KEEL_EACH_TARGET(scope, source, ...) KEELI_CAT(KEELI_EACH_RELATED_, KEELI_OVER_2(__VA_ARGS__))(KEELI_CAT(keeli_walk_, __COUNTER__), scope, source, false, __VA_ARGS__)
/// Loops over all sources of a target in the same way: `KEEL_EACH_SOURCE(world, b, Likes, a) { ... }`, with values
/// `KEEL_EACH_SOURCE(world, what, Holds, who, h)`. Scope: all but commands.
#define KEEL_EACH_SOURCE(scope, target, ...) KEELI_CAT(KEELI_EACH_RELATED_, KEELI_OVER_2(__VA_ARGS__))(KEELI_CAT(keeli_walk_, __COUNTER__), scope, target, true, __VA_ARGS__)
/// Loops over the chain above a source in an exclusive relation, nearest first: `KEEL_EACH_TARGET_ABOVE(world, wheel, PartOf,
/// whole) { ... }`. A cycle ends the loop. The body may unrelate the current entity. Scope: all but commands.
#define KEEL_EACH_TARGET_ABOVE(scope, source, T, other) KEELI_EACH_ABOVE(KEELI_CAT(keeli_of_, __COUNTER__), KEELI_CAT(keeli_next_, __COUNTER__), scope, source, T, other)
#define KEELI_EACH_ABOVE(from, following, scope, source, T, other)                                  \
    for (keel_entity from = (source), other = keel_next_target_above_component((scope), from, KEEL_RELATION_OF(T), keel_null()), following = keel_is_null(other) ? other : keel_next_target_above_component((scope), from, KEEL_RELATION_OF(T), other); \
         !keel_is_null(other); other = following, following = keel_is_null(other) ? other : keel_next_target_above_component((scope), from, KEEL_RELATION_OF(T), other))
/// Loops over the tree below a target in an exclusive relation, each entity before its own sources, in the order of relating:
/// `KEEL_EACH_SOURCE_BELOW(world, whole, PartOf, part) { ... }`. The body must not change the relation. Scope: all but
/// commands.
#define KEEL_EACH_SOURCE_BELOW(scope, target, T, other) KEELI_EACH_BELOW(KEELI_CAT(keeli_of_, __COUNTER__), scope, target, T, other)
#define KEELI_EACH_BELOW(to, scope, target, T, other)                                               \
    for (keel_entity to = (target), other = keel_next_source_below_component((scope), to, KEEL_RELATION_OF(T), keel_null()); \
         !keel_is_null(other); other = keel_next_source_below_component((scope), to, KEEL_RELATION_OF(T), other))
#define KEELI_EACH_RELATED_keeli_one(walk, scope, of, to_sources, T, other)                         \
    for (keeli_relation_walk walk __attribute__((cleanup(keeli_relation_walk_end))) = keeli_relation_walk_of(KEELI_TO_READ(scope), (of), KEEL_RELATION_OF(T), to_sources); walk.relation; walk.relation = NULL) \
        for (keel_entity other = keeli_relation_walk_next(&walk); !keel_is_null(other); other = keeli_relation_walk_next(&walk))
#define KEELI_EACH_RELATED_keeli_more(walk, scope, of, to_sources, T, other, value)                 \
    for (keeli_valued_walk walk __attribute__((cleanup(keeli_valued_walk_end))) = keeli_valued_walk_of(KEELI_TO_READ(scope), (of), KEEL_RELATION_OF(T), to_sources); walk.plain.relation; walk.plain.relation = NULL) \
        for (const T *value = NULL; walk.plain.relation; walk.plain.relation = NULL)                  \
            for (keel_entity other = keeli_relation_walk_next(&walk.plain); value = (const T *)keeli_valued_walk_value(&walk), !keel_is_null(other); other = keeli_relation_walk_next(&walk.plain))

/// Filter: the entity must be a target of the relation: `KEEL_TARGETED(Likes)`, `KEEL_TARGETED(keel_child)`; see view.h.
#define KEEL_TARGETED(R) (keeli_filter, KEEL_TERM_TARGETED, void, , &KEEL_COMPONENT_##R, NULL, R)
/// Term of a loop or view: the sources of one target lead, in the order of relating: `KEEL_RELATED(Holds, sword)`; see view.h.
#define KEEL_RELATED(R, to) (keeli_related, KEEL_TERM_RELATED, void, , &KEEL_COMPONENT_##R, NULL, KEELI_HANDLES(to))
/// @cond what the term is in the tables of typed.h
#ifdef __cplusplus
static inline const keel_entity *keeli_handle_at(const keel_entity &to) { return &to; }
#define KEELI_HANDLES(to) keeli_handle_at(to)
#else
#define KEELI_HANDLES(to) ((const keel_entity[]){ to })
#endif
#define KEELI_IS_CUSTOM_keeli_related ~, 1
#define KEELI_SIZE_keeli_related(CT) 0
#define KEELI_CHECK_keeli_related(s, i, ...) KEELI_STATIC_ASSERT(0, #s ": KEEL_RELATED is for loops and views: a system does not know the target; declare KEEL_MAY_READ of the relation and loop with KEEL_EACH(context, KEEL_RELATED(R, to), ...)")
#define KEELI_ONE_keeli_related(it, i, ...)
#define KEELI_ALL_keeli_related(it, i, ...)
/// @endcond
// clang-format on
