// SPDX-License-Identifier: MIT
// Steps that are left out now and then: run_if, skip_if, skip_if_empty, skip_if_missing, of systems
// and of nested workloads; startup; and the thread that a system runs on.
#include "support/schedule_fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

// ------------------------------------------------------------------ conditions that count
typedef struct Switches {
    bool on[8], fails[8];
} Switches;
KEEL_UNIQUE(Switches);
static atomic_uint asked[8];

#define SWITCH(n)                                                                                  \
    KEEL_CONDITION(is_on_##n, KEEL_UNIQUE_READ(Switches, s), KEEL_CONTEXT(context)) {              \
        atomic_fetch_add(&asked[n], 1);                                                            \
        if (s->fails[n]) keel_fail(context, s, "switch %d is broken", n);                          \
        return s->on[n];                                                                           \
    }
SWITCH(0)
SWITCH(1)
SWITCH(2)

static Switches *begin_switches(keel_world *world) {
    for (int i = 0; i < 8; ++i)
        atomic_store(&asked[i], 0);
    assert_int_equal(keel_set_unique(world, Switches, { { 0 }, { 0 } }), KEEL_OK);
    return keel_get_unique_mut(world, Switches);
}

static void assert_asked(uint32_t zero, uint32_t one, uint32_t two) {
    const uint32_t expected[] = { zero, one, two };
    for (int i = 0; i < 3; ++i)
        assert_int_equal(atomic_exchange(&asked[i], 0), expected[i]);
}

static void ask_steps(api_fixture *f) {
    keel_world *w = f->world;
    Switches *s = begin_switches(w);
    const keel_step steps[] = { { MARK(a), .run_if = KEEL_IF(is_on_0) },
                                { MARK(b), .skip_if = KEEL_IF(is_on_1) },
                                { MARK(c), .run_if = KEEL_IF(is_on_0),
                                  .skip_if = KEEL_IF(is_on_1) },
                                { MARK(d), .after = "a, b, c" } };
    const keel_workload all = WORKLOAD("all", steps);
    for (uint32_t round = 0; round < 12; ++round) {
        s->on[0] = round & 1;
        s->on[1] = round & 2;
        const char *ran[] = { "bd", "abcd", "d", "ad" };
        assert_runs(w, &all, ran[round & 3], "");
        assert_asked(2, s->on[0] ? 2 : 1, 0); // skip_if is not asked when run_if says no
    }
}

static void run_if_and_skip_if_decide_about_a_step(void **state) {
    (void)state;
    with_workers(ask_steps);
}

static void ask_storages(api_fixture *f) {
    keel_world *w = f->world;
    Switches *s = begin_switches(w);
    s->on[0] = true;
    const keel_step steps[] = {
        { MARK(a), .skip_if_empty = KEEL_OF(Number), .run_if = KEEL_IF(is_on_0) },
        { MARK(b), .skip_if_missing = KEEL_UNIQUE_OF(Time), .run_if = KEEL_IF(is_on_0) },
        { MARK(c), .skip_if_missing = KEEL_UNIQUE_OF(Time), .skip_if_empty = KEEL_OF(Number),
          .run_if = KEEL_IF(is_on_0) },
        { MARK(d) }
    };
    const keel_workload all = WORKLOAD("all", steps);
    assert_runs(w, &all, "d", "");
    assert_asked(0, 0, 0); // nobody is asked about what is left out anyway
    const keel_entity e = keel_add_entity(w, KEEL_INIT(Number, { 1 }));
    assert_runs(w, &all, "ad", "");
    assert_asked(1, 0, 0);
    assert_int_equal(keel_set_unique(w, Time, { 0 }), KEEL_OK);
    assert_runs(w, &all, "abcd", "");
    assert_asked(3, 0, 0);
    (void)keel_delete_entity(w, e);
    assert_runs(w, &all, "bd", "");
    assert_int_equal(keel_remove_unique(w, Time), KEEL_OK);
    assert_runs(w, &all, "d", "");
    assert_asked(1, 0, 0);
}

static void skip_if_empty_and_skip_if_missing_look_at_storages(void **state) {
    (void)state;
    with_workers(ask_storages);
}

