// SPDX-License-Identifier: MIT
// Groups: the entities that have a set of components, kept together. What a group owns are sparse
// sets whose first `length` slots hold the members, in the same order in each; a group that owns
// nothing keeps its members in a set of its own. Every edit of a component that a group names keeps
// this so. Invariant: the members are exactly the entities that match. Checked by
// keeli_groups_are_valid and, for the groups of one storage, keeli_groups_of_are_valid.
#pragma once
#include "world/storage.h"

#include <keel/group.h>

struct keel_group {
    keel_world *world;
    struct keel_group *next; // of the world
    char title[70];          // "group " and its name
    const char *name;        // in `title`
    // owned, then got, then excluded: the first `must_count` have to be there
    keeli_storage **storages;
    uint32_t owned_count, must_count, storage_count;
    uint32_t length; // members, where it owns something
    void *scratch;   // room for one value of any owned storage
    size_t scratch_size, scratch_align;
    // Stands for the order of the members where something borrows it: what reads an owned component
    // reads the order, an edit of any component that the group names changes it. Its `set` has the
    // members of a group that owns nothing.
    keeli_storage order;
};

static inline uint32_t keeli_group_count(const keel_group *g) {
    return g->owned_count ? g->length : g->order.set.count;
}
// Where the members are.
static inline keeli_sparse_set *keeli_group_set(keel_group *g) {
    return g->owned_count ? &g->storages[0]->set : &g->order.set;
}
static inline bool keeli_group_has(const keel_group *g, uint32_t index) {
    const keeli_sparse_set *set = g->owned_count ? &g->storages[0]->set : &g->order.set;
    return keeli_sparse_set_find(set, index) < keeli_group_count(g); // no slot is above all
}

// The group when it is one of the world's; NULL (reported) otherwise.
keel_group *keeli_group_of(keel_world *world, const keel_group *group);
// May all that the group names be edited now?
keel_result keeli_may_edit_group(keel_world *world, const keel_group *group, const char *verb);
