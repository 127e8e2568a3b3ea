// SPDX-License-Identifier: MIT
// KEEL_ENTITY is one entity; a span has many.
// gcc: glide: KEEL_ENTITY is for KEEL_SYSTEM; a KEEL_SYSTEM_SPAN takes KEEL_SPAN_ENTITIES(name)
// clang: glide: KEEL_ENTITY is for KEEL_SYSTEM; a KEEL_SYSTEM_SPAN takes KEEL_SPAN_ENTITIES(name)
#include "game.h"

KEEL_SYSTEM_SPAN(glide, KEEL_SPAN_COUNT(n), KEEL_WRITE(Position, p), KEEL_ENTITY(e)) {
    for (uint32_t i = 0; i < n; ++i) p[i].x += (float)keel_entity_index(e);
}
