// SPDX-License-Identifier: MIT
// Workloads as tables: order, nesting, conditions, cycles, and what happens to the rest when a
// system fails. test_workload_stored.c is about those that a world keeps by name.
#include "support/trail.h"

KEEL_WORKLOAD(guarded, KEEL_STEP(do_a, .run_if = KEEL_IF(is_on)), KEEL_STEP(turn_on),
              KEEL_NESTED(ba, .run_if = KEEL_IF(is_on)), KEEL_STEP(do_c));

// ------------------------------------------------------------------ order
static void a_table_runs_first_to_last(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    assert_int_equal(keel_run_workload(f.world, abc), KEEL_OK);
    assert_int_equal(keel_run_workload(f.world, ba), KEEL_OK);
    assert_trail(f.world, "abcba");
    assert_false(keel_find_workload(f.world, "abc") != NULL); // a table need not be stored
    api_end(&f);
}

KEEL_SYSTEM(plus_one, KEEL_WRITE(Number, n)) { ++n->value; }
KEEL_SYSTEM(twice, KEEL_WRITE(Number, n)) { n->value *= 2; }
KEEL_SYSTEM(grow, KEEL_READ(Number, n), KEEL_ENTITY(e), KEEL_COMMANDS(commands)) {
    if (n->value > 4) (void)keel_add(commands, e, Other, { n->value });
    else (void)keel_delete_entity(commands, e);
}
KEEL_SYSTEM(take_other, KEEL_READ(Other, o), KEEL_WRITE(Number, n)) { n->value = 100 + o->value; }
KEEL_WORKLOAD(arithmetic, KEEL_STEP(plus_one), KEEL_STEP(twice), KEEL_STEP(grow),
              KEEL_STEP(take_other));

static void a_workload_is_its_systems_one_by_one(void **state) {
    (void)state;
    api_fixture a, b;
    api_begin(&a);
    api_begin(&b);
    for (uint32_t i = 0; i < 5; ++i) {
        (void)keel_add_entity(a.world, KEEL_INIT(Number, { i }));
        (void)keel_add_entity(b.world, KEEL_INIT(Number, { i }));
    }
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(keel_run_workload(a.world, arithmetic), KEEL_OK);
        assert_int_equal(keel_run(b.world, plus_one), KEEL_OK);
        assert_int_equal(keel_run(b.world, twice), KEEL_OK);
        assert_int_equal(keel_run(b.world, grow), KEEL_OK);
        assert_int_equal(keel_run(b.world, take_other), KEEL_OK);
        // (0 + 1) * 2 and (1 + 1) * 2 are not above 4: deleted
        assert_int_equal(keel_entity_count(a.world), 3);
        assert_same_text(world_text(a.world, NULL), world_text(b.world, NULL));
    }
    assert_int_equal(keel_get(a.world, keel_next_entity(a.world, keel_null()), Number)->value,
                     100 + (100 + (2 + 1) * 2 + 1) * 2);
    api_end(&a);
    api_end(&b);
}

static void nested_workloads_run_as_one_flat_list(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    assert_int_equal(keel_run_workload(f.world, outer), KEEL_OK);
    assert_trail(f.world, "cbaabcc");
    api_end(&f);
}

// ------------------------------------------------------------------ the seed's nested example
typedef struct Vel {
    float x;
} Vel;
KEEL_COMPONENT(Vel);
KEEL_TAG(DeadVel);

KEEL_SYSTEM(increment, KEEL_WRITE(Vel, v)) { v->x += 1; }
KEEL_SYSTEM_ONCE(flag_deleted_vel, KEEL_MAY_READ(Vel), KEEL_MAY_EDIT(DeadVel),
                 KEEL_CONTEXT(context)) {
    keel_view dead;
    assert_int_equal(
        keel_view_begin(&dead, context, KEEL_TERMS(KEEL_MAY_EDIT(DeadVel)), "the dead"), KEEL_OK);
    KEEL_EACH(context, KEEL_READ(Vel, v), KEEL_ENTITY(e)) {
        if (v->x > 100) assert_int_equal(keel_add_unchecked(&dead, e, DeadVel), KEEL_OK);
    }
    keel_view_end(&dead);
}
KEEL_SYSTEM_ONCE(clear_deleted_vel, KEEL_WORLD(world)) {
    (void)keel_delete_entities_having(world, DeadVel);
}
KEEL_WORKLOAD(filter_vel, KEEL_STEP(flag_deleted_vel), KEEL_STEP(clear_deleted_vel));
KEEL_WORKLOAD(main_loop, KEEL_STEP(increment), KEEL_NESTED(filter_vel));
KEEL_WORKLOAD(flat_loop, KEEL_STEP(increment), KEEL_STEP(flag_deleted_vel),
              KEEL_STEP(clear_deleted_vel));

