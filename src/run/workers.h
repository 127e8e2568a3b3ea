// SPDX-License-Identifier: MIT
// Workers: threads that run systems. The world's owner has a worker of its own. When several
// threads are at work each has a worker in the world's list, so that an error finds the system it
// happened in. What a worker runs is in execute.c and loop.c; the executor's threads are in
// base/pool.c.
//
// The workers of one run belong together: the calling thread is the first and stays until all is
// done. The others, called helpers, join while there is work for them and leave when there is none,
// so that they never block a thread of the executor for nothing.
#pragma once
#include "find/iterate.h"
#include "run/schedule.h"

// The most systems that run inside each other: far more than is sensible, far fewer than the stack
// holds.
enum { KEELI_DEPTH_AT_MOST = 64 };

// The workers of one run, and the work that there is for them. Its lock is held between two nodes,
// never while user code runs.
typedef struct keeli_workers {
    keel_world *world;
    struct keeli_workers *next; // in the list of the world
    bool is_busy;               // a run uses it
    bool was_busy;              // a run used it since keeli_workers_preallocate
    keeli_lock lock;
    keeli_condition changed;
    uint32_t sleepers;    // workers that wait for `changed`
    uint32_t signal;      // counts changes, for workers that look before they sleep (atomic)
    bool is_open;         // helpers may join
    uint32_t outstanding; // jobs that were handed to the executor and have not ended
    uint32_t helpers;     // workers beside the first
    uint32_t active;      // workers that run user code and do not wait for their turn
    // Rarely written, and read by all workers between two pieces.
    _Alignas(KEELI_LINE) uint32_t waiting; // workers that wait for their turn (atomic)
    uint32_t pausing; // a worker wants to be alone: nothing new starts (atomic)
    uint32_t count;
    keeli_worker *list; // one for each worker of the executor
    // the current run
    keeli_schedule *schedule; // NULL: the run is a loop
    uint32_t unfinished;      // nodes that have not ended
    uint32_t ended_before;    // all nodes before this one that may create entities have ended
    struct keeli_loop *loops, *spare_loops; // loops in work, and spare ones
    uint32_t failed_node;                   // the first failure in linear order; KEEL_NO_NODE: none
    keel_result failed_result;
    keeli_first_error first;
} keeli_workers;

// ------------------------------------------------------------------ one worker
// Makes the calling thread a worker: in owner mode the world's own worker, else `spare`, which is
// the caller's and must stay where it is until keeli_worker_end.
keeli_worker *keeli_worker_begin(keel_world *world, keeli_worker *spare);
void keeli_worker_end(keel_world *world, keeli_worker *worker);
// Lets the errors of the worker go to `first`, which is cleared.
static inline void keeli_errors_collect(keeli_worker *worker, keeli_first_error *first) {
    first->error.result = KEEL_OK;
    first->node = KEEL_NO_NODE;
    worker->first = first;
}
// Returns the worker of the calling thread, or NULL.
keeli_worker *keeli_worker_here(keel_world *world);
// Begins a time in which several threads may be at work: counters are atomic, locks are acquired,
// edits through the world are refused. False if it has begun before; then
// keeli_world_end_concurrent must not be called.
bool keeli_world_go_concurrent(keel_world *world);
void keeli_world_end_concurrent(keel_world *world);
// True if any system or workload runs now.
bool keeli_world_is_running(keel_world *world);
// Checks that the world is in owner mode and nothing runs. `what` begins the message: "timings
// cannot be switched on".
keel_result keeli_world_is_at_rest(keel_world *world, const char *what);

// ------------------------------------------------------------------ workers of a run
// Acquires workers for a run; NULL when out of memory (reported).
keeli_workers *keeli_workers_acquire(keel_world *world);
// Releases them, and reports the first error of the run.
void keeli_workers_release(keeli_workers *workers);
void keeli_workers_deinit(keel_world *world);
// Makes the calling thread the first worker, and lets helpers join: for a schedule or, if it is
// NULL, for loops.
keeli_worker *keeli_workers_open(keeli_workers *workers, keeli_schedule *schedule);
void keeli_workers_close(keeli_workers *workers);
// Opens, runs all nodes of the schedule, and closes. Returns KEEL_OK, or the first failure in
// linear order.
keel_result keeli_workers_run(keeli_workers *workers, keeli_schedule *schedule);

