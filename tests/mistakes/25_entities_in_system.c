// SPDX-License-Identifier: MIT
// KEEL_SPAN_ENTITIES is an array; a system that runs per entity takes KEEL_ENTITY.
// gcc: glide: KEEL_SPAN_ENTITIES is for KEEL_SYSTEM_SPAN; a KEEL_SYSTEM takes KEEL_ENTITY(name)
// clang: glide: KEEL_SPAN_ENTITIES is for KEEL_SYSTEM_SPAN; a KEEL_SYSTEM takes KEEL_ENTITY(name)
#include "game.h"

KEEL_SYSTEM(glide, KEEL_WRITE(Position, p), KEEL_SPAN_ENTITIES(entities)) {
    p->x += (float)keel_entity_index(entities[0]);
}