static void the_nested_example_deletes_what_is_above_100(void **state) {
    (void)state;
    for (int flat = 0; flat < 2; ++flat) {
        api_fixture f;
        api_begin(&f);
        const keel_entity above = keel_add_entity(f.world, KEEL_INIT(Vel, { 99.5f }));
        const keel_entity exact = keel_add_entity(f.world, KEEL_INIT(Vel, { 99 }));
        const keel_entity bare = keel_add_entity(f.world, KEEL_INIT(Number, { 1000 }));
        const keel_workload *loop = flat ? &KEEL_WORKLOAD_flat_loop : &KEEL_WORKLOAD_main_loop;
        assert_int_equal(keel_run_workload_of(f.world, loop, NULL), KEEL_OK);
        assert_false(keel_is_alive(f.world, above));
        assert_true(keel_is_alive(f.world, exact));
        assert_true(keel_get(f.world, exact, Vel)->x == 100);
        assert_int_equal(keel_run_workload_of(f.world, loop, NULL), KEEL_OK);
        assert_false(keel_is_alive(f.world, exact));
        assert_true(keel_is_alive(f.world, bare));
        assert_int_equal(keel_entity_count(f.world), 1);
        assert_no_error(f.world);
        api_end(&f);
    }
}

// ------------------------------------------------------------------ cycles
static void workloads_that_contain_themselves_are_refused(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    keel_world *w = f.world;
    keel_step to_itself[] = { { .system = &KEEL_SYSTEM_do_a }, { .workload = NULL } };
    const keel_workload itself = { .name = "itself", .steps = to_itself, .step_count = 2 };
    to_itself[1].workload = &itself;
    assert_int_equal(keel_run_workload_of(w, &itself, NULL), KEEL_ERROR_CYCLE);
    assert_error(w, KEEL_ERROR_CYCLE, "'itself'");
    assert_trail(w, ""); // nothing runs before all is in order
    assert_int_equal(keel_add_step(w, "one", { .workload_name = "two" }), KEEL_OK);
    assert_int_equal(keel_add_step(w, "two", { .workload_name = "three" }), KEEL_OK);
    assert_int_equal(keel_add_step(w, "three", { .workload_name = "two" }), KEEL_OK);
    assert_int_equal(keel_run_named(w, "one"), KEEL_ERROR_CYCLE);
    assert_error(w, KEEL_ERROR_CYCLE, "'two'");
    assert_int_equal(keel_run_named(w, "three"), KEEL_ERROR_CYCLE);
    // twice the same is no cycle
    assert_int_equal(keel_add_step(w, "pair", KEEL_NESTED(ba)), KEEL_OK);
    assert_int_equal(keel_add_step(w, "pair", KEEL_NESTED(ba)), KEEL_OK);
    assert_int_equal(keel_run_named(w, "pair"), KEEL_OK);
    assert_trail(w, "baba");
    api_end(&f);
}

// ------------------------------------------------------------------ conditions
static void run_if_is_asked_just_before_the_step(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    assert_int_equal(keel_run_workload(f.world, guarded), KEEL_OK);
    assert_trail(f.world, "bac"); // off for do_a, on for the nested one
    assert_int_equal(keel_get_unique(f.world, Switch)->asked, 2);
    assert_int_equal(keel_run_workload(f.world, guarded), KEEL_OK);
    assert_trail(f.world, "abac");
    api_end(&f);
}

KEEL_WORKLOAD(asks_inside, KEEL_STEP(do_a, .run_if = KEEL_IF(is_on)),
              KEEL_STEP(do_b, .run_if = KEEL_IF(is_on)));
KEEL_WORKLOAD(asks_twice, KEEL_NESTED(asks_inside, .run_if = KEEL_IF(is_on)), KEEL_STEP(do_c));

static void what_is_skipped_asks_nothing(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    assert_int_equal(keel_run_workload(f.world, asks_twice), KEEL_OK);
    assert_int_equal(keel_get_unique(f.world, Switch)->asked, 1);
    assert_trail(f.world, "c");
    keel_get_unique_mut(f.world, Switch)->on = true;
    assert_int_equal(keel_run_workload(f.world, asks_twice), KEEL_OK);
    assert_int_equal(keel_get_unique(f.world, Switch)->asked, 4);
    assert_trail(f.world, "abc");
    api_end(&f);
}

KEEL_CONDITION(may_break, KEEL_UNIQUE_READ(Switch, s), KEEL_CONTEXT(context)) {
    if (s->broken) keel_fail(context, s, "the switch is broken");
    return true;
}
KEEL_WORKLOAD(breaks, KEEL_STEP(do_a), KEEL_STEP(do_b, .run_if = KEEL_IF(may_break)),
              KEEL_STEP(do_c));

