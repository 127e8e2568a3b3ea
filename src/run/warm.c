// SPDX-License-Identifier: MIT
#include "run/warm.h"

#include "base/memory.h"
#include "edit/commands.h"
#include "find/iterate.h"

// A run inside of another one counts with it; while others are at work nobody counts.
void keeli_warm_begin(keel_world *world, int32_t workloads) {
    if (world->share_depth || keeli_atomic_peek(&world->workload_depth) > workloads) return;
    world->used_lists = world->used_blocks = 0;
}

// Each lane as much scratch memory as any of them needed.
static bool even_scratch(keeli_team *team) {
    size_t most = 0;
    for (uint32_t i = 0; i < team->lane_count; ++i)
        if (team->lanes[i].scratch.most > most) most = team->lanes[i].scratch.most;
    if (!most) return true;
    most += most / 8; // alignment takes less or more
    for (uint32_t i = 0; i < team->lane_count; ++i)
        if (!keeli_arena_reserve(&team->lanes[i].scratch, &team->world->heap, most)) return false;
    return true;
}

static bool fit_loop(keeli_heap *heap, keeli_loop *loop, uint32_t pieces, uint32_t handles) {
    loop->ended.count = loop->lists.count = loop->pieces.list.count = 0;
    return KEELI_RESERVE(heap, &loop->ended, pieces) &&
           KEELI_RESERVE(heap, &loop->pieces.list, pieces) &&
           KEELI_RESERVE(heap, &loop->lists, pieces) &&
           KEELI_RESERVE(heap, &loop->stock.handles, handles);
}

static bool add_loop(keeli_team *team) {
    keeli_loop *loop = KEELI_NEW(&team->world->heap, keeli_loop);
    if (!loop) return false;
    loop->next = team->spare_loops;
    team->spare_loops = loop;
    return true;
}

// Loops change hands: each has room for what the largest needed.
static bool even_loops(keeli_team *team, uint32_t count) {
    uint32_t pieces = 0, handles = 0, there = 0;
    for (const keeli_loop *loop = team->spare_loops; loop; loop = loop->next, ++there) {
        if (loop->most > pieces) pieces = loop->most;
        if (loop->stock.most > handles) handles = loop->stock.most;
    }
    for (; there < count; ++there)
        if (!add_loop(team)) return false;
    for (keeli_loop *loop = team->spare_loops; loop; loop = loop->next)
        if (!fit_loop(&team->world->heap, loop, pieces, handles)) return false;
    return true;
}

// What cannot be had now is made when it is needed.
void keeli_warm_end(keeli_team *team, uint32_t splits) {
    keel_world *world = team->world;
    const uint32_t lanes = keeli_least(world->worker_count, team->lane_count);
    if (world->share_depth || lanes < 2) return;
    const uint32_t inner = keeli_atomic_load(&world->has_inner_views);
    // lanes may hold lists in which nothing is recorded in the end
    (void)(keeli_iterators_reserve(world, lanes * (1 + inner)) &&
           keeli_views_reserve(world, lanes * inner) &&
           keeli_commands_reserve(world, world->used_lists ? world->used_lists + lanes : 0,
                                  world->used_blocks) &&
           even_scratch(team) && even_loops(team, keeli_least(splits, lanes)));
}
