// SPDX-License-Identifier: MIT
// Draws the pictures with cairo; without it (ON_RANKS_PICTURES) there are none. play.c calls it.
#include "picture.h"

#ifdef ON_RANKS_PICTURES
#include "chart.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// ---- the map ------------------------------------------------------------------------------------

// Clones begin anew with the first colour after the last.
static const colour clone_colours[] = { { 0.13, 0.42, 0.71 }, { 0.86, 0.44, 0.10 }, { 0.23, 0.55, 0.25 }, { 0.72, 0.17, 0.35 },
                                        { 0.49, 0.33, 0.66 }, { 0.10, 0.58, 0.60 }, { 0.80, 0.62, 0.10 }, { 0.36, 0.38, 0.42 },
                                        { 0.55, 0.70, 0.90 }, { 0.62, 0.32, 0.14 }, { 0.60, 0.74, 0.36 }, { 0.90, 0.55, 0.66 } };
enum { CLONE_COLOURS = sizeof clone_colours / sizeof *clone_colours, SHADES = 4 };

// Returns the colour of a clone, the paler the nearer a generation is to the founder.
static colour shade_of(uint32_t clone, uint32_t shade) {
    const colour c = clone_colours[clone % CLONE_COLOURS];
    const double pale = 0.18 * (SHADES - 1 - (double)shade);
    return (colour){ c.red + pale * (1 - c.red), c.green + pale * (1 - c.green), c.blue + pale * (1 - c.blue) };
}

// Writes the places of cells as seen from the corner of the smallest square around all of them.
static map map_of_cells(const picture_cell *cells, size_t count, map_point *points) {
    int64_t left = INT32_MAX, top = INT32_MAX, right = 0, bottom = 0;
    for (size_t i = 0; i < count; ++i) {
        const map_point *p = &cells[i].point;
        const int64_t radius = cells[i].radius;
        left = p->x - radius < left ? p->x - radius : left;
        right = p->x + radius > right ? p->x + radius : right;
        top = p->y - radius < top ? p->y - radius : top;
        bottom = p->y + radius > bottom ? p->y + radius : bottom;
    }
    const int64_t width = right - left, height = bottom - top, side = width > height ? width : height;
    for (size_t i = 0; i < count; ++i) {
        points[i] = cells[i].point;
        points[i].x -= (int32_t)(left - (side - width) / 2);
        points[i].y -= (int32_t)(top - (side - height) / 2);
    }
    return (map){ points, count, count ? (double)side : 1 };
}

static void draw_cells(cairo_t *canvas, const map *m, const picture_cell *cells) {
    const double scale = MAP_SIDE / m->side, pi = 3.14159265358979323846;
    uint32_t deepest = 1;
    for (uint64_t i = 0; i < m->count; ++i)
        deepest = cells[i].generation > deepest ? cells[i].generation : deepest;
    for (uint64_t i = 0; i < m->count; ++i) {
        const uint32_t shade = (uint32_t)((uint64_t)cells[i].generation * SHADES / (deepest + 1u));
        drawing_pick(canvas, shade_of(cells[i].point.kind, shade));
        cairo_arc(canvas, MAP_MARGIN + m->points[i].x * scale, MAP_HEAD + m->points[i].y * scale,
                  0.86 * cells[i].radius * scale, 0, 2 * pi);
        cairo_fill(canvas);
    }
}

const char *picture_draw_cells(const picture_cell *cells, size_t count, const options *o, uint32_t ranks) {
    map_point *points = malloc((count + 1) * sizeof *points);
    if (!points) return "out of memory";
    char number[32], text[128];
    const map m = map_of_cells(cells, count, points);
    drawing_whole(count, number);
    snprintf(text, sizeof text, "%s cells after step %" PRIu32, number, o->steps);
    cairo_t *canvas = map_begin(text);
    snprintf(text, sizeof text, "colours: the clones of %" PRIu32 " founder%s, paler in early generations", o->founders,
             o->founders == 1 ? "" : "s");
    drawing_text(canvas, MAP_MARGIN, 71, 0, 15, faint_ink, text);
    draw_cells(canvas, &m, cells);
    if (ranks > 1) map_draw_note(canvas, "boxes: where the cells of a rank are");
    if (ranks > 1) map_draw_regions(canvas, &m);
    free(points);
    return drawing_finish(canvas, o->picture);
}

