// SPDX-License-Identifier: MIT
// The swarm as pixels: boids are streaks of light that fade. It needs no display; window.c shows the pixels, or writes them to a
// file.
#pragma once
#include "flock.h"

// Light of one pixel: red, green, blue, and one that is not used.
typedef uint16_t light __attribute__((vector_size(8)));

typedef struct picture {
    uint32_t width, height;
    uint32_t *pixels;       // 0xAARRGGBB, row by row
    light *glow;            // what boids left here; it fades
    uint8_t *tone;          // the brightness of a pixel for each amount of light
    float scale_x, scale_y; // pixels in a unit of the plane
    bool still;             // nothing moves: light neither comes nor fades
    light strength;         // of one boid
} picture;

// The picture that the workload draws into.
typedef struct Canvas {
    picture *now;
} Canvas;
KEEL_UNIQUE(Canvas, .transient = true);

// Makes a black picture, or gives it another size. Returns false without memory; the picture is as before then.
bool picture_resize(picture *p, uint32_t width, uint32_t height);

// Adds the boids to the light that is there, and makes pixels of it. The Flock of the world has where they are.
keel_result picture_draw(keel_world *world, picture *p);

// Writes text, in the font of stb_easy_font at `size` times its 7 pixels. (x, y) is the upper left corner.
void picture_text(picture *p, int x, int y, int size, uint32_t colour, const char *text);

// Mixes a rectangle with a colour. `part` of 255 is the colour alone.
void picture_box(picture *p, int x, int y, int width, int height, uint32_t colour, uint32_t part);

// Writes the pixels as PNG. Returns false if the file could not be written whole; no file is left then.
bool picture_write(const picture *p, const char *path);

void picture_free(picture *p);
