// SPDX-License-Identifier: MIT
// A condition is asked once and has no current entity.
// gcc: drifting: a KEEL_CONDITION runs once and has no current entity; declare KEEL_MAY_READ(T) and loop with KEEL_EACH
// clang: drifting: a KEEL_CONDITION runs once and has no current entity; declare KEEL_MAY_READ(T) and loop with KEEL_EACH
#include "game.h"

KEEL_CONDITION(drifting, KEEL_READ(Position, p)) {
    return p->x > 0;
}