static keel_result run_steps(keel_world *world, const keel_step *steps, uint32_t count) {
    return keel_run_workload_of(
        world, &(keel_workload){ .name = "odd", .steps = steps, .step_count = count }, NULL);
}

static void ask_wrongly(api_fixture *f) {
    keel_world *w = f->world;
    const keel_step one[] = { { MARK(a), .skip_if_empty = KEEL_UNIQUE_OF(Time) } },
                    two[] = { { MARK(a), .skip_if_missing = KEEL_OF(Number) } },
                    three[] = { { MARK(a), .run_if = &mark_b } },
                    four[] = { { MARK(a), .skip_if = &mark_b } },
                    five[] = { { .system = KEEL_IF(is_on_0) } },
                    six[] = { { MARK(a), .parallel = true } };
    assert_int_equal(run_steps(w, one, 1), KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT, "skip_if_empty");
    assert_int_equal(run_steps(w, two, 1), KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT, "skip_if_missing");
    assert_int_equal(run_steps(w, three, 1), KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT, "'b', not a condition");
    assert_int_equal(run_steps(w, four, 1), KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT, "'b', not a condition");
    assert_int_equal(run_steps(w, five, 1), KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT, "'is_on_0' is a condition");
    assert_int_equal(run_steps(w, six, 1), KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT, "'a' cannot be split");
    assert_marks("", "");
}

static void impossible_conditions_are_refused(void **state) {
    (void)state;
    with_workers(ask_wrongly);
}

// ------------------------------------------------------------------ nested workloads
static void ask_nested(api_fixture *f) {
    keel_world *w = f->world;
    Switches *s = begin_switches(w);
    const keel_step deepest[] = { { MARK(a), .run_if = KEEL_IF(is_on_2) }, { MARK(b) } };
    const keel_workload deep = WORKLOAD("deep", deepest);
    const keel_step inside[] = { { .workload = &deep, .run_if = KEEL_IF(is_on_1) },
                                 { MARK(c), .run_if = KEEL_IF(is_on_2) } };
    const keel_workload nested = WORKLOAD("nested", inside);
    const keel_step steps[] = { { .workload = &nested, .run_if = KEEL_IF(is_on_0) },
                                { MARK(d), .after = "nested" },
                                { MARK(e) } };
    const keel_workload all = WORKLOAD("all", steps);
    for (int round = 0; round < 3; ++round) {
        *s = (Switches){ .on = { false, true, true } };
        assert_runs(w, &all, "de", "");
        assert_asked(1, 0, 0); // once for all that is inside, which asks nothing
        s->on[0] = true;
        s->on[1] = false;
        assert_runs(w, &all, "cde", "cd");
        assert_asked(1, 1, 1);
        s->on[1] = true;
        assert_runs(w, &all, "abcde", "ad bd cd");
        assert_asked(1, 1, 2);
        s->on[2] = false;
        assert_runs(w, &all, "bde", "bd");
        assert_asked(1, 1, 2);
    }
}

static void a_nested_workload_is_asked_once(void **state) {
    (void)state;
    with_workers(ask_nested);
}

static void ask_nested_storages(api_fixture *f) {
    keel_world *w = f->world;
    (void)begin_switches(w);
    const keel_step inside[] = { { MARK(a) }, { MARK(b), .run_if = KEEL_IF(is_on_0) } };
    const keel_workload nested = WORKLOAD("nested", inside);
    const keel_step steps[] = { { .workload = &nested, .skip_if_empty = KEEL_OF(Number) },
                                { .workload = &nested, .skip_if_missing = KEEL_UNIQUE_OF(Time) },
                                { .workload = &nested, .skip_if = KEEL_IF(is_on_1) } };
    for (uint32_t i = 0; i < 3; ++i) {
        const keel_workload one = { .name = "one", .steps = &steps[i], .step_count = 1 };
        const char *ran = i == 2 ? "a" : "";
        assert_runs(w, &one, ran, "");
        assert_asked(i == 2, i == 2, 0);
    }
    (void)keel_add_entity(w, KEEL_INIT(Number, { 1 }));
    assert_int_equal(keel_set_unique(w, Time, { 0 }), KEEL_OK);
    keel_get_unique_mut(w, Switches)->on[0] = keel_get_unique_mut(w, Switches)->on[1] = true;
    for (uint32_t i = 0; i < 3; ++i) {
        const keel_workload one = { .name = "one", .steps = &steps[i], .step_count = 1 };
        assert_runs(w, &one, i == 2 ? "" : "ab", "");
        assert_asked(i != 2, i == 2, 0);
    }
}