static void a_condition_that_fails_stops_the_workload(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    assert_int_equal(keel_run_workload(f.world, breaks), KEEL_OK);
    assert_trail(f.world, "abc");
    keel_get_unique_mut(f.world, Switch)->broken = true;
    assert_int_equal(keel_run_workload(f.world, breaks), KEEL_ERROR_SYSTEM);
    assert_string_equal(keel_last_error(f.world)->system, "may_break");
    assert_error(f.world, KEEL_ERROR_SYSTEM, "the switch is broken");
    assert_trail(f.world, "a");
    api_end(&f);
}

// ------------------------------------------------------------------ failure
typedef struct terrible_error {
    int code;
} terrible_error;
static const terrible_error terrible = { 42 };

KEEL_SYSTEM_ONCE(record_first, KEEL_COMMANDS(commands)) {
    (void)keel_add_entity(commands, KEEL_INIT(Number, { 1 }));
}
KEEL_SYSTEM_ONCE(fail_terribly, KEEL_UNIQUE_WRITE(Trail, trail), KEEL_COMMANDS(commands),
                 KEEL_CONTEXT(context)) {
    (void)keel_add_entity(commands, KEEL_INIT(Number, { 2 }), KEEL_INIT(Owned, owned_make()));
    keel_fail(context, &terrible, "no more %s after %d", "fuel", 3);
    keel_fail(context, NULL, "only the first call counts");
    leave(trail, '!'); // the function goes on until it returns
}
KEEL_WORKLOAD(fails, KEEL_STEP(do_a), KEEL_STEP(record_first), KEEL_STEP(fail_terribly),
              KEEL_STEP(do_b));
KEEL_WORKLOAD(fails_inside, KEEL_NESTED(fails), KEEL_STEP(do_c));

static void the_first_error_stops_the_workload_and_comes_out(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    owned_begin();
    assert_int_equal(keel_add_workload(f.world, fails_inside), KEEL_OK);
    for (uint32_t i = 0; i < 3; ++i) {
        const keel_result result = i == 0   ? keel_run_workload(f.world, fails_inside)
                                   : i == 1 ? keel_run_named(f.world, "fails_inside")
                                            : keel_run_default(f.world);
        assert_int_equal(result, KEEL_ERROR_SYSTEM);
        assert_trail(f.world, "a!"); // neither the rest of `fails` nor of the outer one
        // commands of the system before it were applied, its own dropped
        assert_int_equal(keel_count(f.world, Number), i + 1);
        assert_int_equal(owned.drops, i + 1);
        assert_error(f.world, KEEL_ERROR_SYSTEM, "'fail_terribly': no more fuel after 3");
    }
    assert_owned_end();
    api_end(&f);
}

static void the_users_error_object_is_recovered(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    owned_begin();
    assert_int_equal(keel_run_workload(f.world, fails_inside), KEEL_ERROR_SYSTEM);
    const keel_error error = *keel_first_error(f.world);
    keel_clear_errors(f.world);
    assert_string_equal(error.system, "fail_terribly");
    assert_ptr_equal(error.object, &terrible);
    assert_int_equal(((const terrible_error *)error.object)->code, 42);
    assert_no_error(f.world);
    assert_int_equal(keel_run(f.world, do_a), KEEL_OK); // the world goes on
    assert_owned_end();
    api_end(&f);
}

KEEL_SYSTEM(fail_at_two, KEEL_WRITE(Number, n), KEEL_CONTEXT(context)) {
    if (n->value == 2) keel_fail(context, NULL, "two");
    n->value += 10;
}

static void a_per_entity_system_sees_no_more_entities_after_failing(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[6];
    api_begin(&f);
    for (uint32_t i = 0; i < 6; ++i)
        e[i] = keel_add_entity(f.world, KEEL_INIT(Number, { i }));
    assert_int_equal(keel_run(f.world, fail_at_two), KEEL_ERROR_SYSTEM);
    for (uint32_t i = 0; i < 6; ++i)
        assert_int_equal(keel_get(f.world, e[i], Number)->value, i <= 2 ? i + 10 : i);
    api_end(&f);
}

typedef struct Missing {
    int value;
} Missing;
KEEL_UNIQUE(Missing);
KEEL_SYSTEM_ONCE(needs_missing, KEEL_UNIQUE_READ(Missing, m), KEEL_UNIQUE_WRITE(Trail, trail)) {
    (void)m;
    leave(trail, 'm');
}
KEEL_WORKLOAD(lacks, KEEL_STEP(do_a), KEEL_STEP(needs_missing), KEEL_STEP(do_b));

