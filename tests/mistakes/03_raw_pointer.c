// SPDX-License-Identifier: MIT
// A parameter as in a C function.
// gcc: drift: parameter 0 is not a KEEL_READ(T, name), KEEL_WRITE(T, name), KEEL_WITH(T), ...: Position *p
// clang: drift: parameter 0 is not a KEEL_READ(T, name), KEEL_WRITE(T, name), KEEL_WITH(T), ...: Position *p
#include "game.h"

KEEL_SYSTEM(drift, Position *p) {
    p->x += 1;
}
