// SPDX-License-Identifier: MIT
// Systems and workloads that several threads run in one world in shared mode; and components bound
// to threads in workloads.
#include "support/api_types.h"
#include "support/job_watch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { THREADS = 4, RUNS = 50, ENTITIES = 500 };

typedef struct user {
    pthread_t thread;
    keel_world *world;
    const keel_workload *workload;
    uint32_t number, well, borrowed, full, other;
} user;

static void count_result(user *u, keel_result result) {
    if (result == KEEL_OK) ++u->well;
    else if (result == KEEL_ERROR_BORROWED) ++u->borrowed;
    else if (result == KEEL_ERROR_SHARED) ++u->full;
    else ++u->other;
}

static void *run_workload(void *data) {
    user *u = data;
    for (uint32_t i = 0; i < RUNS; ++i)
        count_result(u, keel_run_workload_of(u->world, u->workload, NULL));
    return NULL;
}

// Each of `users` runs `body` in a thread of its own. The world is in shared mode meanwhile.
static void at_once(user *users, keel_world *world, const keel_workload *workload,
                    void *(*body)(void *data)) {
    assert_int_equal(keel_share_begin(world), KEEL_OK);
    for (uint32_t i = 0; i < THREADS; ++i) {
        users[i] = (user){ .world = world, .workload = workload, .number = i };
        assert_int_equal(pthread_create(&users[i].thread, NULL, body, &users[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_join(users[i].thread, NULL), 0);
    assert_int_equal(keel_share_end(world), KEEL_OK);
}

static void begin(api_fixture *f, uint32_t workers) {
    api_begin_workers(f, workers);
    // nothing becomes known in shared mode
    assert_int_equal(keel_register(f->world, Third, Health), KEEL_OK);
    for (uint32_t i = 0; i < ENTITIES; ++i)
        (void)keel_add_entity(f->world, KEEL_INIT(Number, { i }), KEEL_INIT(Other, { 1 }));
}

// ------------------------------------------------------------------ whole workloads
static atomic_uint sum;
KEEL_SYSTEM(add_up, KEEL_READ(Number, n)) { sum += n->value; }
KEEL_SYSTEM_ONCE(look_inside, KEEL_MAY_READ(Other), KEEL_CONTEXT(context)) {
    KEEL_EACH(context, KEEL_READ(Other, o)) {
        sum += o->value;
    }
}
KEEL_WORKLOAD(readers, KEEL_STEP(add_up), KEEL_STEP(look_inside),
              KEEL_STEP(add_up, .parallel = true));

static void workloads_that_read_run_at_once(void **state) {
    (void)state;
    for (uint32_t workers = 1; workers <= 4; workers *= 2) {
        api_fixture f;
        user users[THREADS];
        begin(&f, workers);
        sum = 0;
        at_once(users, f.world, &KEEL_WORKLOAD_readers, run_workload);
        for (uint32_t i = 0; i < THREADS; ++i)
            assert_int_equal(users[i].well, RUNS);
        const uint32_t once = 2 * (ENTITIES * (ENTITIES - 1) / 2) + ENTITIES;
        assert_int_equal(sum, once * RUNS * THREADS);
        assert_no_error(f.world);
        api_end(&f);
    }
}

// The first one to come holds the storage until the others have tried.
static atomic_uint inside, tried;
KEEL_SYSTEM_ONCE(hold_number, KEEL_MAY_WRITE(Number)) {
    if (inside++ == 0)
        while (tried < THREADS - 1)
            wait_some_us(20);
}
KEEL_WORKLOAD(writers, KEEL_STEP(hold_number));
static void *run_while_held(void *data) {
    user *u = data;
    while (u->number && !inside) // the first thread is the first
        wait_some_us(20);
    count_result(u, keel_run_workload(u->world, writers));
    ++tried;
    return NULL;
}

static void workloads_that_write_exclude_each_other(void **state) {
    (void)state;
    for (uint32_t workers = 1; workers <= 4; workers *= 2) {
        api_fixture f;
        user users[THREADS];
        begin(&f, workers);
        inside = tried = 0;
        at_once(users, f.world, NULL, run_while_held);
        assert_int_equal(users[0].well, 1);
        for (uint32_t i = 1; i < THREADS; ++i)
            assert_int_equal(users[i].borrowed, 1);
        assert_int_equal(inside, 1);
        assert_error(f.world, KEEL_ERROR_BORROWED, "'Number'");
        assert_int_equal(keel_run_workload(f.world, writers), KEEL_OK); // given back
        api_end(&f);
    }
}

KEEL_SYSTEM(plus_one, KEEL_WRITE(Other, o)) { ++o->value; }
KEEL_WORKLOAD(mixed, KEEL_STEP(add_up), KEEL_STEP(plus_one), KEEL_STEP(look_inside),
              KEEL_STEP(plus_one, .parallel = true));

// Whatever is refused, is refused as a whole: a loop runs over all entities or over none.
static void a_refused_loop_did_not_begin(void **state) {
    (void)state;
    for (uint32_t workers = 1; workers <= 4; workers *= 2) {
        api_fixture f;
        user users[THREADS];
        begin(&f, workers);
        at_once(users, f.world, &KEEL_WORKLOAD_mixed, run_workload);
        uint32_t first = 0, runs = 0;
        for (uint32_t i = 0; i < THREADS; ++i) {
            assert_int_equal(users[i].well + users[i].borrowed, RUNS);
            runs += users[i].well;
        }
        KEEL_EACH(f.world, KEEL_READ(Other, o)) {
            if (!first) first = o->value;
            assert_int_equal(o->value, first);
        }
        assert_in_range(first, 1 + 2 * runs, 1 + 2 * RUNS * THREADS);
        keel_clear_errors(f.world);
        api_end(&f);
    }
}

// ------------------------------------------------------------------ commands
static atomic_uint made;
KEEL_SYSTEM(double_up, KEEL_READ(Number, n), KEEL_ENTITY(e), KEEL_COMMANDS(commands)) {
    if (n->value % 50) return;
    (void)keel_add(commands, e, Third, { n->value });
    const keel_value values[] = { { KEEL_OF(Health), &(Health){ 7 } }, { NULL, NULL } };
    if (!keel_is_null(keel_add_entity_values(commands, values))) ++made;
}
KEEL_WORKLOAD(recorders, KEEL_STEP(double_up), KEEL_STEP(double_up, .parallel = true));

static void *run_systems(void *data) {
    user *u = data;
    for (uint32_t i = 0; i < RUNS; ++i) {
        count_result(u, keel_run(u->world, double_up));
        count_result(u, keel_run_parallel(u->world, double_up));
        count_result(u, keel_run_workload(u->world, recorders));
    }
    return NULL;
}

static void commands_of_all_threads_wait_for_the_end(void **state) {
    (void)state;
    for (uint32_t workers = 1; workers <= 4; workers *= 2) {
        api_fixture f;
        user users[THREADS];
        begin(&f, workers);
        made = 0;
        const uint32_t expected = ENTITIES / 50 * 4 * RUNS * THREADS;
        assert_int_equal(keel_reserve_component(f.world, &keel_entities, ENTITIES + expected),
                         KEEL_OK);
        at_once(users, f.world, NULL, run_systems);
        for (uint32_t i = 0; i < THREADS; ++i)
            assert_int_equal(users[i].well, 3 * RUNS);
        assert_int_equal(made, expected);
        assert_int_equal(keel_count(f.world, Third), 0); // nothing was applied yet
        assert_int_equal(keel_entity_count(f.world), ENTITIES);
        assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
        assert_int_equal(keel_count(f.world, Third), ENTITIES / 50);
        assert_int_equal(keel_count(f.world, Health), expected);
        assert_int_equal(keel_entity_count(f.world), ENTITIES + expected);
        assert_no_error(f.world);
        api_end(&f);
    }
}

// Room for new entities cannot be made while others look at them.
static void entities_run_out_with_a_clear_error(void **state) {
    (void)state;
    for (uint32_t workers = 1; workers <= 4; workers *= 2) {
        api_fixture f;
        user users[THREADS];
        begin(&f, workers);
        made = 0;
        at_once(users, f.world, NULL, run_systems);
        assert_error(f.world, KEEL_ERROR_SHARED,
                     "keel_reserve(world, keel_entities, count) before keel_share_begin");
        assert_in_range(made, 1, ENTITIES / 50 * 4 * RUNS * THREADS - 1);
        assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
        assert_int_equal(keel_count(f.world, Health), made);
        assert_int_equal(keel_count(f.world, Third), ENTITIES / 50);
        assert_int_equal(keel_run_workload(f.world, recorders), KEEL_OK); // grows again
        assert_no_error(f.world);
        api_end(&f);
    }
}

// One thread edits entities through a view while the others take handles for theirs, and give them
// back when their system fails.
KEEL_SYSTEM_ONCE(make_five, KEEL_COMMANDS(commands, Health)) {
    for (uint32_t i = 0; i < 5; ++i)
        if (!keel_is_null(keel_add_entity(commands, KEEL_INIT(Health, { 7 })))) ++made;
}
KEEL_SYSTEM_ONCE(make_and_fail, KEEL_COMMANDS(commands, Health), KEEL_CONTEXT(context)) {
    for (uint32_t i = 0; i < 5; ++i)
        (void)keel_add_entity(commands, KEEL_INIT(Health, { 7 }));
    keel_fail(context, NULL, "as asked");
}
static void edit_entities(user *u) {
    keel_view view; // whose context may look at entities is in its way for a moment
    while (keel_view_begin(&view, u->world, KEEL_TERMS(KEEL_MAY_EDIT_ENTITIES, KEEL_EDIT(Third, t)),
                           "an editor") != KEEL_OK) {}
    for (uint32_t k = 0; k < 5; ++k) {
        const keel_entity e = keel_add_entity(&view, KEEL_INIT(Third, { k }));
        if (k % 2) u->other += keel_delete_entity(&view, e) != KEEL_OK;
    }
    keel_view_end(&view);
}
static void *edit_or_record(void *data) {
    user *u = data;
    ++inside;
    while (inside < THREADS)
        wait_some_us(20); // so that they meet
    for (uint32_t i = 0; i < RUNS; ++i) {
        if (!u->number) edit_entities(u);
        else if (i % 3) u->other += keel_run(u->world, make_five) != KEEL_OK;
        else u->other += keel_run(u->world, make_and_fail) == KEEL_OK;
    }
    return NULL;
}

static void handles_are_taken_by_one_thread_at_a_time(void **state) {
    (void)state;
    api_fixture f;
    user users[THREADS];
    begin(&f, 1);
    made = inside = 0;
    assert_int_equal(
        keel_reserve_component(f.world, &keel_entities, ENTITIES + 10 * RUNS * THREADS), KEEL_OK);
    at_once(users, f.world, NULL, edit_or_record);
    for (uint32_t i = 0; i < THREADS; ++i)
        assert_int_equal(users[i].other, 0);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(keel_count(f.world, Health), made);
    assert_int_equal(keel_count(f.world, Third), 3 * RUNS);
    assert_int_equal(keel_entity_count(f.world), ENTITIES + made + 3 * RUNS);
    keel_clear_errors(f.world);
    api_end(&f);
}

// ------------------------------------------------------------------ views
static void *borrow_and_run(void *data) {
    user *u = data;
    for (uint32_t i = 0; i < RUNS; ++i) {
        keel_view view;
        const keel_result result =
            u->number % 2
                ? keel_view_begin(&view, u->world, KEEL_TERMS(KEEL_READ(Other, o)), "a reader")
                : keel_view_begin(&view, u->world, KEEL_TERMS(KEEL_WRITE(Other, o)), "a writer");
        count_result(u, result);
        if (result == KEEL_OK && u->number % 2 && keel_run(u->world, plus_one) == KEEL_OK)
            ++u->other; // this thread itself reads what the system writes
        if (result == KEEL_OK && keel_run(u->world, add_up) != KEEL_OK) ++u->other;
        keel_view_end(&view);
    }
    return NULL;
}

static void views_and_systems_of_several_threads_borrow_from_each_other(void **state) {
    (void)state;
    api_fixture f;
    user users[THREADS];
    begin(&f, 2);
    at_once(users, f.world, NULL, borrow_and_run);
    for (uint32_t i = 0; i < THREADS; ++i) {
        assert_int_equal(users[i].other, 0);
        assert_int_equal(users[i].well + users[i].borrowed, RUNS);
    }
    keel_clear_errors(f.world);
    api_end(&f);
}

// A walk over rows or over nothing is no use of the list of entities, which another thread edits.
typedef struct Row {
    uint32_t value;
} Row;
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE);
KEEL_SYSTEM(add_rows, KEEL_READ(Row, r)) { sum += r->value; }
KEEL_SYSTEM(add_nothing, KEEL_READ(Row, r), KEEL_WITH(Health)) { sum += r->value; }
static void *walk_or_edit(void *data) {
    user *u = data;
    for (uint32_t i = 0; i < RUNS; ++i) {
        if (!u->number) edit_entities(u);
        else if (i % 2) u->other += keel_run(u->world, add_rows) != KEEL_OK;
        else u->other += keel_run(u->world, add_nothing) != KEEL_OK;
    }
    return NULL;
}

static void walks_look_at_no_list_of_entities(void **state) {
    (void)state;
    api_fixture f;
    user users[THREADS];
    begin(&f, 1);
    for (uint32_t i = 0; i < 10; ++i)
        (void)keel_add_entity(f.world, KEEL_INIT(Row, { 1 }));
    assert_int_equal(keel_run(f.world, add_nothing), KEEL_OK);
    assert_int_equal(keel_reserve_component(f.world, &keel_entities, 2 * ENTITIES), KEEL_OK);
    sum = 0;
    at_once(users, f.world, NULL, walk_or_edit);
    for (uint32_t i = 0; i < THREADS; ++i)
        assert_int_equal(users[i].other, 0);
    assert_int_equal(sum, 10 * (THREADS - 1) * (RUNS / 2));
    keel_clear_errors(f.world);
    api_end(&f);
}

// ------------------------------------------------------------------ bound to threads
typedef struct Window {
    uint32_t frames;
} Window;
typedef struct Script {
    uint32_t calls;
} Script;
typedef struct Sound {
    uint32_t played;
} Sound;
KEEL_COMPONENT(Window, .threads = KEEL_THREADS_OWNER_ONLY);
KEEL_COMPONENT(Script, .threads = KEEL_THREADS_ONE_AT_A_TIME);
KEEL_COMPONENT(Sound, .threads = KEEL_THREADS_OWNER_WRITES);

static pthread_t owner;
static atomic_uint strangers, owners_at_once, scripts_at_once, meetings, shared_reads;
static void meet(atomic_uint *counter) {
    if (++*counter > 1) ++meetings;
    wait_some_us(30);
    --*counter;
}
static void be_the_owner(void) {
    if (!pthread_equal(pthread_self(), owner)) ++strangers;
    meet(&owners_at_once);
}
KEEL_SYSTEM_ONCE(draw, KEEL_MAY_READ(Window)) { be_the_owner(); }
KEEL_SYSTEM_ONCE(resize, KEEL_MAY_WRITE(Window)) { be_the_owner(); }
KEEL_SYSTEM_ONCE(play, KEEL_MAY_WRITE(Sound)) { be_the_owner(); }
KEEL_SYSTEM_ONCE(listen, KEEL_MAY_READ(Sound)) { ++shared_reads; }
KEEL_SYSTEM_ONCE(call_script, KEEL_MAY_READ(Script)) { meet(&scripts_at_once); }
KEEL_SYSTEM_ONCE(change_script, KEEL_MAY_WRITE(Script)) { meet(&scripts_at_once); }
KEEL_SYSTEM(count_calls, KEEL_WRITE(Script, s)) { ++s->calls; }
KEEL_SYSTEM(count_frames, KEEL_WRITE(Window, w)) {
    ++w->frames;
    if (!pthread_equal(pthread_self(), owner)) ++strangers;
}
KEEL_SYSTEM_ONCE(elsewhere_1, KEEL_MAY_WRITE(Number)) { wait_some_us(60); }
KEEL_SYSTEM_ONCE(elsewhere_2, KEEL_MAY_WRITE(Other)) { wait_some_us(60); }
KEEL_WORKLOAD(bound, KEEL_STEP(elsewhere_1), KEEL_STEP(elsewhere_2), KEEL_STEP(draw),
              KEEL_STEP(call_script), KEEL_STEP(draw), KEEL_STEP(listen), KEEL_STEP(call_script),
              KEEL_STEP(play), KEEL_STEP(listen), KEEL_STEP(resize), KEEL_STEP(change_script),
              KEEL_STEP(count_calls, .parallel = true), KEEL_STEP(count_frames, .parallel = true),
              KEEL_STEP(call_script));

static void bound_systems_run_where_they_must(void **state) {
    (void)state;
    owner = pthread_self();
    for (uint32_t workers = 1; workers <= 4; workers *= 2) {
        api_fixture f;
        begin(&f, workers);
        strangers = owners_at_once = scripts_at_once = meetings = shared_reads = 0;
        for (uint32_t i = 0; i < 300; ++i)
            (void)keel_add_entity(f.world, KEEL_INIT(Window), KEEL_INIT(Script), KEEL_INIT(Sound));
        for (uint32_t i = 0; i < 20; ++i)
            assert_int_equal(keel_run_workload(f.world, bound), KEEL_OK);
        assert_int_equal(strangers, 0);
        assert_int_equal(meetings, 0);
        assert_int_equal(shared_reads, 40);
        KEEL_EACH(f.world, KEEL_READ(Script, s), KEEL_READ(Window, w)) {
            assert_int_equal(s->calls, 20);
            assert_int_equal(w->frames, 20);
        }
        assert_no_error(f.world);
        api_end(&f);
    }
}

// From another thread the owner's systems are refused, and what depends on them is left out.
static void *run_bound_elsewhere(void *data) {
    user *u = data;
    count_result(u, keel_run_workload(u->world, bound));
    return NULL;
}

static void another_thread_cannot_run_what_is_bound(void **state) {
    (void)state;
    owner = pthread_self();
    for (uint32_t workers = 1; workers <= 4; workers *= 2) {
        api_fixture f;
        user u = { 0 };
        begin(&f, workers);
        strangers = meetings = shared_reads = 0;
        (void)keel_add_entity(f.world, KEEL_INIT(Window), KEEL_INIT(Script), KEEL_INIT(Sound));
        assert_int_equal(keel_share_begin(f.world), KEEL_OK);
        u.world = f.world;
        assert_int_equal(pthread_create(&u.thread, NULL, run_bound_elsewhere, &u), 0);
        assert_int_equal(pthread_join(u.thread, NULL), 0);
        assert_int_equal(keel_share_end(f.world), KEEL_OK);
        assert_int_equal(u.other, 1);
        assert_int_equal(strangers, 0);
        assert_int_equal(shared_reads, 1); // before `play`, which fails
        assert_error(f.world, KEEL_ERROR_THREAD, "'Window'");
        api_end(&f);
    }
}

// ------------------------------------------------------------------ changes
// Found by the fuzzer: steps of an inner run had ticks of their own, above the world's, so that
// later changes came before them.
typedef struct Followed {
    uint32_t value;
} Followed;
KEEL_COMPONENT(Followed, .tracking = KEEL_TRACK_ALL);

static uint32_t changes_seen;
KEEL_SYSTEM(raise_followed, KEEL_WRITE(Followed, n)) { ++n->value; }
KEEL_SYSTEM(see_followed, KEEL_CHANGED(Followed), KEEL_READ(Followed, n)) {
    changes_seen += n->value > 0;
}
KEEL_WORKLOAD(raise_last, KEEL_STEP(add_up), KEEL_STEP(add_up), KEEL_STEP(raise_followed));
KEEL_WORKLOAD(raise_only, KEEL_STEP(raise_followed));
KEEL_WORKLOAD(see_first, KEEL_STEP(see_followed), KEEL_STEP(raise_followed));

static void changes_after_a_shared_run_come_after_it(void **state) {
    api_fixture f;
    (void)state;
    begin(&f, 1);
    (void)keel_add_entity(f.world, KEEL_INIT(Followed, { 1 }));
    (void)keel_add_entity(f.world, KEEL_INIT(Followed, { 1 }), KEEL_INIT(Third, { 1 }));
    assert_int_equal(keel_run(f.world, see_followed), KEEL_OK);
    assert_int_equal(keel_share_begin(f.world), KEEL_OK);
    assert_int_equal(keel_run_workload(f.world, raise_last), KEEL_OK);
    KEEL_EACH(f.world, KEEL_WRITE(Followed, n), KEEL_WITH(Third)) {
        ++n->value;
    }
    assert_true(keel_world_check(f.world, NULL));
    assert_int_equal(keel_share_end(f.world), KEEL_OK);
    changes_seen = 0;
    assert_int_equal(keel_run(f.world, see_followed), KEEL_OK);
    assert_int_equal(changes_seen, 2);
    assert_no_error(f.world);
    api_end(&f);
}

static keel_world *outer_world;
static const keel_workload *inner;
KEEL_SYSTEM_ONCE(run_inside) {
    assert_int_equal(keel_run_workload_of(outer_world, inner, NULL), KEEL_OK);
}
KEEL_WORKLOAD(run_inside_first, KEEL_STEP(add_up), KEEL_STEP(run_inside), KEEL_STEP(add_up));
KEEL_WORKLOAD(run_inside_last, KEEL_STEP(add_up), KEEL_STEP(see_followed), KEEL_STEP(run_inside));

static void runs_inside_of_steps_change_at_their_time(void **state) {
    const keel_workload *const both[][2] = {
        { &KEEL_WORKLOAD_run_inside_first, &KEEL_WORKLOAD_see_first },
        { &KEEL_WORKLOAD_run_inside_last, &KEEL_WORKLOAD_raise_only },
    };
    (void)state;
    for (uint32_t i = 0; i < 2; ++i) {
        api_fixture f;
        begin(&f, 1);
        outer_world = f.world;
        inner = both[i][1];
        (void)keel_add_entity(f.world, KEEL_INIT(Followed, { 1 }));
        for (uint32_t frame = 0; frame < 4; ++frame) { // what is raised is seen one frame later
            changes_seen = 0;
            assert_int_equal(keel_run_workload_of(f.world, both[i][0], NULL), KEEL_OK);
            assert_true(keel_world_check(f.world, NULL));
            assert_int_equal(changes_seen, 1);
        }
        assert_no_error(f.world);
        api_end(&f);
    }
}

static const struct CMUnitTest tests[] = {
    // proves S-3
    TEST(workloads_that_read_run_at_once, "threads run workloads that read at once"),
    // proves S-4 S-53
    TEST(workloads_that_write_exclude_each_other,
         "of workloads that write one runs, the others are told what is in use"),
    TEST(a_refused_loop_did_not_begin, "a loop that is refused did not begin"),
    TEST(commands_of_all_threads_wait_for_the_end,
         "commands of all threads wait for keel_apply_commands, entities too"),
    TEST(entities_run_out_with_a_clear_error, "when entities run out the error says what to do"),
    TEST(handles_are_taken_by_one_thread_at_a_time,
         "edits of entities and new handles of commands exclude each other"),
    // proves S-4 S-5
    TEST(views_and_systems_of_several_threads_borrow_from_each_other,
         "views and systems of several threads borrow from each other"),
    TEST(walks_look_at_no_list_of_entities,
         "walks over rows or nothing look at no list of entities"),
    // proves S-100..S-106
    TEST(bound_systems_run_where_they_must,
         "in workloads, systems with bound components run in the world's thread, or "
         "one at a time"),
    // proves S-104 S-106
    TEST(another_thread_cannot_run_what_is_bound,
         "a workload in another thread is refused what is bound"),
    TEST(changes_after_a_shared_run_come_after_it,
         "what is changed after a workload that ran in shared mode is seen as later"),
    TEST(runs_inside_of_steps_change_at_their_time,
         "a workload that a step runs changes at the time of the step"),
};

int main(void) { return RUN(tests); }
