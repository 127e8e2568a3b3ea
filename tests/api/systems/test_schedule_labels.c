// SPDX-License-Identifier: MIT
// Labels that many steps have and many others wait for: the order is the one that a slow and
// obviously right sort gives, and the number of edges follows the number of steps.
#include "support/schedule_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t random_state = 1;
static uint32_t random_below(uint32_t end) {
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % end;
}

// ------------------------------------------------------------------ steps
// One bit for each of the names "a" to "d": which it has, and which it waits for.
enum { MOST = 120, NAMES = 4, TEXT = 2 * NAMES + 1 };
typedef struct step_list {
    keel_system systems[MOST];
    keel_step steps[MOST];
    char names[MOST][8], labels[MOST][TEXT], after[MOST][TEXT], before[MOST][TEXT];
    uint32_t has[MOST], waits[MOST], comes_before[MOST];
    uint32_t count;
} step_list;

static uint32_t ran[MOST], ran_count, fails; // systems by number, in the order they ran
static keel_result run_numbered(keel_context *context) {
    (void)context;
    return KEEL_OK;
}

static const char *write_names(char *text, uint32_t bits) {
    char *at = text;
    for (uint32_t n = 0; n < NAMES; ++n) {
        if (!(bits >> n & 1)) continue;
        if (at > text) *at++ = ',';
        *at++ = (char)('a' + n);
    }
    *at = 0;
    return bits ? text : NULL;
}

static void fill(step_list *l, uint32_t i, uint32_t has, uint32_t after, uint32_t before) {
    static const keel_term no_terms[] = { { .kind = KEEL_TERM_END } };
    (void)snprintf(l->names[i], sizeof l->names[i], "s%u", (unsigned)i);
    l->systems[i] = (keel_system){ .name = l->names[i],
                                   .kind = KEEL_SYSTEM_PER_RUN,
                                   .function = run_numbered,
                                   .terms = no_terms };
    l->has[i] = has;
    l->waits[i] = after;
    l->comes_before[i] = before;
    l->steps[i] = (keel_step){ .system = &l->systems[i],
                               .label = write_names(l->labels[i], has),
                               .after = write_names(l->after[i], after),
                               .before = write_names(l->before[i], before) };
}

// Few have names, many wait; now and then somebody asks for what it has itself.
static void fill_at_random(step_list *l) {
    l->count = 2 + random_below(MOST - 2);
    const bool is_wild = random_below(4) == 0;
    for (uint32_t i = 0; i < l->count; ++i) {
        const uint32_t has = i < NAMES ? 1u << i : random_below(3) ? 1u << random_below(2) : 0;
        uint32_t after = 0, before = 0;
        // without wild ones 'a' comes before 'b', and what has neither after or before them
        if (is_wild && random_below(30) == 0) after = 1u << random_below(NAMES);
        if (has == 1 && random_below(2)) before |= 2;
        if (has == 2 && random_below(2)) after |= 1;
        if (!has && random_below(2)) after |= 1u << random_below(2);
        else if (!has && random_below(2)) before |= 1u << random_below(2);
        fill(l, i, has, after, before);
    }
    for (uint32_t i = l->count; i < NAMES; ++i) // all names are somewhere
        fill(l, i, 1u << i, 0, 0);
    if (l->count < NAMES) l->count = NAMES;
}

// ------------------------------------------------------------------ what is right
static bool must_precede(const step_list *l, uint32_t i, uint32_t k) {
    return i != k && ((l->waits[k] & l->has[i]) || (l->comes_before[i] & l->has[k]));
}

// Always the first in the list that waits for nobody. False when there is no order.
static bool sort_slowly(const step_list *l, uint32_t *order) {
    bool done[MOST] = { false };
    for (uint32_t at = 0; at < l->count; ++at) {
        uint32_t next = 0;
        for (; next < l->count; ++next) {
            bool is_free = !done[next];
            for (uint32_t i = 0; is_free && i < l->count; ++i)
                is_free = done[i] || !must_precede(l, i, next);
            if (is_free) break;
        }
        if (next == l->count) return false;
        done[next] = true;
        order[at] = next;
    }
    return true;
}

// One that is alone with a name and asks for it makes a circle with itself.
static bool asks_for_itself_alone(const step_list *l) {
    for (uint32_t i = 0; i < l->count; ++i)
        for (uint32_t n = 0; n < NAMES; ++n) {
            const uint32_t asked = (l->waits[i] | l->comes_before[i]) & l->has[i];
            uint32_t others = 0;
            for (uint32_t k = 0; k < l->count; ++k)
                others += k != i && (l->has[k] >> n & 1);
            if ((asked >> n & 1) && !others) return true;
        }
    return false;
}

