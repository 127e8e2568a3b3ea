// SPDX-License-Identifier: MIT
// A task runs once and has no current entity.
// gcc: glide: a KEEL_SYSTEM_ONCE runs once and has no current entity; declare KEEL_MAY_READ(T) or KEEL_MAY_WRITE(T) and loop with KEEL_EACH
// clang: glide: a KEEL_SYSTEM_ONCE runs once and has no current entity; declare KEEL_MAY_READ(T) or KEEL_MAY_WRITE(T) and loop with KEEL_EACH
#include "game.h"

KEEL_SYSTEM_ONCE(glide, KEEL_WRITE(Position, p)) {
    p->x += 1;
}
