// SPDX-License-Identifier: MIT
// Lists of recorded edits: who has one, and the queue of those that wait to be applied. What is
// recorded in them, and applying it, is edit/commands.c's.
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
// An empty list for a system; NULL when out of memory.
keel_commands *keeli_commands_take(keel_world *world);
// One that is nobody's yet; and the list, without records, is nobody's any more.
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
// The system has ended: queue what it recorded. The list is no longer the system's.
void keeli_commands_submit(keel_world *world, keel_commands *commands);
static inline bool keeli_commands_is_empty(const keel_commands *list) { return !list->first; }
// Is anything recorded that was not applied?
static inline bool keeli_commands_are_pending(const keel_world *world) {
    return world->pending || world->commands->first;
}
size_t keeli_commands_bytes(const keel_world *world);
