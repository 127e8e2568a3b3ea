// SPDX-License-Identifier: MIT
// A worker is the state of a thread that runs systems. The owner's thread uses the world's own
// worker. While several threads work, each has a worker in the world's list, so that an error can
// name the system in which it happened. Workers run nodes (execute.c) and pieces of loops (loop.c);
// the threads belong to the executor, which is base/pool.c or the user's.
//
// The workers of one run form a group. The calling thread is the first worker and stays until the
// run has ended. The others, called helpers, join while there is work for them and leave when there
// is none, so that no thread of the executor is blocked by waiting for work.
#pragma once
#include "find/iterate.h"
#include "run/schedule.h"

// The most systems that run inside each other: far more than is sensible, far fewer than the stack
// holds.
enum { KEELI_DEPTH_AT_MOST = 64 };

// The workers of one run, and the nodes and loops that are to be run. A worker holds the lock while
// it chooses its next node or loop, never while user code runs.
typedef struct keeli_workers {
    keel_world *world;
    struct keeli_workers *next; // in the list of the world
    bool is_busy;               // a run uses it
    bool was_busy;              // a run used it since the last keeli_workers_preallocate
    keeli_lock lock;
    keeli_condition changed;
    uint32_t sleepers;    // workers that wait for `changed`
    uint32_t signal;      // counter of changes, for workers that spin before they sleep (atomic)
    bool is_open;         // helpers may join
    uint32_t outstanding; // jobs that were handed to the executor and have not ended
    uint32_t helpers;     // workers beside the first
    uint32_t active;      // workers that run user code and do not wait for their turn
    // Rarely written, but read by all workers between two pieces: not beside members that change
    // often.
    _Alignas(KEELI_LINE) uint32_t waiting; // workers that wait for their turn (atomic)
    uint32_t pausing;   // 1: a worker waits to be alone, so no node or piece may start (atomic)
    uint32_t count;     // length of `list`: the executor's worker_count
    keeli_worker *list; // index 0: the calling thread
    // State of the current run.
    keeli_schedule *schedule; // NULL: the run is a loop
    uint32_t unfinished;      // number of nodes that have not ended
    uint32_t ended_before;    // all nodes before this one that may create entities have ended
    struct keeli_loop *loops, *spare_loops; // loops that run now, and loops for reuse
    uint32_t failed_node;                   // the first failure in linear order; KEEL_NO_NODE: none
    keel_result failed_result;
    keeli_first_error first; // the error of the earliest node and piece
} keeli_workers;

// ------------------------------------------------------------------ one worker
// Returns the worker that the calling thread is to run systems as: the world's own worker or, while
// several threads work, `spare`. `spare` is memory of the caller that must not move until
// keeli_worker_end.
keeli_worker *keeli_worker_begin(keel_world *world, keeli_worker *spare);
void keeli_worker_end(keel_world *world, keeli_worker *worker);
// Clears `first`, and collects the errors of the worker in it from now on.
static inline void keeli_errors_collect(keeli_worker *worker, keeli_first_error *first) {
    first->error.result = KEEL_OK;
    first->node = KEEL_NO_NODE;
    worker->first = first;
}
// Returns the worker of the calling thread, or NULL.
keeli_worker *keeli_worker_here(keel_world *world);
// Begins a time in which several threads may work: counters are atomic, locks are acquired, edits
// through the world are refused. Returns false if such a time has already begun; the caller must
// then not call keeli_world_end_concurrent.
bool keeli_world_go_concurrent(keel_world *world);
void keeli_world_end_concurrent(keel_world *world);
// True if any system or workload runs now.
bool keeli_world_is_running(keel_world *world);
// Returns an error if the world refuses edits, or while a system or workload runs. `what` begins
// the message, such as "timings cannot be switched on".
keel_result keeli_world_is_at_rest(keel_world *world, const char *what);

// ------------------------------------------------------------------ workers of a run
// Acquires workers for a run; NULL when out of memory (reported).
keeli_workers *keeli_workers_acquire(keel_world *world);
// Releases the workers, and reports the first error of the run.
void keeli_workers_release(keeli_workers *workers);
void keeli_workers_deinit(keel_world *world);
// Makes the calling thread the first worker, and lets helpers join. `schedule`: the schedule to
// run; NULL: the run is only loops.
keeli_worker *keeli_workers_open(keeli_workers *workers, keeli_schedule *schedule);
void keeli_workers_close(keeli_workers *workers);
// Opens the workers, runs all nodes of the schedule on them, and closes them. Returns KEEL_OK, or
// the first failure in linear order.
keel_result keeli_workers_run(keeli_workers *workers, keeli_schedule *schedule);

// ------------------------------------------------------------------ waiting and waking
// A worker has its turn when all nodes and pieces before its own that may create entities have
// ended. Waiting for the turn makes the handles of new entities independent of the threads.

