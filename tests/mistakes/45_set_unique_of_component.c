// SPDX-License-Identifier: MIT
// Position is a component, not a unique.
// gcc: 'Position_unique' undeclared
// clang: use of undeclared identifier 'Position_unique'
#include "game.h"

void use(keel_world *world) {
    (void)keel_set_unique(world, Position, { 1, 2 });
}
