// SPDX-License-Identifier: MIT
// Where cells touch: a grid over them as they are before anybody moves, and how they push each other.
// It knows no world. colony.c fills and asks it in each step.
//
// All numbers are integers. What a cell feels is a sum, so that the order of its neighbours does not
// matter, and one cell pushes another as much as it is pushed.
#pragma once
#include "near.h"

enum {
    TOUCH_BORN = 724,    // radius of a cell that has just divided
    TOUCH_GROWN = 1024,  // radius at which it divides: twice the area
    TOUCH_REACH = 2100,  // how far apart two cells may be that know of each other
    TOUCH_FASTEST = 256, // the longest way of a step
};

// A way on the plane.
typedef struct touch_way {
    int32_t x, y;
} touch_way;

// What a cell feels.
typedef struct touch_sums {
    touch_way push;
    uint32_t count;    // of cells that touch it
    uint32_t pressure; // how deep they are in it, all together
} touch_sums;

// A cell in the grid. `key` is the caller's, and different for each.
typedef struct touch_cell {
    uint64_t entity, key;
    int32_t radius;
    uint32_t kind;
} touch_cell;

typedef struct touch_grid {
    near_grid near; // the tag of a point is its place in `cells`
    touch_cell *cells;
    uint32_t count, room;
} touch_grid;

// Forgets all cells. A grid of zeros is a good one to begin with; memory is kept.
void touch_clear(touch_grid *grid);

// Adds a cell. Returns false when out of memory.
bool touch_add(touch_grid *grid, int32_t x, int32_t y, touch_cell cell);

// Sorts all cells. Returns false when out of memory.
bool touch_sort(touch_grid *grid);

// Returns the root of a square, rounded down.
uint32_t touch_root(uint64_t square);

// Returns the way from one place to another that is up to 2^30 away.
static inline touch_way touch_between(int32_t from_x, int32_t from_y, int32_t x, int32_t y) {
    return (touch_way){ x - from_x, y - from_y };
}

// Returns the length of a way, rounded down.
uint32_t touch_length(touch_way way);

// Shortens a way to at most this length.
touch_way touch_shorten(touch_way way, int32_t most);

// Returns how a spring between two places pulls at the first one.
touch_way touch_pull(touch_way between, int32_t rest);

// Adds up what a cell feels of all others.
touch_sums touch_feel(const touch_grid *grid, int32_t x, int32_t y, int32_t radius, uint64_t key);

// A walk over the cells that touch one. Begin it with touch_begin.
typedef struct touch_walk {
    const touch_grid *grid;
    near_cells cells;
    int32_t x, y, radius;
    uint64_t key;
    uint32_t row, at, end; // what comes next
    touch_way between;     // to the cell that was found
    uint32_t distance;     // its length
} touch_walk;
touch_walk touch_begin(const touch_grid *grid, int32_t x, int32_t y, int32_t radius, uint64_t key);
// Returns the next cell that touches it, or NULL.
const touch_cell *touch_next(touch_walk *walk);

// Frees the memory. The grid is as one of zeros then.
void touch_free(touch_grid *grid);
