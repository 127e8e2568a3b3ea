// SPDX-License-Identifier: MIT
// The column is for positions, the array holds velocities.
// g++: invalid 'static_cast' from type 'const Velocity*' to type 'const keeli_same<Position>::type*'
// clang++: static_cast from 'const Velocity *' to 'const typename keeli_same<Position>::type *'
#include "game.h"

void use(keel_world *world, const Velocity *velocities) {
    (void)keel_add_entities(world, 8, NULL, KEEL_COLUMN(Position, velocities));
}
