// SPDX-License-Identifier: MIT
// Draws the pictures with cairo; without it (EPIDEMIC_PICTURES) there are none. play.c calls it.
#include "picture.h"

#ifdef EPIDEMIC_PICTURES
#include <cairo.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// ---- what both share ----------------------------------------------------------------------------

typedef struct colour {
    double red, green, blue;
} colour;

static const colour paper = { 0.984, 0.980, 0.969 };
static const colour ink = { 0.15, 0.17, 0.21 };
static const colour faint_ink = { 0.45, 0.47, 0.52 };
static const colour rule_ink = { 0.87, 0.87, 0.87 };
static const colour state_colours[] = { { 0.13, 0.42, 0.71 },   // susceptible
                                        { 0.82, 0.18, 0.15 },   // infected
                                        { 0.33, 0.58, 0.27 } }; // recovered
static const colour crowd = { 0.64, 0.75, 0.87 }; // susceptible people on the map, where most are
static const char *const state_names[] = { "susceptible", "infected", "recovered" };

static void pick(cairo_t *canvas, colour c) { cairo_set_source_rgb(canvas, c.red, c.green, c.blue); }

// Writes a line. `align` is the share of its width that stands to the left of x.
static void write_text(cairo_t *canvas, double x, double y, double align, double size, colour c,
                       const char *text) {
    cairo_text_extents_t extents;
    cairo_select_font_face(canvas, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(canvas, size);
    cairo_text_extents(canvas, text, &extents);
    cairo_move_to(canvas, x - align * extents.x_advance, y);
    cairo_text_path(canvas, text); // a rim sets it off from lines below it
    pick(canvas, paper);
    cairo_set_line_width(canvas, 5);
    cairo_stroke(canvas);
    pick(canvas, c);
    cairo_move_to(canvas, x - align * extents.x_advance, y);
    cairo_show_text(canvas, text);
    cairo_new_path(canvas); // else the next line begins at the end of the text
}

// Writes a whole number with commas.
static void format_whole(uint64_t number, char text[32]) {
    char digits[24];
    const int count = snprintf(digits, sizeof digits, "%" PRIu64, number);
    int length = 0;
    for (int i = 0; i < count; ++i) {
        if (i && (count - i) % 3 == 0) text[length++] = ',';
        text[length++] = digits[i];
    }
    text[length] = 0;
}

// Writes the canvas to a file, and frees both. Returns why it failed, or NULL.
static const char *finish_picture(cairo_t *canvas, cairo_surface_t *page, const char *path) {
    cairo_status_t status = cairo_status(canvas);
    cairo_destroy(canvas);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_write_to_png(page, path);
    cairo_surface_destroy(page);
    return status == CAIRO_STATUS_SUCCESS ? NULL : cairo_status_to_string(status);
}

// ---- curves -------------------------------------------------------------------------------------

enum { CURVE_WIDTH = 1280, CURVE_HEIGHT = 760 };
static const double plot_left = 90, plot_top = 120, plot_right = 1240, plot_bottom = 670;

static double plot_x(const curve *c, double day) {
    return plot_left + (plot_right - plot_left) * day / c->days;
}

static double plot_y(double share) { return plot_bottom - (plot_bottom - plot_top) * share; }

// Returns a round number of days from one number of the axis to the next.
static uint32_t axis_step(uint32_t days) {
    static const uint32_t factors[] = { 2, 5, 10 };
    uint32_t ten = 1;
    while (days > 120 * (uint64_t)ten)
        ten *= 10;
    if (days <= 12) return 1;
    for (size_t i = 0; i < 3; ++i)
        if (days / (factors[i] * ten) <= 12) return factors[i] * ten;
    return 10 * ten;
}

static void draw_axes(cairo_t *canvas, const curve *c) {
    char text[32];
    for (int percent = 0; percent <= 100; percent += 20) {
        const double y = floor(plot_y(percent / 100.0)) + 0.5;
        cairo_set_line_width(canvas, 1);
        pick(canvas, percent ? rule_ink : ink);
        cairo_move_to(canvas, plot_left, y);
        cairo_line_to(canvas, plot_right, y);
        cairo_stroke(canvas);
        snprintf(text, sizeof text, "%d %%", percent);
        write_text(canvas, plot_left - 12, y + 5, 1, 15, faint_ink, text);
    }
    const uint32_t step = axis_step(c->days);
    for (uint32_t day = 0; day <= c->days; day += step) {
        const double x = floor(plot_x(c, day)) + 0.5;
        cairo_set_line_width(canvas, 1);
        pick(canvas, day ? rule_ink : ink);
        cairo_move_to(canvas, x, plot_top);
        cairo_line_to(canvas, x, plot_bottom + 6);
        cairo_stroke(canvas);
        snprintf(text, sizeof text, "%" PRIu32, day);
        write_text(canvas, x, plot_bottom + 26, 0.5, 15, faint_ink, text);
    }
    write_text(canvas, (plot_left + plot_right) / 2, plot_bottom + 56, 0.5, 16, ink, "day");
}

static double share_of(sir at, int state) {
    return state == 0 ? at.susceptible : state == 1 ? at.infected : at.recovered;
}

static void draw_lines(cairo_t *canvas, const curve *c) {
    static const double dashes[] = { 7, 6 };
    cairo_set_line_join(canvas, CAIRO_LINE_JOIN_ROUND);
    for (int line = 0; line < 6; ++line) {
        const int state = line % 3;
        const bool is_equation = line < 3; // below the others
        pick(canvas, state_colours[state]);
        cairo_set_line_width(canvas, is_equation ? 1.5 : 3);
        cairo_set_dash(canvas, dashes, is_equation ? 2 : 0, 0);
        for (uint32_t day = 0; day <= c->days; ++day) {
            const sir at = is_equation ? c->equation[day] : curve_day(c, day);
            cairo_line_to(canvas, plot_x(c, day), plot_y(share_of(at, state)));
        }
        cairo_stroke(canvas);
    }
    cairo_set_dash(canvas, NULL, 0, 0);
}

static void draw_peak(cairo_t *canvas, const curve *c) {
    const curve_extremes e = curve_extremes_of_people(c);
    char text[64];
    const double x = plot_x(c, e.peak_day), y = plot_y(e.peak);
    pick(canvas, state_colours[1]);
    cairo_arc(canvas, x, y, 5, 0, 6.2832);
    cairo_fill(canvas);
    snprintf(text, sizeof text, "%.1f %% on day %" PRIu32, 100 * e.peak, e.peak_day);
    write_text(canvas, x, y - 14, x > plot_right - 100 ? 1 : x < plot_left + 100 ? 0 : 0.5, 15,
               state_colours[1], text);
}

static void draw_legend(cairo_t *canvas) {
    static const double dashes[] = { 7, 6 };
    double x = plot_left;
    const double y = plot_top - 24;
    for (int i = 0; i < 4; ++i) {
        pick(canvas, i < 3 ? state_colours[i] : faint_ink);
        cairo_set_line_width(canvas, i < 3 ? 3 : 1.5);
        cairo_set_dash(canvas, dashes, i < 3 ? 0 : 2, 0);
        cairo_move_to(canvas, x, y - 5);
        cairo_line_to(canvas, x + 34, y - 5);
        cairo_stroke(canvas);
        write_text(canvas, x + 42, y, 0, 15, ink, i < 3 ? state_names[i] : "SIR equations, people well mixed");
        x += i < 2 ? 150 : 155;
    }
    cairo_set_dash(canvas, NULL, 0, 0);
}

const char *picture_missing(void) { return NULL; }

const char *picture_draw_curve(const curve *c, const options *o, uint32_t ranks) {
    char people[32], text[200];
    cairo_surface_t *page = cairo_image_surface_create(CAIRO_FORMAT_RGB24, CURVE_WIDTH, CURVE_HEIGHT);
    cairo_t *canvas = cairo_create(page);
    pick(canvas, paper);
    cairo_paint(canvas);
    format_whole(c->people, people);
    snprintf(text, sizeof text, "An epidemic among %s people", people);
    write_text(canvas, plot_left, 44, 0, 26, ink, text);
    snprintf(text, sizeof text,
             "%.3g others nearby; each infects %.3g of them a day, and is ill for %.3g days; %.3g %% travel each day; %" PRIu32 " rank%s",
             o->contacts, o->contacts * o->chance, o->ill, 100 * o->travel, ranks, ranks == 1 ? "" : "s");
    write_text(canvas, plot_left, 70, 0, 15, faint_ink, text);
    draw_axes(canvas, c);
    draw_lines(canvas, c);
    draw_peak(canvas, c);
    draw_legend(canvas);
    return finish_picture(canvas, page, o->curve);
}

// ---- the map ------------------------------------------------------------------------------------

enum { MAP_SIDE = 1000, MAP_MARGIN = 40, MAP_HEAD = 90 };

static double map_of(int32_t at) { return (double)at / PEOPLE_SIDE * MAP_SIDE; }

// Draws the people of one state; those who are ill lie above the others.
static void draw_people(cairo_t *canvas, const picture_person *people, uint64_t count,
                        uint32_t state) {
    const double fit = 0.35 * MAP_SIDE / sqrt((double)count + 1);
    const double radius = fit < 0.6 ? 0.6 : fit > 4 ? 4 : fit;
    const colour c = state == HEALTH_SUSCEPTIBLE ? crowd : state_colours[state];
    for (uint64_t i = 0; i < count; ++i) {
        if (people[i].state != state) continue;
        cairo_rectangle(canvas, map_of(people[i].x) - radius, map_of(people[i].y) - radius,
                        2 * radius, 2 * radius);
        if (i % 4096 == 0) {
            cairo_set_source_rgba(canvas, c.red, c.green, c.blue, 0.85);
            cairo_fill(canvas); // long paths are slow
        }
    }
    cairo_set_source_rgba(canvas, c.red, c.green, c.blue, 0.85);
    cairo_fill(canvas);
}

// Draws the box around the people of each rank: where its region is.
static void draw_regions(cairo_t *canvas, const picture_person *people, uint64_t count) {
    cairo_set_line_width(canvas, 1.2);
    pick(canvas, ink);
    for (uint64_t i = 0; i < count;) { // people of a rank follow each other
        int32_t left = people[i].x, right = left, top = people[i].y, bottom = top;
        const uint32_t rank = people[i].rank;
        for (; i < count && people[i].rank == rank; ++i) {
            const picture_person *p = &people[i];
            left = p->x < left ? p->x : left;
            right = p->x > right ? p->x : right;
            top = p->y < top ? p->y : top;
            bottom = p->y > bottom ? p->y : bottom;
        }
        cairo_rectangle(canvas, map_of(left), map_of(top), map_of(right) - map_of(left),
                        map_of(bottom) - map_of(top));
        cairo_stroke(canvas);
    }
}

static void draw_map_head(cairo_t *canvas, uint64_t count, uint32_t ranks, uint32_t day) {
    char people[32], text[128];
    format_whole(count, people);
    snprintf(text, sizeof text, "%s people after day %" PRIu32, people, day);
    write_text(canvas, MAP_MARGIN, 42, 0, 24, ink, text);
    for (int state = 0; state < 3; ++state) {
        pick(canvas, state == HEALTH_SUSCEPTIBLE ? crowd : state_colours[state]);
        cairo_rectangle(canvas, MAP_MARGIN + 140 * state, 60, 12, 12);
        cairo_fill(canvas);
        write_text(canvas, MAP_MARGIN + 140 * state + 20, 71, 0, 15, ink, state_names[state]);
    }
    if (ranks > 1)
        write_text(canvas, MAP_MARGIN + MAP_SIDE, 71, 1, 15, faint_ink, "boxes: the regions of the ranks");
}

const char *picture_draw_map(const picture_person *people, uint64_t count, const options *o,
                             uint32_t ranks, uint32_t day) {
    cairo_surface_t *page = cairo_image_surface_create(CAIRO_FORMAT_RGB24, MAP_SIDE + 2 * MAP_MARGIN,
                                                       MAP_SIDE + MAP_HEAD + MAP_MARGIN);
    cairo_t *canvas = cairo_create(page);
    pick(canvas, paper);
    cairo_paint(canvas);
    draw_map_head(canvas, count, ranks, day);
    cairo_translate(canvas, MAP_MARGIN, MAP_HEAD);
    draw_people(canvas, people, count, HEALTH_SUSCEPTIBLE);
    draw_people(canvas, people, count, HEALTH_RECOVERED);
    draw_people(canvas, people, count, HEALTH_INFECTED);
    if (ranks > 1) draw_regions(canvas, people, count);
    return finish_picture(canvas, page, o->map);
}
#else
const char *picture_missing(void) {
    return "this program draws nothing; build it with cairo (Debian: libcairo2-dev)";
}

const char *picture_draw_curve(const curve *c, const options *o, uint32_t ranks) {
    (void)c;
    (void)o;
    (void)ranks;
    return picture_missing();
}

const char *picture_draw_map(const picture_person *people, uint64_t count, const options *o,
                             uint32_t ranks, uint32_t day) {
    (void)people;
    (void)count;
    (void)o;
    (void)ranks;
    (void)day;
    return picture_missing();
}
#endif
