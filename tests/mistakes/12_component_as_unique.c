// SPDX-License-Identifier: MIT
// Position is a component, not a unique.
// gcc: 'Position_unique' undeclared
// clang: use of undeclared identifier 'Position_unique'
#include "game.h"

KEEL_SYSTEM_ONCE(tick, KEEL_UNIQUE_WRITE(Position, p)) {
    p->x += 1;
}
