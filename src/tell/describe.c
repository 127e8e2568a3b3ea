// SPDX-License-Identifier: MIT
// What a workload becomes, told to the user. Nothing here is needed to run it.
#include "tell/describe.h"

#include "data/component_index.h"
#include "world/registry.h"
#include "world/report.h"

// ------------------------------------------------------------------ why
static bool is_pair(const keeli_touch *a, const keeli_touch *b) {
    return a->storage == b->storage &&
           (a->access > KEEL_ACCESS_READ || b->access > KEEL_ACCESS_READ);
}

// What two nodes both touch. The list of entities, rows and groups, which have no number, are named
// where there is nothing else.
static keel_wait find_conflict(const keeli_schedule *s, const keeli_node *node,
                               const keeli_node *other) {
    keel_wait why = { .kind = KEEL_WAIT_NONE };
    for (uint32_t i = 0; i < node->touch_count; ++i) {
        const keeli_touch *a = &s->touches.items[node->first_touch + i];
        for (uint32_t k = 0; k < other->touch_count; ++k) {
            const keeli_touch *b = &s->touches.items[other->first_touch + k];
            if (!is_pair(a, b)) continue;
            const keel_component *c = &a->storage->component;
            why = (keel_wait){ KEEL_WAIT_STORAGE, c->name, a->access, b->access, c->is_event };
            if (a->storage->slot) return why;
        }
    }
    return why;
}

// Is it the beginning of what `to` is in, or `to` the end of what it is in?
static bool is_nesting(const keeli_schedule *s, uint32_t from, uint32_t to) {
    const keeli_node *node = &s->nodes.items[to], *other = &s->nodes.items[from];
    if (other->kind == KEELI_NODE_SYNC) from = other->of; // of its conditions
    if (node->kind == KEELI_NODE_CLOSE)
        return s->sections.items[other->section].close == to ||
               (s->nodes.items[from].kind == KEELI_NODE_OPEN && other->section == node->section);
    return s->sections.items[node->section].open == from;
}

// What lies between two nodes without anything that both touch.
static keel_wait_kind find_order(const keeli_schedule *s, uint32_t from, uint32_t to) {
    const keeli_node *node = &s->nodes.items[to], *other = &s->nodes.items[from];
    if (node->kind == KEELI_NODE_BARRIER || other->kind == KEELI_NODE_BARRIER)
        return KEEL_WAIT_BARRIER;
    if (is_nesting(s, from, to)) return KEEL_WAIT_NESTED;
    if (other->is_main && (node->is_main || node->creates)) return KEEL_WAIT_THREAD;
    return KEEL_WAIT_ORDER;
}

// Why node `to` waits for node `from`, one of those it has an edge from.
static keel_wait find_wait(const keeli_schedule *s, uint32_t from, uint32_t to) {
    const keeli_node *node = &s->nodes.items[to], *other = &s->nodes.items[from];
    if (node->kind == KEELI_NODE_SYNC && node->of == from)
        return (keel_wait){ .kind = KEEL_WAIT_COMMANDS };
    if (node->everything || other->everything) return (keel_wait){ .kind = KEEL_WAIT_WORLD };
    keel_wait why = find_conflict(s, node, other);
    if (why.kind == KEEL_WAIT_NONE) why.kind = find_order(s, from, to);
    return why;
}

// ------------------------------------------------------------------ batches
// Now that it is clear which node is in the way: a conflict with it counts more than what was found
// on the way over barriers and nested workloads.
static void find_reason(keeli_description *d, uint32_t index) {
    keeli_batch_place *place = &d->places[index];
    if (place->other == KEELI_NO_NODE) return;
    const keel_wait why = find_wait(d->s, place->other, index);
    const bool is_known = place->why.kind != KEEL_WAIT_NONE && place->why.kind != KEEL_WAIT_NESTED;
    if (!is_known || why.kind <= KEEL_WAIT_BARRIER) place->why = why;
}

// The earliest batch of a node that waits for node `index`.
static void push_back(keeli_description *d, uint32_t index, uint32_t to) {
    const keeli_batch_place *place = &d->places[index];
    keeli_batch_place *next = &d->places[to];
    const bool is_work = keeli_node_is_work(&d->s->nodes.items[index]);
    const uint32_t batch = place->batch + is_work;
    if (batch <= next->batch) return;
    *next = is_work ? (keeli_batch_place){ .other = index } : *place;
    next->batch = batch;
}

