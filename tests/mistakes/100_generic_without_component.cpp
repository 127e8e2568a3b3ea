// SPDX-License-Identifier: MIT
// A template verb for a type that nobody declared as a component.
// g++: this type is no component here: write KEEL_COMPONENT(T)
// clang++: this type is no component here: write KEEL_COMPONENT(T)
// first: this type is no component here
#include "game.h"

struct Unknown {
    int n;
};

void add_one(keel_world *world, keel_entity e);
void add_one(keel_world *world, keel_entity e) { keel::add<Unknown>(world, e, { 1 }); }
