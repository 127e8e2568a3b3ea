// SPDX-License-Identifier: MIT
// A parameter sends events of its own type.
// gcc: called object 'keeli_events_are_sent_through_a_world_commands_context_or_KEEL_SEND_of_their_type' is not a function
#include "game.h"

KEEL_SYSTEM_ONCE(tick, KEEL_SEND(Time, times)) { keel_send(times, Velocity, { 1, 2 }); }
