// SPDX-License-Identifier: MIT
// What the inspector answers about systems, the plan of a workload and the times of frames,
// compared with explain.h, why.h and timing.h.
#include "look.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct A {
    int32_t value;
} A;
KEEL_FIELDS(A, value);
KEEL_COMPONENT(A, KEEL_HAS_FIELDS(A));
typedef struct B {
    int32_t value;
} B;
KEEL_FIELDS(B, value);
KEEL_COMPONENT(B, KEEL_HAS_FIELDS(B));
typedef struct C {
    int32_t value;
} C;
KEEL_FIELDS(C, value);
KEEL_COMPONENT(C, KEEL_HAS_FIELDS(C));
KEEL_TAG(Asleep);
typedef struct Clock {
    int32_t ticks;
} Clock;
KEEL_FIELDS(Clock, ticks);
KEEL_UNIQUE(Clock, KEEL_HAS_FIELDS(Clock));
typedef struct Hit {
    int32_t damage;
} Hit;
KEEL_EVENT(Hit);

static void work(long nanoseconds) {
    const double until = client_now() + (double)nanoseconds * 1e-9;
    while (client_now() < until) {}
}

KEEL_CONDITION(plan_never, KEEL_UNIQUE_READ(Clock, clock)) { return clock->ticks < 0; }
KEEL_SYSTEM(plan_a, KEEL_WRITE(A, a)) { a->value += 1; }
KEEL_SYSTEM(plan_b, KEEL_READ(A, a), KEEL_WRITE(B, b), KEEL_WITHOUT(Asleep)) {
    b->value += a->value;
}
KEEL_SYSTEM(plan_c, KEEL_READ(A, a), KEEL_READ(B, b), KEEL_WRITE(C, c), KEEL_SEND(Hit, hits)) {
    c->value = a->value + b->value;
    if (c->value == -1) keel_send(hits, Hit, { 1 });
}
KEEL_SYSTEM_ONCE(plan_slow, KEEL_UNIQUE_WRITE(Clock, clock)) {
    work(2000000);
    ++clock->ticks;
}
KEEL_SYSTEM_ONCE(plan_breed, KEEL_UNIQUE_READ(Clock, clock), KEEL_COMMANDS(commands, C)) {
    work(3000000);
    if (clock->ticks == 2) keel_add_entity(commands, KEEL_INIT(C, { 1 }));
}
KEEL_SYSTEM(plan_inner, KEEL_WRITE(C, c)) { c->value -= 1; }
KEEL_WORKLOAD(plan_nested, KEEL_STEP(plan_inner), KEEL_STEP(plan_a, .label = "again"));
KEEL_WORKLOAD(plan_work, KEEL_STEP(plan_a), KEEL_STEP(plan_b), KEEL_STEP(plan_c),
              KEEL_STEP(plan_slow), KEEL_STEP(plan_breed), KEEL_NESTED(plan_nested),
              KEEL_STEP(plan_b, .run_if = KEEL_IF(plan_never), .label = "never"),
              KEEL_STEP(plan_c, .disabled = true, .every = 0.5, .times = 3));
KEEL_WORKLOAD(plan_other, KEEL_STEP(plan_a), KEEL_STEP(plan_inner));
KEEL_SYSTEM_ONCE(plan_world, KEEL_WORLD(world)) { (void)world; }
KEEL_WORKLOAD(plan_ordered, KEEL_STEP(plan_a, .main_thread = true),
              KEEL_STEP(plan_inner, .main_thread = true), KEEL_STEP(plan_slow, .after = "plan_b"),
              KEEL_STEP(plan_b, .parallel = true), KEEL_BARRIER, KEEL_STEP(plan_world),
              KEEL_STEP(plan_a, .label = "last"), KEEL_STEP(plan_breed, .after = "last"));

static void begin(look *l, const keel_workload *workload) {
    *l = (look){ .world = keel_world_create(
                     &(keel_world_desc){ .log = keel_log_none, .worker_count = 2 }) };
    keel_register(l->world, A, B, C, Asleep);
    keel_set_unique(l->world, Clock, { 0 });
    for (int i = 0; i < 30; ++i) {
        const keel_entity e = keel_add_entity(l->world, KEEL_INIT(A, { i }));
        if (i % 2) keel_add(l->world, e, B, { i });
        if (i % 3) keel_add(l->world, e, C, { i });
        if (i % 5 == 0) keel_add(l->world, e, Asleep);
    }
    look_begin(l, &(keel_inspect_desc){ .workload = workload, .budget = 1 });
}

