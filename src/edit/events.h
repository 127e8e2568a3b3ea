// SPDX-License-Identifier: MIT
// Events of a world: sending, and who has received what. The queue of a type belongs to its
// storage, which is borrowed like that of a unique: whoever sends has it alone.
#pragma once
#include "world.h"

// A type of events became known, or is forgotten: its queue. False when out of memory.
bool keeli_events_init(keel_world *world, keeli_storage *s);
void keeli_events_deinit(keel_world *world, keeli_storage *s);
// The storage of a type of events; NULL with the reason in `*result`.
keeli_storage *keeli_event_get(keel_world *world, const keel_component *event, keel_result *result);
// Append an event to a queue that the caller has alone. KEEL_OK, KEEL_ERROR_MEMORY.
keel_result keeli_event_push(keel_world *world, keeli_storage *s, const void *value);
// The same for a recorded one, on behalf of a holder, or (NULL) of the world's owner.
keel_result keeli_edit_send_event(keel_world *world, const keeli_holder *holder, keeli_storage *s,
                                  const void *value);
// A walk from a number to the end of what is there now. `stays`: nobody sends meanwhile.
keel_event_walk keeli_event_walk_from(const keel_world *world, const keeli_storage *s,
                                      uint64_t next, bool stays);
// A reader of the user's has passed what was sent up to now; and one that does not come any more.
void keeli_events_pass(keel_world *world, const keeli_reader *reader);
void keeli_events_forget(keel_world *world, const keeli_reader *reader);
// A run is over: what everybody has passed goes, from all queues that nobody uses. Nothing in
// worlds without events, and while several threads may be at work.
void keeli_events_settle_all(keel_world *world);
static inline void keeli_events_settle(keel_world *world) {
    if (world->queues.count && !world->share_depth) keeli_events_settle_all(world);
}
