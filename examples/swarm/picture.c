// SPDX-License-Identifier: MIT
// Draws boids as light. All workers draw at once: the grid has the boids sorted by rows, so bands of rows are drawn, first every
// other one, then those between. Two that are drawn at the same time never touch the same pixel.
#include "picture.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#include <stb/stb_easy_font.h>
#include <stb/stb_image_write.h>

enum {
    REACH = 10,     // the farthest pixel that a boid lights
    TONES = 16384,  // entries of the table of brightness, for all light that sixteen bits can be
    TONE_SHIFT = 2, // light of one entry
};

static const uint32_t background = 0xFF05070E;

static light light_of(float red, float green, float blue) { return (light){ (uint16_t)red, (uint16_t)green, (uint16_t)blue, 0 }; }

// Lights the four pixels around a place that is not in the middle of one.
static void splash(picture *p, float x, float y, light colour) {
    const float left = x - 0.5f, top = y - 0.5f;
    if (!(left >= 0 && top >= 0 && left < (float)(p->width - 1) && top < (float)(p->height - 1))) return;
    const uint32_t column = (uint32_t)left, row = (uint32_t)top;
    const uint16_t right_part = (uint16_t)((left - (float)column) * 16), lower_part = (uint16_t)((top - (float)row) * 16);
    const uint16_t left_part = (uint16_t)(16 - right_part), upper_part = (uint16_t)(16 - lower_part);
    light *at = p->glow + (size_t)row * p->width + column;
    const light upper = colour * upper_part / 16, lower = colour * lower_part / 16;
    at[0] += upper * left_part / 16;
    at[1] += upper * right_part / 16;
    at[p->width] += lower * left_part / 16;
    at[p->width + 1] += lower * right_part / 16;
}

// Draws a streak behind a boid. Who flies to the right is warm, who flies to the left is cold.
static void draw_boid(picture *p, float x, float y, float vx, float vy, float length) {
    const float speed = sqrtf(vx * vx + vy * vy);
    if (!(speed > 0)) return;
    const float right = vx / speed, down = vy / speed;
    const float bright = (float)p->strength[0];
    const light colour = light_of(bright * (0.46f + 0.46f * right), bright * (0.40f - 0.10f * right - 0.26f * down),
                                  bright * (0.66f - 0.34f * right + 0.22f * down));
    const float px = x * p->scale_x, py = y * p->scale_y;
    splash(p, px, py, colour);
    splash(p, px - right * length, py - down * length, colour / 2);
}

// The bands of a picture: which rows of the grid they have, and which of them are drawn now.
typedef struct bands {
    picture *picture;
    const flock *flock;
    uint32_t rows; // of the grid, in a band
    uint32_t odd;  // 0, then 1
    float length;  // of a streak, in pixels
} bands;

static void draw_bands(uint32_t begin, uint32_t end, const keel_piece *piece, void *data) {
    const bands *b = data;
    const grid *g = &b->flock->grid;
    (void)piece;
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t first = (2 * i + b->odd) * b->rows;
        const uint32_t last = first + b->rows < g->rows ? first + b->rows : g->rows;
        if (first >= last) continue;
        for (uint32_t k = g->starts[first * g->columns]; k < g->starts[last * g->columns]; ++k)
            draw_boid(b->picture, g->x[k], g->y[k], b->flock->near_vx[k], b->flock->near_vy[k], b->length);
    }
}

// Lights a disc, for a hunter.
static void draw_hunter(picture *p, float x, float y) {
    const float radius = 7 * p->scale_y;
    for (float dy = -radius; dy <= radius; dy += 1)
        for (float dx = -radius; dx <= radius; dx += 1) {
            const float left = 1 - (dx * dx + dy * dy) / (radius * radius);
            if (left > 0)
                splash(p, x * p->scale_x + dx, y * p->scale_y + dy,
                       light_of(420 * left * left, 300 * left * left, 160 * left * left));
        }
}

// Draws all boids and hunters of the last frame.
KEEL_SYSTEM_ONCE(plot, KEEL_UNIQUE_READ(Flock, arrays), KEEL_UNIQUE_READ(Space, space), KEEL_UNIQUE_WRITE(Canvas, canvas),
                 KEEL_MAY_READ(Position, Hunter), KEEL_CONTEXT(context)) {
    picture *p = canvas->now;
    const grid *g = &arrays->now->grid;
    if (!g->count || p->still) return;
    p->scale_x = (float)p->width / space->width;
    p->scale_y = (float)p->height / space->height;
    // Where many boids share a pixel each is darker.
    const float crowd = (float)g->count / ((float)p->width * (float)p->height);
    p->strength[0] = (uint16_t)(40 + 320 / (1 + 14 * crowd));
    float length = space->sight * p->scale_y * 0.22f;
    length = length < 1.6f ? 1.6f : length > REACH - 3 ? REACH - 3 : length;
    const uint32_t rows = 1 + (uint32_t)(2 * REACH / (g->cell_height * p->scale_y));
    bands b = { p, arrays->now, rows, 0, length };
    const uint32_t pairs = ((g->rows + rows - 1) / rows + 1) / 2;
    for (b.odd = 0; b.odd < 2; ++b.odd)
        if (keel_parallel_for(context, pairs, 1, draw_bands, &b) < 0) keel_fail(context, NULL, "no memory for a parallel loop");
    KEEL_EACH(context, KEEL_READ(Position, at), KEEL_WITH(Hunter))
        draw_hunter(p, at->x, at->y);
}

