// SPDX-License-Identifier: MIT
// What a custom view declares with a name is a member.
// g++: has no member named 'time'
// clang++: no member named 'time' in 'Scene'
#include "game.h"

struct Scene {
    keel_view all;
};
KEEL_CUSTOM_VIEW(Scene, KEEL_VIEW(all, KEEL_READ(Position, p)), KEEL_UNIQUE_READ(Time, time));
