// SPDX-License-Identifier: MIT
// Draws maps with cairo. picture.c of each program calls it.
#include "map.h"

#ifdef ON_RANKS_PICTURES
#include <math.h>

cairo_t *map_begin(const char *headline) {
    cairo_t *canvas = drawing_begin(MAP_SIDE + 2 * MAP_MARGIN, MAP_SIDE + MAP_HEAD + MAP_MARGIN);
    drawing_text(canvas, MAP_MARGIN, 42, 0, 24, ink, headline);
    return canvas;
}

void map_draw_legend(cairo_t *canvas, double x, colour c, const char *text) {
    drawing_pick(canvas, c);
    cairo_rectangle(canvas, MAP_MARGIN + x, 60, 12, 12);
    cairo_fill(canvas);
    drawing_text(canvas, MAP_MARGIN + x + 20, 71, 0, 15, ink, text);
}

void map_draw_note(cairo_t *canvas, const char *text) {
    drawing_text(canvas, MAP_MARGIN + MAP_SIDE, 71, 1, 15, faint_ink, text);
}

static double map_x(const map *m, int32_t x) { return MAP_MARGIN + x / m->side * MAP_SIDE; }
static double map_y(const map *m, int32_t y) { return MAP_HEAD + y / m->side * MAP_SIDE; }

void map_draw_points(cairo_t *canvas, const map *m, uint32_t kind, colour c) {
    const double fit = 0.35 * MAP_SIDE / sqrt((double)m->count + 1);
    const double radius = fit < 0.6 ? 0.6 : fit > 4 ? 4 : fit;
    cairo_set_source_rgba(canvas, c.red, c.green, c.blue, 0.85);
    cairo_set_antialias(canvas, CAIRO_ANTIALIAS_NONE); // squares of whole pixels make a file of half the size
    for (uint64_t i = 0; i < m->count; ++i) {
        const map_point *p = &m->points[i];
        if (p->kind != kind) continue;
        cairo_rectangle(canvas, map_x(m, p->x) - radius, map_y(m, p->y) - radius, 2 * radius, 2 * radius);
        if (i % 4096 == 0) cairo_fill(canvas); // long paths are slow
    }
    cairo_fill(canvas);
    cairo_set_antialias(canvas, CAIRO_ANTIALIAS_DEFAULT);
}

void map_draw_regions(cairo_t *canvas, const map *m) {
    cairo_set_line_width(canvas, 1.2);
    drawing_pick(canvas, ink);
    for (uint64_t i = 0; i < m->count;) {
        const map_point *p = &m->points[i];
        int32_t left = p->x, right = left, top = p->y, bottom = top;
        const uint32_t rank = p->rank;
        for (; i < m->count && (p = &m->points[i])->rank == rank; ++i) {
            left = p->x < left ? p->x : left;
            right = p->x > right ? p->x : right;
            top = p->y < top ? p->y : top;
            bottom = p->y > bottom ? p->y : bottom;
        }
        cairo_rectangle(canvas, map_x(m, left), map_y(m, top), map_x(m, right) - map_x(m, left),
                        map_y(m, bottom) - map_y(m, top));
        cairo_stroke(canvas);
    }
}
#endif
