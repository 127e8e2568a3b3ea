// SPDX-License-Identifier: MIT
// One pair of braces too many.
// flags: -Werror
// gcc: excess elements in scalar initializer
// clang: excess elements in scalar initializer
#include "game.h"

void use(keel_world *world) {
    (void)keel_add_entity(world, KEEL_INIT(Position, { { 1, 2 }, { 3, 4 } }));
}
