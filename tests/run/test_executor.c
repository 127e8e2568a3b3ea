// SPDX-License-Identifier: MIT
// What Keel expects of an executor, asked of its own and of others; and the one that a world has.
#include "base/assert.h"
#include "support/api_fixture.h"
#include "support/executor_tbb.h"
#include "support/executors.h"
#include "support/job_watch.h"
#include "support/test.h"
#include "world.h"

#include <string.h>

// ------------------------------------------------------------------ the candidates
typedef enum executor_kind {
    POOL,
    THREADS,
    TBB,
    DELAYS,
    REFUSALS,
    TROUBLES,
    KIND_COUNT
} executor_kind;

typedef struct candidate {
    executor_kind kind;
    keeli_heap heap;
    keeli_pool pool;
    thread_executor threads;
    delaying_executor delaying;
    refusing_executor refusing;
    keel_executor *tbb, executor;
} candidate;

static keel_executor on_pool(candidate *c, uint32_t workers) {
    keeli_heap_init(&c->heap, (keel_allocator){ 0 });
    keeli_pool_init(&c->pool, &c->heap, workers, KEELI_POOL_SPIN_NS);
    return (keel_executor){ &c->pool, workers, keeli_pool_submit };
}

static void open_pool(candidate *c, uint32_t workers) {
    c->executor = on_pool(c, workers);
    if (c->kind == POOL) return;
    if (c->kind != REFUSALS) {
        delaying_executor_init(&c->delaying, c->executor, workers, 200);
        c->executor = c->delaying.executor;
    }
    if (c->kind == DELAYS) return;
    refusing_executor_init(&c->refusing, c->executor);
    c->executor = c->refusing.executor;
}

// False when this build cannot have it.
static bool open_candidate(candidate *c, executor_kind kind, uint32_t workers) {
    memset(c, 0, sizeof *c);
    c->kind = kind;
    if (kind == THREADS) {
        thread_executor_init(&c->threads, workers);
        c->executor = c->threads.executor;
    } else if (kind == TBB) {
#ifdef KEEL_TEST_TBB
        c->tbb = tbb_executor_create(workers);
        assert_non_null(c->tbb);
        c->executor = *c->tbb;
#else
        return false;
#endif
    } else open_pool(c, workers);
    assert_int_equal(c->executor.worker_count, workers);
    return true;
}

static void close_candidate(candidate *c) {
    if (c->kind == THREADS) {
        thread_executor_deinit(&c->threads);
    } else if (c->kind == TBB) {
#ifdef KEEL_TEST_TBB
        tbb_executor_destroy(c->tbb);
#endif
    } else {
        keeli_pool_deinit(&c->pool);
        assert_int_equal(c->heap.live, 0);
        keeli_heap_deinit(&c->heap);
    }
}

static const uint32_t worker_counts[] = { 2, 3, 8, 16 };

static void for_each_candidate(void (*test)(candidate *c, job_watch *watch)) {
    for (executor_kind kind = POOL; kind < KIND_COUNT; ++kind)
        for (int i = 0; i < 4; ++i) {
            candidate c;
            job_watch watch;
            if (!open_candidate(&c, kind, worker_counts[i])) continue;
            job_watch_init(&watch, c.executor);
            test(&c, &watch);
            close_candidate(&c);
            assert_int_equal(watch.faults, 0);
        }
}

// ------------------------------------------------------------------ what is expected
static void work_a_little(watched_job *job, uint32_t worker) {
    (void)worker;
    for (int32_t i = 0; i < job->number % 200; ++i)
        keeli_pause();
}

static void run_once(candidate *c, job_watch *watch) {
    enum { count = 300 };
    watched_job jobs[count];
    int32_t refused = 0;
    for (int32_t i = 0; i < count; ++i) {
        jobs[i] = (watched_job){ .body = work_a_little, .number = i };
        if (job_watch_submit(watch, &jobs[i])) continue;
        ++refused;
        job_watch_run(watch, &jobs[i], 0);
    }
    job_watch_wait(watch, count);
    job_watch_assert_once(jobs, count);
    assert_true(refused < count);
    if (c->kind == REFUSALS || c->kind == TROUBLES) assert_true(refused >= count / 2);
    assert_true(watch->most_running < (int32_t)c->executor.worker_count);
}

static void an_accepted_job_runs_once_elsewhere(void **state) {
    (void)state;
    for_each_candidate(run_once);
}

