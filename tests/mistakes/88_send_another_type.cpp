// SPDX-License-Identifier: MIT
// A parameter sends events of its own type.
// g++: this parameter sends events of another type
// clang++: this parameter sends events of another type
#include "game.h"

KEEL_SYSTEM_ONCE(tick, KEEL_SEND(Time, times)) { keel_send(times, Velocity, { 1, 2 }); }
