// SPDX-License-Identifier: MIT
// A walk over edges in an order in which relating them anew makes the lists of targets and of
// sources what they are: each edge comes after those before it in both of its lists, and otherwise
// by source, or by target where the sources of a target are a chain. Who sorts lists can make a
// circle of that; then sources stay in their order, and the targets of one of them do not (of a
// symmetric relation, whose lists are the same: the order of one of both ends). A symmetric edge
// comes once, from the lower index to the higher one. Each step starts from what the lists are
// then, so edges may come and go meanwhile.
#pragma once
#include "data/edges.h"

#include <keel/entity.h>

enum { KEELI_EDGE_ORDER_FEW = KEELI_SIZE(16, 1) };

typedef struct keeli_edge_order_entry {
    uint32_t target, source; // places where to go on, in the list of targets, and of sources
    uint32_t waits;          // the number of who waits for it + 1; 0: nobody
} keeli_edge_order_entry;

typedef struct keeli_edge_order {
    const keeli_edges *edges;
    const keel_entity *nodes; // only edges from one of these to one; NULL: from and to anybody
    const uint32_t *numbers;  // by index: the place in `nodes` + 1; NULL: they are few
    uint32_t number_count;
    uint32_t count; // number of nodes
    uint32_t at;    // the number, or (without nodes) the index, of whose edge is wanted
    uint32_t base;  // the source that `at` began with
    uint32_t stamp; // in chains, where `base` is the target: the stamp of the source at `at`
    union {
        keeli_edge_order_entry *entries; // by number
        keeli_edge_order_entry **pages;  // without nodes: by index, where there are lists
    };
    uint32_t page_count;
    keeli_edge_order_entry few[KEELI_EDGE_ORDER_FEW];
} keeli_edge_order;

// The members to `count` are set, and the rest is zero. Without nodes nobody edits meanwhile. False
// when out of memory.
bool keeli_edge_order_begin(keeli_edge_order *order, keeli_heap *heap);
// The next edge: its source, and the place in the list of that. False at the end.
bool keeli_edge_order_next(keeli_edge_order *order, keeli_edge_walk *out);
void keeli_edge_order_end(keeli_edge_order *order, keeli_heap *heap);