static void nested_workloads_have_all_conditions(void **state) {
    (void)state;
    with_workers(ask_nested_storages);
}

// ------------------------------------------------------------------ failure
static void break_switches(api_fixture *f) {
    keel_world *w = f->world;
    Switches *s = begin_switches(w);
    const keel_step steps[] = { { MARK(a), .run_if = KEEL_IF(is_on_0), .label = "guarded" },
                                { MARK(b), .after = "a" },
                                { MARK(c) } };
    const keel_workload all = WORKLOAD("all", steps);
    s->on[0] = s->fails[0] = true;
    for (int round = 0; round < 3; ++round) {
        forget_marks();
        assert_int_equal(keel_run_workload_of(w, &all, NULL), KEEL_ERROR_SYSTEM);
        const keel_error error = *keel_first_error(w);
        keel_clear_errors(w);
        assert_string_equal(error.system, "is_on_0");
        assert_string_equal(error.message, "condition 'is_on_0' of 'a': switch 0 is broken");
        assert_ptr_equal(error.object, s);
        assert_marks("c", ""); // what does not depend on it goes on
    }
    s->fails[0] = false;
    assert_runs(w, &all, "abc", "ab");
    const keel_step inside[] = { { MARK(a) }, { MARK(b), .run_if = KEEL_IF(is_on_2) } };
    const keel_workload nested = WORKLOAD("nested", inside);
    const keel_step around[] = { { .workload = &nested, .skip_if = KEEL_IF(is_on_1) },
                                 { MARK(c), .after = "nested" },
                                 { MARK(d) } };
    const keel_workload outer = WORKLOAD("outer", around);
    s->fails[1] = true;
    atomic_store(&asked[2], 0);
    assert_int_equal(keel_run_workload_of(w, &outer, NULL), KEEL_ERROR_SYSTEM);
    assert_error(w, KEEL_ERROR_SYSTEM, "condition 'is_on_1' of 'nested': switch 1 is broken");
    assert_marks("d", "");
    assert_int_equal(atomic_load(&asked[2]), 0);
    s->fails[1] = false;
    s->on[2] = true;
    assert_runs(w, &outer, "abcd", "ac bc");
}

static void a_condition_that_fails_names_its_step(void **state) {
    (void)state;
    with_workers(break_switches);
}

// ------------------------------------------------------------------ conditions that record
KEEL_CONDITION(adds_other, KEEL_UNIQUE_READ(Switches, s), KEEL_COMMANDS(c, Other),
               KEEL_CONTEXT(context)) {
    (void)keel_add_entity(c, KEEL_INIT(Other, { 1 }));
    if (s->fails[0]) keel_fail(context, NULL, "after recording");
    return s->on[0];
}
KEEL_CONDITION(adds_owned, KEEL_UNIQUE_READ(Switches, s), KEEL_COMMANDS(c)) {
    (void)keel_add_entity(c, KEEL_INIT(Owned, owned_make()));
    return s->on[1];
}
static atomic_uint others_seen;
KEEL_SYSTEM_ONCE(counts_others, KEEL_MAY_READ(Other), KEEL_CONTEXT(context)) {
    uint32_t sum = 0;
    KEEL_EACH(context, KEEL_READ(Other, o)) {
        sum += o->value;
    }
    atomic_store(&others_seen, sum);
}

