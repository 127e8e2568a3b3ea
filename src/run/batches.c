// SPDX-License-Identifier: MIT
// The graph as batches, the way a scheduler with barriers would run it: each node joins the last
// batch unless something in it stands in its way. Only told to the user; nothing runs by it.
#include "run/schedule.h"

// What keeps two nodes apart; `storage` stays NULL where it is the order that was asked for.
static void find_conflict(const keeli_schedule *s, const keeli_node *node, keeli_reason *reason) {
    const keeli_node *other = &s->nodes.items[reason->other];
    reason->access = reason->other_access = KEEL_ACCESS_EDIT;
    if (node->everything || other->everything) return;
    for (uint32_t i = 0; i < node->touch_count; ++i) {
        const keeli_touch *a = &s->touches.items[node->first_touch + i];
        for (uint32_t k = 0; k < other->touch_count; ++k) {
            const keeli_touch *b = &s->touches.items[other->first_touch + k];
            if (a->storage != b->storage) continue;
            if (a->access == KEEL_ACCESS_READ && b->access == KEEL_ACCESS_READ) continue;
            reason->storage = a->storage;
            reason->access = a->access;
            reason->other_access = b->access;
            return;
        }
    }
    reason->access = reason->other_access = KEEL_ACCESS_NONE;
}

static bool is_listed(const keeli_node *node) {
    return node->kind == KEELI_NODE_SYSTEM || node->kind == KEELI_NODE_SYNC;
}

void keeli_batches(keeli_schedule *s) {
    uint32_t last = 0, listed = 0;
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        keeli_node *node = &s->nodes.items[i];
        const uint32_t need = node->batch; // what the nodes before it have told it
        if (is_listed(node)) {
            if (need > last) last = need;
            node->batch = last;
            if (need < last) node->reason.other = KEELI_NO_NODE; // nothing but its place
            if (node->reason.other != KEELI_NO_NODE) find_conflict(s, node, &node->reason);
            ++listed;
        }
        for (uint32_t e = 0; e < node->edge_count; ++e) {
            keeli_node *next = &s->nodes.items[s->edges.items[node->first_edge + e]];
            const uint32_t after = is_listed(node) ? node->batch + 1 : need;
            if (after <= next->batch) continue;
            next->batch = after;
            next->reason.other =
                is_listed(node) || node->kind == KEELI_NODE_BARRIER ? i : node->reason.other;
        }
    }
    s->batch_count = listed ? last + 1 : 0;
}
