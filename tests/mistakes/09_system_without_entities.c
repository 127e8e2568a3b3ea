// SPDX-License-Identifier: MIT
// Nothing here says which entities the system is for.
// gcc: tick: a KEEL_SYSTEM runs once per entity and needs a component or KEEL_ENTITY; use KEEL_SYSTEM_ONCE to run once
// clang: tick: a KEEL_SYSTEM runs once per entity and needs a component or KEEL_ENTITY; use KEEL_SYSTEM_ONCE to run once
#include "game.h"

KEEL_SYSTEM(tick, KEEL_UNIQUE_WRITE(Time, time)) {
    time->now += 1;
}
