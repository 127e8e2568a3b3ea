// SPDX-License-Identifier: MIT
// The linear order: what steps ask for with .after, .before and their like, with barriers and
// sequential sections, and for the rest the order of the list. A stable topological sort (Kahn,
// smallest position first). Edges go straight from step to step where there are few; where many
// wait for a name that many have, all of them meet in one node, a join: n + m edges instead of
// n * m. The order is the same with and without joins.
#include "run/schedule.h"
#include "world/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool keeli_add_pair(keeli_schedule *s, uint32_t from, uint32_t to) {
    if (!KEELI_RESERVE(&s->world->heap, &s->pairs, 1)) return false;
    s->pairs.items[s->pairs.count++] = (keeli_edge_pair){ from, to, false };
    return true;
}

enum { STRAIGHT_AT_MOST = 64 }; // edges for one name before a second waiter makes a join of it

// ------------------------------------------------------------------ lists of names
static bool is_space(char c) { return c == ' ' || c == '\t'; }

// The next of "move, aim" from *at on, without spaces; false at the end.
static bool next_token(const char **at, const char **token, size_t *length) {
    const char *p = *at;
    while (p && (is_space(*p) || *p == ','))
        ++p;
    if (!p || !*p) return false;
    const char *end = p;
    while (*end && *end != ',')
        ++end;
    *at = end;
    while (is_space(end[-1]))
        --end;
    *token = p;
    *length = (size_t)(end - p);
    return true;
}

// ------------------------------------------------------------------ names
// Something that has a name or a label.
typedef struct named {
    const char *text;
    size_t length;
    uint32_t first, last; // the node, or where a nested workload opens and closes
} named;

// Everything of one name in one scope: `sorted` from `begin` to before `end`. What was asked for of
// it so far, by direction.
typedef struct target {
    uint32_t begin, end;
    uint32_t waiters;  // of others
    uint32_t join;     // KEELI_NO_NODE: none yet
    uint32_t own;      // the first that asks for it and has the name itself, or KEELI_NO_NODE
    uint32_t own_last; // its last node
    bool after;        // they wait for it; otherwise it waits for them
    uint32_t next;     // of the same bucket
} target;

typedef struct names {
    KEELI_ARRAY(named) list; // in list order
    named *sorted;           // by text, and where that is the same by node
    KEELI_ARRAY(target) targets;
    uint32_t *buckets; // of targets, by `begin`; as many as there are names
} names;

static bool add_name(keeli_schedule *s, names *n, const char *text, size_t length, uint32_t first,
                     uint32_t last) {
    if (!KEELI_RESERVE(&s->world->heap, &n->list, 1)) return false;
    n->list.items[n->list.count++] = (named){ text, length, first, last };
    return true;
}

static bool add_labels(keeli_schedule *s, names *n, const char *labels, uint32_t first,
                       uint32_t last) {
    const char *token;
    size_t length;
    while (next_token(&labels, &token, &length))
        if (!add_name(s, n, token, length, first, last)) return false;
    return true;
}

static bool list_names(keeli_schedule *s, names *n) {
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        const keeli_node *node = &s->nodes.items[i];
        if (node->kind != KEELI_NODE_SYSTEM && node->kind != KEELI_NODE_BARRIER) continue;
        if (node->kind == KEELI_NODE_SYSTEM &&
            !add_name(s, n, node->name, strlen(node->name), i, i))
            return false;
        if (!add_labels(s, n, node->step.label, i, i)) return false;
    }
    for (uint32_t g = 1; g < s->sections.count; ++g) {
        const keeli_section *section = &s->sections.items[g];
        if (!add_name(s, n, section->name, strlen(section->name), section->open, section->close) ||
            !add_labels(s, n, section->label, section->open, section->close))
            return false;
    }
    return true;
}

static int compare_texts(const char *a, size_t a_length, const char *b, size_t b_length) {
    const int order = memcmp(a, b, a_length < b_length ? a_length : b_length);
    if (order) return order;
    return a_length < b_length ? -1 : a_length > b_length;
}

static int compare_named(const void *a, const void *b) {
    const named *x = a, *y = b;
    const int order = compare_texts(x->text, x->length, y->text, y->length);
    if (order) return order;
    return x->first < y->first ? -1 : x->first > y->first;
}

static bool begin_names(keeli_schedule *s, names *n) {
    keeli_heap *heap = &s->world->heap;
    if (!list_names(s, n)) return false;
    const uint32_t count = n->list.count;
    if (!count) return true;
    n->sorted = keeli_new(heap, count * sizeof *n->sorted, _Alignof(named));
    n->buckets = keeli_new(heap, count * sizeof *n->buckets, sizeof(uint32_t));
    if (!n->sorted || !n->buckets) return false;
    memcpy(n->sorted, n->list.items, count * sizeof *n->sorted);
    qsort(n->sorted, count, sizeof *n->sorted, compare_named);
    memset(n->buckets, 0xFF, count * sizeof *n->buckets);
    return true;
}

