// SPDX-License-Identifier: MIT
// A system that touches what it did not declare fails, in every build and on any number of threads.
#include "support/api_types.h"

#include <string.h>

typedef struct A {
    uint32_t value;
} A;
typedef struct B {
    uint32_t value;
} B;
typedef struct Nobody {
    uint32_t value;
} Nobody;
KEEL_COMPONENT(A);
KEEL_COMPONENT(B, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Nobody);
typedef struct Unheard {
    int value;
} Unheard;
KEEL_COMPONENT(Unheard); // that no world has met
typedef struct Hit {
    int power;
} Hit;
KEEL_EVENT(Hit);

enum { ENTITIES = 2000 };
static const uint32_t worker_counts[] = { 1, 2, 4 };
static keel_entity somebody; // has A and B
static uint32_t calls;
static bool ran_dependent, ran_other;

static void begin(api_fixture *f, uint32_t workers) {
    static A a[ENTITIES];
    static B b[ENTITIES];
    static keel_entity all[ENTITIES];
    api_begin_workers(f, workers);
    for (uint32_t i = 0; i < ENTITIES; ++i)
        b[i].value = i;
    assert_int_equal(
        keel_add_entities(f->world, ENTITIES, all, KEEL_COLUMN(A, a), KEEL_COLUMN(B, b)), KEEL_OK);
    somebody = all[5];
}

KEEL_SYSTEM_ONCE(looks_up, KEEL_CONTEXT(context), KEEL_COMMANDS(commands, Nobody)) {
    assert_null(keel_get(context, somebody, A));
    keel_add(commands, somebody, Nobody); // dropped with the rest of what it did
}
KEEL_SYSTEM_ONCE(looks_up_unheard, KEEL_CONTEXT(context)) {
    assert_null(keel_get(context, somebody, Unheard));
}
KEEL_SYSTEM_ONCE(looks_up_with_all, KEEL_CONTEXT(context), KEEL_WORLD(world)) {
    (void)world;
    assert_null(keel_get(context, somebody, Unheard));
}
KEEL_SYSTEM_ONCE(writes, KEEL_CONTEXT(context), KEEL_MAY_READ(A)) {
    assert_null(keel_get_mut(context, somebody, A));
}
KEEL_SYSTEM_ONCE(edits, KEEL_CONTEXT(context), KEEL_MAY_WRITE(A)) {
    assert_int_equal(keel_add(context, somebody, A), KEEL_ERROR_ACCESS);
}
KEEL_SYSTEM_ONCE(opens, KEEL_CONTEXT(context)) {
    KEEL_EACH(context, KEEL_READ(A, a)) {
        (void)a;
        fail_msg("it did not declare that");
    }
}
KEEL_SYSTEM_ONCE(records, KEEL_COMMANDS(commands, B)) {
    assert_int_equal(keel_add(commands, somebody, A), KEEL_ERROR_ACCESS);
}
KEEL_SYSTEM_ONCE(sends, KEEL_CONTEXT(context)) {
    assert_int_equal(keel_send(context, Hit, { 1 }), KEEL_ERROR_ACCESS);
}
KEEL_SYSTEM_ONCE(asks_for_the_world, KEEL_CONTEXT(context)) {
    assert_null(keel_context_world(context));
}
KEEL_SYSTEM(looks_up_in_loop, KEEL_READ(B, b), KEEL_CONTEXT(context)) {
    if (b->value % 8 != 7) return;
    ++calls;
    assert_null(keel_get(context, somebody, A));
}
KEEL_SYSTEM(looks_up_in_pieces, KEEL_READ(B, b), KEEL_CONTEXT(context)) {
    if (b->value < 700 || keel_get(context, somebody, A)) return;
}
static void look_up_in_piece(uint32_t begin_at, uint32_t end_at, const keel_piece *piece,
                             void *data) {
    (void)piece;
    if (begin_at <= 700 && 700 < end_at) assert_null(keel_get((keel_context *)data, somebody, A));
}
KEEL_SYSTEM_ONCE(loops_by_call, KEEL_CONTEXT(context)) {
    assert_int_equal(keel_parallel_for(context, 2000, 50, look_up_in_piece, context), KEEL_OK);
}
KEEL_SYSTEM_ONCE(depends, KEEL_MAY_READ(Nobody)) { ran_dependent = true; }
KEEL_SYSTEM_ONCE(does_not_depend, KEEL_UNIQUE_READ(Time, t)) {
    (void)t;
    ran_other = true;
}

static const keel_step ways[] = {
    KEEL_STEP(looks_up),
    KEEL_STEP(writes),
    KEEL_STEP(edits),
    KEEL_STEP(opens),
    KEEL_STEP(records),
    KEEL_STEP(sends),
    KEEL_STEP(asks_for_the_world),
    KEEL_STEP(looks_up_in_loop),
    KEEL_STEP(looks_up_in_pieces),
    KEEL_STEP(looks_up_in_pieces, .parallel = true),
    KEEL_STEP(loops_by_call),
};

