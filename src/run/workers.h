// SPDX-License-Identifier: MIT
// Workers: threads that run systems. The world's owner has a worker of its own; when several
// threads are at work each is in the world's list, so that an error finds the system it happened
// in. Those of one run belong together: the calling thread is the first and stays until all is
// done; the others come while there is something for them and leave when there is not, so that
// nobody blocks a thread of the executor for nothing.
#pragma once
#include "find/iterate.h"
#include "run/schedule.h"

// How deep systems may run each other: far more than is sensible, far less than the stack holds.
enum { KEELI_DEPTH_AT_MOST = 64 };

// The workers of one run, and what there is for them. One lock guards it; it is held between two
// nodes, never while somebody's code runs.
typedef struct keeli_workers {
    keel_world *world;
    struct keeli_workers *next; // of the world
    bool is_busy;               // belongs to a run
    bool was_busy;              // since keeli_workers_preallocate
    keeli_lock lock;
    keeli_condition changed;
    uint32_t sleepers;    // workers that wait for `changed`
    uint32_t signal;      // counts changes, for those who look before they sleep (atomic)
    bool is_open;         // helpers may join
    uint32_t outstanding; // jobs that were handed to the executor and have not ended
    uint32_t helpers;     // workers beside the first
    uint32_t active;      // workers that run somebody's code and do not wait for their turn
    // Seldom written, and read by all workers between two pieces.
    _Alignas(KEELI_LINE) uint32_t waiting; // workers that wait for their turn (atomic)
    uint32_t pausing;                      // one wants to be alone: nothing new starts (atomic)
    uint32_t count;
    keeli_worker *list; // one for each worker of the executor
    // the run
    keeli_schedule *schedule; // NULL: one loop
    uint32_t unfinished;      // nodes
    uint32_t ended_before;    // all nodes before it that may create entities have ended
    struct keeli_loop *loops, *spare_loops; // in work, and not
    uint32_t failed_node;                   // the first in linear order; KEEL_NO_NODE: none
    keel_result failed_result;
    keeli_first_error first;
} keeli_workers;

// ------------------------------------------------------------------ one worker
// The calling thread begins to run systems: in owner mode as the world's own worker, else as
// `spare`, which is the caller's and must stay where it is until keeli_worker_end.
keeli_worker *keeli_worker_begin(keel_world *world, keeli_worker *spare);
void keeli_worker_end(keel_world *world, keeli_worker *worker);
// Its errors go to `first`, which is empty.
static inline void keeli_errors_collect(keeli_worker *worker, keeli_first_error *first) {
    first->error.result = KEEL_OK;
    first->node = KEEL_NO_NODE;
    worker->first = first;
}
// That of the calling thread, or NULL.
keeli_worker *keeli_worker_here(keel_world *world);
// From here to there several threads may be at work: counters are atomic, locks are taken, edits
// through the world are refused. False when that was so before; then it is not to be ended here.
bool keeli_world_go_concurrent(keel_world *world);
void keeli_world_end_concurrent(keel_world *world);
// Does any system or workload run now?
bool keeli_world_is_running(keel_world *world);
// In owner mode, and none does? `what` goes into the message: "timings cannot be switched on".
keel_result keeli_world_is_at_rest(keel_world *world, const char *what);

// ------------------------------------------------------------------ those of a run
// The calling thread becomes the first; NULL when out of memory (reported).
keeli_workers *keeli_workers_take(keel_world *world);
void keeli_workers_give(keeli_workers *workers);
void keeli_workers_deinit(keel_world *world);
// The calling thread is the first from here to there, and helpers may join: for a schedule, or
// (NULL) for loops.
keeli_worker *keeli_workers_open(keeli_workers *workers, keeli_schedule *schedule);
void keeli_workers_close(keeli_workers *workers);
// Both, and all nodes of the schedule in between: KEEL_OK, or the first failure in linear order.
keel_result keeli_workers_run(keeli_workers *workers, keeli_schedule *schedule);