enum { tree_size = 255 };
typedef struct job_tree {
    watched_job jobs[tree_size]; // job i has the children 2i + 1 and 2i + 2
} job_tree;

static void submit_children(watched_job *job, uint32_t worker) {
    job_tree *tree = job->data;
    for (int32_t i = 2 * job->number + 1; i <= 2 * job->number + 2 && i < tree_size; ++i) {
        watched_job *child = &tree->jobs[i];
        *child = (watched_job){ .body = submit_children, .data = tree, .number = i };
        if (!job_watch_submit(job->watch, child)) job_watch_run(job->watch, child, worker);
    }
}

static void grow_tree(candidate *c, job_watch *watch) {
    job_tree tree;
    (void)c;
    tree.jobs[0] = (watched_job){ .body = submit_children, .data = &tree };
    job_watch_force(watch, &tree.jobs[0]);
    job_watch_wait(watch, tree_size);
    job_watch_assert_once(tree.jobs, tree_size);
}

static void jobs_submit_jobs(void **state) {
    (void)state;
    for_each_candidate(grow_tree);
}

// ------------------------------------------------------------------ a world's executor
static void a_world_has_threads_of_its_own(void **state) {
    (void)state;
    for (uint32_t workers = 2; workers <= 16; workers += 7) {
        watched_job jobs[50] = { 0 };
        job_watch watch;
        api_fixture f;
        api_begin_with(&f, (keel_world_desc){ .worker_count = workers });
        assert_int_equal(f.world->workers.count, workers);
        assert_int_equal(f.world->workers.executor.worker_count, workers);
        assert_int_equal(f.world->workers.pool.thread_count, 0);
        job_watch_init(&watch, f.world->workers.executor);
        for (int i = 0; i < 50; ++i)
            job_watch_force(&watch, &jobs[i]);
        api_end(&f); // some have not begun
        assert_int_equal(watch.faults, 0);
        job_watch_assert_once(jobs, 50);
    }
}

static void by_default_there_is_a_worker_for_each_core(void **state) {
    (void)state;
    api_fixture f;
    api_begin_with(&f, (keel_world_desc){ 0 });
    assert_int_equal(f.world->workers.count, keeli_core_count());
    api_end(&f);
    api_begin_with(&f, (keel_world_desc){ .worker_count = 1 });
    watched_job job = { 0 };
    job_watch watch;
    assert_int_equal(f.world->workers.count, 1);
    job_watch_init(&watch, f.world->workers.executor);
    assert_false(job_watch_submit(&watch, &job));
    api_end(&f);
    api_begin_with(&f, (keel_world_desc){ .worker_count = KEEL_MAX_WORKERS });
    assert_int_equal(f.world->workers.count, KEEL_MAX_WORKERS);
    api_end(&f);
}

static void a_world_takes_an_executor(void **state) {
    (void)state;
    thread_executor x;
    thread_executor_init(&x, 8);
    for (uint32_t limit = 0; limit <= 8; ++limit) {
        watched_job job = { 0 };
        job_watch watch;
        api_fixture f;
        keel_executor executor = x.executor;
        api_begin_with(&f, (keel_world_desc){ .executor = &executor, .worker_count = limit });
        memset(&executor, 0, sizeof executor); // it was copied
        assert_int_equal(f.world->workers.count, limit ? limit : 8);
        assert_int_equal(f.world->workers.executor.worker_count, 8); // numbers are below this
        job_watch_init(&watch, f.world->workers.executor);
        job_watch_force(&watch, &job);
        job_watch_wait(&watch, 1);
        assert_false(keeli_pool_is_hot(&f.world->workers.pool));
        api_end(&f);
    }
    thread_executor_deinit(&x);
}

// ------------------------------------------------------------------ mistakes
static int asserted;
static bool note_assertion(const char *condition, const char *message, const char *file, int line) {
    (void)condition, (void)message, (void)file, (void)line;
    ++asserted;
    return false;
}

static bool never(void *context, keel_job *job, void *data) {
    (void)context, (void)job, (void)data;
    return false;
}

