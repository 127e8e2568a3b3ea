// SPDX-License-Identifier: MIT
// Edits of relations. A relation is its edges (data/edges.h) and two storages, `sources` and
// `targets`. Invariant: an entity has `sources` exactly when it has a target, so that it is a
// source, and `targets` exactly when it is a target. keeli_relation_is_valid checks it. The verbs
// are in relation.c and hierarchy.c; related.c adds and removes edges for them and for deletions
// and copies.
#pragma once
#include "edit/edit.h"

static inline bool keeli_is_in_relation(const keeli_relation *r, uint32_t index) {
    return keeli_store_has(r->sources, index) || keeli_store_has(r->targets, index);
}
// keel_relate without a value, and keel_attach, on behalf of the owner. Relations as simple as the
// hierarchy take a fast path.
keel_result keeli_relate(keel_world *world, keeli_relation *r, keel_entity e, keel_entity to);
// keel_attach by the general path, and keel_detach, on behalf of a holder or (NULL) of the owner.
keel_result keeli_attach_general(keel_world *world, const keeli_holder *holder, keel_entity child,
                                 keel_entity parent);
keel_result keeli_edit_detach(keel_world *world, const keeli_holder *holder, keel_entity child);
// Removes a child from its parent. The child becomes a root, and loses its name if another root has
// the same. Cannot fail.
void keeli_commit_detach(keel_world *world, keel_entity child);
// keel_relate, on behalf of a holder or (NULL) of the owner.
keel_result keeli_edit_relate(keel_world *world, const keeli_holder *holder, keel_entity e,
                              const keel_component *relation, keel_entity other, const void *value);
// Makes room for an edge, its ends' components and their followers. False when out of memory.
bool keeli_reserve_edge(keel_world *world, keeli_relation *r, uint32_t source, uint32_t target);
// Both add an edge for which there is room, and cannot fail. keeli_commit_edge does not add the
// component `sources`, and returns the memory of the edge's value, not initialised (NULL: edges
// have none). keeli_commit_relate adds it, moves `value` to the edge (NULL: zeros), and notifies
// followers.
void *keeli_commit_edge(keel_world *world, keeli_relation *r, keel_entity e, keel_entity to);
void keeli_commit_relate(keel_world *world, keeli_relation *r, keel_entity e, keel_entity to,
                         const void *value);
// Copies all edges to a relation without edges, as keeli_edges_copy, and their values by the copy
// hook of `s`. Returns KEEL_OK, KEEL_ERROR_MEMORY or KEEL_ERROR_COPY.
keel_result keeli_copy_edges(const keeli_storage *s, keeli_edges *to, const keeli_edges *from,
                             keeli_heap *heap);
// Calls observers before an edge is removed; for a symmetric relation once for each direction.
void keeli_notify_unrelated(keel_world *world, const keeli_relation *r, uint32_t source,
                            uint32_t place);
// Removes the edge of a source at a place. Followers of removals still see it. A child becomes a
// root, and loses its name if another root has the same. `stays`: the component `sources` is not
// removed, because the source gets another target at once, or does not have the component yet.
void keeli_remove_edge(keel_world *world, keeli_relation *r, uint32_t source, uint32_t place,
                       bool stays);
// Removes all edges of an entity to its targets, or from its sources (`sources`), the last one
// first, so that lists have no holes.
void keeli_remove_edges_of(keel_world *world, keeli_relation *r, uint32_t index, bool sources);
// Before an entity is deleted: the first calls observers of all its edges, the second removes the
// edges, in all relations.
void keeli_notify_unrelated_entity(keel_world *world, keel_entity e);
void keeli_commit_unrelate_entity(keel_world *world, keel_entity e);
bool keeli_relation_is_valid(const keeli_relation *r);

// Entities that are about to be deleted: those of a list, or a root with all its descendants.
typedef struct keeli_roots {
    const keel_entity *list; // NULL: the tree
    uint32_t count;
    keel_entity tree;
} keeli_roots;
// Deletes the entities that rules of relations (`.on_delete`) delete together with the roots, but
// not the roots. Returns an error if a rule refuses, or one of them may not be deleted; then
// nothing is deleted. Needs no memory (edit/delete.c).
keel_result keeli_delete_doomed(keel_world *world, const keeli_holder *holder, keeli_roots roots);
// Make room for the list of entities that a rule of a relation deletes: for `extra` more sources,
// one of them with this index; or for all sources of `r`, which may be a relation of another world.
// False when out of memory.
bool keeli_reserve_doomed(keel_world *world, uint32_t source, uint32_t extra);
bool keeli_reserve_rule(keel_world *world, const keeli_relation *r);

// Copies of the values of a prototype's edges in one relation, for clones that get the same
// targets.
typedef struct keeli_edge_copies {
    struct keeli_edge_copies *next; // NULL: the last relation
    const keeli_relation *relation;
    char *values;
    size_t room, made, given; // numbers of values: room for, copied, and moved to edges of clones
} keeli_edge_copies;
// Makes room so that `copies` can get all targets of the prototype, and copies the values of its
// edges to `values`. Returns an error if that is not allowed or fails.
keel_result keeli_reserve_targets_of(keel_world *world, const keeli_holder *holder,
                                     uint32_t prototype, const keel_entity *copies, uint32_t count,
                                     keeli_edge_copies **values);
// Relates the copies, which are alive, to all targets of the prototype. Cannot fail.
void keeli_commit_targets_of(keel_world *world, uint32_t prototype, const keel_entity *copies,
                             uint32_t count, keeli_edge_copies *values);
// Frees `values`, in any case. Drops those that no edge got.
void keeli_end_targets_of(keel_world *world, keeli_edge_copies *values);
// Adds the edges of exclusive relations with values, before the batch of the clones adds the
// values.
void keeli_commit_edges_of(keel_world *world, uint32_t prototype, const keel_entity *copies,
                           uint32_t count);
