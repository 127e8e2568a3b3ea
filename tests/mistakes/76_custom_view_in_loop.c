// SPDX-License-Identifier: MIT
// A loop has no custom views.
// gcc: a loop takes components and entities; uniques, commands and the like are for systems
// clang: a loop takes components and entities; uniques, commands and the like are for systems
#include "game.h"

typedef struct Scene {
    keel_view all;
} Scene;
KEEL_CUSTOM_VIEW(Scene, KEEL_VIEW(all, KEEL_READ(Position, p)));

void use(keel_world *world) {
    KEEL_EACH(world, KEEL_READ(Position, p), KEEL_CUSTOM_WRITE(Scene, scene)) (void)p;
}
