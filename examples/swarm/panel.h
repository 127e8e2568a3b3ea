// SPDX-License-Identifier: MIT
// What is written over the swarm: figures, and a slider for the number of boids. window.c calls it.
#pragma once
#include "measure.h"
#include "picture.h"

// The fewest and most boids of the slider.
enum { SLIDER_MIN = 1000, SLIDER_MAX = 200000 };

typedef struct panel_state {
    uint32_t boids, threads;
    bool paused, slider; // a picture for a file has no slider
} panel_state;

void panel_draw(picture *p, const measure *m, const panel_state *state);

// Tells whether a place in the picture is on the slider.
bool panel_is_slider(const picture *p, float x, float y);

// Returns how many boids a place on the slider means.
uint32_t panel_boids_at(const picture *p, float x);
