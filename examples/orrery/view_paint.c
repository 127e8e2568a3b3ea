// SPDX-License-Identifier: MIT
// Pixels in memory, and what the view of the orrery paints with.
// Light is added with saturation, so that many dim points become a bright place and none is lost.
#include "view_paint.h"
#include <math.h>
#include <stb/stb_easy_font.h>
#include <stdlib.h>
#include <string.h>

static const tint night = { 0.012f, 0.016f, 0.035f };

// ---------------------------------------------------------------- pixels

bool paint_resize(paint *on, int width, int height, float unit) {
    uint32_t *pixels = realloc(on->pixels, (size_t)width * (size_t)height * sizeof *pixels);
    if (!pixels) return false;
    *on = (paint){ pixels, width, height, unit };
    return true;
}

void paint_free(paint *on) {
    free(on->pixels);
    *on = (paint){ 0 };
}

static float between(float low, float value, float high) {
    return value < low ? low : value > high ? high : value;
}

static uint32_t part(float value) { return (uint32_t)(between(0, value, 1) * 255 + 0.5f); }

uint32_t paint_pixel(tint colour, float strength) {
    return part(colour.red * strength) << 16 | part(colour.green * strength) << 8 |
           part(colour.blue * strength);
}

// Returns a pixel times weight / 256.
static inline uint32_t weighted(uint32_t pixel, uint32_t weight) {
    return ((((pixel & 0xFF00FFu) * weight) >> 8) & 0xFF00FFu) |
           ((((pixel & 0x00FF00u) * weight) >> 8) & 0x00FF00u);
}

// Adds all three parts at once; a part that overflows stays at 255.
static inline uint32_t brighter(uint32_t a, uint32_t b) {
    const uint32_t low = (a & 0x7F7F7Fu) + (b & 0x7F7F7Fu);
    const uint32_t sum = low ^ ((a ^ b) & 0x808080u);
    const uint32_t carry = ((a & b) | ((a | b) & ~sum)) & 0x808080u;
    return sum | ((carry >> 7) * 0xFFu);
}

static inline void add_light(const paint *on, int x, int y, uint32_t light, float weight) {
    uint32_t *at = &on->pixels[(size_t)y * (size_t)on->width + (size_t)x];
    *at = brighter(*at, weighted(light, (uint32_t)(weight * 256)));
}

static inline void cover(const paint *on, int x, int y, uint32_t pixel, float opacity) {
    uint32_t *at = &on->pixels[(size_t)y * (size_t)on->width + (size_t)x];
    const uint32_t weight = (uint32_t)(between(0, opacity, 1) * 256);
    *at = weighted(*at, 256 - weight) + weighted(pixel, weight);
}

// The pixels that a shape may touch, inside of the picture.
typedef struct range {
    int left, top, right, bottom;
} range;

static range range_of(const paint *on, float left, float top, float right, float bottom) {
    const float width = (float)on->width, height = (float)on->height;
    return (range){ (int)ceilf(between(0, left, width)), (int)ceilf(between(0, top, height)),
                    (int)floorf(between(-1, right, width - 1)),
                    (int)floorf(between(-1, bottom, height - 1)) };
}

static range range_around(const paint *on, float x, float y, float reach) {
    return range_of(on, x - reach, y - reach, x + reach, y + reach);
}

// ---------------------------------------------------------------- light

void paint_point(const paint *on, float x, float y, float radius, uint32_t light) {
    const range r = range_around(on, x, y, radius);
    const float slope = 1 / radius;
    for (int row = r.top; row <= r.bottom; ++row) {
        const float down = (1 - fabsf((float)row - y) * slope) * 256;
        uint32_t *pixels = &on->pixels[(size_t)row * (size_t)on->width];
        for (int column = r.left; column <= r.right; ++column) {
            const uint32_t weight = (uint32_t)(down * (1 - fabsf((float)column - x) * slope));
            pixels[column] = brighter(pixels[column], weighted(light, weight));
        }
    }
}

// Cuts a line to where it may touch the picture: returns false if it does not at all.
static bool clip(const paint *on, const float from[3], const float to[3], float margin, float part_of_line[2]) {
    const float low[2] = { -margin, -margin };
    const float high[2] = { (float)on->width + margin, (float)on->height + margin };
    part_of_line[0] = 0;
    part_of_line[1] = 1;
    for (int axis = 0; axis < 2; ++axis) {
        const float way = to[axis] - from[axis];
        if (way == 0 && (from[axis] < low[axis] || from[axis] > high[axis])) return false;
        if (way == 0) continue;
        const float a = (low[axis] - from[axis]) / way, b = (high[axis] - from[axis]) / way;
        part_of_line[0] = fmaxf(part_of_line[0], fminf(a, b));
        part_of_line[1] = fminf(part_of_line[1], fmaxf(a, b));
    }
    return part_of_line[0] < part_of_line[1];
}

