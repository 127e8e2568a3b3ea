// SPDX-License-Identifier: MIT
// Position is a component, not a unique.
// gcc: 'KEEL_UNIQUE_Position' undeclared
// clang: use of undeclared identifier 'KEEL_UNIQUE_Position'
#include "game.h"

void use(keel_world *world) {
    (void)keel_set_unique(world, Position, { 1, 2 });
}
