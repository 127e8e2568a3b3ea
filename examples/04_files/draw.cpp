// SPDX-License-Identifier: MIT
#include "components.h"

#include <cstdio>

void draw_all(keel_world *world) {
    KEEL_EACH(world, KEEL_READ(Position, p), KEEL_ENTITY(e))
        std::printf("draw %u at %g, %g\n", keel_entity_index(e), double(p->x), double(p->y));
}