// ------------------------------------------------------------------ systems
static void systems_are_as_planned(void **state) {
    look l;
    (void)state;
    begin(&l, &KEEL_WORKLOAD_plan_work);
    look_run(&l, 3);
    keel_workload_node nodes[64];
    const uint32_t count = keel_world_workload_nodes(l.world, l.workload, nodes, 64);
    json_t *json = look_get(&l, "systems");
    size_t systems = 0;
    assert_string_equal(text_at(json, "workload"), "plan_work");
    for (uint32_t i = 0; i < count; ++i) {
        if (nodes[i].kind != KEEL_NODE_SYSTEM) continue;
        const json_t *one = at(json, "systems.%zu", systems++);
        uint32_t terms = 0;
        while (nodes[i].system->terms[terms].kind != KEEL_TERM_END)
            ++terms;
        assert_int_equal(number_at(one, "position"), nodes[i].position);
        assert_string_equal(text_at(one, "name"), nodes[i].name);
        assert_string_equal(text_at(one, "workload"), nodes[i].workload);
        assert_int_equal(count_at(one, "terms"), terms);
        assert_int_equal(number_at(one, "line"), nodes[i].system->line);
        assert_int_equal(bool_at(one, "parallel"), nodes[i].parallel);
    }
    assert_int_equal(count_at(json, "systems"), systems);
    assert_int_equal(systems, 9);
    const json_t *all = at(json, "systems"), *b = json_array_get(all, 1);
    assert_string_equal(text_at(b, "terms.1.text"), "write B");
    assert_string_equal(text_at(b, "terms.2.kind"), "without");
    assert_string_equal(text_at(b, "terms.2.components.0"), "Asleep");
    assert_string_equal(text_at(find(at(b, "touches"), "storage", "A"), "access"), "read");
    assert_string_equal(text_at(find(at(b, "touches"), "storage", "B"), "access"), "write");
    assert_string_equal(text_at(find(at(b, "touches"), "storage", "Asleep"), "access"), "filter");
    const json_t *c = json_array_get(all, 2), *breed = json_array_get(all, 4);
    assert_string_equal(text_at(find(at(c, "touches"), "storage", "Hit"), "access"), "send");
    assert_string_equal(text_at(find(at(c, "touches"), "storage", "Hit"), "kind"), "event");
    assert_string_equal(text_at(find(at(breed, "touches"), "storage", "C"), "access"), "commands");
    assert_string_equal(text_at(find(at(breed, "touches"), "storage", "Clock"), "kind"), "unique");
    assert_string_equal(text_at(breed, "kind"), "run");
    // Conditions, and times: of steps that never ran there are none.
    assert_string_equal(text_at(json_array_get(all, 7), "conditions.0"), "run_if plan_never");
    assert_true(json_is_null(at(json_array_get(all, 7), "nanoseconds")));
    const json_t *off = json_array_get(all, 8);
    assert_true(bool_at(off, "disabled"));
    assert_int_equal(count_at(off, "conditions"), 3);
    assert_string_equal(text_at(off, "conditions.1"), "every 0.5 s");
    assert_string_equal(text_at(off, "conditions.2"), "times 3");
    const json_t *slow = json_array_get(all, 3);
    assert_true(number_at(slow, "nanoseconds") >= 2000000);
    assert_true(number_at(slow, "worst") >= number_at(slow, "nanoseconds"));
    assert_int_equal(number_at(json_array_get(all, 0), "entities"), 30);
    assert_int_equal(number_at(b, "entities"),
                     keel_component_count(l.world, KEEL_OF(B)) - (int64_t)3); // 3 of them sleep
    json_decref(json);
    look_end(&l);
}

