// SPDX-License-Identifier: MIT
// The pool of threads.
//
// A worker is busy, or it looks for a job (spins), or it is parked (sleeps), or somebody has called
// it and it is on its way (waking). `idle` counts those that are not busy, by state. Invariant, up
// to changes under way: when more jobs are queued than workers look or are on their way, nobody is
// parked. Whoever queues a job, and whoever stops to look, restores it by calling one; whoever
// parks checks afterwards. Each of them writes first (`tail` or `idle`) and reads the other word
// then, so that of two at once at least one sees the other.
#include "base/pool.h"

#include "base/assert.h"

#include <string.h>

// Parts of `idle`, 10 bits each: KEEL_WORKERS_MAX - 1 threads fit.
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

// `turn` says what may be done with it next: at place n of the endless sequence of jobs n to fill
// it, n + 1 to take it, n + capacity to fill it in the next round.
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

// What all threads share, in one block with the queue and the workers behind it.
typedef struct keeli_crew {
    _Alignas(CACHE_LINE) uint32_t tail; // of the queue: the next place to fill
    _Alignas(CACHE_LINE) uint32_t head; // the next one to take
    _Alignas(CACHE_LINE) uint32_t idle;
    _Alignas(CACHE_LINE) uint32_t mask; // capacity of the queue - 1; never changes, as what follows
    uint32_t stopping;
    queue_cell *cells;
    pool_worker *workers;
    keeli_lock lock; // of what follows
    keeli_condition called;
    uint32_t calls;       // not yet heard by a sleeper
    uint64_t last_called; // when, in ns
} keeli_crew;

// ------------------------------------------------------------------ the queue
static bool push(keeli_crew *crew, queued_job job) {
    uint32_t at = keeli_ordered_load(&crew->tail);
    for (;;) {
        queue_cell *cell = &crew->cells[at & crew->mask];
        const int32_t ahead = (int32_t)(keeli_atomic_load(&cell->turn) - at);
        if (ahead < 0) return false; // the job of the round before is still there
        if (ahead > 0) at = keeli_ordered_load(&crew->tail); // somebody else filled it
        else if (keeli_ordered_swap(&crew->tail, &at, at + 1)) {
            cell->job = job;
            keeli_atomic_store(&cell->turn, at + 1);
            return true;
        }
    }
}

static bool pop(keeli_crew *crew, queued_job *job) {
    uint32_t at = keeli_ordered_load(&crew->head);
    for (;;) {
        queue_cell *cell = &crew->cells[at & crew->mask];
        const int32_t ahead = (int32_t)(keeli_atomic_load(&cell->turn) - (at + 1));
        if (ahead < 0) return false;
        if (ahead > 0) at = keeli_ordered_load(&crew->head);
        else if (keeli_ordered_swap(&crew->head, &at, at + 1)) {
            *job = cell->job;
            keeli_atomic_store(&cell->turn, at + crew->mask + 1);
            return true;
        }
    }
}

// How many jobs are queued, those included that are just being put there.
static uint32_t waiting(const keeli_crew *crew) {
    const uint32_t head = keeli_ordered_load(&crew->head);
    return keeli_ordered_load(&crew->tail) - head;
}

// ------------------------------------------------------------------ sleeping and waking
static void call_sleepers(keeli_crew *crew, uint32_t count) {
    const uint64_t now = keeli_clock_ns();
    keeli_lock_take(&crew->lock);
    crew->last_called = now;
    crew->calls += count;
    keeli_lock_give(&crew->lock);
    if (count == 1) keeli_condition_wake(&crew->called);
    else keeli_condition_wake_all(&crew->called);
}

// Call a sleeper when there are more jobs than workers that look for one.
// @return false when that would be needed, and nobody sleeps
static bool call_if_short(keeli_crew *crew) {
    uint32_t idle = keeli_ordered_load(&crew->idle);
    while (waiting(crew) > looking(idle)) {
        if (!parked(idle)) return false;
        if (!keeli_ordered_swap(&crew->idle, &idle, idle - PARKED + WAKING)) continue;
        call_sleepers(crew, 1);
        break;
    }
    return true;
}