static void record_in_conditions(api_fixture *f) {
    keel_world *w = f->world;
    Switches *s = begin_switches(w);
    owned_begin();
    const keel_step inside[] = { { MARK(a) }, { .system = &KEEL_SYSTEM_counts_others } };
    const keel_workload nested = WORKLOAD("nested", inside);
    const keel_step steps[] = {
        { MARK(b), .run_if = KEEL_IF(adds_other) },
        { .workload = &nested, .run_if = KEEL_IF(adds_other), .skip_if = KEEL_IF(adds_owned) },
        { .system = &KEEL_SYSTEM_counts_others }
    };
    const keel_workload all = WORKLOAD("all", steps);
    // what a condition recorded is applied when it says no, too, before what stands after it
    assert_runs(w, &all, "", "");
    assert_int_equal(atomic_load(&others_seen), 2);
    assert_int_equal(keel_count(w, Owned), 0);
    s->on[0] = true;
    assert_runs(w, &all, "ab", "");
    assert_int_equal(atomic_load(&others_seen), 4);
    assert_int_equal(keel_count(w, Owned), 1);
    s->on[1] = true;
    assert_runs(w, &all, "b", "");
    assert_int_equal(keel_count(w, Other), 6);
    assert_int_equal(keel_count(w, Owned), 2);
    s->fails[0] = true; // both are dropped then
    assert_int_equal(keel_run_workload_of(w, &all, NULL), KEEL_ERROR_SYSTEM);
    assert_error(w, KEEL_ERROR_SYSTEM, "condition 'adds_other' of 'b': after recording");
    assert_int_equal(keel_count(w, Other), 6);
    assert_marks("", "");
    assert_int_equal(keel_clear_entities(w), KEEL_OK);
    assert_owned_end();
}

static void conditions_may_record_commands(void **state) {
    (void)state;
    with_workers(record_in_conditions);
}

// ------------------------------------------------------------------ what depends on a failure
KEEL_SYSTEM_ONCE(fails_at_x, KEEL_MAY_WRITE(Position), KEEL_CONTEXT(context)) {
    keel_fail(context, NULL, "no");
}
KEEL_SYSTEM(idle_loop, KEEL_READ(Position, p), KEEL_WRITE(Velocity, v)) { v->x = p->x; }
KEEL_SYSTEM_ONCE(after_idle, KEEL_MAY_READ(Velocity)) { mark('a'); }
KEEL_SYSTEM_ONCE(beside, KEEL_MAY_READ(Health)) { mark('b'); }
KEEL_WORKLOAD(chain, KEEL_STEP(fails_at_x, .run_if = KEEL_IF(is_on_0)), KEEL_STEP(idle_loop),
              KEEL_STEP(after_idle), KEEL_STEP(beside));

static void fail_before_idle(api_fixture *f) {
    keel_world *w = f->world;
    Switches *s = begin_switches(w);
    for (int round = 0; round < 4; ++round) {
        s->on[0] = round & 1;
        forget_marks();
        assert_int_equal(keel_run_workload(w, chain), s->on[0] ? KEEL_ERROR_SYSTEM : KEEL_OK);
        assert_marks(s->on[0] ? "b" : "ab", "");
        keel_clear_errors(w);
    }
}

static void a_failure_passes_through_a_loop_over_nothing(void **state) {
    (void)state;
    with_workers(fail_before_idle);
}

// ------------------------------------------------------------------ startup
static void start_up(api_fixture *f) {
    keel_world *w = f->world;
    Switches *s = begin_switches(w);
    const keel_step steps[] = { { MARK(a), .startup = true },
                                { MARK(b), .after = "a" },
                                { MARK(c), .startup = true, .run_if = KEEL_IF(is_on_0) } };
    const keel_workload all = WORKLOAD("all", steps);
    assert_runs(w, &all, "ab", "ab");
    assert_asked(1, 0, 0);
    assert_runs(w, &all, "b", "");
    assert_asked(1, 0, 0);
    s->fails[0] = true;
    assert_int_equal(keel_run_workload_of(w, &all, NULL), KEEL_ERROR_SYSTEM);
    keel_clear_errors(w);
    s->fails[0] = false;
    s->on[0] = true;
    assert_runs(w, &all, "bc", ""); // the first run in which it may
    assert_asked(2, 0, 0);
    assert_runs(w, &all, "b", "");
    assert_asked(0, 0, 0);
    const keel_step inside[] = { { MARK(c) }, { MARK(d), .run_if = KEEL_IF(is_on_1) } };
    const keel_workload nested = WORKLOAD("nested", inside);
    const keel_step around[] = { { .workload = &nested, .startup = true }, { MARK(e) } };
    const keel_workload outer = WORKLOAD("outer", around);
    assert_runs(w, &outer, "ce", "");
    s->on[1] = true;
    assert_runs(w, &outer, "de", "");
    assert_runs(w, &outer, "e", "");
}

