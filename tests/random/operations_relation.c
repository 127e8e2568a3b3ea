// SPDX-License-Identifier: MIT
// Random operations on relations of every option.
#include "both.h"

#include <string.h>

static void op_relate(both *b, dice *d) {
    const uint32_t r = roll_below(d, RELATIONS), number = roll_word(d);
    const keel_entity source = roll_entity(b, d), target = roll_entity(b, d);
    const bool has_value = b->relations[r].size && !roll_once_in(d, 3);
    both_trace(b, "index %u to index %u, relation %u", (unsigned)keel_entity_index(source),
               (unsigned)keel_entity_index(target), (unsigned)r);
    const keel_result result = keel_relate_component(b->world, source, &b->relations[r], target,
                                                     has_value ? &number : NULL);
    if (result == KEEL_ERROR_MEMORY) (void)both_agree(b, result, KEEL_OK);
    else
        both_agree_surely(b, result,
                          model_relate(&b->model, r, source, target, has_value ? &number : NULL));
}

// An edge that is there, mostly.
static model_edge roll_edge(both *b, dice *d, uint32_t r) {
    const model_relation *relation = &b->model.relations[r];
    const uint32_t at = roll_word(d);
    if (relation->edge_count && !roll_once_in(d, 8))
        return relation->edges[at % relation->edge_count];
    return (model_edge){ .source = roll_entity(b, d), .target = roll_entity(b, d) };
}

static void op_unrelate(both *b, dice *d) {
    const uint32_t r = roll_below(d, RELATIONS), how = roll_below(d, 6);
    const model_edge edge = roll_edge(b, d, r);
    const keel_component *relation = &b->relations[r];
    both_trace(b, "%u: index %u from index %u, relation %u", (unsigned)how,
               (unsigned)keel_entity_index(edge.source), (unsigned)keel_entity_index(edge.target),
               (unsigned)r);
    if (how == 0)
        both_agree_surely(b, keel_unrelate_all_component(b->world, edge.source, relation),
                          model_unrelate_all(&b->model, r, edge.source));
    else if (how == 1)
        both_agree_surely(b, keel_unrelate_sources_component(b->world, edge.target, relation),
                          model_unrelate_sources(&b->model, r, edge.target));
    else
        both_agree_surely(b, keel_unrelate_component(b->world, edge.source, relation, edge.target),
                          model_unrelate(&b->model, r, edge.source, edge.target));
}

static void op_write_related(both *b, dice *d) {
    const uint32_t r = roll_below(d, RELATIONS), number = roll_word(d);
    const model_edge edge = roll_edge(b, d, r);
    uint32_t *there =
        b->relations[r].size
            ? keel_get_related_component_mut(b->world, edge.source, &b->relations[r], edge.target)
            : NULL;
    const model_edge *models = model_find_edge(&b->model, r, edge.source, edge.target);
    if (!there != !(models && b->relations[r].size)) both_fail(b, "an edge has no value");
    if (!there) return;
    *there = number;
    model_write_edge(&b->model, r, edge.source, edge.target, number);
}

const operation_entry relation_operations[] = {
    { "relate", op_relate, 6 },
    { "unrelate", op_unrelate, 2 },
    { "write_related", op_write_related, 1 },
    { NULL, NULL, 0 },
};
