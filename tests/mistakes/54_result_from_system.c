// SPDX-License-Identifier: MIT
// A system returns nothing: it fails with keel_fail.
// flags: -Werror
// gcc: 'return' with a value, in function returning void
// clang: void function 'keeli_each_glide' should not return a value
#include "game.h"

KEEL_SYSTEM(glide, KEEL_WRITE(Position, p)) {
    p->x += 1;
    return KEEL_OK;
}
