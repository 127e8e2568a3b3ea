// SPDX-License-Identifier: MIT
// The built-in pool of threads.
#define _GNU_SOURCE // pthread_setattr_default_np
#include "base/pool.h"

#include "support/data_fixture.h"
#include "support/job_watch.h"
#include "support/test.h"

#include <string.h>

typedef struct pool_fixture {
    test_heap memory;
    keeli_pool pool;
    job_watch watch;
} pool_fixture;

static void begin(pool_fixture *f, uint32_t worker_count, uint32_t spin_ns) {
    test_heap_init(&f->memory);
    keeli_pool_init(&f->pool, &f->memory.heap, worker_count, spin_ns);
    job_watch_init(&f->watch, (keel_executor){ &f->pool, worker_count, keeli_pool_submit });
}

static void end(pool_fixture *f) {
    keeli_pool_deinit(&f->pool);
    assert_int_equal(f->watch.faults, 0);
    test_heap_deinit(&f->memory);
}

static const uint32_t spins[] = { 0, KEELI_POOL_SPIN_NS, 1000000 };
enum { spin_count = sizeof spins / sizeof spins[0] };

// ------------------------------------------------------------------ gates
// Jobs that wait until the test opens a gate.
typedef struct gate {
    uint32_t open;
    int32_t arrived;
} gate;

static void wait_at_gate(watched_job *job, uint32_t worker) {
    gate *g = job->data;
    (void)worker;
    (void)keeli_atomic_add(&g->arrived, 1);
    while (!keeli_atomic_load(&g->open))
        wait_some_us(20);
}

static void wait_for_arrivals(gate *g, int32_t count) {
    while (keeli_atomic_add(&g->arrived, 0) < count)
        wait_some_us(20);
}

// ------------------------------------------------------------------ running
static void work_a_little(watched_job *job, uint32_t worker) {
    (void)worker;
    for (int32_t i = 0; i < job->number % 50; ++i)
        keeli_pause();
}

static void run_many(uint32_t worker_count, uint32_t spin_ns) {
    enum { count = 1000 };
    static watched_job jobs[count];
    pool_fixture f;
    begin(&f, worker_count, spin_ns);
    memset(jobs, 0, sizeof jobs);
    for (int32_t i = 0; i < count; ++i) {
        jobs[i] = (watched_job){ .body = work_a_little, .number = i };
        job_watch_force(&f.watch, &jobs[i]);
        if (i % 300 == 299) wait_some_us(200); // long enough to fall asleep
    }
    job_watch_wait(&f.watch, count);
    job_watch_assert_once(jobs, count);
    assert_in_range(f.watch.most_running, 1, worker_count - 1);
    end(&f);
}

static void every_job_runs_once(void **state) {
    (void)state;
    for (uint32_t workers = 2; workers <= 16; ++workers)
        for (int i = 0; i < spin_count; ++i)
            run_many(workers, spins[i]);
}

static void without_workers_every_job_is_refused(void **state) {
    (void)state;
    pool_fixture f;
    watched_job job = { 0 };
    begin(&f, 1, KEELI_POOL_SPIN_NS);
    assert_false(job_watch_submit(&f.watch, &job));
    assert_false(keeli_pool_is_hot(&f.pool));
    assert_int_equal(f.memory.memory.calls, 0);
    end(&f);
    assert_int_equal(job.runs, 0);
}

// Each job waits for all others: that ends only when each has a thread at the same time.
static void run_together(pool_fixture *f, int32_t count) {
    watched_job jobs[15] = { 0 };
    gate g = { 0 };
    const int32_t done = f->watch.done;
    for (int32_t i = 0; i < count; ++i) {
        jobs[i] = (watched_job){ .body = wait_at_gate, .data = &g };
        job_watch_force(&f->watch, &jobs[i]);
    }
    wait_for_arrivals(&g, count);
    keeli_atomic_store(&g.open, 1);
    job_watch_wait(&f->watch, done + count);
    job_watch_assert_once(jobs, count);
}

static void as_many_jobs_as_threads_run_together(void **state) {
    (void)state;
    for (uint32_t workers = 2; workers <= 16; workers += 1 + workers / 3)
        for (int i = 0; i < spin_count; ++i) {
            pool_fixture f;
            begin(&f, workers, spins[i]);
            for (uint32_t round = 0; round < test_rounds(60); ++round) {
                run_together(&f, (int32_t)(workers - 1));
                if (round % 4 == 0)
                    wait_some_us(round * 5); // before, while and after they doze off
            }
            assert_int_equal(f.watch.most_running, workers - 1);
            end(&f);
        }
}

