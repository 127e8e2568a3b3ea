// SPDX-License-Identifier: MIT
// The grid of the epidemic finds the same people as a loop over all of them.
#include "near.h"
#include "support/test.h"

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static bool is_near(const near_point *p, int32_t x, int32_t y, int32_t radius) {
    const int64_t dx = (int64_t)p->x - x, dy = (int64_t)p->y - y;
    return dx * dx + dy * dy <= (int64_t)radius * radius;
}

// Returns the sum of the ids of those who are near a place, and how many there are.
static uint64_t find_near(const near_grid *grid, int32_t x, int32_t y, int32_t radius,
                          uint32_t *count) {
    const near_cells cells = near_cells_of(grid, x, y, radius);
    uint64_t sum = 0;
    *count = 0;
    for (uint32_t row = cells.first_row; row < cells.end_row; ++row) {
        const uint32_t *starts = grid->starts + (size_t)row * grid->columns;
        for (uint32_t i = starts[cells.first_column]; i < starts[cells.last_column + 1]; ++i) {
            if (!is_near(&grid->points[i], x, y, radius)) continue;
            sum += grid->points[i].tag;
            ++*count;
        }
    }
    return sum;
}

static void compare_with_all(near_grid *grid, uint32_t people, int32_t side, int32_t radius,
                             uint64_t seed) {
    near_point all[500];
    near_clear(grid);
    for (uint32_t i = 0; i < people; ++i) {
        const int32_t x = (int32_t)(next_random(&seed) % (uint64_t)side),
                      y = (int32_t)(next_random(&seed) % (uint64_t)side);
        all[i] = (near_point){ x, y, next_random(&seed) };
        assert_true(near_add(grid, all[i]));
    }
    assert_true(near_sort(grid, radius));
    for (int k = 0; k < 300; ++k) {
        const int32_t x = (int32_t)(next_random(&seed) % (uint64_t)side),
                      y = (int32_t)(next_random(&seed) % (uint64_t)side);
        uint64_t expected = 0;
        uint32_t expected_count = 0, count = 0;
        for (uint32_t i = 0; i < people; ++i) {
            if (!is_near(&all[i], x, y, radius)) continue;
            expected += all[i].tag;
            ++expected_count;
        }
        assert_true(find_near(grid, x, y, radius, &count) == expected);
        assert_int_equal(count, expected_count);
    }
}

static void the_grid_finds_who_is_near(void **unused) {
    (void)unused;
    static const int32_t sides[] = { 1, 2, 1000, 1 << 30 };
    static const uint32_t people[] = { 0, 1, 2, 40, 500 };
    near_grid grid = { 0 };
    uint64_t seed = 1;
    for (size_t s = 0; s < sizeof sides / sizeof *sides; ++s)
        for (size_t n = 0; n < sizeof people / sizeof *people; ++n)
            for (int divisor = 2; divisor <= 2000; divisor *= 10)
                compare_with_all(&grid, people[n], sides[s], sides[s] / divisor, ++seed);
    near_free(&grid);
    assert_null(grid.points);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        TEST(the_grid_finds_who_is_near, "the grid finds who is near"),
    };
    return RUN(tests);
}
