// SPDX-License-Identifier: MIT
// A system that runs per entity cannot have the whole world.
// gcc: glide: KEEL_WORLD is for KEEL_SYSTEM_ONCE; a KEEL_SYSTEM takes KEEL_CONTEXT(name)
// clang: glide: KEEL_WORLD is for KEEL_SYSTEM_ONCE; a KEEL_SYSTEM takes KEEL_CONTEXT(name)
#include "game.h"

KEEL_SYSTEM(glide, KEEL_WRITE(Position, p), KEEL_WORLD(world)) {
    p->x += (float)keel_entity_count(world);
}
