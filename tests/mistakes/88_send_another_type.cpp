// SPDX-License-Identifier: MIT
// A parameter sends events of its own type.
// g++: no matching function for call to 'keeli_send(Time_sender*&
// clang++: no matching function for call to 'keeli_send'
#include "game.h"

KEEL_SYSTEM_ONCE(tick, KEEL_SEND(Time, times)) { keel_send(times, Velocity, { 1, 2 }); }
