// SPDX-License-Identifier: MIT
// What runs of workloads are given, and steps that do not run each time: data for all systems,
// steps that are switched off and taken away by name, .every and .times.
#include "support/schedule_fixture.h"
#include "support/trail.h"

#include <stdlib.h>

// ------------------------------------------------------------------ data
typedef struct Input {
    int key;
    uint32_t seen;
} Input;
KEEL_SYSTEM_ONCE(look, KEEL_DATA(Input, input), KEEL_UNIQUE_WRITE(Trail, trail)) {
    leave(trail, (char)input->key);
    ++input->seen;
}
KEEL_CONDITION(is_a, KEEL_DATA(Input, input)) { return input->key == 'a'; }
typedef struct Sum {
    int value;
} Sum;
KEEL_COMPONENT(Sum);
KEEL_SYSTEM(add_up, KEEL_WRITE(Sum, sum), KEEL_DATA(Input, input)) { sum->value += input->key; }
KEEL_WORKLOAD(inner, KEEL_STEP(look), KEEL_STEP(add_up, .parallel = true));
KEEL_WORKLOAD(with_input, KEEL_STEP(look, .run_if = KEEL_IF(is_a)), KEEL_NESTED(inner));

static void hand_in_data(api_fixture *f) {
    keel_world *w = f->world;
    Input a = { 'a', 0 }, b = { 'b', 0 };
    const keel_entity e = keel_add_entity(w, KEEL_INIT(Sum));
    assert_int_equal(keel_set_unique(w, Trail, { 0 }), KEEL_OK);
    assert_int_equal(keel_run_workload_with(w, with_input, &a), KEEL_OK);
    assert_trail(w, "aa");
    assert_int_equal(keel_run_workload_with(w, with_input, &b), KEEL_OK);
    assert_trail(w, "b");
    assert_int_equal(keel_add_workload(w, with_input), KEEL_OK);
    assert_int_equal(keel_run_named(w, "with_input", .data = &b, .data_size = sizeof b), KEEL_OK);
    assert_int_equal(keel_run_default(w, .data = &a, .data_size = sizeof a), KEEL_OK);
    assert_trail(w, "baa");
    assert_int_equal(keel_run_stored(w, KEEL_DEFAULT_WORKLOAD,
                                     &(keel_run_desc){ .data = &a, .data_size = sizeof a }),
                     KEEL_OK);
    assert_int_equal(keel_get(w, e, Sum)->value, 3 * 'a' + 2 * 'b');
    assert_int_equal(a.seen, 6);
    assert_int_equal(b.seen, 2);
}

static void a_workload_hands_data_to_all_its_systems(void **state) {
    (void)state;
    with_workers(hand_in_data);
}

