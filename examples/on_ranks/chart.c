// SPDX-License-Identifier: MIT
// The axes of a chart. picture.c of each program calls it.
#include "chart.h"

#ifdef ON_RANKS_PICTURES
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

double chart_x(const chart *c, double step) { return c->left + (c->right - c->left) * step / c->steps; }

double chart_y(const chart *c, double value) {
    return c->bottom - (c->bottom - c->top) * (value - c->low) / (c->high - c->low);
}

// Returns a round number of steps from one number of the axis to the next.
static uint32_t axis_step(uint32_t steps) {
    static const uint32_t factors[] = { 2, 5, 10 };
    uint32_t ten = 1;
    while (steps > 120 * (uint64_t)ten)
        ten *= 10;
    if (steps <= 12) return 1;
    for (size_t i = 0; i < 3; ++i)
        if (steps / (factors[i] * ten) <= 12) return factors[i] * ten;
    return 10 * ten;
}

static void draw_axis_upwards(cairo_t *canvas, const chart *c) {
    char text[32];
    const int lines = (int)lround((c->high - c->low) / c->each);
    for (int i = 0; i <= lines; ++i) {
        const double value = c->low + i * c->each, y = floor(chart_y(c, value)) + 0.5;
        drawing_pick(canvas, i ? rule_ink : ink);
        drawing_line(canvas, c->left, y, c->right, y);
        if (c->is_percent) snprintf(text, sizeof text, "%.0f %%", 100 * value);
        else snprintf(text, sizeof text, "%g", value);
        drawing_text(canvas, c->left - 12, y + 5, 1, 15, faint_ink, text);
        cairo_set_line_width(canvas, 1);
    }
}

void chart_draw_axes(cairo_t *canvas, const chart *c, const char *unit) {
    char text[32];
    cairo_set_line_width(canvas, 1);
    draw_axis_upwards(canvas, c);
    const uint32_t each = axis_step(c->steps);
    for (uint64_t step = 0; step <= c->steps; step += each) {
        const double x = floor(chart_x(c, (double)step)) + 0.5;
        cairo_set_line_width(canvas, 1);
        drawing_pick(canvas, step ? rule_ink : ink);
        drawing_line(canvas, x, c->top, x, c->bottom + 6);
        snprintf(text, sizeof text, "%" PRIu64, step);
        if (unit) drawing_text(canvas, x, c->bottom + 26, 0.5, 15, faint_ink, text);
    }
    if (unit) drawing_text(canvas, (c->left + c->right) / 2, c->bottom + 56, 0.5, 16, ink, unit);
}
#endif
