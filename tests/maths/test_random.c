// SPDX-License-Identifier: MIT
// keel_random: PCG32 with its published values, and ranges.
#include "support/test.h"
#include <keel_random.h>
#include <limits.h>

// The first lines of what the demonstration program of pcg-c-basic 0.9 prints for the seed 42 and
// the stream 54.
static void the_published_values(void **state) {
    static const uint32_t published[] = { 0xa15c02b7, 0x7b47f409, 0xba1d3330,
                                          0x83d2f293, 0xbfa4784b, 0xcbed606e };
    (void)state;
    keel_random random = keel_random_begin(42, 54);
    for (size_t i = 0; i < sizeof published / sizeof *published; ++i)
        assert_int_equal(keel_random_next(&random), published[i]);
}

static void streams_and_seeds_differ(void **state) {
    (void)state;
    keel_random a = keel_random_begin(1, 1), b = keel_random_begin(1, 2),
                c = keel_random_begin(2, 1), same = a;
    const uint32_t drawn = keel_random_next(&a);
    assert_int_equal(drawn, keel_random_next(&same));
    assert_int_not_equal(drawn, keel_random_next(&b));
    assert_int_not_equal(drawn, keel_random_next(&c));
    assert_int_not_equal(drawn, keel_random_next(&a));
}

// Of 3 * 2^30 values a plain remainder would give the lower third twice as often.
static void each_number_below_has_the_same_chance(void **state) {
    enum { ROUNDS = 300000 };
    (void)state;
    keel_random random = keel_random_begin(5, 0);
    uint32_t counts[3] = { 0 }, dice[6] = { 0 };
    for (int i = 0; i < ROUNDS; ++i) {
        const uint32_t drawn = keel_random_below(&random, UINT32_C(3) << 30);
        assert_true(drawn < UINT32_C(3) << 30);
        ++counts[drawn >> 30];
        ++dice[keel_random_below(&random, 6)];
    }
    for (int i = 0; i < 3; ++i)
        assert_in_range(counts[i], ROUNDS / 3 - 1500,
                        ROUNDS / 3 + 1500); // almost six standard deviations
    for (int i = 0; i < 6; ++i)
        assert_in_range(dice[i], ROUNDS / 6 - 1200, ROUNDS / 6 + 1200);
}

static void integers_keep_to_their_range(void **state) {
    (void)state;
    keel_random random = keel_random_begin(9, 9);
    bool lowest = false, highest = false, negative = false, positive = false;
    for (int i = 0; i < 1000; ++i) {
        const int32_t few = keel_random_between(&random, -2, 2);
        assert_true(few >= -2 && few <= 2);
        lowest |= few == -2;
        highest |= few == 2;
        const int32_t exchanged = keel_random_between(&random, 3, 1);
        assert_true(exchanged >= 1 && exchanged <= 3);
        assert_int_equal(keel_random_between(&random, 7, 7), 7);
        const int32_t any = keel_random_between(&random, INT32_MIN, INT32_MAX);
        negative |= any < INT32_MIN / 2;
        positive |= any > INT32_MAX / 2;
    }
    assert_true(lowest && highest && negative && positive);
}

static void floats_keep_to_their_range(void **state) {
    (void)state;
    keel_random random = keel_random_begin(10, 3);
    float least = 1, most = 0, sum = 0;
    for (int i = 0; i < 100000; ++i) {
        const float drawn = keel_random_float(&random);
        assert_true(drawn >= 0 && drawn < 1);
        assert_true(drawn * 0x1p24f == (float)(uint32_t)(drawn * 0x1p24f));
        least = drawn < least ? drawn : least;
        most = drawn > most ? drawn : most;
        sum += drawn;
        const float between = keel_random_between_floats(&random, -3e38f, 3e38f);
        assert_true(between >= -3e38f && between <= 3e38f);
    }
    assert_true(least < 0.001f && most > 0.999f);
    assert_true(sum > 49000 && sum < 51000);
}

static void null_and_zero_are_safe(void **state) {
    (void)state;
    keel_random zeros = { 0, 0 };
    assert_int_equal(keel_random_next(NULL), 0);
    assert_int_equal(keel_random_below(NULL, 6), 0);
    assert_int_equal(keel_random_between(NULL, -5, 6), -5);
    assert_true(keel_random_float(NULL) == 0);
    assert_true(keel_random_between_floats(NULL, 2, 3) == 2);
    const keel_random before = zeros;
    assert_int_equal(keel_random_below(&zeros, 0), 0);
    assert_true(before.state == zeros.state);
    assert_int_equal(keel_random_below(&zeros, 1), 0);
    keel_random_next(&zeros);
    assert_int_not_equal(keel_random_next(&zeros), keel_random_next(&zeros));
}

static const struct CMUnitTest tests[] = {
    TEST(the_published_values, "the generator gives the published values of PCG32"),
    TEST(streams_and_seeds_differ, "another seed or stream gives other numbers"),
    TEST(each_number_below_has_the_same_chance, "each number below a bound has the same chance"),
    TEST(integers_keep_to_their_range, "integers keep to their range"),
    TEST(floats_keep_to_their_range, "floats keep to their range"),
    TEST(null_and_zero_are_safe, "a generator that is NULL gives the lowest number"),
};
int main(void) { return RUN(tests); }