static bool has_edge(const keel_workload_edge *edges, uint32_t count, uint32_t from, uint32_t to) {
    for (uint32_t e = 0; e < count; ++e)
        if (edges[e].from == from && edges[e].to == to) return true;
    return false;
}

// Each wish is an edge, or two over a join; and there are no others.
static void assert_edges(keel_world *w, const step_list *l, const keel_workload *workload,
                         const keel_workload_node *nodes, uint32_t node_count) {
    static keel_workload_edge edges[MOST * MOST];
    const uint32_t count = keel_world_workload_edges(w, workload, edges, MOST * MOST);
    assert_in_range(count, 0, MOST * MOST);
    for (uint32_t i = 0; i < node_count; ++i)
        for (uint32_t k = i + 1; k < node_count; ++k) {
            if (nodes[i].kind == KEEL_NODE_JOIN || nodes[k].kind == KEEL_NODE_JOIN) continue;
            bool waits = has_edge(edges, count, i, k);
            for (uint32_t j = i + 1; j < k && !waits; ++j)
                waits = nodes[j].kind == KEEL_NODE_JOIN && has_edge(edges, count, i, j) &&
                        has_edge(edges, count, j, k);
            assert_int_equal(waits, must_precede(l, nodes[i].position, nodes[k].position));
        }
}

static void assert_same_order(keel_world *w, const step_list *l, const keel_workload *workload,
                              uint32_t *joins) {
    static keel_workload_node nodes[2 * MOST];
    uint32_t order[MOST], at = 0;
    const bool is_possible = sort_slowly(l, order) && !asks_for_itself_alone(l);
    const uint32_t count = keel_world_workload_nodes(w, workload, nodes, 2 * MOST);
    if (!is_possible) {
        assert_error(w, KEEL_ERROR_CYCLE, "must run after");
        assert_int_equal(count, 0);
        return;
    }
    assert_no_error(w);
    assert_in_range(count, l->count, 2 * MOST);
    for (uint32_t i = 0; i < count; ++i) {
        *joins += nodes[i].kind == KEEL_NODE_JOIN;
        if (nodes[i].kind == KEEL_NODE_SYSTEM) assert_int_equal(nodes[i].position, order[at++]);
        else assert_string_equal(nodes[i].name, "a join");
    }
    assert_int_equal(at, l->count);
    assert_edges(w, l, workload, nodes, count);
}

static void labels_order_steps_as_single_names_do(void **state) {
    static step_list l;
    (void)state;
    api_fixture f;
    uint32_t joins = 0;
    api_begin(&f);
    for (uint32_t round = test_rounds(120); round--;) {
        fill_at_random(&l);
        const keel_workload w = { .name = "labels", .steps = l.steps, .step_count = l.count };
        assert_same_order(f.world, &l, &w, &joins);
    }
    assert_true(joins > 10);
    api_end(&f);
}

// ------------------------------------------------------------------ failures, conditions, nesting
static keel_result fail_or_not(keel_context *context) {
    if (fails) keel_fail(context, NULL, "as asked");
    return KEEL_OK;
}
static keel_result note_run(keel_context *context) {
    (void)context;
    ran[ran_count++ % MOST] = 1;
    return KEEL_OK;
}

static void fail_at_a_join(api_fixture *f) {
    static step_list l;
    l.count = 60;
    for (uint32_t i = 0; i < 30; ++i)
        fill(&l, i, 1, 0, 0);
    for (uint32_t i = 30; i < 60; ++i) {
        fill(&l, i, 0, 1, 0);
        l.steps[i].main_thread = true; // so that they can be counted
        l.systems[i].function = note_run;
    }
    l.systems[7].function = fail_or_not;
    const keel_workload w = { .name = "labels", .steps = l.steps, .step_count = l.count };
    for (fails = 0; fails < 2; ++fails) {
        ran_count = 0;
        assert_int_equal(keel_run_workload_of(f->world, &w, NULL),
                         fails ? KEEL_ERROR_SYSTEM : KEEL_OK);
        assert_int_equal(ran_count, fails ? 0 : 30);
        keel_clear_errors(f->world);
    }
    // the same with the name of a nested workload that is labelled, from another one
    const keel_step around[] = { { .workload = &w, .label = "x" },
                                 { .workload = &w, .label = "x" },
                                 { .system = &mark_b, .after = "x" },
                                 { .system = &mark_a, .after_all = "labels,x", .before = "x" } };
    const keel_workload outer = WORKLOAD("outer", around);
    assert_int_equal(keel_run_workload_of(f->world, &outer, NULL), KEEL_ERROR_CYCLE);
    assert_error(f->world, KEEL_ERROR_CYCLE, "must run after");
    const keel_workload shorter = { .name = "outer", .steps = around, .step_count = 3 };
    fails = 0;
    assert_runs(f->world, &shorter, "b", "");
}

