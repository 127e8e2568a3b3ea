// SPDX-License-Identifier: MIT
// The compiler's C++ is older than C++17, as it is by default in older compilers.
// g++: #error "keel/keel.h needs C++17: compile with -std=c++17. keel/core.h, without macros, needs C++11."
// clang++: "keel/keel.h needs C++17: compile with -std=c++17. keel/core.h, without macros, needs C++11."
// first: keel/keel.h needs C++17: compile with -std=c++17
// flags: -std=c++14
#include "game.h"

void use(keel_world *world) {
    (void)keel_add_entity(world);
}
