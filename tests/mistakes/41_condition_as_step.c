// SPDX-License-Identifier: MIT
// playing is a condition, not a system.
// gcc: 'playing_system' undeclared
// clang: use of undeclared identifier 'playing_system'
#include "game.h"

KEEL_WORKLOAD(physics, KEEL_STEP(playing));
