// SPDX-License-Identifier: MIT
// Paints the sky of the view: stars, orbits, asteroids, the Sun, planets and moons with their names.
#include "view_sky.h"
#include "components.h"
#include "view_look.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double half_turn = 3.14159265358979323846;

// ---------------------------------------------------------------- background

// The night and its stars, painted once for each size of the picture.
static struct {
    uint32_t *pixels;
    uint32_t made_for; // view.stars
} night;

// Returns a number that looks random, the same for the same seed: 0 to less than 1.
static float scattered(uint32_t seed) {
    seed = (seed ^ (seed >> 16)) * 0x7FEB352Du;
    seed = (seed ^ (seed >> 15)) * 0x846CA68Bu;
    return (float)((seed ^ (seed >> 16)) >> 8) * (1.0f / 16777216);
}

static void paint_night(const paint *on) {
    const float w = (float)on->width, h = (float)on->height;
    for (int y = 0; y < on->height; ++y) {
        for (int x = 0; x < on->width; ++x) {
            const float dx = (float)x / w - 0.5f, dy = (float)y / h - 0.5f;
            const float light = 1 - 1.5f * (dx * dx + dy * dy);
            // Noise of less than a step hides the borders between the few dark shades.
            const float noise = scattered((uint32_t)(y * on->width + x)) / 255;
            const tint shade = { 0.020f * light + noise, 0.027f * light + noise, 0.058f * light + noise };
            on->pixels[(size_t)y * (size_t)on->width + (size_t)x] = paint_pixel(shade, 1);
        }
    }
    const int stars = (int)(w * h / (on->unit * on->unit) / 900);
    for (int k = 0; k < stars; ++k) {
        const uint32_t seed = (uint32_t)k * 4;
        const float power = scattered(seed + 2), warmth = scattered(seed + 3);
        const tint colour = { 0.75f + 0.25f * warmth, 0.85f, 1.0f - 0.25f * warmth };
        paint_point(on, scattered(seed) * w, scattered(seed + 1) * h, (0.7f + 0.4f * power) * on->unit,
                    paint_pixel(colour, 0.08f + 0.6f * power * power * power * power));
    }
}

static bool paint_background(const view *shown) {
    const paint *on = &shown->canvas;
    const size_t size = (size_t)on->width * (size_t)on->height * sizeof *on->pixels;
    if (!night.pixels || night.made_for != shown->stars) {
        uint32_t *pixels = realloc(night.pixels, size);
        if (!pixels) return false;
        night.pixels = pixels;
        night.made_for = shown->stars;
        paint_night(&(paint){ pixels, on->width, on->height, on->unit });
    }
    memcpy(on->pixels, night.pixels, size);
    return true;
}

void sky_free(void) {
    free(night.pixels);
    night.pixels = NULL;
}

// ---------------------------------------------------------------- asteroids

// Many asteroids on few pixels are dim, few are bright, so that the belt keeps its light.
static float strength_of_dust(const view *shown) {
    const double unit = (double)shown->canvas.unit, area = 20 * pow(shown->camera.zoom / unit, 2) * cos(shown->camera.tilt);
    return (float)fmin(0.85, fmax(0.12, 0.36 / sqrt((double)shown->belt / area)));
}

static void paint_belt(const view *shown) {
    enum { SHADES = 8 };
    const paint *on = &shown->canvas;
    const lens through = camera_lens(&shown->camera);
    const float strength = strength_of_dust(shown), radius = 0.6f + 0.5f * on->unit;
    const double right = (double)on->width, bottom = (double)on->height;
    uint32_t shades[SHADES];
    for (int k = 0; k < SHADES; ++k) {
        const float warmth = (float)k / (SHADES - 1);
        const tint colour = { 0.62f + 0.38f * warmth, 0.70f, 0.88f - 0.46f * warmth };
        shades[k] = paint_pixel(colour, strength * (0.45f + 0.55f * scattered((uint32_t)k)));
    }
    uint32_t number = 0;
    KEEL_EACH(shown->world, KEEL_READ(Position, position), KEEL_WITH(Asteroid)) {
        const uint32_t shade = (number++ * 2654435769u) >> 29;
        const double place[3] = { position->x, position->y, position->z };
        const spot at = lens_project(&through, place);
        if (at.x < -2 || at.y < -2 || at.x > right + 2 || at.y > bottom + 2) continue;
        paint_point(on, (float)at.x, (float)at.y, radius, shades[shade]);
    }
}

