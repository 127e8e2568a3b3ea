// SPDX-License-Identifier: MIT
// Recorded edits: lists, and when they are applied.
#pragma once
#include "world.h"

struct keel_commands {
    struct keel_commands *next; // in the queue of pending lists, or among the spare ones
    keel_world *world;
    keeli_arena arena; // records and the values they carry
    struct keeli_command *first, *last;
    // Where handles of new entities come from, set by the run layer; NULL: from the world.
    keel_result (*promise)(struct keel_commands *commands, keel_entity *out);
    // Makes a component known in the middle of a run; NULL: the world does.
    keeli_storage *(*enroll)(struct keel_commands *commands, const keel_component *component,
                             keel_result *result);
    void *source; // for both
    // What may be edited; count 0: everything. Set by the run layer from KEEL_COMMANDS(c, A, B).
    KEELI_ARRAY(const keeli_storage *) allowed;
    bool for_events; // nobody asked for commands: it holds the events of a system, until it ends
};

bool keeli_commands_init(keel_world *world);
void keeli_commands_deinit(keel_world *world);
// An empty list for a system; NULL when out of memory.
keel_commands *keeli_commands_take(keel_world *world);
// One that is nobody's yet; and the list is nobody's any more.
keel_commands *keeli_commands_new(keel_world *world);
void keeli_commands_spare(keel_world *world, keel_commands *commands);
// Have so many spare lists, with memory for some records, and so many blocks for further ones.
bool keeli_commands_reserve(keel_world *world, uint32_t lists, uint32_t blocks);
// Move what the world's own list holds to the end of the queue. A spare list was made when it got
// its first record; false when a system has taken that one since and there is no memory for
// another.
bool keeli_commands_queue_own(keel_world *world);
// The system has ended: nothing more is recorded.
static inline void keeli_commands_close(keel_commands *commands) {
    commands->promise = NULL;
    commands->enroll = NULL;
}
// The system has ended: queue what it recorded, or drop it. The list is no longer the system's.
void keeli_commands_submit(keel_world *world, keel_commands *commands);
void keeli_commands_discard(keel_world *world, keel_commands *commands);
// Apply one list now, on behalf of a holder, or (NULL) of the world's owner. KEEL_OK: it is spare
// now; the first error; KEEL_ERROR_MEMORY: the command that failed and those after it are still in
// it.
keel_result keeli_commands_apply(keel_world *world, const keeli_holder *holder,
                                 keel_commands *commands);
// Is anything recorded that was not applied?
static inline bool keeli_commands_are_pending(const keel_world *world) {
    return world->pending || world->commands->first;
}
// Apply what is pending, and what observers asked for, unless something is in use or commands are
// being applied already.
keel_result keeli_commands_flush_slowly(keel_world *world);
static inline keel_result keeli_commands_flush(keel_world *world) {
    // first: in shared mode the rest is not ours to look at
    if (world->share_depth) return KEEL_OK;
    if (!keeli_commands_are_pending(world) && !world->has_reactions) return KEEL_OK;
    return keeli_commands_flush_slowly(world);
}
// Apply a list that is not queued, and give it back; what cannot be applied is dropped.
keel_result keeli_commands_apply_now(keel_world *world, keel_commands *list);
static inline bool keeli_commands_is_empty(const keel_commands *list) { return !list->first; }
// Drop the values of a component that is about to be unregistered.
void keeli_commands_forget(keel_world *world, const keeli_storage *storage);
size_t keeli_commands_bytes(const keel_world *world);
