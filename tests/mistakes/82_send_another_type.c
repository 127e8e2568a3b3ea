// SPDX-License-Identifier: MIT
// A parameter sends events of its own type.
// gcc: '_Generic' selector of type 'KEEL_SENDER_Time *'
// clang: 'KEEL_SENDER_Time *' (aka 'struct KEEL_SENDER_Time *') not compatible
#include "game.h"

KEEL_SYSTEM_ONCE(tick, KEEL_SEND(Time, times)) { keel_send(times, Velocity, { 1, 2 }); }