static void terms_leave_entities(void **state) {
    look l;
    (void)state;
    begin(&l, &KEEL_WORKLOAD_plan_work);
    look_run(&l, 2);
    for (uint32_t position = 0; position < 9; ++position) {
        uint32_t left[KEEL_MAX_TERMS];
        keel_why why;
        const uint32_t terms =
            keel_step_counts(l.world, l.workload, position, NULL, left, KEEL_MAX_TERMS);
        (void)keel_step_why(l.world, l.workload, position, keel_next_entity(l.world, keel_null()),
                            &why);
        json_t *json = look_get(&l, "system/%u", (unsigned)position);
        assert_int_equal(number_at(json, "position"), position);
        assert_int_equal(number_at(json, "all"), keel_entity_count(l.world));
        assert_int_equal(count_at(json, "left"), terms);
        for (uint32_t i = 0; i < terms; ++i) {
            assert_int_equal(number_at(at(json, "left.%u", (unsigned)i), "left"), left[i]);
            assert_int_equal(number_at(at(json, "left.%u", (unsigned)i), "term"), i);
        }
        if (terms) assert_int_equal(number_at(json, "matches"), left[terms - 1]);
        else assert_true(json_is_null(at(json, "matches")));
        assert_int_equal(bool_at(json, "runs"), position < 7);
        if (position < 7) assert_same_text(text_at(json, "reason"), NULL);
        else assert_string_equal(text_at(json, "reason"), why.text);
        json_decref(json);
    }
    look_fails(&l, 404, "no system at position 9", "system/9", NULL);
    look_end(&l);
}

static void an_empty_world_has_reasons(void **state) {
    look l;
    (void)state;
    begin(&l, &KEEL_WORKLOAD_plan_work);
    for (keel_entity e; !keel_is_null(e = keel_next_entity(l.world, keel_null()));)
        keel_delete_entity(l.world, e);
    keel_remove_unique(l.world, Clock);
    json_t *json = look_get(&l, "system/8");
    assert_false(bool_at(json, "runs"));
    assert_non_null(text_at(json, "reason"));
    json_decref(json);
    json = look_get(&l, "system/0");
    assert_int_equal(number_at(json, "matches"), 0);
    assert_true(bool_at(json, "runs"));
    json_decref(json);
    look_end(&l);
}

// ------------------------------------------------------------------ workload
enum { MOST = 64, EDGES = 512 };
typedef struct graph {
    keel_workload_node nodes[MOST];
    keel_workload_edge edges[EDGES];
    uint32_t node_count, edge_count;
} graph;

static void graph_read(graph *g, keel_world *world, const keel_workload *workload) {
    g->node_count = keel_world_workload_nodes(world, workload, g->nodes, MOST);
    g->edge_count = keel_world_workload_edges(world, workload, g->edges, EDGES);
    assert_true(g->node_count <= MOST && g->edge_count <= EDGES);
}

// True if a way leads from one node to another that is longer than an edge.
static bool graph_has_longer_way(const graph *g, uint32_t from, uint32_t to, uint32_t length) {
    for (uint32_t e = 0; e < g->edge_count; ++e)
        if (g->edges[e].from == from && ((g->edges[e].to == to && length > 0) ||
                                         graph_has_longer_way(g, g->edges[e].to, to, length + 1)))
            return true;
    return false;
}