static void a_failure_passes_a_join(void **state) {
    (void)state;
    with_workers(fail_at_a_join);
}

// ------------------------------------------------------------------ very many
#if defined(NDEBUG)
enum { HALF = 10000 };
#else
enum { HALF = 4000 };
#endif
typedef enum shape { AFTER, BEFORE, OWN, IN_SCOPES, SHAPES } shape;

static void many_wait_for_many(void **state) {
    (void)state;
    static const keel_term no_terms[] = { { .kind = KEEL_TERM_END } };
    static const keel_system nothing = {
        .name = "nothing", .kind = KEEL_SYSTEM_PER_RUN, .function = run_numbered, .terms = no_terms
    };
    for (int s = 0; s < SHAPES; ++s) {
        api_fixture f;
        api_begin(&f);
        const uint32_t count = 2 * HALF;
        keel_step *steps = calloc(count, sizeof *steps);
        keel_workload *inner = calloc(HALF, sizeof *inner);
        assert_true(steps && inner);
        for (uint32_t i = 0; i < count; ++i) {
            const bool has = s == OWN || (s == IN_SCOPES ? i % 2 == 0 : i < HALF);
            steps[i] = (keel_step){ .system = &nothing, .label = has ? "many" : NULL };
            if (s == BEFORE && !has) steps[i].before = "many";
            else if (s == OWN || !has) steps[i].after = "many";
        }
        keel_step *nested = calloc(HALF, sizeof *nested);
        assert_non_null(nested);
        for (uint32_t i = 0; i < HALF; ++i) { // one with the label and one that waits for it
            inner[i] = (keel_workload){ .name = "in", .steps = steps + 2 * i, .step_count = 2 };
            nested[i].workload = &inner[i];
        }
        const keel_workload w = { .name = "w",
                                  .steps = s == IN_SCOPES ? nested : steps,
                                  .step_count = s == IN_SCOPES ? HALF : count };
        assert_int_equal(keel_run_workload_of(f.world, &w, NULL),
                         s == OWN ? KEEL_ERROR_CYCLE : KEEL_OK);
        assert_in_range(keel_world_workload_edges(f.world, &w, NULL, 0), 0, 3 * count);
        assert_in_range(f.memory.peak_bytes, 0, (size_t)count * 8000);
        keel_clear_errors(f.world);
        free(nested);
        free(inner);
        free(steps);
        api_end(&f);
    }
}

// ------------------------------------------------------------------ what is told, and memory
static void lack_memory(void **state) {
    static step_list l;
    (void)state;
    l.count = 60;
    for (uint32_t i = 0; i < 60; ++i)
        fill(&l, i, i < 30 ? 1 : 0, i < 30 ? 0 : 1, 0);
    const keel_workload w = { .name = "labels", .steps = l.steps, .step_count = l.count };
    keel_result result = KEEL_ERROR_MEMORY;
    for (size_t n = 0; result != KEEL_OK; ++n) {
        api_fixture f;
        api_begin(&f);
        counting_allocator_fail_after(&f.memory, n);
        result = keel_run_workload_of(f.world, &w, NULL);
        if (result != KEEL_OK) assert_error(f.world, KEEL_ERROR_MEMORY, "out of memory");
        counting_allocator_never_fail(&f.memory);
        assert_int_equal(keel_run_workload_of(f.world, &w, NULL), KEEL_OK);
        if (result == KEEL_OK)
            for (int i = KEEL_EXPLAIN_TEXT; i <= KEEL_EXPLAIN_JSON; ++i) {
                static char text[60000];
                const keel_explain_format format = (keel_explain_format)i;
                assert_in_range(keel_world_explain_workload(f.world, &w, format, text, sizeof text),
                                1, sizeof text - 1);
                if (format == KEEL_EXPLAIN_JSON)
                    assert_non_null(strstr(text, "{\"kind\": \"join\", \"name\": \"a join\""));
            }
        api_end(&f);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(labels_order_steps_as_single_names_do, "labels order steps as single names do"),
    TEST(a_failure_passes_a_join, "a failure stops all that wait for a label"),
    TEST(many_wait_for_many, "10,000 steps that wait for 10,000 are no 100,000,000 edges"),
    TEST(lack_memory, "joins are told of, and memory may run out"),
};

int main(void) { return RUN(tests); }
