// SPDX-License-Identifier: MIT
// Calls of the user's functions in the middle of an edit: hooks, allocators, and what an edit asks
// (whom to keep, what comes first). Meanwhile edits and views that write are refused, and in hooks
// all views and systems. Where several threads are at work the lock of edits does that
// (keeli_is_inside_edit), so that there is nothing to count.
#pragma once
#include "world.h"

enum { KEELI_IN_HOOK = 1 << 16 }; // see keel_world.inside

static inline void keeli_inside_begin(keel_world *world, uint32_t how) {
    if (world->concurrent) return;
    world->inside += how;
    ++world->share_depth;
}
static inline void keeli_inside_end(keel_world *world, uint32_t how) {
    if (world->concurrent) return;
    world->inside -= how;
    --world->share_depth;
}
// Functions that edits ask.
static inline void keeli_asking_begin(keel_world *world) { keeli_inside_begin(world, 1); }
static inline void keeli_asking_end(keel_world *world) { keeli_inside_end(world, 1); }

// The hooks of a component that has them.
void keeli_hook_drop(const keeli_storage *s, void *value);
void keeli_hook_move(const keeli_storage *s, void *to, void *from);
bool keeli_hook_copy(const keeli_storage *s, void *to, const void *from);
uint64_t keeli_hook_hash(const keeli_storage *s, const void *value);
// The same as hooks, for data structures, with the storage as their hook_data.
void keeli_guarded_drop(void *value, void *storage);
void keeli_guarded_move(void *to, void *from, void *storage);
// For the world's heap.
void keeli_guard_allocator(keel_world *world);
