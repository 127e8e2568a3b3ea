// SPDX-License-Identifier: MIT
// Questions of terms over a relation: the target of a source, whether two entities are related, and
// whether the relation has changed. This does not change links: see edit/relation.h. The files of
// src/find/ call it; `relation` is always the storage of the sources.
#pragma once
#include "link/relation.h"

// Returns the target of an index that has one, where each has one at most.
static inline uint32_t keeli_target_at(const keeli_storage *relation, uint32_t index) {
    const keeli_edges *edges = &relation->relation->edges;
    if (edges->is_chained)
        return keeli_index_of(keeli_link_at(&edges->chains, index)->target);
    return edges->sources.pages[index / KEELI_PAGE][index % KEELI_PAGE].few[0];
}
// True if an index, which may have several targets, is related to this one.
static inline bool keeli_is_source_of(const keeli_storage *relation, uint32_t index,
                                      uint32_t target) {
    return keeli_edges_find(&relation->relation->edges, index, target) != KEELI_NO_EDGE;
}
// Returns a number that differs after each change of the relation.
static inline uint64_t keeli_relation_edits(const keeli_storage *relation) {
    return relation->relation->edges.edits;
}