// The next three functions are called with `workers->lock` held.
// Wakes all workers that wait in keeli_workers_await_change.
void keeli_workers_announce(keeli_workers *workers);
// Waits for keeli_workers_announce. May return early, so the caller checks its condition in a loop.
void keeli_workers_await_change(keeli_workers *workers);
// Submits a job to the executor for each helper that may still join, for at most `count`. Releases
// the lock meanwhile.
void keeli_workers_call(keeli_workers *workers, uint32_t count);
// Waits while another worker wants to be alone. This worker does not count as active meanwhile.
void keeli_workers_pause(keeli_workers *workers);
// Returns the overhead of calling a helper, in nanoseconds.
uint64_t keeli_helper_cost(const keel_world *world);
// True if a thread of the world's pool is looking for a job right now, so that it need not be
// woken.
bool keeli_helpers_are_hot(const keel_world *world);
// Waits until all pieces of the loop before `piece` have ended.
void keeli_workers_await_turn(keeli_workers *workers, struct keeli_loop *loop, uint32_t piece);
// Waits until all nodes before `node` that may create entities have ended, and all pieces of `loop`
// (or NULL) before `piece`, and until no other worker runs user code. Then calls `call(data)` with
// the lock held.
void keeli_workers_alone(keeli_workers *workers, uint32_t node, struct keeli_loop *loop,
                         uint32_t piece, void (*call)(void *data), void *data);

// ------------------------------------------------------------------ memory
// Each thread needs more or less memory depending on which nodes it runs. After a run on several
// threads, enough memory for the worst distribution is allocated, so that the next runs allocate
// nothing.

// Starts counting the command lists that a run uses. `workloads`: 1 if the run is a workload, which
// access.workload_depth counts already; 0 if it is a single system.
void keeli_workers_count_memory(keel_world *world, int32_t workloads);
// Allocates the memory that a run like the last one may need. `loops`: the number of systems of the
// run that may be split at the same time.
void keeli_workers_preallocate(keel_world *world, uint32_t loops);

// ------------------------------------------------------------------ loops over pieces (loop.c)
#define KEELI_NO_PIECE UINT32_MAX

// The body of a loop, called for each piece: a system that is split, or a function of the user.
// Exactly one of the first three members is set.
typedef struct keeli_loop_body {
    keel_context *context; // a system that is split
    keel_range_fn *range;
    keel_span_fn *span;
    uint32_t range_end, grain; // bounds of `range`
    keeli_view *view;          // the view that the system or `span` iterates over, or NULL
    void *data;                // the data that `range` and `span` get
    const keel_reduction *reduction;
} keeli_loop_body;

// A loop that runs in pieces. Pieces are started in ascending order.
typedef struct keeli_loop {
    struct keeli_loop *next; // in a list of the workers: in work, or spare
    keeli_workers *workers;
    keeli_worker *owner; // the worker that began it
    keeli_loop_body body;
    keeli_iterator *it; // the owner's iterator over `body.view`, or NULL
    char *partials;     // partial results by piece, `stride` bytes apart; or NULL
    size_t stride;
    const char *running; // name of the system that runs the loop, for messages; or NULL
    uint32_t node;       // node that runs the loop, or KEEL_NO_NODE
    // A system that is split: `failed`, `object` and `message` are under the world's lock.
    bool records;      // pieces record commands or events into `lists`, and may wait for their turn
    uint32_t failed;   // the first piece that failed, or KEELI_NO_PIECE
    uint8_t is_denied; // a piece accessed a storage that was not declared (atomic)
    const void *object;
    char message[sizeof((keel_context *)0)->message];
    // Memory that the next run of a loop uses again.
    keeli_pieces pieces;
    KEELI_ARRAY(keel_commands *) lists; // by piece
    keeli_handles reserved;             // handles for new entities of a system outside of workloads
    uint32_t most;                      // the most pieces that any run of it had
    // State of the current run.
    uint32_t range; // number of items that are divided into pieces
    uint32_t count; // number of pieces; while a batch runs: index behind its last piece
    uint32_t first; // first piece of the batch. Pieces of one batch may run at the same time
    KEELI_ARRAY(uint8_t) ended; // by piece (atomic), if `records`
    uint32_t ended_before;      // all pieces before this one have ended; under the workers' lock
    uint32_t users;             // number of helpers that run pieces; under the workers' lock
    uint32_t share;             // the least pieces that a worker acquires at once (atomic)
    uint64_t piece_ns;          // expected nanoseconds of a piece; 0: not known
    uint64_t began;             // when the owner began the first piece of the batch
    uint64_t visited;           // entities that the owner has visited, if `body.context` is set
    bool has_called;            // helpers were called, or must not be called
    bool is_helped;             // a helper has joined; under the workers' lock
    bool is_private;            // helpers must not join
    // Written by all workers, so not beside members that they read all the time.
    _Alignas(KEELI_LINE) uint32_t taken; // pieces below this one are acquired (atomic)
} keeli_loop;

// Returns a loop that helpers may join and that has pieces left, or NULL. Called with the workers'
// lock.
keeli_loop *keeli_loop_open(const keeli_workers *workers);
// Runs pieces of a loop until there are no more.
void keeli_loop_work(keeli_loop *loop, keeli_worker *worker);
// Makes sure that there are `count` spare loops, each with as much memory as the largest one
// needed. False if out of memory.
bool keeli_loops_reserve(keeli_workers *workers, uint32_t count);
void keeli_loops_deinit(keeli_workers *workers);
// Runs a system whose view is bound, on several threads where that is expected to be faster. `it`
// is a new iterator over that view, which this function ends.
keel_result keeli_run_split(keel_context *context, keeli_iterator *it);
// Checks that a system can be split. Returns KEEL_OK or KEEL_ERROR_ARGUMENT.
keel_result keeli_check_split(keel_world *world, const keel_system *system);