// ---------------------------------------------------------------- orbits

enum { ORBIT_LINES = 360 };

static spot on_orbit(const lens *through, const seen_body *body, const double around[3], double turn) {
    const ellipse *path = &body->path;
    const double along = cos(turn) - path->e, across = sin(turn);
    double place[3];
    for (int k = 0; k < 3; ++k) place[k] = around[k] + along * path->p[k] + across * path->q[k];
    return lens_project(through, place);
}

// An orbit is bright behind its body, and fades on the way round. Its lines are short near to the body, so that they
// meet it also when the orbit is far larger than the screen.
static void paint_orbit(const view *shown, int k, float strength) {
    const seen_body *body = &shown->bodies[k];
    const body_row *row = &shown->list->items[k];
    const lens through = camera_lens(&shown->camera);
    const double *around = shown->bodies[row->parent].place;
    const double forwards = view_speed(shown) < 0 ? -1 : 1;
    const tint look = body_look_of(row->name).colour;
    float from[3] = { (float)body->at.x, (float)body->at.y, strength };
    for (int line = 1; line <= ORBIT_LINES; ++line) {
        const double done = line / (double)ORBIT_LINES;
        const double eased = done < 0.5 ? 4 * done * done * done : 1 - 4 * pow(1 - done, 3);
        const spot at = on_orbit(&through, body, around, body->anomaly - forwards * eased * 2 * half_turn);
        const float fade = (float)(1 - eased);
        const float to[3] = { (float)at.x, (float)at.y, strength * (0.22f + 0.78f * fade * fade * fade) };
        paint_line(&shown->canvas, from, to, 1.15f * shown->canvas.unit, look);
        memcpy(from, to, sizeof from);
    }
}

static void paint_orbits(const view *shown) {
    for (int k = 0; k < shown->list->count; ++k) {
        const body_row *row = &shown->list->items[k];
        if (row->parent < 0 || !shown->bodies[k].is_shown) continue;
        const double size = row->at_j2000.a * shown->camera.zoom / (double)shown->canvas.unit;
        if (size < 6) continue;
        paint_orbit(shown, k, row->parent == shown->list->centre ? 0.62f : 0.4f);
    }
}

// ---------------------------------------------------------------- bodies

static void paint_sun(const view *shown, const seen_body *sun, const body_look *look) {
    const paint *on = &shown->canvas;
    const float x = (float)sun->at.x, y = (float)sun->at.y, radius = (float)sun->radius;
    paint_glow(on, x, y, radius * 14, (tint){ 0.34f, 0.22f, 0.09f });
    paint_glow(on, x, y, radius * 5, (tint){ 0.85f, 0.55f, 0.20f });
    paint_circle(on, x, y, radius / 2, radius, (tint){ 1, 0.93f, 0.70f }, 1);
    paint_glow(on, x, y, radius * 2.2f, look->colour);
}

static void light_from_sun(const view *shown, const seen_body *body, float light[3]) {
    const spot sun = shown->bodies[shown->list->centre].at;
    const double x = sun.x - body->at.x, y = sun.y - body->at.y;
    const double z = (sun.depth - body->at.depth) * shown->camera.zoom;
    const double length = sqrt(x * x + y * y + z * z) + 1e-9;
    light[0] = (float)(x / length);
    light[1] = (float)(y / length);
    light[2] = (float)(z / length) + 0.25f; // the night side stays to be seen
}

static void paint_body(const view *shown, int k) {
    const seen_body *body = &shown->bodies[k];
    const body_look look = body_look_of(shown->list->items[k].name);
    if (k == shown->list->centre) {
        paint_sun(shown, body, &look);
        return;
    }
    ball shape = { (float)body->at.x, (float)body->at.y, (float)body->radius, look.colour,
                   { 0 }, look.band, look.has_ring };
    light_from_sun(shown, body, shape.light);
    paint_ball(&shown->canvas, &shape);
}

