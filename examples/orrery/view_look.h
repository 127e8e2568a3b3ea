// SPDX-License-Identifier: MIT
// How well-known bodies look on the screen. view_state.c asks for sizes, view_sky.c for colours.
#pragma once
#include "view_paint.h"

typedef struct body_look {
    tint colour;
    float radius;      // points, when the whole system is seen
    float band;        // how strong its stripes are
    bool has_ring;
    const char *label; // what the screen calls it
} body_look;

// Returns the look of a body, or a plain one with its own name.
body_look body_look_of(const char *name);
