// SPDX-License-Identifier: MIT
// Right results of floating-point functions: oracle.h.
#include "oracle.h"
#include <float.h>
#include <keel_maths.h>
#include <math.h>
#include <mpfr.h>
#include <string.h>

typedef struct oracle {
    int (*exact_one)(mpfr_t, mpfr_srcptr, mpfr_rnd_t);
    int (*exact_two)(mpfr_t, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
    long double (*quick_one)(long double);
    long double (*quick_two)(long double, long double);
} oracle;

#define ONE(name)                                                                                  \
    {                                                                                              \
#name "f", keel_##name##f, NULL, &(const oracle) {                                         \
            .exact_one = mpfr_##name, .quick_one = name##l                                         \
        }                                                                                          \
    }
#define TWO(name)                                                                                  \
    {                                                                                              \
#name "f", NULL, keel_##name##f, &(const oracle) {                                         \
            .exact_two = mpfr_##name, .quick_two = name##l                                         \
        }                                                                                          \
    }

const maths_function maths_functions[] = {
    ONE(sin), ONE(cos), ONE(tan), ONE(asin), ONE(acos), ONE(atan),  TWO(atan2),
    ONE(exp), ONE(log), TWO(pow), ONE(sqrt), ONE(cbrt), TWO(hypot), TWO(fmod),
};
const size_t maths_function_count = sizeof maths_functions / sizeof *maths_functions;

// A float is 0.1... times 2 to between -148 (the smallest subnormal) and 128.
void oracle_begin(void) {
    mpfr_set_emin(-148);
    mpfr_set_emax(128);
}

float oracle_exact(const maths_function *function, float x, float y) {
    const oracle *of = function->oracle;
    mpfr_t first, second, result;
    mpfr_inits2(24, first, second, result, (mpfr_ptr)0);
    mpfr_set_flt(first, x, MPFR_RNDN);
    mpfr_set_flt(second, y, MPFR_RNDN);
    int ternary = of->exact_one ? of->exact_one(result, first, MPFR_RNDN)
                                : of->exact_two(result, first, second, MPFR_RNDN);
    ternary = mpfr_check_range(result, ternary, MPFR_RNDN);
    mpfr_subnormalize(result, ternary, MPFR_RNDN);
    const float found = mpfr_get_flt(result, MPFR_RNDN);
    mpfr_clears(first, second, result, (mpfr_ptr)0);
    return found;
}

float oracle_quick(const maths_function *function, float x, float y, uint64_t *asked) {
#if LDBL_MANT_DIG >= 64
    const oracle *of = function->oracle;
    const long double value = of->quick_one ? of->quick_one((long double)x)
                                            : of->quick_two((long double)x, (long double)y);
    // no result at all, and results beyond the range of long double: nothing is near a border
    if (isnan(value) || value == 0 || isinf(value)) return (float)value;
    const float below = (float)(value * (1 - 0x1p-56L)), above = (float)(value * (1 + 0x1p-56L));
    if (below == above) return below;
#endif
    ++*asked;
    return oracle_exact(function, x, y);
}

float oracle_ours(const maths_function *function, float x, float y) {
    return function->one ? function->one(x) : function->two(x, y);
}

uint32_t oracle_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
float oracle_float(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
bool oracle_agrees(float ours, float right) {
    return isnan(right) ? oracle_bits(ours) == 0x7fc00000 : oracle_bits(ours) == oracle_bits(right);
}
