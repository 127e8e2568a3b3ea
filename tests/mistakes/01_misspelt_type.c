// SPDX-License-Identifier: MIT
// A component that does not exist.
// gcc: unknown type name 'Positon'; did you mean 'Position'?
// clang: unknown type name 'Positon'; did you mean 'Position'?
#include "game.h"

KEEL_SYSTEM(glide, KEEL_WRITE(Positon, p)) {
    p->x += 1;
}