// Paints from the farthest to the nearest.
static void paint_bodies(const view *shown) {
    int *order = shown->order; // as in the frame before, which is nearly right
    for (int k = 1; k < shown->list->count; ++k) {
        const int moved = order[k];
        int at = k;
        for (; at > 0 && shown->bodies[order[at - 1]].at.depth > shown->bodies[moved].at.depth; --at) order[at] = order[at - 1];
        order[at] = moved;
    }
    for (int k = 0; k < shown->list->count; ++k)
        if (shown->bodies[order[k]].is_shown) paint_body(shown, order[k]);
}

// ---------------------------------------------------------------- names

enum { MOST_NAMES = 64 };

typedef struct names {
    float boxes[MOST_NAMES][4];
    int count;
} names;

static bool is_free(const names *placed, const float box[4]) {
    for (int k = 0; k < placed->count; ++k) {
        const float *other = placed->boxes[k];
        if (box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3]) return false;
    }
    return placed->count < MOST_NAMES;
}

// Paints the name of a body at its right, its left or below it, unless others are in all of these places.
static void paint_name(const view *shown, int k, names *placed) {
    const seen_body *body = &shown->bodies[k];
    const paint *on = &shown->canvas;
    const body_look look = body_look_of(shown->list->items[k].name);
    const bool is_moon = shown->list->items[k].parent != shown->list->centre && k != shown->list->centre;
    const float size = is_moon ? 15 : 18, height = size * on->unit * 0.76f;
    const float gap = (float)body->radius * (look.has_ring ? 2.1f : 1) + 5 * on->unit;
    const float width = paint_text_width(on, size, look.label), x = (float)body->at.x, y = (float)body->at.y;
    const float corners[3][2] = { { x + gap, y - height / 2 }, { x - gap - width, y - height / 2 }, { x - width / 2, y + gap } };
    const tint bright = { 0.93f, 0.94f, 0.97f }, faint = { 0.62f, 0.67f, 0.78f };
    for (int at = 0; at < 3; ++at) {
        const float *corner = corners[at];
        const float box[4] = { corner[0] - 2, corner[1], corner[0] + width + 2, corner[1] + height };
        if (!is_free(placed, box)) continue;
        memcpy(placed->boxes[placed->count++], box, sizeof box);
        paint_text(on, corner[0], corner[1], size, is_moon ? faint : bright, look.label);
        return;
    }
}

static void keep_disc_free(const view *shown, int k, names *placed) {
    const seen_body *body = &shown->bodies[k];
    if (!body->is_shown || placed->count == MOST_NAMES) return;
    const float r = (float)body->radius, x = (float)body->at.x, y = (float)body->at.y;
    const float box[4] = { x - r, y - r, x + r, y + r };
    memcpy(placed->boxes[placed->count++], box, sizeof box);
}

// The followed body has its name first, then planets from the outer to the inner ones, then moons.
static void paint_names(const view *shown) {
    names placed = { .count = 0 };
    for (int k = 0; k < shown->list->count; ++k) keep_disc_free(shown, k, &placed);
    if (shown->followed >= 0) paint_name(shown, shown->followed, &placed);
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = shown->list->count - 1; k >= 0; --k) {
            const int parent = shown->list->items[k].parent;
            const bool is_moon = parent >= 0 && parent != shown->list->centre;
            if (k == shown->followed || is_moon != (pass == 1) || !shown->bodies[k].is_shown) continue;
            paint_name(shown, k, &placed);
        }
    }
}

static void paint_mark(const view *shown) {
    if (shown->followed < 0) return;
    const seen_body *body = &shown->bodies[shown->followed];
    const float unit = shown->canvas.unit, radius = (float)body->radius * 1.5f + 6 * unit;
    paint_circle(&shown->canvas, (float)body->at.x, (float)body->at.y, radius, 1.4f * unit,
                 (tint){ 0.60f, 0.76f, 1 }, 0.55f);
}

bool sky_paint(const view *shown) {
    if (!paint_background(shown)) return false;
    paint_belt(shown);
    paint_orbits(shown);
    paint_bodies(shown);
    paint_mark(shown);
    paint_names(shown);
    return true;
}