static void end_names(keeli_schedule *s, names *n) {
    keeli_heap *heap = &s->world->heap;
    keeli_free(heap, n->sorted, n->list.count * sizeof *n->sorted, _Alignof(named));
    keeli_free(heap, n->buckets, n->list.count * sizeof *n->buckets, sizeof(uint32_t));
    KEELI_RELEASE(heap, &n->targets);
    KEELI_RELEASE(heap, &n->list);
}

// The first place that is not before the name and the node.
static uint32_t lower_bound(const names *n, const named *key) {
    uint32_t begin = 0, end = n->list.count;
    while (begin < end) {
        const uint32_t middle = begin + (end - begin) / 2;
        if (compare_named(&n->sorted[middle], key) < 0) begin = middle + 1;
        else end = middle;
    }
    return begin;
}

// ------------------------------------------------------------------ .after and .before
// Which way, and where names are looked up.
typedef struct constraint {
    const char *option, *names;
    bool after;
    uint32_t scope;       // section
    uint32_t first, last; // the step that constraints; a nested one is two nodes
} constraint;

static keel_result unknown_name(const keeli_schedule *s, const names *n, const constraint *w,
                                const char *token, size_t length) {
    char known[200] = "";
    size_t at = 0;
    const keeli_section *scope = &s->sections.items[w->scope];
    for (uint32_t i = 0; i < n->list.count && at < sizeof known; ++i) {
        const named *entry = &n->list.items[i];
        if (entry->first < scope->first || entry->first >= scope->end) continue;
        at += (size_t)snprintf(known + at, sizeof known - at, "%s%.*s", at ? ", " : "",
                               (int)entry->length, entry->text);
    }
    return keeli_error(s->world, KEEL_ERROR_UNKNOWN,
                       "%s of '%s' names '%.*s', which is nothing in workload '%s'; there is: %s",
                       w->option, s->nodes.items[w->first].name, (int)length, token, scope->name,
                       known);
}

// NULL: out of memory.
static target *target_of(keeli_schedule *s, names *n, uint32_t begin, uint32_t end, bool after) {
    uint32_t *bucket = &n->buckets[begin];
    for (uint32_t i = *bucket; i != UINT32_MAX; i = n->targets.items[i].next)
        if (n->targets.items[i].end == end && n->targets.items[i].after == after)
            return &n->targets.items[i];
    if (!KEELI_RESERVE(&s->world->heap, &n->targets, 1)) return NULL;
    target *t = &n->targets.items[n->targets.count];
    *t = (target){ .begin = begin, .end = end, .after = after, .next = *bucket };
    t->join = t->own = KEELI_NO_NODE;
    *bucket = n->targets.count++;
    return t;
}

// The one that is told first in the direction of the constraint runs last.
static bool add_edge(keeli_schedule *s, const constraint *w, uint32_t first, uint32_t last) {
    return w->after ? keeli_add_pair(s, last, w->first) : keeli_add_pair(s, w->last, first);
}

static bool add_straight(keeli_schedule *s, const names *n, const target *t, const constraint *w) {
    for (uint32_t i = t->begin; i < t->end; ++i) {
        const named *entry = &n->sorted[i];
        if (entry->first != w->first && !add_edge(s, w, entry->first, entry->last)) return false;
    }
    return true;
}

// Of all others of a name that it has itself. A second one that asks for the same makes a circle
// with the first; if there is nobody else, it makes one alone.
static bool add_own(keeli_schedule *s, const names *n, target *t, const constraint *w) {
    if (t->own != KEELI_NO_NODE && t->own != w->first) return add_edge(s, w, t->own, t->own_last);
    t->own = w->first;
    t->own_last = w->last;
    const uint32_t before = s->pairs.count;
    if (!add_straight(s, n, t, w)) return false;
    return s->pairs.count > before || keeli_add_pair(s, w->first, w->first);
}

static bool make_join(keeli_schedule *s, const names *n, target *t, uint32_t scope) {
    const keeli_node *join = keeli_new_node(s, KEELI_NODE_JOIN, scope);
    if (!join) return false;
    t->join = s->nodes.count - 1;
    s->nodes.items[t->join].name = "a join";
    for (uint32_t i = t->begin; i < t->end; ++i) {
        const named *entry = &n->sorted[i];
        if (!(t->after ? keeli_add_pair(s, entry->last, t->join)
                       : keeli_add_pair(s, t->join, entry->first)))
            return false;
    }
    return true;
}

static bool add_others(keeli_schedule *s, const names *n, target *t, const constraint *w) {
    const uint32_t count = t->end - t->begin;
    ++t->waiters;
    if (t->join == KEELI_NO_NODE) {
        const bool is_few = (uint64_t)count * t->waiters <= STRAIGHT_AT_MOST;
        if (count == 1 || t->waiters == 1 || is_few) return add_straight(s, n, t, w);
        if (!make_join(s, n, t, w->scope)) return false;
    }
    return add_edge(s, w, t->join, t->join);
}

