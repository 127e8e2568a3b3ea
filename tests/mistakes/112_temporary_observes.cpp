// SPDX-License-Identifier: MIT
// A temporary lambda observes.
// g++: the world keeps the address of what observes, and a temporary ends here: keep it in a variable until keel::unobserve
// clang++: the world keeps the address of what observes, and a temporary ends here: keep it in a variable until keel::unobserve
// first: the world keeps the address of what observes
#include "game.h"

keel_result use(keel_world *world, int *count);
keel_result use(keel_world *world, int *count) {
    return keel::observe<Position>(world, KEEL_ON_INSERTED, [=](const keel_change &) { ++*count; });
}
