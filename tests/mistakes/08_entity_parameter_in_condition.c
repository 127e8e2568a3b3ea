// SPDX-License-Identifier: MIT
// A condition is asked once and has no current entity.
// gcc: gliding: a KEEL_CONDITION runs once and has no current entity; declare KEEL_MAY_READ(T) and loop with KEEL_EACH
// clang: gliding: a KEEL_CONDITION runs once and has no current entity; declare KEEL_MAY_READ(T) and loop with KEEL_EACH
#include "game.h"

KEEL_CONDITION(gliding, KEEL_READ(Position, p)) {
    return p->x > 0;
}
