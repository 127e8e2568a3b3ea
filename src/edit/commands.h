// SPDX-License-Identifier: MIT
// Recorded edits: when they are applied. And events, which are sent and recorded like edits.
#pragma once
#include "world.h"

void keeli_commands_deinit(keel_world *world);
// Drop what is recorded; the list is spare then.
void keeli_commands_discard(keel_world *world, keel_commands *commands);
// Apply one list now, on behalf of a holder, or (NULL) of the world's owner. KEEL_OK: it is spare
// now; the first error; KEEL_ERROR_MEMORY: the command that failed and those after it are still in
// it.
keel_result keeli_commands_apply(keel_world *world, const keeli_holder *holder,
                                 keel_commands *commands);
// Apply what is pending, and what observers asked for, unless something is in use or commands are
// being applied already.
keel_result keeli_commands_flush_slow(keel_world *world);
static inline keel_result keeli_commands_flush(keel_world *world) {
    // first: in shared mode the rest is not ours to look at
    if (world->refused)
        return KEEL_OK;
    if (!keeli_commands_are_pending(world) && !world->followers.has_reactions)
        return KEEL_OK;
    return keeli_commands_flush_slow(world);
}
// Apply a list that is not queued, and give it back; what cannot be applied is dropped.
keel_result keeli_commands_apply_now(keel_world *world, keel_commands *list);
// Drop the values of a component that is about to be unregistered.
void keeli_commands_forget(keel_world *world, const keeli_storage *storage);
// The end of an edit, for keel_world.commands.flush, which keeli_done calls (follow/follow.h).
void keeli_flush(keel_world *world);

// Events (edit/events.c). The queue of a type belongs to its storage, which is borrowed like that
// of a unique: whoever sends has it alone.
//
// Append an event to a queue that the caller has alone. KEEL_OK, KEEL_ERROR_MEMORY.
keel_result keeli_event_push(keel_world *world, keeli_storage *s, const void *value);
// Send a recorded one, on behalf of a holder, or (NULL) of the world's owner.
keel_result keeli_edit_send_event(keel_world *world, const keeli_holder *holder, keeli_storage *s,
                                  const void *value);
// A walk from a number to the end of what is there now. `stays`: nobody sends meanwhile.
keel_event_walk keeli_event_walk_from(const keel_world *world, const keeli_storage *s,
                                      uint64_t next, bool stays);
// A walk as somebody outside of systems sees it (`reader` NULL: the world itself).
keel_event_walk keeli_events_outside(keel_world *world, const keel_component *event,
                                     const keeli_reader *reader);