static void a_system_that_cannot_start_stops_the_workload_too(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    assert_int_equal(keel_run_workload(f.world, lacks), KEEL_ERROR_MISSING_UNIQUE);
    assert_error(f.world, KEEL_ERROR_MISSING_UNIQUE, "Missing");
    assert_trail(f.world, "a");
    keel_view view;
    assert_int_equal(
        keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_UNIQUE_READ(Trail, t)), "reader"), KEEL_OK);
    assert_int_equal(keel_run_workload(f.world, abc), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "reader");
    keel_view_end(&view);
    assert_int_equal(keel_run_workload(f.world, abc), KEEL_OK);
    assert_trail(f.world, "abc");
    api_end(&f);
}

// ------------------------------------------------------------------ misuse and memory
static void refuse(keel_world *world, const keel_workload *workload) {
    assert_int_equal(keel_world_add_workload(world, workload), KEEL_ERROR_ARGUMENT);
    assert_error(world, KEEL_ERROR_ARGUMENT, NULL);
    assert_false(keel_find_workload(world, "odd") != NULL);
}

// Runs a workload of these steps.
static keel_result run_steps(keel_world *world, const keel_step *steps, uint32_t count) {
    return keel_run_workload_of(
        world, &(keel_workload){ .name = "odd", .steps = steps, .step_count = count }, NULL);
}

static void malformed_workloads_are_refused(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    keel_world *w = f.world;
    const keel_workload hollow = { .name = "hollow", .steps = NULL, .step_count = 3 };
    keel_step odd[2] = { { .system = &KEEL_SYSTEM_do_a }, { .run_if = &KEEL_CONDITION_is_on } };
    refuse(w, NULL);
    refuse(w, &(keel_workload){ .name = NULL, .steps = odd, .step_count = 1 });
    refuse(w, &(keel_workload){ .name = "", .steps = odd, .step_count = 1 });
    refuse(w, &(keel_workload){ .name = "odd", .steps = NULL, .step_count = 1 });
    refuse(w, &(keel_workload){ .name = "odd", .steps = odd, .step_count = 2 });
    assert_int_equal(keel_run_workload_of(w, NULL, NULL), KEEL_ERROR_ARGUMENT);
    assert_int_equal(run_steps(w, NULL, 1), KEEL_ERROR_ARGUMENT);
    assert_int_equal(run_steps(w, odd, 2), KEEL_ERROR_ARGUMENT); // though is_on would say no
    odd[1] = (keel_step){ .system = &KEEL_SYSTEM_do_a, .workload_name = "abc" };
    refuse(w, &(keel_workload){ .name = "odd", .steps = odd, .step_count = 2 });
    odd[1] = (keel_step){ 0 };
    assert_int_equal(run_steps(w, odd, 2), KEEL_ERROR_ARGUMENT);
    odd[1] = (keel_step){ .workload = &hollow };
    assert_int_equal(run_steps(w, odd, 2), KEEL_ERROR_ARGUMENT);
    odd[1] = (keel_step){ .system = &KEEL_SYSTEM_do_b, .run_if = &KEEL_SYSTEM_do_c };
    assert_int_equal(run_steps(w, odd, 2), KEEL_ERROR_ARGUMENT);
    assert_trail(w, ""); // nothing runs before all is in order
    assert_int_equal(keel_world_add_step(w, "odd", NULL), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_world_add_step(w, NULL, &keeli_steps_abc[0]), KEEL_ERROR_ARGUMENT);
    assert_false(keel_find_workload(w, "odd") != NULL);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    // proves S-61
    TEST(a_table_runs_first_to_last, "a workload runs first to last"),
    // proves S-61
    TEST(a_workload_is_its_systems_one_by_one,
         "a workload gives the same world as its systems run one by one"),
    // proves S-62
    TEST(nested_workloads_run_as_one_flat_list, "nested workloads run as one flat list"),
    // proves S-62 S-63
    TEST(the_nested_example_deletes_what_is_above_100,
         "the nested example deletes what is above 100, and nothing else"),
    TEST(workloads_that_contain_themselves_are_refused,
         "a workload that contains itself is refused"),
    TEST(run_if_is_asked_just_before_the_step, "run_if is asked just before the step"),
    TEST(what_is_skipped_asks_nothing, "conditions inside a skipped workload are not asked"),
    TEST(a_condition_that_fails_stops_the_workload, "a failing condition stops the workload"),
    // proves S-65 S-67
    TEST(the_first_error_stops_the_workload_and_comes_out,
         "the first error stops the workload and comes out of every way to run it"),
    // proves S-66
    TEST(the_users_error_object_is_recovered, "the user's error object is recovered"),
    TEST(a_per_entity_system_sees_no_more_entities_after_failing,
         "a per-entity system sees no more entities after failing"),
    TEST(a_system_that_cannot_start_stops_the_workload_too,
         "a system that cannot start stops the workload too"),
    TEST(malformed_workloads_are_refused, "malformed workloads are refused"),
};

int main(void) { return RUN(tests); }