static void plan_is(const json_t *json, const graph *g) {
    static const char *const kinds[] = { "system", "commands", "barrier", "begin", "end", "join" };
    static const char *const waits[] = { "none",    "commands", "world",  "storage",
                                         "barrier", "nested",   "thread", "order" };
    assert_int_equal(count_at(json, "nodes"), g->node_count);
    uint32_t batches = 0;
    for (uint32_t i = 0; i < g->node_count; ++i) {
        const json_t *one = at(json, "nodes.%u", (unsigned)i);
        assert_int_equal(number_at(one, "index"), i);
        assert_string_equal(text_at(one, "kind"), kinds[g->nodes[i].kind]);
        assert_string_equal(text_at(one, "name"), g->nodes[i].name);
        assert_string_equal(text_at(one, "workload"), g->nodes[i].workload);
        if (g->nodes[i].batch == KEEL_NO_NODE) assert_true(json_is_null(at(one, "batch")));
        else assert_int_equal(number_at(one, "batch"), g->nodes[i].batch);
        if (g->nodes[i].batch != KEEL_NO_NODE && g->nodes[i].batch + 1 > batches)
            batches = g->nodes[i].batch + 1;
        assert_int_equal(bool_at(one, "alone"), g->nodes[i].alone);
        assert_int_equal(bool_at(one, "main_thread"), g->nodes[i].main_thread);
    }
    assert_int_equal(number_at(json, "batches"), batches);
    size_t edges = 0;
    for (uint32_t e = 0; e < g->edge_count; ++e) {
        const keel_workload_edge *edge = &g->edges[e];
        if (graph_has_longer_way(g, edge->from, edge->to, 0)) continue;
        const json_t *one = at(json, "edges.%zu", edges++);
        assert_int_equal(number_at(one, "from"), edge->from);
        assert_int_equal(number_at(one, "to"), edge->to);
        assert_string_equal(text_at(one, "kind"), waits[edge->why.kind]);
        assert_same_text(text_at(one, "storage"), edge->why.storage);
        assert_true(strlen(text_at(one, "text")) > 0);
    }
    assert_int_equal(count_at(json, "edges"), edges);
}

static void plans_have_their_edges(void **state) {
    look l;
    graph g;
    (void)state;
    begin(&l, &KEEL_WORKLOAD_plan_work);
    json_t *json = look_get(&l, "workload");
    graph_read(&g, l.world, l.workload);
    plan_is(json, &g);
    assert_string_equal(text_at(json, "name"), "plan_work");
    assert_int_equal(number_at(json, "critical.nanoseconds"), 0);
    const json_t *edge = at(json, "edges.0"); // plan_a before plan_b
    assert_int_equal(number_at(edge, "from"), 0);
    assert_string_equal(text_at(edge, "access"), "reads");
    assert_string_equal(text_at(edge, "other_access"), "writes");
    assert_string_equal(text_at(edge, "text"), "plan_b reads A, which plan_a writes");
    json_decref(json);
    keel_world_add_workload(l.world, &KEEL_WORKLOAD_plan_other);
    json = look_get(&l, "workload/plan_other");
    graph_read(&g, l.world, keel_find_workload(l.world, "plan_other"));
    plan_is(json, &g);
    json_decref(json);
    keel_world_add_workload(l.world, &KEEL_WORKLOAD_plan_ordered);
    json = look_get(&l, "workload/plan_ordered");
    graph_read(&g, l.world, keel_find_workload(l.world, "plan_ordered"));
    plan_is(json, &g);
    const json_t *all = at(json, "edges");
    assert_non_null(find(all, "kind", "thread"));
    assert_non_null(find(all, "kind", "order"));
    assert_non_null(find(all, "kind", "barrier"));
    assert_non_null(find(all, "kind", "commands"));
    json_decref(json);
    look_fails(&l, 404, "gone", "workload/nothing", NULL);
    look_end(&l);
}

static void the_critical_chain_is_the_longest(void **state) {
    look l;
    graph g;
    (void)state;
    begin(&l, &KEEL_WORKLOAD_plan_work);
    look_run(&l, 4);
    json_t *json = look_get(&l, "workload");
    graph_read(&g, l.world, l.workload);
    uint64_t ends[MOST] = { 0 }, longest = 0;
    for (uint32_t i = 0; i < g.node_count; ++i) {
        ends[i] += (uint64_t)number_at(at(json, "nodes.%u", (unsigned)i), "nanoseconds");
        longest = ends[i] > longest ? ends[i] : longest;
        for (uint32_t e = 0; e < g.edge_count; ++e)
            if (g.edges[e].from == i && ends[g.edges[e].to] < ends[i])
                ends[g.edges[e].to] = ends[i];
    }
    assert_int_equal(number_at(json, "critical.nanoseconds"), longest);
    // The slow one, and then the one that breeds: five milliseconds of each frame.
    assert_true(longest >= 5000000);
    uint64_t sum = 0;
    for (size_t i = 0; i < count_at(json, "critical.nodes"); ++i) {
        const uint32_t node = (uint32_t)json_integer_value(at(json, "critical.nodes.%zu", i));
        if (i) assert_true(node < json_integer_value(at(json, "critical.nodes.%zu", i - 1)));
        sum += (uint64_t)number_at(at(json, "nodes.%u", (unsigned)node), "nanoseconds");
    }
    assert_int_equal(sum, longest);
    json_decref(json);
    look_end(&l);
}

