// SPDX-License-Identifier: MIT
// keel_get is for reading: keel_get_mut gives a pointer to write through.
// flags: -Werror
// gcc: initialization discards 'const' qualifier from pointer target type
// clang: discards qualifiers
#include "game.h"

void use(keel_world *world, keel_entity e) {
    Position *p = keel_get(world, e, Position);
    p->x = 1;
}
