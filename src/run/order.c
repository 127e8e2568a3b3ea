// SPDX-License-Identifier: MIT
// The linear order: what steps ask for with .after, .before and their like, with barriers and
// sequential sections, and for the rest the order of the list. A stable topological sort (Kahn,
// smallest position first).
#include "run/order.h"

#include "run/schedule.h"
#include "world/report.h"

#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------ small helpers
bool keeli_add_pair(keeli_schedule *s, uint32_t from, uint32_t to) {
    if (!KEELI_RESERVE(&s->world->heap, &s->pairs, 1)) return false;
    s->pairs.items[s->pairs.count++] = (keeli_edge_pair){ from, to, false };
    return true;
}

// ------------------------------------------------------------------ sections
// A member of a group is a node, or a nested workload from its opening to its close.
static uint32_t end_of_member(const keeli_schedule *s, uint32_t first, uint32_t *nested) {
    if (s->nodes.items[first].kind != KEELI_NODE_OPEN) return first;
    while (s->groups.items[*nested].open != first)
        ++*nested;
    return s->groups.items[*nested].close;
}

// Inside a nested workload everything is between its two nodes; barriers and sequential sections
// order its members.
static bool add_section(keeli_schedule *s, uint32_t group) {
    const keeli_section *g = &s->groups.items[group];
    uint32_t barrier = KEELI_NO_NODE, before = KEELI_NO_NODE, nested = group;
    uint32_t waiting = g->first; // the first member since the last barrier
    if (g->open != KEELI_NO_NODE && g->first == g->end) return keeli_add_pair(s, g->open, g->close);
    for (uint32_t first = g->first; first < g->end;) {
        const uint32_t last = end_of_member(s, first, &nested);
        bool done = true;
        if (g->open != KEELI_NO_NODE)
            done = keeli_add_pair(s, g->open, first) && keeli_add_pair(s, last, g->close);
        if (done && g->sequential && before != KEELI_NO_NODE)
            done = keeli_add_pair(s, before, first);
        if (s->nodes.items[first].kind == KEELI_NODE_BARRIER) {
            uint32_t inner = group;
            for (uint32_t m = waiting; done && m < first;) {
                const uint32_t end = end_of_member(s, m, &inner);
                done = keeli_add_pair(s, end, first);
                m = end + 1;
            }
            if (done && barrier != KEELI_NO_NODE) done = keeli_add_pair(s, barrier, first);
            barrier = first;
            waiting = last + 1;
        } else if (done && barrier != KEELI_NO_NODE) {
            done = keeli_add_pair(s, barrier, first);
        }
        if (!done) return false;
        before = last;
        first = last + 1;
    }
    return true;
}

// ------------------------------------------------------------------ the sort
typedef struct sorter {
    uint32_t *waits;   // per node
    uint32_t *first;   // edges by node, node_count + 1
    uint32_t *targets; // per edge
    uint32_t *heap;    // nodes that wait for nothing
    uint32_t *order;   // the result
    uint32_t heap_count, done;
    char *memory;
    size_t bytes;
} sorter;

void keeli_heap_push(uint32_t *heap, uint32_t *count, uint32_t value) {
    uint32_t i = (*count)++;
    for (; i && heap[(i - 1) / 2] > value; i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = value;
}

uint32_t keeli_heap_pop(uint32_t *heap, uint32_t *count) {
    const uint32_t least = heap[0], last = heap[--*count];
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < *count; i = child) {
        if (child + 1 < *count && heap[child + 1] < heap[child]) ++child;
        if (heap[child] >= last) break;
        heap[i] = heap[child];
    }
    if (*count) heap[i] = last;
    return least;
}

static bool begin_sort(keeli_schedule *s, sorter *k) {
    const uint32_t nodes = s->nodes.count, edges = s->pairs.count;
    k->bytes = ((size_t)nodes * 4 + 1 + edges) * sizeof(uint32_t);
    k->memory = keeli_new_zeroed(&s->world->heap, k->bytes, sizeof(uint32_t));
    if (!k->memory) return false;
    k->waits = (uint32_t *)(void *)k->memory;
    k->heap = k->waits + nodes;
    k->order = k->heap + nodes;
    k->first = k->order + nodes;
    k->targets = k->first + nodes + 1;
    for (uint32_t e = 0; e < edges; ++e) {
        ++k->waits[s->pairs.items[e].to];
        ++k->first[s->pairs.items[e].from + 1];
    }
    for (uint32_t i = 0; i < nodes; ++i)
        k->first[i + 1] += k->first[i];
    for (uint32_t e = edges; e--;) // fills each node's part from its end
        k->targets[--k->first[s->pairs.items[e].from + 1]] = s->pairs.items[e].to;
    // each `first[i + 1]` is now where the part of node i begins
    return true;
}