static void data_of_another_size_is_refused(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    int number = 'a';
    assert_int_equal(keel_run_workload(f.world, inner), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "keel_run_workload_with");
    assert_int_equal(keel_run_workload_with(f.world, inner, &number), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "8 bytes but was given 4");
    assert_int_equal(keel_run_workload(f.world, inner, .parallel = true), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "is for single systems");
    assert_int_equal(keel_run_workload_of(f.world, NULL, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, NULL);
    api_end(&f);
}

// ------------------------------------------------------------------ steps by name
static void steps_are_switched_off_and_on_by_name(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    keel_world *w = f.world;
    assert_int_equal(keel_add_step(w, "frame", KEEL_STEP(do_a, .label = "letters, first")),
                     KEEL_OK);
    assert_int_equal(keel_add_step(w, "frame", KEEL_STEP(do_b, .label = "letters")), KEEL_OK);
    assert_int_equal(keel_add_step(w, "frame", KEEL_NESTED(ba)), KEEL_OK);
    assert_int_equal(keel_add_step(w, "frame", KEEL_STEP(do_c, .disabled = true)), KEEL_OK);
    assert_int_equal(keel_add_step(w, "around", { .workload_name = "frame" }), KEEL_OK);
    static const struct {
        const char *name;
        bool enabled;
        const char *ran;
    } changes[] = { { "do_c", true, "abbac" }, { "letters", false, "bac" },
                    { "ba", false, "c" },      { "first", true, "ac" },
                    { "ba", true, "abac" },    { "do_b", true, "abbac" },
                    { "do_b", true, "abbac" } };
    assert_int_equal(keel_run_named(w, "frame"), KEEL_OK);
    assert_trail(w, "abba");
    for (size_t i = 0; i < sizeof changes / sizeof *changes; ++i) {
        const char *name = i % 2 ? "frame" : KEEL_DEFAULT_WORKLOAD;
        assert_int_equal(keel_enable_step(w, name, changes[i].name, changes[i].enabled), KEEL_OK);
        assert_int_equal(keel_run_named(w, "frame"), KEEL_OK);
        assert_trail(w, changes[i].ran);
        assert_int_equal(keel_run_named(w, "around"), KEEL_OK); // where it is nested, too
        assert_trail(w, changes[i].ran);
    }
    api_end(&f);
}

static void switching_plans_nothing_anew(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    keel_world *w = f.world;
    assert_int_equal(keel_add_workload(w, outer), KEEL_OK);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(keel_run_named(w, "outer"), KEEL_OK);
    const uint64_t calls = f.memory.calls;
    for (int i = 0; i < 10; ++i) {
        assert_int_equal(keel_enable_step(w, "outer", "ba", i % 2), KEEL_OK);
        assert_int_equal(keel_run_named(w, "outer"), KEEL_OK);
        keel_get_unique_mut(w, Trail)->length = 0;
    }
    assert_int_equal(f.memory.calls, calls);
    api_end(&f);
}

static void steps_are_taken_away_by_name(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    keel_world *w = f.world;
    assert_int_equal(keel_add_workload(w, outer), KEEL_OK);
    assert_int_equal(keel_run_named(w, "outer"), KEEL_OK);
    assert_trail(w, "cbaabcc");
    assert_int_equal(keel_remove_step(w, "outer", "do_c"), KEEL_OK); // both
    assert_int_equal(keel_run_named(w, "outer"), KEEL_OK);
    assert_trail(w, "baabc");
    assert_int_equal(keel_remove_step(w, "outer", "abc"), KEEL_OK);
    assert_int_equal(keel_run_named(w, "outer"), KEEL_OK);
    assert_trail(w, "ba");
    assert_int_equal(keel_remove_step(w, "outer", "ba"), KEEL_OK);
    assert_int_equal(keel_run_named(w, "outer"), KEEL_OK);
    assert_trail(w, "");
    assert_int_equal(keel_add_step(w, "outer", KEEL_STEP(do_a)), KEEL_OK);
    assert_int_equal(keel_run_named(w, "outer"), KEEL_OK);
    assert_trail(w, "a");
    api_end(&f);
}

// One of two steps of a system goes: the other one has run as often as it has.
static void what_stays_keeps_its_own_counts(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    keel_world *w = f.world;
    assert_int_equal(keel_add_step(w, "frame", KEEL_STEP(do_a, .label = "first", .times = 1)),
                     KEEL_OK);
    assert_int_equal(keel_run_named(w, "frame"), KEEL_OK);
    assert_trail(w, "a");
    assert_int_equal(keel_add_step(w, "frame", KEEL_STEP(do_a, .label = "second", .times = 2)),
                     KEEL_OK);
    assert_int_equal(keel_remove_step(w, "frame", "first"), KEEL_OK); // no run in between
    for (int i = 0; i < 4; ++i)
        assert_int_equal(keel_run_named(w, "frame"), KEEL_OK);
    assert_trail(w, "aa");
    assert_int_equal(keel_remove_step(w, "frame", "second"), KEEL_OK);
    assert_int_equal(keel_add_step(w, "frame", KEEL_STEP(do_b, .label = "slow", .every = 1)),
                     KEEL_OK);
    assert_int_equal(keel_add_step(w, "frame", KEEL_STEP(do_b, .label = "other", .every = 0.5)),
                     KEEL_OK);
    assert_int_equal(keel_run_named(w, "frame", .dt = 0.4), KEEL_OK);
    assert_int_equal(keel_run_named(w, "frame", .dt = 0.2), KEEL_OK);
    assert_trail(w, "b");
    assert_int_equal(keel_remove_step(w, "frame", "slow"), KEEL_OK);
    assert_int_equal(keel_run_named(w, "frame", .dt = 0.3), KEEL_OK); // 0.4 of its 0.5
    assert_trail(w, "");
    assert_int_equal(keel_run_named(w, "frame", .dt = 0.1), KEEL_OK);
    assert_trail(w, "b");
    api_end(&f);
}

// The same of nested workloads, and of systems in them; inside of another stored one.
static void what_stays_nested_keeps_its_own_counts(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    keel_world *w = f.world;
    assert_int_equal(keel_add_workload(w, ba), KEEL_OK);
    assert_int_equal(keel_add_step(w, "frame", KEEL_NESTED(ba, .label = "first", .times = 3)),
                     KEEL_OK);
    assert_int_equal(keel_add_step(w, "outermost", { .workload_name = "frame" }), KEEL_OK);
    assert_int_equal(keel_run_named(w, "outermost"), KEEL_OK);
    assert_int_equal(keel_run_named(w, "outermost"), KEEL_OK);
    assert_int_equal(keel_add_step(w, "frame", KEEL_NESTED(ba, .times = 2)), KEEL_OK);
    assert_int_equal(keel_run_named(w, "outermost"), KEEL_OK);
    assert_trail(w, "babababa");
    assert_int_equal(keel_remove_step(w, "frame", "first"), KEEL_OK);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(keel_run_named(w, "outermost"), KEEL_OK);
    assert_trail(w, "ba");
    api_end(&f);
}

// A step that comes in front of another one of its system has runs of its own.
static void what_comes_before_has_its_own_counts(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    keel_world *w = f.world;
    assert_int_equal(keel_add_step(w, "frame", KEEL_STEP(do_a, .label = "old", .times = 2)),
                     KEEL_OK);
    assert_int_equal(keel_run_named(w, "frame"), KEEL_OK);
    assert_int_equal(keel_run_named(w, "frame"), KEEL_OK);
    assert_trail(w, "aa");
    assert_int_equal(keel_add_step(w, "frame", KEEL_STEP(do_a, .before = "old", .times = 3)),
                     KEEL_OK);
    assert_int_equal(keel_run_named(w, "frame"), KEEL_OK);
    assert_trail(w, "a"); // the old one has run twice
    for (int i = 0; i < 4; ++i)
        assert_int_equal(keel_run_named(w, "frame"), KEEL_OK);
    assert_trail(w, "aa");
    assert_int_equal(keel_add_step(w, "timed", KEEL_STEP(do_b, .label = "slow", .every = 1)),
                     KEEL_OK);
    assert_int_equal(keel_run_named(w, "timed", .dt = 0.75), KEEL_OK);
    assert_int_equal(keel_add_step(w, "timed", KEEL_STEP(do_b, .before = "slow", .every = 1)),
                     KEEL_OK);
    assert_int_equal(keel_run_named(w, "timed", .dt = 0.25), KEEL_OK);
    assert_trail(w, "b"); // the one whose second has passed
    assert_int_equal(keel_enable_step(w, "timed", "slow", false), KEEL_OK);
    assert_int_equal(keel_run_named(w, "timed", .dt = 0.75), KEEL_OK);
    assert_trail(w, "b"); // 0.25 and 0.75
    api_end(&f);
}

KEEL_SYSTEM_ONCE(meddle, KEEL_WORLD(world)) {
    assert_int_equal(keel_enable_step(world, "outer", "do_c", false), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_remove_step(world, "outer", "do_c"), KEEL_ERROR_BORROWED);
}
KEEL_WORKLOAD(meddling, KEEL_STEP(meddle));

static void unknown_steps_are_an_error_that_names_the_others(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    keel_world *w = f.world;
    assert_int_equal(keel_enable_step(w, KEEL_DEFAULT_WORKLOAD, "a", true), KEEL_ERROR_UNKNOWN);
    assert_error(w, KEEL_ERROR_UNKNOWN, "no workload is named ''");
    assert_int_equal(keel_add_step(w, "frame", KEEL_STEP(do_a, .label = "x, y")), KEEL_OK);
    assert_int_equal(keel_add_step(w, "frame", KEEL_BARRIER), KEEL_OK);
    assert_int_equal(keel_add_step(w, "frame", KEEL_NESTED(ba)), KEEL_OK);
    assert_int_equal(keel_enable_step(w, "frame", "z", true), KEEL_ERROR_UNKNOWN);
    assert_error(w, KEEL_ERROR_UNKNOWN,
                 "no step of workload 'frame' is named 'z'; there is: do_a, x, y, ba");
    assert_int_equal(keel_remove_step(w, "frame", NULL), KEEL_ERROR_UNKNOWN);
    assert_int_equal(keel_remove_step(w, "other", "x"), KEEL_ERROR_UNKNOWN);
    assert_error(w, KEEL_ERROR_UNKNOWN, NULL);
    assert_int_equal(keel_add_workload(w, outer), KEEL_OK);
    assert_int_equal(keel_run_workload(w, meddling), KEEL_OK);
    api_end(&f);
}

// ------------------------------------------------------------------ .every
KEEL_WORKLOAD(clocks, KEEL_STEP(do_a, .every = 0.1), KEEL_STEP(do_b, .every = 0.25),
              KEEL_NESTED(ba, .every = 1), KEEL_STEP(do_c));

static void let_time_pass(api_fixture *f) {
    keel_world *w = f->world;
    assert_int_equal(keel_set_unique(w, Trail, { 0 }), KEEL_OK);
    uint32_t counts[3] = { 0 };
    for (uint32_t run = 1; run <= 300; ++run) {
        assert_int_equal(keel_run_workload(w, clocks, .dt = 1.0 / 30), KEEL_OK);
        const char *text = keel_get_unique(w, Trail)->text;
        const bool a = run % 3 == 0, both = run % 30 == 0;
        char expected[8] = "", *end = expected;
        if (a) *end++ = 'a';
        if (strchr(text, 'b') == text + a && !both) *end++ = 'b'; // 7.5 runs: counted below
        if (both) memcpy(end, "bba", 3), end += 3;
        *end++ = 'c';
        counts[1] += strchr(expected, 'b') != NULL;
        assert_trail(w, expected);
    }
    assert_int_equal(counts[1], 40); // in 10 seconds
}

static void steps_run_when_their_time_has_come(void **state) {
    (void)state;
    with_workers(let_time_pass);
}

static void what_was_missed_is_not_made_up_for(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    const keel_step steps[] = { KEEL_STEP(do_a, .every = 1, .run_if = KEEL_IF(is_on)) };
    const keel_workload one = WORKLOAD("one", steps);
    static const struct {
        double dt;
        bool on;
        const char *ran;
    } runs[] = { { 3.5, true, "a" }, { 0.4, true, "" }, { 0.1, true, "a" }, { 0.5, true, "" },
                 { 9, false, "" },   { 0.4, true, "" }, { 9, false, "" },   { 0, true, "" },
                 { 0.1, true, "a" }, { 0.9, true, "" }, { 0.9, true, "a" }, { 0.3, true, "a" } };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i) {
        keel_get_unique_mut(f.world, Switch)->on = runs[i].on; // while it is off no time passes
        const keel_run_desc desc = { .dt = runs[i].dt };
        assert_int_equal(keel_run_workload_of(f.world, &one, &desc), KEEL_OK);
        assert_trail(f.world, runs[i].ran);
    }
    api_end(&f);
}

