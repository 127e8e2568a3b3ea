// SPDX-License-Identifier: MIT
// Workloads of very many systems: they are built and run, and nothing grows with the square of
// their number.
#include "support/job_watch.h"
#include "support/schedule_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
// Each system that ran keeps its bound terms.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(HAS_SANITIZER)
enum { MOST = 20000, MOST_RUN = 5000 };
#elif defined(NDEBUG)
enum { MOST = 100000, MOST_RUN = 100000 };
#else
enum { MOST = 100000, MOST_RUN = 10000 };
#endif
static uint32_t many, many_run; // steps of a list, and of one that is run: these or fewer

// ------------------------------------------------------------------ values that tell the order
#define CELL(T)                                                                                    \
    typedef struct T {                                                                             \
        uint64_t v;                                                                                \
    } T;                                                                                           \
    KEEL_UNIQUE(T)
CELL(U0);
CELL(U1);
CELL(U2);
CELL(U3);

#define MIX(to, from, n) ((to)*31 + (from) + (n))
KEEL_SYSTEM_ONCE(mix_0, KEEL_UNIQUE_WRITE(U0, a), KEEL_UNIQUE_READ(U1, b)) {
    a->v = MIX(a->v, b->v, 0);
}
KEEL_SYSTEM_ONCE(mix_1, KEEL_UNIQUE_WRITE(U1, a), KEEL_UNIQUE_READ(U2, b)) {
    a->v = MIX(a->v, b->v, 1);
}
KEEL_SYSTEM_ONCE(mix_2, KEEL_UNIQUE_WRITE(U2, a), KEEL_UNIQUE_READ(U3, b)) {
    a->v = MIX(a->v, b->v, 2);
}
KEEL_SYSTEM_ONCE(mix_3, KEEL_UNIQUE_WRITE(U3, a), KEEL_UNIQUE_READ(U0, b)) {
    a->v = MIX(a->v, b->v, 3);
}
KEEL_SYSTEM_ONCE(look, KEEL_UNIQUE_READ(U0, a), KEEL_UNIQUE_READ(U2, b)) { (void)a, (void)b; }
static const keel_system *const kinds[] = { &KEEL_SYSTEM_mix_0, &KEEL_SYSTEM_mix_1,
                                            &KEEL_SYSTEM_mix_2, &KEEL_SYSTEM_mix_3,
                                            &KEEL_SYSTEM_look,  &KEEL_SYSTEM_look };

static uint32_t kind_of(uint32_t i) { return (i * 2654435769u >> 16) % 6; }

static keel_workload make_many(keel_step **steps, uint32_t count) {
    *steps = calloc(count, sizeof **steps);
    assert_non_null(*steps);
    for (uint32_t i = 0; i < count; ++i)
        (*steps)[i].system = kinds[kind_of(i)];
    return (keel_workload){ .name = "many", .steps = *steps, .step_count = count };
}

static void set_cells(keel_world *w) {
    assert_int_equal(keel_set_unique(w, U0, { 1 }), KEEL_OK);
    assert_int_equal(keel_set_unique(w, U1, { 2 }), KEEL_OK);
    assert_int_equal(keel_set_unique(w, U2, { 3 }), KEEL_OK);
    assert_int_equal(keel_set_unique(w, U3, { 4 }), KEEL_OK);
}

static void assert_cells(keel_world *w, uint32_t count, int runs) {
    uint64_t v[4] = { 1, 2, 3, 4 };
    while (runs--)
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t k = kind_of(i);
            if (k < 4) v[k] = MIX(v[k], v[(k + 1) % 4], k);
        }
    assert_true(keel_get_unique(w, U0)->v == v[0] && keel_get_unique(w, U1)->v == v[1] &&
                keel_get_unique(w, U2)->v == v[2] && keel_get_unique(w, U3)->v == v[3]);
}

static void run_many(api_fixture *f) {
    keel_step *steps;
    keel_workload all = make_many(&steps, many);
    set_cells(f->world);
    assert_int_equal(keel_world_workload_nodes(f->world, &all, NULL, 0), many);
    assert_true(keel_world_workload_edges(f->world, &all, NULL, 0) < 6 * many);
    all.step_count = many_run;
    for (int run = 1; run <= 2; ++run) {
        assert_int_equal(keel_run_workload_of(f->world, &all, NULL), KEEL_OK);
        assert_cells(f->world, many_run, run);
    }
    assert_in_range(f->memory.live_bytes, 0, many * 850u + many_run * 850u + 2000000);
    free(steps);
}

