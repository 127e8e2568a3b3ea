// SPDX-License-Identifier: MIT
// Nothing here says which entities the system is for.
// gcc: tick: a KEEL_SPAN_SYSTEM runs once per span and needs a component or KEEL_ENTITIES; use KEEL_TASK to run once
// clang: tick: a KEEL_SPAN_SYSTEM runs once per span and needs a component or KEEL_ENTITIES; use KEEL_TASK to run once
#include "game.h"

KEEL_SPAN_SYSTEM(tick, KEEL_COUNT(n), KEEL_UNIQUE_WRITE(Time, time)) {
    time->now += (float)n;
}
