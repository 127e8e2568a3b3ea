// SPDX-License-Identifier: MIT
// The world comes first: it says when.
// gcc: '_Generic' selector of type 'struct keel_entity' is not compatible with any association
// clang: controlling expression type 'keel_entity' (aka 'struct keel_entity') not compatible with any generic association type
#include "game.h"

void use(keel_world *world, keel_entity e) {
    (void)keel_add(e, world, Position, { 1, 2 });
}
