// SPDX-License-Identifier: MIT
// A grid over points of a plane: who is near here? The swarm builds one in each frame. It needs neither Keel nor the rest of
// this program: take grid.h and grid.c into yours.
//
// The points are sorted by cell with a counting sort. All points of a cell lie side by side, and so do the cells of a row:
//
//     for (uint32_t k = grid.starts[cell]; k < grid.starts[cell + 1]; ++k)
//         visit(grid.order[k], grid.x[k], grid.y[k]); // the number of the point, and where it is
//
// Within a cell points stand in the order of their numbers. So the result is the same for any number of threads.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// The rectangle that is divided, and how small a cell may be.
typedef struct grid_area {
    float left, top;
    float width, height;
    float cell; // cells are at least so wide and high; they tile the area exactly
} grid_area;

// Runs a piece of a loop: from `begin` to before `end`.
typedef void grid_piece(uint32_t begin, uint32_t end, void *data);

// Runs `piece` for all numbers below `count`, in pieces of `grain` that may run at the same time on several threads. It
// returns when all have ended. `context` is that of grid_build.
typedef void grid_loop(uint32_t count, uint32_t grain, grid_piece *piece, void *data, void *context);

typedef struct grid {
    grid_area area;
    uint32_t columns, rows;
    float cell_width, cell_height;
    uint32_t count;   // points of the last build
    uint32_t *starts; // columns * rows + 1: where in the arrays below a cell begins
    uint32_t *order;  // the numbers of the points, sorted by cell
    float *x, *y;     // where they are, in the same order

    // private
    uint32_t *cells;  // the cell of each point, by its number
    uint32_t *tables; // for each block of points, how many of them are in each cell
    uint32_t point_room, cell_room, table_room;
} grid;

typedef enum grid_result {
    GRID_OK,
    GRID_BAD_AREA, // a size is not a positive number, or there would be more than GRID_MAX_CELLS cells
    GRID_NO_MEMORY,
} grid_result;

enum { GRID_MAX_CELLS = 1 << 22, GRID_MAX_POINTS = 1 << 28 };

// Sorts `count` points into the cells of `area`. A grid of zeros is a good one to begin with; memory is kept for the next
// build. Points outside of the area are sorted into the nearest cell, those that are no numbers (NaN) into the first one.
// `loop` is NULL for one thread. After an error the grid holds no points, and can be built again.
grid_result grid_build(grid *g, const grid_area *area, uint32_t count, const float *x, const float *y, grid_loop *loop,
                       void *context);

// Returns the cell of a place: row * columns + column. A place outside of the area has the nearest cell.
uint32_t grid_cell_of(const grid *g, float x, float y);

// Returns what a result means, as a sentence.
const char *grid_explain(grid_result result);

// Frees the memory. The grid is as one of zeros then.
void grid_free(grid *g);