static void a_startup_step_runs_once(void **state) {
    (void)state;
    with_workers(start_up);
}

KEEL_SYSTEM_ONCE(fails_once, KEEL_UNIQUE_READ(Switches, s), KEEL_CONTEXT(context)) {
    mark('f');
    if (s->fails[3]) keel_fail(context, NULL, "not yet");
}
KEEL_WORKLOAD(fails_first, KEEL_STEP(fails_once, .startup = true));

static void start_up_later(api_fixture *f) {
    keel_world *w = f->world;
    Switches *s = begin_switches(w);
    s->fails[3] = true;
    assert_int_equal(keel_run_workload(w, fails_first), KEEL_ERROR_SYSTEM);
    assert_int_equal(keel_run_workload(w, fails_first), KEEL_ERROR_SYSTEM);
    assert_int_equal(times_marked('f'), 2);
    s->fails[3] = false;
    assert_runs(w, &KEEL_WORKLOAD_fails_first, "f", "");
    assert_runs(w, &KEEL_WORKLOAD_fails_first, "", "");
    keel_clear_errors(w);
}

static void a_startup_step_that_failed_runs_again(void **state) {
    (void)state;
    with_workers(start_up_later);
}

static void start_up_and_change(api_fixture *f) {
    keel_world *w = f->world;
    keel_step steps[] = { { MARK(a), .startup = true }, { MARK(b) } };
    const keel_workload all = WORKLOAD("all", steps);
    assert_int_equal(keel_world_add_workload(w, &all), KEEL_OK);
    assert_int_equal(keel_run_named(w, "all"), KEEL_OK);
    assert_marks("ab", "");
    // components become known, a group is made, the stored workload grows: it stays done
    assert_int_equal(keel_register_component(w, KEEL_OF(Number)) != NULL, true);
    assert_int_equal(keel_run_named(w, "all"), KEEL_OK);
    assert_marks("b", "");
    keel_group *group;
    const keel_group_desc desc = { .owned = (const keel_component *const[]){
                                       KEEL_OF(Number), KEEL_OF(Other), NULL } };
    assert_int_equal(keel_group_create_of(w, &desc, &group), KEEL_OK);
    assert_int_equal(keel_world_add_step(w, "all", &(keel_step){ MARK(c), .before = "a" }),
                     KEEL_OK);
    assert_int_equal(keel_run_named(w, "all"), KEEL_OK);
    assert_marks("bc", "");
    // one more of the same system is another step
    assert_int_equal(keel_world_add_step(w, "all", &(keel_step){ MARK(a), .startup = true }),
                     KEEL_OK);
    assert_int_equal(keel_run_named(w, "all"), KEEL_OK);
    assert_marks("abc", "");
    assert_int_equal(keel_run_named(w, "all"), KEEL_OK);
    assert_marks("bc", "");
    // the same name with the same system in another place
    const keel_step turned[] = { { MARK(b) },
                                 { MARK(d), .startup = true },
                                 { MARK(a), .startup = true } };
    const keel_workload again = WORKLOAD("all", turned);
    assert_int_equal(keel_world_add_workload(w, &again), KEEL_OK);
    assert_int_equal(keel_run_named(w, "all"), KEEL_OK);
    assert_marks("bd", "");
}

static void what_was_started_up_stays_so(void **state) {
    (void)state;
    with_workers(start_up_and_change);
}

