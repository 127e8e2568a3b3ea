// SPDX-License-Identifier: MIT
// KEEL_SPAN_ENTITIES is an array; KEEL_EACH takes KEEL_ENTITY.
// gcc: KEEL_SPAN_ENTITIES is for KEEL_EACH_SPAN; KEEL_EACH takes KEEL_ENTITY(name)
// clang: KEEL_SPAN_ENTITIES is for KEEL_EACH_SPAN; KEEL_EACH takes KEEL_ENTITY(name)
#include "game.h"

void use(keel_world *world) {
    KEEL_EACH(world, KEEL_READ(Position, p), KEEL_SPAN_ENTITIES(x)) (void)p, (void)x;
}
