// SPDX-License-Identifier: MIT
// Loops over pieces, on all workers: a system that is split, or a loop or reduction by direct call.
#pragma once
#include "find/iterate.h"
#include "run/workers.h"

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
    const void *object;
    char message[sizeof((keel_context *)0)->message];
    // kept with the loop, so that a run that was made before allocates nothing
    keeli_pieces pieces;
    KEELI_ARRAY(keel_commands *) lists;
    keeli_handles reserved; // of a system outside of workloads
    uint32_t most;          // pieces that it ever had
    // who does what
    uint32_t count;             // of pieces
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
// Run a system whose view is bound, split into pieces; and can it be?
keel_result keeli_run_split(keel_context *context);
keel_result keeli_check_split(keel_world *world, const keel_system *system);
