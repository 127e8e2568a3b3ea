// SPDX-License-Identifier: MIT
// A value that cannot be copied is handed over by name.
// g++: this type cannot be copied: hand its value over with std::move
// clang++: this type cannot be copied: hand its value over with std::move
// first: this type cannot be copied
#include "game.h"

struct Key {
    Key() = default;
    Key(Key &&) = default;
    int n = 0;
};
KEEL_COMPONENT(Key);

void add_one(keel_world *world, keel_entity e);
void add_one(keel_world *world, keel_entity e) {
    Key key;
    keel::add<Key>(world, e, key);
}
