// SPDX-License-Identifier: MIT
// A compiler that is neither gcc nor clang (here: one of them that hides its name), such as MSVC's cl or tcc.
// gcc: #error "keel/keel.h needs gcc, clang or a compiler that works like them: MSVC's cl and tcc do not.
// clang: "keel/keel.h needs gcc, clang or a compiler that works like them: MSVC's cl and tcc do not.
// first: keel/keel.h needs gcc, clang
// flags: -U__GNUC__
#include "game.h"

void use(keel_world *world) {
    (void)keel_add_entity(world);
}
