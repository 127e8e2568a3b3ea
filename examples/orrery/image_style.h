// SPDX-License-Identifier: MIT
// What the parts of the picture share: colours, sizes, text.
#pragma once
#include <cairo.h>
#include <stdbool.h>
#include <stddef.h>

#define IMAGE_PI 3.14159265358979323846

typedef struct colour {
    double red, green, blue;
} colour;

// How a body looks.
typedef struct look {
    colour tint;
    double radius;  // of its disc on the map, pixels
    bool has_ring;
} look;

extern const colour colour_text, colour_faint_text, colour_line, colour_night;

// The look of a well-known body, or a plain one.
look look_of(const char *name);

void set_colour(cairo_t *canvas, colour tint, double alpha);

// A ball, lit from the direction (light_x, light_y) points to; {0, 0}: from the front.
void draw_ball(cairo_t *canvas, double x, double y, look shape, double light_x, double light_y);

typedef enum alignment { ALIGN_LEFT, ALIGN_CENTRE, ALIGN_RIGHT } alignment;

void set_font(cairo_t *canvas, double size, bool is_bold);

// Width of a text in the current font.
double text_width(cairo_t *canvas, const char *text);

// Text on a baseline, with a dark rim that keeps it legible over lines and dust.
void draw_text(cairo_t *canvas, double x, double y, alignment align, colour tint,
               const char *text);

// A whole number with commas: "100,000".
void format_count(unsigned long long count, char *text, size_t size);
