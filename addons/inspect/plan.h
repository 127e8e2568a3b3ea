// SPDX-License-Identifier: MIT
// The workload that is shown: its nodes and edges, and the steps behind them.
#pragma once
#include "inspect.h"

typedef struct keeli_plan {
    const keel_workload *workload;
    keel_workload_node *nodes;
    uint32_t node_count;
    keel_workload_edge *edges;
    uint32_t edge_count;
} keeli_plan;

// Reads the nodes of the inspected workload or, if `name` is not NULL, of the stored workload of
// this name. False: the request has failed. keeli_plan_free in any case.
bool keeli_plan_read(keel_inspect *inspect, keeli_request *request, const char *name,
                     keeli_plan *plan);
// Reads the plan of the inspected workload for an answer that can do without it. False: there is no
// workload, or no memory; the plan is then empty. keeli_plan_free in any case.
bool keeli_plan_try(keel_inspect *inspect, keeli_plan *plan);
// Reads the edges of a plan, too. False: the request has failed.
bool keeli_plan_read_edges(keel_inspect *inspect, keeli_request *request, keeli_plan *plan);
void keeli_plan_free(keeli_plan *plan);
// Returns the inspected workload, or NULL if there is none.
const keel_workload *keeli_plan_workload(const keel_inspect *inspect);
// Returns the node of the system at a position, or NULL.
const keel_workload_node *keeli_plan_system(const keeli_plan *plan, uint64_t position);
// Returns the step of the system at a position, or NULL.
const keel_step *keeli_plan_step(keel_world *world, const keel_workload *workload,
                                 uint32_t position);
// True if a timing with this position and these names, which may be cut, is of this node.
bool keeli_node_is(const keel_workload_node *node, uint32_t position, const char *system,
                   const char *workload);
// True if such a timing is of a node of this plan.
bool keeli_plan_has(const keeli_plan *plan, uint32_t position, const char *system,
                    const char *workload);