static uint32_t part_end(const sorter *k, const keeli_schedule *s, uint32_t node) {
    return node + 1 < s->nodes.count ? k->first[node + 2] : s->pairs.count;
}

static void put_next(const keeli_schedule *s, sorter *k, uint32_t node);

// A join has no place of its own: what it stands for would be there without it.
static void end_wait(const keeli_schedule *s, sorter *k, uint32_t node) {
    if (--k->waits[node]) return;
    if (s->nodes.items[node].kind == KEELI_NODE_JOIN) put_next(s, k, node);
    else keeli_heap_push(k->heap, &k->heap_count, node);
}

static void put_next(const keeli_schedule *s, sorter *k, uint32_t node) {
    k->order[k->done++] = node;
    for (uint32_t e = k->first[node + 1]; e < part_end(k, s, node); ++e)
        end_wait(s, k, k->targets[e]);
}

static void sort(const keeli_schedule *s, sorter *k) {
    for (uint32_t i = 0; i < s->nodes.count; ++i)
        if (!k->waits[i]) keeli_heap_push(k->heap, &k->heap_count, i);
    while (k->heap_count)
        put_next(s, k, keeli_heap_pop(k->heap, &k->heap_count));
}

// Name the systems of one circle: go back from node to node until one comes again. `k->heap` is
// free now: some node that still waits and must run before each.
static keel_result circle(const keeli_schedule *s, const sorter *k) {
    uint32_t *before = k->heap, node = 0;
    for (uint32_t e = 0; e < s->pairs.count; ++e)
        if (k->waits[s->pairs.items[e].from]) before[s->pairs.items[e].to] = s->pairs.items[e].from;
    while (!k->waits[node])
        ++node;
    for (uint32_t i = 0; i < s->nodes.count; ++i) // surely in a circle then
        node = before[node];
    if (s->nodes.items[node].kind == KEELI_NODE_JOIN) node = before[node];
    char text[300] = "";
    size_t at = 0;
    uint32_t now = node;
    do {
        const keeli_node *n = &s->nodes.items[now];
        if (at < sizeof text && n->kind != KEELI_NODE_CLOSE && n->kind != KEELI_NODE_JOIN)
            at += (size_t)snprintf(text + at, sizeof text - at, "'%s' must run after ", n->name);
        now = before[now];
    } while (now != node);
    return keeli_error(s->world, KEEL_ERROR_CYCLE,
                       "the steps of workload '%s' have no order: %s'%s'; take one .after, "
                       ".before or barrier away",
                       s->groups.items[0].name, text, s->nodes.items[node].name);
}

// Nodes in their new order, all that names nodes by number follows.
static bool apply_order(keeli_schedule *s, const sorter *k, uint32_t *place) {
    const uint32_t count = s->nodes.count;
    keeli_node *fresh = keeli_new(&s->world->heap, count * sizeof *fresh, _Alignof(max_align_t));
    if (!fresh) return false;
    for (uint32_t i = 0; i < count; ++i) {
        fresh[i] = s->nodes.items[k->order[i]];
        place[k->order[i]] = i;
    }
    memcpy(s->nodes.items, fresh, count * sizeof *fresh);
    keeli_free(&s->world->heap, fresh, count * sizeof *fresh, _Alignof(max_align_t));
    for (uint32_t e = 0; e < s->pairs.count; ++e) {
        s->pairs.items[e].from = place[s->pairs.items[e].from];
        s->pairs.items[e].to = place[s->pairs.items[e].to];
    }
    for (uint32_t g = 0; g < s->groups.count; ++g) {
        keeli_section *group = &s->groups.items[g];
        if (group->open != KEELI_NO_NODE) group->open = place[group->open];
        if (group->close != KEELI_NO_NODE) group->close = place[group->close];
        if (group->gate != KEELI_NO_NODE) group->gate = place[group->gate];
    }
    return true;
}

static keel_result sort_nodes(keeli_schedule *s) {
    sorter k = { 0 };
    if (!begin_sort(s, &k)) return keeli_schedule_no_memory(s);
    sort(s, &k);
    keel_result result = KEEL_OK;
    if (k.done < s->nodes.count) result = circle(s, &k);
    else if (!apply_order(s, &k, k.waits)) result = keeli_schedule_no_memory(s);
    keeli_free(&s->world->heap, k.memory, k.bytes, sizeof(uint32_t));
    return result;
}

keel_result keeli_order(keeli_schedule *s) {
    for (uint32_t g = 0; g < s->groups.count; ++g)
        if (!add_section(s, g)) return keeli_schedule_no_memory(s);
    KEEL_TRY(keeli_add_wishes(s));
    return s->nodes.count && s->pairs.count ? sort_nodes(s) : KEEL_OK;
}
