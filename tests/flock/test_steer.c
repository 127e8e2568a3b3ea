// SPDX-License-Identifier: MIT
// What boids see, against a loop over all of them; lengths that are exact; turns that do not depend
// on the order, and crowds.
#include "steer.h"
#include "support/test.h"
#include <math.h>

typedef struct boid {
    int32_t x, y;
    steer_way way;
} boid;

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static int32_t below(uint64_t *state, int32_t end) {
    return (int32_t)(next_random(state) % (uint64_t)end);
}

static boid random_boid(uint64_t *state, int32_t side) {
    const steer_way way = { below(state, 2 * BOIDS_FASTEST) - BOIDS_FASTEST,
                            below(state, 2 * BOIDS_FASTEST) - BOIDS_FASTEST };
    return (boid){ below(state, side), below(state, side), steer_keep_speed(way) };
}

// Computes the turn of a boid by the three rules, from all others.
static steer_way plain_turn(const boid *all, uint32_t count, const boid *own) {
    const int64_t reach = BOIDS_REACH, close = reach * 5 / 8, part = 1 << 24;
    int64_t seen = 0, x = 0, y = 0, way_x = 0, way_y = 0, away_x = 0, away_y = 0;
    for (const boid *b = all; b < all + count; ++b) {
        const int64_t dx = (int64_t)b->x - own->x, dy = (int64_t)b->y - own->y,
                      square = dx * dx + dy * dy;
        if (b == own || square > reach * reach) continue;
        ++seen;
        x += dx;
        y += dy;
        way_x += b->way.x;
        way_y += b->way.y;
        const int64_t distance =
            (int64_t)sqrt((double)(square / part * part + part / 2)); // of 256 squares
        if (distance < close) away_x -= dx * (1024 * (close - distance) / distance);
        if (distance < close) away_y -= dy * (1024 * (close - distance) / distance);
    }
    if (!seen) return (steer_way){ 0, 0 };
    const int64_t turn_x = (way_x / seen - own->way.x) / 8 + x / seen / 128 + away_x / 65536;
    const int64_t turn_y = (way_y / seen - own->way.y) / 8 + y / seen / 128 + away_y / 65536;
    return steer_shorten((steer_way){ (int32_t)turn_x, (int32_t)turn_y }, BOIDS_TURN);
}

static void compare_with_all(steer_sight *sight, uint32_t count, int32_t side, uint64_t seed) {
    boid all[600];
    for (uint32_t i = 0; i < count; ++i)
        all[i] = random_boid(&seed, side);
    for (int is_backwards = 0; is_backwards < 2; ++is_backwards) {
        steer_clear(sight);
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t k = is_backwards ? count - 1 - i : i;
            assert_true(steer_add(sight, all[k].x, all[k].y, all[k].way, k % 5 ? k : STEER_BLIND));
        }
        assert_true(steer_sort(sight));
        for (uint32_t row = 0; row < sight->grid.rows; ++row)
            steer_rows(sight, row, row + 1);
        for (uint32_t k = 0; k < count; ++k) {
            if (k % 5 == 0) continue; // it is seen, but does not see
            const steer_way expected = plain_turn(all, count, &all[k]);
            assert_int_equal(sight->turns[k].x, expected.x);
            assert_int_equal(sight->turns[k].y, expected.y);
        }
    }
}

static void turns_are_those_of_a_loop_over_all(void **unused) {
    (void)unused;
    static const uint32_t counts[] = { 0, 1, 2, 30, 600 };
    steer_sight sight = { 0 };
    uint64_t seed = 1;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
        for (int32_t side = 1; side < 1 << 30;
             side *= 8) // from a crowd in one place to boids that are alone
            compare_with_all(&sight, counts[i], side, ++seed);
    steer_free(&sight);
    assert_null(sight.turns);
}

static void lengths_are_exact(void **unused) {
    (void)unused;
    uint64_t seed = 7;
    for (int i = 0; i < 200000; ++i) {
        const int32_t most = 1 << (1 + i % 30);
        const steer_way way = { below(&seed, most) - most / 2, below(&seed, most) - most / 2 };
        const uint64_t square = (uint64_t)((int64_t)way.x * way.x + (int64_t)way.y * way.y);
        const uint64_t length = steer_length(way);
        assert_true(length * length <= square && (length + 1) * (length + 1) > square);
    }
    assert_int_equal(steer_length((steer_way){ 3, -4 }), 5);
    assert_int_equal(steer_length((steer_way){ 0, 0 }), 0);
    assert_int_equal(steer_length((steer_way){ INT32_MIN, INT32_MIN }), 3037000499u);
}

static void no_boid_is_too_slow_or_too_fast(void **unused) {
    (void)unused;
    uint64_t seed = 3;
    assert_int_equal(steer_keep_speed((steer_way){ 0, 0 }).x, BOIDS_SLOWEST);
    for (int i = 0; i < 100000; ++i) {
        const int32_t most = 2 << i % 15;
        const steer_way way = { below(&seed, most) - most / 2, below(&seed, most) - most / 2 };
        const uint32_t length = steer_length(steer_keep_speed(way));
        assert_true(length + 2 >= BOIDS_SLOWEST); // both parts are rounded to zero
        assert_true(length <= BOIDS_FASTEST + BOIDS_FASTEST / 500); // the length was rounded down
        assert_true(steer_length(steer_shorten(way, BOIDS_TURN)) <= BOIDS_TURN + 1);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        TEST(turns_are_those_of_a_loop_over_all, "turns are those of a loop over all"),
        TEST(lengths_are_exact, "lengths are exact"),
        TEST(no_boid_is_too_slow_or_too_fast, "no boid is too slow or too fast"),
    };
    return RUN(tests);
}
