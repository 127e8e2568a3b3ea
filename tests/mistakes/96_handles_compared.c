// SPDX-License-Identifier: MIT
// Handles are compared by keel_is_same.
// gcc: invalid operands to binary == (have 'keel_entity' and 'keel_entity')
// clang: invalid operands to binary expression ('keel_entity'
#include "game.h"

bool use(keel_entity a, keel_entity b);
bool use(keel_entity a, keel_entity b) { return a == b; }
