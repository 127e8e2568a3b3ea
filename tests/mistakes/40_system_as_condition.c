// SPDX-License-Identifier: MIT
// move is a system, not a condition.
// gcc: 'KEEL_CONDITION_move' undeclared
// clang: use of undeclared identifier 'KEEL_CONDITION_move'
#include "game.h"

KEEL_WORKLOAD(physics, KEEL_STEP(move, .run_if = KEEL_IF(move)));
