// SPDX-License-Identifier: MIT
// Executors for tests: other ways to run jobs than the built-in pool, and troublesome ones.
#pragma once
#include "base/platform/platform.h"

#include <keel/executor.h>

// ------------------------------------------------------------------ a thread for each job
// Refuses when all worker numbers are taken. Must not move.
typedef struct thread_executor {
    keel_executor executor; // hand this to a world
    struct job_thread *threads;
} thread_executor;

void thread_executor_init(thread_executor *x, uint32_t worker_count);
// Waits for all jobs.
void thread_executor_deinit(thread_executor *x);

// ------------------------------------------------------------------ delays
// Lets another executor run the jobs, and makes each submit and each job wait before it begins and
// after it ends, now and then, for a while that a seed determines. Must not move.
typedef struct delaying_executor {
    keel_executor executor; // hand this to a world
    keel_executor inner;
    uint32_t most_us;
    uint64_t seed, drawn;
} delaying_executor;

// A delay is at most `most_us` long, mostly none.
void delaying_executor_init(delaying_executor *x, keel_executor inner, uint64_t seed,
                            uint32_t most_us);

// ------------------------------------------------------------------ refusals
// Refuses every second job, and lets another executor run the others. Must not move.
typedef struct refusing_executor {
    keel_executor executor; // hand this to a world
    keel_executor inner;
    uint64_t submitted;
} refusing_executor;

void refusing_executor_init(refusing_executor *x, keel_executor inner);
