// SPDX-License-Identifier: MIT
// A condition is not run by itself.
// gcc: 'KEEL_SYSTEM_playing' undeclared
// clang: use of undeclared identifier 'KEEL_SYSTEM_playing'
#include "game.h"

keel_result use(keel_world *world) {
    return keel_run(world, playing);
}