// ---- the curves ---------------------------------------------------------------------------------

enum { CURVE_WIDTH = 1280, CURVE_HEIGHT = 760 };

// Returns a round number, so that at most five of them reach a value.
static double round_part(double most) {
    double ten = 1;
    while (most > 50 * ten)
        ten *= 10;
    const double factors[] = { 1, 2, 5 };
    for (size_t i = 0; i < 3; ++i)
        if (most <= 5 * factors[i] * ten) return factors[i] * ten;
    return 10 * ten;
}

static chart chart_of(const record *r, double most, double top, double bottom) {
    chart c = { .left = 90, .top = top, .right = 1240, .bottom = bottom, .steps = r->before + r->count };
    c.each = round_part(most);
    c.high = c.each * ceil(most / c.each);
    if (!(c.high > 0)) c.high = c.each;
    return c;
}

typedef double row_value(const record_row *row);
static double cells_of(const record_row *row) { return (double)row->cells; }
static double births_of(const record_row *row) { return (double)row->births; }
static double deaths_of(const record_row *row) { return (double)row->deaths; }

static double greatest(const record *r, row_value *value) {
    double most = 0;
    for (uint32_t i = 0; i < r->count; ++i)
        if (value(&r->rows[i]) > most) most = value(&r->rows[i]);
    return most;
}

static void draw_row_values(cairo_t *canvas, const chart *c, const record *r, row_value *value, colour picked) {
    drawing_pick(canvas, picked);
    cairo_set_line_width(canvas, 2);
    for (uint32_t i = 0; i < r->count; ++i)
        cairo_line_to(canvas, chart_x(c, r->before + i + 1), chart_y(c, value(&r->rows[i])));
    cairo_stroke(canvas);
}

const char *picture_draw_curve(const record *r, const options *o, uint32_t ranks) {
    char number[32], text[128];
    cairo_t *canvas = drawing_begin(CURVE_WIDTH, CURVE_HEIGHT);
    cairo_set_line_join(canvas, CAIRO_LINE_JOIN_ROUND);
    drawing_whole(o->cells, number);
    snprintf(text, sizeof text, "A colony with food for %s cells on %" PRIu32 " rank%s", number, ranks, ranks == 1 ? "" : "s");
    drawing_text(canvas, 90, 54, 0, 26, ink, text);
    const chart cells = chart_of(r, greatest(r, cells_of), 110, 400);
    chart_draw_axes(canvas, &cells, NULL);
    drawing_text(canvas, cells.left, cells.top - 14, 0, 15, ink, "cells");
    draw_row_values(canvas, &cells, r, cells_of, clone_colours[0]);
    const chart lives = chart_of(r, fmax(greatest(r, births_of), greatest(r, deaths_of)), 480, 670);
    chart_draw_axes(canvas, &lives, "step");
    drawing_text(canvas, lives.left, lives.top - 14, 0, 15, clone_colours[2], "births of a step");
    drawing_text(canvas, lives.left + 140, lives.top - 14, 0, 15, clone_colours[3], "deaths of a step");
    draw_row_values(canvas, &lives, r, births_of, clone_colours[2]);
    draw_row_values(canvas, &lives, r, deaths_of, clone_colours[3]);
    return drawing_finish(canvas, o->curve);
}
#else
const char *picture_draw_cells(const picture_cell *cells, size_t count, const options *o, uint32_t ranks) {
    (void)cells;
    (void)count;
    (void)o;
    (void)ranks;
    return drawing_missing();
}

const char *picture_draw_curve(const record *r, const options *o, uint32_t ranks) {
    (void)r;
    (void)o;
    (void)ranks;
    return drawing_missing();
}
#endif
