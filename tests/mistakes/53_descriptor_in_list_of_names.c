// SPDX-License-Identifier: MIT
// keel_delete takes the names of components.
// gcc: pasting ")" and "_component" does not give a valid preprocessing token
// clang: pasting formed ')_component', an invalid preprocessing token
#include "game.h"

void use(keel_world *world, keel_entity e) {
    (void)keel_delete(world, e, KEEL_OF(Position));
}
