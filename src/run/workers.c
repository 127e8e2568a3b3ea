// SPDX-License-Identifier: MIT
// The workers of a run: how threads join and leave, wait and wake each other, and run nodes that
// are ready. execute.c runs schedules with them, loop.c loops. Which threads exist is the
// executor's business, base/pool.c or the user's.
//
// Invariant: a worker always runs the ready node that is first in linear order, so the first node
// that has not ended is always being run. A worker that waits for its turn therefore waits for a
// worker that makes progress.
#include "run/workers.h"

#include "edit/commands.h"
#include "world/report.h"

enum {
    SPIN_NS = 20000,       // time that a waiting worker spins before it sleeps
    HELPER_HOT_NS = 5000,  // cost of a helper that is looking for a job
    HELPER_COLD_NS = 40000 // cost of a helper that has to be woken
};

// ------------------------------------------------------------------ one worker
// Adds a worker to the world's list. It acquires the lock always (keeli_world_lock would skip that
// while `concurrent` is 0): helpers join and leave even while a system has the world for itself.
static void enlist_worker(keel_world *world, keeli_worker *worker) {
    worker->thread = keeli_thread_id();
    keeli_lock_acquire(&world->access.lock);
    worker->depth = 0;
    for (const keeli_worker *w = world->workers.working; w; w = w->next) {
        const bool is_around = w->thread == worker->thread; // its system runs this worker's system
        if (is_around && w->depth > worker->depth)
            worker->depth = w->depth;
    }
    worker->next = world->workers.working;
    world->workers.working = worker;
    keeli_lock_release(&world->access.lock);
}

// Removes a worker from the world's list.
static void delist_worker(keel_world *world, keeli_worker *worker) {
    keeli_lock_acquire(&world->access.lock);
    keeli_worker **at = &world->workers.working;
    while (*at != worker)
        at = &(*at)->next;
    *at = worker->next;
    keeli_lock_release(&world->access.lock);
}

keeli_worker *keeli_worker_begin(keel_world *world, keeli_worker *spare) {
    if (!world->access.concurrent)
        return &world->workers.own;
    *spare = (keeli_worker){ .node = KEEL_NO_NODE };
    enlist_worker(world, spare);
    return spare;
}

void keeli_worker_end(keel_world *world, keeli_worker *worker) {
    if (worker == &world->workers.own)
        return;
    delist_worker(world, worker);
    keeli_arena_deinit(&worker->scratch, &world->heap);
}

keeli_worker *keeli_worker_here(keel_world *world) {
    const uint64_t self = keeli_thread_id();
    keeli_lock_acquire(&world->access.lock);
    keeli_worker *worker = world->workers.working;
    while (worker && worker->thread != self)
        worker = worker->next;
    keeli_lock_release(&world->access.lock);
    if (worker)
        return worker;

    const bool own_runs = !world->access.concurrent && world->workers.own.depth;
    return own_runs ? &world->workers.own : NULL;
}

uint64_t keeli_tick_inside(keel_world *world) {
    const keeli_inside *inside = world->access.concurrent ? NULL : world->workers.own.inside;
    const uint64_t self = keeli_thread_id();
    keeli_lock_acquire(&world->access.lock);
    for (const keeli_worker *w = world->workers.working; w && !inside; w = w->next)
        if (w->thread == self)
            inside = w->inside; // NULL in a worker whose system has not begun yet
    keeli_lock_release(&world->access.lock);
    return inside && inside->holder ? keeli_holder_now(world, inside->holder) : world->changes.tick;
}

bool keeli_world_is_running(keel_world *world) {
    keeli_lock_acquire(&world->access.lock);
    const bool is_running = world->workers.own.depth || world->workers.working ||
                            keeli_atomic_peek(&world->access.workload_depth);
    keeli_lock_release(&world->access.lock);
    return is_running;
}

