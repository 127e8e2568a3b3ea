// SPDX-License-Identifier: MIT
// A system that does not exist.
// gcc: 'KEEL_SYSTEM_mvoe' undeclared (first use in this function); did you mean 'KEEL_SYSTEM_move'?
// clang: use of undeclared identifier 'KEEL_SYSTEM_mvoe'; did you mean 'KEEL_SYSTEM_move'?
#include "game.h"

keel_result use(keel_world *world) {
    return keel_run(world, mvoe);
}
