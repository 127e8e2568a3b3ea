// SPDX-License-Identifier: MIT
// A system that does not exist.
// gcc: 'KEEL_SYSTEM_mvoe' undeclared
// clang: use of undeclared identifier 'KEEL_SYSTEM_mvoe'; did you mean 'KEEL_SYSTEM_move'?
#include "game.h"

KEEL_WORKLOAD(physics, KEEL_STEP(mvoe));
