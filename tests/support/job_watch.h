// SPDX-License-Identifier: MIT
// Watches jobs of an executor. Each job must run once, on another thread than the one that submits
// it, and with a worker number that no other job has at that time. It is no executor itself: tests
// of executors and of schedules submit their jobs through it.
#pragma once
#include <keel/executor.h>

typedef struct job_watch {
    keel_executor executor;
    int32_t busy[KEEL_MAX_WORKERS]; // running jobs, by worker
    int32_t running, most_running;  // running jobs, and their highest number so far
    int32_t done;                   // jobs that have ended
    int32_t faults;                 // broken promises of the executor
} job_watch;

// A job. The test sets `watch`, `body` and its data, and zeroes the rest.
typedef struct watched_job {
    job_watch *watch;
    void (*body)(struct watched_job *job, uint32_t worker); // NULL: nothing
    void *data;                                             // data of the body
    int32_t number;                                         // more data of the body
    int32_t runs;
} watched_job;

void job_watch_init(job_watch *watch, keel_executor executor);
// Submits a job to the executor. Returns false if the executor refuses it.
bool job_watch_submit(job_watch *watch, watched_job *job);
// Submits a job repeatedly until the executor accepts it.
void job_watch_force(job_watch *watch, watched_job *job);
// Runs a job in the calling thread, as Keel does when the executor refuses it.
void job_watch_run(job_watch *watch, watched_job *job, uint32_t worker);
// Waits until `done` jobs have ended, and asserts that there were no faults.
void job_watch_wait(job_watch *watch, int32_t done);
// Asserts that each of the jobs ran once.
void job_watch_assert_once(const watched_job *jobs, int32_t count);

// Sleeps, so that other threads run.
void wait_some_us(uint32_t us);
// Returns the processor time that this process has used.
uint64_t processor_time_ns(void);
