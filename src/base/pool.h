// SPDX-License-Identifier: MIT
// The pool: the built-in executor, whose threads run jobs from one bounded queue. Threads start
// when they are first needed, and sleep when there is nothing to do. It does not know what a job
// is; run/workers.c submits them through keel_executor.
#pragma once
#include "base/memory.h"

#include <keel/executor.h>

// The time, in nanoseconds, for which a worker without a job looks for one before it sleeps. The
// system call that wakes a sleeping worker takes a few microseconds, and the job starts 5 to 50
// microseconds later. The ECS systems of one frame follow each other faster than that, so a worker
// stays awake between them.
enum { KEELI_POOL_SPIN_NS = 30000 };

typedef struct keeli_pool {
    keeli_heap *heap;
    uint32_t worker_count; // number of workers; worker 0 is any thread outside of the pool
    uint32_t spin_ns;      // KEELI_POOL_SPIN_NS; 0 if there are more workers than cores
    keeli_lock lock;       // held to start a thread, and to stop the pool
    uint32_t thread_count; // number of started threads; above 0, `shared` is not NULL
    uint32_t forks;        // keeli_fork_count when the pool was made; in a child process that
                           // function returns another number
    uint32_t thread_limit; // most threads to start: worker_count - 1, less after a failed start
    struct keeli_pool_shared *shared; // queue and threads (pool.c); NULL before the first submit
} keeli_pool;

// Makes a pool without threads, and allocates nothing. `heap` must outlive the pool.
void keeli_pool_init(keeli_pool *pool, keeli_heap *heap, uint32_t worker_count, uint32_t spin_ns);
// Runs all submitted jobs, then ends the threads. Only jobs may submit meanwhile; afterwards every
// submit fails. In a child process, which has none of the threads, it only frees memory.
void keeli_pool_deinit(keeli_pool *pool);

// Submits a job. This function is keel_executor.submit of the built-in executor; `pool` is a
// `keeli_pool *`. False when the queue is full, when the first thread cannot be started, when
// worker 0 is the only worker, or in a child process. Allocates if there is no thread yet.
bool keeli_pool_submit(void *pool, keel_job *job, void *data);
// True if more workers are looking for a job now than jobs are queued: a job submitted now would
// start within a microsecond and without a system call. Any thread may call this; the answer may be
// out of date when it returns.
bool keeli_pool_is_hot(const keeli_pool *pool);
// Returns the number of jobs that fit into the queue of a pool with this many workers.
uint32_t keeli_pool_capacity(uint32_t worker_count);
