// SPDX-License-Identifier: MIT
// The pointer is for velocities, the value is a position.
// flags: -Werror
// gcc: initialization of 'Velocity *' from incompatible pointer type 'Position *'
// clang: incompatible pointer types initializing 'Velocity *'
#include "game.h"

void use(keel_world *world, keel_entity e) {
    Velocity *v = keel_get_mut(world, e, Position);
    v->x = 1;
}
