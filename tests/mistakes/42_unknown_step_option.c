// SPDX-License-Identifier: MIT
// A step has the options of keel_step.
// gcc: 'keel_step' has no member named 'run_fi'; did you mean 'run_if'?
// clang: field designator 'run_fi' does not refer to any field in type 'const keel_step'
#include "game.h"

KEEL_WORKLOAD(physics, KEEL_STEP(move, .run_fi = KEEL_IF(playing)));