// ------------------------------------------------------------------ jobs that submit jobs
typedef struct job_tree {
    watched_job jobs[1023]; // job i has the children 2i + 1 and 2i + 2
} job_tree;

static void submit_children(watched_job *job, uint32_t worker) {
    enum { count = 1023 };
    job_tree *tree = job->data;
    for (int32_t i = 2 * job->number + 1; i <= 2 * job->number + 2 && i < count; ++i) {
        watched_job *child = &tree->jobs[i];
        *child = (watched_job){ .body = submit_children, .data = tree, .number = i };
        if (!job_watch_submit(job->watch, child)) job_watch_run(job->watch, child, worker);
    }
}

static void jobs_submit_jobs(void **state) {
    (void)state;
    static job_tree tree;
    for (uint32_t workers = 2; workers <= 16; workers += 7)
        for (int i = 0; i < spin_count; ++i)
            for (int stop_early = 0; stop_early < 2; ++stop_early) {
                pool_fixture f;
                begin(&f, workers, spins[i]);
                tree.jobs[0] = (watched_job){ .body = submit_children, .data = &tree };
                job_watch_force(&f.watch, &tree.jobs[0]);
                if (!stop_early) job_watch_wait(&f.watch, 1023);
                end(&f); // runs what is left, and what that submits
                assert_int_equal(f.watch.done, 1023);
                job_watch_assert_once(tree.jobs, 1023);
            }
}

typedef struct submitter {
    job_watch *watch;
    watched_job jobs[500];
} submitter;

static void submit_all(void *data) {
    submitter *s = data;
    for (int32_t i = 0; i < 500; ++i)
        job_watch_force(s->watch, &s->jobs[i]);
}

static void several_threads_submit(void **state) {
    (void)state;
    static submitter submitters[4];
    keeli_thread threads[4];
    pool_fixture f;
    memset(submitters, 0, sizeof submitters);
    begin(&f, 4, KEELI_POOL_SPIN_NS);
    // the pool starts under all four of them; its memory comes from one heap
    for (int i = 0; i < 4; ++i) {
        submitters[i].watch = &f.watch;
        assert_true(keeli_thread_start(&threads[i], submit_all, &submitters[i]));
    }
    for (int i = 0; i < 4; ++i)
        keeli_thread_join(&threads[i]);
    job_watch_wait(&f.watch, 2000);
    for (int i = 0; i < 4; ++i)
        job_watch_assert_once(submitters[i].jobs, 500);
    end(&f);
}

// ------------------------------------------------------------------ limits
static void a_full_queue_refuses(void **state) {
    (void)state;
    static watched_job jobs[1 + 256];
    const int32_t capacity = (int32_t)keeli_pool_capacity(2);
    pool_fixture f;
    gate g = { 0 };
    assert_int_equal(capacity, 256);
    assert_true(keeli_pool_capacity(KEEL_MAX_WORKERS) >= 2 * KEEL_MAX_WORKERS);
    begin(&f, 2, 0);
    for (int round = 0; round < 3; ++round) {
        memset(jobs, 0, sizeof jobs);
        memset(&g, 0, sizeof g);
        jobs[capacity] = (watched_job){ .body = wait_at_gate, .data = &g };
        job_watch_force(&f.watch, &jobs[capacity]);
        wait_for_arrivals(&g, 1);
        for (int32_t i = 0; i < capacity; ++i)
            assert_true(job_watch_submit(&f.watch, &jobs[i]));
        watched_job refused = { 0 };
        for (int i = 0; i < 3; ++i)
            assert_false(job_watch_submit(&f.watch, &refused));
        keeli_atomic_store(&g.open, 1);
        job_watch_wait(&f.watch, (round + 1) * (capacity + 1));
        job_watch_assert_once(jobs, capacity + 1);
        assert_int_equal(refused.runs, 0);
    }
    end(&f);
}

