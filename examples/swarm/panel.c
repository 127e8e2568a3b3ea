// SPDX-License-Identifier: MIT
// Figures and the slider, drawn into the pixels.
#include "panel.h"
#include <stdio.h>

enum { BRIGHT = 0xE8EEF6, DIM = 0x8FA0B4, WARM = 0xFFB066 };

// Returns how many pixels one of the font's has: text is as large on a screen with many pixels.
static int text_size(const picture *p) { return p->height >= 1400 ? 3 : p->width >= 300 && p->height >= 300 ? 2 : 1; }

// Where the slider is.
typedef struct slider {
    int left, top, width, height;
} slider;

static slider slider_of(const picture *p) {
    const int size = text_size(p), margin = 16 * size;
    const int width = (int)p->width - 2 * margin;
    return (slider){ margin, (int)p->height - 22 * size, width < 480 * size ? width : 480 * size, 6 * size };
}

bool panel_is_slider(const picture *p, float x, float y) {
    const slider s = slider_of(p);
    const float around = 12.0f * (float)text_size(p); // a finger is not exact
    return x >= (float)s.left - around && x <= (float)(s.left + s.width) + around && y >= (float)s.top - around;
}

uint32_t panel_boids_at(const picture *p, float x) {
    const slider s = slider_of(p);
    float part = (x - (float)s.left) / (float)s.width;
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    const float boids = SLIDER_MIN + part * (SLIDER_MAX - SLIDER_MIN);
    return (uint32_t)(boids / 1000 + 0.5f) * 1000;
}

// Writes a number with commas: 100,000.
static void with_commas(char text[16], uint32_t number) {
    if (number >= 1000000) snprintf(text, 16, "%u,%03u,%03u", number / 1000000, number / 1000 % 1000, number % 1000);
    else if (number >= 1000) snprintf(text, 16, "%u,%03u", number / 1000, number % 1000);
    else snprintf(text, 16, "%u", number);
}

static void draw_slider(picture *p, const panel_state *state) {
    const slider s = slider_of(p);
    const int size = text_size(p);
    uint32_t shown = state->boids < SLIDER_MIN ? SLIDER_MIN : state->boids > SLIDER_MAX ? SLIDER_MAX : state->boids;
    const int at = (int)((uint64_t)(shown - SLIDER_MIN) * (uint32_t)s.width / (SLIDER_MAX - SLIDER_MIN));
    picture_box(p, s.left, s.top, s.width, s.height, DIM, 90);
    picture_box(p, s.left, s.top, at, s.height, WARM, 200);
    picture_box(p, s.left + at - 3 * size, s.top - 4 * size, 6 * size, s.height + 8 * size, BRIGHT, 255);
    picture_text(p, s.left, s.top - 14 * size, size, DIM, state->paused ? "boids (paused)" : "boids");
}

enum { HIDDEN_BELOW = 50 }; // microseconds: tick and hunt take next to nothing

static bool is_shown(const measure_row *row) { return row->smooth * 1000 >= HIDDEN_BELOW; }

// Writes a name and milliseconds in one line.
static void draw_row(picture *p, const measure_row *row, int top, uint32_t colour) {
    const int size = text_size(p);
    char text[32];
    snprintf(text, sizeof text, "%.1f ms", (double)row->smooth);
    picture_text(p, 10 * size, top, size, colour, row->name);
    picture_text(p, 80 * size, top, size, colour, text);
}

void panel_draw(picture *p, const measure *m, const panel_state *state) {
    const int size = text_size(p), line = 11 * size, left = 10 * size;
    char text[32], number[16];
    int top = 10 * size, lines = 3;
    for (uint32_t i = 0; i < m->system_count; ++i)
        lines += is_shown(&m->systems[i]);
    picture_box(p, 4 * size, 4 * size, 130 * size, line * lines + 8 * size, 0, 150);
    with_commas(number, state->boids);
    snprintf(text, sizeof text, "%s boids", number);
    picture_text(p, left, top, size, WARM, text);
    snprintf(text, sizeof text, state->threads == 1 ? "%u thread" : "%u threads", state->threads);
    picture_text(p, left, top += line, size, BRIGHT, text);
    draw_row(p, &m->frame, top += line, BRIGHT);
    for (uint32_t i = 0; i < m->system_count; ++i)
        if (is_shown(&m->systems[i])) draw_row(p, &m->systems[i], top += line, DIM);
    if (state->slider) draw_slider(p, state);
}
