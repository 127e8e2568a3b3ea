// SPDX-License-Identifier: MIT
// The common parts of keel::maths: sums of two doubles (Dekker, Knuth), with some
// 104 bits, and rounding to float. Only the .c files of this folder include it, after nothing else.
//
// A function first computes in double, with an error that it knows to be below a bound. If both
// ends of what is left round to one float, that is the result (Ziv). If not, which is rare, it
// computes again in sums of two doubles.
#pragma once

// clang-format off
#if defined __FAST_MATH__
#error "keel::maths cannot be compiled with -ffast-math or -Ofast: add -fno-fast-math behind it for the files of addons/maths"
#endif
// 16 is about the type _Float16, and leaves float as it is.
#if defined __FLT_EVAL_METHOD__ && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
#error "keel::maths needs float and double as they are, without more bits: compile with -msse2 -mfpmath=sse on 32-bit x86, and with -fexcess-precision=fast on s390x"
#endif
// clang-format on

#include "constants.h"
#include <stdbool.h>
#include <string.h>

// A product and a sum must not become one operation, which rounds once. gcc knows the option
// -ffp-contract=off only, which CMakeLists.txt gives, and warns of the pragma.
#if defined __clang__ || !defined __GNUC__
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC optimize("fp-contract=off")
#endif

// Second computations are functions of their own, so that the first ones need few registers.
#if defined __GNUC__
#define KEELI_RARE __attribute__((noinline, cold))
#else
#define KEELI_RARE
#endif

// ---- bits ---------------------------------------------------------------------------------------
static inline uint32_t float_to_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline float float_from_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline uint64_t double_to_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline double double_from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline float float_nan(void) { return float_from_bits(0x7fc00000); }
static inline float float_infinity(void) { return float_from_bits(0x7f800000); }
static inline bool float_is_nan(float x) { return (float_to_bits(x) & 0x7fffffff) > 0x7f800000; }
static inline bool float_is_negative(float x) { return float_to_bits(x) >> 31; }
static inline float float_absolute(float x) {
    return float_from_bits(float_to_bits(x) & 0x7fffffff);
}
static inline double double_absolute(double x) {
    return double_from_bits(double_to_bits(x) & (UINT64_MAX >> 1));
}
// 2 to the power of n, for -1022 <= n <= 1023.
static inline double double_power_of_two(int n) {
    return double_from_bits((uint64_t)(1023 + n) << 52);
}
// The nearest integer, for |x| < 2^31: the sum has no bits left for what comes after the point.
static inline double double_nearest(double x, int *integer) {
    const double shifter = 0x1.8p52;
    const double shifted = x + shifter;
    *integer = (int)(int32_t)(uint32_t)double_to_bits(shifted);
    return shifted - shifter;
}

// ---- rounding -----------------------------------------------------------------------------------
// Returns true if all numbers between value - error and value + error round to one float.
static inline bool float_is_settled(double value, double error, float *result) {
    const float below = (float)(value - error);
    *result = (float)(value + error);
    return below == *result;
}
// The nearest float of a sum. Rounding `high` first and then that to float would round twice: so a
// sum that is not a double becomes the neighbour with an odd last bit, which is on the same side of
// whatever lies between two floats.
static inline float float_of_wide(keeli_wide x) {
    uint64_t bits = double_to_bits(x.high);
    if (x.low != 0 && !(bits & 1)) bits += (x.low > 0) == (x.high > 0) ? 1 : UINT64_MAX;
    return (float)double_from_bits(bits);
}

// ---- sums of two doubles ------------------------------------------------------------------------
// a + b, exactly, if |a| >= |b| or a is 0.
static inline keeli_wide wide_sum_of_sorted(double a, double b) {
    const double high = a + b;
    return (keeli_wide){ high, b - (high - a) };
}
// a + b, exactly.
static inline keeli_wide wide_sum(double a, double b) {
    const double high = a + b, of_b = high - a;
    return (keeli_wide){ high, (a - (high - of_b)) + (b - of_b) };
}
// a * b, exactly, unless it is beyond 2^990 or its last bit below 2^-1074.
static inline keeli_wide wide_product(double a, double b) {
    const double splitter = 0x1p27 + 1;
    const double a_part = a * splitter, b_part = b * splitter;
    const double a_high = a_part - (a_part - a), b_high = b_part - (b_part - b);
    const double a_low = a - a_high, b_low = b - b_high;
    const double high = a * b;
    return (keeli_wide){ high, ((a_high * b_high - high) + a_high * b_low + a_low * b_high) +
                                   a_low * b_low };
}
static inline keeli_wide wide_negative(keeli_wide a) { return (keeli_wide){ -a.high, -a.low }; }
static inline keeli_wide wide_add(keeli_wide a, keeli_wide b) {
    const keeli_wide high = wide_sum(a.high, b.high), low = wide_sum(a.low, b.low);
    const keeli_wide sum = wide_sum_of_sorted(high.high, high.low + low.high);
    return wide_sum_of_sorted(sum.high, low.low + sum.low);
}
static inline keeli_wide wide_add_double(keeli_wide a, double b) {
    const keeli_wide sum = wide_sum(a.high, b);
    return wide_sum_of_sorted(sum.high, sum.low + a.low);
}
static inline keeli_wide wide_multiply(keeli_wide a, keeli_wide b) {
    const keeli_wide product = wide_product(a.high, b.high);
    const double rest = a.high * b.low + (a.low * b.high + a.low * b.low);
    return wide_sum_of_sorted(product.high, product.low + rest);
}
// Times a power of two.
static inline keeli_wide wide_scale(keeli_wide a, double power) {
    return (keeli_wide){ a.high * power, a.low * power };
}
static inline keeli_wide wide_multiply_double(keeli_wide a, double b) {
    return wide_multiply(a, (keeli_wide){ b, 0 });
}
static inline keeli_wide wide_divide(keeli_wide a, keeli_wide b) {
    const double first = a.high / b.high;
    keeli_wide rest = wide_add(a, wide_negative(wide_multiply_double(b, first)));
    const double second = rest.high / b.high;
    rest = wide_add(rest, wide_negative(wide_multiply_double(b, second)));
    return wide_add_double(wide_sum_of_sorted(first, second), rest.high / b.high);
}