void paint_line(const paint *on, const float from[3], const float to[3], float width, tint colour) {
    float shown[2];
    if (!clip(on, from, to, width + 1, shown)) return;
    const int along = fabsf(to[0] - from[0]) >= fabsf(to[1] - from[1]) ? 0 : 1, across = 1 - along;
    if (to[along] < from[along]) { // always upwards, so that lines that meet share no pixel
        const float *swapped = from;
        from = to;
        to = swapped;
        const float first = 1 - shown[1];
        shown[1] = 1 - shown[0];
        shown[0] = first;
    }
    const float way = to[along] - from[along];
    if (way <= 0) return;
    const float slope = (to[across] - from[across]) / way, flat = 1 / sqrtf(1 + slope * slope);
    const float reach = (width / 2 + 0.5f) / flat;
    const int limits[2] = { on->width, on->height };
    const int first = (int)ceilf(fmaxf(0, from[along] + shown[0] * way));
    const int last = (int)ceilf(fminf((float)limits[along], from[along] + shown[1] * way));
    for (int at = first; at < last; ++at) {
        const float done = ((float)at - from[along]) / way;
        const float middle = from[across] + slope * ((float)at - from[along]);
        const uint32_t light = paint_pixel(colour, from[2] + (to[2] - from[2]) * done);
        const int end = (int)floorf(fminf(middle + reach, (float)(limits[across] - 1)));
        for (int side = (int)ceilf(fmaxf(0, middle - reach)); side <= end; ++side) {
            const float near = width / 2 + 0.5f - fabsf((float)side - middle) * flat;
            add_light(on, along ? side : at, along ? at : side, light, between(0, near, 1));
        }
    }
}

void paint_glow(const paint *on, float x, float y, float radius, tint colour) {
    enum { STEPS = 512 };
    uint32_t lights[STEPS]; // by the square of the distance, which needs no root and no division for each pixel
    for (int k = 0; k < STEPS; ++k) {
        const float square = (float)k / STEPS, rest = 1 - square;
        lights[k] = paint_pixel(colour, rest * rest * rest / (1 + 12 * square));
    }
    const range rows = range_around(on, x, y, radius);
    for (int row = rows.top; row <= rows.bottom; ++row) {
        const float dy = ((float)row - y) / radius, half = sqrtf(fmaxf(0, 1 - dy * dy)) * radius;
        const range r = range_of(on, x - half, (float)row, x + half, (float)row);
        uint32_t *pixels = &on->pixels[(size_t)row * (size_t)on->width];
        for (int column = r.left; column <= r.right; ++column) {
            const float dx = ((float)column - x) * (1 / radius);
            const int step = (int)((dx * dx + dy * dy) * STEPS);
            pixels[column] = brighter(pixels[column], lights[step < STEPS ? step : STEPS - 1]);
        }
    }
}

// ---------------------------------------------------------------- balls and circles

// Returns how much of a pixel the ring of a ball covers, in front of it (side > 0) or behind it.
static float ring_at(const ball *shape, float dx, float dy, float side) {
    const float along = 0.92f * dx - 0.39f * dy, across = 0.39f * dx + 0.92f * dy; // turned by 0.4
    if (across * side < 0) return 0;
    const float distance = sqrtf(along * along + across * across * (1 / (0.34f * 0.34f)));
    const float inner = shape->radius * 1.35f, outer = shape->radius * 2.15f;
    const float gap = fabsf(distance - shape->radius * 1.9f) < shape->radius * 0.06f ? 0.35f : 1;
    return between(0, distance - inner, 1) * between(0, outer - distance, 1) * 0.75f * gap;
}

static uint32_t ball_pixel(const ball *shape, float dx, float dy) {
    const float x = dx / shape->radius, y = dy / shape->radius;
    const float z = sqrtf(fmaxf(0, 1 - x * x - y * y));
    const float lit = fmaxf(0, x * shape->light[0] + y * shape->light[1] + z * shape->light[2]);
    const float latitude = y * 0.92f + x * 0.39f;
    const float stripe = 1 + shape->band * 0.22f * sinf(latitude * 14) * z;
    const float bright = (0.10f + 0.95f * lit) * stripe, shine = lit * lit * lit * 0.18f;
    const tint c = shape->colour;
    const tint seen = { c.red * bright + shine, c.green * bright + shine, c.blue * bright + shine };
    return paint_pixel(seen, 1);
}

