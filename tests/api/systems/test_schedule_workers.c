// SPDX-License-Identifier: MIT
// What does not depend on the number of workers: with one, everything runs first to last; nothing
// is split that did not ask for it; a failure stops what depends on it. And workloads of several
// threads.
#include "support/schedule_fixture.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

// ------------------------------------------------------------------ one worker
static pthread_t caller;
KEEL_SYSTEM_ONCE(one) { mark('1'), assert_true(pthread_equal(caller, pthread_self())); }
KEEL_SYSTEM_ONCE(two) { mark('2'), assert_true(pthread_equal(caller, pthread_self())); }
KEEL_SYSTEM_ONCE(three) { mark('3'), assert_true(pthread_equal(caller, pthread_self())); }
KEEL_WORKLOAD(inner, KEEL_STEP(two), KEEL_STEP(three, .before = "two"));
KEEL_WORKLOAD(free_systems, KEEL_STEP(one), KEEL_NESTED(inner));

static void one_worker_runs_first_to_last(void **state) {
    (void)state;
    api_fixture f;
    api_begin_with(&f, (keel_world_desc){ .worker_count = 1 });
    caller = pthread_self();
    for (int i = 0; i < 3; ++i)
        assert_runs(f.world, &KEEL_WORKLOAD_free_systems, "123", "13 32");
    assert_batches(f.world, &KEEL_WORKLOAD_free_systems,
                   "{0 2} {1}"); // though two could run at once
    api_end(&f);
}

// ------------------------------------------------------------------ loops
static atomic_uint lanes;
static void note_lane(const keel_context *context) {
    atomic_fetch_or(&lanes, 1u << keel_context_info(context, &(keel_run_info){ 0 })->worker);
}
KEEL_SYSTEM(count_up, KEEL_WRITE(Number, n), KEEL_CONTEXT(context)) {
    ++n->value;
    note_lane(context);
}
KEEL_WORKLOAD(whole, KEEL_STEP(count_up));
KEEL_WORKLOAD(in_pieces, KEEL_STEP(count_up, .parallel = true));

static void loop(api_fixture *f) {
    keel_world *w = f->world;
    enum { COUNT = 20000 };
    for (uint32_t i = 0; i < COUNT; ++i)
        (void)keel_add_entity(w, KEEL_INIT(Number, { i }));
    for (int i = 0; i < 5; ++i) {
        atomic_store(&lanes, 0);
        assert_int_equal(keel_run_workload(w, whole), KEEL_OK);
        const uint32_t used = atomic_load(&lanes);
        assert_true(used && !(used & (used - 1))); // one of them
    }
    for (int i = 0; i < 5; ++i)
        assert_int_equal(keel_run_workload(w, in_pieces), KEEL_OK);
    uint64_t sum = 0;
    KEEL_EACH(w, KEEL_READ(Number, n)) {
        sum += n->value;
    }
    assert_int_equal(sum, (uint64_t)COUNT * (COUNT - 1) / 2 + 10 * COUNT); // each of them once
}

static void loops_are_split_only_when_asked(void **state) {
    (void)state;
    with_workers(loop);
}

// ------------------------------------------------------------------ failure
static atomic_uint runs;
KEEL_SYSTEM_ONCE(fail_late, KEEL_MAY_WRITE(Number), KEEL_CONTEXT(context)) {
    mark('a'); // others fail long before
    mark('a');
    keel_fail(context, NULL, "the first in order");
}
KEEL_SYSTEM_ONCE(reads_number, KEEL_MAY_READ(Number)) { mark('b'); }
KEEL_SYSTEM_ONCE(asked_after, KEEL_MAY_READ(Third)) { mark('c'); }
KEEL_SYSTEM_ONCE(adds_third, KEEL_MAY_READ(Other), KEEL_COMMANDS(c, Third)) {
    mark('d');
    (void)keel_add_entity(c, KEEL_INIT(Third, { 1 }));
}
KEEL_SYSTEM_ONCE(fail_soon, KEEL_MAY_READ(Position), KEEL_CONTEXT(context)) {
    mark('e');
    keel_fail(context, NULL, "the second in order");
}
KEEL_SYSTEM_ONCE(independent, KEEL_MAY_WRITE(Health)) { mark('f'); }
KEEL_SYSTEM_ONCE(sees_third, KEEL_MAY_READ(Third), KEEL_CONTEXT(context)) {
    uint32_t count = 0;
    KEEL_EACH(context, KEEL_WITH(Third), KEEL_ENTITY(e))
        count += !keel_is_null(e);
    atomic_store(&runs, count);
    mark('g');
}
KEEL_SYSTEM_ONCE(fail_recording, KEEL_COMMANDS(c, Owned), KEEL_CONTEXT(context)) {
    (void)keel_add_entity(c, KEEL_INIT(Owned, owned_make()));
    mark('h');
    keel_fail(context, NULL, "the last in order");
}
KEEL_WORKLOAD(failing, KEEL_STEP(adds_third), KEEL_STEP(sees_third), KEEL_STEP(fail_late),
              KEEL_STEP(reads_number), KEEL_STEP(asked_after, .after = "reads_number"),
              KEEL_STEP(fail_soon), KEEL_STEP(independent), KEEL_STEP(fail_recording));

