// SPDX-License-Identifier: MIT
// Position is a component, not a unique.
// gcc: 'KEEL_UNIQUE_Position' undeclared
// clang: use of undeclared identifier 'KEEL_UNIQUE_Position'
#include "game.h"

KEEL_SYSTEM_ONCE(tick, KEEL_UNIQUE_WRITE(Position, p)) {
    p->x += 1;
}
