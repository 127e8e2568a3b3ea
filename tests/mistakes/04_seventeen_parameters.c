// SPDX-License-Identifier: MIT
// One parameter too many.
// gcc: glide: a system takes at most 16 parameters
// clang: glide: a system takes at most 16 parameters
#include "game.h"

KEEL_SYSTEM(glide, KEEL_ENTITY(e1), KEEL_ENTITY(e2), KEEL_ENTITY(e3), KEEL_ENTITY(e4),
            KEEL_ENTITY(e5), KEEL_ENTITY(e6), KEEL_ENTITY(e7), KEEL_ENTITY(e8), KEEL_ENTITY(e9),
            KEEL_ENTITY(e10), KEEL_ENTITY(e11), KEEL_ENTITY(e12), KEEL_ENTITY(e13),
            KEEL_ENTITY(e14), KEEL_ENTITY(e15), KEEL_ENTITY(e16), KEEL_ENTITY(e17)) {}
