// SPDX-License-Identifier: MIT
// The pictures: a map of the cells, and curves. They are drawn with cairo; a program that is built
// without it says so. play.c calls it on rank 0.
#pragma once
#include "map.h"
#include "options.h"
#include "record.h"

// A cell on the picture.
typedef struct picture_cell {
    map_point point; // its kind is the clone
    int32_t radius;
    uint32_t generation;
} picture_cell;

// Draws all cells in the colours of their clones, and the regions of the ranks. Returns why it failed,
// or NULL.
const char *picture_draw_cells(const picture_cell *cells, size_t count, const options *o, uint32_t ranks);

// Draws how many cells there were after each step, and below it how many were born and died. Returns
// why it failed, or NULL.
const char *picture_draw_curve(const record *r, const options *o, uint32_t ranks);
