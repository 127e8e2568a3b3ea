// SPDX-License-Identifier: MIT
// A unique that is read is a member that cannot be written through.
// gcc: '_Generic' selector of type 'Time **' is not compatible with any association
// clang: controlling expression type 'Time **' (aka 'struct Time **') not compatible with any generic association type
#include "game.h"

typedef struct Scene {
    Time *time;
} Scene;
KEEL_CUSTOM_VIEW(Scene, KEEL_UNIQUE_READ(Time, time));
