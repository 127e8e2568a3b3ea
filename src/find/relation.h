// SPDX-License-Identifier: MIT
// Reads a relation for terms: the target of a source, whether two entities are related, and whether
// the relation has changed. This does not change links: see link/relation.h. The files of src/find/
// call it. The parameter `relation` is always the storage of the relation's sources.
#pragma once
#include "link/relation.h"

// Returns the index of the target of a source. The relation must be exclusive, and `index` must
// have a target.
static inline uint32_t keeli_target_at(const keeli_storage *relation, uint32_t index) {
    const keeli_edges *edges = &relation->relation->edges;
    if (edges->is_chained)
        return keeli_index_of(keeli_link_at(&edges->chains, index)->target);
    return edges->sources.pages[index / KEELI_PAGE][index % KEELI_PAGE].few[0];
}
// True if `target` is among the targets of an index.
static inline bool keeli_is_source_of(const keeli_storage *relation, uint32_t index,
                                      uint32_t target) {
    return keeli_edges_find(&relation->relation->edges, index, target) != KEELI_NO_EDGE;
}
// Returns a number that differs after each change of the relation.
static inline uint64_t keeli_relation_edits(const keeli_storage *relation) {
    return relation->relation->edges.edits;
}
