// SPDX-License-Identifier: MIT
// A system that runs per span cannot have the whole world.
// gcc: glide: KEEL_WORLD is for KEEL_SYSTEM_ONCE; a KEEL_SYSTEM_SPAN takes KEEL_CONTEXT(name)
// clang: glide: KEEL_WORLD is for KEEL_SYSTEM_ONCE; a KEEL_SYSTEM_SPAN takes KEEL_CONTEXT(name)
#include "game.h"

KEEL_SYSTEM_SPAN(glide, KEEL_SPAN_COUNT(n), KEEL_WRITE(Position, p), KEEL_WORLD(world)) {
    for (uint32_t i = 0; i < n; ++i) p[i].x += (float)keel_entity_count(world);
}
