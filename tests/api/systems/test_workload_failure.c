// SPDX-License-Identifier: MIT
// What happens to the rest of a workload when something in it fails: the same for any number of
// workers. Each test runs with 1, 2 and 4.
#include "support/api_types.h"
#include "support/job_watch.h"

#include <stdatomic.h>
#include <string.h>

typedef struct A {
    uint32_t value;
} A;
typedef struct B {
    uint32_t value;
} B;
typedef struct C {
    uint32_t value;
} C;
typedef struct Nobody {
    uint32_t value;
} Nobody;
KEEL_COMPONENT(A);
KEEL_COMPONENT(B, .storage = KEEL_INDEXED);
KEEL_COMPONENT(C, .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(Nobody);

enum { MOST = 4000 };
static uint32_t entities; // fewer where all is slow: structures are checked after each edit
static const uint32_t worker_counts[] = { 1, 2, 4 };

// What ran: each system has a place of its own.
enum { PLACES = 16 };
static bool ran[PLACES];
static bool fails = true; // do the systems fail that can?

static void begin(api_fixture *f, uint32_t workers) {
    api_begin_workers(f, workers);
    static A a[MOST];
    static B b[MOST];
    static C c[MOST];
    entities = test_rounds(MOST) < 2000 ? 2000 : test_rounds(MOST); // some fail at 700
    for (uint32_t i = 0; i < entities; ++i) {
        a[i] = (A){ i };
        b[i] = (B){ i };
        c[i] = (C){ i };
    }
    assert_int_equal(keel_add_entities(f->world, entities, NULL, KEEL_COLUMN(A, a),
                                       KEEL_COLUMN(B, b), KEEL_COLUMN(C, c)),
                     KEEL_OK);
    memset(ran, 0, sizeof ran);
    fails = true;
}

// `expected`: a character for each place, from the first: '+' ran, '-' did not.
static void assert_ran(const char *expected) {
    char actual[PLACES + 1] = "";
    for (uint32_t i = 0; expected[i]; ++i)
        actual[i] = ran[i] ? '+' : '-';
    assert_string_equal(actual, expected);
    memset(ran, 0, sizeof ran);
}

static void fail_if(keel_context *context, const void *object, const char *why) {
    if (fails) keel_fail(context, object, "%s", why);
}

// ------------------------------------------------------------------ what is stopped
static const int the_object = 3;
KEEL_SYSTEM_ONCE(read_a_before, KEEL_MAY_READ(A)) { ran[0] = true; }
KEEL_SYSTEM_ONCE(spoil_a, KEEL_MAY_WRITE(A), KEEL_CONTEXT(context)) {
    wait_some_us(300); // others have time to overtake
    ran[1] = true;
    fail_if(context, &the_object, "a is spoilt");
}
KEEL_SYSTEM_ONCE(a_to_c, KEEL_MAY_READ(A), KEEL_MAY_WRITE(C)) { ran[2] = true; }
KEEL_SYSTEM_ONCE(read_c, KEEL_MAY_READ(C)) { ran[3] = true; }
KEEL_SYSTEM_ONCE(write_b, KEEL_MAY_WRITE(B)) {
    wait_some_us(100);
    ran[4] = true;
}
KEEL_SYSTEM_ONCE(read_b, KEEL_MAY_READ(B)) { ran[5] = true; }
KEEL_SYSTEM_ONCE(asked_to_wait, KEEL_UNIQUE_READ(Time, t)) {
    (void)t;
    ran[6] = true;
}
KEEL_SYSTEM_ONCE(touch_nothing, KEEL_UNIQUE_READ(Time, t)) {
    (void)t;
    ran[7] = true;
}
KEEL_WORKLOAD(spoils, KEEL_STEP(read_a_before), KEEL_STEP(spoil_a), KEEL_STEP(a_to_c),
              KEEL_STEP(read_c), KEEL_STEP(write_b), KEEL_STEP(read_b),
              KEEL_STEP(asked_to_wait, .after = "spoil_a"), KEEL_STEP(touch_nothing));

static void a_failure_stops_what_depends_on_it(void **state) {
    (void)state;
    for (uint32_t w = 0; w < 3; ++w) {
        api_fixture f;
        begin(&f, worker_counts[w]);
        assert_int_equal(keel_set_unique(f.world, Time, { 0 }), KEEL_OK);
        for (int i = 0; i < 3; ++i) {
            fails = true;
            assert_int_equal(keel_run_workload(f.world, spoils), KEEL_ERROR_SYSTEM);
            assert_ran("++--++-+");
            const keel_error error = *keel_first_error(f.world);
            keel_clear_errors(f.world);
            assert_string_equal(error.system, "spoil_a");
            assert_string_equal(error.message, "system 'spoil_a': a is spoilt");
            assert_ptr_equal(error.object, &the_object);
            fails = false; // the next run knows nothing of it
            assert_int_equal(keel_run_workload(f.world, spoils), KEEL_OK);
            assert_ran("++++++++");
            assert_no_error(f.world);
        }
        api_end(&f);
    }
}

// A step with a borrow that is refused is a failure like any other.
KEEL_SYSTEM_ONCE(needs_missing, KEEL_UNIQUE_READ(Time, t), KEEL_MAY_WRITE(A)) {
    (void)t;
    ran[0] = true;
}
KEEL_WORKLOAD(lacks, KEEL_STEP(needs_missing), KEEL_STEP(a_to_c), KEEL_STEP(write_b));

static void a_step_that_cannot_start_fails(void **state) {
    (void)state;
    for (uint32_t w = 0; w < 3; ++w) {
        api_fixture f;
        begin(&f, worker_counts[w]);
        assert_int_equal(keel_run_workload(f.world, lacks), KEEL_ERROR_MISSING_UNIQUE);
        assert_ran("----+");
        assert_error(f.world, KEEL_ERROR_MISSING_UNIQUE, "'Time'");
        assert_int_equal(keel_set_unique(f.world, Time, { 0 }), KEEL_OK);
        assert_int_equal(keel_run_workload(f.world, lacks), KEEL_OK);
        assert_ran("+-+-+");
        api_end(&f);
    }
}

// A loop over nothing does nothing, but what depends on it depends on what it depends on.
KEEL_SYSTEM(loop_over_nothing, KEEL_READ(A, a), KEEL_WRITE(Nobody, n)) { n->value = a->value; }
KEEL_SYSTEM_ONCE(read_nobody, KEEL_MAY_READ(Nobody)) { ran[2] = true; }
KEEL_WORKLOAD(passes_on, KEEL_STEP(spoil_a), KEEL_STEP(loop_over_nothing), KEEL_STEP(read_nobody));

static void a_failure_passes_through_loops_over_nothing(void **state) {
    (void)state;
    for (uint32_t w = 0; w < 3; ++w) {
        api_fixture f;
        begin(&f, worker_counts[w]);
        fails = false;
        for (int i = 0; i < 5; ++i)
            assert_int_equal(keel_run_workload(f.world, passes_on), KEEL_OK);
        assert_ran("-++");
        fails = true;
        assert_int_equal(keel_run_workload(f.world, passes_on), KEEL_ERROR_SYSTEM);
        assert_ran("-+-");
        keel_clear_errors(f.world);
        api_end(&f);
    }
}

// Steps of the calling thread run one after the other, but need not depend on each other.
KEEL_SYSTEM_ONCE(fail_in_main, KEEL_MAY_WRITE(A), KEEL_CONTEXT(context)) {
    ran[0] = true;
    fail_if(context, NULL, "in the main thread");
}
KEEL_SYSTEM_ONCE(other_in_main, KEEL_MAY_WRITE(B)) { ran[1] = true; }
KEEL_SYSTEM_ONCE(create_later, KEEL_COMMANDS(commands, B)) {
    ran[2] = true;
    (void)keel_add_entity(commands, KEEL_INIT(B, { 1 }));
}
KEEL_SYSTEM_ONCE(read_a_in_main, KEEL_MAY_READ(A)) { ran[3] = true; }
KEEL_WORKLOAD(main_steps, KEEL_STEP(fail_in_main, .main_thread = true),
              KEEL_STEP(other_in_main, .main_thread = true), KEEL_STEP(create_later),
              KEEL_STEP(read_a_in_main, .main_thread = true));

static void waiting_for_the_main_thread_is_no_dependence(void **state) {
    (void)state;
    for (uint32_t w = 0; w < 3; ++w) {
        api_fixture f;
        begin(&f, worker_counts[w]);
        assert_int_equal(keel_run_workload(f.world, main_steps), KEEL_ERROR_SYSTEM);
        assert_ran("+++-");
        assert_int_equal(keel_count(f.world, B), entities + 1);
        keel_clear_errors(f.world);
        api_end(&f);
    }
}

// ------------------------------------------------------------------ commands
static keel_entity promised[4];
KEEL_SYSTEM_ONCE(create_and_fail, KEEL_COMMANDS(commands, A, Owned), KEEL_CONTEXT(context)) {
    promised[0] = keel_add_entity(commands, KEEL_INIT(Owned, owned_make()));
    promised[1] = keel_add_entity(commands, KEEL_INIT(A, { 1 }), KEEL_INIT(Owned, owned_make()));
    fail_if(context, NULL, "after some commands");
}
KEEL_SYSTEM_ONCE(create_well, KEEL_COMMANDS(commands, B)) {
    promised[2] = keel_add_entity(commands, KEEL_INIT(B, { 1 }));
}
KEEL_SYSTEM_ONCE(count_owned, KEEL_MAY_READ(Owned)) { ran[0] = true; }
KEEL_SYSTEM_ONCE(create_anything, KEEL_COMMANDS(commands)) {
    ran[1] = true;
    promised[3] = keel_add_entity(commands);
}
KEEL_WORKLOAD(records, KEEL_STEP(create_and_fail), KEEL_STEP(create_well), KEEL_STEP(count_owned),
              KEEL_STEP(create_anything));

static void commands_of_a_failed_system_are_dropped(void **state) {
    (void)state;
    for (uint32_t w = 0; w < 3; ++w) {
        api_fixture f;
        begin(&f, worker_counts[w]);
        owned_begin();
        for (uint32_t i = 1; i <= 3; ++i) {
            assert_int_equal(keel_run_workload(f.world, records), KEEL_ERROR_SYSTEM);
            assert_ran("-+"); // the system runs; that its commands come after those is all
            assert_int_equal(owned.drops, 2 * i);
            assert_int_equal(keel_count(f.world, Owned), 0);
            assert_int_equal(keel_count(f.world, B), entities + i);
            assert_false(keel_is_alive(f.world, promised[0]));
            assert_false(keel_is_alive(f.world, promised[1]));
            assert_true(keel_is_alive(f.world, promised[2]));
            assert_error(f.world, KEEL_ERROR_SYSTEM, "'create_and_fail': after some commands");
        }
        // what they were to make gives its indices back
        for (uint32_t i = 0; i < 200; ++i)
            assert_int_equal(keel_run_workload(f.world, records), KEEL_ERROR_SYSTEM);
        keel_clear_errors(f.world);
        assert_in_range(keel_entity_index(promised[2]), entities,
                        entities + 2 * 203 + 64); // two come with each run
        fails = false;
        assert_int_equal(keel_run_workload(f.world, records), KEEL_OK);
        assert_ran("++");
        assert_int_equal(keel_count(f.world, Owned), 2);
        assert_true(keel_is_alive(f.world, promised[1]));
        assert_int_equal(keel_clear(f.world, Owned), KEEL_OK);
        assert_owned_end();
        api_end(&f);
    }
}

// A command that cannot be done is an error of the run, and the others are done.
KEEL_SYSTEM_ONCE(close_a_circle, KEEL_COMMANDS(commands)) {
    (void)keel_attach(commands, promised[0], promised[1]);
    (void)keel_attach(commands, promised[1], promised[0]);
    (void)keel_attach(commands, promised[2], promised[0]);
}
KEEL_WORKLOAD(circles, KEEL_STEP(close_a_circle), KEEL_STEP(write_b));

static void a_command_that_cannot_be_done_is_told(void **state) {
    (void)state;
    for (uint32_t w = 0; w < 3; ++w) {
        api_fixture f;
        begin(&f, worker_counts[w]);
        for (uint32_t i = 0; i < 3; ++i)
            promised[i] = keel_add_entity(f.world);
        assert_int_equal(keel_run_workload(f.world, circles), KEEL_ERROR_CYCLE);
        assert_ran("-----"); // it comes after all commands of a list without names
        assert_string_equal(keel_last_error(f.world)->system, "close_a_circle");
        assert_error(f.world, KEEL_ERROR_CYCLE, NULL);
        assert_int_equal(keel_child_count(f.world, promised[0]), 1);
        api_end(&f);
    }
}

// ------------------------------------------------------------------ which error
KEEL_SYSTEM_ONCE(fail_late, KEEL_MAY_WRITE(A), KEEL_CONTEXT(context)) {
    wait_some_us(500);
    keel_fail(context, &ran[0], "late, but first in the list");
}
KEEL_SYSTEM_ONCE(fail_soon, KEEL_MAY_WRITE(B), KEEL_CONTEXT(context)) {
    keel_fail(context, &ran[1], "soon");
}
static keel_result fail_by_result(keel_context *context) {
    (void)context;
    return KEEL_ERROR_FULL;
}
static const keel_term no_terms[] = { { .kind = KEEL_TERM_END } };
static const keel_system plain_system = {
    .name = "plain", .kind = KEEL_SYSTEM_PER_RUN, .function = fail_by_result, .terms = no_terms
};
KEEL_WORKLOAD(fails_twice, KEEL_STEP(fail_late), KEEL_STEP(fail_soon));
KEEL_WORKLOAD(fails_in_turn, KEEL_STEP(fail_late, .after = "fail_soon"), KEEL_STEP(fail_soon));

static void the_first_error_in_order_counts(void **state) {
    (void)state;
    for (uint32_t w = 0; w < 3; ++w)
        for (int again = 0; again < 5; ++again) {
            api_fixture f;
            begin(&f, worker_counts[w]);
            assert_int_equal(keel_run_workload(f.world, fails_twice), KEEL_ERROR_SYSTEM);
            assert_string_equal(keel_last_error(f.world)->system, "fail_late");
            assert_ptr_equal(keel_last_error(f.world)->object, &ran[0]);
            assert_error(f.world, KEEL_ERROR_SYSTEM, "late, but first in the list");
            // the order is that of the run
            assert_int_equal(keel_run_workload(f.world, fails_in_turn), KEEL_ERROR_SYSTEM);
            assert_error(f.world, KEEL_ERROR_SYSTEM, "'fail_soon': soon");
            api_end(&f);
        }
}

static void a_negative_result_is_a_failure(void **state) {
    (void)state;
    const keel_step steps[] = { { .system = &plain_system }, { .system = &KEEL_SYSTEM_fail_soon } };
    const keel_workload table = { .name = "table", .steps = steps, .step_count = 2 };
    for (uint32_t w = 0; w < 3; ++w) {
        api_fixture f;
        begin(&f, worker_counts[w]);
        assert_int_equal(keel_run_workload_of(f.world, &table, NULL), KEEL_ERROR_SYSTEM);
        assert_string_equal(keel_last_error(f.world)->system, "plain");
        assert_error(f.world, KEEL_ERROR_SYSTEM, keel_result_text(KEEL_ERROR_FULL));
        api_end(&f);
    }
}

// ------------------------------------------------------------------ parallel steps
static uint32_t visits; // of pieces; added up under no lock: one lane at a time is enough here
KEEL_SYSTEM(fail_in_places, KEEL_WRITE(A, a), KEEL_CONTEXT(context)) {
    const uint32_t number = a->value % 100000;
    a->value = number + 100000; // was visited
    if (number % 1000 == 700) keel_fail(context, NULL, "at %u", (unsigned)number);
    if (number % 1000 > 690 && number % 1000 < 700) wait_some_us(number < 1000 ? 200 : 1);
}
KEEL_WORKLOAD(fails_in_parallel, KEEL_STEP(fail_in_places, .parallel = true), KEEL_STEP(a_to_c),
              KEEL_STEP(write_b));

static uint32_t count_visited(keel_world *world) {
    visits = 0;
    KEEL_EACH(world, KEEL_READ(A, a)) {
        visits += a->value >= 100000;
    }
    return visits;
}

static void the_first_piece_that_fails_counts(void **state) {
    (void)state;
    uint32_t visited = 0;
    for (uint32_t w = 0; w < 3; ++w)
        for (int again = 0; again < 3; ++again) {
            api_fixture f;
            begin(&f, worker_counts[w]);
            assert_int_equal(keel_run_workload(f.world, fails_in_parallel), KEEL_ERROR_SYSTEM);
            assert_ran("----+");
            assert_error(f.world, KEEL_ERROR_SYSTEM, "system 'fail_in_places': at 700");
            if (!visited) visited = count_visited(f.world);
            assert_int_equal(count_visited(f.world), visited); // all pieces ran as far as they got
            assert_in_range(visited, entities / 2, entities - 1);
            assert_int_equal(keel_run_parallel(f.world, fail_in_places), KEEL_ERROR_SYSTEM);
            assert_error(f.world, KEEL_ERROR_SYSTEM, "system 'fail_in_places': at 700");
            api_end(&f);
        }
}

// ------------------------------------------------------------------ conditions
KEEL_CONDITION(broken, KEEL_CONTEXT(context)) {
    fail_if(context, &the_object, "no answer");
    return true;
}
KEEL_WORKLOAD(inner, KEEL_STEP(a_to_c), KEEL_STEP(read_b));
KEEL_WORKLOAD(asks, KEEL_STEP(spoil_a, .run_if = KEEL_IF(broken)), KEEL_STEP(a_to_c),
              KEEL_STEP(write_b));
KEEL_WORKLOAD(asks_outside, KEEL_NESTED(inner, .run_if = KEEL_IF(broken)), KEEL_STEP(read_c),
              KEEL_STEP(write_b), KEEL_STEP(touch_nothing));

KEEL_CONDITION(knows_time, KEEL_UNIQUE_READ(Time, t)) { return t != NULL; }
KEEL_WORKLOAD(asks_time, KEEL_STEP(spoil_a, .run_if = KEEL_IF(knows_time)));

static void a_condition_without_its_unique_is_named(void **state) {
    (void)state;
    for (uint32_t w = 0; w < 3; ++w) {
        api_fixture f;
        begin(&f, worker_counts[w]);
        assert_int_equal(keel_run_workload(f.world, asks_time), KEEL_ERROR_MISSING_UNIQUE);
        assert_string_equal(keel_last_error(f.world)->system, "knows_time");
        assert_error(f.world, KEEL_ERROR_MISSING_UNIQUE,
                     "condition 'knows_time' of 'spoil_a' needs the unique 'Time'");
        assert_int_equal(keel_run_workload(f.world, lacks), KEEL_ERROR_MISSING_UNIQUE);
        assert_string_equal(keel_last_error(f.world)->system, "needs_missing");
        keel_clear_errors(f.world);
        api_end(&f);
    }
}

static void a_condition_that_fails_is_a_failure_of_its_step(void **state) {
    (void)state;
    for (uint32_t w = 0; w < 3; ++w) {
        api_fixture f;
        begin(&f, worker_counts[w]);
        assert_int_equal(keel_set_unique(f.world, Time, { 0 }), KEEL_OK);
        assert_int_equal(keel_run_workload(f.world, asks), KEEL_ERROR_SYSTEM);
        assert_ran("----+");
        assert_string_equal(keel_last_error(f.world)->system, "broken");
        assert_ptr_equal(keel_last_error(f.world)->object, &the_object);
        assert_error(f.world, KEEL_ERROR_SYSTEM, "'broken' of 'spoil_a': no answer");
        assert_int_equal(keel_run_workload(f.world, asks_outside), KEEL_ERROR_SYSTEM);
        assert_ran("-------+"); // read_c follows a_to_c, and write_b read_b
        assert_error(f.world, KEEL_ERROR_SYSTEM, "'broken' of 'inner': no answer");
        fails = false;
        assert_int_equal(keel_run_workload(f.world, asks_outside), KEEL_OK);
        assert_ran("--++++-+");
        api_end(&f);
    }
}

// ------------------------------------------------------------------ out of memory
// Owns something, and its hook may be called by any thread.
typedef struct Thing {
    uint32_t number; // 0: owns nothing
} Thing;
static atomic_int things;
static void thing_drop(void *value, void *hook_data) {
    (void)hook_data;
    if (((const Thing *)value)->number) --things;
}
KEEL_COMPONENT(Thing, .drop = thing_drop);

KEEL_SYSTEM(grow, KEEL_READ(A, a), KEEL_ENTITY(e), KEEL_COMMANDS(commands, Thing, C),
            KEEL_CONTEXT(context)) {
    if (a->value % 100 >= 2) return;
    (void)keel_context_scratch(context, 5000, 16);
    const Thing thing = { a->value + 1 };
    const keel_value list[] = { { KEEL_OF(Thing), &thing }, { KEEL_OF(C), &(C){ 7 } }, { 0 } };
    things += 2;
    if (keel_add_component(commands, e, KEEL_OF(Thing), &thing) < 0) --things;
    if (keel_is_null(keel_add_entity_values(commands, list))) --things;
}
KEEL_SYSTEM(shrink, KEEL_READ(Thing, t), KEEL_ENTITY(e), KEEL_COMMANDS(commands)) {
    if (t->number % 2) (void)keel_delete_entity(commands, e);
}
KEEL_SYSTEM_ONCE(edit_at_once, KEEL_MAY_EDIT(Nobody), KEEL_MAY_READ(B), KEEL_CONTEXT(context)) {
    KEEL_EACH(context, KEEL_READ(B, b), KEEL_ENTITY(e)) {
        if (b->value % 500 == 1) (void)keel_add(context, e, Nobody, { b->value });
    }
}
KEEL_WORKLOAD(memory, KEEL_STEP(edit_at_once), KEEL_STEP(grow), KEEL_STEP(write_b),
              KEEL_STEP(grow, .parallel = true), KEEL_STEP(shrink));

// Run out of memory after `left` more calls. False when there was enough.
static bool survive(uint32_t workers, size_t left) {
    api_fixture f;
    keel_error broken;
    begin(&f, workers);
    counting_allocator_fail_after(&f.memory, left);
    const keel_result result = keel_run_workload(f.world, memory);
    const bool ran_dry = f.memory.failures > 0;
    counting_allocator_never_fail(&f.memory);
    if (result < 0) assert_int_not_equal(keel_last_error(f.world)->result, KEEL_OK);
    if (!ran_dry) assert_int_equal(result, KEEL_OK);
    keel_clear_errors(f.world);
    if (!keel_world_check(f.world, &broken)) fail_msg("%s", broken.message);
    assert_int_equal(keel_apply_commands(f.world),
                     KEEL_OK); // what was left over for want of memory
    assert_int_equal(keel_run_workload(f.world, memory), KEEL_OK);
    assert_no_error(f.world);
    api_end(&f);
    assert_int_equal(things, 0);
    return ran_dry;
}

static void the_end_of_memory_is_survived(void **state) {
    (void)state;
    for (uint32_t w = 0; w < 3; ++w)
        for (size_t left = 0; survive(worker_counts[w], left);)
            left += 1 + left / test_rounds(6);
}

// ------------------------------------------------------------------ plans that must stay
static keel_group *group;
KEEL_SYSTEM_ONCE(pull_the_rug, KEEL_WORLD(world)) {
    const keel_component *const both[] = { KEEL_OF(A), KEEL_OF(Nobody), NULL };
    assert_int_equal(keel_group_create_of(world, &(keel_group_desc){ .owned = both }, NULL),
                     KEEL_ERROR_SHARED);
    const keel_error *error = keel_last_error(world); // the first error is known after the run
    assert_int_equal(error->result, KEEL_ERROR_SHARED);
    assert_non_null(strstr(error->message, "a group is made while a workload runs"));
    assert_int_equal(keel_group_destroy(world, group), KEEL_ERROR_SHARED);
    assert_int_equal(keel_unregister_component(world, KEEL_OF(Nobody)), KEEL_ERROR_SHARED);
    assert_int_equal(keel_share_begin(world), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_add_workload(world, spoils), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_register(world, Velocity), KEEL_OK); // nothing in the plan could name it
    keel_clear_errors(world);
    ran[0] = true;
}
KEEL_WORKLOAD(pulls, KEEL_STEP(pull_the_rug), KEEL_STEP(a_to_c));

static void plans_stay_while_they_run(void **state) {
    (void)state;
    for (uint32_t w = 0; w < 3; ++w) {
        api_fixture f;
        begin(&f, worker_counts[w]);
        group = keel_group_create(f.world, KEEL_OWNED(Position), KEEL_GET(B));
        assert_non_null(group);
        assert_int_equal(keel_run_workload(f.world, pulls), KEEL_OK);
        assert_ran("+-+");
        assert_error(f.world, KEEL_ERROR_SHARED, "a group is made while a workload runs");
        assert_int_equal(keel_group_destroy(f.world, group), KEEL_OK);
        api_end(&f);
    }
}

// ------------------------------------------------------------------ which error is kept
KEEL_SYSTEM_ONCE(ignores_an_error, KEEL_MAY_WRITE(A), KEEL_CONTEXT(context)) {
    keel_view one, two;
    wait_some_us(200); // others overtake it
    (void)keel_view_begin(&one, context, KEEL_TERMS(KEEL_WRITE(A, a)), "one");
    (void)keel_view_begin(&two, context, KEEL_TERMS(KEEL_WRITE(A, a)), "two"); // in conflict
    keel_view_end(&one);
}
KEEL_SYSTEM_ONCE(fails_at_once, KEEL_MAY_WRITE(B), KEEL_CONTEXT(context)) {
    keel_fail(context, NULL, "later in the list");
}
KEEL_SYSTEM_ONCE(looks_at_its_error, KEEL_WORLD(world)) {
    const keel_entity e = keel_next_entity(world, keel_null());
    assert_int_equal(keel_attach(world, e, e), KEEL_ERROR_CYCLE);
    assert_int_equal(keel_last_error(world)->result, KEEL_ERROR_CYCLE);
}
KEEL_WORKLOAD(many_errors, KEEL_STEP(ignores_an_error), KEEL_STEP(fails_at_once));
KEEL_WORKLOAD(looks, KEEL_STEP(looks_at_its_error));

static void the_error_of_a_run_is_the_first_of_its_list(void **state) {
    (void)state;
    for (uint32_t w = 0; w < 3; ++w) {
        api_fixture f;
        begin(&f, worker_counts[w]);
        for (uint32_t round = 0; round < 3; ++round) {
            assert_int_equal(keel_run_named(f.world, "nowhere"), KEEL_ERROR_UNKNOWN);
            assert_int_equal(keel_run_workload(f.world, many_errors), KEEL_ERROR_SYSTEM);
            assert_int_equal(keel_first_error(f.world)->result, KEEL_ERROR_UNKNOWN);
            assert_int_equal(keel_last_error(f.world)->result, KEEL_ERROR_BORROWED);
            assert_string_equal(keel_last_error(f.world)->system, "ignores_an_error");
            keel_clear_errors(f.world);
            assert_int_equal(keel_run_workload(f.world, looks), KEEL_OK);
            assert_error(f.world, KEEL_ERROR_CYCLE, NULL);
        }
        api_end(&f);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(the_error_of_a_run_is_the_first_of_its_list,
         "a run hands over its first error in linear order, on any number of threads (B7)"),
    // proves S-65 S-67
    TEST(a_failure_stops_what_depends_on_it,
         "a failure stops exactly what depends on it, and comes out"),
    TEST(a_step_that_cannot_start_fails, "a step that cannot start is a failure like any other"),
    TEST(a_failure_passes_through_loops_over_nothing,
         "a failure passes through loops over nothing"),
    TEST(waiting_for_the_main_thread_is_no_dependence,
         "waiting for the calling thread is no dependence"),
    TEST(commands_of_a_failed_system_are_dropped,
         "commands of a failed system are dropped with their values"),
    TEST(a_command_that_cannot_be_done_is_told, "a command that cannot be done is told"),
    // proves S-65 S-66
    TEST(the_first_error_in_order_counts,
         "the first error in linear order counts, whoever met it first"),
    TEST(a_negative_result_is_a_failure, "a negative result of a plain function is its failure"),
    TEST(the_first_piece_that_fails_counts, "of a split system the first piece that fails counts"),
    TEST(a_condition_that_fails_is_a_failure_of_its_step,
         "a condition that fails is a failure of its step, and names itself"),
    TEST(a_condition_without_its_unique_is_named,
         "a condition that lacks its unique is named, and its step"),
    TEST(the_end_of_memory_is_survived,
         "systems that run out of memory leave a valid world and no leak"),
    TEST(plans_stay_while_they_run,
         "groups, components and modes that a running workload knows stay"),
};

int main(void) { return RUN(tests); }
