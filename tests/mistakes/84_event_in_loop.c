// SPDX-License-Identifier: MIT
// Events are received in systems.
// gcc: a loop takes components and entities; uniques, commands and the like are for systems
// clang: a loop takes components and entities; uniques, commands and the like are for systems
#include "game.h"

void use(keel_world *world) {
    KEEL_EACH(world, KEEL_READ(Position, p), KEEL_RECEIVE(Time, times))
        (void)p, (void)times;
}