keel_result keeli_world_is_at_rest(keel_world *world, const char *what) {
    KEEL_TRY(keeli_world_is_editable(world));
    if (!keeli_world_is_running(world))
        return KEEL_OK;
    return keeli_error(world, KEEL_ERROR_BORROWED, "%s while a system runs", what);
}

bool keeli_world_go_concurrent(keel_world *world) {
    if (world->access.concurrent)
        return false;
    world->access.concurrent = 1;
    world->refused |= KEELI_REFUSED_LOOPING;
    world->heap.shared = true;
    world->workers.own.thread = keeli_thread_id(); // read by keeli_worker_is_here
    return true;
}

void keeli_world_end_concurrent(keel_world *world) {
    world->access.concurrent = 0;
    world->refused &= ~(uint32_t)KEELI_REFUSED_LOOPING;
    world->heap.shared = false;
}

// ------------------------------------------------------------------ workers of a run
static void free_workers(keeli_workers *workers) {
    keel_world *world = workers->world;
    keeli_loops_deinit(workers);
    const uint32_t made = workers->list ? workers->count : 0;
    for (uint32_t i = 0; i < made; ++i)
        keeli_arena_deinit(&workers->list[i].scratch, &world->heap);
    keeli_free(&world->heap, workers->list, workers->count * sizeof *workers->list,
               _Alignof(keeli_worker));
    keeli_condition_deinit(&workers->changed);
    keeli_lock_deinit(&workers->lock);
    KEELI_FREE(&world->heap, keeli_workers, workers);
}

static keeli_workers *new_workers(keel_world *world) {
    keeli_workers *workers = KEELI_NEW(&world->heap, keeli_workers);
    if (!workers)
        return NULL;
    workers->world = world;
    keeli_lock_init(&workers->lock);
    keeli_condition_init(&workers->changed);

    workers->count = world->workers.executor.worker_count;
    workers->list = keeli_new_zeroed(&world->heap, workers->count * sizeof *workers->list,
                                     _Alignof(keeli_worker));
    if (!workers->list) {
        free_workers(workers);
        return NULL;
    }

    for (uint32_t i = 0; i < workers->count; ++i) {
        keeli_worker *worker = &workers->list[i];
        worker->number = i;
        worker->workers = workers;
        worker->node = KEEL_NO_NODE; // work_on_node restores this
        worker->first = &workers->first;
    }
    return workers;
}

// Resets the workers after a fork, once in each child process. Helpers that the parent called do
// not exist in the child, and a lock that another thread held when the process forked is never
// released. So locks, conditions and counters are initialized again.
static void leave_the_parent(keel_world *world) {
    if (world->workers.forks == keeli_fork_count())
        return;
    world->workers.forks = keeli_fork_count();
    world->workers.is_child = true;
    for (keeli_workers *w = world->workers.all; w; w = w->next) {
        if (w->is_busy)
            continue; // the process forked in the middle of this run
        keeli_lock_init(&w->lock);
        keeli_condition_init(&w->changed);
        w->outstanding = w->helpers = w->sleepers = 0;
        for (uint32_t i = 0; i < w->count; ++i)
            w->list[i].is_taken = false;
    }
}

keeli_workers *keeli_workers_acquire(keel_world *world) {
    keeli_world_lock(world);
    leave_the_parent(world);
    keeli_workers *workers = world->workers.all;
    while (workers && workers->is_busy)
        workers = workers->next;
    if (workers)
        workers->is_busy = workers->was_busy = true;
    keeli_world_unlock(world);

    if (!workers) {
        workers = new_workers(world);
        if (!workers) {
            (void)keeli_out_of_memory(world, "beginning a run");
            return NULL;
        }
        workers->is_busy = workers->was_busy = true;
        keeli_world_lock(world);
        workers->next = world->workers.all;
        world->workers.all = workers;
        keeli_world_unlock(world);
    }

    workers->failed_node = KEEL_NO_NODE;
    workers->failed_result = KEEL_OK;
    workers->first.error.result = KEEL_OK;
    workers->first.node = KEEL_NO_NODE;
    return workers;
}

