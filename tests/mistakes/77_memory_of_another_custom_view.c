// SPDX-License-Identifier: MIT
// The memory handed in is not of the type that is named.
// gcc: '_Generic' selector of type 'Time *' is not compatible with any association
// clang: controlling expression type 'Time *' (aka 'struct Time *') not compatible with any generic association type
#include "game.h"

typedef struct Scene {
    keel_view all;
} Scene;
KEEL_CUSTOM_VIEW(Scene, KEEL_VIEW(all, KEEL_READ(Position, p)));

keel_result use(keel_world *world) {
    Time scene;
    return keel_custom_begin(world, Scene, &scene);
}
