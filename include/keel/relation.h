// SPDX-License-Identifier: MIT
/// @file relation.h
/// Relations between entities, whom they know for as long as both are alive: who follows whom, what
/// is docked where, who likes what.
///
/// A relation is declared like a component: `KEEL_RELATION(Likes);`, or with `.exclusive = true`
/// where a source has one target at most. `keel_relate(world, a, Likes, b)` makes `a` a source and
/// `b` a target of it. Both sides keep the order in which they were related, and can be walked:
/// KEEL_EACH_TARGET, KEEL_EACH_SOURCE (typed.h).
///
/// A source has the relation as a component without a value: KEEL_WITH(Likes), keel_has, keel_count
/// and terms about changes take it. *Inserted* is who got its first target, *modified* whose
/// targets changed afterwards, *deleted* who lost the last one. Nobody adds or removes it by hand.
///
/// With KEEL_VALUED_RELATION on a struct, a relation has a value for each edge, which
/// keel_get_related hands out, and which is dropped with the edge. It stays where it is as long as
/// the edge is there: a pointer to it is valid until the edge goes. A copy of a source has copies
/// of the values. In an exclusive relation (that is not symmetric) the value is the component of
/// the source: KEEL_READ and KEEL_WRITE, keel_get and so on hand it out, and it is kept where the
/// source gets another target; pointers to it are those of a component. In others a source has no
/// value of its own: keel_get answers NULL with an error, and terms that read or write it are
/// refused.
///
/// Whoever is deleted, stripped or cleared lets go of all its targets, and its sources of it: no
/// relation ever names an entity that is not alive. A copy of an entity (keel_clone_entity) has the
/// targets of its prototype; nobody is related to it. keel_copy_world copies all, in the same
/// order. keel_world_hash knows who is related to whom, but not in which order.
///
/// With `.on_delete` a relation says what else becomes of its sources when a target is deleted:
/// KEEL_DELETE_SOURCES deletes them, and theirs, before it; KEEL_REFUSE refuses the deletion,
/// unless they are deleted with it. All are found first, so that a refused deletion changes
/// nothing; no memory is needed. Strip, keel_clear_entities, keel_delete_entity_unchecked, the end
/// of a world and of the relation ask no such rule. An exclusive relation may be acyclic, so
/// that nobody comes to itself: KEEL_RELATION(PartOf, .exclusive = true, .acyclic = true).
///
/// A `.symmetric` relation relates both ways with one value: each end is a source and a target of
/// the other. An edit of the one direction is one of the other. In one that is exclusive, too, both
/// leave their former partners, and the copy of one who has a partner has none.
///
/// The edits follow the rules of edit.h. Which entities are related is one thing to be held: a view
/// or system that edits needs KEEL_MAY_EDIT of the relation, and one that looks KEEL_MAY_READ.
/// Commands record edits; where one of both is not alive any more when they are applied, that edit
/// is dropped.
///
/// Cost: an edit takes as long for thousands of targets as for one, but for keel_relate and
/// keel_unrelate where a relation is not exclusive: they look through the targets of the one or the
/// sources of the other, whichever are fewer.
#pragma once
#include <keel/hierarchy.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Make `target` the last target of `source`, and `source` the last source of `target`. Where they
/// are related already nothing happens. In an exclusive relation the source leaves its old target.
/// @param relation what KEEL_RELATION declared
/// @param value of a relation with values: handed over as by keel_add_component, and overwrites the
///   one that is there. NULL: zeros, or the value that is there; and for relations without values
/// @return KEEL_OK, KEEL_ERROR_DEAD_ENTITY, KEEL_ERROR_ARGUMENT when it is no relation,
///   KEEL_ERROR_MEMORY, KEEL_ERROR_CYCLE (an acyclic one), KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED,
///   KEEL_ERROR_ACCESS
KEEL_API keel_result keel_relate_component(keel_scope *scope, keel_entity source,
                                           const keel_component *relation, keel_entity target,
                                           const void *value);

/// The opposite of keel_relate_component.
/// @return the same, and KEEL_ABSENT when they are not related
KEEL_API keel_result keel_unrelate_component(keel_scope *scope, keel_entity source,
                                             const keel_component *relation, keel_entity target);

/// A source lets go of all its targets.
/// @return as keel_unrelate_component
KEEL_API keel_result keel_unrelate_all_component(keel_scope *scope, keel_entity source,
                                                 const keel_component *relation);

/// All sources let go of a target, the last one first.
/// @return as keel_unrelate_component
KEEL_API keel_result keel_unrelate_sources_component(keel_scope *scope, keel_entity target,
                                                     const keel_component *relation);

