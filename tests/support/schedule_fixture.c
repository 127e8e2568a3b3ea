// SPDX-License-Identifier: MIT
// The functions of schedule_fixture.h: batches of workloads, and a record of when systems ran. It
// contains no tests; programs of tests/api link it.
#include "support/schedule_fixture.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void with_workers(void (*test)(api_fixture *f)) {
    static const uint32_t counts[] = { 1, 2, 4 };
    for (int i = 0; i < 3; ++i) {
        api_fixture f;
        api_begin_workers(&f, counts[i]);
        forget_marks();
        test(&f);
        api_end(&f);
    }
}

// ------------------------------------------------------------------ batches
static keel_workload_node *nodes_of(keel_world *world, const keel_workload *workload,
                                    uint32_t *count) {
    *count = keel_world_workload_nodes(world, workload, NULL, 0);
    keel_workload_node *nodes = calloc(*count + 1, sizeof *nodes);
    assert_non_null(nodes);
    assert_int_equal(keel_world_workload_nodes(world, workload, nodes, *count), *count);
    return nodes;
}

// Orders nodes by batch, and then by position in the lists.
static int compare_nodes(const void *a, const void *b) {
    const keel_workload_node *x = a, *y = b;
    if (x->batch != y->batch) return x->batch < y->batch ? -1 : 1;
    if (x->position != y->position) return x->position < y->position ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

void assert_batches(keel_world *world, const keel_workload *workload, const char *expected) {
    char text[512] = "";
    size_t at = 0;
    uint32_t count, batch = UINT32_MAX;
    keel_workload_node *nodes = nodes_of(world, workload, &count);
    qsort(nodes, count, sizeof *nodes, compare_nodes);
    for (uint32_t i = 0; i < count; ++i) {
        const keel_workload_node *node = &nodes[i];
        if (node->batch == KEEL_NO_NODE) continue;
        const char *begin = node->batch == batch ? " " : at ? "} {" : "{";
        batch = node->batch;
        at +=
            (size_t)snprintf(text + at, sizeof text - at, "%s%s%u", begin,
                             node->kind == KEEL_NODE_COMMANDS ? "c" : "", (unsigned)node->position);
        assert_true(at < sizeof text - 4);
    }
    if (at) strcpy(text + at, "}");
    free(nodes);
    if (!at) assert_no_error(world);
    assert_string_equal(text, expected);
}

static uint32_t index_of(const keel_workload_node *nodes, uint32_t count, uint32_t position) {
    for (uint32_t i = 0; i < count; ++i)
        if (nodes[i].kind == KEEL_NODE_SYSTEM && nodes[i].position == position) return i;
    fail_msg("no system %u", (unsigned)position);
    return 0;
}

const keel_workload_node *kept_out_by(keel_world *world, const keel_workload *workload,
                                      uint32_t position, keel_workload_node *node) {
    static keel_workload_node other;
    uint32_t count;
    keel_workload_node *nodes = nodes_of(world, workload, &count);
    *node = nodes[index_of(nodes, count, position)];
    const bool found = node->other != KEEL_NO_NODE;
    assert_int_equal(found, node->why.kind != KEEL_WAIT_NONE);
    if (found) {
        assert_true(node->other < count);
        other = nodes[node->other];
        assert_int_equal(other.batch + 1, node->batch);
    }
    free(nodes);
    return found ? &other : NULL;
}

void assert_waits_for(keel_world *world, const keel_workload *workload, uint32_t position,
                      const char *expected) {
    char text[256] = "";
    size_t at = 0;
    uint32_t count;
    keel_workload_node *nodes = nodes_of(world, workload, &count);
    const uint32_t edge_count = keel_world_workload_edges(world, workload, NULL, 0);
    keel_workload_edge *edges = calloc(edge_count + 1, sizeof *edges);
    assert_non_null(edges);
    assert_int_equal(keel_world_workload_edges(world, workload, edges, edge_count), edge_count);
    const uint32_t to = index_of(nodes, count, position);
    for (uint32_t e = 0; e < edge_count; ++e) {
        assert_true(edges[e].from < edges[e].to && edges[e].to < count);
        assert_true(edges[e].why.kind != KEEL_WAIT_NONE);
        if (e)
            assert_true(edges[e - 1].from < edges[e].from ||
                        (edges[e - 1].from == edges[e].from && edges[e - 1].to < edges[e].to));
        if (edges[e].to == to)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%u", at ? " " : "",
                                   (unsigned)nodes[edges[e].from].position);
    }
    free(edges);
    free(nodes);
    assert_string_equal(text, expected);
}

// ------------------------------------------------------------------ when systems ran
static atomic_uint clock_now;
static struct { atomic_uint times, begun, ended; } marks[256];

void forget_marks(void) {
    for (int i = 0; i < 256; ++i)
        atomic_store(&marks[i].times, 0);
}

void mark(char letter) {
    const unsigned char i = (unsigned char)letter;
    atomic_store(&marks[i].begun, atomic_fetch_add(&clock_now, 1));
    atomic_fetch_add(&marks[i].times, 1);
    for (int turn = 0; turn < 20; ++turn)
        (void)sched_yield();
    atomic_store(&marks[i].ended, atomic_fetch_add(&clock_now, 1));
}

uint32_t times_marked(char letter) { return atomic_load(&marks[(unsigned char)letter].times); }

void assert_marks(const char *letters, const char *order) {
    for (int i = 1; i < 256; ++i) {
        const uint32_t times = times_marked((char)i);
        const uint32_t expected = strchr(letters, i) != NULL;
        if (times != expected)
            fail_msg("'%c' ran %u times, expected %u", i, (unsigned)times, (unsigned)expected);
    }
    for (const char *pair = order; *pair; pair += pair[2] ? 3 : 2) {
        const unsigned char first = (unsigned char)pair[0], second = (unsigned char)pair[1];
        assert_true(times_marked(pair[0]) && times_marked(pair[1]));
        if (atomic_load(&marks[first].ended) > atomic_load(&marks[second].begun))
            fail_msg("'%c' began before '%c' had ended", second, first);
    }
    forget_marks();
}

void assert_runs(keel_world *world, const keel_workload *workload, const char *letters,
                 const char *order) {
    forget_marks();
    if (keel_run_workload_of(world, workload, NULL) != KEEL_OK)
        fail_msg("%s", keel_last_error(world)->message);
    assert_marks(letters, order);
}

static const keel_term nothing[] = { { .kind = KEEL_TERM_END } };
#define SYSTEM(letter)                                                                             \
    static keel_result run_##letter(keel_context *context) {                                       \
        (void)context;                                                                             \
        mark(#letter[0]);                                                                          \
        return KEEL_OK;                                                                            \
    }                                                                                              \
    const keel_system mark_##letter = {                                                            \
        .name = #letter, .kind = KEEL_SYSTEM_PER_RUN, .function = run_##letter, .terms = nothing   \
    }
SYSTEM(a);
SYSTEM(b);
SYSTEM(c);
SYSTEM(d);
SYSTEM(e);
