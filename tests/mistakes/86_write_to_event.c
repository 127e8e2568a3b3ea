// SPDX-License-Identifier: MIT
// Events are read only.
// gcc: assignment of member 'now' in read-only object
// clang: cannot assign to variable 'time' with const-qualified type 'const Time *'
#include "game.h"

KEEL_TASK(tick, KEEL_RECEIVE(Time, times)) { KEEL_FOR_EVENTS(times, Time, time) time->now = 0; }
