// SPDX-License-Identifier: MIT
// The world comes first: it says when.
// g++: no matching function for call to 'keeli_add(
// clang++: no matching function for call to 'keeli_add'
#include "game.h"

void use(keel_world *world, keel_entity e) {
    (void)keel_add(e, world, Position, { 1, 2 });
}
