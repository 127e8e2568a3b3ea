// SPDX-License-Identifier: MIT
// The functions of keel::maths beside two that know the right answer: MPFR, which rounds correctly
// at any precision, and the C library's long double, which is far quicker. test_mpfr.c and
// every_float.c use them.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct maths_function {
    const char *name;
    float (*one)(float);        // of one argument, or NULL
    float (*two)(float, float); // of two arguments, or NULL
    const void *oracle;         // in oracle.c
} maths_function;

extern const maths_function maths_functions[];
extern const size_t maths_function_count;

// To be called by each thread that asks: MPFR has the exponents of floats then.
void oracle_begin(void);
// Returns the right result, from MPFR.
float oracle_exact(const maths_function *function, float x, float y);
// Returns the right result. If the long double and all within 2^-56 of it round to one float, that
// is it. Its error is below 2^-62 in glibc on x86, so that 64 times that is left. Otherwise MPFR
// decides, and *asked is counted up.
float oracle_quick(const maths_function *function, float x, float y, uint64_t *asked);
// Returns what keel::maths says.
float oracle_ours(const maths_function *function, float x, float y);
// Whether two floats have the same bits; for not a number, the bits of `ours` must be 0x7fc00000.
bool oracle_agrees(float ours, float right);

uint32_t oracle_bits(float x);
float oracle_float(uint32_t bits);
