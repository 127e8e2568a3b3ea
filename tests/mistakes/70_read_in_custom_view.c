// SPDX-License-Identifier: MIT
// A custom view has no current entity.
// gcc: Scene: a custom view has no current entity; put KEEL_READ(T, name) and the like into KEEL_VIEW(member, ...)
// clang: Scene: a custom view has no current entity; put KEEL_READ(T, name) and the like into KEEL_VIEW(member, ...)
#include "game.h"

typedef struct Scene {
    const Position *p;
} Scene;
KEEL_CUSTOM_VIEW(Scene, KEEL_READ(Position, p));
