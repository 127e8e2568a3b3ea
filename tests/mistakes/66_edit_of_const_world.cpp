// SPDX-License-Identifier: MIT
// A const world is for reading.
// g++: this verb edits, and the scope is const
// clang++: this verb edits, and the scope is const
#include "game.h"

void use(const keel_world *world, keel_entity e) {
    (void)keel_add(world, e, Position, { 1, 2 });
}
