// SPDX-License-Identifier: MIT
// Draws the pictures with cairo; without it (ON_RANKS_PICTURES) there are none. play.c calls it.
#include "picture.h"

#ifdef ON_RANKS_PICTURES
#include "chart.h"
#include <inttypes.h>
#include <stdio.h>

static const colour state_colours[] = { { 0.13, 0.42, 0.71 },   // susceptible
                                        { 0.82, 0.18, 0.15 },   // infected
                                        { 0.33, 0.58, 0.27 } }; // recovered
static const colour crowd = { 0.64, 0.75, 0.87 }; // susceptible people on the map, where most are
static const char *const state_names[] = { "susceptible", "infected", "recovered" };

// ---- the curves ---------------------------------------------------------------------------------

enum { CURVE_WIDTH = 1280, CURVE_HEIGHT = 760 };

static double share_of(sir at, int state) {
    return state == 0 ? at.susceptible : state == 1 ? at.infected : at.recovered;
}

static void draw_lines(cairo_t *canvas, const chart *plot, const curve *c) {
    static const double dashes[] = { 7, 6 };
    cairo_set_line_join(canvas, CAIRO_LINE_JOIN_ROUND);
    for (int line = 0; line < 6; ++line) {
        const int state = line % 3;
        const bool is_equation = line < 3; // below the others
        drawing_pick(canvas, state_colours[state]);
        cairo_set_line_width(canvas, is_equation ? 1.5 : 3);
        cairo_set_dash(canvas, dashes, is_equation ? 2 : 0, 0);
        for (uint32_t day = c->first; day <= c->days; ++day) {
            const sir at = is_equation ? c->equation[day] : curve_day(c, day);
            cairo_line_to(canvas, chart_x(plot, day), chart_y(plot, share_of(at, state)));
        }
        cairo_stroke(canvas);
    }
    cairo_set_dash(canvas, NULL, 0, 0);
}

static void draw_peak(cairo_t *canvas, const chart *plot, const curve *c) {
    const curve_extremes e = curve_extremes_of_people(c);
    char text[64];
    const double x = chart_x(plot, e.peak_day), y = chart_y(plot, e.peak);
    drawing_pick(canvas, state_colours[1]);
    cairo_arc(canvas, x, y, 5, 0, 6.2832);
    cairo_fill(canvas);
    snprintf(text, sizeof text, "%.1f %% on day %" PRIu32, 100 * e.peak, e.peak_day);
    drawing_text(canvas, x, y - 14, x > plot->right - 100 ? 1 : x < plot->left + 100 ? 0 : 0.5, 15,
                 state_colours[1], text);
}

static void draw_legend(cairo_t *canvas, const chart *plot) {
    static const double dashes[] = { 7, 6 };
    double x = plot->left;
    const double y = plot->top - 24;
    for (int i = 0; i < 4; ++i) {
        drawing_pick(canvas, i < 3 ? state_colours[i] : faint_ink);
        cairo_set_line_width(canvas, i < 3 ? 3 : 1.5);
        cairo_set_dash(canvas, dashes, i < 3 ? 0 : 2, 0);
        drawing_line(canvas, x, y - 5, x + 34, y - 5);
        drawing_text(canvas, x + 42, y, 0, 15, ink, i < 3 ? state_names[i] : "SIR equations, people well mixed");
        x += i < 2 ? 150 : 155;
    }
    cairo_set_dash(canvas, NULL, 0, 0);
}

const char *picture_draw_curve(const curve *c, const options *o, uint32_t ranks) {
    char people[32], text[200];
    const chart plot = { .left = 90, .top = 120, .right = 1240, .bottom = 670, .steps = c->days,
                         .high = 1, .each = 0.2, .is_percent = true };
    cairo_t *canvas = drawing_begin(CURVE_WIDTH, CURVE_HEIGHT);
    drawing_whole(c->people, people);
    snprintf(text, sizeof text, "An epidemic among %s people", people);
    drawing_text(canvas, plot.left, 44, 0, 26, ink, text);
    snprintf(text, sizeof text,
             "%.3g others nearby; each infects %.3g of them a day, and is ill for %.3g days; %.3g %% travel each day; %" PRIu32 " rank%s",
             o->contacts, o->contacts * o->chance, o->ill, 100 * o->travel, ranks, ranks == 1 ? "" : "s");
    drawing_text(canvas, plot.left, 70, 0, 15, faint_ink, text);
    chart_draw_axes(canvas, &plot, "day");
    draw_lines(canvas, &plot, c);
    draw_peak(canvas, &plot, c);
    draw_legend(canvas, &plot);
    return drawing_finish(canvas, o->curve);
}

// ---- the map ------------------------------------------------------------------------------------

const char *picture_draw_map(const map *people, const options *o, uint32_t ranks) {
    static const uint32_t order[] = { HEALTH_SUSCEPTIBLE, HEALTH_RECOVERED, HEALTH_INFECTED };
    char number[32], text[128];
    drawing_whole(people->count, number);
    snprintf(text, sizeof text, "%s people after day %" PRIu32, number, o->days);
    cairo_t *canvas = map_begin(text);
    for (uint32_t state = 0; state < 3; ++state)
        map_draw_legend(canvas, 140 * state, state == HEALTH_SUSCEPTIBLE ? crowd : state_colours[state],
                        state_names[state]);
    if (ranks > 1) map_draw_note(canvas, "boxes: the regions of the ranks");
    for (int i = 0; i < 3; ++i)
        map_draw_points(canvas, people, order[i], order[i] == HEALTH_SUSCEPTIBLE ? crowd : state_colours[order[i]]);
    if (ranks > 1) map_draw_regions(canvas, people);
    return drawing_finish(canvas, o->map);
}
#else
const char *picture_draw_curve(const curve *c, const options *o, uint32_t ranks) {
    (void)c;
    (void)o;
    (void)ranks;
    return drawing_missing();
}

const char *picture_draw_map(const map *people, const options *o, uint32_t ranks) {
    (void)people;
    (void)o;
    (void)ranks;
    return drawing_missing();
}
#endif
