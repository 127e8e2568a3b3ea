// SPDX-License-Identifier: MIT
// Cells that touch, in the grid of near.h. colony.c calls it.
#include "touch.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- lengths ------------------------------------------------------------------------------------

uint32_t touch_root(uint64_t square) {
    uint64_t root = (uint64_t)sqrt((double)square); // near enough on every machine; the loops make it exact
    while (root * root > square)
        --root;
    while ((root + 1) * (root + 1) <= square)
        ++root;
    return (uint32_t)root;
}

static uint64_t square_of(touch_way way) {
    return (uint64_t)((int64_t)way.x * way.x + (int64_t)way.y * way.y);
}

uint32_t touch_length(touch_way way) { return touch_root(square_of(way)); }

// Returns a way in the same direction. Both parts are rounded to zero, so that the way back is its
// opposite.
static touch_way in_direction(touch_way way, int64_t wanted, uint32_t length) {
    if (!length) return (touch_way){ 0, 0 };
    return (touch_way){ (int32_t)(way.x * wanted / (int64_t)length), (int32_t)(way.y * wanted / (int64_t)length) };
}

touch_way touch_shorten(touch_way way, int32_t most) {
    const uint32_t length = touch_length(way);
    return length > (uint32_t)most ? in_direction(way, most, length) : way;
}

touch_way touch_pull(touch_way between, int32_t rest) {
    const uint32_t length = touch_length(between);
    return in_direction(between, ((int64_t)length - rest) / 8, length);
}

// ---- walks --------------------------------------------------------------------------------------

static void begin_row(touch_walk *w) {
    const near_grid *near = &w->grid->near;
    const uint32_t *starts = near->starts + (size_t)w->row * near->columns;
    w->at = starts[w->cells.first_column];
    w->end = starts[w->cells.last_column + 1];
}

touch_walk touch_begin(const touch_grid *grid, int32_t x, int32_t y, int32_t radius, uint64_t key) {
    touch_walk w = { .grid = grid, .x = x, .y = y, .radius = radius, .key = key };
    w.cells = near_cells_of(&grid->near, x, y, radius + TOUCH_GROWN);
    w.row = w.cells.first_row;
    if (w.row < w.cells.end_row) begin_row(&w);
    return w;
}

const touch_cell *touch_next(touch_walk *w) {
    for (; w->row < w->cells.end_row; begin_row(w)) {
        while (w->at < w->end) {
            const near_point *p = &w->grid->near.points[w->at++];
            const touch_cell *cell = &w->grid->cells[p->tag];
            const touch_way between = touch_between(w->x, w->y, p->x, p->y);
            const uint64_t square = square_of(between), reach = (uint64_t)w->radius + (uint64_t)cell->radius;
            if (square >= reach * reach || cell->key == w->key) continue;
            w->between = between;
            w->distance = touch_root(square);
            return cell;
        }
        if (++w->row == w->cells.end_row) break;
    }
    return NULL;
}

touch_sums touch_feel(const touch_grid *grid, int32_t x, int32_t y, int32_t radius, uint64_t key) {
    touch_sums sums = { .count = 0 };
    touch_walk w = touch_begin(grid, x, y, radius, key);
    for (const touch_cell *other; (other = touch_next(&w)) != NULL;) {
        const int32_t depth = radius + other->radius - (int32_t)w.distance;
        // two at one place have no direction: the keys tell who goes where
        const touch_way away = w.distance ? w.between : (touch_way){ other->key > key ? 1 : -1, 0 };
        const touch_way push = in_direction(away, depth / 4, w.distance ? w.distance : 1);
        sums.push.x -= push.x;
        sums.push.y -= push.y;
        sums.pressure += (uint32_t)depth;
        ++sums.count;
    }
    return sums;
}

// ---- filling ------------------------------------------------------------------------------------

void touch_clear(touch_grid *grid) {
    near_clear(&grid->near);
    grid->count = 0;
}

bool touch_add(touch_grid *grid, int32_t x, int32_t y, touch_cell cell) {
    if (grid->count == grid->room) {
        const uint32_t room = grid->room ? 2 * grid->room : 1024;
        touch_cell *cells = realloc(grid->cells, room * sizeof *cells);
        if (!cells) return false;
        grid->cells = cells;
        grid->room = room;
    }
    grid->cells[grid->count] = cell;
    return near_add(&grid->near, (near_point){ x, y, grid->count++ });
}

bool touch_sort(touch_grid *grid) { return near_sort(&grid->near, 2 * TOUCH_GROWN); }

void touch_free(touch_grid *grid) {
    near_free(&grid->near);
    free(grid->cells);
    memset(grid, 0, sizeof *grid);
}