static void a_hundred_thousand_systems_run_in_order(void **state) {
    (void)state;
    with_workers(run_many);
}

// ------------------------------------------------------------------ shapes that tempt to square
KEEL_SYSTEM_ONCE(reads, KEEL_MAY_READ(Number)) {}
KEEL_SYSTEM_ONCE(writes, KEEL_MAY_WRITE(Number)) {}
KEEL_SYSTEM_ONCE(takes_all, KEEL_WORLD(world)) { (void)world; }
KEEL_SYSTEM_ONCE(free_of_all) {}

static uint32_t edges_of(keel_world *world, const keel_step *steps, uint32_t count) {
    const keel_workload w = { .name = "shape", .steps = steps, .step_count = count };
    const uint32_t edges = keel_world_workload_edges(world, &w, NULL, 0);
    assert_int_equal(keel_world_workload_nodes(world, &w, NULL, 0),
                     count + (steps[0].workload ? steps[0].workload->step_count + 1 : 0));
    return edges;
}

static void build_shapes(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_step *steps = calloc(many, sizeof *steps);
    assert_non_null(steps);
    for (uint32_t i = 0; i < many; ++i) // readers, one writer in the middle
        steps[i].system = i == many / 2 ? &KEEL_SYSTEM_writes : &KEEL_SYSTEM_reads;
    assert_int_equal(edges_of(f.world, steps, many), many - 1);
    for (uint32_t i = 0; i < many; ++i) // two writers after each other, for each reader
        steps[i].system = i % 3 ? &KEEL_SYSTEM_writes : &KEEL_SYSTEM_reads;
    assert_int_equal(edges_of(f.world, steps, many), many - 1);
    for (uint32_t i = 0; i < many; ++i)
        steps[i].system = i == many / 2 ? &KEEL_SYSTEM_takes_all : &KEEL_SYSTEM_free_of_all;
    assert_int_equal(edges_of(f.world, steps, many), many - 1);
    for (uint32_t i = 0; i < many; ++i) // half of them before a barrier
        steps[i] = (keel_step){ .system = &KEEL_SYSTEM_free_of_all };
    steps[many / 2] = (keel_step){ .barrier = true };
    assert_int_equal(edges_of(f.world, steps, many), many - 1);
    steps[many / 2] = (keel_step){ .system = &KEEL_SYSTEM_free_of_all };
    const keel_workload inner = { .name = "inner", .steps = steps, .step_count = many };
    const keel_step around[] = { { .workload = &inner, .sequential = true } };
    assert_int_equal(edges_of(f.world, around, 1), 2 * many + many - 1);
    for (uint32_t i = 0; i < many; ++i) // all after one, and that one last in the list
        steps[i] = (keel_step){ .system = &KEEL_SYSTEM_free_of_all, .after = "mix_0" };
    steps[many - 1] = (keel_step){ .system = &KEEL_SYSTEM_mix_0 };
    assert_int_equal(edges_of(f.world, steps, many), many - 1);
    free(steps);
    api_end(&f);
}

KEEL_SYSTEM_ONCE(spawns, KEEL_COMMANDS(c, Number)) {
    (void)keel_add_entity(c, KEEL_INIT(Number, { 1 }));
}

static void spawn_many(api_fixture *f) {
    const uint32_t count = many_run < 20000 ? many_run / 4 : 20000;
    keel_step *steps = calloc(count, sizeof *steps);
    assert_non_null(steps);
    for (uint32_t i = 0; i < count; ++i)
        steps[i].system = &KEEL_SYSTEM_spawns;
    const keel_workload all = { .name = "all", .steps = steps, .step_count = count };
    for (uint32_t run = 1; run <= 2; ++run) {
        assert_int_equal(keel_run_workload_of(f->world, &all, NULL), KEEL_OK);
        assert_int_equal(keel_count(f->world, Number), run * count);
    }
    free(steps);
}

static void many_systems_that_create_wait_for_their_turns(void **state) {
    (void)state;
    with_workers(spawn_many);
}

