// SPDX-License-Identifier: MIT
// A position does not go into a velocity.
// gcc: '_Generic' selector of type 'Velocity *' is not compatible with any association
// clang: controlling expression type 'Velocity *' (aka 'struct Velocity *') not compatible with any generic association type
#include "game.h"

bool use(keel_world *world, keel_entity e) {
    Velocity taken;
    return keel_remove_values(world, e, KEEL_OUT(Position, &taken)) == KEEL_OK;
}
