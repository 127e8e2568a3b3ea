// SPDX-License-Identifier: MIT
// A const world is for reading.
// g++: no matching function for call to 'keeli_add(
// clang++: no matching function for call to 'keeli_add'
#include "game.h"

void use(const keel_world *world, keel_entity e) { (void)keel_add(world, e, Position, { 1, 2 }); }
