// SPDX-License-Identifier: MIT
// A velocity is not a position.
// gcc: incompatible types when initializing type 'float' using type 'Velocity'
// clang: initializing 'float' with an expression of incompatible type 'Velocity'
#include "game.h"

void use(keel_world *world, Velocity v) {
    (void)keel_add_entity(world, KEEL_INIT(Position, v));
}