static void develop_rows(uint32_t begin, uint32_t end, const keel_piece *piece, void *data) {
    const picture *p = data;
    (void)piece;
    const size_t last = (size_t)end * p->width;
    for (size_t i = (size_t)begin * p->width; i < last; ++i) {
        const light l = p->glow[i];
        uint64_t any;
        memcpy(&any, &l, sizeof any);
        if (!any) {
            p->pixels[i] = background;
            continue;
        }
        const light entry = l >> TONE_SHIFT;
        const uint32_t red = p->tone[entry[0]], green = p->tone[entry[1]], blue = p->tone[entry[2]];
        p->pixels[i] = background + (red << 16 | green << 8 | blue);
        // Some thirteen of sixteen parts stay, and of little nothing. Much light loses more, so that it never overflows.
        if (!p->still) p->glow[i] = l - (l + 7) / 8 - l / 16 - ((l >> 15) << 14);
    }
}

// Makes pixels of light, and lets it fade.
KEEL_SYSTEM_ONCE(develop, KEEL_UNIQUE_WRITE(Canvas, canvas), KEEL_CONTEXT(context)) {
    if (keel_parallel_for(context, canvas->now->height, 16, develop_rows, canvas->now) < 0)
        keel_fail(context, NULL, "no memory for a parallel loop");
}

KEEL_WORKLOAD(picture_frame, KEEL_STEP(plot), KEEL_STEP(develop));

keel_result picture_draw(keel_world *world, picture *p) {
    KEEL_TRY(keel_set_unique(world, Canvas, { p }));
    return keel_run_workload(world, picture_frame);
}

bool picture_resize(picture *p, uint32_t width, uint32_t height) {
    uint32_t *pixels = calloc((size_t)width * height, sizeof *pixels);
    light *glow = calloc((size_t)width * height, sizeof *glow);
    uint8_t *tone = p->tone ? p->tone : malloc(TONES);
    if (!pixels || !glow || !tone) {
        free(pixels);
        free(glow);
        if (tone != p->tone) free(tone);
        return false;
    }
    // Little light is bright already, and much light never becomes white at once.
    for (int i = 0; i < TONES; ++i) {
        const float amount = (float)(i << TONE_SHIFT);
        tone[i] = (uint8_t)(240 * amount / (amount + 420));
    }
    free(p->pixels);
    free(p->glow);
    *p = (picture){ .width = width, .height = height, .pixels = pixels, .glow = glow, .tone = tone };
    return true;
}

void picture_box(picture *p, int x, int y, int width, int height, uint32_t colour, uint32_t part) {
    const int right = x + width < (int)p->width ? x + width : (int)p->width;
    const int bottom = y + height < (int)p->height ? y + height : (int)p->height;
    for (int row = y < 0 ? 0 : y; row < bottom; ++row)
        for (int column = x < 0 ? 0 : x; column < right; ++column) {
            uint32_t *at = &p->pixels[(size_t)row * p->width + (size_t)column], mixed = 0;
            for (int shift = 0; shift < 24; shift += 8) {
                const uint32_t old = *at >> shift & 255, new = colour >> shift & 255;
                mixed |= (old * (255 - part) + new *part) / 255 << shift;
            }
            *at = 0xFF000000u | mixed;
        }
}

void picture_text(picture *p, int x, int y, int size, uint32_t colour, const char *text) {
    // A corner of a quad is three floats and a colour; a quad has four, of which the first and third are opposite.
    struct {
        float x, y, z;
        uint32_t colour;
    } corners[4 * 700];
    char copy[256]; // the library takes text that is not const
    snprintf(copy, sizeof copy, "%s", text);
    const int quads = stb_easy_font_print(0, 0, copy, NULL, corners, sizeof corners);
    for (int i = 0; i < quads; ++i) {
        const int left = (int)corners[4 * i].x, top = (int)corners[4 * i].y;
        const int right = (int)corners[4 * i + 2].x, bottom = (int)corners[4 * i + 2].y;
        picture_box(p, x + left * size, y + top * size, (right - left) * size, (bottom - top) * size, colour, 255);
    }
}

// Turns pixels into bytes of red, green, blue. Returns NULL without memory.
static uint8_t *bytes_of(const picture *p) {
    const size_t count = (size_t)p->width * p->height;
    uint8_t *bytes = malloc(count * 3);
    for (size_t i = 0; bytes && i < count; ++i) {
        bytes[3 * i] = (uint8_t)(p->pixels[i] >> 16);
        bytes[3 * i + 1] = (uint8_t)(p->pixels[i] >> 8);
        bytes[3 * i + 2] = (uint8_t)p->pixels[i];
    }
    return bytes;
}

bool picture_write(const picture *p, const char *path) {
    uint8_t *bytes = bytes_of(p);
    if (!bytes) return false;
    int length = 0;
    uint8_t *png = stbi_write_png_to_mem(bytes, (int)p->width * 3, (int)p->width, (int)p->height, 3, &length);
    free(bytes);
    if (!png) return false;
    FILE *file = fopen(path, "wb");
    bool written = file && fwrite(png, 1, (size_t)length, file) == (size_t)length;
    if (file) {
        if (fclose(file) != 0) written = false;
        if (!written) remove(path);
    }
    free(png);
    return written;
}

void picture_free(picture *p) {
    free(p->pixels);
    free(p->glow);
    free(p->tone);
    memset(p, 0, sizeof *p);
}