// A worker that counts as parked, but is still awake, goes on. False when somebody has called it.
static bool unpark(keeli_crew *crew) {
    uint32_t idle = keeli_ordered_load(&crew->idle);
    while (parked(idle))
        if (keeli_ordered_swap(&crew->idle, &idle, idle - PARKED + SPINNING)) return true;
    return false;
}

// Sleep until there is something to do.
// @return when the call for it was, which is earlier than now; 0 when a job came before any sleep
static uint64_t park(keeli_crew *crew) {
    (void)keeli_ordered_add(&crew->idle, PARKED - SPINNING);
    const bool something = waiting(crew) || keeli_ordered_load(&crew->stopping);
    if (something && unpark(crew)) return 0;
    keeli_lock_take(&crew->lock);
    while (!crew->calls)
        keeli_condition_wait(&crew->called, &crew->lock);
    --crew->calls;
    const uint64_t called = crew->last_called;
    keeli_lock_give(&crew->lock);
    (void)keeli_ordered_add(&crew->idle, SPINNING - WAKING);
    return called;
}

// ------------------------------------------------------------------ starting threads
uint32_t keeli_pool_capacity(uint32_t worker_count) {
    uint32_t capacity = 256;
    while (capacity < 4 * worker_count)
        capacity *= 2;
    return capacity;
}

static size_t crew_size(uint32_t worker_count) {
    return sizeof(keeli_crew) + keeli_pool_capacity(worker_count) * sizeof(queue_cell) +
           (worker_count - 1) * sizeof(pool_worker);
}

static bool make_crew(keeli_pool *pool) {
    if (pool->crew) return true;
    const uint32_t capacity = keeli_pool_capacity(pool->worker_count);
    keeli_crew *crew =
        keeli_new_zeroed(pool->heap, crew_size(pool->worker_count), _Alignof(keeli_crew));
    if (!crew) return false;
    crew->mask = capacity - 1;
    crew->cells = (queue_cell *)(crew + 1);
    crew->workers = (pool_worker *)(crew->cells + capacity);
    for (uint32_t i = 0; i < capacity; ++i)
        crew->cells[i].turn = i;
    keeli_lock_init(&crew->lock);
    keeli_condition_init(&crew->called);
    pool->crew = crew;
    return true;
}

static void run_worker(void *worker);

// One more thread, which looks for a job at once. When the system refuses, the pool stays as large
// as it is: trying again and again would cost more than it could gain.
static void start_thread(keeli_pool *pool) {
    const uint32_t count = pool->thread_count;
    pool_worker *worker = &pool->crew->workers[count];
    worker->pool = pool;
    worker->number = count + 1;
    (void)keeli_ordered_add(&pool->crew->idle, WAKING);
    if (keeli_thread_start(&worker->thread, run_worker, worker)) {
        keeli_atomic_store(&pool->thread_count, count + 1);
        return;
    }
    (void)keeli_ordered_add(&pool->crew->idle, 0 - WAKING);
    keeli_atomic_store(&pool->thread_limit, count);
}

static bool start_first_thread(keeli_pool *pool) {
    if (keeli_atomic_load(&pool->thread_limit) == 0) return false;
    keeli_lock_take(&pool->lock);
    if (pool->thread_count == 0 && pool->thread_limit && make_crew(pool)) start_thread(pool);
    const bool started = pool->thread_count > 0;
    keeli_lock_give(&pool->lock);
    return started;
}

static void start_another_thread(keeli_pool *pool) {
    if (keeli_atomic_load(&pool->thread_count) >= keeli_atomic_load(&pool->thread_limit)) return;
    keeli_lock_take(&pool->lock);
    const bool stopping = keeli_ordered_load(&pool->crew->stopping);
    if (!stopping && pool->thread_count < pool->thread_limit) start_thread(pool);
    keeli_lock_give(&pool->lock);
}

// Keep the invariant; when all threads have work and there is more of it, with one more thread.
static void get_help(keeli_pool *pool) {
    if (!call_if_short(pool->crew)) start_another_thread(pool);
}