// Reports the error that is first in linear order, whichever worker met an error first.
void keeli_workers_release(keeli_workers *workers) {
    keel_world *world = workers->world;
    keeli_error_hand_over(world, &workers->first.error);
    keeli_world_lock(world);
    workers->is_busy = false;
    keeli_world_unlock(world);
}

void keeli_workers_deinit(keel_world *world) {
    leave_the_parent(world);
    while (world->workers.all) {
        keeli_workers *workers = world->workers.all;
        world->workers.all = workers->next;
        keeli_lock_acquire(&workers->lock); // jobs of a user's executor may end late
        while (workers->outstanding)
            keeli_workers_await_change(workers);
        keeli_lock_release(&workers->lock);
        free_workers(workers);
    }
}

// ------------------------------------------------------------------ waiting
void keeli_workers_announce(keeli_workers *workers) {
    keeli_atomic_store(&workers->signal, workers->signal + 1);
    if (workers->sleepers)
        keeli_condition_wake_all(&workers->changed);
}

void keeli_workers_await_change(keeli_workers *workers) {
    const uint32_t seen = workers->signal;
    if (workers->world->workers.may_spin) {
        keeli_lock_release(&workers->lock);
        const uint64_t end = keeli_clock_ns() + SPIN_NS;
        do {
            for (uint32_t i = 0; i < 32 && keeli_atomic_load(&workers->signal) == seen; ++i)
                keeli_pause();
        } while (keeli_atomic_load(&workers->signal) == seen && keeli_clock_ns() < end);
        keeli_lock_acquire(&workers->lock);
    }

    if (workers->signal != seen)
        return;
    ++workers->sleepers;
    keeli_condition_wait(&workers->changed, &workers->lock);
    --workers->sleepers;
}

// ------------------------------------------------------------------ helpers
static void work(keeli_workers *workers, keeli_worker *worker);

// Returns the worker with this number. Reports a misuse and returns NULL if the executor passed a
// number that is out of range, or that another job is using.
static keeli_worker *find_helper(const keeli_workers *workers, uint32_t number) {
    const bool exists = number > 0 && number < workers->count;
    if (exists && !workers->list[number].is_taken)
        return &workers->list[number];
    (void)keeli_misuse(workers->world, KEEL_ERROR_ARGUMENT,
                       exists ? "the executor runs two jobs at once as worker %u"
                              : "the executor runs a job as worker %u, which does not exist; pass "
                                "a number from 1 to worker_count - 1",
                       (unsigned)number);
    return NULL;
}

// A job of the executor: works on the run as worker `number`, until there is no more work.
static void help(void *data, uint32_t number) {
    keeli_workers *workers = data;
    keeli_lock_acquire(&workers->lock);
    keeli_worker *worker = workers->is_open ? find_helper(workers, number) : NULL;
    if (worker) {
        ++workers->helpers;
        worker->is_taken = true;
        enlist_worker(workers->world, worker);
        work(workers, worker);
        delist_worker(workers->world, worker);
        worker->is_taken = false;
        --workers->helpers;
    }
    --workers->outstanding;
    keeli_workers_announce(workers);
    keeli_lock_release(&workers->lock);
}

void keeli_workers_call(keeli_workers *workers, uint32_t count) {
    const keel_executor *x = &workers->world->workers.executor;
    if (workers->world->workers.is_child)
        return; // a child process has no threads that could help
    while (count-- && workers->outstanding + 1 < workers->world->workers.count) {
        ++workers->outstanding;
        keeli_lock_release(&workers->lock);
        const bool comes = x->submit(x->context, help, workers);
        keeli_lock_acquire(&workers->lock);
        if (!comes) {
            --workers->outstanding;
            return;
        }
    }
}

bool keeli_helpers_are_hot(const keel_world *world) {
    return world->workers.executor.context == &world->workers.pool &&
           keeli_pool_is_hot(&world->workers.pool);
}

uint64_t keeli_helper_cost(const keel_world *world) {
    return keeli_helpers_are_hot(world) ? HELPER_HOT_NS : HELPER_COLD_NS;
}