static void a_plan_without_a_storage_is_a_question(void **state) {
    look l;
    graph g, after;
    (void)state;
    begin(&l, &KEEL_WORKLOAD_plan_work);
    keel_world_add_workload(l.world, &KEEL_WORKLOAD_plan_other);
    look_run(&l, 1);
    uint64_t hash, hash_after;
    keel_world_hash(l.world, &hash);
    graph_read(&g, l.world, l.workload);
    json_t *json = look_get(&l, "workload"), *without = look_get(&l, "workload?without=1:A");
    plan_is(json, &g);
    assert_int_equal(count_at(without, "nodes"), g.node_count);
    assert_string_equal(text_at(without, "name"), "plan_work");
    for (uint32_t i = 0; i < g.node_count; ++i) {
        const json_t *one = at(without, "nodes.%u", (unsigned)i);
        assert_string_equal(text_at(one, "name"), g.nodes[i].name);
        assert_string_equal(text_at(one, "workload"), g.nodes[i].workload);
    }
    bool waited = false, waits = false; // plan_b for plan_a
    for (size_t e = 0; e < count_at(json, "edges"); ++e)
        waited = waited || (number_at(at(json, "edges.%zu", e), "from") == 0 &&
                            number_at(at(json, "edges.%zu", e), "to") == 1);
    for (size_t e = 0; e < count_at(without, "edges"); ++e)
        waits = waits || (number_at(at(without, "edges.%zu", e), "from") == 0 &&
                          number_at(at(without, "edges.%zu", e), "to") == 1);
    assert_true(waited);
    assert_false(waits);
    json_decref(without);
    json_decref(json);
    // Nested systems count, too: plan_inner is at position 5, plan_a behind it at 6.
    json = look_get(&l, "workload?without=5:C");
    assert_int_equal(count_at(json, "nodes"), g.node_count);
    json_decref(json);
    // The world and its workloads are as before.
    graph_read(&after, l.world, l.workload);
    assert_int_equal(after.node_count, g.node_count);
    assert_int_equal(after.edge_count, g.edge_count);
    assert_null(keel_find_workload(l.world, "keel_inspect: what if"));
    assert_non_null(keel_find_workload(l.world, "plan_other"));
    keel_world_hash(l.world, &hash_after);
    assert_true(hash == hash_after);
    look_fails(&l, 400, "does not use", "workload?without=0:B", NULL);
    look_fails(&l, 400, "does not use", "workload?without=99:A", NULL);
    look_fails(&l, 400, "without:", "workload?without=A", NULL);
    look_fails(&l, 400, "without:", "workload?without=1:", NULL);
    look_end(&l);
}

