// SPDX-License-Identifier: MIT
// Executors for tests: a thread for each job, random delays, and refusals. They are not the
// built-in pool, which is tested by itself. tests/run/test_executor.c and tests/determinism use
// them.
#pragma once
#include "base/platform/platform.h"

#include <keel/executor.h>

// ------------------------------------------------------------------ a thread for each job
// Runs each job in a thread of its own, and refuses when all worker numbers are in use. Must not
// move.
typedef struct thread_executor {
    keel_executor executor; // the executor to pass to a world
    struct job_thread *threads;
} thread_executor;

void thread_executor_init(thread_executor *x, uint32_t worker_count);
// Waits for all jobs.
void thread_executor_deinit(thread_executor *x);

// ------------------------------------------------------------------ delays
// Passes the jobs to another executor, and at random delays submits, and jobs before they begin and
// after they end. A seed determines the delays. Must not move.
typedef struct delaying_executor {
    keel_executor executor; // the executor to pass to a world
    keel_executor inner;
    uint32_t most_us;
    uint64_t seed, drawn;
} delaying_executor;

// Sets the longest delay. Most delays are zero.
void delaying_executor_init(delaying_executor *x, keel_executor inner, uint64_t seed,
                            uint32_t most_us);

// ------------------------------------------------------------------ refusals
// Refuses every second job, and passes the others to another executor. Must not move.
typedef struct refusing_executor {
    keel_executor executor; // the executor to pass to a world
    keel_executor inner;
    uint64_t submitted;
} refusing_executor;

void refusing_executor_init(refusing_executor *x, keel_executor inner);
