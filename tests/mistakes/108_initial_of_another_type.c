// SPDX-License-Identifier: MIT
// The value to begin with has another type.
// gcc: initialization of 'const Turret *' from incompatible pointer type 'const Position *'
// clang: incompatible pointer types initializing 'const Turret *'
#include "game.h"

typedef struct Turret { float angles[16]; } Turret;
static const Position start = { 1, 2 };
KEEL_COMPONENT(Turret, .initial = &start);
