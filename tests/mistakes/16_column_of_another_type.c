// SPDX-License-Identifier: MIT
// The column is for positions, the array holds velocities.
// gcc: '_Generic' selector of type 'const Velocity *' is not compatible with any association
// clang: controlling expression type 'const Velocity *' (aka 'const struct Velocity *') not compatible with any generic association type
#include "game.h"

void use(keel_world *world, const Velocity *velocities) {
    (void)keel_add_entities(world, 8, NULL, KEEL_COLUMN(Position, velocities));
}
