// SPDX-License-Identifier: MIT
// An option that does not exist.
// gcc: has no member named 'begin'
// clang: field designator 'begin' does not refer to any field in type
#include "game.h"

typedef struct Scene {
    keel_view all;
} Scene;
static keel_result scene_init(void *view, keel_context *context);
KEEL_CUSTOM_VIEW(Scene, KEEL_VIEW(all, KEEL_READ(Position, p)), .begin = scene_init);
