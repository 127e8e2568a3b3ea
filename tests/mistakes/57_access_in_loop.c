// SPDX-License-Identifier: MIT
// What a system declares it may look up is no part of a loop.
// gcc: a loop takes components and entities; uniques, commands and the like are for systems
// clang: a loop takes components and entities; uniques, commands and the like are for systems
#include "game.h"

void use(keel_world *world) {
    KEEL_EACH(world, KEEL_READ(Position, p), KEEL_MAY_READ(Velocity)) (void)p;
}
