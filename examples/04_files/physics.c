// SPDX-License-Identifier: MIT
#include "components.h"

KEEL_SYSTEM(move, KEEL_WRITE(Position, p), KEEL_READ(Velocity, v)) {
    p->x += v->x;
    p->y += v->y;
}
// A system called `write` is harmless: its symbol is write_system.
KEEL_SYSTEM(write, KEEL_READ(Position, p)) { (void)p; }
KEEL_WORKLOAD(frame, KEEL_STEP(move), KEEL_STEP(write));
