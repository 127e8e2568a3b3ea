// SPDX-License-Identifier: MIT
// The tables of keel::maths; constants.c, which tools/maths_constants writes, has their values.
// Only the other files of this folder use them.
#pragma once
#include <stdint.h>

// A number as an unevaluated sum of two doubles: double_double.h computes with them.
typedef struct keeli_wide {
    double high;
    double low; // at most half a unit in the last place of `high`
} keeli_wide;

// The same of three, the first two with 40 bits.
typedef struct keeli_thrice {
    double high, middle, low;
} keeli_thrice;

typedef struct keeli_log_entry {
    double factor;        // near to one divided by the mantissas of this entry, with 28 bits
    keeli_wide logarithm; // the logarithm of 1 / factor
} keeli_log_entry;

extern const uint32_t keeli_two_over_pi[12]; // trigonometric.c: angles of any size
extern const keeli_wide keeli_over_factorial[29];
extern const double keeli_power_of_two[32];
extern const keeli_log_entry keeli_log_table[128]; // by the first 7 bits of a mantissa
extern const keeli_wide keeli_atan_table[17];
extern const keeli_wide keeli_half_pi, keeli_pi;
extern const keeli_thrice keeli_ln2;
extern const keeli_wide keeli_half_pi_steps; // the first with 33 bits
extern const keeli_wide keeli_ln2_over_32;   // the first with 32 bits
