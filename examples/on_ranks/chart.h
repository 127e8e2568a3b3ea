// SPDX-License-Identifier: MIT
// A chart of numbers over steps: where they are on the page, and its axes. picture.c of each program
// draws with it.
#pragma once
#include "drawing.h"

#ifdef ON_RANKS_PICTURES
#include <stdbool.h>

typedef struct chart {
    double left, top, right, bottom; // on the page
    uint32_t steps;                  // to the right, from 0
    double low, high;                // upwards
    double each;                     // from one line of the axis to the next
    bool is_percent;                 // 1 is 100 %
} chart;

double chart_x(const chart *c, double step);
double chart_y(const chart *c, double value);

// Draws both axes. `unit` is what a step is called; NULL: the steps have no numbers.
void chart_draw_axes(cairo_t *canvas, const chart *c, const char *unit);
#endif
