// SPDX-License-Identifier: MIT
// An iterator over edges, in an order in which a copy can add them so that its lists of targets and
// of sources have the same order as here. copy/graft.c and keel_visit_edges use it.
// Each edge is visited after the edges before it in both of its lists. Apart from that, edges are
// visited by source, or by target in a chained relation. Sorted lists can make such an order
// impossible, because edges wait for each other in a cycle. Then the copy has the same order in all
// lists of sources, but not in one list of targets. In a symmetric relation, where both lists of an
// entity are the same, one of the two entities of an edge gets a list of another order.
// A symmetric edge is visited once, from the lower index to the higher one. Each step reads the
// lists anew, so a loop over the edges between given nodes allows edits between its steps.
#pragma once
#include "data/edges.h"

#include <keel/entity.h>

enum { KEELI_EDGE_ORDER_FEW = KEELI_SIZE(16, 1) };

// The state of one entity. The number of an entity is its place in `nodes`; without nodes it is the
// index of the entity.
typedef struct keeli_edge_order_entry {
    uint32_t target, source; // next place in its list of targets, and in its list of sources
    uint32_t waits; // number + 1 of the source whose edge waits until an edge of this entity was
                    // visited; 0: none
} keeli_edge_order_entry;

typedef struct keeli_edge_order {
    const keeli_edges *edges;
    const keel_entity *nodes; // visit only edges between these entities; NULL: all edges
    const uint32_t *numbers;  // by index of an entity: its number + 1, or 0 if it is no node; NULL:
                              // `nodes` is searched
    uint32_t number_count;    // length of `numbers`
    uint32_t count;           // number of nodes
    uint32_t at;              // number of the source whose next edge is wanted; in a chained
                              // relation the index of the source that was visited last
    uint32_t base;  // number of the source whose next edge is visited; `at` differs from it
                    // while that edge waits for another one; in a chained relation
                    // the number of the target
    uint32_t stamp; // in a chained relation: stamp of the source that was visited last
    union {
        keeli_edge_order_entry *entries; // with nodes: entry by number
        keeli_edge_order_entry **pages;  // without nodes: pages of entries by index; a page exists
                                         // where the lists have one
    };
    uint32_t page_count;
    keeli_edge_order_entry few[KEELI_EDGE_ORDER_FEW]; // memory of `entries` for few nodes
} keeli_edge_order;

// Begins a loop. The caller has set the members from `edges` to `count`; all others are zero.
// Without nodes, edges must not change until the end of the loop. False when out of memory.
bool keeli_edge_order_begin(keeli_edge_order *order, keeli_heap *heap);
// Writes the next edge to `out`: the index of its source, and its place in the source's list. False
// at the end.
bool keeli_edge_order_next(keeli_edge_order *order, keeli_edge_walk *out);
void keeli_edge_order_end(keeli_edge_order *order, keeli_heap *heap);
