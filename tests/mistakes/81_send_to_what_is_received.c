// SPDX-License-Identifier: MIT
// What is received cannot be sent to.
// gcc: called object 'keeli_events_are_sent_through_a_world_commands_context_or_KEEL_SEND_of_their_type' is not a function
// first: keeli_events_are_sent_through_a_world_commands_context_or_KEEL_SEND
#include "game.h"

KEEL_SYSTEM_ONCE(tick, KEEL_RECEIVE(Time, times)) { keel_send(times, Time, { 1 }); }
