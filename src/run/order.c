// SPDX-License-Identifier: MIT
// Sorts the nodes of a schedule into linear order. Edges come from .after, .before, .after_all and
// .before_all, from barriers and from sequential sections; apart from them the order of the list
// stays. It is a stable topological sort (Kahn's, smallest position first). Conflicts between
// systems do not influence the order; graph.c adds their edges afterwards. schedule.c calls
// keeli_order.
//
// If few edges are needed for a name, they go directly from step to step. If n steps wait for a
// name that m steps have, a node between them, a join, replaces n * m edges by n + m. The order is
// the same with and without joins.
#include "run/schedule.h"
#include "world/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRAIGHT_AT_MOST = KEELI_SIZE(64, 2) }; // most direct edges for one name

bool keeli_add_edge(keeli_schedule *s, uint32_t from, uint32_t to, bool is_loose) {
    if (!KEELI_RESERVE(&s->world->heap, &s->edges, 1))
        return false;
    *KEELI_APPEND(&s->edges) = (keeli_node_edge){ from, to, is_loose };
    return true;
}

// Adds an edge to `to` from `from` or, if `from` has a node for its commands, from that node.
static bool order_before(keeli_schedule *s, uint32_t from, uint32_t to) {
    const keeli_node *node = &s->nodes.items[from];
    const bool has_commands = node->kind != KEEL_NODE_COMMANDS && node->of != KEEL_NO_NODE;
    return keeli_add_edge(s, has_commands ? node->of : from, to, false);
}

// ------------------------------------------------------------------ lists of names
static bool is_space(char c) { return c == ' ' || c == '\t'; }

// Finds the next of "move, aim" from *at on, without spaces; false at the end.
bool keeli_next_name(const char **at, const char **token, size_t *length) {
    const char *p = *at;
    while (p && (is_space(*p) || *p == ','))
        ++p;
    if (!p || !*p)
        return false;
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
// A name or label of a step. A step may have several.
typedef struct named {
    const char *text;
    size_t length;
    uint32_t first, last; // the step's node twice, or the BEGIN and END node of a nested workload
} named;

// All steps in one scope that have one name, and the options that refer to them in one direction.
typedef struct target {
    uint32_t begin, end; // range in `names.list`
    uint32_t waiters;    // number of steps that refer to the name and do not have it themselves
    uint32_t join;       // node of its join; KEEL_NO_NODE: none yet
    uint32_t own;      // first node of the first step that refers to a name that it has itself, or
                       // KEEL_NO_NODE
    uint32_t own_last; // the last node of `own`
    bool after;        // true: .after, .after_all; false: .before, .before_all
    uint32_t next;     // the next target of the bucket, or UINT32_MAX
} target;

typedef struct names {
    KEELI_ARRAY(named) list; // sorted by text, then by node
    KEELI_ARRAY(target) targets;
    uint32_t *buckets; // by target.begin: the first target, or UINT32_MAX; as long as `list`
} names;

// Adds the name of a step (NULL for a barrier) and its labels. False if out of memory.
static bool add_names(keeli_schedule *s, names *n, const char *name, const char *labels,
                      uint32_t first, uint32_t last) {
    const char *token = name;
    size_t length = name ? strlen(name) : 0;
    while (token || keeli_next_name(&labels, &token, &length)) {
        if (!KEELI_RESERVE(&s->world->heap, &n->list, 1))
            return false;
        *KEELI_APPEND(&n->list) = (named){ token, length, first, last };
        token = NULL;
    }
    return true;
}

// Lists all names in the order of the list: systems and barriers, then nested workloads. False if
// out of memory.
static bool list_step_names(keeli_schedule *s, names *n) {
    n->list.count = 0;
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        const keeli_node *node = &s->nodes.items[i];
        const bool is_system = node->kind == KEEL_NODE_SYSTEM;
        if (!is_system && node->kind != KEEL_NODE_BARRIER)
            continue;
        const char *name = is_system ? node->name : NULL;
        if (!add_names(s, n, name, node->step.label, i, i))
            return false;
    }

    for (uint32_t g = 1; g < s->sections.count; ++g) {
        const keeli_section *section = &s->sections.items[g];
        if (!add_names(s, n, section->name, section->label, section->open, section->close))
            return false;
    }
    return true;
}

