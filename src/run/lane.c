// SPDX-License-Identifier: MIT
#include "run/lane.h"

void keeli_lane_enter(keel_world *world, keeli_lane *lane) {
    lane->thread = keeli_thread_id();
    keeli_world_lock(world);
    lane->depth = 0;
    for (const keeli_lane *l = world->lanes; l; l = l->next) // a system may run another
        if (l->thread == lane->thread && l->depth > lane->depth) lane->depth = l->depth;
    lane->next = world->lanes;
    world->lanes = lane;
    keeli_world_unlock(world);
}

void keeli_lane_leave(keel_world *world, keeli_lane *lane) {
    keeli_world_lock(world);
    keeli_lane **at = &world->lanes;
    while (*at != lane)
        at = &(*at)->next;
    *at = lane->next;
    keeli_world_unlock(world);
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

bool keeli_world_is_running(keel_world *world) {
    keeli_world_lock(world);
    const bool is_running =
        world->own_lane.depth || world->lanes || keeli_atomic_peek(&world->workload_depth);
    keeli_world_unlock(world);
    return is_running;
}

void keeli_world_go_concurrent(keel_world *world) {
    if (world->is_shared) return;
    ++world->concurrent;
    world->heap.shared = true;
}

void keeli_world_end_concurrent(keel_world *world) {
    if (world->is_shared) return;
    --world->concurrent;
    world->heap.shared = world->concurrent > 0;
}
