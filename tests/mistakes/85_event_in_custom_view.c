// SPDX-License-Identifier: MIT
// Events are parameters of systems.
// gcc: KEEL_SEND and KEEL_RECEIVE are parameters of systems, not of custom views
// clang: KEEL_SEND and KEEL_RECEIVE are parameters of systems, not of custom views
#include "game.h"

typedef struct Scene {
    KEEL_SENDER_Time *times;
} Scene;
KEEL_CUSTOM_VIEW(Scene, KEEL_SEND(Time, times));