static int compare_named(const void *a, const void *b) {
    const named *x = a, *y = b;
    const int order = memcmp(x->text, y->text, x->length < y->length ? x->length : y->length);
    if (order)
        return order;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return 0;
}

// Lists and sorts all names, and makes the buckets. False if out of memory.
static bool begin_names(keeli_schedule *s, names *n) {
    if (!list_step_names(s, n))
        return false;
    const uint32_t count = n->list.count;
    if (!count)
        return true;
    n->buckets = keeli_new(&s->world->heap, count * sizeof *n->buckets, sizeof(uint32_t));
    if (!n->buckets)
        return false;
    memset(n->buckets, 0xFF, count * sizeof *n->buckets);
    qsort(n->list.items, count, sizeof *n->list.items, compare_named);
    return true;
}

// Returns the index of the first entry that is not less than `key` by name and node.
static uint32_t lower_bound(const names *n, const named *key) {
    uint32_t begin = 0, end = n->list.count;
    while (begin < end) {
        const uint32_t middle = begin + (end - begin) / 2;
        if (compare_named(&n->list.items[middle], key) < 0)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

// ------------------------------------------------------------------ .after and .before
// One option of one step: its direction, and the section where names are looked up.
typedef struct constraint {
    const char *option, *names;
    bool after;
    uint32_t scope;       // index of that section
    uint32_t first, last; // nodes of the step with the option, as in `named`
} constraint;

// Reports a name that no step of the section has, and lists the names that there are.
static keel_result unknown_name(keeli_schedule *s, names *n, const constraint *w, const char *token,
                                size_t length) {
    char known[200] = "";
    size_t at = 0;
    const keeli_section *scope = &s->sections.items[w->scope];
    (void)list_step_names(s, n); // again in list order; cannot fail, as the memory is reserved
    for (uint32_t i = 0; i < n->list.count && at < sizeof known; ++i) {
        const named *entry = &n->list.items[i];
        if (entry->first < scope->first || entry->first >= scope->end)
            continue;
        at += (size_t)snprintf(known + at, sizeof known - at, "%s%.*s", at ? ", " : "",
                               (int)entry->length, entry->text);
    }
    return keeli_error(s->world, KEEL_ERROR_UNKNOWN,
                       "%s of '%s' names '%.*s', no step or label of workload '%s'; there is: %s",
                       w->option, s->nodes.items[w->first].name, (int)length, token, scope->name,
                       known);
}

// Returns the target for a range of names and a direction, and adds it if it is new. NULL if out of
// memory.
static target *target_of(keeli_schedule *s, names *n, uint32_t begin, uint32_t end, bool after) {
    uint32_t *bucket = &n->buckets[begin];
    for (uint32_t i = *bucket; i != UINT32_MAX;) {
        target *t = &n->targets.items[i];
        if (t->end == end && t->after == after)
            return t;
        i = t->next;
    }

    if (!KEELI_RESERVE(&s->world->heap, &n->targets, 1))
        return NULL;
    target *t = &n->targets.items[n->targets.count];
    *t = (target){ .begin = begin, .end = end, .after = after, .next = *bucket };
    t->join = t->own = KEEL_NO_NODE;
    *bucket = n->targets.count++;
    return t;
}

// Adds the edge between the step with the option and a step that it names (`first`, `last`). With
// .after the named step runs first, with .before the step with the option.
static bool add_order_edge(keeli_schedule *s, const constraint *w, uint32_t first, uint32_t last) {
    return w->after ? order_before(s, last, w->first) : order_before(s, w->last, first);
}

// Adds an edge for each other step that has the name.
static bool add_straight(keeli_schedule *s, const names *n, const target *t, const constraint *w) {
    for (uint32_t i = t->begin; i < t->end; ++i) {
        const named *entry = &n->list.items[i];
        if (entry->first != w->first && !add_order_edge(s, w, entry->first, entry->last))
            return false;
    }
    return true;
}

// Adds the edges of a step that has the name itself: one for each other step of that name. If a
// second such step has the same option, the two wait for each other: one edge makes that cycle. If
// no other step has the name, an edge from the step to itself makes a cycle. report_circle reports
// both.
static bool add_own(keeli_schedule *s, const names *n, target *t, const constraint *w) {
    if (t->own != KEEL_NO_NODE && t->own != w->first)
        return add_order_edge(s, w, t->own, t->own_last);
    t->own = w->first;
    t->own_last = w->last;
    const uint32_t before = s->edges.count;
    if (!add_straight(s, n, t, w))
        return false;
    return s->edges.count > before || order_before(s, w->first, w->first);
}

// Adds a join, and the edges between it and all steps of the name. Steps that refer to the name
// need only an edge to or from the join.
static bool make_join(keeli_schedule *s, const names *n, target *t, uint32_t scope) {
    keeli_node *join = keeli_new_node(s, KEEL_NODE_JOIN, scope);
    if (!join)
        return false;
    join->name = "a join";
    t->join = s->nodes.count - 1;
    const constraint of_join = { .after = t->after, .first = t->join, .last = t->join };
    return add_straight(s, n, t, &of_join);
}

// Adds the edges of a step that does not have the name itself: directly, or by a join if the name
// would need too many.
static bool add_others(keeli_schedule *s, const names *n, target *t, const constraint *w) {
    const uint32_t count = t->end - t->begin;
    ++t->waiters;
    if (t->join == KEEL_NO_NODE) {
        const bool is_few = (uint64_t)count * t->waiters <= STRAIGHT_AT_MOST;
        if (count == 1 || t->waiters == 1 || is_few)
            return add_straight(s, n, t, w);
        if (!make_join(s, n, t, w->scope))
            return false;
    }
    return add_order_edge(s, w, t->join, t->join);
}

// Adds the edges for one option of a step.
static keel_result add_constraint(keeli_schedule *s, names *n, const constraint *w) {
    const char *at = w->names, *token;
    size_t length;
    if (at && !n->buckets && !begin_names(s, n))
        return keeli_schedule_no_memory(s);

    while (keeli_next_name(&at, &token, &length)) {
        const keeli_section *scope = &s->sections.items[w->scope];
        const uint32_t begin = lower_bound(n, &(named){ token, length, scope->first, 0 });
        const uint32_t end = lower_bound(n, &(named){ token, length, scope->end, 0 });
        if (begin == end)
            return unknown_name(s, n, w, token, length);

        const uint32_t own = lower_bound(n, &(named){ token, length, w->first, 0 });
        const bool has_it = own >= begin && own < end && n->list.items[own].first == w->first;
        target *t = target_of(s, n, begin, end, w->after);
        if (!t)
            return keeli_schedule_no_memory(s);
        const bool is_added = has_it ? add_own(s, n, t, w) : add_others(s, n, t, w);
        if (!is_added)
            return keeli_schedule_no_memory(s);
    }
    return KEEL_OK;
}

// ------------------------------------------------------------------ all steps
// Adds the edges for all options of a step.
static keel_result add_constraints_of(keeli_schedule *s, names *n, uint32_t index) {
    const keeli_node *node = &s->nodes.items[index]; // invalid when a join is added
    const keel_step step = node->step;
    const uint32_t last =
        node->kind == KEEL_NODE_BEGIN ? s->sections.items[node->place].close : index;
    const uint32_t in = node->section;
    const constraint after = { ".after", step.after, true, in, index, last };
    const constraint before = { ".before", step.before, false, in, index, last };
    const constraint after_all = { ".after_all", step.after_all, true, 0, index, last };
    const constraint before_all = { ".before_all", step.before_all, false, 0, index, last };
    KEEL_TRY(add_constraint(s, n, &after));
    KEEL_TRY(add_constraint(s, n, &before));
    KEEL_TRY(add_constraint(s, n, &after_all));
    return add_constraint(s, n, &before_all);
}

static keel_result add_constraints(keeli_schedule *s) {
    names n = { 0 };
    const uint32_t count = s->nodes.count; // joins are added behind these nodes
    keel_result result = KEEL_OK;
    for (uint32_t i = 0; result == KEEL_OK && i < count; ++i)
        result = add_constraints_of(s, &n, i);

    keeli_free(&s->world->heap, n.buckets, n.list.count * sizeof *n.buckets, sizeof(uint32_t));
    KEELI_RELEASE(&s->world->heap, &n.targets);
    KEELI_RELEASE(&s->world->heap, &n.list);
    return result;
}

// ------------------------------------------------------------------ sections
// Returns the last node of the member of a section that begins with `first`. A member is a node and
// the node of its commands, or a nested workload from its BEGIN node to its END node.
static uint32_t end_of_member(const keeli_schedule *s, uint32_t first) {
    const keeli_node *node = &s->nodes.items[first];
    if (node->kind == KEEL_NODE_BEGIN)
        return s->sections.items[node->place].close;
    return node->of != KEEL_NO_NODE ? node->of : first;
}

// Orders a barrier after the members from node `waiting` to the barrier.
static bool add_barrier(keeli_schedule *s, uint32_t waiting, uint32_t barrier) {
    for (uint32_t first = waiting; first < barrier;) {
        const uint32_t last = end_of_member(s, first);
        if (!order_before(s, last, barrier))
            return false;
        first = last + 1;
    }
    return true;
}

// Adds the edges of a section: those between its members and its BEGIN and END node, those of its
// barriers, and if it is sequential one from each member to the next.
static bool add_section(keeli_schedule *s, const keeli_section *g) {
    uint32_t barrier = KEEL_NO_NODE, before = KEEL_NO_NODE;
    uint32_t waiting = g->first; // the first member since the last barrier
    const bool is_nested = g->open != KEEL_NO_NODE;
    if (is_nested && g->first == g->end)
        return order_before(s, g->open, g->close);

    for (uint32_t first = g->first; first < g->end;) {
        const uint32_t last = end_of_member(s, first);
        const bool is_barrier = s->nodes.items[first].kind == KEEL_NODE_BARRIER;
        if (is_nested && !(order_before(s, g->open, first) && order_before(s, last, g->close)))
            return false;
        if (g->sequential && before != KEEL_NO_NODE && !order_before(s, before, first))
            return false;
        if (is_barrier && !add_barrier(s, waiting, first))
            return false;
        if (barrier != KEEL_NO_NODE && !order_before(s, barrier, first))
            return false;

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
        if (child + 1 < *count && heap[child + 1] < heap[child])
            ++child;
        if (heap[child] >= last)
            break;
        heap[i] = heap[child];
    }
    if (*count)
        heap[i] = last;
    return least;
}

static int compare_edges(const void *a, const void *b) {
    const keeli_node_edge *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->is_loose - y->is_loose; // keeli_sort_edges keeps the first of equal edges
}

void keeli_sort_edges(keeli_schedule *s) {
    keeli_node_edge *edges = s->edges.items;
    uint32_t kept = 0;
    if (s->edges.count)
        qsort(edges, s->edges.count, sizeof *edges, compare_edges);

    for (uint32_t i = 0; i < s->nodes.count; ++i)
        s->nodes.items[i].edge_count = s->nodes.items[i].waits_for = 0;

    for (uint32_t e = 0; e < s->edges.count; ++e) {
        const keeli_node_edge edge = edges[e];
        const bool is_double =
            kept && edges[kept - 1].from == edge.from && edges[kept - 1].to == edge.to;
        if (is_double)
            continue;
        keeli_node *from = &s->nodes.items[edge.from];
        if (!from->edge_count)
            from->first_edge = kept;
        ++from->edge_count;
        ++s->nodes.items[edge.to].waits_for;
        edges[kept++] = edge;
    }
    s->edges.count = kept;
}

// Appends a node to the order, which is made in `ready_main`, and makes the nodes ready that waited
// only for it. `ready` is the heap of ready nodes. A ready join is appended at once, so that the
// nodes behind it are ready as early as they would be without a join.
static void append_to_order(keeli_schedule *s, uint32_t index) {
    const keeli_node *node = &s->nodes.items[index];
    *KEELI_APPEND(&s->ready_main) = index;
    for (uint32_t e = node->first_edge; e < node->first_edge + node->edge_count; ++e) {
        const uint32_t to = s->edges.items[e].to;
        if (--s->nodes.items[to].pending)
            continue;
        if (s->nodes.items[to].kind == KEEL_NODE_JOIN)
            append_to_order(s, to);
        else
            keeli_heap_push(s->ready.items, &s->ready.count, to);
    }
}

// Reports the steps of one cycle. From any node that was not sorted, it goes back to a node that
// must run before, and so on: after as many steps as there are nodes it is in a cycle.
static keel_result report_circle(const keeli_schedule *s) {
    uint32_t *before = s->ready.items; // by node: a node that must run before and was not sorted
    uint32_t node = 0;
    for (uint32_t e = 0; e < s->edges.count; ++e)
        if (s->nodes.items[s->edges.items[e].from].pending)
            before[s->edges.items[e].to] = s->edges.items[e].from;
    while (!s->nodes.items[node].pending)
        ++node;
    for (uint32_t i = 0; i < s->nodes.count; ++i)
        node = before[node];
    if (s->nodes.items[node].kind == KEEL_NODE_JOIN)
        node = before[node];

    char text[300] = "";
    size_t at = 0;
    uint32_t now = node;
    do {
        const keeli_node *n = &s->nodes.items[now];
        const bool is_named = n->kind == KEEL_NODE_SYSTEM || n->kind == KEEL_NODE_BEGIN ||
                              n->kind == KEEL_NODE_BARRIER;
        if (at < sizeof text && is_named)
            at += (size_t)snprintf(text + at, sizeof text - at, "'%s' must run after ", n->name);
        now = before[now];
    } while (now != node);
    return keeli_error(s->world, KEEL_ERROR_CYCLE,
                       "the steps of workload '%s' wait for each other: %s'%s'; remove one .after, "
                       ".before or barrier",
                       s->sections.items[0].name, text, s->nodes.items[node].name);
}

// Replaces the old index of a node by its place in the order.
static void relocate(uint32_t *node, const uint32_t *place) {
    if (*node != KEEL_NO_NODE)
        *node = place[*node];
}

// Moves the nodes into their order, to an array without spare capacity, and updates all indices of
// nodes. False if out of memory.
static bool apply_order(keeli_schedule *s) {
    const uint32_t count = s->nodes.count;
    uint32_t *place = s->ready.items;
    keeli_node *fresh = keeli_new(&s->world->heap, count * sizeof *fresh, _Alignof(max_align_t));
    if (!fresh)
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        fresh[i] = s->nodes.items[s->ready_main.items[i]];
        place[s->ready_main.items[i]] = i;
    }

    KEELI_RELEASE(&s->world->heap, &s->nodes);
    s->nodes.items = fresh;
    s->nodes.count = s->nodes.capacity = count;

    for (uint32_t i = 0; i < count; ++i)
        relocate(&fresh[i].of, place);
    for (uint32_t e = 0; e < s->edges.count; ++e) {
        relocate(&s->edges.items[e].from, place);
        relocate(&s->edges.items[e].to, place);
    }
    for (uint32_t g = 0; g < s->sections.count; ++g) {
        keeli_section *section = &s->sections.items[g];
        relocate(&section->open, place);
        relocate(&section->close, place);
    }
    return true;
}

keel_result keeli_order(keeli_schedule *s) {
    for (uint32_t g = 0; g < s->sections.count; ++g)
        if (!add_section(s, &s->sections.items[g]))
            return keeli_schedule_no_memory(s);
    KEEL_TRY(add_constraints(s));
    const uint32_t count = s->nodes.count;
    if (!count)
        return KEEL_OK;
    if (!KEELI_RESERVE(&s->world->heap, &s->ready, count) ||
        !KEELI_RESERVE(&s->world->heap, &s->ready_main, count))
        return keeli_schedule_no_memory(s);

    keeli_sort_edges(s);
    for (uint32_t i = 0; i < count; ++i) {
        s->nodes.items[i].pending = s->nodes.items[i].waits_for;
        if (!s->nodes.items[i].pending)
            keeli_heap_push(s->ready.items, &s->ready.count, i);
    }

    while (s->ready.count)
        append_to_order(s, keeli_heap_pop(s->ready.items, &s->ready.count));
    if (s->ready_main.count < count)
        return report_circle(s);
    return apply_order(s) ? KEEL_OK : keeli_schedule_no_memory(s);
}