static void without_memory_jobs_are_refused(void **state) {
    (void)state;
    pool_fixture f;
    watched_job job = { 0 };
    begin(&f, 4, KEELI_POOL_SPIN_NS);
    size_t attempts = 0;
    for (bool accepted = false; !accepted; ++attempts) {
        counting_allocator_fail_after(&f.memory.memory, attempts);
        accepted = job_watch_submit(&f.watch, &job);
        if (!accepted) assert_int_equal(f.memory.memory.live_blocks, 0);
    }
    assert_int_equal(attempts, 2); // one block for everything
    job_watch_wait(&f.watch, 1);
    counting_allocator_fail_after(&f.memory.memory, 0); // nothing more is needed
    watched_job more[50] = { 0 };
    for (int i = 0; i < 50; ++i)
        job_watch_force(&f.watch, &more[i]);
    job_watch_wait(&f.watch, 51);
    assert_int_equal(f.memory.memory.failures, 1);
    end(&f);
}

#if defined(__GLIBC__)
// Until it is given back, no thread can be started: none finds room for its stack.
static const size_t too_large = (SIZE_MAX >> (sizeof(size_t) > 4 ? 18 : 0)) & ~(size_t)0xFFFF;
static size_t refuse_threads(size_t stack_size) {
    pthread_attr_t attributes;
    size_t old;
    assert_int_equal(pthread_getattr_default_np(&attributes), 0);
    assert_int_equal(pthread_attr_getstacksize(&attributes, &old), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, stack_size), 0);
    assert_int_equal(pthread_setattr_default_np(&attributes), 0);
    assert_int_equal(pthread_attr_destroy(&attributes), 0);
    return old;
}

static void without_threads_jobs_are_refused(void **state) {
    (void)state;
    pool_fixture f;
    watched_job job = { 0 };
    begin(&f, 4, 0);
    const size_t stack = refuse_threads(too_large);
    for (int i = 0; i < 3; ++i)
        assert_false(job_watch_submit(&f.watch, &job));
    refuse_threads(stack);
    end(&f);
    assert_int_equal(job.runs, 0);
}

static void a_pool_makes_do_with_the_threads_it_got(void **state) {
    (void)state;
    watched_job jobs[100] = { 0 };
    pool_fixture f;
    gate g = { 0 };
    begin(&f, 4, 0);
    jobs[0] = (watched_job){ .body = wait_at_gate, .data = &g };
    assert_true(job_watch_submit(&f.watch, &jobs[0]));
    wait_for_arrivals(&g, 1);
    const size_t stack = refuse_threads(too_large);
    for (int i = 1; i < 50; ++i)
        assert_true(job_watch_submit(&f.watch, &jobs[i]));
    refuse_threads(stack);
    for (int i = 50; i < 100; ++i)
        assert_true(job_watch_submit(&f.watch, &jobs[i]));
    assert_int_equal(f.pool.thread_count, 1);
    keeli_atomic_store(&g.open, 1);
    job_watch_wait(&f.watch, 100);
    job_watch_assert_once(jobs, 100);
    assert_int_equal(f.watch.most_running, 1);
    end(&f);
}
#endif

// ------------------------------------------------------------------ beginning and end
static void threads_start_when_they_are_needed(void **state) {
    (void)state;
    watched_job jobs[3] = { 0 };
    gate g = { 0 };
    pool_fixture f;
    begin(&f, 16, 0);
    assert_int_equal(f.memory.memory.calls, 0);
    for (int32_t i = 0; i < 3; ++i) {
        assert_int_equal(f.pool.thread_count, i);
        jobs[i] = (watched_job){ .body = wait_at_gate, .data = &g };
        assert_true(job_watch_submit(&f.watch, &jobs[i]));
        wait_for_arrivals(&g, i + 1);
    }
    assert_int_equal(f.pool.thread_count, 3);
    keeli_atomic_store(&g.open, 1);
    end(&f);
    job_watch_assert_once(jobs, 3);
}

static void deinit_runs_what_was_submitted(void **state) {
    (void)state;
    for (int32_t count = 1; count <= 200; count += 13)
        for (int i = 0; i < spin_count; ++i) {
            watched_job jobs[200] = { 0 };
            pool_fixture f;
            begin(&f, 4, spins[i]);
            for (int32_t k = 0; k < count; ++k) {
                jobs[k] = (watched_job){ .body = work_a_little, .number = k };
                assert_true(job_watch_submit(&f.watch, &jobs[k]));
            }
            end(&f);
            job_watch_assert_once(jobs, count);
        }
}

static void pools_come_and_go(void **state) {
    (void)state;
    for (int32_t i = 0; i < 3000; ++i) {
        watched_job jobs[3] = { 0 };
        pool_fixture f;
        begin(&f, 2 + (uint32_t)i % 3, i % 2 ? KEELI_POOL_SPIN_NS : 0);
        for (int32_t k = 0; k < i % 4; ++k)
            assert_true(job_watch_submit(&f.watch, &jobs[k]));
        if (i % 5 == 0) job_watch_wait(&f.watch, i % 4);
        end(&f);
        job_watch_assert_once(jobs, i % 4);
    }
}