// ------------------------------------------------------------------ frames
static void frames_have_their_times(void **state) {
    look l;
    (void)state;
    begin(&l, &KEEL_WORKLOAD_plan_work);
    look_run(&l, 4);
    json_t *json = look_get(&l, "frames");
    assert_int_equal(count_at(json, "frames"), 4);
    for (size_t i = 0; i < 4; ++i) {
        const json_t *one = at(json, "frames.%zu", i);
        assert_int_equal(number_at(one, "frame"), i + 1);
        assert_true(number_at(one, "end") - number_at(one, "begin") >= 5000000);
        if (i)
            assert_true(number_at(one, "begin") >= number_at(at(json, "frames.%zu", i - 1), "end"));
    }
    // What each system did is a mean of these frames.
    keel_timings_cursor cursor = { 0 };
    keel_timing t;
    uint64_t slow = 0, visited = 0, applied = 0;
    while (keel_timings_next(l.world, &cursor, &t)) {
        if (t.is_commands) applied += t.commands;
        else if (!strcmp(t.system, "plan_slow")) slow += t.end - t.begin;
        else if (t.position == 0) visited += t.entities;
    }
    const json_t *systems = at(json, "systems");
    const json_t *a = find(systems, "name", "plan_a"), *breed = find(systems, "name", "plan_breed");
    assert_int_equal(number_at(find(systems, "name", "plan_slow"), "nanoseconds"), slow / 4);
    assert_int_equal(number_at(find(systems, "name", "plan_slow"), "runs"), 4);
    assert_int_equal(number_at(a, "entities"), visited / 4);
    assert_int_equal(number_at(a, "entities"), 30);
    assert_int_equal(applied, 1);
    assert_int_equal(number_at(breed, "position"), 4);
    double share = 0;
    for (size_t i = 0; i < json_array_size(systems); ++i)
        share += json_number_value(at(systems, "%zu.share", i));
    assert_true(share > 0.5 && share < 1.01);
    assert_int_equal(number_at(json, "missed"), 0);
    json_decref(json);
    json = look_get(&l, "frames?from=2&to=3");
    assert_int_equal(count_at(json, "frames"), 2);
    assert_int_equal(number_at(json, "frames.0.frame"), 2);
    assert_int_equal(number_at(find(at(json, "systems"), "name", "plan_slow"), "runs"), 2);
    assert_int_equal(number_at(find(at(json, "systems"), "name", "plan_breed"), "commands"), 0);
    json_decref(json);
    // A span with frames that never were: means are of those that were.
    json = look_get(&l, "frames?from=0&to=400");
    assert_int_equal(number_at(find(at(json, "systems"), "name", "plan_slow"), "nanoseconds"),
                     slow / 4);
    json_decref(json);
    json = look_get(&l, "frames?from=9&to=3&lanes=77");
    assert_int_equal(count_at(json, "frames"), 0);
    assert_int_equal(count_at(json, "systems"), 0);
    assert_int_equal(count_at(json, "lanes"), 0);
    json_decref(json);
    look_end(&l);
}

static void runs_have_lanes(void **state) {
    look l;
    keel_timings_cursor cursor = { 0 };
    keel_timing t;
    uint64_t second = 0;
    (void)state;
    begin(&l, &KEEL_WORKLOAD_plan_work);
    look_run(&l, 3);
    json_t *json = look_get(&l, "frames?lanes=2");
    while (keel_timings_next(l.world, &cursor, &t))
        second += t.frame == 2;
    assert_int_equal(count_at(json, "lanes"), second);
    const int64_t length =
        number_at(at(json, "frames.1"), "end") - number_at(at(json, "frames.1"), "begin");
    for (size_t i = 0; i < second; ++i) {
        const json_t *lane = at(json, "lanes.%zu", i);
        assert_true(number_at(lane, "begin") >= 0 && number_at(lane, "end") <= length);
        assert_true(number_at(lane, "begin") <= number_at(lane, "end"));
        assert_true(number_at(lane, "worker") < 2);
    }
    json_decref(json);
    look_end(&l);
}

// A table made by hand need not have a name.
static void a_workload_needs_no_name(void **state) {
    static const keel_step steps[] = { { .system = &KEEL_SYSTEM_plan_a },
                                       { .system = &KEEL_SYSTEM_plan_inner } };
    static const keel_workload table = { .steps = steps, .step_count = 2 };
    static const char *const paths[] = { "world",     "systems", "system/1",
                                         "workload",  "frames",  "workload?without=0:A",
                                         "entity/0v0" };
    look l;
    (void)state;
    begin(&l, &table);
    look_run(&l, 2);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i)
        json_decref(look_get(&l, "%s", paths[i]));
    look_fails(&l, 404, "no workload of this name", "workload/x", NULL);
    json_t *json = look_get(&l, "systems");
    assert_int_equal(number_at(json, "systems.0.entities"), 30);
    json_decref(json);
    look_end(&l);
}

static void run_two(look *l) {
    (void)keel_run_workload(l->world, plan_work);
    (void)keel_run_workload(l->world, plan_other);
    keel_run(l->world, plan_a);
}

