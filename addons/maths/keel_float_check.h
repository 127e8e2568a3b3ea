// SPDX-License-Identifier: MIT
/// @file keel_float_check.h
/// Tells whether sums of floats are computed as on other machines: `keel::maths`, of which it needs
/// nothing but this file.
///
///     for (uint32_t rest = keel_float_check(); rest; rest &= rest - 1)
///         puts(keel_float_problem(rest));
///
/// Flags of the compiler hold for a file and not for a program. So keel_float_check is compiled
/// into the file that calls it, and speaks of that file: call it where the simulation is. Two of
/// the bits are of the running thread: KEEL_FLOAT_FLUSHES and KEEL_FLOAT_ROUNDS_OTHERWISE.
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The reasons for which floats can differ: bits of keel_float_check.
typedef enum keel_float_bits {
    KEEL_FLOAT_CONTRACTS = 1, ///< `x * y + z` is one operation, which rounds once
    KEEL_FLOAT_FLUSHES = 2,   ///< numbers below 2^-126 become 0
    KEEL_FLOAT_FAST_MATH = 4, ///< the compiler changes the order of sums, or assumes no infinities
    KEEL_FLOAT_WIDE = 8,      ///< floats are computed with more bits than they have, as by x87
    KEEL_FLOAT_ROUNDS_OTHERWISE = 16, ///< results are not rounded to the nearest float
} keel_float_bits;

/// Returns the bits of keel_float_bits that hold for the calling file and thread; 0: floats are
/// computed as everywhere.
static inline uint32_t keel_float_check(void) {
    uint32_t found = 0;
    const volatile float one = 1;
    const volatile float tiny =
        1.490116119384765625e-8f; // 2^-26: below half of the last place of 1
    const volatile float above = one + tiny, below = one - tiny;
    if (above != 1 || below != 1) found |= KEEL_FLOAT_ROUNDS_OTHERWISE;
    const volatile float small = 2.3509887016445750e-38f, half = 0.5f; // 2^-125
    const volatile float smaller = small * half * half;                // 2^-127, which is subnormal
    const volatile float back = smaller * 4;
    if (back != small) found |= KEEL_FLOAT_FLUSHES;
#if defined __FLT_EVAL_METHOD__ && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16 // _Float16
    found |= KEEL_FLOAT_WIDE;
#endif
    // (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24, which is lost if the square is rounded; for double it
    // is 2^-64. Other roundings, and more bits, would keep it, too.
    const volatile float x = 1.000244140625f, z = -1.00048828125f;
    const float x_now = x, z_now = z;
    const volatile float sum = x_now * x_now + z_now;
    const volatile double wide_x = 1.00000000023283064365386962890625;
    const volatile double wide_z = -1.0000000004656612873077392578125;
    const double wide_x_now = wide_x, wide_z_now = wide_z;
    const volatile double wide_sum = wide_x_now * wide_x_now + wide_z_now;
    if (!(found & (KEEL_FLOAT_ROUNDS_OTHERWISE | KEEL_FLOAT_WIDE)) && (sum != 0 || wide_sum != 0))
        found |= KEEL_FLOAT_CONTRACTS;
#if defined __FAST_MATH__ || defined __ASSOCIATIVE_MATH__ || defined __RECIPROCAL_MATH__ ||        \
    defined _M_FP_FAST || (defined __FINITE_MATH_ONLY__ && __FINITE_MATH_ONLY__)
    found |= KEEL_FLOAT_FAST_MATH;
#endif
    return found;
}

/// Returns a sentence about the lowest bit of `bits`: the problem, and the flags that solve it. For
/// 0 and unknown bits it says so.
static inline const char *keel_float_problem(uint32_t bits) {
    switch (bits & (~bits + 1)) {
    case 0:
        return "floats are computed as on other machines";
    case KEEL_FLOAT_CONTRACTS:
        return "a product and a sum are rounded once instead of twice: compile this file with "
               "-ffp-contract=off (MSVC: /fp:precise)";
    case KEEL_FLOAT_FLUSHES:
        return "numbers below 2^-126 become 0: link the program and its libraries without "
               "-ffast-math, -Ofast and -funsafe-math-optimizations, "
               "which switch this on when the program starts";
    case KEEL_FLOAT_FAST_MATH:
        return "the compiler changes the order of sums: compile this file with -fno-fast-math, "
               "behind all other flags (MSVC: /fp:precise)";
    case KEEL_FLOAT_WIDE:
        return "floats are computed with more bits than they have: compile this file with -msse2 "
               "-mfpmath=sse (s390x: -fexcess-precision=fast)";
    case KEEL_FLOAT_ROUNDS_OTHERWISE:
        return "results are not rounded to the nearest float: call fesetround(FE_TONEAREST) in "
               "this thread, and find who set another mode";
    default:
        return "keel_float_problem does not know this bit";
    }
}

#ifdef __cplusplus
}
#endif