/// Is `source` related to `target`?
KEEL_API bool keel_is_related_component(const keel_scope *scope, keel_entity source,
                                        const keel_component *relation, keel_entity target);

/// The value of an edge of a relation with values, or NULL. Valid until the edge goes; in an
/// exclusive relation the pointer is one into the component of the source, as of
/// keel_get_component. A view or system needs KEEL_MAY_READ of the relation.
KEEL_API const void *keel_get_related_component(const keel_scope *scope, keel_entity source,
                                                const keel_component *relation, keel_entity target);
/// The same to write, as keel_get_component_mut: the component of the source counts as modified. A
/// view or system needs KEEL_MAY_WRITE of the relation. After a snapshot was taken or restored take
/// the pointer anew, so that the next one sees what is written.
KEEL_API void *keel_get_related_component_mut(keel_scope *scope, keel_entity source,
                                              const keel_component *relation, keel_entity target);

/// The first target of a source, which is the only one where the relation is exclusive; or null.
KEEL_API keel_entity keel_target_of_component(const keel_scope *scope, keel_entity source,
                                              const keel_component *relation);

/// How many targets a source has.
KEEL_API uint32_t keel_target_count_component(const keel_scope *scope, keel_entity source,
                                              const keel_component *relation);

/// How many sources a target has.
KEEL_API uint32_t keel_source_count_component(const keel_scope *scope, keel_entity target,
                                              const keel_component *relation);

/// The next of all targets of a source, in the order of relating.
/// @param after null for the first, then the last answer
/// @return null at the end, and when `after` is no target any more
KEEL_API keel_entity keel_next_target_component(const keel_scope *scope, keel_entity source,
                                                const keel_component *relation, keel_entity after);

/// The next of all sources of a target, in the order of relating.
/// @param after null for the first, then the last answer
/// @return null at the end, and when `after` is no source any more
KEEL_API keel_entity keel_next_source_component(const keel_scope *scope, keel_entity target,
                                                const keel_component *relation, keel_entity after);

/// Sort the sources of a target, which loops visit in this order then; those that compare equal
/// keep theirs. Of a symmetric relation its targets are sorted alike. The order comes back from
/// snapshots, saves and JSON, and goes to copies.
/// @return KEEL_OK, KEEL_ABSENT with 0 or 1 source, KEEL_ERROR_DEAD_ENTITY, KEEL_ERROR_ARGUMENT
///   without a comparator or when it is no relation, KEEL_ERROR_MEMORY, KEEL_ERROR_BORROWED, also
///   when a loop over more than 16 edges of the relation is open, KEEL_ERROR_SHARED
KEEL_API keel_result keel_sort_sources(keel_world *world, keel_entity target,
                                       const keel_component *relation, keel_entity_compare *compare,
                                       void *data);

/// Looks at an edge; false ends the walk. `value`: as keel_get_related_component; NULL: it has
/// none.
typedef bool keel_visit_edge_fn(keel_entity source, keel_entity target, const void *value,
                                void *data);
/// Look at all edges of a relation, for those who write a world somewhere else: in an order in
/// which relating them again makes the lists of targets and of sources what they are. That is by
/// source (ascending index) where the lists agree with it. Where keel_sort_sources made it
/// impossible, sources stay in their order, and some targets do not. Edges of a symmetric relation
/// come once, from the lower index to the higher one. Nothing is borrowed and nothing may be edited
/// meanwhile. Some bytes for each index of the world come from malloc, since its allocator may be
/// in use.
/// @threads as for keel_get_component; a world that nobody edits may be looked at by any thread
/// @return KEEL_OK, also when there are none or `visit` ended it; KEEL_ERROR_ARGUMENT (NULL, or it
///   is no relation), KEEL_ERROR_MEMORY, KEEL_ERROR_BORROWED (a view writes any storage of the
///   world), KEEL_ERROR_SHARED, KEEL_ERROR_THREAD (a storage is bound to another thread)
KEEL_API keel_result keel_visit_edges(const keel_world *world, const keel_component *relation,
                                      keel_visit_edge_fn *visit, void *data);

/// The next of those above a source in an exclusive relation: its target, the target of that, and
/// so on. Where it is not `.acyclic` a circle ends the walk, and each step takes time for all that
/// it passed.
/// @param after null for the first, then the last answer
/// @return null at the end, and (KEEL_ERROR_ARGUMENT is kept) where the relation is not exclusive
KEEL_API keel_entity keel_next_target_above_component(const keel_scope *scope, keel_entity source,
                                                      const keel_component *relation,
                                                      keel_entity after);

