// SPDX-License-Identifier: MIT
// What is above can only be read
// gcc: 'KEEL_UP_takes_READ_or_OPTIONAL_READ_and_not_KEEL_TERM_WRITE' undeclared
// clang: use of undeclared identifier 'KEEL_UP_takes_READ_or_OPTIONAL_READ_and_not_KEEL_TERM_WRITE'
#include "game.h"

KEEL_SYSTEM(glide, KEEL_READ(Velocity, v), KEEL_UP(keel_child, KEEL_WRITE(Position, p))) {
    p->x += v->x;
}