// ------------------------------------------------------------------ rest
static void nobody_works_when_there_is_nothing_to_do(void **state) {
    (void)state;
    pool_fixture f;
    begin(&f, 8, KEELI_POOL_SPIN_NS);
    run_together(&f, 7);
    wait_some_us(20000);
    const uint64_t before = processor_time_ns();
    wait_some_us(300000);
    const uint64_t used = processor_time_ns() - before;
#ifndef __EMSCRIPTEN__                   // where that is the time of the wall
    assert_in_range(used, 0, 100000000); // one worker that spins would use 300 ms
#else
    (void)used;
#endif
    assert_false(keeli_pool_is_hot(&f.pool));
    run_together(&f, 7);
    end(&f);
}

// Each job comes when spinning for it has just ended: spinning that never pays is given up, and
// begun again when jobs come soon.
static void jobs_that_come_seldom_are_not_waited_for(void **state) {
    (void)state;
    enum { count = 30, spin_us = 20000 };
    watched_job jobs[count] = { 0 };
    pool_fixture f;
    begin(&f, 2, spin_us * 1000);
    const uint64_t before = processor_time_ns();
    for (int32_t i = 0; i < count; ++i) {
        assert_true(job_watch_submit(&f.watch, &jobs[i]));
        wait_some_us(spin_us + spin_us / 10);
    }
    const uint64_t used = processor_time_ns() - before;
    assert_in_range(used, 0, count * spin_us / 2 * UINT64_C(1000)); // 40 ms of 600 when all is well
    job_watch_wait(&f.watch, count);
    for (int32_t done = count; !keeli_pool_is_hot(&f.pool);) {
        watched_job job = { 0 };
        job_watch_force(&f.watch, &job);
        job_watch_wait(&f.watch, ++done);
    }
    end(&f);
}

static void a_pool_is_hot_while_somebody_looks_for_a_job(void **state) {
    (void)state;
    watched_job job = { 0 }, blocking = { 0 };
    gate g = { 0 };
    pool_fixture f;
    begin(&f, 2, 4000000000);
    assert_false(keeli_pool_is_hot(&f.pool));
    job_watch_force(&f.watch, &job);
    while (!keeli_pool_is_hot(&f.pool))
        wait_some_us(20);
    blocking = (watched_job){ .body = wait_at_gate, .data = &g };
    job_watch_force(&f.watch, &blocking);
    wait_for_arrivals(&g, 1);
    assert_false(keeli_pool_is_hot(&f.pool));
    keeli_atomic_store(&g.open, 1);
    while (!keeli_pool_is_hot(&f.pool))
        wait_some_us(20);
    end(&f); // does not wait for the end of the 4 s
}

static const struct CMUnitTest tests[] = {
    TEST(every_job_runs_once, "every job runs once, each on a worker of its own, 2 to 16 workers"),
    TEST(without_workers_every_job_is_refused, "a pool of one worker refuses every job"),
    TEST(as_many_jobs_as_threads_run_together, "as many jobs as there are threads run together"),
    TEST(jobs_submit_jobs, "jobs submit jobs, also while the pool ends"),
    TEST(several_threads_submit, "several threads submit at once, from the first job on"),
    TEST(a_full_queue_refuses, "a full queue refuses jobs and takes some again later"),
    TEST(without_memory_jobs_are_refused, "without memory jobs are refused, later they are not"),
#if defined(__GLIBC__)
    TEST(without_threads_jobs_are_refused, "when no thread can start jobs are refused"),
    TEST(a_pool_makes_do_with_the_threads_it_got, "a pool makes do with the threads it got"),
#endif
    TEST(threads_start_when_they_are_needed,
         "threads start when they are needed, one for each job"),
    TEST(deinit_runs_what_was_submitted, "the end of a pool runs what was submitted"),
    TEST(pools_come_and_go, "thousands of pools come and go"),
    TEST(nobody_works_when_there_is_nothing_to_do, "an idle pool uses no processor time"),
    TEST(jobs_that_come_seldom_are_not_waited_for, "no worker spins for jobs that come seldom"),
    TEST(a_pool_is_hot_while_somebody_looks_for_a_job, "a pool is hot while a worker spins"),
};

int main(void) { return RUN(tests); }
