// SPDX-License-Identifier: MIT
// KEEL_ANY_OF takes up to 8 components.
// gcc: keeli_at_most_8_components_in_one_term
// clang: keeli_at_most_8_components_in_one_term
#include "game.h"

KEEL_SYSTEM(glide, KEEL_ENTITY(e),
            KEEL_ANY_OF(Position, Velocity, Frozen, Position, Velocity, Frozen, Position, Velocity,
                        Frozen)) {
    (void)e;
}
