// SPDX-License-Identifier: MIT
// The built-in executor: threads that take jobs from one bounded queue. Threads start when they are
// first needed, and sleep when there is nothing to do.
#pragma once
#include "base/memory.h"

#include <keel/executor.h>

// How long a worker without a job looks for one before it sleeps. Waking a sleeper costs the system
// a few microseconds and the job 5 to 50; the systems of one frame follow each other faster.
enum { KEELI_POOL_SPIN_NS = 30000 };

typedef struct keeli_pool {
    keeli_heap *heap;
    uint32_t worker_count;            // whoever submits from outside included, as worker 0
    uint32_t spin_ns;                 // 0 when workers outnumber the cores
    keeli_lock lock;                  // taken to start a thread, and to stop
    uint32_t thread_count;            // that were started; above 0: `shared` is there
    uint32_t forks;                   // keeli_fork_count when it was made
    uint32_t thread_limit;            // below worker_count - 1 when the system refused a thread
    struct keeli_pool_shared *shared; // NULL before the first submit
} keeli_pool;

// Allocates nothing. `heap` must outlive the pool.
void keeli_pool_init(keeli_pool *pool, keeli_heap *heap, uint32_t worker_count, uint32_t spin_ns);
// Run what was submitted, then end the threads. Nobody but jobs submits meanwhile; afterwards
// everything is refused. In a child process, which has none of the threads, only memory is freed.
void keeli_pool_deinit(keeli_pool *pool);

// keel_executor.submit of a `keeli_pool *`. False when the queue is full, when the first thread
// cannot be started, when there is no worker but 0, or in a child process. Allocates when there is
// no thread yet.
bool keeli_pool_submit(void *pool, keel_job *job, void *data);
// Looks a worker for a job just now, so that one that is submitted starts within a microsecond and
// without a system call? Any thread may ask; the answer may be old when it arrives.
bool keeli_pool_is_hot(const keeli_pool *pool);
// How many jobs fit into the queue of a pool of so many workers.
uint32_t keeli_pool_capacity(uint32_t worker_count);