// They are kept with the schedule. False when out of memory.
static bool find_batches(keeli_description *d) {
    keeli_schedule *s = d->s;
    uint32_t last = 0;
    d->places = s->described;
    if (d->places || !s->nodes.count) return true;
    s->described_bytes = s->nodes.count * sizeof *d->places;
    s->described = d->places =
        keeli_new(&s->world->heap, s->described_bytes, _Alignof(max_align_t));
    if (!d->places) return false;
    for (uint32_t i = 0; i < s->nodes.count; ++i)
        d->places[i] = (keeli_batch_place){ .other = KEELI_NO_NODE };
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        const keeli_node *node = &s->nodes.items[i];
        keeli_batch_place *place = &d->places[i]; // those before it have told it its batch
        if (keeli_node_is_work(node)) {
            if (place->batch < last) place->other = KEELI_NO_NODE; // nothing but its place
            else last = place->batch;
            place->batch = last;
        }
        find_reason(d, i);
        for (uint32_t e = 0; e < node->edge_count; ++e)
            push_back(d, i, s->edges.items[node->first_edge + e].to);
    }
    return true;
}

// The last node that works is in the last batch.
uint32_t keeli_batch_count(const keeli_description *d) {
    for (uint32_t i = d->s->nodes.count; i--;)
        if (keeli_node_is_work(&d->s->nodes.items[i])) return d->places[i].batch + 1;
    return 0;
}

// ------------------------------------------------------------------ one node, one edge
static keel_node_kind kind_of(const keeli_node *node) {
    static const keel_node_kind kinds[] = {
        [KEELI_NODE_SYSTEM] = KEEL_NODE_SYSTEM,   [KEELI_NODE_SYNC] = KEEL_NODE_COMMANDS,
        [KEELI_NODE_OPEN] = KEEL_NODE_BEGIN,      [KEELI_NODE_CLOSE] = KEEL_NODE_END,
        [KEELI_NODE_BARRIER] = KEEL_NODE_BARRIER, [KEELI_NODE_JOIN] = KEEL_NODE_JOIN
    };
    return kinds[node->kind];
}

keel_workload_node keeli_describe_node(const keeli_description *d, uint32_t index) {
    const keeli_schedule *s = d->s;
    const keeli_batch_place *place = &d->places[index];
    const keeli_node *node = &s->nodes.items[index];
    const keeli_node *whose = node->kind == KEELI_NODE_SYNC ? &s->nodes.items[node->of] : node;
    const bool is_work = keeli_node_is_work(node);
    return (keel_workload_node){
        .kind = kind_of(node),
        .name = node->name,
        .workload = s->sections.items[node->section].name,
        .system = whose->step.system,
        .position = whose->kind == KEELI_NODE_SYSTEM ? whose->place : KEEL_NO_NODE,
        .batch = is_work ? place->batch : KEEL_NO_NODE,
        .other = is_work ? place->other : KEEL_NO_NODE,
        .why = is_work ? place->why : (keel_wait){ .kind = KEEL_WAIT_NONE },
        .alone = node->everything,
        .main_thread = node->is_main,
        .parallel = node->step.parallel,
    };
}

keel_workload_edge keeli_describe_edge(const keeli_schedule *s, uint32_t index, uint32_t edge) {
    const uint32_t to = s->edges.items[s->nodes.items[index].first_edge + edge].to;
    return (keel_workload_edge){ .from = index, .to = to, .why = find_wait(s, index, to) };
}

const char *keeli_access_verb(keel_access access, bool is_event) {
    static const char *const verbs[] = { "none", "read", "write", "edit" };
    if (!is_event || access == KEEL_ACCESS_NONE) return verbs[access];
    return access == KEEL_ACCESS_READ ? "receive" : "send";
}

uint32_t keeli_list_conditions(const keel_step *step, keeli_named_option list[KEELI_CONDITIONS]) {
    uint32_t count = 0;
    if (step->run_if) list[count++] = (keeli_named_option){ "run_if", step->run_if->name };
    if (step->skip_if) list[count++] = (keeli_named_option){ "skip_if", step->skip_if->name };
    if (step->skip_if_empty)
        list[count++] =
            (keeli_named_option){ "skip_if_empty", keeli_component_name(step->skip_if_empty) };
    if (step->skip_if_missing)
        list[count++] =
            (keeli_named_option){ "skip_if_missing", keeli_component_name(step->skip_if_missing) };
    return count;
}

