// SPDX-License-Identifier: MIT
// Events are read only.
// gcc: assignment of member 'now' in read-only object
// clang: cannot assign to variable 'time' with const-qualified type 'const Time *'
#include "game.h"

KEEL_SYSTEM_ONCE(tick, KEEL_RECEIVE(Time, times)) { KEEL_EACH_EVENT(times, Time, time) time->now = 0; }
