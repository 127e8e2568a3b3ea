// SPDX-License-Identifier: MIT
// A parameter sends events of its own type.
// gcc: '_Generic' selector of type 'Time_sender *'
// clang: 'Time_sender *' (aka 'struct Time_sender *') not compatible
#include "game.h"

KEEL_SYSTEM_ONCE(tick, KEEL_SEND(Time, times)) { keel_send(times, Velocity, { 1, 2 }); }