static void two_workloads_are_told_apart(void **state) {
    look l;
    (void)state;
    begin(&l, &KEEL_WORKLOAD_plan_work);
    l.run = run_two;
    look_run(&l, 2);
    json_t *json = look_get(&l, "frames?lanes=1");
    size_t shown = 0, others = 0;
    for (size_t i = 0; i < count_at(json, "systems"); ++i) {
        const json_t *one = at(json, "systems.%zu", i);
        const bool is_own = !strncmp(text_at(one, "workload"), "plan_work", 9) ||
                            !strcmp(text_at(one, "workload"), "plan_nested");
        // plan_a is the first of both workloads: only that of the one that is shown has a number.
        assert_int_equal(json_is_null(at(one, "position")), !is_own);
        shown += is_own;
        others += !is_own;
        assert_int_equal(number_at(one, "runs"), 2);
    }
    assert_int_equal(shown, 7);
    assert_int_equal(others, 3);
    size_t lanes = 0;
    for (size_t i = 0; i < count_at(json, "lanes"); ++i)
        lanes += json_is_null(at(json, "lanes.%zu.position", i));
    assert_int_equal(lanes, 3);
    json_decref(json);
    json = look_get(&l, "systems");
    assert_int_equal(number_at(at(json, "systems.0"), "entities"), 30);
    json_decref(json);
    look_end(&l);
}

// What a paused program runs in order to draw is of no frame.
static void a_paused_program_draws_outside_of_frames(void **state) {
    look l;
    (void)state;
    begin(&l, &KEEL_WORKLOAD_plan_work);
    look_run(&l, 2);
    assert_false(look_update(&l));
    for (int i = 0; i < 3; ++i) {
        keel_run(l.world, plan_a);
        assert_false(look_update(&l));
    }
    json_t *json = look_get(&l, "frames?lanes=2");
    for (size_t i = 0; i < count_at(json, "systems"); ++i)
        assert_false(json_is_null(at(json, "systems.%zu.position", i)));
    for (size_t i = 0; i < count_at(json, "lanes"); ++i)
        assert_false(json_is_null(at(json, "lanes.%zu.position", i)));
    json_decref(json);
    look_end(&l);
}

static void run_alone(look *l) { keel_run(l->world, plan_a); }

static void programs_without_a_workload_are_shown(void **state) {
    look l;
    (void)state;
    begin(&l, NULL);
    l.run = run_alone;
    look_run(&l, 3);
    look_fails(&l, 404, "no workload", "systems", NULL);
    look_fails(&l, 404, "no workload", "system/0", NULL);
    look_fails(&l, 404, "no workload", "workload", NULL);
    json_t *json = look_get(&l, "frames");
    assert_int_equal(count_at(json, "frames"), 3);
    assert_int_equal(count_at(json, "systems"), 1);
    assert_string_equal(text_at(json, "systems.0.name"), "plan_a");
    assert_string_equal(text_at(json, "systems.0.workload"), "");
    assert_true(json_is_null(at(json, "systems.0.position")));
    json_decref(json);
    json = look_get(&l, "world");
    assert_same_text(text_at(json, "workload"), NULL);
    json_decref(json);
    json = look_get(&l, "entity/0v0");
    assert_int_equal(count_at(json, "systems"), 0);
    json_decref(json);
    look_end(&l);
}

static const struct CMUnitTest tests[] = {
    TEST(systems_are_as_planned, "systems have their terms, storages, conditions and times"),
    TEST(terms_leave_entities, "each term of a system leaves as many entities as it says"),
    TEST(an_empty_world_has_reasons, "a world without entities has reasons, too"),
    TEST(plans_have_their_edges, "a plan has the edges that do not follow from others"),
    TEST(the_critical_chain_is_the_longest, "the critical chain is the longest one"),
    TEST(a_plan_without_a_storage_is_a_question,
         "a plan as if a system did not use a storage changes nothing"),
    TEST(frames_have_their_times, "frames have their times, and systems their means"),
    TEST(runs_have_lanes, "each run in a frame has a lane"),
    TEST(a_workload_needs_no_name, "a workload without a name is shown, too"),
    TEST(two_workloads_are_told_apart, "the times of two workloads in a frame are told apart"),
    TEST(a_paused_program_draws_outside_of_frames, "a paused program draws outside of frames"),
    TEST(programs_without_a_workload_are_shown, "programs without a workload are shown"),
};
int main(void) { return RUN(tests); }
