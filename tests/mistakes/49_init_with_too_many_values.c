// SPDX-License-Identifier: MIT
// A position has two members.
// flags: -Werror
// gcc: excess elements in struct initializer
// clang: excess elements in struct initializer
#include "game.h"

void use(keel_world *world) {
    (void)keel_add_entity(world, KEEL_INIT(Position, { 1, 2, 3 }));
}