static keel_result add_constraint(keeli_schedule *s, names *n, const constraint *w) {
    const char *at = w->names, *token;
    size_t length;
    while (next_token(&at, &token, &length)) {
        const keeli_section *scope = &s->sections.items[w->scope];
        const uint32_t begin = lower_bound(n, &(named){ token, length, scope->first, 0 });
        const uint32_t end = lower_bound(n, &(named){ token, length, scope->end, 0 });
        if (begin == end) return unknown_name(s, n, w, token, length);
        const uint32_t own = lower_bound(n, &(named){ token, length, w->first, 0 });
        const bool has_it = own >= begin && own < end && n->sorted[own].first == w->first;
        target *t = target_of(s, n, begin, end, w->after);
        if (!t || !(has_it ? add_own(s, n, t, w) : add_others(s, n, t, w)))
            return keeli_schedule_no_memory(s);
    }
    return KEEL_OK;
}

// ------------------------------------------------------------------ all of them
static keel_result add_constraints_of(keeli_schedule *s, names *n, uint32_t index) {
    const keeli_node *node = &s->nodes.items[index]; // which moves when a join is made
    const keel_step step = node->step;
    const uint32_t last =
        node->kind == KEELI_NODE_OPEN ? s->sections.items[node->place].close : index;
    const constraint constraints[] = { { ".after", step.after, true, node->section, index, last },
                                       { ".before", step.before, false, node->section, index,
                                         last },
                                       { ".after_all", step.after_all, true, 0, index, last },
                                       { ".before_all", step.before_all, false, 0, index, last } };
    for (uint32_t i = 0; i < 4; ++i)
        if (constraints[i].names) KEEL_TRY(add_constraint(s, n, &constraints[i]));
    return KEEL_OK;
}

static bool has_constraints(const keeli_schedule *s) {
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        const keel_step *step = &s->nodes.items[i].step;
        if (step->after || step->before || step->after_all || step->before_all) return true;
    }
    return false;
}

static keel_result add_constraints(keeli_schedule *s) {
    if (!has_constraints(s)) return KEEL_OK;
    names n = { 0 };
    const uint32_t count = s->nodes.count; // joins come behind them
    keel_result result = begin_names(s, &n) ? KEEL_OK : keeli_schedule_no_memory(s);
    for (uint32_t i = 0; result == KEEL_OK && i < count; ++i)
        if (s->nodes.items[i].kind != KEELI_NODE_CLOSE) result = add_constraints_of(s, &n, i);
    end_names(s, &n);
    return result;
}

// ------------------------------------------------------------------ sections
// A member of a section is a node, or a nested workload from its opening to its close.
static uint32_t end_of_member(const keeli_schedule *s, uint32_t first) {
    const keeli_node *node = &s->nodes.items[first];
    return node->kind == KEELI_NODE_OPEN ? s->sections.items[node->place].close : first;
}

static bool add_barrier(keeli_schedule *s, uint32_t waiting, uint32_t barrier) {
    for (uint32_t first = waiting; first < barrier;) {
        const uint32_t last = end_of_member(s, first);
        if (!keeli_add_pair(s, last, barrier)) return false;
        first = last + 1;
    }
    return true;
}

// Inside a nested workload everything is between its two nodes; barriers and sequential sections
// order its members.
static bool add_section(keeli_schedule *s, const keeli_section *g) {
    uint32_t barrier = KEELI_NO_NODE, before = KEELI_NO_NODE;
    uint32_t waiting = g->first; // the first member since the last barrier
    const bool is_nested = g->open != KEELI_NO_NODE;
    if (is_nested && g->first == g->end) return keeli_add_pair(s, g->open, g->close);
    for (uint32_t first = g->first; first < g->end;) {
        const uint32_t last = end_of_member(s, first);
        const bool is_barrier = s->nodes.items[first].kind == KEELI_NODE_BARRIER;
        if (is_nested && !(keeli_add_pair(s, g->open, first) && keeli_add_pair(s, last, g->close)))
            return false;
        if (g->sequential && before != KEELI_NO_NODE && !keeli_add_pair(s, before, first))
            return false;
        if (is_barrier && !add_barrier(s, waiting, first)) return false;
        if (barrier != KEELI_NO_NODE && !keeli_add_pair(s, barrier, first)) return false;
        if (is_barrier) {
            barrier = first;
            waiting = last + 1;
        }
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
                       s->sections.items[0].name, text, s->nodes.items[node].name);
}

void keeli_move_sections(keeli_schedule *s, const uint32_t *place) {
    for (uint32_t g = 0; g < s->sections.count; ++g) {
        keeli_section *section = &s->sections.items[g];
        if (section->open != KEELI_NO_NODE) section->open = place[section->open];
        if (section->close != KEELI_NO_NODE) section->close = place[section->close];
        if (section->gate != KEELI_NO_NODE) section->gate = place[section->gate];
    }
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
    keeli_move_sections(s, place);
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
    for (uint32_t g = 0; g < s->sections.count; ++g)
        if (!add_section(s, &s->sections.items[g])) return keeli_schedule_no_memory(s);
    KEEL_TRY(add_constraints(s));
    return s->nodes.count && s->pairs.count ? sort_nodes(s) : KEEL_OK;
}
