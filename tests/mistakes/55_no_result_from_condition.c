// SPDX-License-Identifier: MIT
// A condition answers.
// flags: -Werror
// gcc: no return statement in function returning non-void
// clang: non-void function does not return a value
#include "game.h"

KEEL_CONDITION(started, KEEL_UNIQUE_READ(Time, time)) {
    (void)time;
}
