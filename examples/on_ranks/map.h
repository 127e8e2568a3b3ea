// SPDX-License-Identifier: MIT
// A map of the square that a model is on: its entities as points, and the regions of the ranks.
// picture.c of each program draws with it.
#pragma once
#include "drawing.h"

// An entity on the map.
typedef struct map_point {
    int32_t x, y;
    uint32_t kind; // of the program
    uint32_t rank; // that owns the entity; points of a rank follow each other
} map_point;

typedef struct map {
    const map_point *points;
    uint64_t count;
    double side; // of the square
} map;

#ifdef ON_RANKS_PICTURES
enum { MAP_SIDE = 1000, MAP_MARGIN = 40, MAP_HEAD = 90 };

// Begins a page with a headline. map_draw_legend and map_draw_points follow, then map_draw_regions.
cairo_t *map_begin(const char *headline);

// Writes what a colour means, into the line below the headline, from x on.
void map_draw_legend(cairo_t *canvas, double x, colour c, const char *text);

// Writes to the right end of this line.
void map_draw_note(cairo_t *canvas, const char *text);

// Draws the points of one kind. Those that are drawn later lie above.
void map_draw_points(cairo_t *canvas, const map *m, uint32_t kind, colour c);

// Draws the box around the points of each rank: where its region is.
void map_draw_regions(cairo_t *canvas, const map *m);
#endif