// ------------------------------------------------------------------ among each other
// All with the lock: something has changed; until something has, or for no reason; ask for as many
// helpers as there is work for, `count` at most.
void keeli_workers_announce(keeli_workers *workers);
void keeli_workers_await_change(keeli_workers *workers);
void keeli_workers_call(keeli_workers *workers, uint32_t count);
// A worker wants to be alone and waits for this one.
void keeli_workers_pause(keeli_workers *workers);
// Nanoseconds that it costs to get a helper; and does one look for a job right now?
uint64_t keeli_helper_cost(const keel_world *world);
bool keeli_helpers_are_hot(const keel_world *world);
// Wait until all pieces of the loop before `piece` have ended.
void keeli_workers_await_turn(keeli_workers *workers, struct keeli_loop *loop, uint32_t piece);
// Wait until all nodes before `node` that may create entities have ended, and all pieces of `loop`
// (or NULL) before `piece`, and until no other worker runs anybody's code; then call.
void keeli_workers_alone(keeli_workers *workers, uint32_t node, struct keeli_loop *loop,
                         uint32_t piece, void (*call)(void *data), void *data);

// ------------------------------------------------------------------ memory
// Which thread comes to run what decides how much memory each of them needs. After a run of several
// threads there is as much to spare as any order would have needed, so that the next runs allocate
// nothing. `workloads` of those that are being run are this one: 1 or 0.
void keeli_workers_count_memory(keel_world *world, int32_t workloads);
// Nothing of the run is left. `loops`: so many systems of it may be split at once.
void keeli_workers_preallocate(keel_world *world, uint32_t loops);

// ------------------------------------------------------------------ loops over pieces (loop.c)
// On all workers: a system that is split, or a loop or reduction by direct call.
#define KEELI_NO_PIECE UINT32_MAX

// What is called for each piece: one of the three functions.
typedef struct keeli_loop_body {
    keel_context *context; // of a system that is split
    keel_range_fn *range;
    keel_span_fn *span;
    uint32_t range_end, grain; // of `range`
    keeli_view *view;          // of a system and of `span`
    void *data;                // of `range` and `span`
    const keel_reduction *reduction;
} keeli_loop_body;

// Pieces are taken in ascending order.
typedef struct keeli_loop {
    struct keeli_loop *next; // of the workers: in work, or spare
    keeli_workers *workers;
    keeli_worker *owner; // who began it
    keeli_loop_body body;
    keeli_iterator *it; // of the owner, when a view is walked, or NULL
    char *partials;     // one for each piece, `stride` bytes apart; or NULL
    size_t stride;
    const char *running; // around it, for messages
    uint32_t node;
    // of a system: what pieces record is in `lists`, so that they may have to wait for those before
    // them; the first failure under the world's lock
    bool records;
    uint32_t failed;
    uint8_t is_denied; // since something was touched that was not declared (atomic)
    const void *object;
    char message[sizeof((keel_context *)0)->message];
    // kept with the loop, so that a run that was made before allocates nothing
    keeli_pieces pieces;
    KEELI_ARRAY(keel_commands *) lists;
    keeli_handles reserved; // of a system outside of workloads
    uint32_t most;          // pieces that it ever had
    // who does what
    uint32_t range;             // items that it goes through, cut into
    uint32_t count;             // so many pieces; while it runs: the end of those that may be
    uint32_t first;             // worked on at once, from this one on
    KEELI_ARRAY(uint8_t) ended; // by piece (atomic), if `records`
    uint32_t ended_before;      // all pieces before it have ended; under the workers' lock
    uint32_t users;             // workers that are in it; under the workers' lock
    uint32_t share;             // pieces that a worker takes at once, at least (atomic)
    uint64_t piece_ns;          // what a piece takes, as far as it is known; otherwise 0
    uint64_t began;             // when the owner took its first piece
    bool has_called;            // for helpers, or never will
    bool is_helped;             // somebody came; under the workers' lock
    bool is_private;            // nobody may help
    // Written by all of them: not beside what they read all the time.
    _Alignas(KEELI_LINE) uint32_t taken; // pieces below it were taken (atomic)
} keeli_loop;

// One that helpers may join, or NULL; with the workers' lock. And take part in a loop.
keeli_loop *keeli_loop_open(const keeli_workers *workers);
void keeli_loop_work(keeli_loop *loop, keeli_worker *worker);
// Have so many spare loops, each with room for what the largest needed; false: out of memory.
bool keeli_loops_reserve(keeli_workers *workers, uint32_t count);
void keeli_loops_deinit(keeli_workers *workers);
// Run a system whose view is bound, in pieces where that may gain something; and can it be split?
// The iterator has just begun, and is given back.
keel_result keeli_run_split(keel_context *context, keeli_iterator *it);
keel_result keeli_check_split(keel_world *world, const keel_system *system);
