// SPDX-License-Identifier: MIT
// A type that was not described.
// gcc: 'KEEL_TYPE_Position' undeclared
// clang: use of undeclared identifier 'KEEL_TYPE_Position'
#include "game.h"

typedef struct Turret { float angle; Position at; } Turret;
KEEL_FIELDS(Turret, angle, KEEL_FIELD(at, .of = KEEL_TYPE(Position)));
