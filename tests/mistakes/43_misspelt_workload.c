// SPDX-License-Identifier: MIT
// A workload that does not exist.
// gcc: 'farme_workload' undeclared (first use in this function); did you mean 'frame_workload'?
// clang: use of undeclared identifier 'farme_workload'; did you mean 'frame_workload'?
#include "game.h"

keel_result use(keel_world *world) {
    return keel_run_workload(world, farme);
}