// Calls helpers if the ready nodes together take longer than a helper costs. A node that was not
// measured yet counts as long enough.
static void call_for_nodes(keeli_workers *workers) {
    const keeli_schedule *s = workers->schedule;
    if (!s || !s->ready.count)
        return;
    const bool all_called = workers->outstanding + 1 >= workers->world->workers.count;
    if (all_called)
        return;
    const uint64_t least = keeli_helper_cost(workers->world);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->ready.count && sum < least; ++i) {
        const keeli_node *node = &s->nodes.items[s->ready.items[i]];
        if (keeli_node_is_work(node))
            sum += node->is_measured ? node->cost : least;
    }
    if (sum >= least)
        keeli_workers_call(workers, s->ready.count);
}

// ------------------------------------------------------------------ nodes
// Adds a node to the ready ones, when all nodes that it waits for have ended.
static void make_ready(keeli_schedule *s, uint32_t node) {
    if (s->world->workloads.timings)
        s->nodes.items[node].ready = keeli_timings_time(s->world);
    if (s->nodes.items[node].is_main)
        keeli_heap_push(s->ready_main.items, &s->ready_main.count, node);
    else
        keeli_heap_push(s->ready.items, &s->ready.count, node);
}

// Removes the first ready node that this worker may run, and returns it; or KEEL_NO_NODE.
static uint32_t next_ready(const keeli_workers *workers, const keeli_worker *worker) {
    keeli_schedule *s = workers->schedule;
    if (!s)
        return KEEL_NO_NODE;
    const bool is_caller = worker->number == 0;
    if (is_caller && s->ready_main.count) {
        const bool is_first = !s->ready.count || s->ready_main.items[0] < s->ready.items[0];
        if (is_first)
            return keeli_heap_pop(s->ready_main.items, &s->ready_main.count);
    }
    return s->ready.count ? keeli_heap_pop(s->ready.items, &s->ready.count) : KEEL_NO_NODE;
}

// Marks a node as ended. Makes the nodes ready that waited only for this one.
static void finish_node(keeli_workers *workers, uint32_t index, keel_result result) {
    keeli_schedule *s = workers->schedule;
    keeli_node *node = &s->nodes.items[index];
    if (result < 0 && index < workers->failed_node) {
        workers->failed_node = index;
        workers->failed_result = result;
    }

    node->has_ended = true;
    node->has_failed = result < 0 || node->is_blocked;
    for (uint32_t e = 0; e < node->edge_count; ++e) {
        const keeli_node_edge *edge = &s->edges.items[node->first_edge + e];
        keeli_node *waiting = &s->nodes.items[edge->to];
        if (node->has_failed && !edge->is_loose)
            waiting->is_blocked = true;
        --waiting->pending;
        if (waiting->pending == 0)
            make_ready(s, edge->to);
    }

    --workers->unfinished;
    call_for_nodes(workers);
    keeli_workers_announce(workers);
}

// Runs a node unless it is blocked or idle, and marks it as ended. Releases the lock meanwhile.
static void work_on_node(keeli_workers *workers, keeli_worker *worker, uint32_t index) {
    const keeli_node *node = &workers->schedule->nodes.items[index];
    keel_result result = KEEL_OK;
    const bool is_idle = keeli_node_is_idle(workers->schedule, index);
    if (!is_idle && keeli_node_may_run(workers->schedule, node)) {
        ++workers->active;
        keeli_lock_release(&workers->lock);
        worker->node = index;
        result = keeli_node_run(workers->schedule, index, worker);
        worker->node = KEEL_NO_NODE;
        keeli_lock_acquire(&workers->lock);
        --workers->active;
    }
    finish_node(workers, index, result);
}

