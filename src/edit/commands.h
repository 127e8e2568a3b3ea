// SPDX-License-Identifier: MIT
// Recorded edits: lists, and when they are applied.
#pragma once
#include "world.h"

struct keel_commands {
    struct keel_commands *next; // in the queue of pending lists, or among the spare ones
    keel_world *world;
    keeli_arena arena; // records and the values they carry
    struct keeli_command *first, *last;
    // What may be edited; count 0: everything. Set by the run layer from KEEL_COMMANDS(c, A, B).
    KEELI_ARRAY(const keeli_storage *) allowed;
};

bool keeli_commands_init(keel_world *world);
void keeli_commands_deinit(keel_world *world);
// An empty list for a system; NULL when out of memory.
keel_commands *keeli_commands_take(keel_world *world);
// The system has ended: queue what it recorded, or drop it. The list is no longer the system's.
void keeli_commands_submit(keel_world *world, keel_commands *commands);
void keeli_commands_discard(keel_world *world, keel_commands *commands);
// Is anything recorded that was not applied?
bool keeli_commands_are_pending(const keel_world *world);
// Apply what is pending unless something is in use or commands are being applied already.
keel_result keeli_commands_flush(keel_world *world);
// Apply a list that is not queued, and give it back; what cannot be applied is dropped.
keel_result keeli_commands_apply_now(keel_world *world, keel_commands *list);
static inline bool keeli_commands_is_empty(const keel_commands *list) { return !list->first; }
// Drop the values of a component that is about to be unregistered.
void keeli_commands_forget(keel_world *world, const keeli_storage *storage);
size_t keeli_commands_bytes(const keel_world *world);
