// SPDX-License-Identifier: MIT
// The map of the whole system.
// Distances from the centre are drawn as log(1 + r / r0): nearly true near the centre, and close
// together far out, so that Mercury and Neptune fit on one page. Directions are true.
#include "image_map.h"
#include "belt.h"
#include "image_labels.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ORBIT_POINTS = 360, TRAIL_PIECES = 240, LABEL_SPECKS = 4000 };

typedef struct map {
    cairo_t *canvas;
    const scene *shown;
    double x, y, radius; // of the page, pixels
    double farthest;     // au, at `radius`
    double bend;         // r0 of the scale, au
    double strength;     // of lines, to 1: less where there are many
    label_set *labels;
} map;

typedef struct point {
    double x, y;
} point;

static bool is_planet(const scene *shown, int k) {
    const int parent = shown->bodies[k].parent;
    return parent >= 0 && shown->bodies[parent].parent < 0;
}

static int count_planets(const scene *shown) {
    int count = 0;
    for (int k = 0; k < shown->body_count; ++k) count += is_planet(shown, k);
    return count;
}

// ---------------------------------------------------------------- the scale

static double farthest_of(const scene *shown) {
    double farthest = shown->dust_count > 0 ? BELT_OUTER : 0;
    for (int k = 0; k < shown->body_count; ++k) {
        const scene_body *shape = &shown->bodies[k];
        if (!is_planet(shown, k)) continue;
        const double a = sqrt(shape->path.p[0] * shape->path.p[0] +
                              shape->path.p[1] * shape->path.p[1] +
                              shape->path.p[2] * shape->path.p[2]);
        farthest = fmax(farthest, a * (1 + shape->path.e));
    }
    return farthest > 0 ? farthest : 1;
}

static double bend_of(double farthest) {
    return farthest / 120;
}

static double to_pixels(const map *on, double au) {
    return on->radius * log1p(au / on->bend) / log1p(on->farthest / on->bend);
}

static point to_page(const map *on, double x, double y) {
    const double r = hypot(x, y);
    const double stretch = r > 0 ? to_pixels(on, r) / r : 0;
    return (point){ on->x + x * stretch, on->y - y * stretch };
}

void map_describe_scale(const scene *shown, char *text, size_t size) {
    snprintf(text, size, "distance from the Sun drawn as log(1 + r / %.2g au), directions are true",
             bend_of(farthest_of(shown)));
}

// ---------------------------------------------------------------- grid

// The direction, in radians, that is farthest from all planets: there the numbers of the grid go.
static double emptiest_direction(const map *on) {
    double best = 0, widest = -1;
    for (int k = 0; k < 72; ++k) {
        const double direction = k * IMAGE_PI / 36;
        double narrowest = IMAGE_PI;
        for (int j = 0; j < on->shown->body_count; ++j) {
            const scene_body *shape = &on->shown->bodies[j];
            if (!is_planet(on->shown, j)) continue;
            const double apart = remainder(atan2(shape->y, shape->x) - direction, 2 * IMAGE_PI);
            narrowest = fmin(narrowest, fabs(apart));
        }
        if (narrowest > widest + 1e-9) {
            widest = narrowest;
            best = direction;
        }
    }
    return best;
}

static void draw_grid(const map *on) {
    static const double dashes[] = { 1.5, 5 };
    static const double steps[] = { 0.5, 1, 2, 5, 10, 20, 30, 50, 100, 200, 500, 1000 };
    const double direction = emptiest_direction(on);
    cairo_t *canvas = on->canvas;
    set_font(canvas, 15, false);
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; ++k) {
        const double r = to_pixels(on, steps[k]);
        if (r > on->radius * 1.02 || r < on->radius * 0.15) continue;
        cairo_set_dash(canvas, dashes, 2, 0);
        cairo_set_line_width(canvas, 1);
        set_colour(canvas, colour_line, 0.42);
        cairo_new_path(canvas);
        cairo_arc(canvas, on->x, on->y, r, 0, 2 * IMAGE_PI);
        cairo_stroke(canvas);
        cairo_set_dash(canvas, NULL, 0, 0);
        char text[32];
        snprintf(text, sizeof text, "%g au", steps[k]);
        const double x = on->x + r * cos(direction), y = on->y - r * sin(direction);
        draw_text(canvas, x, y + 5, ALIGN_CENTRE, colour_faint_text, text);
        labels_avoid_disc(on->labels, x, y, 22);
    }
}

// The x axis of the coordinates: a tick at the edge.
static void draw_equinox(const map *on) {
    cairo_t *canvas = on->canvas;
    const double from = on->x + on->radius * 1.015, to = from + 14;
    set_colour(canvas, colour_faint_text, 0.8);
    cairo_set_line_width(canvas, 1.5);
    cairo_move_to(canvas, from, on->y);
    cairo_line_to(canvas, to, on->y);
    cairo_stroke(canvas);
    set_font(canvas, 22, false);
    draw_text(canvas, to + 5, on->y + 8, ALIGN_LEFT, colour_faint_text, "\xE2\x99\x88"); // Aries
}

