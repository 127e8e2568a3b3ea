// SPDX-License-Identifier: MIT
// A loop takes components and entities; the rest belongs to a system.
// gcc: a loop takes components and entities; uniques, commands and the like are for systems
// clang: a loop takes components and entities; uniques, commands and the like are for systems
#include "game.h"

void use(keel_world *world) {
    KEEL_EACH(world, KEEL_READ(Position, p), KEEL_COMMANDS(x)) (void)p, (void)x;
}
