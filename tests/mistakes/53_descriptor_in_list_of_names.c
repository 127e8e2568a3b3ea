// SPDX-License-Identifier: MIT
// keel_delete takes the names of components.
// gcc: pasting "KEEL_COMPONENT_" and "(" does not give a valid preprocessing token
// clang: pasting formed 'KEEL_COMPONENT_(', an invalid preprocessing token
#include "game.h"

void use(keel_world *world, keel_entity e) {
    (void)keel_delete(world, e, KEEL_OF(Position));
}
