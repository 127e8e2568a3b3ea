// SPDX-License-Identifier: MIT
// What .after, .before and the like ask for. Edges go straight from step to step where there are
// few; where many wait for a name that many have, all of them meet in one node, a join: n + m edges
// instead of n * m. The order is the same with and without joins.
#include "run/schedule.h"
#include "world/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    for (uint32_t g = 1; g < s->groups.count; ++g) {
        const keeli_section *group = &s->groups.items[g];
        if (!add_name(s, n, group->name, strlen(group->name), group->open, group->close) ||
            !add_labels(s, n, group->label, group->open, group->close))
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
typedef struct wish {
    const char *option, *names;
    bool after;
    uint32_t scope;       // group
    uint32_t first, last; // the step that wishes; a nested one is two nodes
} wish;

static keel_result unknown_name(const keeli_schedule *s, const names *n, const wish *w,
                                const char *token, size_t length) {
    char known[200] = "";
    size_t at = 0;
    const keeli_section *scope = &s->groups.items[w->scope];
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

// The one that is told first in the direction of the wish runs last.
static bool add_edge(keeli_schedule *s, const wish *w, uint32_t first, uint32_t last) {
    return w->after ? keeli_add_pair(s, last, w->first) : keeli_add_pair(s, w->last, first);
}

static bool add_straight(keeli_schedule *s, const names *n, const target *t, const wish *w) {
    for (uint32_t i = t->begin; i < t->end; ++i) {
        const named *entry = &n->sorted[i];
        if (entry->first != w->first && !add_edge(s, w, entry->first, entry->last)) return false;
    }
    return true;
}

// Of all others of a name that it has itself. A second one that asks for the same makes a circle
// with the first; if there is nobody else, it makes one alone.
static bool add_own(keeli_schedule *s, const names *n, target *t, const wish *w) {
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

static bool add_others(keeli_schedule *s, const names *n, target *t, const wish *w) {
    const uint32_t count = t->end - t->begin;
    ++t->waiters;
    if (t->join == KEELI_NO_NODE) {
        const bool is_few = (uint64_t)count * t->waiters <= STRAIGHT_AT_MOST;
        if (count == 1 || t->waiters == 1 || is_few) return add_straight(s, n, t, w);
        if (!make_join(s, n, t, w->scope)) return false;
    }
    return add_edge(s, w, t->join, t->join);
}

static keel_result add_wish(keeli_schedule *s, names *n, const wish *w) {
    const char *at = w->names, *token;
    size_t length;
    while (next_token(&at, &token, &length)) {
        const keeli_section *scope = &s->groups.items[w->scope];
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
// Where the nested workload ends that this node opens. Groups are in the order of their openings.
static uint32_t close_of(const keeli_schedule *s, uint32_t open) {
    uint32_t begin = 1, end = s->groups.count;
    while (end - begin > 1) {
        const uint32_t middle = begin + (end - begin) / 2;
        if (s->groups.items[middle].open <= open) begin = middle;
        else end = middle;
    }
    return s->groups.items[begin].close;
}

static keel_result add_wishes_of(keeli_schedule *s, names *n, uint32_t index) {
    const keeli_node *node = &s->nodes.items[index]; // which moves when a join is made
    const keel_step step = node->step;
    const uint32_t last = node->kind == KEELI_NODE_OPEN ? close_of(s, index) : index;
    const wish wishes[] = { { ".after", step.after, true, node->group, index, last },
                            { ".before", step.before, false, node->group, index, last },
                            { ".after_all", step.after_all, true, 0, index, last },
                            { ".before_all", step.before_all, false, 0, index, last } };
    for (uint32_t i = 0; i < 4; ++i)
        if (wishes[i].names) KEEL_TRY(add_wish(s, n, &wishes[i]));
    return KEEL_OK;
}

static bool has_wishes(const keeli_schedule *s) {
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        const keel_step *step = &s->nodes.items[i].step;
        if (step->after || step->before || step->after_all || step->before_all) return true;
    }
    return false;
}

keel_result keeli_add_wishes(keeli_schedule *s) {
    if (!has_wishes(s)) return KEEL_OK;
    names n = { 0 };
    const uint32_t count = s->nodes.count; // joins come behind them
    keel_result result = begin_names(s, &n) ? KEEL_OK : keeli_schedule_no_memory(s);
    for (uint32_t i = 0; result == KEEL_OK && i < count; ++i)
        if (s->nodes.items[i].kind != KEELI_NODE_CLOSE) result = add_wishes_of(s, &n, i);
    end_names(s, &n);
    return result;
}
