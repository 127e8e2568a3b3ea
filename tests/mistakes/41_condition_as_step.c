// SPDX-License-Identifier: MIT
// playing is a condition, not a system.
// gcc: 'KEEL_SYSTEM_playing' undeclared
// clang: use of undeclared identifier 'KEEL_SYSTEM_playing'
#include "game.h"

KEEL_WORKLOAD(physics, KEEL_STEP(playing));