// ---------------------------------------------------------------- belt

// Spread a speck over the four pixels that it touches.
static void add_speck(float *density, int size, double x, double y) {
    const double left = floor(x - 0.5), top = floor(y - 0.5);
    const double right_part = x - 0.5 - left, bottom_part = y - 0.5 - top;
    const int column = (int)left, row = (int)top;
    if (column < 0 || row < 0 || column + 1 >= size || row + 1 >= size) return;
    float *at = density + (size_t)row * (size_t)size + column;
    at[0] += (float)((1 - right_part) * (1 - bottom_part));
    at[1] += (float)(right_part * (1 - bottom_part));
    at[size] += (float)((1 - right_part) * bottom_part);
    at[size + 1] += (float)(right_part * bottom_part);
}

// Opacity of a pixel, for few asteroids (each one a clear speck) and for millions (a cloud that does
// not become a solid disc).
static void fill_mask(cairo_surface_t *mask, const float *density, int size) {
    double sum = 0, used = 0;
    const size_t count = (size_t)size * (size_t)size;
    for (size_t k = 0; k < count; ++k) {
        sum += (double)density[k];
        used += density[k] > 0;
    }
    const double crowd = sum > 0 ? sum / used : 1; // per pixel of the cloud; alone: 1/4
    const double strength = 0.55 / crowd * fmax(1, 0.7 / crowd);
    unsigned char *pixels = cairo_image_surface_get_data(mask);
    const int stride = cairo_image_surface_get_stride(mask);
    cairo_surface_flush(mask);
    for (int row = 0; row < size; ++row)
        for (int column = 0; column < size; ++column) {
            const double amount = (double)density[(size_t)row * (size_t)size + (size_t)column];
            const double opacity = 0.62 * (1 - exp(-strength * amount));
            pixels[row * stride + column] = (unsigned char)(255 * opacity + 0.5);
        }
    cairo_surface_mark_dirty(mask);
}

static bool draw_belt(const map *on) {
    const int size = 2 * (int)ceil(on->radius * 1.02);
    float *density = calloc((size_t)size * (size_t)size, sizeof *density);
    if (!density) return false;
    const double left = floor(on->x) - size / 2, top = floor(on->y) - size / 2;
    for (size_t k = 0; k < on->shown->dust_count; ++k) {
        const scene_dust *speck = &on->shown->dust[k];
        const point at = to_page(on, (double)speck->x, (double)speck->y);
        add_speck(density, size, at.x - left, at.y - top);
        if (k < LABEL_SPECKS) labels_avoid_point(on->labels, at.x, at.y, 4);
    }
    cairo_surface_t *mask = cairo_image_surface_create(CAIRO_FORMAT_A8, size, size);
    const bool made = cairo_surface_status(mask) == CAIRO_STATUS_SUCCESS;
    if (made) {
        fill_mask(mask, density, size);
        cairo_set_source_rgb(on->canvas, 0.80, 0.70, 0.58);
        cairo_mask_surface(on->canvas, mask, left, top);
    }
    cairo_surface_destroy(mask);
    free(density);
    return made;
}

// ---------------------------------------------------------------- orbits and bodies

static point orbit_point(const map *on, const ellipse *path, double eccentric) {
    const double along = cos(eccentric) - path->e, across = sin(eccentric);
    return to_page(on, along * path->p[0] + across * path->q[0],
                   along * path->p[1] + across * path->q[1]);
}

static void draw_orbit(const map *on, const scene_body *shape) {
    cairo_t *canvas = on->canvas;
    cairo_new_path(canvas);
    point last = orbit_point(on, &shape->path, 0);
    for (int k = 1; k <= ORBIT_POINTS; ++k) {
        const point at = orbit_point(on, &shape->path, 2 * IMAGE_PI * k / ORBIT_POINTS);
        cairo_line_to(canvas, at.x, at.y);
        labels_avoid_point(on->labels, at.x, at.y, hypot(at.x - last.x, at.y - last.y));
        last = at;
    }
    cairo_close_path(canvas);
    set_colour(canvas, look_of(shape->name).tint, 0.34 * on->strength);
    cairo_set_line_width(canvas, 1.3);
    cairo_stroke(canvas);
}

// The way of the run, at most one round, fading towards its beginning.
static void draw_trail(const map *on, const scene_body *shape) {
    cairo_t *canvas = on->canvas;
    const double swept = fmin(fabs(shape->swept), 2 * IMAGE_PI);
    const double back = shape->swept < 0 ? 1 : -1;
    const colour tint = look_of(shape->name).tint;
    for (int k = TRAIL_PIECES; k > 0; --k) {
        cairo_new_path(canvas);
        for (int part = 0; part <= 4; ++part) {
            const double share = (k - part * 0.3) / TRAIL_PIECES;
            const double mean = shape->mean + back * swept * fmax(share, 0);
            const double eccentric = kepler_solve(mean, shape->path.e).radians;
            const point at = orbit_point(on, &shape->path, eccentric);
            cairo_line_to(canvas, at.x, at.y);
        }
        const double age = (double)k / TRAIL_PIECES;
        set_colour(canvas, tint, on->strength * (0.95 * (1 - age) * (1 - age) + 0.05));
        cairo_stroke(canvas);
    }
}

