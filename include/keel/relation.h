// SPDX-License-Identifier: MIT
/// @file relation.h
/// Relations between entities: an edge leads from a source to a target, for example from a ship to
/// the station where it is docked. Both entities of an edge are alive.
///
/// A relation is declared like a component: `KEEL_RELATION(Likes);`, or with `.exclusive = true`
/// where a source has one target at most. `keel_relate(world, a, Likes, b)` makes `a` a source and
/// `b` a target. Both sides keep the order in which they were related:
///
///     KEEL_RELATION(Likes);
///     keel_relate(world, anna, Likes, ben);
///     KEEL_EACH_TARGET(world, anna, Likes, other) wave(other);
///     KEEL_EACH_SOURCE(world, ben, Likes, fan) smile(fan);
///     keel_unrelate(world, anna, Likes, ben);
///
/// **Component of the source.** A source has the relation as a component: KEEL_WITH(Likes),
/// keel_has, keel_count and terms about changes accept it. It is *inserted* with the first target,
/// *modified* when the targets change afterwards, and *deleted* with the last target. The verbs
/// that add components cannot add it, and those that remove components cannot remove it.
///
/// **Values.** With KEEL_VALUED_RELATION on a struct, a relation has a value for each edge.
/// keel_get_related returns it, and it is dropped with the edge. A pointer to it is valid until the
/// edge is removed. A copy of a source has copies of the values. In an exclusive relation that is
/// not symmetric, the value is the component of the source: KEEL_READ, KEEL_WRITE, keel_get and so
/// on return it, it is kept when the source gets another target, and pointers to it are valid as
/// long as pointers to values of a component. In the other relations a source has no value of its
/// own: keel_get returns NULL with an error, and terms that read or write the value are refused.
///
/// **Deletion.** An entity that is deleted, stripped or cleared loses all edges, as source and as
/// target. `.on_delete` decides what else happens to the sources of a deleted target.
/// KEEL_DELETE_SOURCES deletes them, and in turn their sources, before the target. KEEL_REFUSE
/// refuses the deletion, unless the same call deletes all sources, too. All affected entities are
/// found first, so a refused deletion changes nothing. The deletion needs no memory. `.on_delete`
/// does not apply to keel_strip, keel_clear_entities, keel_delete_entity_unchecked, and to the end
/// of the world or of the relation.
///
/// **Copies.** A copy of an entity (keel_clone_entity) has the targets of the original, but no
/// sources. keel_copy_world copies all edges, in the same order. keel_world_hash depends on the
/// edges, but not on their order.
///
/// **Options.** An exclusive relation may be acyclic, so that no chain of targets leads back to its
/// beginning: KEEL_RELATION(PartOf, .exclusive = true, .acyclic = true). A `.symmetric` relation
/// relates both ways with one value: each end is a source and a target of the other, and an edit of
/// one direction is an edit of the other. In a relation that is symmetric and exclusive, relating
/// two entities removes both from their former partners, and the copy of an entity with a partner
/// has no partner.
///
/// **Access.** The edits follow the rules of edit.h. All edges of a relation are borrowed together:
/// a view or system that edits edges needs KEEL_MAY_EDIT of the relation, and one that reads them
/// needs KEEL_MAY_READ. Commands record edits; a recorded edit is dropped if one of its entities is
/// dead when the command is applied.
///
/// **Cost.** An edit takes as long for thousands of targets as for one. The exceptions are
/// keel_relate and keel_unrelate where a relation is not exclusive: they search the targets of the
/// source or the sources of the target, whichever list is shorter.
#pragma once
#include <keel/hierarchy.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Makes `target` the last target of `source`, and `source` the last source of `target`. If they
/// are related already, the order does not change, and the value is overwritten if `value` is not
/// NULL. In an exclusive relation the edge to the old target is removed. Typed: keel_relate.
/// @param relation declared by KEEL_RELATION
/// @param value the value of the edge, of which the world takes ownership, as keel_add_component
///   does. NULL: zeros for a new edge. Always NULL for a relation without values
/// @return KEEL_OK, KEEL_ERROR_DEAD_ENTITY, KEEL_ERROR_ARGUMENT when `relation` is no relation,
///   KEEL_ERROR_MEMORY, KEEL_ERROR_CYCLE (in an acyclic relation), KEEL_ERROR_BORROWED,
///   KEEL_ERROR_SHARED, KEEL_ERROR_ACCESS
KEEL_API keel_result keel_relate_component(keel_scope *scope, keel_entity source,
                                           const keel_component *relation, keel_entity target,
                                           const void *value);