static void time_goes_on_when_a_workload_is_planned_anew(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    keel_world *w = f.world;
    assert_int_equal(keel_add_step(w, "frame", KEEL_STEP(do_a, .every = 1)), KEEL_OK);
    assert_int_equal(keel_add_step(w, "frame", KEEL_NESTED(ba, .every = 1)), KEEL_OK);
    assert_int_equal(keel_run_named(w, "frame", .dt = 0.7), KEEL_OK);
    assert_int_equal(keel_add_step(w, "frame", KEEL_STEP(do_c, .every = 1)), KEEL_OK);
    assert_trail(w, "");
    assert_int_equal(keel_run_named(w, "frame", .dt = 0.3), KEEL_OK);
    assert_trail(w, "aba");
    assert_int_equal(keel_run_named(w, "frame", .dt = 0.7), KEEL_OK);
    assert_trail(w, "c"); // its time began when it was added
    api_end(&f);
}

static void impossible_times_are_refused(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    keel_world *w = f.world;
    const double impossible[] = { -1, 1e10, strtod("nan", NULL) };
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(keel_run_workload(w, abc, .dt = impossible[i]), KEEL_ERROR_ARGUMENT);
        assert_error(w, KEEL_ERROR_ARGUMENT, ".dt");
        const keel_step steps[] = { KEEL_STEP(do_a, .every = impossible[i]) };
        const keel_workload one = WORKLOAD("one", steps);
        assert_int_equal(keel_run_workload_of(w, &one, NULL), KEEL_ERROR_ARGUMENT);
        assert_error(w, KEEL_ERROR_ARGUMENT, ".every");
    }
    assert_trail(w, "");
    assert_int_equal(f.log.warnings, 0);
    assert_int_equal(keel_run_workload(w, clocks), KEEL_OK); // who forgets the time hears of it
    assert_int_equal(f.log.warnings, 1);
    assert_non_null(strstr(f.log.last, ".dt = seconds"));
    api_end(&f);
}

