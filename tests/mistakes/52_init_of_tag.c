// SPDX-License-Identifier: MIT
// A tag has no value.
// gcc: array type has incomplete element type 'Frozen'
// clang: array has incomplete element type 'Frozen'
#include "game.h"

void use(keel_world *world) {
    (void)keel_add_entity(world, KEEL_INIT(Frozen, { 1 }));
}
