// SPDX-License-Identifier: MIT
// The functions of job_watch.h. Threads other than the first must not call cmocka, so jobs count
// faults and job_watch_wait asserts that there are none. It contains no tests.
#define _POSIX_C_SOURCE 200809L
#include "support/job_watch.h"

#include "base/platform/platform.h"
#include "support/test.h"

#include <string.h>
#include <time.h>

// True while this thread submits or runs a job: no other job may begin on it.
static _Thread_local bool is_inside;

void job_watch_init(job_watch *watch, keel_executor executor) {
    memset(watch, 0, sizeof *watch);
    watch->executor = executor;
}

static void raise_most(job_watch *watch, int32_t running) {
    int32_t most = keeli_atomic_peek(&watch->most_running);
    while (most < running && !keeli_atomic_swap(&watch->most_running, &most, running)) {}
}

static void run(void *data, uint32_t worker) {
    watched_job *job = data;
    job_watch *watch = job->watch;
    bool fault = is_inside || worker < 1 || worker >= watch->executor.worker_count;
    worker %= KEEL_MAX_WORKERS;
    if (keeli_atomic_add(&watch->busy[worker], 1) != 1) fault = true;
    if (fault) (void)keeli_atomic_add(&watch->faults, 1);
    raise_most(watch, keeli_atomic_add(&watch->running, 1));
    is_inside = true;
    if (job->body) job->body(job, worker);
    is_inside = false;
    ++job->runs; // not atomic, so that the thread sanitizer notices two threads
    (void)keeli_atomic_add(&watch->running, -1);
    (void)keeli_atomic_add(&watch->busy[worker], -1);
    (void)keeli_atomic_add(&watch->done, 1);
}

bool job_watch_submit(job_watch *watch, watched_job *job) {
    const bool was_inside = is_inside;
    job->watch = watch;
    is_inside = true;
    const bool accepted = watch->executor.submit(watch->executor.context, run, job);
    is_inside = was_inside;
    return accepted;
}

void job_watch_force(job_watch *watch, watched_job *job) {
    while (!job_watch_submit(watch, job))
        wait_some_us(20);
}

void job_watch_run(job_watch *watch, watched_job *job, uint32_t worker) {
    job->watch = watch;
    if (job->body) job->body(job, worker);
    ++job->runs;
    (void)keeli_atomic_add(&watch->done, 1);
}

void job_watch_wait(job_watch *watch, int32_t done) {
    while (keeli_atomic_add(&watch->done, 0) < done)
        wait_some_us(20);
    assert_int_equal(keeli_atomic_add(&watch->done, 0), done);
    assert_int_equal(keeli_atomic_add(&watch->faults, 0), 0);
}

void job_watch_assert_once(const watched_job *jobs, int32_t count) {
    for (int32_t i = 0; i < count; ++i)
        assert_int_equal(jobs[i].runs, 1);
}

void wait_some_us(uint32_t us) {
    const struct timespec time = { us / 1000000, us % 1000000 * 1000 };
    nanosleep(&time, NULL);
}

uint64_t processor_time_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
