// SPDX-License-Identifier: MIT
// The value to begin with has another type.
// g++: cannot convert 'const Position*' to 'const Turret*'
// clang++: incompatible pointer types assigning to 'const Turret *' from 'const Position *'
#include "game.h"

typedef struct Turret { float angles[16]; } Turret;
static const Position start = { 1, 2 };
KEEL_UNIQUE(Turret, .initial = &start);
