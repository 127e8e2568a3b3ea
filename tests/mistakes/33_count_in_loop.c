// SPDX-License-Identifier: MIT
// KEEL_SPAN_COUNT is for spans.
// gcc: KEEL_SPAN_COUNT is for KEEL_EACH_SPAN; KEEL_EACH runs for one entity
// clang: KEEL_SPAN_COUNT is for KEEL_EACH_SPAN; KEEL_EACH runs for one entity
#include "game.h"

void use(keel_world *world) {
    KEEL_EACH(world, KEEL_READ(Position, p), KEEL_SPAN_COUNT(n)) (void)p, (void)n;
}
