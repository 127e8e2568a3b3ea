// SPDX-License-Identifier: MIT
// Reads plans of workloads by explain.h, and finds the steps that positions stand for.
#include "plan.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH = 32 };

const keel_workload *keeli_plan_workload(const keel_inspect *inspect) {
    if (inspect->workload) return inspect->workload;
    return keel_find_workload(inspect->world, inspect->workload_name);
}

static bool plan_fail(keel_inspect *inspect, keeli_request *request) {
    return !keeli_request_fail_by(request, inspect->world, keel_last_error(inspect->world)->result);
}

static bool plan_read_nodes(keel_world *world, keeli_plan *plan) {
    const uint32_t count = keel_world_workload_nodes(world, plan->workload, NULL, 0);
    plan->nodes = count ? calloc(count, sizeof *plan->nodes) : NULL;
    if (!plan->nodes) return !count;
    plan->node_count = keel_world_workload_nodes(world, plan->workload, plan->nodes, count);
    return true;
}

bool keeli_plan_try(keel_inspect *inspect, keeli_plan *plan) {
    *plan = (keeli_plan){ .workload = keeli_plan_workload(inspect) };
    return plan->workload && plan_read_nodes(inspect->world, plan);
}

bool keeli_plan_read_edges(keel_inspect *inspect, keeli_request *request, keeli_plan *plan) {
    keel_world *world = inspect->world;
    const uint32_t edges = keel_world_workload_edges(world, plan->workload, NULL, 0);
    plan->edges = edges ? calloc(edges, sizeof *plan->edges) : NULL;
    if (!plan->edges && edges)
        return !keeli_request_fail(request, 500, "memory", "out of memory: reading the plan");
    if (!edges) return true;
    plan->edge_count = keel_world_workload_edges(world, plan->workload, plan->edges, edges);
    return true;
}

bool keeli_plan_read(keel_inspect *inspect, keeli_request *request, const char *name,
                     keeli_plan *plan) {
    *plan = (keeli_plan){ .workload = name ? keel_find_workload(inspect->world, name)
                                           : keeli_plan_workload(inspect) };
    const char *own = inspect->workload ? inspect->workload->name : NULL;
    if (name && !plan->workload && own && !strcmp(own, name)) plan->workload = inspect->workload;
    if (!plan->workload)
        return !keeli_request_fail(request, 404, "gone", "%s",
                                   name ? "no workload of this name is stored in the world"
                                        : "no workload: set .workload in keel_inspect_desc");
    keel_clear_errors(inspect->world);
    const bool has_memory = plan_read_nodes(inspect->world, plan);
    if (has_memory && keel_last_error(inspect->world)->result >= 0) return true;
    keeli_plan_free(plan);
    if (has_memory) return plan_fail(inspect, request);
    return !keeli_request_fail(request, 500, "memory",
                               "out of memory: reading the plan of the workload");
}

void keeli_plan_free(keeli_plan *plan) {
    free(plan->nodes);
    free(plan->edges);
    *plan = (keeli_plan){ .workload = plan->workload };
}

const keel_workload_node *keeli_plan_system(const keeli_plan *plan, uint64_t position) {
    for (uint32_t i = 0; i < plan->node_count; ++i)
        if (plan->nodes[i].kind == KEEL_NODE_SYSTEM && plan->nodes[i].position == position)
            return &plan->nodes[i];
    return NULL;
}

// Two workloads of a frame may have the same system at the same position, so both names count.
bool keeli_node_is(const keel_workload_node *node, uint32_t position, const char *system,
                   const char *workload) {
    enum { KEPT = sizeof((keel_timing *)0)->system - 1 };
    return node->system && node->position == position &&
           !strncmp(node->system->name, system, KEPT) && !strncmp(node->workload, workload, KEPT);
}

bool keeli_plan_has(const keeli_plan *plan, uint32_t position, const char *system,
                    const char *workload) {
    const keel_workload_node *node = keeli_plan_system(plan, position);
    return node && keeli_node_is(node, position, system, workload);
}

static const keel_step *plan_find_step(keel_world *world, const keel_workload *workload,
                                       uint32_t *left, int depth) {
    for (uint32_t i = 0; workload && i < workload->step_count && depth < DEPTH; ++i) {
        const keel_step *step = &workload->steps[i];
        if (step->system && !(*left)--) return step;
        const keel_workload *nested =
            step->workload_name ? keel_find_workload(world, step->workload_name) : step->workload;
        const keel_step *found = nested ? plan_find_step(world, nested, left, depth + 1) : NULL;
        if (found) return found;
    }
    return NULL;
}

const keel_step *keeli_plan_step(keel_world *world, const keel_workload *workload,
                                 uint32_t position) {
    uint32_t left = position;
    return plan_find_step(world, workload, &left, 0);
}
