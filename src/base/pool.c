// SPDX-License-Identifier: MIT
// The pool of threads. See pool.h for its interface; a model of this file is checked by spin
// (CONTRIBUTING.md).
//
// A worker is busy, or it looks for a job (spinning), or it sleeps (parked), or another thread has
// called it and it is about to look (waking). `idle` counts the workers that are not busy, by
// state.
// Invariant, except while a thread is changing the state: if more jobs are queued than workers spin
// or wake, no worker is parked. A thread that queues a job, or stops looking for one, restores the
// invariant by calling a parked worker; a worker that parks checks it afterwards. Each of these
// threads first writes one word (`tail` or `idle`) and then reads the other, so that of two threads
// that do this at once at least one sees what the other has written.
#include "base/pool.h"

#include "base/assert.h"

#include <string.h>

// The parts of `idle`, 10 bits each, enough for KEEL_MAX_WORKERS - 1 threads.
#define SPINNING 1u
#define WAKING (1u << 10)
#define PARKED (1u << 20)

static uint32_t spinning(uint32_t idle) { return idle & 0x3FF; }
static uint32_t parked(uint32_t idle) { return idle >> 20; }
static uint32_t looking(uint32_t idle) { return (idle & 0x3FF) + (idle >> 10 & 0x3FF); }

typedef struct queued_job {
    keel_job *run;
    void *data;
} queued_job;

// A cell of the ring. Jobs are numbered without end; `turn` says what may be done next in the cell
// of job n: n to fill it, n + 1 to remove the job, n + capacity to fill it in the next round.
typedef struct queue_cell {
    uint32_t turn;
    queued_job job;
} queue_cell;

typedef struct pool_worker {
    keeli_thread thread;
    keeli_pool *pool;
    uint32_t number;
} pool_worker;

enum { CACHE_LINE = 64 };

// The state that all threads share, in one block with the cells and the workers behind it.
typedef struct keeli_pool_shared {
    _Alignas(CACHE_LINE) uint32_t tail; // number of the next job that is queued
    _Alignas(CACHE_LINE) uint32_t head; // number of the next job that is removed
    _Alignas(CACHE_LINE) uint32_t idle; // numbers of workers that spin, wake and are parked
    // the members from here on hardly change while threads look for jobs
    _Alignas(CACHE_LINE) uint32_t mask; // capacity of the queue - 1
    uint32_t stopping;
    queue_cell *cells;
    pool_worker *workers;
    keeli_lock lock; // guards `calls` and `last_called`
    keeli_condition called;
    uint32_t calls;       // calls that no sleeper has answered yet
    uint64_t last_called; // time of the last call, in ns
} keeli_pool_shared;

// ------------------------------------------------------------------ the queue
// Adds a job to the queue. False if the queue is full.
static bool push_job(keeli_pool_shared *shared, queued_job job) {
    uint32_t at = keeli_ordered_load(&shared->tail);
    for (;;) {
        queue_cell *cell = &shared->cells[at & shared->mask];
        const int32_t ahead = (int32_t)(keeli_atomic_load(&cell->turn) - at);
        if (ahead < 0)
            return false; // full: the cell still has the job of the round before
        if (ahead > 0)
            at = keeli_ordered_load(&shared->tail); // another thread has filled it
        else if (keeli_ordered_swap(&shared->tail, &at, at + 1)) {
            cell->job = job;
            keeli_atomic_store(&cell->turn, at + 1);
            return true;
        }
    }
}

// Removes the oldest job from the queue. False if the queue is empty.
static bool pop_job(keeli_pool_shared *shared, queued_job *job) {
    uint32_t at = keeli_ordered_load(&shared->head);
    for (;;) {
        queue_cell *cell = &shared->cells[at & shared->mask];
        const int32_t ahead = (int32_t)(keeli_atomic_load(&cell->turn) - (at + 1));
        if (ahead < 0)
            return false;
        if (ahead > 0)
            at = keeli_ordered_load(&shared->head);
        else if (keeli_ordered_swap(&shared->head, &at, at + 1)) {
            *job = cell->job;
            keeli_atomic_store(&cell->turn, at + shared->mask + 1);
            return true;
        }
    }
}

// Returns the number of queued jobs, including jobs that are just being written to their cells.
static uint32_t waiting(const keeli_pool_shared *shared) {
    const uint32_t head = keeli_ordered_load(&shared->head);
    return keeli_ordered_load(&shared->tail) - head;
}

// ------------------------------------------------------------------ sleeping and waking
static void call_sleepers(keeli_pool_shared *shared, uint32_t count) {
    const uint64_t now = keeli_clock_ns();
    keeli_lock_acquire(&shared->lock);
    shared->last_called = now;
    shared->calls += count;
    keeli_lock_release(&shared->lock);
    if (count == 1)
        keeli_condition_wake(&shared->called);
    else
        keeli_condition_wake_all(&shared->called);
}