// ------------------------------------------------------------------ .times
KEEL_SYSTEM_ONCE(fail_once, KEEL_UNIQUE_WRITE(Trail, trail), KEEL_UNIQUE_WRITE(Switch, s),
                 KEEL_CONTEXT(context)) {
    leave(trail, 'f');
    if (!s->broken) keel_fail(context, NULL, "the first time");
    s->broken = true;
}

static void count_runs(api_fixture *f) {
    keel_world *w = f->world;
    assert_int_equal(keel_set_unique(w, Trail, { 0 }), KEEL_OK);
    assert_int_equal(keel_set_unique(w, Switch, { 0 }), KEEL_OK);
    const keel_step steps[] = { KEEL_STEP(do_a, .times = 3), KEEL_STEP(do_b, .startup = true),
                                KEEL_NESTED(abc, .times = 2),
                                KEEL_STEP(do_c, .times = 2, .run_if = KEEL_IF(is_on)) };
    const keel_workload all = WORKLOAD("all", steps);
    const char *const ran[] = { "ababc", "aabc", "a", "", "c", "c", "" };
    for (size_t i = 0; i < sizeof ran / sizeof *ran; ++i) {
        keel_get_unique_mut(w, Switch)->on = i >= 4;
        assert_int_equal(keel_run_workload_of(w, &all, NULL), KEEL_OK);
        assert_trail(w, ran[i]);
    }
}

