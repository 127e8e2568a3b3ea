// SPDX-License-Identifier: MIT
// What all pictures share: a page that becomes a PNG file, colours and text, with cairo. A program
// that is built without it says so. chart.c, map.c and picture.c of each program draw with it.
#pragma once
#include <stdint.h>

// Returns why pictures cannot be drawn, or NULL.
const char *drawing_missing(void);

// Writes a whole number with commas.
void drawing_whole(uint64_t number, char text[32]);

#ifdef ON_RANKS_PICTURES
#include <cairo.h>

typedef struct colour {
    double red, green, blue;
} colour;

extern const colour paper, ink, faint_ink, rule_ink;

// Begins an empty page. drawing_finish ends it.
cairo_t *drawing_begin(int width, int height);

void drawing_pick(cairo_t *canvas, colour c);

// Writes a line. `align` is the share of its width that stands to the left of x.
void drawing_text(cairo_t *canvas, double x, double y, double align, double size, colour c,
                  const char *text);

// Draws a line from one point to another.
void drawing_line(cairo_t *canvas, double from_x, double from_y, double to_x, double to_y);

// Writes the page to a file, and frees it. Returns why it failed, or NULL.
const char *drawing_finish(cairo_t *canvas, const char *path);
#endif
