// SPDX-License-Identifier: MIT
// A system that does not exist.
// gcc: 'mvoe_system' undeclared
// clang: use of undeclared identifier 'mvoe_system'; did you mean 'move_system'?
#include "game.h"

KEEL_WORKLOAD(physics, KEEL_STEP(mvoe));
