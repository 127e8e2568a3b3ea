// SPDX-License-Identifier: MIT
// A const world is for reading.
// gcc: '_Generic' selector of type 'const keel_world *'
// clang: controlling expression type 'const keel_world *' (aka 'const struct keel_world *') not compatible with any generic association type
#include "game.h"

void use(const keel_world *world, keel_entity e) {
    (void)keel_add(world, e, Position, { 1, 2 });
}
