// SPDX-License-Identifier: MIT
// A workload that does not exist.
// gcc: 'KEEL_WORKLOAD_farme' undeclared (first use in this function); did you mean 'KEEL_WORKLOAD_frame'?
// clang: use of undeclared identifier 'KEEL_WORKLOAD_farme'; did you mean 'KEEL_WORKLOAD_frame'?
#include "game.h"

keel_result use(keel_world *world) {
    return keel_run_workload(world, farme);
}
