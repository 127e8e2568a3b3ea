// SPDX-License-Identifier: MIT
// Watches jobs of an executor: each must run once, on another thread than the one that submits, and
// with a worker number that no other job has at that time.
#pragma once
#include <keel/executor.h>

typedef struct job_watch {
    keel_executor executor;
    int32_t busy[KEEL_MAX_WORKERS]; // jobs that run now, by worker
    int32_t running, most_running;  // jobs that run now, and the most there were
    int32_t done;                   // jobs that have ended
    int32_t faults;                 // broken promises of the executor
} job_watch;

// A job. Zero-initialised except for what the test wants to be done.
typedef struct watched_job {
    job_watch *watch;
    void (*body)(struct watched_job *job, uint32_t worker); // NULL: nothing
    void *data;                                             // for the body
    int32_t number;                                         // for the body
    int32_t runs;
} watched_job;

void job_watch_init(job_watch *watch, keel_executor executor);
// Submit `job` for the executor to run. As keel_executor.submit.
bool job_watch_submit(job_watch *watch, watched_job *job);
// The same, again and again until it is accepted.
void job_watch_force(job_watch *watch, watched_job *job);
// Run `job` here and now, as Keel does when the executor refuses it.
void job_watch_run(job_watch *watch, watched_job *job, uint32_t worker);
// Wait until so many jobs have ended. The running test fails when the executor broke a promise.
void job_watch_wait(job_watch *watch, int32_t done);
// The running test fails unless each of these ran once.
void job_watch_assert_once(const watched_job *jobs, int32_t count);

// Let other threads work for a while.
void wait_some_us(uint32_t us);
// Processor time that this process has used.
uint64_t processor_time_ns(void);