// ------------------------------------------------------------------ the work of a worker
// Helps in a loop. Releases the lock meanwhile.
static void join_loop(keeli_workers *workers, keeli_loop *loop, keeli_worker *worker) {
    ++loop->users;
    ++workers->active;
    loop->is_helped = true;
    keeli_lock_release(&workers->lock);
    keeli_loop_work(loop, worker);
    keeli_lock_acquire(&workers->lock);
    --workers->active;
    --loop->users;
    keeli_workers_announce(workers);
}

// Works until there is nothing left for this worker. Called with the lock.
static void work(keeli_workers *workers, keeli_worker *worker) {
    for (;;) {
        const keeli_schedule *s = workers->schedule;
        const bool is_paused = workers->pausing != 0;
        keeli_loop *loop = is_paused ? NULL : keeli_loop_open(workers);
        // A ready node that is before the loop's system in linear order is run first. A piece of
        // the loop may be waiting for that node, and the other pieces for that piece: if all
        // workers joined the loop, none would run the node.
        const bool is_node_first = loop && s && s->ready.count && s->ready.items[0] < loop->node;
        if (loop && !is_node_first) {
            join_loop(workers, loop, worker);
            continue;
        }
        const uint32_t node = is_paused ? KEEL_NO_NODE : next_ready(workers, worker);
        if (node != KEEL_NO_NODE) {
            work_on_node(workers, worker, node);
            continue;
        }

        if (!workers->unfinished)
            return;
        // After the pause this worker must run the ready nodes: all other workers may be waiting
        // for these nodes.
        const bool is_needed = worker->number == 0 || (is_paused && s->ready.count);
        if (!is_needed)
            return;
        keeli_workers_await_change(workers);
    }
}

keeli_worker *keeli_workers_open(keeli_workers *workers, keeli_schedule *s) {
    enlist_worker(workers->world, &workers->list[0]);
    keeli_lock_acquire(&workers->lock);
    workers->schedule = s;
    workers->unfinished = s ? s->nodes.count : 0;
    workers->ended_before = 0;
    workers->active = s ? 0 : 1;
    workers->is_open = true;
    keeli_lock_release(&workers->lock);
    return &workers->list[0];
}

void keeli_workers_close(keeli_workers *workers) {
    keeli_lock_acquire(&workers->lock);
    workers->is_open = false;
    workers->active = 0;
    while (workers->helpers) // they are about to leave
        keeli_workers_await_change(workers);
    workers->schedule = NULL;
    keeli_lock_release(&workers->lock);
    delist_worker(workers->world, &workers->list[0]);
}

keel_result keeli_workers_run(keeli_workers *workers, keeli_schedule *s) {
    const bool begins = keeli_world_go_concurrent(s->world);
    keeli_worker *worker = keeli_workers_open(workers, s);

    keeli_lock_acquire(&workers->lock);
    s->ready.count = s->ready_main.count = 0;
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        keeli_node *node = &s->nodes.items[i];
        node->pending = node->waits_for;
        node->is_blocked = node->has_ended = node->has_failed = false;
        if (!node->pending)
            make_ready(s, i);
    }

    call_for_nodes(workers);
    work(workers, worker);
    keeli_lock_release(&workers->lock);
    keeli_workers_close(workers);
    if (begins)
        keeli_world_end_concurrent(s->world);
    return workers->failed_result;
}

// ------------------------------------------------------------------ turns
// True if all nodes before `node` that may create entities, and all pieces of `loop` before
// `piece`, have ended. The members `ended_before` of the workers and the loop store the first node
// and piece that may not have ended, so that nothing is checked twice.
static bool is_turn(keeli_workers *workers, uint32_t node, keeli_loop *loop, uint32_t piece) {
    if (workers->schedule) {
        for (; workers->ended_before < node; ++workers->ended_before) {
            const keeli_node *n = &workers->schedule->nodes.items[workers->ended_before];
            if (n->creates && !n->has_ended)
                return false;
        }
    }
    if (!loop)
        return true;
    for (; loop->ended_before < piece; ++loop->ended_before)
        if (!keeli_atomic_load(&loop->ended.items[loop->ended_before]))
            return false;
    return true;
}

