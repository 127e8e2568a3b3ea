// SPDX-License-Identifier: MIT
// Describes the schedule of a workload: its nodes, their batches, and the reasons why nodes wait
// for each other. Running a workload does not use this file. The public functions are at the end;
// describe_write.c writes the text.
#include "tell/describe.h"

#include "world/report.h"

// ------------------------------------------------------------------ why
// Returns a wait for a storage that both nodes touch and at least one of them writes, or
// KEEL_WAIT_NONE. Prefers components to the internal storages for the list of entities, rows and
// groups, which have no slot.
static keel_wait find_conflict(const keeli_schedule *s, const keeli_node *node,
                               const keeli_node *other) {
    keel_wait why = { .kind = KEEL_WAIT_NONE };
    for (uint32_t i = 0; i < node->touch_count; ++i) {
        const keeli_touch *a = &s->touches.items[node->first_touch + i];
        for (uint32_t k = 0; k < other->touch_count; ++k) {
            const keeli_touch *b = &s->touches.items[other->first_touch + k];
            const bool is_written = a->access > KEEL_ACCESS_READ || b->access > KEEL_ACCESS_READ;
            if (a->storage != b->storage || !is_written)
                continue;

            const keel_component *c = &a->storage->component;
            why = (keel_wait){ KEEL_WAIT_STORAGE, c->name, a->access, b->access, c->is_event };
            if (a->storage->slot)
                return why;
        }
    }
    return why;
}

// True if `from` is the BEGIN node of the nested workload that `to` is in, or `to` is the END node
// of the nested workload that `from` is in.
static bool is_nesting(const keeli_schedule *s, uint32_t from, uint32_t to) {
    const keeli_node *node = &s->nodes.items[to], *other = &s->nodes.items[from];
    if (other->kind == KEEL_NODE_COMMANDS)
        from = other->of; // commands of a condition of a nested workload: take its BEGIN node

    if (node->kind == KEEL_NODE_END)
        return s->sections.items[other->section].close == to ||
               (s->nodes.items[from].kind == KEEL_NODE_BEGIN && other->section == node->section);
    return s->sections.items[node->section].open == from;
}

// Returns the reason for an edge between two nodes that do not conflict.
static keel_wait_kind find_order(const keeli_schedule *s, uint32_t from, uint32_t to) {
    const keeli_node *node = &s->nodes.items[to], *other = &s->nodes.items[from];
    if (node->kind == KEEL_NODE_BARRIER || other->kind == KEEL_NODE_BARRIER)
        return KEEL_WAIT_BARRIER;
    if (is_nesting(s, from, to))
        return KEEL_WAIT_NESTED;
    if (other->is_main && (node->is_main || node->creates))
        return KEEL_WAIT_THREAD;
    return KEEL_WAIT_ORDER;
}

// Returns the reason for the edge from node `from` to node `to`.
static keel_wait find_wait(const keeli_schedule *s, uint32_t from, uint32_t to) {
    const keeli_node *node = &s->nodes.items[to], *other = &s->nodes.items[from];
    if (node->kind == KEEL_NODE_COMMANDS && node->of == from)
        return (keel_wait){ .kind = KEEL_WAIT_COMMANDS };
    if (node->is_alone || other->is_alone)
        return (keel_wait){ .kind = KEEL_WAIT_WORLD };

    keel_wait why = find_conflict(s, node, other);
    if (why.kind == KEEL_WAIT_NONE)
        why.kind = find_order(s, from, to);
    return why;
}

// ------------------------------------------------------------------ batches
// Sets the reason why a node is behind `node->other`. If the two nodes are connected through
// barriers or nested workloads, push_back has copied the reason of the last of these; a direct
// conflict between the two nodes is more exact and replaces that reason.
static void find_reason(const keeli_schedule *s, uint32_t index) {
    keel_workload_node *node = &s->described.items[index];
    if (node->other == KEEL_NO_NODE)
        return;

    const keel_wait why = find_wait(s, node->other, index);
    const bool is_known = node->why.kind != KEEL_WAIT_NONE && node->why.kind != KEEL_WAIT_NESTED;
    if (!is_known || why.kind <= KEEL_WAIT_BARRIER)
        node->why = why;
}

// Moves node `to`, which waits for node `index`, to the batch after that of `index`, unless it is
// in that batch or a later one already. If `index` has no work, it takes up no batch: `to` then
// gets the batch of `index`, and the node that `index` waits for as its own.
static void push_back(const keeli_schedule *s, uint32_t index, uint32_t to) {
    const keel_workload_node *node = &s->described.items[index];
    keel_workload_node *next = &s->described.items[to];
    const bool is_work = keeli_node_is_work(&s->nodes.items[index]);
    if (node->batch + is_work <= next->batch)
        return;

    next->batch = node->batch + is_work;
    next->other = is_work ? index : node->other;
    next->why = is_work ? (keel_wait){ .kind = KEEL_WAIT_NONE } : node->why;
}

