// SPDX-License-Identifier: MIT
// What a custom view declares with a name is a member.
// gcc: 'Scene' has no member named 'time'
// clang: no member named 'time' in 'struct Scene'
#include "game.h"

typedef struct Scene {
    keel_view all;
} Scene;
KEEL_CUSTOM_VIEW(Scene, KEEL_VIEW(all, KEEL_READ(Position, p)), KEEL_UNIQUE_READ(Time, time));
