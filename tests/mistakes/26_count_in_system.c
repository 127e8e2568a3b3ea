// SPDX-License-Identifier: MIT
// KEEL_COUNT is for spans.
// gcc: drift: KEEL_COUNT is for KEEL_SPAN_SYSTEM; a KEEL_SYSTEM runs for one entity
// clang: drift: KEEL_COUNT is for KEEL_SPAN_SYSTEM; a KEEL_SYSTEM runs for one entity
#include "game.h"

KEEL_SYSTEM(drift, KEEL_WRITE(Position, p), KEEL_COUNT(n)) {
    p->x += (float)n;
}
