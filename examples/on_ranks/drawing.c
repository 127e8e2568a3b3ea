// SPDX-License-Identifier: MIT
// Pages, colours and text, with cairo; without it (ON_RANKS_PICTURES) there are none. chart.c, map.c and
// picture.c of each program call it.
#include "drawing.h"
#include <inttypes.h>
#include <stdio.h>

void drawing_whole(uint64_t number, char text[32]) {
    char digits[24];
    const int count = snprintf(digits, sizeof digits, "%" PRIu64, number);
    int length = 0;
    for (int i = 0; i < count; ++i) {
        if (i && (count - i) % 3 == 0) text[length++] = ',';
        text[length++] = digits[i];
    }
    text[length] = 0;
}

#ifdef ON_RANKS_PICTURES
const char *drawing_missing(void) { return NULL; }

const colour paper = { 0.984, 0.980, 0.969 };
const colour ink = { 0.15, 0.17, 0.21 };
const colour faint_ink = { 0.45, 0.47, 0.52 };
const colour rule_ink = { 0.87, 0.87, 0.87 };

cairo_t *drawing_begin(int width, int height) {
    cairo_surface_t *page = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    cairo_t *canvas = cairo_create(page);
    cairo_surface_destroy(page); // the canvas keeps it
    drawing_pick(canvas, paper);
    cairo_paint(canvas);
    return canvas;
}

void drawing_pick(cairo_t *canvas, colour c) { cairo_set_source_rgb(canvas, c.red, c.green, c.blue); }

void drawing_text(cairo_t *canvas, double x, double y, double align, double size, colour c,
                  const char *text) {
    cairo_text_extents_t extents;
    cairo_select_font_face(canvas, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(canvas, size);
    cairo_text_extents(canvas, text, &extents);
    cairo_move_to(canvas, x - align * extents.x_advance, y);
    cairo_text_path(canvas, text); // a rim sets it off from lines below it
    drawing_pick(canvas, paper);
    cairo_set_line_width(canvas, 5);
    cairo_stroke(canvas);
    drawing_pick(canvas, c);
    cairo_move_to(canvas, x - align * extents.x_advance, y);
    cairo_show_text(canvas, text);
    cairo_new_path(canvas); // else the next line begins at the end of the text
}

void drawing_line(cairo_t *canvas, double from_x, double from_y, double to_x, double to_y) {
    cairo_move_to(canvas, from_x, from_y);
    cairo_line_to(canvas, to_x, to_y);
    cairo_stroke(canvas);
}

const char *drawing_finish(cairo_t *canvas, const char *path) {
    cairo_status_t status = cairo_status(canvas);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_write_to_png(cairo_get_target(canvas), path);
    cairo_destroy(canvas);
    return status == CAIRO_STATUS_SUCCESS ? NULL : cairo_status_to_string(status);
}
#else
const char *drawing_missing(void) {
    return "this program draws nothing; build it with cairo (Debian: libcairo2-dev)";
}
#endif
