// SPDX-License-Identifier: MIT
// Applies recorded edits (commands); world/record.c records them. Also sends events, which are
// recorded like edits.
#pragma once
#include "world.h"

void keeli_commands_deinit(keel_world *world);
// Drops all records of a list and makes the list spare.
void keeli_commands_discard(keel_world *world, keel_commands *commands);
// Applies one list now, on behalf of a holder or (NULL) of the world's owner. Returns the first
// error. The list is spare afterwards, except after KEEL_ERROR_MEMORY: then it still has the
// command that failed and those after it.
keel_result keeli_commands_apply(keel_world *world, const keeli_holder *holder,
                                 keel_commands *commands);
// Applies the pending lists and what observers recorded, unless a storage is borrowed or commands
// are being applied already.
keel_result keeli_commands_flush_slow(keel_world *world);
static inline keel_result keeli_commands_flush(keel_world *world) {
    // `refused` is tested first: while it is not 0, other threads may change the other members
    if (world->refused)
        return KEEL_OK;
    if (!keeli_commands_are_pending(world) && !world->followers.has_reactions)
        return KEEL_OK;
    return keeli_commands_flush_slow(world);
}
// Applies a list that is not queued, drops the records that could not be applied, and makes the
// list spare.
keel_result keeli_commands_apply_now(keel_world *world, keel_commands *list);
// Drops the recorded values of a component that is about to be unregistered.
void keeli_commands_forget(keel_world *world, const keeli_storage *storage);
// Ends an edit: notifies observers of views, and applies what observers recorded. keeli_done
// (follow/follow.h) calls it through keel_world.commands.flush.
void keeli_flush(keel_world *world);

// Events (edit/events.c). The queue of a type of events belongs to its storage. A sender borrows
// the storage for writing, so that it is the only user of the queue.
//
// Appends an event to the queue. Returns KEEL_OK or KEEL_ERROR_MEMORY.
keel_result keeli_event_push(keel_world *world, keeli_storage *s, const void *value);
// Sends a recorded event, on behalf of a holder or (NULL) of the world's owner.
keel_result keeli_edit_send_event(keel_world *world, const keeli_holder *holder, keeli_storage *s,
                                  const void *value);
// Returns a walk over the events from number `next` to the latest one. `stays`: no event is sent
// during the walk.
keel_event_walk keeli_event_walk_from(const keel_world *world, const keeli_storage *s,
                                      uint64_t next, bool stays);
// Returns a walk over the events that a reader outside of systems has not seen; `reader` NULL: that
// the world itself has not seen.
keel_event_walk keeli_events_outside(keel_world *world, const keel_component *event,
                                     const keeli_reader *reader);