// ------------------------------------------------------------------ waiting and waking
// These three are called with the lock.
// Announces that something has changed.
void keeli_workers_announce(keeli_workers *workers);
// Waits until something has changed. May return without a reason.
void keeli_workers_await_change(keeli_workers *workers);
// Calls as many helpers as can come, `count` at most.
void keeli_workers_call(keeli_workers *workers, uint32_t count);
// Pauses this worker while another one wants to be alone.
void keeli_workers_pause(keeli_workers *workers);
// Returns the nanoseconds that a helper costs.
uint64_t keeli_helper_cost(const keel_world *world);
// True if a helper looks for a job right now, so that it need not be woken.
bool keeli_helpers_are_hot(const keel_world *world);
// Waits until all pieces of the loop before `piece` have ended.
void keeli_workers_await_turn(keeli_workers *workers, struct keeli_loop *loop, uint32_t piece);
// Waits until all nodes before `node` that may create entities have ended, and all pieces of `loop`
// (or NULL) before `piece`, and until no other worker runs user code; then calls the function.
void keeli_workers_alone(keeli_workers *workers, uint32_t node, struct keeli_loop *loop,
                         uint32_t piece, void (*call)(void *data), void *data);

// ------------------------------------------------------------------ memory
// The memory that each thread needs depends on which thread runs what. After a run on several
// threads as much memory is made as any order would have needed, so that the next runs allocate
// nothing.

// Starts counting what a run needs. `workloads`: how many of the workloads that run now are this
// run, 1 or 0.
void keeli_workers_count_memory(keel_world *world, int32_t workloads);
// Makes that memory, after the run has ended. `loops`: how many systems of it may be split at the
// same time.
void keeli_workers_preallocate(keel_world *world, uint32_t loops);

// ------------------------------------------------------------------ loops over pieces (loop.c)
#define KEELI_NO_PIECE UINT32_MAX

// The body of a loop, called for each piece: a system that is split, or a function of the user. One
// of the first three members is set.
typedef struct keeli_loop_body {
    keel_context *context; // a system that is split
    keel_range_fn *range;
    keel_span_fn *span;
    uint32_t range_end, grain; // bounds of `range`
    keeli_view *view;          // walked by a system or by `span`
    void *data;                // the data that `range` and `span` get
    const keel_reduction *reduction;
} keeli_loop_body;

// A loop that runs in pieces. Pieces are started in ascending order.
typedef struct keeli_loop {
    struct keeli_loop *next; // in a list of the workers: in work, or spare
    keeli_workers *workers;
    keeli_worker *owner; // the worker that began it
    keeli_loop_body body;
    keeli_iterator *it; // the owner's iterator when a view is walked, or NULL
    char *partials;     // partial results by piece, `stride` bytes apart; or NULL
    size_t stride;
    const char *running; // the system around it, for messages
    uint32_t node;       // the node around it
    // A system: pieces record into `lists`, and may have to wait for earlier pieces. The first
    // failure is under the world's lock.
    bool records;
    uint32_t failed;
    uint8_t is_denied; // something was touched that was not declared (atomic)
    const void *object;
    char message[sizeof((keel_context *)0)->message];
    // memory that stays with the loop, so that a second run allocates nothing
    keeli_pieces pieces;
    KEELI_ARRAY(keel_commands *) lists;
    keeli_handles reserved; // handles for a system outside of workloads
    uint32_t most;          // the most pieces that it ever had
    // the state of the run
    uint32_t range; // items that it walks
    uint32_t count; // pieces that these are cut into; while it runs: the end of the current batch
    uint32_t first; // first piece of the batch; pieces of a batch may run at the same time
    KEELI_ARRAY(uint8_t) ended; // by piece (atomic), if `records`
    uint32_t ended_before;      // all pieces before this one have ended; under the workers' lock
    uint32_t users;             // helpers that are in it; under the workers' lock
    uint32_t share;             // the least pieces that a worker acquires at once (atomic)
    uint64_t piece_ns;          // nanoseconds of a piece; 0: not known
    uint64_t began;             // when the owner began its first piece
    bool has_called;            // it has called helpers, or never will
    bool is_helped;             // a helper has joined; under the workers' lock
    bool is_private;            // helpers must not join
    // Written by all workers, so it is not beside what they read all the time.
    _Alignas(KEELI_LINE) uint32_t taken; // pieces below this one are acquired (atomic)
} keeli_loop;

// Returns a loop that helpers may join, or NULL. Called with the workers' lock.
keeli_loop *keeli_loop_open(const keeli_workers *workers);
// Runs pieces of a loop until there are no more.
void keeli_loop_work(keeli_loop *loop, keeli_worker *worker);
// Makes so many spare loops, each with room for what the largest needed. False if out of memory.
bool keeli_loops_reserve(keeli_workers *workers, uint32_t count);
void keeli_loops_deinit(keeli_workers *workers);
// Runs a system whose view is bound, in pieces where that may gain something. The iterator has just
// begun, and is released.
keel_result keeli_run_split(keel_context *context, keeli_iterator *it);
// Checks that a system can be split. Returns KEEL_OK or KEEL_ERROR_ARGUMENT.
keel_result keeli_check_split(keel_world *world, const keel_system *system);
