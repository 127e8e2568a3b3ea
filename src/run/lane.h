// SPDX-License-Identifier: MIT
// A thread that runs systems. The world's owner has a lane of its own; when several threads are at
// work each has one in the world's list, so that an error finds the system it happened in.
#pragma once
#include "world.h"

// How deep systems may run each other: far more than is sensible, far less than the stack holds.
enum { KEELI_DEPTH_AT_MOST = 64 };

// The calling thread begins to run systems: in owner mode the world's own lane, else `spare`, which
// is the caller's and must stay where it is until keeli_lane_end.
keeli_lane *keeli_lane_begin(keel_world *world, keeli_lane *spare);
void keeli_lane_end(keel_world *world, keeli_lane *lane);
// Enter and leave the list; for lanes of a team.
void keeli_lane_enter(keel_world *world, keeli_lane *lane);
void keeli_lane_leave(keel_world *world, keeli_lane *lane);
// That of the calling thread, or NULL.
keeli_lane *keeli_lane_current(keel_world *world);
// Is it the calling thread's, and not that of a system in whose loop it helps?
static inline bool keeli_lane_is_here(const keel_world *world, const keeli_lane *lane) {
    return !world->concurrent || lane->thread == keeli_thread_id();
}
// From here to there several threads may be at work: counters are atomic, locks are taken, edits
// through the world are refused. False when that was so before; then it is not to be ended here.
bool keeli_world_go_concurrent(keel_world *world);
void keeli_world_end_concurrent(keel_world *world);
// Does any system or workload run now?
bool keeli_world_is_running(keel_world *world);
