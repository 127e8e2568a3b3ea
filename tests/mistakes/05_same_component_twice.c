// SPDX-License-Identifier: MIT
// One value through two pointers.
// gcc: redeclaration of enumerator 'KEEL_SYSTEM_glide_names_Position_once'
// clang: redefinition of enumerator 'KEEL_SYSTEM_glide_names_Position_once'
#include "game.h"

KEEL_SYSTEM(glide, KEEL_WRITE(Position, p), KEEL_READ(Position, q)) {
    p->x += q->x;
}
