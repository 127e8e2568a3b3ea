// SPDX-License-Identifier: MIT
#include "scope.h"

keel_commands *keeli_commands_new(keel_world *world) {
    keel_commands *list = KEELI_NEW(&world->heap, keel_commands);
    if (!list) return NULL;
    list->scope.kind = KEELI_SCOPE_COMMANDS;
    list->world = world;
    if (KEELI_RESERVE(&world->heap, &list->allowed, KEEL_MAX_TERM_COMPONENTS + KEEL_MAX_TERMS))
        return list;
    KEELI_FREE(&world->heap, keel_commands, list);
    return NULL;
}

keel_commands *keeli_commands_take(keel_world *world) {
    keeli_world_lock(world);
    keel_commands *list = world->commands.spare;
    if (list) {
        world->commands.spare = list->next;
        --world->commands.spare_count;
    }
    keeli_world_unlock(world);
    if (!list) return keeli_commands_new(world);
    list->next = NULL;
    return list;
}

void keeli_commands_spare(keel_world *world, keel_commands *list) {
    const bool was_used = list->arena.first && list->arena.first->used;
    const uint32_t blocks = keeli_arena_share(&list->arena, &world->heap);
    list->first = list->last = NULL;
    list->allowed.count = 0;
    list->for_events = false;
    keeli_commands_close(list);
    keeli_world_lock(world);
    list->next = world->commands.spare;
    world->commands.spare = list;
    ++world->commands.spare_count;
    world->commands.used_lists += was_used;
    world->commands.used_blocks += blocks;
    keeli_world_unlock(world);
}

// A list that never had a record has no memory yet.
bool keeli_commands_reserve(keel_world *world, uint32_t lists, uint32_t blocks) {
    for (keel_commands *list = world->commands.spare; list; list = list->next)
        if (!keeli_arena_reserve(&list->arena, &world->heap, 1)) return false;
    while (world->commands.spare_count < lists) {
        keel_commands *list = keeli_commands_new(world);
        if (!list) return false;
        const bool done = keeli_arena_reserve(&list->arena, &world->heap, 1);
        keeli_commands_spare(world, list);
        if (!done) return false;
    }
    return keeli_blocks_reserve(&world->heap, blocks);
}

static void queue(keel_world *world, keel_commands *list) {
    list->next = NULL;
    keeli_world_lock(world);
    if (world->commands.pending_end) world->commands.pending_end->next = list;
    else world->commands.pending = list;
    world->commands.pending_end = list;
    keeli_world_unlock(world);
}

bool keeli_commands_queue_own(keel_world *world) {
    keel_commands *own = world->commands.own;
    if (!own->first) return true;
    keel_commands *list = keeli_commands_take(world);
    if (!list) return false;
    const keeli_arena kept = list->arena; // empty, but it may keep memory
    list->arena = own->arena;
    list->first = own->first;
    list->last = own->last;
    own->arena = kept;
    own->first = own->last = NULL;
    queue(world, list);
    return true;
}

void keeli_commands_submit(keel_world *world, keel_commands *list) {
    if (!world->access.concurrent)
        (void)keeli_commands_queue_own(world); // recorded before, or meanwhile
    if (list->first) queue(world, list);
    else keeli_commands_spare(world, list);
}

static size_t list_bytes(const keel_commands *list) {
    size_t bytes = 0;
    for (; list; list = list->next)
        bytes += sizeof *list + list->arena.bytes;
    return bytes;
}

size_t keeli_commands_bytes(const keel_world *world) {
    return list_bytes(world->commands.own) + list_bytes(world->commands.pending) +
           list_bytes(world->commands.spare) + list_bytes(world->followers.reaction) +
           keeli_blocks_bytes(&world->heap);
}
