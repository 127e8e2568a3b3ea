// SPDX-License-Identifier: MIT
// KEEL_ENTITY is one entity; a span has many.
// gcc: KEEL_ENTITY is for KEEL_EACH; KEEL_EACH_SPAN takes KEEL_SPAN_ENTITIES(name)
// clang: KEEL_ENTITY is for KEEL_EACH; KEEL_EACH_SPAN takes KEEL_SPAN_ENTITIES(name)
#include "game.h"

void use(keel_world *world) {
    KEEL_EACH_SPAN(world, KEEL_READ(Position, p), KEEL_ENTITY(e)) (void)p, (void)e;
}
