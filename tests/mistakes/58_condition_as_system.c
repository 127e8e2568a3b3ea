// SPDX-License-Identifier: MIT
// A condition is not run by itself.
// gcc: 'playing_system' undeclared
// clang: use of undeclared identifier 'playing_system'
#include "game.h"

keel_result use(keel_world *world) {
    return keel_run(world, playing);
}
