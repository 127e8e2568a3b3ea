// SPDX-License-Identifier: MIT
// What a workload was made of changes between its runs: tables made by hand, on the stack, nested
// or stored; components; and memory that runs out at each allocation.
#include "support/schedule_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ tables
static void change_tables(api_fixture *f) {
    keel_world *w = f->world;
    keel_step steps[3] = { { MARK(a) }, { MARK(b) }, { MARK(c) } };
    keel_workload all = WORKLOAD("all", steps);
    assert_runs(w, &all, "abc", "");
    steps[0].system = &mark_d; // another system
    assert_runs(w, &all, "bcd", "");
    steps[1].after = "c"; // an option
    assert_runs(w, &all, "bcd", "cb");
    char name[8] = "c";
    steps[1].after = name;
    assert_runs(w, &all, "bcd", "cb");
    strcpy(name, "d"); // a text
    assert_runs(w, &all, "bcd", "db");
    assert_waits_for(w, &all, 1, "0");
    all.step_count = 1; // the length
    assert_runs(w, &all, "d", "");
    all.step_count = 3;
    keel_step others[] = { { MARK(e) }, { MARK(e), .label = "x" } };
    const keel_workload nested = WORKLOAD("nested", others);
    steps[2] = (keel_step){ .workload = &nested };
    others[1].system = &mark_a;
    assert_runs(w, &all, "abde", "db");
    others[1] = (keel_step){ MARK(c), .after = "e" }; // in a nested one
    assert_runs(w, &all, "bcde", "db ec");
    keel_system system = mark_a; // a system of its own
    keel_term terms[] = { { .kind = KEEL_TERM_MAY_READ, .component = KEEL_OF(Number) },
                          { .kind = KEEL_TERM_END } };
    system.terms = terms;
    others[0] = (keel_step){ .system = &system };
    others[1] = (keel_step){ .system = &system };
    assert_int_equal(keel_run_workload_of(w, &nested, NULL), KEEL_OK);
    assert_batches(w, &nested, "{0 1}");
    terms[0].kind = KEEL_TERM_MAY_WRITE; // its access
    assert_batches(w, &nested, "{0} {1}");
    assert_int_equal(keel_run_workload_of(w, &nested, NULL), KEEL_OK);
    const keel_component *more[] = { NULL, NULL };
    const keel_term other[] = { { .kind = KEEL_TERM_MAY_WRITE, .component = KEEL_OF(Other) },
                                { .kind = KEEL_TERM_END } };
    keel_system second = mark_b;
    second.terms = other;
    others[1].system = &second;
    terms[0].others = more;
    assert_batches(w, &nested, "{0 1}");
    more[0] = KEEL_OF(Other); // a list that goes on
    assert_batches(w, &nested, "{0} {1}");
    forget_marks();
}

static void a_table_made_by_hand_may_change(void **state) {
    (void)state;
    with_workers(change_tables);
}

// Always at the same place on the stack, or nearly.
static void run_one(keel_world *w, const keel_system *system, uint32_t count, char letter) {
    keel_step steps[4] = { { 0 } };
    for (uint32_t i = 0; i < count; ++i)
        steps[i] = (keel_step){ .system = system, .after = i ? "first" : NULL };
    steps[0].label = "first";
    const keel_workload here = { .name = "here", .steps = steps, .step_count = count };
    forget_marks();
    assert_int_equal(keel_run_workload_of(w, &here, NULL), KEEL_OK);
    assert_int_equal(times_marked(letter), count);
}

// Memory that helpers take when they work for the first time, whenever that is. Two hundred runs
// that are not forgotten take five times as much.
enum { SLACK = 4 * 65536 };

static void change_the_stack(api_fixture *f) {
    const keel_system *const systems[] = { &mark_a, &mark_b, &mark_c };
    size_t bytes = 0;
    for (uint32_t i = 0; i < 1500; ++i) {
        run_one(f->world, systems[i % 3], 1 + i % 4, (char)('a' + i % 3));
        if (i == 700) bytes = f->memory.live_bytes;
    }
    assert_true(f->memory.live_bytes <= bytes + SLACK);
    forget_marks();
}

static void tables_on_the_stack_come_and_go(void **state) {
    (void)state;
    with_workers(change_the_stack);
}