static void expect_no_world(const keel_executor *executor, uint32_t workers, const char *part) {
    for (int mode = 0; mode < 2; ++mode) {
        log_record log = { 0 };
        counting_allocator memory;
        counting_allocator_init(&memory);
        asserted = 0;
        assert_null(keel_world_create(
            &(keel_world_desc){ .allocator = memory.allocator,
                                .log = log_to(&log),
                                .on_misuse = mode ? KEEL_MISUSE_RETURN : KEEL_MISUSE_ASSERT,
                                .worker_count = workers,
                                .executor = executor }));
        assert_int_equal(log.errors, 1);
        if (!strstr(log.last, part)) fail_msg("no '%s' in: %s", part, log.last);
        assert_int_equal(memory.live_blocks, 0);
#if KEELI_CHECKED
        assert_int_equal(asserted, !mode);
#else
        assert_int_equal(asserted, 0);
#endif
    }
}

static void impossible_workers_make_no_world(void **state) {
    (void)state;
    keel_set_assert_handler(note_assertion);
    expect_no_world(&(keel_executor){ .worker_count = 4 }, 0, "has no submit");
    expect_no_world(&(keel_executor){ .submit = never }, 0, "worker_count is 0");
    expect_no_world(&(keel_executor){ .submit = never, .worker_count = KEEL_MAX_WORKERS + 1 }, 0,
                    "KEEL_MAX_WORKERS");
    expect_no_world(&(keel_executor){ .submit = never, .worker_count = 4 }, 5, "executor's");
    expect_no_world(NULL, KEEL_MAX_WORKERS + 1, "KEEL_MAX_WORKERS");
    expect_no_world(NULL, UINT32_MAX, "KEEL_MAX_WORKERS");
    keel_set_assert_handler(NULL);
}

// Says of every job that it runs as the same worker.
typedef struct lying_executor {
    keel_executor executor, inner;
    uint32_t worker;
} lying_executor;
typedef struct lie {
    keel_job *job;
    void *data;
    uint32_t worker;
} lie;
static void tell_lie(void *data, uint32_t worker) {
    const lie l = *(lie *)data;
    (void)worker;
    free(data);
    l.job(l.data, l.worker);
}
static bool submit_lie(void *context, keel_job *job, void *data) {
    const lying_executor *x = context;
    lie *l = malloc(sizeof *l);
    assert_non_null(l);
    *l = (lie){ job, data, x->worker };
    if (x->inner.submit(x->inner.context, tell_lie, l)) return true;
    free(l);
    return false;
}

static void take_time(uint32_t begin, uint32_t end, const keel_piece *piece, void *data) {
    (void)begin, (void)end;
    uint32_t *calls = data;
    wait_some_us(1000); // less is no time at all on some systems, and a short loop stays on one
    if (piece->worker >= 4) (void)keeli_atomic_fetch_add(calls, 1000);
    (void)keeli_atomic_fetch_add(calls, 1);
}

static void wrong_workers_are_not_let_in(void **state) {
    static const uint32_t workers[] = { 0, 1, 4, UINT32_MAX };
    (void)state;
    for (uint32_t w = 0; w < 4; ++w) {
        thread_executor threads;
        thread_executor_init(&threads, 4);
        lying_executor lying = { .inner = threads.executor, .worker = workers[w] };
        lying.executor = (keel_executor){ &lying, 4, submit_lie };
        api_fixture f;
        api_begin_with(
            &f, (keel_world_desc){ .on_misuse = KEEL_MISUSE_RETURN, .executor = &lying.executor });
        uint32_t pieces = 0, rounds = 0;
        for (; rounds < 3000 && keel_last_error(f.world)->result == KEEL_OK; ++rounds)
            assert_int_equal(keel_parallel_for(f.world, 200, 1, take_time, &pieces), KEEL_OK);
        assert_int_equal(pieces, rounds * 200);
        thread_executor_deinit(&threads); // which waits for its jobs
        assert_error(f.world, KEEL_ERROR_ARGUMENT,
                     workers[w] == 1 ? "two jobs at once as worker 1" : "which does not exist");
        api_end(&f);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(an_accepted_job_runs_once_elsewhere, "an accepted job runs once, on another thread"),
    TEST(jobs_submit_jobs, "jobs submit jobs"),
    TEST(a_world_has_threads_of_its_own, "a world has threads of its own, which it takes along"),
    TEST(by_default_there_is_a_worker_for_each_core, "by default there is a worker for each core"),
    TEST(a_world_takes_an_executor, "a world takes an executor, and a limit below its workers"),
    TEST(wrong_workers_are_not_let_in, "jobs of workers that cannot be are not let in"),
    TEST(impossible_workers_make_no_world,
         "impossible workers make no world, and the log says why"),
};

int main(void) { return RUN(tests); }