static void change_many(void **state) {
    (void)state;
    api_fixture f;
    api_begin_workers(&f, 1);
    keel_step *steps;
    const keel_workload all = make_many(&steps, many_run / 2);
    assert_int_equal(keel_world_add_workload(f.world, &all), KEEL_OK);
    set_cells(f.world);
    assert_int_equal(keel_run_named(f.world, "many"), KEEL_OK);
    // what it knows is looked up for each system of the new list, where none is the same
    for (uint32_t i = 0; i < many_run / 2; ++i)
        steps[i].system = &KEEL_SYSTEM_free_of_all;
    assert_int_equal(keel_world_add_workload(f.world, &all), KEEL_OK);
    assert_int_equal(keel_run_named(f.world, "many"), KEEL_OK);
    assert_cells(f.world, many_run / 2, 1);
    free(steps);
    api_end(&f);
}

// ------------------------------------------------------------------ depth and names
// How long a world takes to prepare workloads that are nested so deep.
static uint64_t time_to_nest(uint32_t depth) {
    api_fixture f;
    api_begin_workers(&f, 1);
    keel_workload *lists = calloc(depth, sizeof *lists);
    keel_step *steps = calloc(depth, sizeof *steps);
    assert_true(lists && steps);
    for (uint32_t i = 0; i < depth; ++i) {
        lists[i] = (keel_workload){ .name = "deep", .steps = &steps[i], .step_count = 1 };
        if (i + 1 < depth) steps[i].workload = &lists[i + 1];
        else steps[i].system = &KEEL_SYSTEM_free_of_all;
    }
    const uint64_t begin = processor_time_ns();
    assert_int_equal(keel_world_workload_nodes(f.world, &lists[0], NULL, 0), 2 * depth - 1);
    const uint64_t took = processor_time_ns() - begin;
    steps[depth - 1] = (keel_step){ .workload = &lists[depth / 2] };
    assert_int_equal(keel_run_workload_of(f.world, &lists[0], NULL), KEEL_ERROR_CYCLE);
    assert_error(f.world, KEEL_ERROR_CYCLE, "'deep' contains itself");
    free(lists);
    free(steps);
    api_end(&f);
    return took;
}

// How long it takes to store so many workloads, to run them and to take them away.
static uint64_t time_to_store(uint32_t count) {
    api_fixture f;
    char name[16];
    api_begin_workers(&f, 1);
    const uint64_t begin = processor_time_ns();
    for (uint32_t i = 0; i < count; ++i) {
        snprintf(name, sizeof name, "%u", (unsigned)i);
        assert_int_equal(keel_add_step(f.world, name, KEEL_STEP(free_of_all)), KEEL_OK);
    }
    for (uint32_t i = 0; i < 2 * count; ++i) {
        snprintf(name, sizeof name, "%u", (unsigned)(i % count));
        assert_int_equal(keel_run_named(f.world, name), KEEL_OK);
    }
    assert_int_equal(keel_set_default_workload(f.world, "1"), KEEL_OK);
    for (uint32_t i = 0; i < count; ++i) {
        snprintf(name, sizeof name, "%u", (unsigned)i);
        assert_true(keel_find_workload(f.world, name) != NULL);
        assert_int_equal(keel_remove_workload(f.world, name), KEEL_OK);
        assert_false(keel_find_workload(f.world, name) != NULL);
    }
    const uint64_t took = processor_time_ns() - begin;
    api_end(&f);
    return took;
}

// 32 times as many take some 32 times as long, not 1,024 times, which caches and other programs do
// not blur.
static void assert_no_square(uint64_t (*time)(uint32_t count), uint32_t count) {
    for (int round = 0;; ++round) {
        const uint64_t few = time(count / 32), all = time(count);
        if (all <= 256 * few + 1000000) return;
        if (round == 3) fail_msg("%lu ns and %lu ns", (unsigned long)few, (unsigned long)all);
    }
}

static void depth_and_names_do_not_grow_with_the_square(void **state) {
    (void)state;
    assert_no_square(time_to_nest, many < 40000 ? many : 40000);
    assert_no_square(time_to_store, many < 16000 ? many : 16000);
}

static const struct CMUnitTest tests[] = {
    // proves S-61
    TEST(a_hundred_thousand_systems_run_in_order, "very many systems run in order"),
    TEST(build_shapes, "the number of edges follows the number of systems"),
    TEST(many_systems_that_create_wait_for_their_turns,
         "many systems that create entities get their turns"),
    TEST(change_many, "a long list is replaced by another"),
    TEST(depth_and_names_do_not_grow_with_the_square,
         "deep workloads and many stored ones cost no more each than a few"),
};

int main(void) {
    many = test_rounds(MOST);
    many_run = test_rounds(MOST_RUN);
    return RUN(tests);
}