static void make_at_run_time(api_fixture *f) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < 600; ++i) { // each table at an address of its own, and gone afterwards
        keel_step *steps = calloc(i + 1, sizeof *steps);
        keel_workload *all = calloc(1, sizeof *all);
        assert_true(steps && all);
        for (uint32_t k = 0; k < 1 + i % 5; ++k)
            steps[k] = (keel_step){ .system = k % 2 ? &mark_a : &mark_b };
        *all = (keel_workload){ .name = "all", .steps = steps, .step_count = 1 + i % 5 };
        forget_marks();
        assert_int_equal(keel_run_workload_of(f->world, all, NULL), KEEL_OK);
        assert_int_equal(times_marked('a') + times_marked('b'), 1 + i % 5);
        memset(steps, 0xEE, (i + 1) * sizeof *steps);
        memset(all, 0xEE, sizeof *all);
        free(steps);
        free(all);
        if (i == 400) bytes = f->memory.live_bytes;
    }
    assert_true(f->memory.live_bytes <= bytes + SLACK); // what was not used for long is forgotten
    forget_marks();
}

static void tables_made_at_run_time_may_be_freed(void **state) {
    (void)state;
    with_workers(make_at_run_time);
}

// ------------------------------------------------------------------ stored ones
static void change_stored(api_fixture *f) {
    keel_world *w = f->world;
    assert_int_equal(keel_add_step(w, "inner", { MARK(a) }), KEEL_OK);
    assert_int_equal(keel_add_step(w, "frame", { .workload_name = "inner", .after = "b" }),
                     KEEL_OK);
    assert_int_equal(keel_add_step(w, "frame", { MARK(b) }), KEEL_OK);
    const keel_step steps[] = { { .workload_name = "inner" }, { MARK(c) } };
    const keel_workload table = WORKLOAD("table", steps); // names one, and is none
    for (int round = 0; round < 3; ++round) {
        assert_int_equal(keel_run_named(w, "frame"), KEEL_OK);
        assert_marks("ab", "ba");
        assert_runs(w, &table, "ac", "");
        assert_int_equal(keel_add_step(w, "inner", { MARK(d), .before = "a" }), KEEL_OK);
        assert_int_equal(keel_run_named(w, "frame"), KEEL_OK);
        assert_marks("abd", "ba bd da");
        assert_runs(w, &table, "acd", "da");
        assert_int_equal(keel_remove_workload(w, "inner"), KEEL_OK);
        assert_int_equal(keel_run_named(w, "frame"), KEEL_ERROR_UNKNOWN);
        assert_error(w, KEEL_ERROR_UNKNOWN, "'inner'; there is: frame");
        assert_int_equal(keel_run_workload_of(w, &table, NULL), KEEL_ERROR_UNKNOWN);
        assert_error(w, KEEL_ERROR_UNKNOWN, "'inner'");
        assert_int_equal(keel_world_workload_nodes(w, keel_find_workload(w, "frame"), NULL, 0), 0);
        assert_error(w, KEEL_ERROR_UNKNOWN, "'inner'");
        assert_marks("", "");
        assert_int_equal(keel_add_step(w, "inner", { MARK(a) }), KEEL_OK);
    }
    assert_int_equal(keel_remove_workload(w, "frame"), KEEL_OK);
    assert_int_equal(keel_run_named(w, "frame"), KEEL_ERROR_UNKNOWN);
    keel_clear_errors(w);
}

static void stored_workloads_change_between_runs(void **state) {
    (void)state;
    with_workers(change_stored);
}

static void store_many(api_fixture *f) {
    enum { COUNT = 600 };
    keel_world *w = f->world;
    char name[16];
    for (uint32_t round = 0; round < 2; ++round)
        for (uint32_t i = 0; i < COUNT; ++i) {
            snprintf(name, sizeof name, "stored %u", (unsigned)i);
            if (!round)
                assert_int_equal(keel_add_step(w, name, { MARK(a), .startup = true }), KEEL_OK);
            assert_int_equal(keel_run_named(w, name), KEEL_OK);
        }
    assert_int_equal(times_marked('a'), COUNT); // what was started up is not forgotten
    const size_t bytes = f->memory.live_bytes;
    for (uint32_t i = 0; i < COUNT; ++i) {
        snprintf(name, sizeof name, "stored %u", (unsigned)i);
        assert_int_equal(keel_remove_workload(w, name), KEEL_OK);
    }
    assert_true(f->memory.live_bytes < bytes / 2); // but with the workload
    forget_marks();
    for (int round = 0; round < 3; ++round) {
        assert_int_equal(keel_add_step(w, "again", { MARK(a), .startup = true }), KEEL_OK);
        assert_int_equal(keel_run_named(w, "again"), KEEL_OK);
        assert_int_equal(keel_remove_workload(w, "again"), KEEL_OK);
    }
    assert_int_equal(times_marked('a'), 3);
    forget_marks();
}

static void many_stored_workloads_are_kept(void **state) {
    (void)state;
    with_workers(store_many);
}

