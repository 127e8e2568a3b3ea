// SPDX-License-Identifier: MIT
// Relations: who has which targets and sources (data/edges.h), and the two storages that say who
// has any. Invariant: an entity has the first exactly when it has a target, and the second exactly
// when it has a source. Checked by keeli_relation_is_valid.
#pragma once
#include "edit/edit.h"

static inline bool keeli_is_in_relation(const keeli_relation *r, uint32_t index) {
    return keeli_store_has(r->sources, index) || keeli_store_has(r->targets, index);
}
// keel_relate without a value and keel_attach, on behalf of the owner: along a fast path where the
// relation is as simple as the hierarchy.
keel_result keeli_relate(keel_world *world, keeli_relation *r, keel_entity e, keel_entity to);
// The same of keel_child where the fast path does not do, on behalf of a holder or (NULL) of the
// owner; and keel_detach.
keel_result keeli_attach_general(keel_world *world, const keeli_holder *holder, keel_entity child,
                                 keel_entity parent);
keel_result keeli_edit_detach(keel_world *world, const keeli_holder *holder, keel_entity child);
// Takes a child from its parent; it may lose its name to another root. This cannot fail.
void keeli_commit_detach(keel_world *world, keel_entity child);
// keel_relate, on behalf of a holder or (NULL) of the owner.
keel_result keeli_edit_relate(keel_world *world, const keeli_holder *holder, keel_entity e,
                              const keel_component *relation, keel_entity other, const void *value);
// Room for an edge, with all who follow it. False when out of memory.
bool keeli_reserve_edge(keel_world *world, keeli_relation *r, uint32_t source, uint32_t target);
// These cannot fail. There is room: the edge comes, without and with the source's component.
// `value`: of the edge, handed over; NULL: zeros. Without the component it has none yet.
void *keeli_commit_edge(keel_world *world, keeli_relation *r, keel_entity e, keel_entity to);
void keeli_commit_relate(keel_world *world, keeli_relation *r, keel_entity e, keel_entity to,
                         const void *value);
// Edges come to where there are none, as keeli_edges_copy, with copies of values made by the hook
// of `s`: KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_COPY.
keel_result keeli_copy_edges(const keeli_storage *s, keeli_edges *to, const keeli_edges *from,
                             keeli_heap *heap);
// An edge is about to go, in both directions where it has two: observers are called.
void keeli_notify_unrelated(keel_world *world, const keeli_relation *r, uint32_t source,
                            uint32_t place);
// The edge of a source at a place goes; who looks at what is going still sees it. A child becomes a
// root, and may lose its name to another one. `stays`: the source gets another target at once, or
// has no component yet.
void keeli_let_go(keel_world *world, keeli_relation *r, uint32_t source, uint32_t place,
                  bool stays);
// All edges to its targets, or from its sources, go, the last one first, so that no hole is left.
void keeli_let_go_of_all(keel_world *world, keeli_relation *r, uint32_t index, bool sources);
// The entity lets go of all its targets, and all its sources of it; before that observers of edges
// are called.
void keeli_notify_unrelated_entity(keel_world *world, keel_entity e);
void keeli_commit_unrelate_entity(keel_world *world, keel_entity e);
bool keeli_relation_is_valid(const keeli_relation *r);

// Entities are about to be deleted: those of a list, or a tree with all that is below it. Whom they
// take along by rules of relations is deleted now; or an error when one is refused or may not be
// deleted, and then nothing is. No memory is needed (delete.c).
typedef struct keeli_roots {
    const keel_entity *list; // NULL: the tree
    uint32_t count;
    keel_entity tree;
} keeli_roots;
keel_result keeli_delete_doomed(keel_world *world, const keeli_holder *holder, keeli_roots roots);
// Room to take `extra` more along, one of them with this index; or all who are sources of `r` now,
// of the world or of another one. False when out of memory.
bool keeli_reserve_doomed(keel_world *world, uint32_t source, uint32_t extra);
bool keeli_reserve_rule(keel_world *world, const keeli_relation *r);

// Copies are about to get what a prototype is related to: room for that, or an error. Then they get
// it, when they are alive. What was reserved ends in any case.
typedef struct keeli_edge_copies { // copies of the values of one relation
    struct keeli_edge_copies *next;
    const keeli_relation *relation;
    char *values;
    size_t room, made, given;
} keeli_edge_copies;
keel_result keeli_reserve_targets_of(keel_world *world, const keeli_holder *holder,
                                     uint32_t prototype, const keel_entity *copies, uint32_t count,
                                     keeli_edge_copies **values);
void keeli_commit_targets_of(keel_world *world, uint32_t prototype, const keel_entity *copies,
                             uint32_t count, keeli_edge_copies *values);
void keeli_end_targets_of(keel_world *world, keeli_edge_copies *values);
// The targets of relations with values, before the copies get the values.
void keeli_commit_edges_of(keel_world *world, uint32_t prototype, const keel_entity *copies,
                           uint32_t count);
