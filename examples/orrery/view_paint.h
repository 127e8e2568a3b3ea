// SPDX-License-Identifier: MIT
// Pixels in memory, and what the view of the orrery paints with: light that adds up, lines, balls, text.
// view_sky.c and view_hud.c call it. No window is needed, so that a picture is the same with and without one.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// Pixels are 0x00RRGGBB, row by row. Coordinates have y downwards; the middle of the first pixel is (0, 0).
typedef struct paint {
    uint32_t *pixels;
    int width, height;
    float unit; // pixels of one point, which is about 1/96 inch on every screen
} paint;

// A colour whose parts go from 0 to 1.
typedef struct tint {
    float red, green, blue;
} tint;

// Makes the picture this large. The pixels are undefined. Returns false and changes nothing when memory runs out.
bool paint_resize(paint *on, int width, int height, float unit);

// Frees the pixels.
void paint_free(paint *on);

// Returns a colour as a pixel, times `strength` from 0 to 1.
uint32_t paint_pixel(tint colour, float strength);

// Adds a soft point of light. A radius of 1 spreads it over four pixels.
void paint_point(const paint *on, float x, float y, float radius, uint32_t light);

// Adds a smooth line of light; strengths at both ends go from 0 to 1.
void paint_line(const paint *on, const float from[3], const float to[3], float width, tint colour);

// Adds a glow that is strongest in its middle.
void paint_glow(const paint *on, float x, float y, float radius, tint colour);

// How a ball looks: `light` is the direction to the light, x to the right, y down, z to the viewer.
typedef struct ball {
    float x, y, radius;
    tint colour;
    float light[3];
    float band; // how strong stripes along its equator are, from 0 to 1
    bool has_ring;
} ball;

// Paints a ball over what is there.
void paint_ball(const paint *on, const ball *shape);

// Paints a circle's outline over what is there.
void paint_circle(const paint *on, float x, float y, float radius, float width, tint colour, float opacity);

// Paints a rectangle with round corners over what is there.
void paint_panel(const paint *on, const float box[4], float corner, tint colour, float opacity);

// Paints a text whose top left corner is (x, y); `size` is the height of a line in points.
void paint_text(const paint *on, float x, float y, float size, tint colour, const char *text);

// Returns the width of a text in pixels.
float paint_text_width(const paint *on, float size, const char *text);
