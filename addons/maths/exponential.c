// SPDX-License-Identifier: MIT
// keel_expf, keel_logf and keel_powf. Powers of e are powers of two, of which a table has 32
// fractions, times a short series; logarithms are those of a table of 128 reciprocals, and a series
// (Tang).
#include "double_double.h"
#include "keel_maths.h"

// e to the power of x, for -104 <= x <= 89, with a relative error below 2^-49.
static inline double exponential(double x) {
    int k;
    const double nearest = double_nearest(x * 0x1.71547652b82fep+5, &k);
    const double r = (x - nearest * keeli_ln2_over_32.high) - nearest * keeli_ln2_over_32.low;
    const double u = r * r;
    const double series =
        r +
        u * ((0.5 + r * 0x1.5555555555555p-3) +
             u * ((0x1.5555555555555p-5 + r * 0x1.1111111111111p-7) + u * 0x1.6c16c16c16c17p-10));
    const double power = keeli_power_of_two[k & 31];
    return (power + power * series) * double_power_of_two((k - (k & 31)) / 32);
}

static KEELI_RARE keeli_wide exponential_wide(keeli_wide x) {
    int k;
    const double nearest = double_nearest(x.high * 0x1.71547652b82fep+0, &k);
    keeli_wide rest = wide_add_double(x, -nearest * keeli_ln2.high);
    rest = wide_add_double(rest, -nearest * keeli_ln2.middle);
    rest = wide_add(rest, wide_negative(wide_product(nearest, keeli_ln2.low)));
    keeli_wide sum = keeli_over_factorial[25];
    for (int n = 24; n >= 0; --n)
        sum = wide_add(keeli_over_factorial[n], wide_multiply(rest, sum));
    return wide_scale(sum, double_power_of_two(k));
}

float keel_expf(float x) {
    if (float_is_nan(x)) return float_nan();
    if (x > 89) return float_infinity();
    if (x < -104) return 0; // below half of the smallest float
    const double value = exponential((double)x);
    float result;
    if (float_is_settled(value, value * 0x1p-48, &result)) return result;
    return float_of_wide(exponential_wide((keeli_wide){ (double)x, 0 }));
}

// ---- log ----------------------------------------------------------------------------------------
// A number as 2^exponent * (1 + rest) / factor of the table's entry, exactly.
typedef struct exponential_parts {
    double exponent, rest;
    const keeli_log_entry *entry;
} exponential_parts;

// x > 0, finite.
static inline exponential_parts exponential_split(float x) {
    const uint64_t bits = double_to_bits((double)x);
    const int i = (int)(bits >> 45 & 127);
    const int is_upper = i >= 53; // above 1.414: half of the mantissa is below 1, and near to it
    const double mantissa =
        double_from_bits((bits & (UINT64_MAX >> 12)) | (uint64_t)(1023 - is_upper) << 52);
    const keeli_log_entry *entry = &keeli_log_table[i];
    return (exponential_parts){ (int)(bits >> 52) - 1023 + is_upper, mantissa * entry->factor - 1,
                                entry };
}

// The natural logarithm, and a bound of its error.
static inline double exponential_log(float x, double *error) {
    const exponential_parts parts = exponential_split(x);
    const double r = parts.rest, u = r * r;
    const double series = (-0.5 + r * 0x1.5555555555555p-2) +
                          u * ((-0.25 + r * 0.2) +
                               u * (-0x1.5555555555555p-3 + r * 0x1.2492492492492p-3 - u * 0.125));
    const double start = parts.exponent * 0x1.62e42fefa39efp-1 + parts.entry->logarithm.high;
    const double value = start + (r + u * series);
    *error = double_absolute(value) * 0x1p-49 + (start != 0 ? 0x1p-51 : 0);
    return value;
}

// log(1 + r) = 2 atanh(s), s = r / (2 + r).
static KEELI_RARE keeli_wide exponential_log_wide(float x) {
    const exponential_parts parts = exponential_split(x);
    const keeli_wide s = wide_divide((keeli_wide){ parts.rest, 0 }, wide_sum(2, parts.rest));
    const keeli_wide square = wide_multiply(s, s);
    keeli_wide sum = { 0, 0 };
    for (int n = 17; n >= 1; n -= 2)
        sum = wide_add(wide_divide((keeli_wide){ 2, 0 }, (keeli_wide){ n, 0 }),
                       wide_multiply(square, sum));
    const keeli_wide tail =
        wide_add(parts.entry->logarithm, wide_product(parts.exponent, keeli_ln2.low));
    const keeli_wide start =
        wide_sum(parts.exponent * keeli_ln2.high, parts.exponent * keeli_ln2.middle);
    return wide_add(wide_add(start, tail), wide_multiply(s, sum));
}

float keel_logf(float x) {
    if (float_is_nan(x)) return float_nan();
    if (x == 0) return -float_infinity();
    if (float_is_negative(x)) return float_nan();
    if (x >= float_infinity()) return x;
    double error;
    const double value = exponential_log(x, &error);
    float result;
    if (float_is_settled(value, error, &result)) return result;
    return float_of_wide(exponential_log_wide(x));
}

