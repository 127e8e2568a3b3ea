// SPDX-License-Identifier: MIT
// How long workers wait: the graph that Keel runs by, against the same systems in batches, where
// each batch ends before the next begins. Random workloads of a hundred systems get random costs;
// both schedules are played on paper, so that the machine does not matter.
#include "run/schedule.h"

#include <keel/explain.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SYSTEMS = 100, COMPONENTS = 40, TERMS = 5, WORKLOADS = 50, MOST_WORKERS = 16 };

// ------------------------------------------------------------------ a workload
static uint64_t state = 1;
static uint32_t below(uint32_t limit) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % limit;
}

// Microseconds: 2 to 500, each order of magnitude as often.
static uint64_t random_cost(void) { return (uint64_t)(2u << below(9)) - below(2u << below(2)) / 2; }

static uint32_t slots[COMPONENTS];
static char names[COMPONENTS][16];
static keel_component components[COMPONENTS];
static keel_term terms[SYSTEMS][TERMS + 1];
static keel_system systems[SYSTEMS];
static keel_step steps[SYSTEMS];

static keel_result nothing(keel_context *context) {
    (void)context;
    return KEEL_OK;
}

static void make_components(void) {
    for (uint32_t c = 0; c < COMPONENTS; ++c) {
        snprintf(names[c], sizeof names[c], "C%u", (unsigned)c);
        components[c] =
            (keel_component){ .name = names[c], .size = 4, .align = 4, .slot = &slots[c] };
    }
}

// Reads up to three components and writes one; one in eight records commands.
static void make_system(uint32_t i) {
    uint32_t n = 0, writes = below(COMPONENTS);
    memset(terms[i], 0, sizeof terms[i]);
    terms[i][n++] = (keel_term){ .kind = KEEL_TERM_MAY_WRITE, .component = &components[writes] };
    for (uint32_t reads = below(4); reads; --reads) {
        const uint32_t c = (writes + 1 + below(COMPONENTS - 1)) % COMPONENTS;
        terms[i][n++] = (keel_term){ .kind = KEEL_TERM_MAY_READ, .component = &components[c] };
    }
    if (below(8) == 0)
        terms[i][n++] =
            (keel_term){ .kind = KEEL_TERM_COMMANDS, .component = &components[below(COMPONENTS)] };
    systems[i] = (keel_system){
        .name = "system", .kind = KEEL_SYSTEM_PER_RUN, .function = nothing, .terms = terms[i]
    };
    steps[i] = (keel_step){ .system = &systems[i] };
}

// ------------------------------------------------------------------ on paper
typedef struct paper {
    const keeli_schedule *schedule;
    const keel_workload_node *nodes;
    uint64_t *cost;
    uint32_t *pending;
    bool *is_done;
    uint64_t free_at[MOST_WORKERS];
    uint32_t running[MOST_WORKERS]; // KEEL_NO_NODE: none
    uint32_t workers;
} paper;

// The first that can start: in linear order, as Keel takes them.
static uint32_t next_node(const paper *p, uint32_t batch) {
    for (uint32_t i = 0; i < p->schedule->nodes.count; ++i) {
        if (p->is_done[i] || p->pending[i]) continue;
        if (batch == KEEL_NO_NODE || p->nodes[i].batch == batch) return i;
    }
    return KEEL_NO_NODE;
}

static void end_node(paper *p, uint32_t index) {
    const keeli_node *node = &p->schedule->nodes.items[index];
    for (uint32_t e = 0; e < node->edge_count; ++e)
        --p->pending[p->schedule->edges.items[node->first_edge + e].to];
}

static void start_all(paper *p, uint64_t now, uint32_t batch) {
    for (uint32_t w = 0; w < p->workers; ++w) {
        if (p->running[w] != KEEL_NO_NODE) continue;
        const uint32_t node = next_node(p, batch);
        if (node == KEEL_NO_NODE) return;
        p->is_done[node] = true;
        p->running[w] = node;
        p->free_at[w] = now + p->cost[node];
    }
}

// The worker that is done first; KEEL_NO_NODE: none works.
static uint32_t first_to_end(const paper *p) {
    uint32_t first = KEEL_NO_NODE;
    for (uint32_t w = 0; w < p->workers; ++w)
        if (p->running[w] != KEEL_NO_NODE &&
            (first == KEEL_NO_NODE || p->free_at[w] < p->free_at[first]))
            first = w;
    return first;
}