/// Removes the edge from `source` to `target`, with its value. Typed: keel_unrelate.
/// @return as keel_relate_component, and KEEL_ABSENT when the two are not related
KEEL_API keel_result keel_unrelate_component(keel_scope *scope, keel_entity source,
                                             const keel_component *relation, keel_entity target);

/// Removes the edges from `source` to all its targets. Typed: keel_unrelate_all.
/// @return as keel_unrelate_component
KEEL_API keel_result keel_unrelate_all_component(keel_scope *scope, keel_entity source,
                                                 const keel_component *relation);

/// Removes the edges from all sources to `target`, the last one first. Typed:
/// keel_unrelate_sources.
/// @return as keel_unrelate_component
KEEL_API keel_result keel_unrelate_sources_component(keel_scope *scope, keel_entity target,
                                                     const keel_component *relation);

/// True if `target` is a target of `source`. Typed: keel_is_related.
KEEL_API bool keel_is_related_component(const keel_scope *scope, keel_entity source,
                                        const keel_component *relation, keel_entity target);

/// Returns the value of an edge, or NULL. It is valid until the edge is removed; in an exclusive
/// relation the value is the component of the source, and the pointer is valid as long as that of
/// keel_get_component. A view or system needs KEEL_MAY_READ of the relation. Typed:
/// keel_get_related.
KEEL_API const void *keel_get_related_component(const keel_scope *scope, keel_entity source,
                                                const keel_component *relation, keel_entity target);
/// Returns the value of an edge to write, as keel_get_component_mut: the component of the source
/// counts as modified. A view or system needs KEEL_MAY_WRITE of the relation. After a snapshot was
/// taken or restored, get the pointer again, so that the next snapshot notices what is written.
/// Typed: keel_get_related_mut.
KEEL_API void *keel_get_related_component_mut(keel_scope *scope, keel_entity source,
                                              const keel_component *relation, keel_entity target);

/// Returns the first target of a source, or null. In an exclusive relation it is the only one.
/// Typed: keel_target_of.
KEEL_API keel_entity keel_target_of_component(const keel_scope *scope, keel_entity source,
                                              const keel_component *relation);

/// Returns the number of targets of a source. Typed: keel_target_count.
KEEL_API uint32_t keel_target_count_component(const keel_scope *scope, keel_entity source,
                                              const keel_component *relation);

/// Returns the number of sources of a target. Typed: keel_source_count.
KEEL_API uint32_t keel_source_count_component(const keel_scope *scope, keel_entity target,
                                              const keel_component *relation);

/// Iterates over all targets of a source, in the order of relating.
/// @param after null for the first, then the last answer
/// @return null at the end, and when `after` is no target any more
KEEL_API keel_entity keel_next_target_component(const keel_scope *scope, keel_entity source,
                                                const keel_component *relation, keel_entity after);

/// Iterates over all sources of a target, in the order of relating.
/// @param after null for the first, then the last answer
/// @return null at the end, and when `after` is no source any more
KEEL_API keel_entity keel_next_source_component(const keel_scope *scope, keel_entity target,
                                                const keel_component *relation, keel_entity after);