/// The next of those below a target in an exclusive relation: its sources, and theirs, each before
/// its own, in the order of relating. No memory; the depth in time where a branch ends. A circle
/// that comes back to `target` leaves that out.
/// @param after null for the first, then the last answer, which is still there
/// @return as keel_next_target_above_component
KEEL_API keel_entity keel_next_source_below_component(const keel_scope *scope, keel_entity target,
                                                      const keel_component *relation,
                                                      keel_entity after);

/// @cond
// Private: a loop over targets or sources. Handles are taken a few at a time; while there are more,
// edges keep their places.
typedef struct keeli_relation_walk {
    const void *relation; // NULL: nothing to visit
    const uint64_t *edits;
    uint64_t seen; // of them
    keel_entity of;
    uint32_t place, end; // where to go on, and behind the last place of the beginning
    uint16_t at, count;
    bool to_sources;
    bool wants_values; // it is the beginning of a keeli_valued_walk
    bool is_counted;   // the relation knows that it is open
    keel_entity items[16];
} keeli_relation_walk;
typedef struct keeli_valued_walk {
    keeli_relation_walk plain;
    const void *values[16]; // of the edges
} keeli_valued_walk;
KEEL_API void keeli_relation_walk_begin(keeli_relation_walk *walk, const keel_scope *scope,
                                        keel_entity of, const keel_component *relation,
                                        bool to_sources, bool wants_values);
KEEL_API void keeli_relation_walk_more(keeli_relation_walk *walk);
KEEL_API void keeli_relation_walk_close(keeli_relation_walk *walk);
static inline keeli_relation_walk keeli_relation_walk_of(const keel_scope *scope, keel_entity of,
                                                         const keel_component *relation,
                                                         bool to_sources) {
    keeli_relation_walk walk;
    keeli_relation_walk_begin(&walk, scope, of, relation, to_sources, false);
    return walk;
}
static inline keeli_valued_walk keeli_valued_walk_of(const keel_scope *scope, keel_entity of,
                                                     const keel_component *relation,
                                                     bool to_sources) {
    keeli_valued_walk valued;
    keeli_relation_walk_begin(&valued.plain, scope, of, relation, to_sources, true);
    return valued;
}
static inline void keeli_relation_walk_end(keeli_relation_walk *walk) {
    if (walk->is_counted) keeli_relation_walk_close(walk);
}
static inline void keeli_valued_walk_end(keeli_valued_walk *valued) {
    keeli_relation_walk_end(&valued->plain);
}
static inline keel_entity keeli_relation_walk_next(keeli_relation_walk *walk) {
    if (*walk->edits != walk->seen || walk->at >= walk->count) keeli_relation_walk_more(walk);
    return walk->at < walk->count ? walk->items[walk->at++] : keel_null();
}
// The value of the current one.
static inline const void *keeli_valued_walk_value(const keeli_valued_walk *valued) {
    return valued->plain.at ? valued->values[valued->plain.at - 1] : NULL;
}
/// @endcond

#ifdef __cplusplus
}
#endif

// clang-format off
/// @cond macros that let the functions above take their scopes as they are
#define keel_relate_component(scope, ...) keel_relate_component(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_unrelate_component(scope, ...) keel_unrelate_component(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_unrelate_all_component(scope, ...) keel_unrelate_all_component(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_unrelate_sources_component(scope, ...) keel_unrelate_sources_component(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_is_related_component(scope, ...) keel_is_related_component(KEELI_TO_READ(scope), __VA_ARGS__)
#define keel_get_related_component(scope, ...) keel_get_related_component(KEELI_TO_READ(scope), __VA_ARGS__)
#define keel_get_related_component_mut(scope, ...) keel_get_related_component_mut(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_target_of_component(scope, ...) keel_target_of_component(KEELI_TO_READ(scope), __VA_ARGS__)
#define keel_target_count_component(scope, ...) keel_target_count_component(KEELI_TO_READ(scope), __VA_ARGS__)
#define keel_source_count_component(scope, ...) keel_source_count_component(KEELI_TO_READ(scope), __VA_ARGS__)
#define keel_next_target_component(scope, ...) keel_next_target_component(KEELI_TO_READ(scope), __VA_ARGS__)
#define keel_next_source_component(scope, ...) keel_next_source_component(KEELI_TO_READ(scope), __VA_ARGS__)
#define keel_next_target_above_component(scope, ...) keel_next_target_above_component(KEELI_TO_READ(scope), __VA_ARGS__)
#define keel_next_source_below_component(scope, ...) keel_next_source_below_component(KEELI_TO_READ(scope), __VA_ARGS__)
/// @endcond
// clang-format on