void paint_ball(const paint *on, const ball *shape) {
    const float dark = shape->radius + 1.5f * on->unit; // a dark rim sets it off from its orbit
    const float reach = shape->has_ring ? shape->radius * 2.2f + 1 : dark + 1;
    const range r = range_around(on, shape->x, shape->y, reach);
    const uint32_t ring = paint_pixel(shape->colour, 0.85f), rim = paint_pixel(night, 1);
    for (int row = r.top; row <= r.bottom; ++row) {
        for (int column = r.left; column <= r.right; ++column) {
            const float dx = (float)column - shape->x, dy = (float)row - shape->y;
            const float distance = sqrtf(dx * dx + dy * dy);
            if (shape->has_ring) cover(on, column, row, ring, ring_at(shape, dx, dy, -1));
            if (distance < dark + 0.5f) cover(on, column, row, rim, (dark + 0.5f - distance) * 0.9f);
            if (distance < shape->radius + 0.5f)
                cover(on, column, row, ball_pixel(shape, dx, dy), shape->radius + 0.5f - distance);
            if (shape->has_ring) cover(on, column, row, ring, ring_at(shape, dx, dy, 1));
        }
    }
}

void paint_circle(const paint *on, float x, float y, float radius, float width, tint colour, float opacity) {
    const range r = range_around(on, x, y, radius + width);
    const uint32_t pixel = paint_pixel(colour, 1);
    for (int row = r.top; row <= r.bottom; ++row) {
        for (int column = r.left; column <= r.right; ++column) {
            const float dx = (float)column - x, dy = (float)row - y;
            const float off = fabsf(sqrtf(dx * dx + dy * dy) - radius);
            const float near = width / 2 + 0.5f - off;
            if (near > 0) cover(on, column, row, pixel, opacity * between(0, near, 1));
        }
    }
}

void paint_panel(const paint *on, const float box[4], float corner, tint colour, float opacity) {
    const range r = range_of(on, box[0] - 1, box[1] - 1, box[2] + 1, box[3] + 1);
    const uint32_t pixel = paint_pixel(colour, 1);
    for (int row = r.top; row <= r.bottom; ++row) {
        for (int column = r.left; column <= r.right; ++column) {
            const float x = (float)column, y = (float)row;
            const float dx = fmaxf(0, fmaxf(box[0] + corner - x, x - box[2] + corner));
            const float dy = fmaxf(0, fmaxf(box[1] + corner - y, y - box[3] + corner));
            const float inside = corner + 0.5f - sqrtf(dx * dx + dy * dy);
            if (inside > 0) cover(on, column, row, pixel, opacity * between(0, inside, 1));
        }
    }
}

// ---------------------------------------------------------------- text

enum { MOST_GLYPH_QUADS = 2000, LINE_OF_FONT = 12 };

// What stb_easy_font writes for each corner of its rectangles.
typedef struct corner {
    float x, y, z;
    unsigned char colour[4];
} corner;

// Returns how much of the pixel `at` is between `low` and `high`.
static float shared(float low, float high, int at) {
    const float begin = fmaxf(low, (float)at), end = fminf(high, (float)at + 1);
    return fmaxf(0, end - begin);
}

static void cover_box(const paint *on, const float box[4], uint32_t pixel, float opacity) {
    const range r = range_of(on, floorf(box[0]), floorf(box[1]), box[2], box[3]);
    for (int row = r.top; row <= r.bottom; ++row) {
        const float high = shared(box[1], box[3], row) * opacity;
        for (int column = r.left; column <= r.right; ++column)
            cover(on, column, row, pixel, high * shared(box[0], box[2], column));
    }
}

static float scale_of(const paint *on, float size) { return size * on->unit / LINE_OF_FONT; }

// Texts are short; what does not fit into the copy is cut off.
static void copy_text(char into[256], const char *text) {
    strncpy(into, text, 255);
    into[255] = '\0';
}

void paint_text(const paint *on, float x, float y, float size, tint colour, const char *text) {
    static corner corners[MOST_GLYPH_QUADS * 4];
    char copy[256];
    copy_text(copy, text);
    const int count = stb_easy_font_print(0, 0, copy, NULL, corners, sizeof corners);
    const float scale = scale_of(on, size), shade = fmaxf(1, on->unit);
    for (int pass = 0; pass < 2; ++pass) { // a shadow first, which keeps it legible over light
        const uint32_t pixel = pass ? paint_pixel(colour, 1) : paint_pixel(night, 1);
        for (int k = 0; k < count; ++k) {
            const corner *quad = &corners[k * 4];
            const float grow = pass ? 0 : shade;
            const float box[4] = { x + quad[0].x * scale - grow, y + quad[0].y * scale - grow,
                                   x + quad[2].x * scale + grow, y + quad[2].y * scale + grow };
            cover_box(on, box, pixel, pass ? 1 : 0.7f);
        }
    }
}

float paint_text_width(const paint *on, float size, const char *text) {
    char copy[256];
    copy_text(copy, text);
    return (float)stb_easy_font_width(copy) * scale_of(on, size);
}