static void steps_run_so_many_times(void **state) {
    (void)state;
    with_workers(count_runs);
}

static void a_run_that_failed_does_not_count(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    const keel_step steps[] = { KEEL_STEP(fail_once, .times = 2) };
    const keel_workload one = WORKLOAD("one", steps);
    assert_int_equal(keel_run_workload_of(f.world, &one, NULL), KEEL_ERROR_SYSTEM);
    for (int i = 0; i < 4; ++i)
        assert_int_equal(keel_run_workload_of(f.world, &one, NULL), KEEL_OK);
    assert_trail(f.world, "fff");
    assert_error(f.world, KEEL_ERROR_SYSTEM, "the first time");
    api_end(&f);
}

static void the_plan_says_when_steps_run(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    const keel_step steps[] = { KEEL_STEP(do_a, .times = 3), KEEL_STEP(do_b, .every = 0.5),
                                KEEL_NESTED(ba, .every = 2, .times = 1) };
    const keel_workload all = WORKLOAD("all", steps);
    char text[1500];
    assert_true(keel_world_explain_workload(f.world, &all, KEEL_EXPLAIN_TEXT, text, sizeof text));
    assert_non_null(strstr(text, "'do_a': writes Trail, 3 times\n"));
    assert_non_null(strstr(text, "'do_b': writes Trail, every 0.5 s\n"));
    assert_non_null(strstr(text, "nested: 'ba' in 'all', every 2 s\n"));
    assert_non_null(strstr(text, "'do_b' in 'ba': writes Trail, startup\n"));
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(a_workload_hands_data_to_all_its_systems, "a workload hands data to all its systems"),
    TEST(data_of_another_size_is_refused, "data of another size is refused"),
    TEST(steps_are_switched_off_and_on_by_name, "steps are switched off and on by name"),
    TEST(switching_plans_nothing_anew, "switching a step plans nothing anew"),
    TEST(what_stays_keeps_its_own_counts, "what stays keeps its own counts"),
    TEST(what_stays_nested_keeps_its_own_counts, "what stays nested keeps its own counts"),
    TEST(what_comes_before_has_its_own_counts, "what comes before has its own counts"),
    TEST(steps_are_taken_away_by_name, "steps are taken away by name"),
    TEST(unknown_steps_are_an_error_that_names_the_others,
         "unknown steps are an error that names the others"),
    TEST(steps_run_when_their_time_has_come, "steps run when their time has come"),
    TEST(what_was_missed_is_not_made_up_for, "periods that were missed are not made up for"),
    TEST(time_goes_on_when_a_workload_is_planned_anew,
         "time goes on when a workload is planned anew"),
    TEST(impossible_times_are_refused, "impossible times are refused"),
    TEST(steps_run_so_many_times, "steps run so many times"),
    TEST(a_run_that_failed_does_not_count, "a run that failed does not count"),
    TEST(the_plan_says_when_steps_run, "the plan says when steps run"),
};

int main(void) { return RUN(tests); }
