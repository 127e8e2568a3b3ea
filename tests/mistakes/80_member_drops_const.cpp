// SPDX-License-Identifier: MIT
// A unique that is read is a member that cannot be written through.
// g++: invalid 'static_cast' from type 'Time**'
// clang++: static_cast from 'Time **' to
#include "game.h"

struct Scene {
    Time *time;
};
KEEL_CUSTOM_VIEW(Scene, KEEL_UNIQUE_READ(Time, time));
