// SPDX-License-Identifier: MIT
#include "run/lane.h"

// The list of lanes is under the world's lock at all times: helpers come and go while a system has
// the world for itself.

void keeli_lane_enter(keel_world *world, keeli_lane *lane) {
    lane->thread = keeli_thread_id();
    keeli_lock_take(&world->lock);
    lane->depth = 0;
    for (const keeli_lane *l = world->lanes; l; l = l->next) // a system may run another
        if (l->thread == lane->thread && l->depth > lane->depth) lane->depth = l->depth;
    lane->next = world->lanes;
    world->lanes = lane;
    keeli_lock_give(&world->lock);
}

void keeli_lane_leave(keel_world *world, keeli_lane *lane) {
    keeli_lock_take(&world->lock);
    keeli_lane **at = &world->lanes;
    while (*at != lane)
        at = &(*at)->next;
    *at = lane->next;
    keeli_lock_give(&world->lock);
}

keeli_lane *keeli_lane_begin(keel_world *world, keeli_lane *spare) {
    if (!world->concurrent) return &world->own_lane;
    *spare = (keeli_lane){ .node = UINT32_MAX };
    keeli_lane_enter(world, spare);
    return spare;
}

void keeli_lane_end(keel_world *world, keeli_lane *lane) {
    if (lane == &world->own_lane) return;
    keeli_lane_leave(world, lane);
    keeli_arena_deinit(&lane->scratch, &world->heap);
}

keeli_lane *keeli_lane_current(keel_world *world) {
    const uint64_t self = keeli_thread_id();
    keeli_lock_take(&world->lock);
    keeli_lane *lane = world->lanes;
    while (lane && lane->thread != self)
        lane = lane->next;
    keeli_lock_give(&world->lock);
    return lane || world->concurrent || !world->own_lane.depth ? lane : &world->own_lane;
}

bool keeli_world_is_running(keel_world *world) {
    keeli_lock_take(&world->lock);
    const bool is_running =
        world->own_lane.depth || world->lanes || keeli_atomic_peek(&world->workload_depth);
    keeli_lock_give(&world->lock);
    return is_running;
}

bool keeli_world_go_concurrent(keel_world *world) {
    if (world->concurrent) return false;
    world->concurrent = 1;
    ++world->share_depth;
    ++world->looping;
    world->heap.shared = true;
    world->own_lane.thread = keeli_thread_id(); // for keeli_lane_is_here
    return true;
}

void keeli_world_end_concurrent(keel_world *world) {
    world->concurrent = 0;
    --world->share_depth;
    --world->looping;
    world->heap.shared = false;
}
