// SPDX-License-Identifier: MIT
// KEEL_READ gives a const pointer.
// gcc: assignment of member 'x' in read-only object
// clang: cannot assign to variable 'p' with const-qualified type 'const Position *restrict'
#include "game.h"

KEEL_SYSTEM(glide, KEEL_READ(Position, p)) {
    p->x += 1;
}
