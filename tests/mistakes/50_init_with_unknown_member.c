// SPDX-License-Identifier: MIT
// A position has no z.
// gcc: 'Position' has no member named 'z'
// clang: field designator 'z' does not refer to any field in type 'Position'
#include "game.h"

void use(keel_world *world) {
    (void)keel_add_entity(world, KEEL_INIT(Position, { .z = 1 }));
}
