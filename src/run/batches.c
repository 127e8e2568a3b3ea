// SPDX-License-Identifier: MIT
// The graph as batches, the way a scheduler with barriers would run it: each node joins the last
// batch unless something in it stands in its way. Only told to the user; nothing runs by it.
#include "run/schedule.h"

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
        return s->groups.items[other->group].close == to ||
               (s->nodes.items[from].kind == KEELI_NODE_OPEN && other->group == node->group);
    return s->groups.items[node->group].open == from;
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

keel_wait keeli_why(const keeli_schedule *s, uint32_t from, uint32_t to) {
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
static void find_reason(const keeli_schedule *s, uint32_t index) {
    keeli_reason *reason = &s->nodes.items[index].reason;
    if (reason->other == KEELI_NO_NODE) return;
    const keel_wait why = keeli_why(s, reason->other, index);
    const bool is_known =
        reason->why.kind != KEEL_WAIT_NONE && reason->why.kind != KEEL_WAIT_NESTED;
    if (!is_known || why.kind <= KEEL_WAIT_BARRIER) reason->why = why;
}

// The earliest batch of a node that waits for node `index`.
static void push_back(keeli_schedule *s, uint32_t index, uint32_t to) {
    const keeli_node *node = &s->nodes.items[index];
    keeli_node *next = &s->nodes.items[to];
    const bool is_work = keeli_node_is_work(node);
    const uint32_t batch = node->batch + is_work;
    if (batch <= next->batch) return;
    next->batch = batch;
    next->reason = is_work ? (keeli_reason){ .other = index } : node->reason;
}

void keeli_batches(keeli_schedule *s) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        keeli_node *node = &s->nodes.items[i]; // those before it have told it its batch
        if (keeli_node_is_work(node)) {
            if (node->batch < last) node->reason.other = KEELI_NO_NODE; // nothing but its place
            else last = node->batch;
            node->batch = last;
            s->batch_count = last + 1;
        }
        find_reason(s, i);
        for (uint32_t e = 0; e < node->edge_count; ++e)
            push_back(s, i, s->edges.items[node->first_edge + e]);
    }
}