static void check_way(keel_world *world, const keel_step *way) {
    const keel_step steps[] = { *way, KEEL_STEP(depends, .after = way->system->name),
                                KEEL_STEP(does_not_depend) };
    const keel_workload workload = { "denied", steps, sizeof steps / sizeof *steps, NULL };
    for (uint32_t round = 0; round < 3; ++round) {
        ran_dependent = ran_other = false;
        calls = 0;
        const keel_result result = keel_run_workload_of(world, &workload, NULL);
        if (result != KEEL_ERROR_ACCESS)
            fail_msg("%s: %s", way->system->name, keel_result_text(result));
        assert_true(ran_other && !ran_dependent);
        assert_string_equal(keel_last_error(world)->system, way->system->name);
        assert_error(world, KEEL_ERROR_ACCESS, NULL);
        assert_in_range(calls, 0, 64); // it ends soon, not after as many errors as entities
    }
    const keel_result alone =
        way->parallel
            ? keel_run_system(world, way->system,
                              &(keel_run_desc){ .data = NULL, .data_size = 0, .parallel = true })
            : keel_run_system(world, way->system, &(keel_run_desc){ .data = NULL, .data_size = 0 });
    assert_int_equal(alone, KEEL_ERROR_ACCESS);
    assert_error(world, KEEL_ERROR_ACCESS, NULL);
    assert_int_equal(keel_count(world, Nobody), 0); // what it recorded was dropped
    assert_int_equal(keel_event_count(world, Hit), 0);
}

static void what_was_not_declared_fails_the_run(void **state) {
    (void)state;
    for (uint32_t w = 0; w < 3; ++w)
        for (uint32_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
            api_fixture f;
            begin(&f, worker_counts[w]);
            assert_int_equal(keel_set_unique(f.world, Time, { 0 }), KEEL_OK);
            check_way(f.world, &ways[i]);
            assert_int_equal(keel_run(f.world, does_not_depend), KEEL_OK); // all is given back
            assert_int_equal(keel_add(f.world, somebody, Nobody), KEEL_OK);
            api_end(&f);
        }
}

// A view of the world's owner fails by itself: there is no run.
static void a_view_outside_of_systems_fails_nothing_else(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 1);
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_READ(B, b)), "here"), KEEL_OK);
    assert_null(keel_get(&view, somebody, A));
    keel_view_end(&view);
    assert_error(f.world, KEEL_ERROR_ACCESS, "'A'");
    assert_int_equal(keel_set_unique(f.world, Time, { 0 }), KEEL_OK);
    assert_int_equal(keel_run(f.world, does_not_depend), KEEL_OK);
    api_end(&f);
}

static void what_the_world_never_met_is_not_declared_either(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 1);
    assert_int_equal(keel_run(f.world, looks_up_unheard), KEEL_ERROR_ACCESS);
    assert_error(f.world, KEEL_ERROR_ACCESS, "KEEL_MAY_READ(Unheard)");
    assert_int_equal(keel_run(f.world, looks_up_with_all), KEEL_OK);
    api_end(&f);
}

// What a system declared with too little access: the message names the way out, and not a parameter
// that cannot stand beside the one that is there.
KEEL_SYSTEM(adds_what_it_reads, KEEL_READ(Number, n), KEEL_CONTEXT(context)) {
    (void)n;
    keel_add_entity(context, KEEL_INIT(Number, { 1 }));
}
KEEL_SYSTEM(deletes_what_it_reads, KEEL_READ(Number, n), KEEL_ENTITY(e), KEEL_CONTEXT(context)) {
    (void)n;
    keel_delete(context, e, Number);
}
KEEL_SYSTEM(writes_what_it_reads, KEEL_READ(Number, n), KEEL_ENTITY(e), KEEL_CONTEXT(context)) {
    (void)n;
    (void)keel_get_mut(context, e, Number);
}

static void too_little_access_is_named(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    assert_int_equal(keel_run(f.world, adds_what_it_reads), KEEL_ERROR_ACCESS);
    assert_error(f.world, KEEL_ERROR_ACCESS,
                 "did not declare to edit; record the edit (KEEL_COMMANDS)");
    assert_int_equal(keel_run(f.world, deletes_what_it_reads), KEEL_ERROR_ACCESS);
    assert_error(f.world, KEEL_ERROR_ACCESS,
                 "did not declare to edit; record the edit (KEEL_COMMANDS)");
    assert_int_equal(keel_run(f.world, writes_what_it_reads), KEEL_ERROR_ACCESS);
    assert_error(f.world, KEEL_ERROR_ACCESS,
                 "declared only to read it; replace that parameter by KEEL_WRITE");
    assert_int_equal(keel_count(f.world, Number), 1);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(too_little_access_is_named,
         "a system that declared too little access is told how to edit or write"),
    TEST(what_the_world_never_met_is_not_declared_either,
         "looking up a component that no world has met is an undeclared access, too"),
    TEST(what_was_not_declared_fails_the_run,
         "an undeclared access fails the run, in every build and on any number of threads (B5)"),
    TEST(a_view_outside_of_systems_fails_nothing_else,
         "an undeclared access through a view of ordinary code fails no run (B5)"),
};

int main(void) { return RUN(tests); }
