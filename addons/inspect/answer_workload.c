// SPDX-License-Identifier: MIT
// Answers GET workload: the graph that runs, the reason of each edge, and the chain of nodes that
// takes longest.
#include "answers.h"
#include "frames.h"
#include "plan.h"
#include "what_if.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const workload_kinds[] = { "system", "commands", "barrier",
                                              "begin",  "end",      "join" };
static const char *const workload_waits[] = { "none",    "commands", "world",  "storage",
                                              "barrier", "nested",   "thread", "order" };
static const char *const workload_access[] = { "uses", "reads", "writes", "edits" };

// ------------------------------------------------------------------ reasons
static const char *workload_verb(const keel_wait *why, keel_access access) {
    if (why->is_event) return access == KEEL_ACCESS_READ ? "receives" : "sends";
    return workload_access[access];
}

static void workload_write_text(keeli_out *out, const keeli_plan *plan,
                                const keel_workload_edge *edge) {
    char text[400];
    const keel_wait *why = &edge->why;
    const char *from = plan->nodes[edge->from].name, *to = plan->nodes[edge->to].name;
    switch (why->kind) {
    case KEEL_WAIT_COMMANDS:
        snprintf(text, sizeof text, "applies the commands that %.100s recorded", from);
        break;
    case KEEL_WAIT_WORLD:
        snprintf(text, sizeof text, "%.100s or %.100s uses the whole world", from, to);
        break;
    case KEEL_WAIT_STORAGE:
        snprintf(text, sizeof text, "%.100s %s %.100s, which %.100s %s", to,
                 workload_verb(why, why->access), why->storage ? why->storage : "", from,
                 workload_verb(why, why->other_access));
        break;
    case KEEL_WAIT_BARRIER:
        snprintf(text, sizeof text, "a barrier stands between them");
        break;
    case KEEL_WAIT_NESTED:
        snprintf(text, sizeof text, "the begin or end of a nested workload");
        break;
    case KEEL_WAIT_THREAD:
        snprintf(text, sizeof text, "%.100s runs on the thread that runs the workload", from);
        break;
    case KEEL_WAIT_ORDER:
        snprintf(text, sizeof text, "the program asked for this order");
        break;
    case KEEL_WAIT_NONE:
    default:
        snprintf(text, sizeof text, "no reason is known");
        break;
    }
    keeli_out_key_text(out, "text", text);
}

static void workload_write_edge(keeli_out *out, const keeli_plan *plan,
                                const keel_workload_edge *edge) {
    const keel_wait *why = &edge->why;
    keeli_out_open(out, '{');
    keeli_out_key_number(out, "from", edge->from);
    keeli_out_key_number(out, "to", edge->to);
    keeli_out_key_text(out, "kind", workload_waits[why->kind]);
    keeli_out_key_text(out, "storage", why->storage);
    keeli_out_key_text(out, "access", why->storage ? workload_verb(why, why->access) : NULL);
    keeli_out_key_text(out, "other_access",
                       why->storage ? workload_verb(why, why->other_access) : NULL);
    workload_write_text(out, plan, edge);
    keeli_out_close(out, '}');
}

// ------------------------------------------------------------------ direct edges
// Marks in `direct` the edges that do not follow from a longer way. `reach` has a row of bits for
// each node: the nodes that come before it.
static void workload_find_direct(const keeli_plan *plan, uint64_t *reach, size_t words,
                                 bool *direct) {
    // Edges are sorted by `from`; the edges into a node are looked at from the nearest `from` on.
    for (uint32_t to = 0; to < plan->node_count; ++to) {
        uint64_t *mine = reach + to * words;
        for (uint32_t e = plan->edge_count; e-- > 0;) {
            const keel_workload_edge *edge = &plan->edges[e];
            if (edge->to != to) continue;
            direct[e] = !(mine[edge->from / 64] >> (edge->from % 64) & 1);
            for (size_t w = 0; w < words; ++w)
                mine[w] |= reach[edge->from * words + w];
            mine[edge->from / 64] |= (uint64_t)1 << (edge->from % 64);
        }
    }
}

// ------------------------------------------------------------------ the critical path
static uint64_t workload_time(const keeli_frames *frames, const keel_workload_node *node,
                              const keeli_sum *sums, uint64_t frame_count) {
    const keeli_sum *sum = keeli_frames_sum_of(frames, node, sums);
    if (!sum) return 0;
    return (node->kind == KEEL_NODE_COMMANDS ? sum->applied : sum->nanoseconds) / frame_count;
}

typedef struct workload_path {
    uint64_t *times;  // of each node
    uint64_t *ends;   // when a node ends, if nothing but its edges held it up
    uint32_t *before; // the node on the longest way to it; KEEL_NO_NODE: none
} workload_path;

static uint32_t workload_find_critical(const keeli_plan *plan, const workload_path *path) {
    uint32_t last = KEEL_NO_NODE;
    for (uint32_t i = 0; i < plan->node_count; ++i) {
        path->ends[i] = 0;
        path->before[i] = KEEL_NO_NODE;
    }
    for (uint32_t i = 0, e = 0; i < plan->node_count; ++i) {
        path->ends[i] += path->times[i];
        if (last == KEEL_NO_NODE || path->ends[i] > path->ends[last]) last = i;
        for (; e < plan->edge_count && plan->edges[e].from == i; ++e) {
            const uint32_t to = plan->edges[e].to;
            if (path->ends[i] < path->ends[to] ||
                (!path->ends[i] && path->before[to] != KEEL_NO_NODE))
                continue;
            path->ends[to] = path->ends[i];
            path->before[to] = i;
        }
    }
    return last;
}

