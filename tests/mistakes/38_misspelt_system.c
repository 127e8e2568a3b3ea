// SPDX-License-Identifier: MIT
// A system that does not exist.
// gcc: 'mvoe_system' undeclared (first use in this function); did you mean 'move_system'?
// clang: use of undeclared identifier 'mvoe_system'; did you mean 'move_system'?
#include "game.h"

keel_result use(keel_world *world) {
    return keel_run(world, mvoe);
}
