// SPDX-License-Identifier: MIT
// A parameter as in a C function.
// gcc: glide: parameter 0 is not a KEEL_READ(T, name), KEEL_WRITE(T, name), KEEL_WITH(T), ...: Position *p
// clang: glide: parameter 0 is not a KEEL_READ(T, name), KEEL_WRITE(T, name), KEEL_WITH(T), ...: Position *p
#include "game.h"

KEEL_SYSTEM(glide, Position *p) {
    p->x += 1;
}