// ------------------------------------------------------------------ the calling thread
static pthread_t ran_on[3];
KEEL_SYSTEM_ONCE(main_0, KEEL_UNIQUE_READ(Switches, s)) {
    (void)s;
    mark('0');
    ran_on[0] = pthread_self();
}
KEEL_SYSTEM_ONCE(main_1, KEEL_UNIQUE_READ(Switches, s)) {
    (void)s;
    mark('1');
    ran_on[1] = pthread_self();
}
KEEL_SYSTEM_ONCE(main_world, KEEL_WORLD(world)) {
    (void)world;
    mark('w');
    ran_on[2] = pthread_self();
}
KEEL_WORKLOAD(mains, KEEL_STEP(main_0), KEEL_STEP(main_1));

static void stay_on_the_thread(api_fixture *f) {
    keel_world *w = f->world;
    (void)begin_switches(w);
    const keel_step steps[] = {
        { MARK(a) }, { .workload = &KEEL_WORKLOAD_mains, .main_thread = true },
        { MARK(b) }, { .system = &KEEL_SYSTEM_main_world, .label = "all" },
        { MARK(c) }, { MARK(d) }
    };
    const keel_workload all = WORKLOAD("threads", steps);
    for (int round = 0; round < 20; ++round) {
        memset(ran_on, 0, sizeof ran_on);
        assert_runs(w, &all, "abcd01w", "01 0w 1w aw bw wc wd");
        for (int i = 0; i < 3; ++i)
            assert_true(pthread_equal(ran_on[i], pthread_self()));
    }
}

static void main_thread_steps_run_on_the_calling_thread(void **state) {
    (void)state;
    with_workers(stay_on_the_thread);
}

static void skip_the_only_one(api_fixture *f) {
    keel_world *w = f->world;
    Switches *s = begin_switches(w);
    const keel_step steps[] = {
        { MARK(a) },
        { .system = &KEEL_SYSTEM_main_0, .main_thread = true, .run_if = KEEL_IF(is_on_0) },
        { MARK(b) }
    };
    const keel_workload all = WORKLOAD("one", steps);
    const keel_workload alone = { .name = "alone", .steps = &steps[1], .step_count = 1 };
    const keel_step nested[] = { { .workload = &alone, .skip_if_missing = KEEL_UNIQUE_OF(Time) } };
    const keel_workload inside = WORKLOAD("inside", nested);
    for (int round = 0; round < 10; ++round) {
        s->on[0] = false;
        assert_runs(w, &all, "ab", "");
        assert_runs(w, &alone, "", "");
        assert_runs(w, &inside, "", "");
        s->on[0] = true;
        assert_runs(w, &all, "ab0", "");
        assert_runs(w, &alone, "0", "");
        assert_runs(w, &inside, "", "");
    }
}

static void skipping_the_only_main_thread_system_does_not_crash(void **state) {
    (void)state;
    with_workers(skip_the_only_one);
}

static const struct CMUnitTest tests[] = {
    TEST(run_if_and_skip_if_decide_about_a_step, "run_if and skip_if decide about a step"),
    TEST(skip_if_empty_and_skip_if_missing_look_at_storages,
         "skip_if_empty and skip_if_missing look at storages"),
    TEST(impossible_conditions_are_refused, "impossible conditions are refused"),
    // proves S-62
    TEST(a_nested_workload_is_asked_once, "a nested workload is asked once for all inside"),
    // proves S-62
    TEST(nested_workloads_have_all_conditions, "nested workloads have all conditions"),
    // proves S-65
    TEST(a_condition_that_fails_names_its_step,
         "a condition that fails names its step, and what depends on it does not run"),
    TEST(conditions_may_record_commands, "conditions may record commands"),
    // proves S-67
    TEST(a_failure_passes_through_a_loop_over_nothing,
         "what depends on a failure does not run, also behind a loop over nothing"),
    TEST(a_startup_step_runs_once, "a startup step runs once, when it may"),
    TEST(a_startup_step_that_failed_runs_again, "a startup step that failed runs again"),
    TEST(what_was_started_up_stays_so, "what was started up stays so when other things change"),
    TEST(main_thread_steps_run_on_the_calling_thread,
         "steps of the main thread run on the calling thread"),
    TEST(skipping_the_only_main_thread_system_does_not_crash,
         "skipping the only system of the main thread does not crash"),
};

int main(void) { return RUN(tests); }
