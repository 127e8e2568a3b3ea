// SPDX-License-Identifier: MIT
// keel::maths rounds correctly: samples of each function beside MPFR. tests/maths/every_float.c
// compares all floats.
#include "arguments.h"
#include "oracle.h"
#include "support/test.h"
#include <keel_maths.h>
#include <math.h>

enum { RANDOM = 100000, EXACT = 8 }; // of so many random arguments, one goes to MPFR in any case

static uint64_t compared, asked;

static void compare(const maths_function *function, float x, float y, bool is_exact) {
    const float ours = oracle_ours(function, x, y);
    const float right =
        is_exact ? oracle_exact(function, x, y) : oracle_quick(function, x, y, &asked);
    ++compared;
    asked += is_exact;
    if (oracle_agrees(ours, right)) return;
    fail_msg("%s(%a, %a) is %a, not %a", function->name, (double)x, (double)y, (double)right,
             (double)ours);
}

static void compare_random(const maths_function *function) {
    uint64_t state = 7;
    const uint32_t rounds = test_rounds(RANDOM);
    for (uint32_t i = 0; i < rounds; ++i) {
        const float x = argument_random(&state, i), y = argument_random(&state, i);
        compare(function, x, y, i % EXACT == 0);
    }
}

static void compare_special(const maths_function *function) {
    const uint32_t stride = function->two ? (uint32_t)test_stride() : 1;
    for (uint32_t i = 0; i < ARGUMENT_SPECIALS; ++i)
        for (uint32_t k = i % stride; k < (function->two ? ARGUMENT_SPECIALS : 1); k += stride)
            compare(function, argument_special(i), argument_special(k), true);
}

static const maths_function *function_named(const char *name) {
    for (size_t i = 0; i < maths_function_count; ++i)
        if (!strcmp(maths_functions[i].name, name)) return &maths_functions[i];
    fail_msg("no function %s", name);
    return NULL;
}

static void random_arguments(void **state) {
    (void)state;
    for (size_t i = 0; i < maths_function_count; ++i)
        compare_random(&maths_functions[i]);
}

static void special_arguments(void **state) {
    (void)state;
    for (size_t i = 0; i < maths_function_count; ++i)
        compare_special(&maths_functions[i]);
}

static void beside_multiples_of_a_quarter_turn(void **state) {
    static const char *const names[] = { "sinf", "cosf", "tanf" };
    (void)state;
    uint64_t random = 3;
    for (uint32_t i = 0; i < 30000; ++i) {
        const double quarters = i < 10000 ? i : (double)(argument_next(&random) >> (i % 50 + 10));
        const float near = (float)(quarters * 1.57079632679489661923);
        for (int k = -1; k <= 1; ++k)
            for (int n = 0; n < 3; ++n)
                compare(function_named(names[n]), oracle_float(oracle_bits(near) + (uint32_t)k), 0,
                        false);
    }
}

static void where_powers_overflow_and_underflow(void **state) {
    static const double ends[] = { 88.722839, -87.336544, -103.278929, -103.972077, 88.0, -103.0 };
    (void)state;
    uint64_t random = 4;
    for (uint32_t i = 0; i < 30000; ++i) {
        const double end = ends[i % 6];
        compare(
            function_named("expf"),
            oracle_float(oracle_bits((float)end) + (uint32_t)(argument_next(&random) % 64) - 32), 0,
            i % 8 == 0);
        const float x = argument_random(&random, 2 | (i & 1));
        const float y = (float)(end / log(fabs((double)x)));
        compare(function_named("powf"), x, y, i % 8 == 0);
        compare(function_named("powf"), fabsf(x),
                oracle_float(oracle_bits(y) + (uint32_t)(argument_next(&random) % 8)), i % 8 == 0);
    }
}

// odd^n * 2^e with 25 bits lies just between two floats, and so does any odd number of units of
// 2^-150.
static void powers_between_two_floats(void **state) {
    const maths_function *powf_ = function_named("powf");
    (void)state;
    for (uint32_t odd = 1; odd < 8192; odd += 2)
        for (int e = -75; e <= 60; e += odd < 64 ? 1 : 15) {
            const float x = ldexpf((float)odd, e);
            for (int n = -4; n <= 8; ++n)
                compare(powf_, n & 1 ? x : -x, (float)n, n == 2);
        }
    for (uint32_t root = 1; root < 64; ++root) // x is a square, a fourth or an eighth power
        for (int e = -16; e <= 16; ++e)
            for (int n = -31; n <= 31; n += 2) {
                const double base = ldexp(root, e);
                compare(powf_, (float)(base * base), (float)n / 2, true);
                if (root < 32)
                    compare(powf_, (float)(base * base * base * base), (float)n / 4, true);
                if (root < 8) compare(powf_, (float)pow(base, 8), (float)n / 8, true);
            }
    for (int e = -149; e < 128; ++e) // powers of two, also those of 2^-150 and below
        for (int n = -300; n <= 300; ++n)
            compare(powf_, ldexpf(1, e), (float)n / 4, true);
}