// Run all that can be run, of one batch or (KEEL_NO_NODE) at all. When the last one has ended.
static uint64_t run(paper *p, uint64_t now, uint32_t batch) {
    start_all(p, now, batch);
    for (uint32_t w; (w = first_to_end(p)) != KEEL_NO_NODE;) {
        now = p->free_at[w];
        end_node(p, p->running[w]);
        p->running[w] = KEEL_NO_NODE;
        start_all(p, now, batch);
    }
    return now;
}

static uint64_t length_of(const keeli_schedule *s, const keel_workload_node *nodes, uint64_t *cost,
                          uint32_t workers, bool batches) {
    const uint32_t count = s->nodes.count;
    paper p = { .schedule = s, .nodes = nodes, .cost = cost, .workers = workers };
    p.pending = malloc(count * sizeof *p.pending);
    p.is_done = calloc(count, sizeof *p.is_done);
    for (uint32_t i = 0; i < count; ++i)
        p.pending[i] = s->nodes.items[i].waits_for;
    memset(p.running, 0xFF, sizeof p.running);
    uint64_t now = 0;
    for (uint32_t b = 0; batches && b < count; ++b)
        now = run(&p, now, b);
    now = run(&p, now, KEEL_NO_NODE);
    free(p.pending);
    free(p.is_done);
    return now;
}

// ------------------------------------------------------------------ all of them
typedef struct sums {
    uint64_t work, graph, batches;
} sums;

static void add_workload(sums *out, const uint32_t *workers, uint32_t kinds) {
    for (uint32_t i = 0; i < SYSTEMS; ++i)
        make_system(i);
    const keel_workload table = { .name = "table", .steps = steps, .step_count = SYSTEMS };
    keel_world *world = keel_world_create(&(keel_world_desc){ .worker_count = 1 });
    if (keel_run_workload_of(world, &table, NULL) < 0) exit(1);
    const uint32_t count = keel_world_workload_nodes(world, &table, NULL, 0);
    keel_workload_node *nodes = calloc(count, sizeof *nodes);
    (void)keel_world_workload_nodes(world, &table, nodes, count);
    const keeli_schedule *s = world->workloads.schedules;
    uint64_t *cost = calloc(s->nodes.count, sizeof *cost);
    for (uint32_t i = 0; i < s->nodes.count; ++i)
        cost[i] = s->nodes.items[i].kind == KEEL_NODE_SYSTEM ? random_cost() : 1 + below(10);
    for (uint32_t k = 0; k < kinds; ++k) {
        for (uint32_t i = 0; i < s->nodes.count; ++i)
            out[k].work += cost[i];
        out[k].graph += length_of(s, nodes, cost, workers[k], false);
        out[k].batches += length_of(s, nodes, cost, workers[k], true);
    }
    free(cost);
    free(nodes);
    keel_world_destroy(world);
}

// Which part of the workers' time is spent waiting, in percent.
static double waiting(uint64_t work, uint64_t length, uint32_t workers) {
    return 100 - 100.0 * (double)work / ((double)length * workers);
}

int main(void) {
    static const uint32_t workers[] = { 2, 4, 8, 16 };
    enum { KINDS = sizeof workers / sizeof *workers };
    sums all[KINDS] = { { 0 } };
    make_components();
    for (uint32_t i = 0; i < WORKLOADS; ++i)
        add_workload(all, workers, KINDS);
    printf("%u random workloads of %u systems, milliseconds each\n\n", (unsigned)WORKLOADS,
           (unsigned)SYSTEMS);
    printf("workers   work   batches   waiting     graph   waiting\n");
    for (uint32_t k = 0; k < KINDS; ++k) {
        const sums *a = &all[k];
        const double each = 1000.0 * WORKLOADS;
        printf("%7u %6.2f %9.2f %8.1f%% %9.2f %8.1f%%\n", (unsigned)workers[k],
               (double)a->work / each, (double)a->batches / each,
               waiting(a->work, a->batches, workers[k]), (double)a->graph / each,
               waiting(a->work, a->graph, workers[k]));
    }
    return 0;
}