static void run_failing(api_fixture *f) {
    keel_world *w = f->world;
    owned_begin();
    for (uint32_t round = 1; round <= 8; ++round) {
        forget_marks();
        assert_int_equal(keel_run_workload(w, failing), KEEL_ERROR_SYSTEM);
        const keel_error error = *keel_first_error(w);
        keel_clear_errors(w);
        assert_string_equal(error.system, "fail_late");
        assert_string_equal(error.message, "system 'fail_late': the first in order");
        assert_int_equal(times_marked('a'), 2);
        assert_int_equal(times_marked('b') + times_marked('c'), 0); // they depend on it
        assert_int_equal(times_marked('d'), 1);
        assert_int_equal(times_marked('e'), 1);
        assert_int_equal(times_marked('f'), 1);
        assert_int_equal(times_marked('g'), 1);
        assert_int_equal(times_marked('h'), 1);
        assert_int_equal(atomic_load(&runs), round); // what others recorded is applied
        assert_int_equal(keel_count(w, Third), round);
        assert_int_equal(keel_count(w, Owned), 0); // its own are dropped
        assert_int_equal(owned.living, 0);
    }
    forget_marks();
}

static void a_failure_stops_what_depends_on_it(void **state) {
    (void)state;
    with_workers(run_failing);
}

// ------------------------------------------------------------------ several threads
static sem_t inside, leave;
static atomic_bool holds;
static void hold(void) {
    if (!atomic_exchange(&holds, false)) return;
    assert_int_equal(sem_post(&inside), 0);
    while (sem_wait(&leave) != 0) {}
}
KEEL_SYSTEM_ONCE(hold_mut, KEEL_MAY_WRITE(Number)) { hold(); }
KEEL_SYSTEM_ONCE(hold_shared, KEEL_MAY_READ(Number)) { hold(); }
KEEL_WORKLOAD(bad, KEEL_STEP(hold_mut));
KEEL_WORKLOAD(good, KEEL_STEP(hold_shared));

typedef struct thread_run {
    keel_world *world;
    const keel_workload *workload;
    keel_result result;
} thread_run;

static void *run_in_thread(void *data) {
    thread_run *run = data;
    run->result = keel_run_workload_of(run->world, run->workload, NULL);
    return NULL;
}

// Run it in another thread, and here while it is being run there.
static keel_result run_twice(keel_world *world, const keel_workload *workload) {
    pthread_t thread;
    thread_run other = { world, workload, KEEL_ERROR_CYCLE };
    assert_int_equal(sem_init(&inside, 0, 0), 0);
    assert_int_equal(sem_init(&leave, 0, 0), 0);
    atomic_store(&holds, true);
    assert_int_equal(keel_share_begin(world), KEEL_OK);
    assert_int_equal(pthread_create(&thread, NULL, run_in_thread, &other), 0);
    while (sem_wait(&inside) != 0) {}
    const keel_result result = keel_run_workload_of(world, workload, NULL);
    assert_int_equal(sem_post(&leave), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(keel_share_end(world), KEEL_OK);
    assert_int_equal(other.result, KEEL_OK);
    (void)sem_destroy(&inside);
    (void)sem_destroy(&leave);
    return result;
}

static void run_in_two_threads(api_fixture *f) {
    keel_world *w = f->world;
    (void)keel_add_entity(w, KEEL_INIT(Number, { 1 }));
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(run_twice(w, &KEEL_WORKLOAD_good), KEEL_OK);
        assert_no_error(w);
        assert_int_equal(run_twice(w, &KEEL_WORKLOAD_bad), KEEL_ERROR_BORROWED);
        assert_error(w, KEEL_ERROR_BORROWED, "hold_mut wants to write 'Number', which hold_mut");
        assert_int_equal(keel_run_workload(w, bad), KEEL_OK); // afterwards it runs
    }
}

static void two_threads_run_one_workload(void **state) {
    (void)state;
    with_workers(run_in_two_threads);
}

static const struct CMUnitTest tests[] = {
    // proves S-75
    TEST(one_worker_runs_first_to_last, "with one worker everything runs first to last"),
    // proves S-76
    TEST(loops_are_split_only_when_asked, "a loop is split only when it was asked for"),
    // proves S-65 S-67
    TEST(a_failure_stops_what_depends_on_it,
         "a failure stops what depends on it, and the first in order is told"),
    // proves S-5
    TEST(two_threads_run_one_workload,
         "two threads run one workload: readers may, of writers one is told"),
};

int main(void) { return RUN(tests); }
