// SPDX-License-Identifier: MIT
// A comparison for keel::sort returns less, equal or greater, as that of keel_sort.
// g++: keel::sort takes a function that returns bool, a < b, as std::sort; a function that returns an int less than, equal to or greater than 0 is for keel_sort
// clang++: keel::sort takes a function that returns bool, a < b, as std::sort; a function that returns an int less than, equal to or greater than 0 is for keel_sort
// first: keel::sort takes a function that returns bool
#include "game.h"

keel_result use(keel_world *world);
keel_result use(keel_world *world) {
    return keel::sort<Position>(world, [](const Position &a, const Position &b) {
        return a.x < b.x ? -1 : a.x > b.x;
    });
}
