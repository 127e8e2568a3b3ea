// SPDX-License-Identifier: MIT
// A parameter macro that does not exist.
// gcc: parameter 0 is not a KEEL_READ(T, name), KEEL_WRITE(T, name), KEEL_WITH(T), ...: KEEL_RAED(Position, p)
// clang: parameter 0 is not a KEEL_READ(T, name), KEEL_WRITE(T, name), KEEL_WITH(T), ...: KEEL_RAED(Position, p)
#include "game.h"

void use(keel_world *world) {
    KEEL_EACH(world, KEEL_RAED(Position, p)) (void)p;
}
