// SPDX-License-Identifier: MIT
// The grid of near.h: a counting sort over the box around all points that were added. The
// systems of each program call it in each step.
#include "near.h"
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROOM = 1024 };

void near_clear(near_grid *grid) {
    grid->count = 0;
    grid->columns = grid->rows = 0;
}

bool near_add(near_grid *grid, near_point point) {
    if (grid->count == grid->room) {
        const size_t room = grid->room ? 2 * grid->room : LEAST_ROOM;
        near_point *unsorted = realloc(grid->unsorted, room * sizeof *unsorted);
        if (unsorted) grid->unsorted = unsorted;
        near_point *points = realloc(grid->points, room * sizeof *points);
        if (points) grid->points = points;
        if (!unsorted || !points) return false;
        grid->room = room;
    }
    grid->unsorted[grid->count++] = point;
    return true;
}

// Divides the box around all points into cells: no more than two for each point, so that few points on
// a large square need little memory.
static void divide_box(near_grid *grid, int32_t radius) {
    int64_t left = INT64_MAX, top = INT64_MAX, right = INT64_MIN, bottom = INT64_MIN;
    for (uint32_t i = 0; i < grid->count; ++i) {
        const near_point *p = &grid->unsorted[i];
        left = p->x < left ? p->x : left;
        right = p->x > right ? p->x : right;
        top = p->y < top ? p->y : top;
        bottom = p->y > bottom ? p->y : bottom;
    }
    int64_t cell = radius > 0 ? radius : 1;
    const int64_t most = 2 * (int64_t)grid->count + LEAST_ROOM;
    while (((right - left) / cell + 1) * ((bottom - top) / cell + 1) > most)
        cell *= 2;
    grid->left = left;
    grid->top = top;
    grid->cell = cell;
    grid->columns = (uint32_t)((right - left) / cell + 1);
    grid->rows = (uint32_t)((bottom - top) / cell + 1);
}

static size_t near_cell_of(const near_grid *grid, const near_point *p) {
    const size_t row = (size_t)((p->y - grid->top) / grid->cell);
    return row * grid->columns + (size_t)((p->x - grid->left) / grid->cell);
}

bool near_sort(near_grid *grid, int32_t radius) {
    if (!grid->count) return true;
    divide_box(grid, radius);
    const size_t cells = (size_t)grid->columns * grid->rows;
    if (cells + 2 > grid->start_room) {
        uint32_t *starts = realloc(grid->starts, 2 * (cells + 2) * sizeof *starts);
        if (!starts) return false;
        grid->starts = starts;
        grid->start_room = 2 * (cells + 2);
    }
    // While points are put into cell c, its place is in starts[c + 1]: at the end that is its end.
    uint32_t *places = grid->starts + 1;
    memset(grid->starts, 0, (cells + 2) * sizeof *grid->starts);
    for (uint32_t i = 0; i < grid->count; ++i)
        ++places[near_cell_of(grid, &grid->unsorted[i]) + 1];
    for (size_t c = 1; c <= cells; ++c)
        places[c] += places[c - 1];
    for (uint32_t i = 0; i < grid->count; ++i)
        grid->points[places[near_cell_of(grid, &grid->unsorted[i])]++] = grid->unsorted[i];
    return true;
}

// Returns the column or row of a distance from the edge: -1 before the first one.
static int64_t part_of_box(int64_t distance, int64_t cell) {
    return distance < 0 ? -1 : distance / cell;
}

near_cells near_cells_of(const near_grid *grid, int32_t x, int32_t y, int32_t radius) {
    near_cells cells = { 0, 0, 0, 0 };
    if (!grid->columns) return cells;
    int64_t left = part_of_box(x - radius - grid->left, grid->cell);
    int64_t right = part_of_box((int64_t)x + radius - grid->left, grid->cell);
    int64_t top = part_of_box(y - radius - grid->top, grid->cell);
    int64_t bottom = part_of_box((int64_t)y + radius - grid->top, grid->cell);
    if (right < 0 || bottom < 0 || left >= grid->columns || top >= grid->rows) return cells;
    left = left < 0 ? 0 : left;
    top = top < 0 ? 0 : top;
    right = right >= grid->columns ? grid->columns - 1 : right;
    bottom = bottom >= grid->rows ? grid->rows - 1 : bottom;
    cells.first_column = (uint32_t)left;
    cells.last_column = (uint32_t)right;
    cells.first_row = (uint32_t)top;
    cells.end_row = (uint32_t)bottom + 1;
    return cells;
}

void near_free(near_grid *grid) {
    free(grid->points);
    free(grid->unsorted);
    free(grid->starts);
    memset(grid, 0, sizeof *grid);
}
