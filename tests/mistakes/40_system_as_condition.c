// SPDX-License-Identifier: MIT
// move is a system, not a condition.
// gcc: 'move_condition' undeclared
// clang: use of undeclared identifier 'move_condition'
#include "game.h"

KEEL_WORKLOAD(physics, KEEL_STEP(move, .run_if = KEEL_IF(move)));