// ------------------------------------------------------------------ all of them
// The workload of this name, or, NULL, the table. False on error, which is kept.
static bool begin(keeli_description *d, keel_world *world, const keel_workload *table,
                  const char *name) {
    keel_result result;
    *d = (keeli_description){ 0 };
    if (!world) return (void)keeli_no_world(), false;
    if (!name && !table) {
        (void)keeli_misuse(world, KEEL_ERROR_ARGUMENT, "the workload is NULL");
        return false;
    }
    d->s = keeli_schedule_take(world, table, name, &result);
    if (!d->s) return false;
    if (!find_batches(d)) {
        (void)keeli_out_of_memory(world, "describing a workload");
        keeli_schedule_give(d->s);
        return false;
    }
    return true;
}

static uint32_t list_nodes(keel_world *world, const keel_workload *table, const char *name,
                           keel_workload_node *nodes, uint32_t capacity) {
    keeli_description d;
    if (!begin(&d, world, table, name)) return 0;
    const uint32_t count = d.s->nodes.count;
    for (uint32_t i = 0; nodes && i < count && i < capacity; ++i)
        nodes[i] = keeli_describe_node(&d, i);
    keeli_schedule_give(d.s);
    return count;
}

static uint32_t list_edges(keel_world *world, const keel_workload *table, const char *name,
                           keel_workload_edge *edges, uint32_t capacity) {
    keeli_description d;
    if (!begin(&d, world, table, name)) return 0;
    const keeli_schedule *s = d.s;
    const uint32_t count = s->edges.count;
    uint32_t at = 0;
    for (uint32_t i = 0; edges && i < s->nodes.count && at < capacity; ++i)
        for (uint32_t e = 0; e < s->nodes.items[i].edge_count && at < capacity; ++e)
            edges[at++] = keeli_describe_edge(s, i, e);
    keeli_schedule_give(d.s);
    return count;
}

static size_t explain(keel_world *world, const keel_workload *table, const char *name,
                      keel_explain_format format, char *text, size_t size) {
    keeli_writer w = keeli_writer_begin(text, size);
    keeli_description d;
    if (!begin(&d, world, table, name)) return 0;
    if (format == KEEL_EXPLAIN_TEXT) keeli_write_text(&w, &d);
    else if (format == KEEL_EXPLAIN_DOT) keeli_write_dot(&w, &d);
    else if (format == KEEL_EXPLAIN_JSON) keeli_write_json(&w, &d);
    else
        (void)keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                           "%d is no format; it is one of KEEL_EXPLAIN_TEXT, _DOT and _JSON",
                           (int)format);
    keeli_schedule_give(d.s);
    return w.length;
}

// ------------------------------------------------------------------ public
uint32_t keel_world_workload_nodes(keel_world *world, const keel_workload *workload,
                                   keel_workload_node *nodes, uint32_t capacity) {
    return list_nodes(world, workload, NULL, nodes, capacity);
}

uint32_t keel_named_nodes(keel_world *world, const char *name, keel_workload_node *nodes,
                          uint32_t capacity) {
    return list_nodes(world, NULL, name ? name : "", nodes, capacity);
}

uint32_t keel_world_workload_edges(keel_world *world, const keel_workload *workload,
                                   keel_workload_edge *edges, uint32_t capacity) {
    return list_edges(world, workload, NULL, edges, capacity);
}

uint32_t keel_named_edges(keel_world *world, const char *name, keel_workload_edge *edges,
                          uint32_t capacity) {
    return list_edges(world, NULL, name ? name : "", edges, capacity);
}

size_t keel_world_explain_workload(keel_world *world, const keel_workload *workload,
                                   keel_explain_format format, char *text, size_t size) {
    return explain(world, workload, NULL, format, text, size);
}

size_t keel_explain_named(keel_world *world, const char *name, keel_explain_format format,
                          char *text, size_t size) {
    return explain(world, NULL, name ? name : "", format, text, size);
}