// ------------------------------------------------------------------ a worker
static bool spin(keeli_crew *crew, uint32_t spin_ns, queued_job *job) {
    enum { LOOKS_PER_CLOCK = 32 }; // a look takes 10 to 40 ns, reading the clock 25
    if (pop(crew, job)) return true;
    const uint64_t begin = spin_ns ? keeli_clock_ns() : 0;
    while (spin_ns && !keeli_ordered_load(&crew->stopping) && keeli_clock_ns() - begin < spin_ns)
        for (uint32_t i = 0; i < LOOKS_PER_CLOCK; ++i) {
            keeli_pause();
            if (waiting(crew) && pop(crew, job)) return true;
        }
    return false;
}

// False when the pool stops and nothing is left to do. A worker whose jobs come seldom spins less
// and less: it may keep a core from whoever is to submit the next one. When one comes soon again,
// spinning pays again.
static bool find_job(const keeli_pool *pool, uint32_t *patience_ns, queued_job *job) {
    keeli_crew *crew = pool->crew;
    const uint64_t begin = keeli_clock_ns();
    uint64_t called = 0;
    while (!spin(crew, *patience_ns, job)) {
        if (keeli_ordered_load(&crew->stopping) && !waiting(crew)) return false;
        called = park(crew);
    }
    const bool soon = called < begin + pool->spin_ns;
    *patience_ns = soon ? pool->spin_ns : *patience_ns / 2;
    return true;
}

static void run_worker(void *data) {
    const pool_worker *worker = data;
    keeli_pool *pool = worker->pool;
    keeli_crew *crew = pool->crew;
    uint32_t patience_ns = pool->spin_ns;
    queued_job job;
    (void)keeli_ordered_add(&crew->idle, SPINNING - WAKING);
    while (find_job(pool, &patience_ns, &job)) {
        (void)keeli_ordered_add(&crew->idle, 0 - SPINNING);
        get_help(pool);
        do {
            job.run(job.data, worker->number);
        } while (pop(crew, &job));
        (void)keeli_ordered_add(&crew->idle, SPINNING);
    }
}

// ------------------------------------------------------------------ the pool
static void stop(keeli_pool *pool) {
    keeli_crew *crew = pool->crew;
    keeli_lock_take(&pool->lock);
    keeli_ordered_store(&crew->stopping, 1); // and no thread is started any more
    keeli_lock_give(&pool->lock);
    uint32_t idle = keeli_ordered_load(&crew->idle);
    while (!keeli_ordered_swap(&crew->idle, &idle, idle - parked(idle) * (PARKED - WAKING))) {}
    if (parked(idle)) call_sleepers(crew, parked(idle));
    for (uint32_t i = 0; i < pool->thread_count; ++i)
        keeli_thread_join(&crew->workers[i].thread);
}

void keeli_pool_init(keeli_pool *pool, keeli_heap *heap, uint32_t worker_count, uint32_t spin_ns) {
    KEEL_ASSERT_INTERNAL(worker_count >= 1 && worker_count <= KEEL_WORKERS_MAX);
    memset(pool, 0, sizeof *pool);
    pool->heap = heap;
    pool->worker_count = worker_count;
    pool->thread_limit = worker_count - 1;
    pool->spin_ns = spin_ns;
    keeli_lock_init(&pool->lock);
}

void keeli_pool_deinit(keeli_pool *pool) {
    keeli_crew *crew = pool->crew;
    if (crew) {
        stop(pool);
        keeli_condition_deinit(&crew->called);
        keeli_lock_deinit(&crew->lock);
        keeli_free(pool->heap, crew, crew_size(pool->worker_count), _Alignof(keeli_crew));
        pool->crew = NULL;
    }
    pool->thread_count = pool->thread_limit = 0; // what is submitted from now on is refused
    keeli_lock_deinit(&pool->lock);
}

bool keeli_pool_submit(void *context, keel_job *job, void *data) {
    keeli_pool *pool = context;
    if (!keeli_atomic_load(&pool->thread_count) && !start_first_thread(pool)) return false;
    if (!push(pool->crew, (queued_job){ job, data })) return false;
    get_help(pool);
    return true;
}

bool keeli_pool_is_hot(const keeli_pool *pool) {
    if (!keeli_atomic_load(&pool->thread_count)) return false;
    return spinning(keeli_ordered_load(&pool->crew->idle)) > waiting(pool->crew);
}