// Waits until it is this worker's turn. Called with the lock. The worker does not count as active
// from here on; the caller must count it again.
static void await_turn(keeli_workers *workers, uint32_t node, keeli_loop *loop, uint32_t piece) {
    --workers->active;
    keeli_atomic_store(&workers->waiting, workers->waiting + 1);
    keeli_workers_announce(workers);
    while (!is_turn(workers, node, loop, piece))
        keeli_workers_await_change(workers);
    keeli_atomic_store(&workers->waiting, workers->waiting - 1);
}

// Waits until no other worker wants to be alone, counts this one as active again, and releases the
// lock.
static void resume(keeli_workers *workers) {
    while (workers->pausing)
        keeli_workers_await_change(workers);
    ++workers->active;
    keeli_lock_release(&workers->lock);
}

void keeli_workers_pause(keeli_workers *workers) {
    keeli_lock_acquire(&workers->lock);
    --workers->active;
    keeli_workers_announce(workers);
    resume(workers);
}

void keeli_workers_await_turn(keeli_workers *workers, keeli_loop *loop, uint32_t piece) {
    keeli_lock_acquire(&workers->lock);
    await_turn(workers, 0, loop, piece);
    resume(workers);
}

void keeli_workers_alone(keeli_workers *workers, uint32_t node, keeli_loop *loop, uint32_t piece,
                         void (*call)(void *data), void *data) {
    keeli_lock_acquire(&workers->lock);
    await_turn(workers, node, loop, piece);
    while (workers->pausing) // another worker wants to be alone, too
        keeli_workers_await_change(workers);

    keeli_atomic_store(&workers->pausing, 1);
    while (workers->active)
        keeli_workers_await_change(workers);
    call(data);

    keeli_atomic_store(&workers->pausing, 0);
    ++workers->active;
    keeli_workers_announce(workers);
    call_for_nodes(workers);

    const keeli_loop *open = keeli_loop_open(workers);
    if (open)
        keeli_workers_call(workers, open->count - keeli_atomic_load(&open->taken));
    keeli_lock_release(&workers->lock);
}

// ------------------------------------------------------------------ memory
// A run inside another run is counted with the outer run. In shared mode nothing is counted.
void keeli_workers_count_memory(keel_world *world, int32_t workloads) {
    const bool is_inner = keeli_atomic_peek(&world->access.workload_depth) > workloads;
    if (world->refused || is_inner)
        return;
    world->commands.used_lists = world->commands.used_blocks = 0;
}

// Gives each worker as much scratch memory as any of them needed. False if out of memory.
static bool even_scratch(keeli_workers *workers) {
    size_t most = 0;
    for (uint32_t i = 0; i < workers->count; ++i)
        if (workers->list[i].scratch.most > most)
            most = workers->list[i].scratch.most;
    if (!most)
        return true;
    most += most / 8; // another order of allocations may need more padding
    for (uint32_t i = 0; i < workers->count; ++i)
        if (!keeli_arena_reserve(&workers->list[i].scratch, &workers->world->heap, most))
            return false;
    return true;
}

// Ignores failures: memory that cannot be allocated now is allocated when it is needed.
void keeli_workers_preallocate(keel_world *world, uint32_t loops) {
    const uint32_t count = world->workers.count;
    if (world->refused || count < 2)
        return;
    for (keeli_workers *workers = world->workers.all; workers; workers = workers->next) {
        if (!workers->was_busy)
            continue;
        workers->was_busy = false;
        const uint32_t inner = keeli_atomic_load(&world->views.any_inner);
        // each worker may hold one more list, which stays empty
        const uint32_t used = world->commands.used_lists;
        const uint32_t lists = used ? used + count : 0;
        (void)(keeli_iterators_reserve(world, count * (1 + inner)) &&
               keeli_views_reserve(world, count * inner) &&
               keeli_commands_reserve(world, lists, world->commands.used_blocks) &&
               even_scratch(workers) && keeli_loops_reserve(workers, keeli_least(loops, count)));
    }
}
