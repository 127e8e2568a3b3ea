// SPDX-License-Identifier: MIT
// A workload of systems without KEEL_STEP.
// gcc: look: a step that runs a system is KEEL_STEP(system): move
// clang: look: a step that runs a system is KEEL_STEP(system): move
// first: KEEL_STEP(system)
#include "game.h"

KEEL_WORKLOAD(look, move, show);
