// SPDX-License-Identifier: MIT
// Startup systems of workloads that several threads run at once, for the first time.
#include "support/api_types.h"
#include "support/job_watch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { THREADS = 4, RUNS = 5 };

static atomic_uint started, done, failures, early, other_results, entered;
static keel_world *w;
static const keel_workload *workload;

// Takes a while, and fails a few times.
KEEL_SYSTEM_ONCE(load, KEEL_CONTEXT(context)) {
    const uint32_t before = done;
    ++started;
    wait_some_us(200);
    if (failures) {
        --failures;
        keel_fail(context, NULL, "not yet");
    } else done = before + 1;
}
KEEL_SYSTEM_ONCE(use, KEEL_MAY_READ(Number)) {
    if (!done) ++early;
}
KEEL_SYSTEM_ONCE(idle, KEEL_MAY_READ(Third)) { wait_some_us(20); }
KEEL_WORKLOAD(game, KEEL_STEP(idle), KEEL_STEP(load, .startup = true),
              KEEL_STEP(use, .after = "load"));
KEEL_SYSTEM(unknown, KEEL_WRITE(Large, large)) { large->word[0] = 1; }
KEEL_WORKLOAD(part_unknown, KEEL_STEP(unknown), KEEL_STEP(load, .startup = true),
              KEEL_STEP(use, .after = "load"));

static void *run(void *data) {
    (void)data;
    ++entered;
    while (entered < THREADS) // all at once
        wait_some_us(1);
    for (uint32_t i = 0; i < RUNS; ++i)
        if (keel_run_workload_of(w, workload, NULL) != KEEL_OK) ++other_results;
    return NULL;
}

static void run_at_once(void) {
    pthread_t threads[THREADS];
    assert_int_equal(keel_share_begin(w), KEEL_OK);
    for (uint32_t i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, run, NULL), 0);
    for (uint32_t i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(keel_share_end(w), KEEL_OK);
}

static void begin(api_fixture *f, uint32_t workers, const keel_workload *which, uint32_t fails) {
    api_begin_workers(f, workers);
    w = f->world;
    workload = which;
    assert_int_equal(keel_register(w, Number, Third), KEEL_OK);
    started = done = early = other_results = entered = 0;
    failures = fails;
}

static void one_thread_starts_up(void **state) {
    (void)state;
    for (uint32_t i = 0; i < test_rounds(30); ++i) {
        api_fixture f;
        begin(&f, 1u << i % 3, &KEEL_WORKLOAD_game, 0);
        run_at_once();
        assert_int_equal(started, 1);
        assert_int_equal(early, 0);
        assert_int_equal(other_results, 0);
        assert_int_equal(keel_run_workload(w, game), KEEL_OK);
        assert_int_equal(started, 1);
        assert_no_error(w);
        api_end(&f);
    }
}

static void another_tries_when_it_failed(void **state) {
    (void)state;
    for (uint32_t i = 0; i < test_rounds(30); ++i) {
        api_fixture f;
        begin(&f, 1u << i % 3, &KEEL_WORKLOAD_game, 3);
        run_at_once();
        assert_int_equal(started, 4);
        assert_int_equal(done, 1);
        assert_int_equal(early, 0);
        assert_int_equal(other_results, 3); // those who tried
        assert_error(w, KEEL_ERROR_SYSTEM, "not yet");
        api_end(&f);
    }
}

// A component that becomes known later: the workload is made ready anew for each run until then.
static void what_is_unknown_changes_nothing(void **state) {
    (void)state;
    for (uint32_t i = 0; i < test_rounds(15); ++i) {
        api_fixture f;
        begin(&f, 1u << i % 3, &KEEL_WORKLOAD_part_unknown, 0);
        run_at_once();
        assert_int_equal(started, 1);
        assert_int_equal(early, 0);
        assert_int_equal(keel_run_workload(w, part_unknown), KEEL_OK);
        assert_int_equal(started, 1);
        assert_no_error(w);
        api_end(&f);
    }
}

// ------------------------------------------------------------------ inside of itself
static keel_result inner_result;
static const keel_workload *around_itself;
KEEL_SYSTEM_ONCE(load_by_itself) {
    ++started;
    inner_result = keel_run_workload_of(w, around_itself, NULL);
}
KEEL_SYSTEM_ONCE(load_alone, KEEL_WORLD(world)) {
    ++started;
    inner_result = keel_run_workload_of(world, around_itself, NULL);
}
KEEL_SYSTEM_ONCE(count_use) { ++done; }
KEEL_WORKLOAD(around, KEEL_STEP(load_by_itself, .startup = true), KEEL_STEP(count_use));
KEEL_WORKLOAD(around_alone, KEEL_STEP(load_alone, .times = 1), KEEL_STEP(count_use));

static void run_around(const keel_workload *which, uint32_t workers, bool shared) {
    api_fixture f;
    begin(&f, workers, which, 0);
    if (shared) assert_int_equal(keel_share_begin(w), KEEL_OK);
    inner_result = KEEL_ERROR_MEMORY;
    around_itself = which;
    assert_int_equal(keel_run_workload_of(w, which, NULL), KEEL_OK);
    assert_int_equal(inner_result, KEEL_OK);
    assert_int_equal(started, 1);
    assert_int_equal(done, 2);
    if (shared) assert_int_equal(keel_share_end(w), KEEL_OK);
    assert_no_error(w);
    api_end(&f);
}

static void a_run_inside_of_it_does_not_wait(void **state) {
    (void)state;
    for (uint32_t workers = 1; workers <= 4; workers *= 2) {
        run_around(&KEEL_WORKLOAD_around, workers, false);
        run_around(&KEEL_WORKLOAD_around, workers, true);
        run_around(&KEEL_WORKLOAD_around_alone, workers, false); // found by the fuzzer
    }
}

static const struct CMUnitTest tests[] = {
    TEST(one_thread_starts_up, "of threads that run a workload at once one runs what starts it up, "
                               "and the others wait for it"),
    TEST(another_tries_when_it_failed, "when it failed another one tries"),
    TEST(what_is_unknown_changes_nothing, "also while the workload is made ready for each run"),
    TEST(a_run_inside_of_it_does_not_wait, "a run inside of what starts it up goes on without it"),
};

int main(void) { return RUN(tests); }