/// Sorts the sources of a target: from now on loops visit them in this order. The sort is stable.
/// In a symmetric relation the targets get the same order. Snapshots, saves, JSON and copies keep
/// the order.
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ABSENT with 0 or 1 source, KEEL_ERROR_DEAD_ENTITY, KEEL_ERROR_ARGUMENT
///   when `compare` is NULL or `relation` is no relation, KEEL_ERROR_MEMORY, KEEL_ERROR_BORROWED,
///   also when a loop over more than 16 edges of the relation is open, KEEL_ERROR_SHARED
KEEL_API keel_result keel_sort_sources(keel_world *world, keel_entity target,
                                       const keel_component *relation, keel_entity_compare *compare,
                                       void *data);

/// Visits an edge. Returns false to end the walk. `value` is that of keel_get_related_component, or
/// NULL if the edge has no value.
typedef bool keel_visit_edge_fn(keel_entity source, keel_entity target, const void *value,
                                void *data);
/// Calls `visit` for all edges of a relation. It is made for code that writes a world to a file, a
/// network or another world: relating the entities again in the order of the visits gives the same
/// lists of targets and of sources. If visiting the sources by ascending index has this effect,
/// that is the order. After keel_sort_sources there may be no order that gives both lists: then the
/// lists of sources will be the same, and some lists of targets will not. An edge of a symmetric
/// relation is visited once, from the lower index to the higher one. Nothing is borrowed, and
/// nothing may be edited meanwhile. The call allocates some bytes for each index of the world with
/// malloc, as the world's allocator may be in use.
/// @threads as for keel_get_component; while no thread edits the world, any thread may call it
/// @return KEEL_OK, also when there are no edges or `visit` ended the walk; KEEL_ERROR_ARGUMENT
///   (NULL, or `relation` is no relation), KEEL_ERROR_MEMORY, KEEL_ERROR_BORROWED (a view writes
///   any storage of the world), KEEL_ERROR_SHARED, KEEL_ERROR_THREAD (a storage is bound to another
///   thread)
KEEL_API keel_result keel_visit_edges(const keel_world *world, const keel_component *relation,
                                      keel_visit_edge_fn *visit, void *data);

/// Iterates over the chain above a source in an exclusive relation: its target, then the target of
/// this target, and so on. In a relation that is not `.acyclic`, a cycle ends the walk, and each
/// step takes time for all steps before it.
/// @param after null for the first, then the last answer
/// @return null at the end; also if the relation is not exclusive, and keel_last_error then has
///   KEEL_ERROR_ARGUMENT
KEEL_API keel_entity keel_next_target_above_component(const keel_scope *scope, keel_entity source,
                                                      const keel_component *relation,
                                                      keel_entity after);

/// Iterates over the tree below a target in an exclusive relation: its sources, the sources of
/// these, and so on, each entity before its own sources, in the order of relating. It needs no
/// memory. At the end of a branch it takes time in proportion to the depth. `target` itself is not
/// visited, even if it is part of a cycle.
/// @param after null for the first, then the last answer, which must still be below `target`
/// @return as keel_next_target_above_component
KEEL_API keel_entity keel_next_source_below_component(const keel_scope *scope, keel_entity target,
                                                      const keel_component *relation,
                                                      keel_entity after);

/// @cond
// Private: a loop over targets or sources. It reads up to 16 handles at a time. Until it has read
// the whole list, the relation moves no edges to other places.
typedef struct keeli_relation_walk {
    const void *relation; // NULL: nothing to visit
    const uint64_t *edits;
    uint64_t seen; // the number of edits at the last read
    keel_entity of;
    uint32_t place, end; // the next place to read, and the end of the list at the beginning
    uint16_t at, count;
    bool to_sources;
    bool wants_values; // the walk is the first member of a keeli_valued_walk
    bool is_counted;   // the relation counts the walk as open
    keel_entity items[16];
} keeli_relation_walk;
typedef struct keeli_valued_walk {
    keeli_relation_walk plain;
    const void *values[16]; // values of the edges
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
// The value of the current edge.
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