// Pythagorean triples whose third number has 25 bits, and small ones in the subnormal range.
static void distances_between_two_floats(void **state) {
    const maths_function *hypotf_ = function_named("hypotf");
    (void)state;
    uint64_t random = 5;
    for (uint32_t i = 0; i < 100000; ++i) {
        const uint64_t bits = argument_next(&random);
        const uint32_t m = (uint32_t)(bits & 0x1fff), n = (uint32_t)(bits >> 20 & 0x1fff);
        const uint32_t right = m > n ? m * m - n * n : n * n - m * m, up = 2 * m * n;
        const int e = (int)(bits >> 40 & 0xff) - 149;
        if (right >> 24 && (right & ((1u << (right >> 25 ? 2 : 1)) - 1))) continue; // not a float
        compare(hypotf_, ldexpf((float)right, e), ldexpf((float)up, e), i % EXACT == 0);
        compare(hypotf_, oracle_float((uint32_t)bits & 0xffffff),
                oracle_float((uint32_t)(bits >> 32) & 0xffffff), i % EXACT == 0);
    }
}

static void cubes_and_squares(void **state) {
    (void)state;
    for (uint32_t n = 1; n < 65536; ++n) {
        const int e = (int)(n % 30) * 3 - 100;
        const float square = ldexpf((float)n * (float)n, 2 * e / 3),
                    cube = ldexpf((float)n * (float)n * (float)n, e);
        compare(function_named("sqrtf"), square, 0, n % EXACT == 0);
        compare(function_named("cbrtf"), cube, 0, n % EXACT == 0);
        compare(function_named("cbrtf"), -nextafterf(cube, n & 1 ? 0 : INFINITY), 0,
                n % EXACT == 0);
    }
}

// Quotients whose exact value lies between two subnormal floats: the angle is just below it.
static void angles_between_two_subnormal_floats(void **state) {
    const maths_function *atan2f_ = function_named("atan2f");
    (void)state;
    for (uint32_t y = 1; y < 200; ++y)
        for (uint32_t x = 1; x < 200; ++x)
            for (int e = -1; e < 3; ++e) {
                compare(atan2f_, ldexpf((float)y, -149), ldexpf((float)x, e), true);
                compare(atan2f_, -ldexpf((float)y, -100), ldexpf((float)x, e + 50), true);
            }
}

// All floats, and some of 400 million pairs, whose result is so near to the middle of two floats
// that the nearest float of a double is wrong: they need the sums of two doubles.
static void what_a_double_gets_wrong(void **state) {
    static const struct {
        const char *name;
        uint32_t x, y;
    } hard[] = {
        { "sinf", 0x46199998, 0 },          { "sinf", 0xc6199998, 0 },
        { "acosf", 0x328885a3, 0 },         { "acosf", 0x39826222, 0 },
        { "powf", 0x3d93fe5f, 0xc2055f25 }, { "powf", 0x3df9e716, 0x4196b667 },
        { "powf", 0x3cfb77ba, 0xbd134f35 }, { "powf", 0x3c6feca8, 0xc1a268ee },
    };
    (void)state;
    for (size_t i = 0; i < sizeof hard / sizeof *hard; ++i)
        compare(function_named(hard[i].name), oracle_float(hard[i].x), oracle_float(hard[i].y),
                true);
}

static int tell(void **state) {
    (void)state;
    print_message("%llu results compared, %llu of them with MPFR\n", (unsigned long long)compared,
                  (unsigned long long)asked);
    return 0;
}

static int begin(void **state) {
    (void)state;
    oracle_begin();
    return 0;
}

static const struct CMUnitTest tests[] = {
    TEST(random_arguments, "random arguments give the nearest float"),
    TEST(special_arguments,
         "zeros, infinities, borders and their neighbours give the nearest float"),
    TEST(beside_multiples_of_a_quarter_turn,
         "angles beside multiples of a quarter turn give the nearest float"),
    TEST(where_powers_overflow_and_underflow,
         "powers at the ends of the range give the nearest float"),
    TEST(powers_between_two_floats,
         "of two floats that are equally near to a power, the even one is given"),
    TEST(distances_between_two_floats,
         "of two floats that are equally near to a distance, the even one is given"),
    TEST(cubes_and_squares, "roots of squares and cubes are exact"),
    TEST(what_a_double_gets_wrong,
         "results that need more than a double are rounded to the nearest float"),
    TEST(angles_between_two_subnormal_floats,
         "an angle just below the middle of two subnormal floats is rounded down"),
};
int main(void) { return cmocka_run_group_tests(tests, begin, tell); }
