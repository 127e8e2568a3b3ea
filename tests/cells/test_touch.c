// SPDX-License-Identifier: MIT
// What cells feel, against a loop over all of them: in any order, and as much as they push; lengths
// that are exact; springs.
#include "support/test.h"
#include "touch.h"
#include <math.h>

typedef struct cell {
    int32_t x, y, radius;
} cell;

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static int32_t below(uint64_t *state, int32_t end) {
    return (int32_t)(next_random(state) % (uint64_t)end);
}

// Computes what a cell feels, from all others.
static touch_sums plain_sums(const cell *all, uint32_t count, uint32_t own) {
    touch_sums sums = { .count = 0 };
    for (uint32_t i = 0; i < count; ++i) {
        const int64_t x = (int64_t)all[i].x - all[own].x, y = (int64_t)all[i].y - all[own].y;
        const int64_t reach = all[i].radius + all[own].radius,
                      distance = (int64_t)touch_root((uint64_t)(x * x + y * y));
        if (i == own || x * x + y * y >= reach * reach) continue;
        ++sums.count;
        sums.pressure += (uint32_t)(reach - distance);
        const int64_t push = (reach - distance) / 4;
        if (distance) {
            sums.push.x -= (int32_t)(x * push / distance);
            sums.push.y -= (int32_t)(y * push / distance);
        } else sums.push.x -= (int32_t)(i > own ? push : -push);
    }
    return sums;
}

static void compare_with_all(touch_grid *grid, uint32_t count, int32_t side, uint64_t seed) {
    cell all[600];
    for (uint32_t i = 0; i < count; ++i)
        all[i] = (cell){ below(&seed, side), below(&seed, side),
                         TOUCH_BORN + below(&seed, TOUCH_GROWN - TOUCH_BORN) };
    for (int is_backwards = 0; is_backwards < 2; ++is_backwards) {
        touch_clear(grid);
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t k = is_backwards ? count - 1 - i : i;
            assert_true(
                touch_add(grid, all[k].x, all[k].y, (touch_cell){ k, k, all[k].radius, 0 }));
        }
        assert_true(touch_sort(grid));
        int64_t x = 0, y = 0;
        for (uint32_t k = 0; k < count; ++k) {
            const touch_sums expected = plain_sums(all, count, k);
            const touch_sums found = touch_feel(grid, all[k].x, all[k].y, all[k].radius, k);
            assert_int_equal(found.push.x, expected.push.x);
            assert_int_equal(found.push.y, expected.push.y);
            assert_int_equal(found.count, expected.count);
            assert_int_equal(found.pressure, expected.pressure);
            x += found.push.x;
            y += found.push.y;
        }
        assert_int_equal(x, 0); // each pushes as much as it is pushed
        assert_int_equal(y, 0);
    }
}

static void cells_feel_what_a_loop_over_all_says(void **unused) {
    (void)unused;
    static const uint32_t counts[] = { 0, 1, 2, 30, 600 };
    touch_grid grid = { .count = 0 };
    uint64_t seed = 1;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
        for (int32_t side = 1; side < 1 << 28;
             side *= 8) // from a crowd in one place to cells that are alone
            compare_with_all(&grid, counts[i], side, ++seed);
    touch_free(&grid);
    assert_null(grid.cells);
}

static void lengths_are_exact(void **unused) {
    (void)unused;
    uint64_t seed = 7;
    for (int i = 0; i < 200000; ++i) {
        const int32_t most = 1 << (1 + i % 30);
        const touch_way way = { below(&seed, most) - most / 2, below(&seed, most) - most / 2 };
        const uint64_t square = (uint64_t)((int64_t)way.x * way.x + (int64_t)way.y * way.y),
                       length = touch_length(way);
        assert_true(length * length <= square && (length + 1) * (length + 1) > square);
        assert_true(touch_length(touch_shorten(way, TOUCH_FASTEST)) <= TOUCH_FASTEST + 1);
    }
    assert_int_equal(touch_length((touch_way){ 3, -4 }), 5);
}

static void springs_pull_both_ends_alike(void **unused) {
    (void)unused;
    uint64_t seed = 3;
    for (int i = 0; i < 100000; ++i) {
        const touch_way way = { below(&seed, 5000) - 2500, below(&seed, 5000) - 2500 };
        const int32_t rest = below(&seed, 2 * TOUCH_GROWN);
        const touch_way here = touch_pull(way, rest),
                        there = touch_pull((touch_way){ -way.x, -way.y }, rest);
        assert_true(here.x == -there.x && here.y == -there.y);
    }
    assert_int_equal(touch_pull((touch_way){ 1800, 0 }, 1000).x, 100);
    assert_int_equal(touch_pull((touch_way){ 0, 1000 }, 1800).y, -100);
    assert_int_equal(touch_pull((touch_way){ 0, 0 }, 1800).x, 0);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        TEST(cells_feel_what_a_loop_over_all_says, "cells feel what a loop over all says"),
        TEST(lengths_are_exact, "lengths are exact"),
        TEST(springs_pull_both_ends_alike, "springs pull both ends alike"),
    };
    return RUN(tests);
}
