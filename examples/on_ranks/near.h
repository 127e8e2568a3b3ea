// SPDX-License-Identifier: MIT
// Finds what is near a place: a grid over points, which is made anew in each step. The systems of each
// program fill, sort and ask it. Its numbers are integers, so that a distance is the same on every
// rank, wherever its grid begins.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct near_point {
    int32_t x, y;
    uint64_t tag; // what the program wants to know of it
} near_point;

// The points of a cell lie side by side, and so do the cells of a row.
typedef struct near_grid {
    near_point *points; // in the order of cells once near_sort has returned true
    uint32_t count;
    int64_t left, top, cell; // a cell is a square, at least as wide as the radius
    uint32_t columns, rows;
    uint32_t *starts; // columns * rows + 1: where in `points` a cell begins

    // private
    near_point *unsorted;
    size_t room, start_room;
} near_grid;

// Forgets all points. A grid of zeros is a good one to begin with; memory is kept.
void near_clear(near_grid *grid);

// Adds a point. Returns false when out of memory.
bool near_add(near_grid *grid, near_point point);

// Sorts all points by cell. Returns false when out of memory.
bool near_sort(near_grid *grid, int32_t radius);

// The cells that points near a place can be in; `rows` is empty if there are none.
typedef struct near_cells {
    uint32_t first_column, last_column;
    uint32_t first_row, end_row;
} near_cells;
near_cells near_cells_of(const near_grid *grid, int32_t x, int32_t y, int32_t radius);

// Frees the memory. The grid is as one of zeros then.
void near_free(near_grid *grid);
