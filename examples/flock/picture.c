// SPDX-License-Identifier: MIT
// Draws the pictures with cairo; without it (ON_RANKS_PICTURES) there are none. play.c calls it.
#include "picture.h"

#ifdef ON_RANKS_PICTURES
#include "chart.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

// ---- the map ------------------------------------------------------------------------------------

// Neighbouring ranks have colours far apart; after eight ranks they begin anew.
static const colour rank_colours[] = { { 0.13, 0.42, 0.71 }, { 0.86, 0.44, 0.10 }, { 0.23, 0.55, 0.25 },
                                       { 0.72, 0.17, 0.35 }, { 0.49, 0.33, 0.66 }, { 0.10, 0.58, 0.60 },
                                       { 0.58, 0.46, 0.12 }, { 0.36, 0.38, 0.42 } };
enum { RANK_COLOURS = sizeof rank_colours / sizeof *rank_colours };

const char *picture_draw_map(const map *boids, const options *o, uint32_t ranks) {
    char number[32], text[128];
    drawing_whole(boids->count, number);
    snprintf(text, sizeof text, "%s boids after step %" PRIu32, number, o->steps);
    cairo_t *canvas = map_begin(text);
    for (uint32_t rank = 0; rank < ranks; ++rank) {
        snprintf(text, sizeof text, "rank %" PRIu32, rank);
        if (rank < RANK_COLOURS) map_draw_legend(canvas, 95.0 * rank, rank_colours[rank], text);
        map_draw_points(canvas, boids, rank, rank_colours[rank % RANK_COLOURS]);
    }
    if (ranks > 1) map_draw_note(canvas, "boxes: where the boids of a rank are");
    if (ranks > 1) map_draw_regions(canvas, boids);
    return drawing_finish(canvas, o->picture);
}

// ---- the curves ---------------------------------------------------------------------------------

enum { CURVE_WIDTH = 1280, CURVE_HEIGHT = 760 };

static void draw_order(cairo_t *canvas, const record *r) {
    double most = 0.2;
    for (uint32_t i = 0; i < r->count; ++i)
        if (r->rows[i].order > most) most = r->rows[i].order;
    const chart plot = { .left = 90, .top = 110, .right = 1240, .bottom = 400, .steps = r->before + r->count,
                         .high = ceil(most * 5) / 5, .each = most > 0.4 ? 0.2 : 0.1, .is_percent = true };
    chart_draw_axes(canvas, &plot, NULL);
    drawing_text(canvas, plot.left, plot.top - 14, 0, 15, ink,
                 "order: the mean way as a share of the mean length of ways (100 %: all fly the same way)");
    drawing_pick(canvas, rank_colours[0]);
    cairo_set_line_width(canvas, 2.5);
    for (uint32_t i = 0; i < r->count; ++i)
        cairo_line_to(canvas, chart_x(&plot, r->before + i + 1), chart_y(&plot, r->rows[i].order));
    cairo_stroke(canvas);
}

static void draw_imbalance(cairo_t *canvas, const record *r) {
    double most = 1.5;
    for (uint32_t i = 0; i < r->count; ++i)
        if (r->rows[i].imbalance > most) most = r->rows[i].imbalance;
    chart plot = { .left = 90, .top = 480, .right = 1240, .bottom = 670, .steps = r->before + r->count,
                   .low = 1, .each = most > 4 ? 1 : most > 2 ? 0.5 : 0.25 };
    plot.high = 1 + plot.each * ceil((most - 1) / plot.each);
    chart_draw_axes(canvas, &plot, "step");
    drawing_text(canvas, plot.left, plot.top - 14, 0, 15, ink,
                 "imbalance: time of the slowest rank to the average, since space was divided (1: none)");
    drawing_pick(canvas, rank_colours[1]);
    cairo_set_line_width(canvas, 2);
    for (uint32_t i = 0; i < r->count; ++i)
        cairo_line_to(canvas, chart_x(&plot, r->before + i + 1), chart_y(&plot, r->rows[i].imbalance));
    cairo_stroke(canvas);
}

const char *picture_draw_curve(const record *r, const options *o, uint32_t ranks) {
    char number[32], text[128];
    cairo_t *canvas = drawing_begin(CURVE_WIDTH, CURVE_HEIGHT);
    cairo_set_line_join(canvas, CAIRO_LINE_JOIN_ROUND);
    drawing_whole(o->boids, number);
    snprintf(text, sizeof text, "%s boids on %" PRIu32 " rank%s", number, ranks, ranks == 1 ? "" : "s");
    drawing_text(canvas, 90, 54, 0, 26, ink, text);
    draw_order(canvas, r);
    draw_imbalance(canvas, r);
    return drawing_finish(canvas, o->curve);
}
#else
const char *picture_draw_map(const map *boids, const options *o, uint32_t ranks) {
    (void)boids;
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