// Calls a sleeper if there are more jobs than workers that spin or wake. False if a call is needed
// and no worker sleeps.
static bool call_if_short(keeli_pool_shared *shared) {
    uint32_t idle = keeli_ordered_load(&shared->idle);
    while (waiting(shared) > looking(idle)) {
        if (!parked(idle))
            return false;
        if (!keeli_ordered_swap(&shared->idle, &idle, idle - PARKED + WAKING))
            continue;
        call_sleepers(shared, 1);
        break;
    }
    return true;
}

// Undoes the first step of park for a worker that counts as parked but is still awake. False if
// another thread has called it already.
static bool unpark(keeli_pool_shared *shared) {
    uint32_t idle = keeli_ordered_load(&shared->idle);
    while (parked(idle))
        if (keeli_ordered_swap(&shared->idle, &idle, idle - PARKED + SPINNING))
            return true;
    return false;
}

// Sleeps until there is something to do. Returns the time of the call that ended the sleep, or 0 if
// a job was queued before the worker slept.
static uint64_t park(keeli_pool_shared *shared) {
    (void)keeli_ordered_add(&shared->idle, PARKED - SPINNING);
    const bool has_work = waiting(shared) || keeli_ordered_load(&shared->stopping);
    if (has_work && unpark(shared))
        return 0;

    keeli_lock_acquire(&shared->lock);
    while (!shared->calls)
        keeli_condition_wait(&shared->called, &shared->lock);
    --shared->calls;
    const uint64_t called = shared->last_called;
    keeli_lock_release(&shared->lock);

    (void)keeli_ordered_add(&shared->idle, SPINNING - WAKING);
    return called;
}

// ------------------------------------------------------------------ starting threads
uint32_t keeli_pool_capacity(uint32_t worker_count) {
    uint32_t capacity = 256;
    while (capacity < 4 * worker_count)
        capacity *= 2;
    return capacity;
}

static size_t shared_size(uint32_t worker_count) {
    return sizeof(keeli_pool_shared) + keeli_pool_capacity(worker_count) * sizeof(queue_cell) +
           (worker_count - 1) * sizeof(pool_worker);
}

// Allocates the shared state, unless it was done. False when out of memory.
static bool make_shared(keeli_pool *pool) {
    if (pool->shared)
        return true;
    const uint32_t capacity = keeli_pool_capacity(pool->worker_count);
    keeli_pool_shared *shared =
        keeli_new_zeroed(pool->heap, shared_size(pool->worker_count), _Alignof(keeli_pool_shared));
    if (!shared)
        return false;

    shared->mask = capacity - 1;
    shared->cells = (queue_cell *)(shared + 1);
    shared->workers = (pool_worker *)(shared->cells + capacity);
    for (uint32_t i = 0; i < capacity; ++i)
        shared->cells[i].turn = i;
    keeli_lock_init(&shared->lock);
    keeli_condition_init(&shared->called);
    pool->shared = shared;
    return true;
}

static void run_worker(void *worker);

// Starts one more thread, which looks for a job at once. If the system refuses, the pool stays as
// large as it is: to try again and again would cost more than another thread could gain.
static void start_thread(keeli_pool *pool) {
    const uint32_t count = pool->thread_count;
    pool_worker *worker = &pool->shared->workers[count];
    worker->pool = pool;
    worker->number = count + 1;

    (void)keeli_ordered_add(&pool->shared->idle, WAKING);
    if (keeli_thread_start(&worker->thread, run_worker, worker)) {
        keeli_atomic_store(&pool->thread_count, count + 1);
    } else {
        (void)keeli_ordered_add(&pool->shared->idle, 0 - WAKING);
        keeli_atomic_store(&pool->thread_limit, count);
    }
}

static bool start_first_thread(keeli_pool *pool) {
    if (keeli_atomic_load(&pool->thread_limit) == 0)
        return false;
    keeli_lock_acquire(&pool->lock);
    if (pool->thread_count == 0 && pool->thread_limit && make_shared(pool))
        start_thread(pool);
    const bool started = pool->thread_count > 0;
    keeli_lock_release(&pool->lock);
    return started;
}

static void start_another_thread(keeli_pool *pool) {
    if (keeli_atomic_load(&pool->thread_count) >= keeli_atomic_load(&pool->thread_limit))
        return;
    keeli_lock_acquire(&pool->lock);
    const bool stopping = keeli_ordered_load(&pool->shared->stopping);
    if (!stopping && pool->thread_count < pool->thread_limit)
        start_thread(pool);
    keeli_lock_release(&pool->lock);
}

// Restores the invariant. If all threads are busy and there are more jobs, starts another thread.
static void get_help(keeli_pool *pool) {
    if (!call_if_short(pool->shared))
        start_another_thread(pool);
}