// ------------------------------------------------------------------ components
typedef struct Made {
    uint32_t value;
} Made;
static const keel_component *made;
static uint32_t sum;
static keel_result add_up(keel_context *context) {
    keel_view view;
    const keel_term terms[] = { { .kind = KEEL_TERM_READ, .component = made },
                                { .kind = KEEL_TERM_END } };
    KEEL_TRY(keel_view_begin(&view, context, terms, "add up"));
    sum = keel_view_count(&view);
    keel_view_end(&view);
    return KEEL_OK;
}

static void change_components(api_fixture *f) {
    keel_world *w = f->world;
    const keel_component description = { .name = "Made", .size = 4, .align = 4 };
    keel_term terms[] = { { .kind = KEEL_TERM_MAY_READ }, { .kind = KEEL_TERM_END } };
    const keel_system system = {
        .name = "add_up", .kind = KEEL_SYSTEM_PER_RUN, .function = add_up, .terms = terms
    };
    const keel_step steps[] = { { .system = &system }, { MARK(a), .startup = true } };
    const keel_workload all = WORKLOAD("all", steps);
    for (uint32_t round = 0; round < 5; ++round) {
        made = keel_register_component(w, &description);
        assert_non_null(made);
        terms[0].component = made;
        const keel_entity e = keel_add_entity(w);
        for (uint32_t k = 0; k <= round; ++k) {
            const Made value = { k };
            assert_int_equal(keel_add_component(w, keel_add_entity(w), made, &value), KEEL_OK);
            assert_int_equal(keel_run_workload_of(w, &all, NULL), KEEL_OK);
            assert_int_equal(sum, k + 1);
        }
        (void)keel_delete_entity(w, e);
        assert_int_equal(keel_unregister_component(w, made), KEEL_OK);
    }
    forget_marks();
}

static void components_come_and_go_between_runs(void **state) {
    (void)state;
    with_workers(change_components);
}

// ------------------------------------------------------------------ memory
KEEL_SYSTEM(grow, KEEL_WRITE(Number, n), KEEL_COMMANDS(c, Other)) {
    ++n->value;
    (void)keel_add_entity(c, KEEL_INIT(Other, { n->value }));
}
KEEL_SYSTEM(mark_odd, KEEL_READ(Number, n), KEEL_ENTITY(e), KEEL_COMMANDS(c)) {
    if (n->value % 2) (void)keel_add(c, e, Third, { n->value });
}
KEEL_CONDITION(has_others, KEEL_MAY_READ(Other), KEEL_CONTEXT(context), KEEL_COMMANDS(c, Third)) {
    (void)c;
    uint32_t count = 0;
    KEEL_EACH(context, KEEL_READ(Other, o))
        count += o->value != 0;
    return count > 0;
}
KEEL_SYSTEM(halve, KEEL_WRITE(Other, o)) { o->value /= 2; }
KEEL_SYSTEM_ONCE(compact, KEEL_WORLD(world)) { (void)keel_delete_entities_having(world, Third); }
KEEL_WORKLOAD(later, KEEL_STEP(halve, .parallel = true), KEEL_STEP(mark_odd, .after = "halve"));
KEEL_WORKLOAD(everything, KEEL_STEP(grow, .label = "first"),
              KEEL_NESTED(later, .run_if = KEEL_IF(has_others), .sequential = true), KEEL_BARRIER,
              KEEL_STEP(compact, .skip_if_empty = KEEL_OF(Third), .after_all = "first"));

static void fill(keel_world *world) {
    for (uint32_t i = 0; i < 40; ++i)
        assert_false(keel_is_null(keel_add_entity(world, KEEL_INIT(Number, { i }))));
}

// Run until nothing is missing; what a run did that lacked memory is not compared, but the world is
// in order and goes on.
static void run_out_of_memory(uint32_t workers, bool stored) {
    bool done = false;
    for (size_t n = 0; !done; n += test_stride()) {
        api_fixture f;
        api_begin_workers(&f, workers);
        fill(f.world);
        if (stored) assert_int_equal(keel_add_workload(f.world, everything), KEEL_OK);
        counting_allocator_fail_after(&f.memory, n);
        for (int run = 0; run < 3; ++run) {
            const keel_result result = stored ? keel_run_named(f.world, "everything")
                                              : keel_run_workload(f.world, everything);
            done = result == KEEL_OK;
            if (done) continue;
            const keel_error error = *keel_first_error(f.world);
            keel_clear_errors(f.world);
            if (result != KEEL_ERROR_MEMORY && result != KEEL_ERROR_SYSTEM)
                fail_msg("allocation %u: %s", (unsigned)n, error.message);
            assert_int_not_equal(error.result, KEEL_OK);
            break;
        }
        counting_allocator_never_fail(&f.memory);
        keel_clear_errors(f.world);
        assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
        for (int run = 0; run < 2; ++run)
            if (keel_run_workload(f.world, everything) != KEEL_OK)
                fail_msg("allocation %u: %s", (unsigned)n, keel_last_error(f.world)->message);
        assert_no_error(f.world);
        api_end(&f);
        if (workers > 1) n += n / 32; // what comes next depends on time there
    }
}

