// SPDX-License-Identifier: MIT
// KEEL_SPAN_COUNT is for spans.
// gcc: glide: KEEL_SPAN_COUNT is for KEEL_SYSTEM_SPAN; a KEEL_SYSTEM runs for one entity
// clang: glide: KEEL_SPAN_COUNT is for KEEL_SYSTEM_SPAN; a KEEL_SYSTEM runs for one entity
#include "game.h"

KEEL_SYSTEM(glide, KEEL_WRITE(Position, p), KEEL_SPAN_COUNT(n)) {
    p->x += (float)n;
}