// Sets the batch of each node, the other node that keeps it from an earlier batch, and the reason.
// Batches never decrease in linear order.
static void find_batches(const keeli_schedule *s) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        const keeli_node *node = &s->nodes.items[i];
        keel_workload_node *seen = &s->described.items[i]; // earlier nodes have raised its batch
        if (keeli_node_is_work(node)) {
            if (seen->batch < last)
                seen->other = KEEL_NO_NODE; // only its place in the order puts it in this batch
            else
                last = seen->batch;
            seen->batch = last;
        }

        find_reason(s, i);
        for (uint32_t e = 0; e < node->edge_count; ++e)
            push_back(s, i, s->edges.items[node->first_edge + e].to);
    }
}

// ------------------------------------------------------------------ nodes and edges
static keel_workload_node describe_node(const keeli_schedule *s, const keeli_node *node) {
    const bool is_commands = node->kind == KEEL_NODE_COMMANDS;
    const keeli_node *whose = is_commands ? &s->nodes.items[node->of] : node;
    return (keel_workload_node){
        .kind = node->kind,
        .name = node->name,
        .workload = node->workload,
        .system = whose->step.system,
        .position = whose->kind == KEEL_NODE_SYSTEM ? whose->place : KEEL_NO_NODE,
        .other = KEEL_NO_NODE,
        .alone = node->is_alone,
        .main_thread = node->is_main,
        .parallel = node->step.parallel,
    };
}

// Describes all nodes, unless the schedule has their descriptions already. False when out of
// memory.
static bool describe_nodes(keeli_schedule *s) {
    const uint32_t count = s->nodes.count;
    if (s->described.count)
        return true;
    if (!KEELI_RESERVE(&s->world->heap, &s->described, count))
        return false;

    s->described.count = count;
    for (uint32_t i = 0; i < count; ++i)
        s->described.items[i] = describe_node(s, &s->nodes.items[i]);
    find_batches(s);

    for (uint32_t i = 0; i < count; ++i) { // nodes without work are in no batch
        keel_workload_node *node = &s->described.items[i];
        if (keeli_node_is_work(&s->nodes.items[i]))
            continue;
        node->batch = node->other = KEEL_NO_NODE;
        node->why = (keel_wait){ .kind = KEEL_WAIT_NONE };
    }
    return true;
}

keel_workload_edge keeli_describe_edge(const keeli_schedule *s, uint32_t edge) {
    const keeli_node_edge *e = &s->edges.items[edge];
    return (
        keel_workload_edge){ .from = e->from, .to = e->to, .why = find_wait(s, e->from, e->to) };
}

// ------------------------------------------------------------------ public
// Acquires the schedule of a workload, and describes its nodes. The caller must call
// keeli_schedule_release. NULL on error, which the world records.
static keeli_schedule *begin_describing(keel_world *world, const keel_workload *table) {
    if (keeli_is_no_world(world)) {
        (void)keeli_no_world();
        return NULL;
    }
    if (!table) {
        (void)keeli_no_workload(world);
        return NULL;
    }

    keel_result result;
    keeli_schedule *s = keeli_schedule_acquire(world, table, NULL, &result);
    if (!s || describe_nodes(s))
        return s;
    (void)keeli_out_of_memory(world, "describing a workload");
    keeli_schedule_release(s);
    return NULL;
}

uint32_t keel_world_workload_nodes(keel_world *world, const keel_workload *workload,
                                   keel_workload_node *nodes, uint32_t capacity) {
    keeli_schedule *s = begin_describing(world, workload);
    if (!s)
        return 0;
    const uint32_t count = s->nodes.count;
    if (nodes)
        for (uint32_t i = 0; i < count && i < capacity; ++i)
            nodes[i] = s->described.items[i];
    keeli_schedule_release(s);
    return count;
}

uint32_t keel_world_workload_edges(keel_world *world, const keel_workload *workload,
                                   keel_workload_edge *edges, uint32_t capacity) {
    keeli_schedule *s = begin_describing(world, workload);
    if (!s)
        return 0;
    const uint32_t count = s->edges.count;
    if (edges)
        for (uint32_t e = 0; e < count && e < capacity; ++e)
            edges[e] = keeli_describe_edge(s, e);
    keeli_schedule_release(s);
    return count;
}

size_t keel_world_explain_workload(keel_world *world, const keel_workload *workload,
                                   keel_explain_format format, char *text, size_t size) {
    keeli_writer w = keeli_writer_begin(text, size);
    keeli_schedule *s = begin_describing(world, workload);
    if (!s)
        return 0;

    if (format == KEEL_EXPLAIN_TEXT)
        keeli_write_text(&w, s);
    else if (format == KEEL_EXPLAIN_DOT)
        keeli_write_dot(&w, s);
    else if (format == KEEL_EXPLAIN_JSON)
        keeli_write_json(&w, s);
    else
        (void)keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                           "%d is no format; it is one of KEEL_EXPLAIN_TEXT, _DOT and _JSON",
                           (int)format);
    keeli_schedule_release(s);
    return w.length;
}