// ---- pow ----------------------------------------------------------------------------------------
typedef enum exponential_kind { FRACTION, EVEN, ODD } exponential_kind;

// x = odd * 2^exponent, for x > 0, finite.
static uint32_t exponential_odd_part(float x, int *exponent) {
    const uint32_t bits = float_to_bits(x);
    uint32_t odd = bits & 0x7fffff;
    *exponent = (int)(bits >> 23) - 150;
    if (bits >> 23) odd |= 0x800000;
    else *exponent = -149;
    for (; !(odd & 1); odd >>= 1)
        ++*exponent;
    return odd;
}

static exponential_kind exponential_kind_of(float y) {
    const float absolute = float_absolute(y);
    if (absolute == 0 || absolute >= 0x1p24f) return EVEN;
    int exponent;
    exponential_odd_part(absolute, &exponent);
    if (exponent < 0) return FRACTION;
    return exponent == 0 ? ODD : EVEN;
}

// The square root of n if that is whole, or 0.
static uint32_t exponential_whole_root(uint32_t n) {
    const uint32_t root = (uint32_t)__builtin_sqrt((double)n);
    return root * root == n ? root : 0;
}

// Returns true if x^y, x > 0, has 25 bits or fewer, so that it may lie just between two floats.
// With x = odd * 2^e and y = n * 2^f, n odd: if f < 0, x must be a square -f times; then odd^n must
// not have more bits.
static bool exponential_is_short(float x, float y) {
    int e, f;
    uint64_t odd = exponential_odd_part(x, &e);
    const uint32_t n = exponential_odd_part(float_absolute(y), &f);
    for (; f < 0; ++f) {
        odd = exponential_whole_root((uint32_t)odd);
        if (odd == 0 || e % 2 != 0) return false;
        e /= 2;
        if (odd == 1 && e == 0) return true;
    }
    if (odd == 1) return true;
    if (float_is_negative(y) || f > 4 || n > 16) return false;
    uint64_t power = 1;
    for (uint32_t i = 0; i < n << f; ++i) {
        power *= odd;
        if (power >> 25) return false;
    }
    return true;
}

// The number of 25 bits, or fewer for subnormal results, that is nearest to x: what can lie between
// two floats.
static double exponential_nearest_short(double x) {
    const double unit = x < 0x1p-126
                            ? 0x1p-150
                            : double_from_bits(double_to_bits(x) & ~(UINT64_MAX >> 12)) * 0x1p-24;
    const double shifter = unit * 0x1.8p52;
    return (x + shifter) - shifter;
}

static KEELI_RARE float exponential_power_again(float x, float y, bool is_negative) {
    const keeli_wide logarithm = exponential_log_wide(x);
    const keeli_wide value = exponential_wide(wide_multiply_double(logarithm, (double)y));
    const double near = exponential_nearest_short(value.high);
    const double distance = double_absolute((value.high - near) + value.low);
    float result = float_of_wide(value);
    if (distance < near * 0x1p-80 && exponential_is_short(x, y)) result = (float)near;
    return is_negative ? -result : result;
}

// Zeros and infinities as x or as y, where x is not 1 and y not 0.
static KEELI_RARE float exponential_power_special(float x, float y) {
    const float absolute = float_absolute(x);
    const bool is_down = float_is_negative(y);
    if (float_absolute(y) >= float_infinity()) {
        if (absolute == 1) return 1;
        return (absolute > 1) != is_down ? float_infinity() : 0;
    }
    const float result = (absolute == 0) != is_down ? 0 : float_infinity();
    return float_is_negative(x) && exponential_kind_of(y) == ODD ? -result : result;
}

// x > 0, finite, not 1; y finite, not 0.
static float exponential_power(float x, float y, bool is_negative) {
    double error;
    const double logarithm = exponential_log(x, &error);
    const double exponent = logarithm * (double)y;
    float result = exponent > 0 ? float_infinity() : 0;
    if (exponent <= 89 && exponent >= -104) {
        const double value = exponential(exponent);
        const double relative =
            error * double_absolute((double)y) + double_absolute(exponent) * 0x1p-51 + 0x1p-48;
        if (!float_is_settled(value, value * relative, &result))
            return exponential_power_again(x, y, is_negative);
    }
    return is_negative ? -result : result;
}

float keel_powf(float x, float y) {
    if (x == 1 || y == 0) return 1;
    if (float_is_nan(x) || float_is_nan(y)) return float_nan();
    const float absolute = float_absolute(x);
    if (absolute == 0 || absolute >= float_infinity() || float_absolute(y) >= float_infinity())
        return exponential_power_special(x, y);
    if (!float_is_negative(x)) return exponential_power(x, y, false);
    const exponential_kind kind = exponential_kind_of(y);
    if (kind == FRACTION) return float_nan();
    if (absolute == 1) return kind == ODD ? -1.0f : 1.0f;
    return exponential_power(absolute, y, kind == ODD);
}
