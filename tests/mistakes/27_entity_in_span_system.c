// SPDX-License-Identifier: MIT
// KEEL_ENTITY is one entity; a span has many.
// gcc: drift: KEEL_ENTITY is for KEEL_SYSTEM; a KEEL_SPAN_SYSTEM takes KEEL_ENTITIES(name)
// clang: drift: KEEL_ENTITY is for KEEL_SYSTEM; a KEEL_SPAN_SYSTEM takes KEEL_ENTITIES(name)
#include "game.h"

KEEL_SPAN_SYSTEM(drift, KEEL_COUNT(n), KEEL_WRITE(Position, p), KEEL_ENTITY(e)) {
    for (uint32_t i = 0; i < n; ++i) p[i].x += (float)keel_entity_index(e);
}
