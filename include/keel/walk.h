// SPDX-License-Identifier: MIT
/// @file walk.h
/// Private: how KEEL_EACH_CHILD and KEEL_EACH_DESCENDANT move from one entity to the next. Programs
/// use those loops, or the functions of hierarchy.h.
#pragma once
#include <keel/hierarchy.h>
#include <keel/view.h>

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" // inline functions are C
extern "C" {
#endif

/// Private: the index that stands for no entity.
#define KEELI_NO_EDGE UINT32_MAX
/// Private: a page has KEELI_LINKS records.
#define KEELI_LINK_SHIFT KEELI_SIZE(10, 6)
#define KEELI_LINKS (1u << KEELI_LINK_SHIFT)

/// Private: the record of a source in a relation whose sources have one target each.
typedef struct keeli_link {
    keel_entity target;      ///< private
    uint32_t previous, next; ///< private: indices of the neighbours in the chain of the target's
                             ///< sources; KEELI_NO_EDGE at its ends
    uint32_t stamp;          ///< private: ascends in a chain; 0: there is no target
    uint32_t version;        ///< private: the upper part of the handle of the source
} keeli_link;

/// Private: the record of a target.
typedef struct keeli_chain {
    uint32_t first, last; ///< private: indices of the first and last source, if there are sources
    uint32_t count;       ///< private: number of sources
    uint32_t stamp;       ///< private: stamp of the source that was related last
} keeli_chain;

/// Private: pages of both kinds of records by index. NULL: no entity of the page was ever related.
typedef struct keeli_chains {
    keeli_link **sources;                      ///< private
    keeli_chain **targets;                     ///< private
    uint32_t source_capacity, target_capacity; ///< private
    size_t bytes;                              ///< private
    const struct keeli_edge_stamps *stamps;    ///< private: NULL: no snapshot exists
} keeli_chains;

/// Private: the part of the hierarchy that loops read. Its layout may change with any version.
struct keeli_tree {
    const keel_world *world;    ///< private
    const keeli_chains *chains; ///< private: the children of each parent
    const uint64_t *edits;      ///< private: counts changes of the hierarchy
};

/// Private: a loop over the hierarchy. While the hierarchy does not change, the loop follows the
/// chains without calling the library.
typedef struct keeli_walk {
    const struct keeli_tree *tree; ///< private: NULL when there is nothing to visit
    uint64_t edits;         ///< private: the count of changes of the hierarchy when `at` was found
    keel_entity of;         ///< private: the entity whose children or descendants are visited
    keel_entity at;         ///< private: null at the end
    const keeli_link *link; ///< private: the record of `at`
} keeli_walk;

/// Private: the beginning of a loop. `tree`: NULL when there are no children, or the scope may not
/// read them. `first`: the index of the first child.
typedef struct keeli_walk_start {
    const struct keeli_tree *tree; ///< private
    uint32_t first;                ///< private
} keeli_walk_start;
/// Private: returns the beginning of a loop over the children of an entity.
KEEL_API keeli_walk_start keeli_tree_of(const keel_scope *scope, keel_entity of);
// The next two functions are `pure`: they change nothing, so the compiler keeps values of a loop in
// registers over the call.
/// Private: returns the child of `of` after `child`, also if `child` was deleted or detached since
/// the last step of the loop.
KEELI_PURE KEEL_API keel_entity keeli_tree_beside(const struct keeli_tree *tree, keel_entity of,
                                                  keel_entity child);
/// Private: returns the next descendant of `root` after `e` in pre-order, also if the hierarchy has
/// changed since the last step of the loop.
KEELI_PURE KEEL_API keel_entity keeli_tree_onward(const struct keeli_tree *tree, keel_entity root,
                                                  keel_entity e);

/// Private: the record of an entity that has a target.
static inline keeli_link *keeli_link_at(const keeli_chains *chains, uint32_t source) {
    return &chains->sources[source >> KEELI_LINK_SHIFT][source & (KEELI_LINKS - 1)];
}
/// Private: the record of an entity, or NULL if it has no sources.
static inline const keeli_chain *keeli_chain_if_any(const keeli_chains *chains, uint32_t target) {
    const uint32_t page = target >> KEELI_LINK_SHIFT;
    const keeli_chain *records = page < chains->target_capacity ? chains->targets[page] : NULL;
    if (!records) return NULL;
    return records[target & (KEELI_LINKS - 1)].count ? &records[target & (KEELI_LINKS - 1)] : NULL;
}
/// Private: the handle of a source, from its record.
static inline keel_entity keeli_source_of(const keeli_link *link, uint32_t source) {
    keel_entity e = { 0 };
    e.bits = (keel_entity_bits)link->version << KEEL_ENTITY_INDEX_BITS | source;
    return e;
}

/// Private: moves the loop to an entity that has a parent; null ends the loop.
static inline void keeli_walk_to(keeli_walk *walk, keel_entity e) {
    walk->at = e;
    if (!keel_is_null(e)) walk->link = keeli_link_at(walk->tree->chains, keeli_index_of(e));
    walk->edits = *walk->tree->edits;
}
/// Private: moves the loop to the entity of an index; KEELI_NO_EDGE ends the loop. Called only if
/// the hierarchy has not changed.
static inline void keeli_walk_on(keeli_walk *walk, uint32_t next) {
    if (next == KEELI_NO_EDGE) {
        walk->at = keel_null();
        return;
    }
    walk->link = keeli_link_at(walk->tree->chains, next);
    walk->at = keeli_source_of(walk->link, next);
}

/// Private: begins a loop at the first child.
static inline keeli_walk keeli_walk_begin(const keel_scope *scope, keel_entity of) {
    const keeli_walk_start start = keeli_tree_of(scope, of);
    keeli_walk walk = { start.tree, 0, of, { 0 }, NULL };
    if (!start.tree) return walk;
    walk.edits = *start.tree->edits;
    walk.link = keeli_link_at(start.tree->chains, start.first);
    walk.at = keeli_source_of(walk.link, start.first);
    return walk;
}

/// Private: returns the current child, and moves on to the next, so that the body may delete the
/// current one.
static inline keel_entity keeli_walk_child(keeli_walk *walk) {
    const keel_entity child = walk->at;
    if (keel_is_null(child)) return child;
    if (walk->edits == *walk->tree->edits) keeli_walk_on(walk, walk->link->next);
    else keeli_walk_to(walk, keeli_tree_beside(walk->tree, walk->of, child));
    return child;
}

/// Private: moves on to the next descendant in pre-order, and returns it.
static inline keel_entity keeli_walk_descendant(keeli_walk *walk) {
    const keeli_chains *chains = walk->tree->chains;
    if (walk->edits != *walk->tree->edits) {
        keeli_walk_to(walk, keeli_tree_onward(walk->tree, walk->of, walk->at));
        return walk->at;
    }

    const keeli_chain *chain = keeli_chain_if_any(chains, keeli_index_of(walk->at));
    const keeli_link *link = walk->link;
    uint32_t next = chain ? chain->first : link->next;
    while (next == KEELI_NO_EDGE && !keel_is_same(link->target, walk->of)) {
        link = keeli_link_at(chains, keeli_index_of(link->target));
        next = link->next;
    }
    keeli_walk_on(walk, next);
    return walk->at;
}

#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif
