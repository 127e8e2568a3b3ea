// SPDX-License-Identifier: MIT
// A swarm with its picture: what a window and a picture for a file have in common. It knows no SDL.
#pragma once
#include "inspected.h"
#include "measure.h"
#include "options.h"
#include "panel.h"
#include "picture.h"

typedef struct show {
    keel_world *world;
    flock flock;
    picture picture;
    measure measure;
    inspected inspected; // with --inspect
    uint32_t seed;
    bool drawn; // since it has this size
    bool moved; // in the last frame
    panel_state state;
} show;

// Makes a swarm of `boids`. Returns false after it has printed why not.
bool show_begin(show *s, const options *o, uint32_t boids, uint32_t threads);

// Runs one frame and draws it: all but the panel. Returns false after it has printed why not.
bool show_frame(show *s);

// Changes the number of boids, of threads, or of pixels. They return false after they have printed why not.
bool show_set_count(show *s, uint32_t boids);
bool show_set_threads(show *s, uint32_t threads);
bool show_set_size(show *s, uint32_t width, uint32_t height);

void show_end(show *s);
