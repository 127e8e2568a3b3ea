// SPDX-License-Identifier: MIT
// A parameter macro that does not exist.
// gcc: glide: parameter 0 is not a KEEL_READ(T, name), KEEL_WRITE(T, name), KEEL_WITH(T), ...: KEEL_WRTIE(Position, p)
// clang: glide: parameter 0 is not a KEEL_READ(T, name), KEEL_WRITE(T, name), KEEL_WITH(T), ...: KEEL_WRTIE(Position, p)
#include "game.h"

KEEL_SYSTEM(glide, KEEL_WRTIE(Position, p)) {
    p->x += 1;
}
