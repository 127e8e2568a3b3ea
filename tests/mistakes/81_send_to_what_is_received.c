// SPDX-License-Identifier: MIT
// What is received cannot be sent to.
// gcc: '_Generic' selector of type 'KEEL_RECEIVER_Time *'
// clang: 'KEEL_RECEIVER_Time *' (aka 'struct KEEL_RECEIVER_Time *') not compatible
#include "game.h"

KEEL_SYSTEM_ONCE(tick, KEEL_RECEIVE(Time, times)) { keel_send(times, Time, { 1 }); }