// Writes the nodes of the longest chain, from its last node back to the first.
static void workload_write_critical(keeli_out *out, const workload_path *path, uint32_t last) {
    keeli_out_key_open(out, "critical", '{');
    keeli_out_key_open(out, "nodes", '[');
    for (uint32_t i = last; i != KEEL_NO_NODE; i = path->before[i])
        keeli_out_number(out, i);
    keeli_out_close(out, ']');
    keeli_out_key_number(out, "nanoseconds", last == KEEL_NO_NODE ? 0 : path->ends[last]);
    keeli_out_close(out, '}');
}

// ------------------------------------------------------------------ the answer
static void workload_write_node(keeli_out *out, const keel_workload_node *node, uint32_t index,
                                uint64_t time) {
    const bool has_position = node->kind == KEEL_NODE_SYSTEM || node->kind == KEEL_NODE_COMMANDS;
    keeli_out_open(out, '{');
    keeli_out_key_number(out, "index", index);
    keeli_out_key_text(out, "kind", workload_kinds[node->kind]);
    keeli_out_key_text(out, "name", node->name);
    keeli_out_key_text(out, "workload", node->workload);
    keeli_out_key(out, "position");
    has_position ? keeli_out_number(out, node->position) : keeli_out_null(out);
    keeli_out_key(out, "batch");
    node->batch != KEEL_NO_NODE ? keeli_out_number(out, node->batch) : keeli_out_null(out);
    keeli_out_key_bool(out, "alone", node->alone);
    keeli_out_key_bool(out, "main_thread", node->main_thread);
    keeli_out_key_bool(out, "parallel", node->parallel);
    keeli_out_key_number(out, "nanoseconds", time);
    keeli_out_close(out, '}');
}

static void workload_write(keeli_out *out, const keeli_plan *plan, const workload_path *path,
                           const bool *direct) {
    uint32_t batches = 0;
    const uint32_t last = workload_find_critical(plan, path);
    keeli_out_open(out, '{');
    keeli_out_key_text(out, "name", plan->workload->name);
    keeli_out_key_open(out, "nodes", '[');
    for (uint32_t i = 0; i < plan->node_count; ++i) {
        workload_write_node(out, &plan->nodes[i], i, path->times[i]);
        if (plan->nodes[i].batch != KEEL_NO_NODE && plan->nodes[i].batch >= batches)
            batches = plan->nodes[i].batch + 1;
    }
    keeli_out_close(out, ']');
    keeli_out_key_open(out, "edges", '[');
    for (uint32_t e = 0; e < plan->edge_count; ++e)
        if (direct[e]) workload_write_edge(out, plan, &plan->edges[e]);
    keeli_out_close(out, ']');
    workload_write_critical(out, path, last);
    keeli_out_key_number(out, "batches", batches);
    keeli_out_close(out, '}');
}

static void workload_answer_plan(keel_inspect *inspect, keeli_request *request,
                                 const keeli_plan *plan, const keeli_sum *sums,
                                 uint64_t frame_count) {
    const size_t n = plan->node_count, words = n / 64 + 1;
    uint64_t *reach = calloc(n * words + 2 * n + 1, sizeof *reach);
    uint32_t *before = calloc(n + 1, sizeof *before);
    bool *direct = calloc(plan->edge_count + 1, sizeof *direct);
    if (reach && before && direct) {
        const workload_path path = { reach + n * words, reach + n * words + n, before };
        for (uint32_t i = 0; i < n; ++i)
            path.times[i] = workload_time(inspect->frames, &plan->nodes[i], sums, frame_count);
        workload_find_direct(plan, reach, words, direct);
        workload_write(&request->out, plan, &path, direct);
    } else {
        keeli_request_fail(request, 500, "memory", "out of memory: writing the plan");
    }
    free(reach);
    free(before);
    free(direct);
}

// Reads an argument such as "3:Position". False: it is none.
static bool workload_read_without(const char *text, uint32_t *position, const char **storage) {
    const size_t digits = strspn(text, "0123456789");
    if (!digits || digits > 9 || text[digits] != ':' || !text[digits + 1]) return false;
    *position = (uint32_t)strtoul(text, NULL, 10);
    *storage = text + digits + 1;
    return true;
}

// Answers with the plan as if a system did not use a storage.
static void workload_answer_what_if(keel_inspect *inspect, keeli_request *request,
                                    const keeli_plan *plan, const char *without,
                                    const keeli_sum *sums, uint64_t frame_count) {
    uint32_t position;
    const char *storage;
    if (!workload_read_without(without, &position, &storage)) {
        keeli_request_fail(request, 400, "argument",
                           "without: '%.60s' is not a position, ':' and a storage", without);
        return;
    }
    keeli_plan changed = { .node_count = 0 };
    keeli_what_if *what_if =
        keeli_what_if_begin(inspect, request, plan->workload, position, storage, &changed);
    if (what_if) workload_answer_plan(inspect, request, &changed, sums, frame_count);
    keeli_plan_free(&changed);
    keeli_what_if_end(inspect, what_if);
}

bool keeli_answer_workload(keel_inspect *inspect, keeli_request *request) {
    keeli_sum sums[KEELI_SOURCES];
    keeli_plan plan = { .node_count = 0 };
    bool failed;
    const char *slash = strchr(request->path, '/'), *without = keeli_argument(request, "without");
    if (!keeli_frames_read_for(inspect, request, &failed)) return failed;
    const uint64_t frame_count = keeli_frames_mean(inspect, sums);
    if (keeli_plan_read(inspect, request, slash && slash[1] ? slash + 1 : NULL, &plan)) {
        if (without) workload_answer_what_if(inspect, request, &plan, without, sums, frame_count);
        else if (keeli_plan_read_edges(inspect, request, &plan))
            workload_answer_plan(inspect, request, &plan, sums, frame_count);
    }
    keeli_plan_free(&plan);
    return true;
}
