// SPDX-License-Identifier: MIT
// The workers of one run: what is ready, who waits, and loops that are split. The calling thread
// is lane 0 and stays until all is done; the others come while there is something for them and
// leave when there is not, so that nobody blocks a thread of the executor for nothing.
#pragma once
#include "find/iterate.h"
#include "run/lane.h"
#include "run/schedule.h"

// A loop that is split into pieces, which are taken in ascending order.
typedef struct keeli_loop {
    struct keeli_loop *next; // of the team: in work, or spare
    struct keeli_team *team;
    keeli_lane *owner; // who began it
    // Take pieces with keeli_loop_next until there is none. Called by several lanes at once.
    void (*work)(struct keeli_loop *loop, keeli_lane *lane);
    void *user;                         // for `work`
    uint32_t count;                     // of pieces
    bool in_turns;                      // pieces may have to wait for those before them
    KEELI_ARRAY(uint8_t) ended;         // by piece (atomic), if `in_turns`
    uint32_t settled;                   // all pieces before it have ended; under the team's lock
    uint32_t most;                      // pieces that it ever had
    keeli_pieces pieces;                // for `work`, like the next: kept with the loop, so that a
    KEELI_ARRAY(keel_commands *) lists; // warmed-up run allocates nothing
    keeli_stock stock;                  // of a system outside of workloads
    uint32_t users;                     // lanes that are in it; under the team's lock
    uint32_t share;                     // pieces that a lane takes at once, at least (atomic)
    uint64_t piece_ns;                  // what a piece takes, as far as it is known; otherwise 0
    uint64_t began;                     // when the owner took its first piece
    uint64_t spent;                     // nanoseconds of helpers; under the team's lock
    bool has_called;                    // for helpers, or never will
    bool is_private;                    // nobody may help
    // Written by all of them: not beside what they read all the time.
    _Alignas(KEELI_LINE) uint32_t taken; // pieces below it were taken (atomic)
} keeli_loop;

// The pieces that a lane has taken and not worked on yet.
typedef struct keeli_share {
    uint32_t next, end;
} keeli_share;

typedef struct keeli_team {
    keel_world *world;
    struct keeli_team *next; // of the world
    bool is_busy;            // belongs to a run
    keeli_lock lock;
    keeli_condition changed;
    uint32_t sleepers;    // lanes that wait for `changed`
    uint32_t signal;      // counts changes, for those who look before they sleep (atomic)
    bool is_open;         // helpers may join
    uint32_t outstanding; // jobs that were handed to the executor and have not ended
    uint32_t helpers;     // lanes beside the first
    uint32_t active;      // lanes that run somebody's code and do not wait for their turn
    // Seldom written, and read by all lanes between two pieces.
    _Alignas(KEELI_LINE) uint32_t waiting; // lanes that wait for their turn (atomic)
    uint32_t pausing;                      // a lane wants to be alone: nothing new starts (atomic)
    uint32_t lane_count;
    keeli_lane *lanes; // one for each worker of the executor
    // the run
    keeli_schedule *schedule; // NULL: one loop
    uint32_t unfinished;      // nodes
    uint32_t settled;         // all nodes before it that may create entities have ended
    keeli_loop *loops, *spare_loops;
    uint32_t failed_node; // the first in linear order; KEELI_NO_NODE: none
    keel_result failed_result;
    keeli_first_error first;
} keeli_team;

// A team for the calling thread, which becomes lane 0; NULL when out of memory (reported).
keeli_team *keeli_team_take(keel_world *world);
void keeli_team_give(keeli_team *team);
void keeli_teams_deinit(keel_world *world);

// The calling thread is lane 0 from here to there, and helpers may join: for a schedule, or (NULL)
// for loops.
keeli_lane *keeli_team_open(keeli_team *team, keeli_schedule *schedule);
void keeli_team_close(keeli_team *team);
// Both, and all nodes of the schedule in between, `pending` of each being set. Failures are in the
// team afterwards.
void keeli_team_run(keeli_team *team, keeli_schedule *schedule);

// A loop: take, say how many pieces it has and whether they may wait for their turn, set `work` and
// `user`, run (on the caller's lane and on whoever comes to help), give. NULL when out of memory
// (reported), and false.
keeli_loop *keeli_loop_take(keeli_team *team);
bool keeli_loop_size(keeli_loop *loop, uint32_t count, bool in_turns);
void keeli_loop_run(keeli_loop *loop, keeli_lane *lane);
void keeli_loop_give(keeli_loop *loop);
// The next piece of this lane, whose `share` starts zeroed; UINT32_MAX when there is none.
uint32_t keeli_loop_next(keeli_loop *loop, const keeli_lane *lane, keeli_share *share);
// The piece is done.
void keeli_loop_ended(keeli_loop *loop, uint32_t piece);

// Wait until all pieces of the loop before `piece` have ended.
void keeli_team_turn(keeli_team *team, keeli_loop *loop, uint32_t piece);
// Wait until all nodes before `node` that may create entities have ended, and all pieces of `loop`
// (or NULL) before `piece`, and until no other lane runs anybody's code; then call.
void keeli_team_alone(keeli_team *team, uint32_t node, keeli_loop *loop, uint32_t piece,
                      void (*call)(void *data), void *data);
