// SPDX-License-Identifier: MIT
// Events of a world: sending, and who has received what. The queue of a type belongs to its
// storage, which is borrowed like that of a unique: whoever sends has it alone.
#pragma once
#include "world.h"

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
