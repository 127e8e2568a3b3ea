// SPDX-License-Identifier: MIT
// What terms over a relation ask of it: who is the target of an index, who is a target, has
// anything changed. The hierarchy is one, too: keel_child, where the target of a child is its
// parent. `relation` is the storage of those who have a target.
#pragma once
#include "edit/hierarchy.h"
#include "edit/relation.h"

// Of an index that has one, where each has one at most.
static inline uint32_t keeli_target_at(const keeli_storage *relation, uint32_t index) {
    if (relation->relation) {
        const keeli_edges *edges = &relation->relation->edges;
        if (edges->is_chained) return keeli_link_at(&edges->chains, index)->target;
        return edges->sources.pages[index / KEELI_PAGE][index % KEELI_PAGE].few[0];
    }
    const struct keeli_set_root *root = relation->root;
    const keel_child *page = root->pages[index >> root->shift];
    return keeli_index_of(page[index & root->mask].parent);
}
// Of an index, where each may have several.
static inline bool keeli_is_source_of(const keeli_storage *relation, uint32_t index,
                                      uint32_t target) {
    if (relation->relation)
        return keeli_edges_find(&relation->relation->edges, index, target) != KEELI_NO_EDGE;
    return keeli_store_has(relation, index) && keeli_target_at(relation, index) == target;
}
// Who is a target.
static inline keeli_storage *keeli_targets_of(const keel_world *world,
                                              const keeli_storage *relation) {
    return relation->relation ? relation->relation->targets : world->hierarchy.parents;
}
static inline keeli_levels *keeli_levels_of(keel_world *world, const keeli_storage *relation) {
    return relation->relation ? &relation->relation->levels : &world->hierarchy.levels;
}
// Another number after each change of links.
static inline uint64_t keeli_relation_edits(const keel_world *world,
                                            const keeli_storage *relation) {
    return relation->relation ? relation->relation->edges.edits : world->hierarchy.links.edits;
}
