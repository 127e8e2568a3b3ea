// SPDX-License-Identifier: MIT
// The counting sort of grid.h. Points are cut into blocks. Each block counts its points by cell, one pass turns the counts into
// places, and each block moves its points there.
// The sort is stable, so neither the number of blocks nor that of threads can be seen in the result.
#include "grid.h"
#include <stdlib.h>
#include <string.h>

enum { MIN_BLOCK = 8192, MAX_BLOCKS = 4 };

typedef struct build {
    grid *grid;
    const float *x, *y;
    uint32_t block; // points in a block
    uint32_t cell_count;
    float per_width, per_height; // cells in a unit of length
} build;

// Returns the column or row of a distance from the edge. The comparison is false for NaN, so that it becomes 0.
static uint32_t part_of(float distance, float per_unit, uint32_t count) {
    const float part = distance * per_unit;
    if (!(part > 0)) return 0;
    return part >= (float)count ? count - 1 : (uint32_t)part;
}

static uint32_t cell_of(const build *b, float x, float y) {
    const grid *g = b->grid;
    return part_of(y - g->area.top, b->per_height, g->rows) * g->columns + part_of(x - g->area.left, b->per_width, g->columns);
}

uint32_t grid_cell_of(const grid *g, float x, float y) {
    return part_of(y - g->area.top, 1 / g->cell_height, g->rows) * g->columns +
           part_of(x - g->area.left, 1 / g->cell_width, g->columns);
}

// Notes the cell of each point of some blocks, and counts the points of each cell.
static void count_blocks(uint32_t begin, uint32_t end, void *data) {
    const build *b = data;
    grid *g = b->grid;
    for (uint32_t block = begin; block < end; ++block) {
        uint32_t *table = g->tables + (size_t)block * b->cell_count;
        const uint32_t first = block * b->block;
        const uint32_t last = g->count - first < b->block ? g->count : first + b->block;
        memset(table, 0, b->cell_count * sizeof *table);
        for (uint32_t i = first; i < last; ++i) {
            const uint32_t cell = cell_of(b, b->x[i], b->y[i]);
            g->cells[i] = cell;
            ++table[cell];
        }
    }
}

// Turns counts into places: by cell, and within a cell by block.
static void sum_up(const build *b, uint32_t block_count) {
    grid *g = b->grid;
    uint32_t sum = 0;
    for (uint32_t cell = 0; cell < b->cell_count; ++cell) {
        g->starts[cell] = sum;
        for (uint32_t block = 0; block < block_count; ++block) {
            uint32_t *count = &g->tables[(size_t)block * b->cell_count + cell];
            const uint32_t here = *count;
            *count = sum;
            sum += here;
        }
    }
    g->starts[b->cell_count] = sum;
}

// Moves the points of some blocks to their places.
static void move_blocks(uint32_t begin, uint32_t end, void *data) {
    const build *b = data;
    grid *g = b->grid;
    for (uint32_t block = begin; block < end; ++block) {
        uint32_t *next = g->tables + (size_t)block * b->cell_count;
        const uint32_t first = block * b->block;
        const uint32_t last = g->count - first < b->block ? g->count : first + b->block;
        for (uint32_t i = first; i < last; ++i) {
            const uint32_t place = next[g->cells[i]]++;
            g->order[place] = i;
            g->x[place] = b->x[i];
            g->y[place] = b->y[i];
        }
    }
}

// Makes room for `count` values of four bytes. What was in the array is lost.
static bool make_room(void *array, uint32_t count) {
    void *old, *new = malloc((size_t)count * 4);
    if (!new) return false;
    memcpy(&old, array, sizeof old);
    free(old);
    memcpy(array, &new, sizeof new);
    return true;
}

static bool make_rooms(grid *g, uint32_t points, uint32_t cells, uint32_t tables) {
    if (points > g->point_room) {
        g->point_room = 0;
        if (!make_room(&g->order, points) || !make_room(&g->x, points) || !make_room(&g->y, points) ||
            !make_room(&g->cells, points))
            return false;
        g->point_room = points;
    }
    if (cells + 1 > g->cell_room) {
        g->cell_room = 0;
        if (!make_room(&g->starts, cells + 1)) return false;
        g->cell_room = cells + 1;
    }
    if (tables > g->table_room) {
        g->table_room = 0;
        if (!make_room(&g->tables, tables)) return false;
        g->table_room = tables;
    }
    return true;
}

// Divides the area into cells.
static bool divide(grid *g, const grid_area *area) {
    const float largest = 1e30f; // comparisons with NaN are false
    if (!(area->width > 0 && area->width < largest && area->height > 0 && area->height < largest && area->cell > 0)) return false;
    if (!(area->left > -largest && area->left < largest && area->top > -largest && area->top < largest)) return false;
    const float wide = area->width / area->cell, high = area->height / area->cell;
    if (!(wide < GRID_MAX_CELLS && high < GRID_MAX_CELLS)) return false;
    const uint32_t columns = wide >= 1 ? (uint32_t)wide : 1, rows = high >= 1 ? (uint32_t)high : 1;
    if ((uint64_t)columns * rows > GRID_MAX_CELLS) return false;
    g->area = *area;
    g->columns = columns;
    g->rows = rows;
    g->cell_width = area->width / (float)columns;
    g->cell_height = area->height / (float)rows;
    return true;
}

grid_result grid_build(grid *g, const grid_area *area, uint32_t count, const float *x, const float *y, grid_loop *loop,
                       void *context) {
    g->count = 0;
    g->columns = g->rows = 0;
    if (!divide(g, area)) return GRID_BAD_AREA;
    const uint32_t cell_count = g->columns * g->rows;
    // Each block has a table of all cells, which is worth it when it has more points than cells / 2.
    uint32_t block_count = count / (MIN_BLOCK > cell_count / 2 ? MIN_BLOCK : cell_count / 2);
    if (block_count > MAX_BLOCKS) block_count = MAX_BLOCKS;
    if (block_count < 1 || !loop) block_count = 1;
    if (count > GRID_MAX_POINTS || !make_rooms(g, count, cell_count, cell_count * block_count)) {
        g->columns = g->rows = 0;
        return GRID_NO_MEMORY;
    }
    g->count = count;
    build b = { g, x, y, (count + block_count - 1) / block_count, cell_count, 1 / g->cell_width, 1 / g->cell_height };
    if (loop && block_count > 1) loop(block_count, 1, count_blocks, &b, context);
    else count_blocks(0, block_count, &b);
    sum_up(&b, block_count);
    if (loop && block_count > 1) loop(block_count, 1, move_blocks, &b, context);
    else move_blocks(0, block_count, &b);
    return GRID_OK;
}

const char *grid_explain(grid_result result) {
    switch (result) {
    case GRID_OK:
        return "the grid is built";
    case GRID_BAD_AREA:
        return "width, height and cell of a grid are positive numbers, and make 4,194,304 cells at most";
    default:
        return "there is no memory for the grid: take fewer points or larger cells";
    }
}

void grid_free(grid *g) {
    free(g->starts);
    free(g->order);
    free(g->x);
    free(g->y);
    free(g->cells);
    free(g->tables);
    memset(g, 0, sizeof *g);
}
