// SPDX-License-Identifier: MIT
// A parameter receives events of its own type.
// g++: this parameter receives events of another type
// clang++: this parameter receives events of another type
#include "game.h"

KEEL_SYSTEM_ONCE(tick, KEEL_RECEIVE(Time, times)) {
    KEEL_EACH_EVENT(times, Velocity, velocity)(void) velocity;
}
