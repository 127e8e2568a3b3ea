// SPDX-License-Identifier: MIT
// A system that does not exist.
// g++: 'KEEL_SYSTEM_mvoe' was not declared in this scope; did you mean 'KEEL_SYSTEM_move'?
// clang++: use of undeclared identifier 'KEEL_SYSTEM_mvoe'; did you mean 'KEEL_SYSTEM_move'?
#include "game.h"

keel_result use(keel_world *world) {
    return keel_run(world, mvoe);
}
