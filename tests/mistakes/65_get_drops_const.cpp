// SPDX-License-Identifier: MIT
// keel_get is for reading: keel_get_mut gives a pointer to write through.
// g++: invalid conversion from 'const Position*' to 'Position*'
// clang++: cannot initialize a variable of type 'Position *'
#include "game.h"

void use(keel_world *world, keel_entity e) {
    Position *p = keel_get(world, e, Position);
    p->x = 1;
}
