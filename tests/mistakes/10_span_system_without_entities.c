// SPDX-License-Identifier: MIT
// Nothing here says which entities the system is for.
// gcc: tick: a KEEL_SYSTEM_SPAN runs once per span and needs a component or KEEL_SPAN_ENTITIES; use KEEL_SYSTEM_ONCE to run once
// clang: tick: a KEEL_SYSTEM_SPAN runs once per span and needs a component or KEEL_SPAN_ENTITIES; use KEEL_SYSTEM_ONCE to run once
#include "game.h"

KEEL_SYSTEM_SPAN(tick, KEEL_SPAN_COUNT(n), KEEL_UNIQUE_WRITE(Time, time)) {
    time->now += (float)n;
}
