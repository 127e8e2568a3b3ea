// SPDX-License-Identifier: MIT
// A field whose type Keel does not know.
// gcc: a field of this type is described by KEEL_FIELD(at, .of = KEEL_TYPE(...)), .bytes = true or .transient = true
// clang: a field of this type is described by KEEL_FIELD(at, .of = KEEL_TYPE(...)), .bytes = true or .transient = true
#include "game.h"

typedef struct Turret { float angle; Position at; } Turret;
KEEL_FIELDS(Turret, angle, at);
