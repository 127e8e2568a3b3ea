// SPDX-License-Identifier: MIT
// The grid of the swarm against brute force: every point is in its cell, in the order of its
// number, whoever built it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
// cmocka wants those above first
#include "grid.h"
#include <cmocka.h>

enum { MOST = 40000 };

static float xs[MOST], ys[MOST];

static uint32_t random_state = 1;
static float random_float(float least, float most) {
    random_state = random_state * 1664525u + 1013904223u;
    return least + (most - least) * (float)(random_state >> 8) / 16777216.0f;
}

// Places points, some of them outside of 200 x 100.
static void scatter(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        xs[i] = random_float(-10, 210);
        ys[i] = random_float(-10, 110);
    }
}

// Runs the pieces of a loop from the last to the first, as threads may.
static void backwards(uint32_t count, uint32_t grain, grid_piece *piece, void *data,
                      void *context) {
    ++*(uint32_t *)context;
    for (uint32_t end = count; end > 0;) {
        const uint32_t begin = end > grain ? end - grain : 0;
        piece(begin, end, data);
        end = begin;
    }
}

// The cell of a place by comparisons with the edges of cells, without a division.
static bool is_in_cell(const grid *g, uint32_t cell, float x, float y) {
    const uint32_t column = cell % g->columns, row = cell / g->columns;
    const float slack = 1e-3f; // who lies on an edge may be on either side
    const float left = g->area.left + (float)column * g->cell_width,
                top = g->area.top + (float)row * g->cell_height;
    return (column == 0 || x >= left - slack) &&
           (column + 1 == g->columns || x <= left + g->cell_width + slack) &&
           (row == 0 || y >= top - slack) &&
           (row + 1 == g->rows || y <= top + g->cell_height + slack);
}

static void check(const grid *g, uint32_t count) {
    bool *seen = test_calloc(count + 1, sizeof *seen);
    const uint32_t cells = g->columns * g->rows;
    assert_int_equal(g->count, count);
    assert_int_equal(g->starts[0], 0);
    assert_int_equal(g->starts[cells], count);
    for (uint32_t cell = 0; cell < cells; ++cell) {
        assert_true(g->starts[cell] <= g->starts[cell + 1]);
        for (uint32_t k = g->starts[cell]; k < g->starts[cell + 1]; ++k) {
            const uint32_t number = g->order[k];
            assert_true(number < count && !seen[number]);
            seen[number] = true;
            if (k > g->starts[cell]) assert_true(g->order[k - 1] < number);
            assert_true(g->x[k] == xs[number] && g->y[k] == ys[number]);
            assert_true(is_in_cell(g, cell, xs[number], ys[number]));
            assert_int_equal(grid_cell_of(g, xs[number], ys[number]), cell);
        }
    }
    test_free(seen);
}

static const grid_area area = { 0, 0, 200, 100, 6 };

static void every_point_is_in_its_cell(void **state) {
    (void)state;
    grid g = { 0 };
    static const uint32_t counts[] = { 0, 1, 7, 5000, 300, MOST };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        scatter(counts[i]);
        assert_int_equal(grid_build(&g, &area, counts[i], xs, ys, NULL, NULL), GRID_OK);
        assert_true(g.columns == 33 && g.rows == 16 && g.cell_width >= 6 && g.cell_height >= 6);
        check(&g, counts[i]);
    }
    grid_free(&g);
}

static void neighbours_are_those_that_brute_force_finds(void **state) {
    (void)state;
    grid g = { 0 };
    enum { COUNT = 600 };
    for (uint32_t i = 0; i < COUNT; ++i) {
        xs[i] = random_float(0, 200);
        ys[i] = random_float(0, 100);
    }
    assert_int_equal(grid_build(&g, &area, COUNT, xs, ys, NULL, NULL), GRID_OK);
    uint32_t all = 0;
    for (uint32_t i = 0; i < COUNT; ++i) {
        uint32_t wanted = 0, found = 0;
        for (uint32_t j = 0; j < COUNT; ++j)
            wanted += (xs[i] - xs[j]) * (xs[i] - xs[j]) + (ys[i] - ys[j]) * (ys[i] - ys[j]) <
                      area.cell * area.cell;
        const int cell = (int)grid_cell_of(&g, xs[i], ys[i]), row = cell / (int)g.columns,
                  column = cell % (int)g.columns;
        for (int r = row - 1; r <= row + 1; ++r)
            for (int c = column - 1; c <= column + 1; ++c) {
                if (r < 0 || c < 0 || r >= (int)g.rows || c >= (int)g.columns) continue;
                const uint32_t near = (uint32_t)r * g.columns + (uint32_t)c;
                for (uint32_t k = g.starts[near]; k < g.starts[near + 1]; ++k)
                    found +=
                        (xs[i] - g.x[k]) * (xs[i] - g.x[k]) + (ys[i] - g.y[k]) * (ys[i] - g.y[k]) <
                        area.cell * area.cell;
            }
        assert_int_equal(found, wanted);
        all += found;
    }
    assert_true(all > COUNT * 2); // there were neighbours to find
    grid_free(&g);
}