// ------------------------------------------------------------------ a worker
// Looks for a job for `spin_ns` nanoseconds, at least once. False if there was none.
static bool spin(keeli_pool_shared *shared, uint32_t spin_ns, queued_job *job) {
    enum { LOOKS_PER_CLOCK = 32 }; // a look takes 10 to 40 ns, reading the clock 25
    if (pop_job(shared, job))
        return true;
    if (!spin_ns)
        return false;

    const uint64_t begin = keeli_clock_ns();
    while (!keeli_ordered_load(&shared->stopping) && keeli_clock_ns() - begin < spin_ns)
        for (uint32_t i = 0; i < LOOKS_PER_CLOCK; ++i) {
            keeli_pause();
            if (waiting(shared) && pop_job(shared, job))
                return true;
        }
    return false;
}

// Waits for a job. False if the pool stops and no job is left. `*patience_ns` is the time for which
// the worker spins before it sleeps. It is halved after each long wait, because spinning may keep a
// core from the thread that will submit the next job; a short wait sets it to the full time again.
static bool find_job(const keeli_pool *pool, uint32_t *patience_ns, queued_job *job) {
    keeli_pool_shared *shared = pool->shared;
    const uint64_t begin = keeli_clock_ns();
    uint64_t called = 0;
    while (!spin(shared, *patience_ns, job)) {
        if (keeli_ordered_load(&shared->stopping) && !waiting(shared))
            return false;
        called = park(shared);
    }

    const bool was_short = called < begin + pool->spin_ns;
    *patience_ns = was_short ? pool->spin_ns : *patience_ns / 2;
    return true;
}

static void run_worker(void *data) {
    const pool_worker *worker = data;
    keeli_pool *pool = worker->pool;
    keeli_pool_shared *shared = pool->shared;
    uint32_t patience_ns = pool->spin_ns;
    queued_job job;

    (void)keeli_ordered_add(&shared->idle, SPINNING - WAKING);
    while (find_job(pool, &patience_ns, &job)) {
        (void)keeli_ordered_add(&shared->idle, 0 - SPINNING);
        get_help(pool);
        do {
            job.run(job.data, worker->number);
        } while (pop_job(shared, &job));
        (void)keeli_ordered_add(&shared->idle, SPINNING);
    }
}

// ------------------------------------------------------------------ the pool
// Lets all threads run the jobs that are left, and ends them.
static void stop_threads(keeli_pool *pool) {
    keeli_pool_shared *shared = pool->shared;
    keeli_lock_acquire(&pool->lock);
    keeli_ordered_store(&shared->stopping, 1); // from now on no thread is started
    keeli_lock_release(&pool->lock);

    uint32_t idle = keeli_ordered_load(&shared->idle);
    while (!keeli_ordered_swap(&shared->idle, &idle, idle - parked(idle) * (PARKED - WAKING))) {}
    if (parked(idle))
        call_sleepers(shared, parked(idle));

    for (uint32_t i = 0; i < pool->thread_count; ++i)
        keeli_thread_join(&shared->workers[i].thread);
}

void keeli_pool_init(keeli_pool *pool, keeli_heap *heap, uint32_t worker_count, uint32_t spin_ns) {
    KEEL_ASSERT_INTERNAL(worker_count >= 1 && worker_count <= KEEL_MAX_WORKERS);
    memset(pool, 0, sizeof *pool);
    pool->heap = heap;
    pool->worker_count = worker_count;
    pool->thread_limit = worker_count - 1;
    pool->spin_ns = spin_ns;
    pool->forks = keeli_fork_count();
    keeli_lock_init(&pool->lock);
}

// True if the pool was made by the parent of this process, which has the threads. One of them may
// have held a lock or slept on the condition during the fork, so that this process can neither use
// nor destroy them.
static bool is_inherited(const keeli_pool *pool) { return pool->forks != keeli_fork_count(); }

void keeli_pool_deinit(keeli_pool *pool) {
    keeli_pool_shared *shared = pool->shared;
    const bool is_ours = !is_inherited(pool);
    if (shared) {
        if (is_ours) {
            stop_threads(pool);
            keeli_condition_deinit(&shared->called);
            keeli_lock_deinit(&shared->lock);
        }
        keeli_free(pool->heap, shared, shared_size(pool->worker_count),
                   _Alignof(keeli_pool_shared));
        pool->shared = NULL;
    }
    pool->thread_count = pool->thread_limit = 0; // so every submit fails from now on
    if (is_ours)
        keeli_lock_deinit(&pool->lock);
}

bool keeli_pool_submit(void *context, keel_job *job, void *data) {
    keeli_pool *pool = context;
    if (is_inherited(pool))
        return false;
    if (!keeli_atomic_load(&pool->thread_count) && !start_first_thread(pool))
        return false;
    if (!push_job(pool->shared, (queued_job){ job, data }))
        return false;
    get_help(pool);
    return true;
}

bool keeli_pool_is_hot(const keeli_pool *pool) {
    if (!keeli_atomic_load(&pool->thread_count) || is_inherited(pool))
        return false;
    return spinning(keeli_ordered_load(&pool->shared->idle)) > waiting(pool->shared);
}
