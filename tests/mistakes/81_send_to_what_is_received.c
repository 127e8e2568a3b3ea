// SPDX-License-Identifier: MIT
// What is received cannot be sent to.
// gcc: '_Generic' selector of type 'Time_receiver *'
// clang: 'Time_receiver *' (aka 'struct Time_receiver *') not compatible
#include "game.h"

KEEL_SYSTEM_ONCE(tick, KEEL_RECEIVE(Time, times)) { keel_send(times, Time, { 1 }); }