static void memory_may_run_out_anywhere(void **state) {
    (void)state;
    run_out_of_memory(1, false);
    run_out_of_memory(1, true);
    run_out_of_memory(2, false);
    run_out_of_memory(4, true);
}

// One allocation fails, and then there is memory again.
static void lack_memory_once(uint32_t workers) {
    bool failed = true;
    for (size_t n = 0; failed; n += test_stride()) {
        api_fixture f;
        api_begin_workers(&f, workers);
        fill(f.world);
        counting_allocator_fail_once(&f.memory, n);
        for (int run = 0; run < 3; ++run)
            (void)keel_run_workload(f.world, everything);
        failed = f.memory.failures > 0;
        counting_allocator_never_fail(&f.memory);
        keel_clear_errors(f.world);
        assert_int_equal(keel_run_workload(f.world, everything), KEEL_OK);
        assert_no_error(f.world);
        api_end(&f);
        if (workers > 1) n += n / 32;
    }
}

static void memory_may_be_short_for_a_moment(void **state) {
    (void)state;
    lack_memory_once(1);
    lack_memory_once(2);
    lack_memory_once(4);
}

// ------------------------------------------------------------------ while it runs
static uint32_t starts, fresh, looks, deep;
KEEL_SYSTEM_ONCE(start) { ++starts; }
KEEL_SYSTEM(see_fresh, KEEL_INSERTED(Number)) { ++fresh; }
static keel_result look_at_itself(keel_context *context);
static const keel_term whole_world[] = { { .kind = KEEL_TERM_MAY_EDIT_WORLD },
                                         { .kind = KEEL_TERM_END } };
static const keel_system look = {
    .name = "look", .kind = KEEL_SYSTEM_PER_RUN, .function = look_at_itself, .terms = whole_world
};
static const keel_step own_steps[] = { { .system = &KEEL_SYSTEM_start, .startup = true },
                                       { .system = &KEEL_SYSTEM_see_fresh },
                                       { .system = &look } };
static const keel_workload own = WORKLOAD("own", own_steps);
static keel_result look_at_itself(keel_context *context) {
    keel_world *world = keel_context_world(context);
    keel_workload_node nodes[8];
    ++looks;
    if (looks == 2) {
        ++deep;
        assert_int_equal(keel_run_workload_of(world, &own, NULL), KEEL_OK);
        --deep;
    }
    const uint32_t count = deep ? 3 : keel_world_workload_nodes(world, &own, nodes, 8);
    return count == 3 ? KEEL_OK : KEEL_ERROR_COUNT;
}

// Whoever asks gets another plan, as that of the run is in use; the next run takes its own again.
static void look_while_running(api_fixture *f) {
    starts = fresh = looks = 0;
    (void)keel_add_entity(f->world, KEEL_INIT(Number, { 1 }));
    for (uint32_t i = 0; i < 5; ++i)
        assert_int_equal(keel_run_workload_of(f->world, &own, NULL), KEEL_OK);
    assert_int_equal(looks, 6);
    assert_int_equal(starts, 1);
    assert_int_equal(fresh, 2); // and once in the run inside of a run, which saw nothing before
}

static void a_workload_may_be_looked_at_while_it_runs(void **state) {
    (void)state;
    with_workers(look_while_running);
}

static const struct CMUnitTest tests[] = {
    TEST(a_table_made_by_hand_may_change, "a table made by hand may change between runs"),
    TEST(tables_on_the_stack_come_and_go, "tables on the stack come and go"),
    // proves S-64
    TEST(tables_made_at_run_time_may_be_freed, "tables made at run time may be freed"),
    // proves S-60 S-64
    TEST(stored_workloads_change_between_runs, "stored workloads change between runs"),
    // proves S-60
    TEST(many_stored_workloads_are_kept, "many stored workloads are kept, removed ones are not"),
    TEST(components_come_and_go_between_runs, "components come and go between runs"),
    // proves S-64
    TEST(a_workload_may_be_looked_at_while_it_runs,
         "a workload may be explained, and run, while it runs"),
    TEST(memory_may_run_out_anywhere, "memory may run out at each allocation of a run"),
    TEST(memory_may_be_short_for_a_moment, "memory may be short for a moment"),
};

int main(void) { return RUN(tests); }