static void draw_trails(const map *on) {
    cairo_push_group(on->canvas);
    // The pieces overlap a little, or there would be gaps; they replace instead of adding up.
    cairo_set_operator(on->canvas, CAIRO_OPERATOR_SOURCE);
    cairo_set_line_width(on->canvas, 3);
    for (int k = 0; k < on->shown->body_count; ++k)
        if (is_planet(on->shown, k)) draw_trail(on, &on->shown->bodies[k]);
    cairo_pop_group_to_source(on->canvas);
    cairo_paint(on->canvas);
}

static void draw_sun(const map *on, const scene_body *shape) {
    cairo_t *canvas = on->canvas;
    const look sun = look_of(shape->name);
    const colour c = sun.tint;
    const double reach = on->radius * 0.20;
    cairo_pattern_t *glow = cairo_pattern_create_radial(on->x, on->y, 0, on->x, on->y, reach);
    cairo_pattern_add_color_stop_rgba(glow, 0, c.red, c.green, c.blue, 0.60);
    cairo_pattern_add_color_stop_rgba(glow, 0.25, c.red, c.green * 0.85, c.blue * 0.6, 0.22);
    cairo_pattern_add_color_stop_rgba(glow, 1, c.red, c.green * 0.7, c.blue * 0.4, 0);
    cairo_set_source(canvas, glow);
    cairo_arc(canvas, on->x, on->y, reach, 0, 2 * IMAGE_PI);
    cairo_fill(canvas);
    cairo_pattern_destroy(glow);
    glow = cairo_pattern_create_radial(on->x, on->y, 0, on->x, on->y, sun.radius);
    cairo_pattern_add_color_stop_rgb(glow, 0, 1, 1, 0.94);
    cairo_pattern_add_color_stop_rgb(glow, 0.6, 1, 0.95, 0.75);
    cairo_pattern_add_color_stop_rgb(glow, 1, c.red, c.green, c.blue);
    cairo_set_source(canvas, glow);
    cairo_arc(canvas, on->x, on->y, sun.radius, 0, 2 * IMAGE_PI);
    cairo_fill(canvas);
    cairo_pattern_destroy(glow);
}

static void draw_bodies(const map *on) {
    const scene *shown = on->shown;
    for (int k = 0; k < shown->body_count; ++k) {
        if (shown->bodies[k].parent < 0) {
            draw_sun(on, &shown->bodies[k]);
            labels_avoid_disc(on->labels, on->x, on->y, look_of(shown->bodies[k].name).radius);
        }
        if (!is_planet(shown, k)) continue;
        const scene_body *shape = &shown->bodies[k];
        const look seen = look_of(shape->name);
        const point at = to_page(on, shape->x, shape->y);
        draw_ball(on->canvas, at.x, at.y, seen, on->x - at.x, on->y - at.y);
        labels_avoid_disc(on->labels, at.x, at.y, seen.radius * (seen.has_ring ? 1.8 : 1));
    }
}

static void draw_names(const map *on) {
    const scene *shown = on->shown;
    for (int k = 0; k < shown->body_count; ++k) {
        if (shown->bodies[k].parent >= 0 && !is_planet(shown, k)) continue;
        const scene_body *shape = &shown->bodies[k];
        const look seen = look_of(shape->name);
        const point at = to_page(on, shape->x, shape->y);
        labels_draw(on->labels, on->canvas, at.x, at.y,
                    seen.radius * (seen.has_ring ? 1.6 : 1), 21, colour_text, shape->name);
    }
}

bool map_draw(cairo_t *canvas, const scene *shown, double x, double y, double radius) {
    map drawn = { .canvas = canvas, .shown = shown, .x = x, .y = y, .radius = radius };
    drawn.farthest = farthest_of(shown);
    drawn.bend = bend_of(drawn.farthest);
    drawn.strength = fmin(1, sqrt(20.0 / (1 + count_planets(shown))));
    drawn.labels = calloc(1, sizeof *drawn.labels);
    if (!drawn.labels) return false;
    const double reach = radius * 1.07;
    drawn.labels->area = (label_box){ x - reach, y - reach, x + reach, y + reach };
    draw_grid(&drawn);
    draw_equinox(&drawn);
    const bool drew_belt = draw_belt(&drawn);
    for (int k = 0; k < shown->body_count; ++k)
        if (is_planet(shown, k)) draw_orbit(&drawn, &shown->bodies[k]);
    draw_trails(&drawn);
    draw_bodies(&drawn);
    draw_names(&drawn);
    free(drawn.labels);
    return drew_belt;
}