static void the_order_of_pieces_does_not_count(void **state) {
    (void)state;
    grid one = { 0 }, many = { 0 };
    uint32_t loops = 0;
    scatter(MOST);
    assert_int_equal(grid_build(&one, &area, MOST, xs, ys, NULL, NULL), GRID_OK);
    assert_int_equal(grid_build(&many, &area, MOST, xs, ys, backwards, &loops), GRID_OK);
    assert_int_equal(loops, 2); // it was built in blocks
    check(&many, MOST);
    assert_memory_equal(one.order, many.order, MOST * sizeof *one.order);
    assert_memory_equal(one.starts, many.starts, (one.columns * one.rows + 1) * sizeof *one.starts);
    grid_free(&one);
    grid_free(&many);
}

static void what_is_no_number_is_in_the_first_cell(void **state) {
    (void)state;
    grid g = { 0 };
    const float x[] = { NAN, 50, INFINITY, -INFINITY, 1e30f, NAN },
                y[] = { 50, NAN, INFINITY, -INFINITY, -1e30f, NAN };
    assert_int_equal(grid_build(&g, &area, 6, x, y, NULL, NULL), GRID_OK);
    assert_int_equal(g.starts[g.columns * g.rows], 6);
    assert_int_equal(grid_cell_of(&g, NAN, NAN), 0);
    assert_int_equal(grid_cell_of(&g, INFINITY, INFINITY), g.columns * g.rows - 1);
    assert_int_equal(grid_cell_of(&g, -INFINITY, -INFINITY), 0);
    assert_int_equal(g.starts[1], 2); // the last of the six, and the one at minus infinity
    grid_free(&g);
}

static void bad_areas_are_refused(void **state) {
    (void)state;
    static const grid_area bad[] = {
        { 0, 0, 200, 100, 0 },      { 0, 0, 200, 100, -1 },     { 0, 0, 0, 100, 6 },
        { 0, 0, 200, -5, 6 },       { 0, 0, 200, 100, NAN },    { 0, 0, NAN, 100, 6 },
        { 0, 0, INFINITY, 100, 6 }, { NAN, 0, 200, 100, 6 },    { 0, -INFINITY, 20, 10, 6 },
        { 0, 0, 1e6f, 1e6f, 1 },    { 0, 0, 1e20f, 1, 1e-20f },
    };
    grid g = { 0 };
    scatter(100);
    assert_int_equal(grid_build(&g, &area, 100, xs, ys, NULL, NULL), GRID_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        assert_int_equal(grid_build(&g, &bad[i], 100, xs, ys, NULL, NULL), GRID_BAD_AREA);
        assert_true(g.count == 0 && g.columns == 0 && g.rows == 0);
    }
    assert_int_equal(grid_build(&g, &area, 100, xs, ys, NULL, NULL), GRID_OK);
    check(&g, 100);
    assert_non_null(strstr(grid_explain(GRID_BAD_AREA), "positive"));
    assert_non_null(strstr(grid_explain(GRID_NO_MEMORY), "memory"));
    grid_free(&g);
}

static void a_cell_may_be_larger_than_the_area(void **state) {
    (void)state;
    grid g = { 0 };
    scatter(50);
    assert_int_equal(grid_build(&g, &(grid_area){ 0, 0, 200, 100, 1e9f }, 50, xs, ys, NULL, NULL),
                     GRID_OK);
    assert_true(g.columns == 1 && g.rows == 1 && g.starts[1] == 50);
    grid_free(&g);
}

#ifdef SWARM_WRAPS_MALLOC
static int allocations_left = -1; // -1: as many as one likes
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size) {
    if (allocations_left == 0) return NULL;
    if (allocations_left > 0) --allocations_left;
    return __real_malloc(size);
}

static void without_memory_the_grid_is_empty_and_can_be_built_again(void **state) {
    (void)state;
    scatter(5000);
    for (int left = 0; left < 6; ++left) { // it allocates six arrays
        grid g = { 0 };
        allocations_left = left;
        const grid_result result = grid_build(&g, &area, 5000, xs, ys, NULL, NULL);
        allocations_left = -1;
        assert_int_equal(result, GRID_NO_MEMORY);
        assert_true(g.count == 0 && g.columns == 0);
        assert_int_equal(grid_build(&g, &area, 5000, xs, ys, NULL, NULL), GRID_OK);
        check(&g, 5000);
        grid_free(&g);
    }
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_point_is_in_its_cell),
        cmocka_unit_test(neighbours_are_those_that_brute_force_finds),
        cmocka_unit_test(the_order_of_pieces_does_not_count),
        cmocka_unit_test(what_is_no_number_is_in_the_first_cell),
        cmocka_unit_test(bad_areas_are_refused),
        cmocka_unit_test(a_cell_may_be_larger_than_the_area),
#ifdef SWARM_WRAPS_MALLOC
        cmocka_unit_test(without_memory_the_grid_is_empty_and_can_be_built_again),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
