// SPDX-License-Identifier: MIT
// keel_sinf, keel_cosf and keel_tanf. An angle becomes a number of quarter turns and a rest between
// -pi/4 and pi/4. Cody and Waite's method does this up to 2^20; Payne and Hanek's above, and where
// the precision of double was not enough. Taylor's series give sine and cosine of the rest.
#include "double_double.h"
#include "keel_maths.h"

// An angle without its quarter turns.
typedef struct angle {
    double rest;
    double error; // of `rest`, absolute
    int quarters;
} angle;

// The quarter turns of |x| >= 1/2, of any size, and the rest. x is an integer times 2^e; times
// 2/pi, of which only 192 bits matter: those before count whole turns.
static KEELI_RARE keeli_wide angle_reduce_wide(float x, int *quarters) {
    const uint32_t bits = float_to_bits(x) & 0x7fffffff;
    const uint64_t mantissa = (bits & 0x7fffff) | 0x800000;
    const unsigned skipped =
        (bits >> 23) - 120; // e - 2, and 32 for the zeros that the table begins with
    const uint32_t *words = keeli_two_over_pi + skipped / 32;
    uint32_t turns[6]; // fixed point: two bits before the point, 190 after it
    uint64_t carry = 0;
    for (int i = 5; i >= 0; --i) {
        const uint64_t pair = (uint64_t)words[i] << 32 | words[i + 1];
        carry += ((pair << skipped % 32) >> 32) * mantissa;
        turns[i] = (uint32_t)carry;
        carry >>= 32;
    }
    const bool above_half = turns[0] >> 29 & 1;
    *quarters = (int)(turns[0] >> 30) + above_half;
    turns[0] = above_half ? turns[0] | 0xc0000000 : turns[0] & 0x3fffffff;
    const uint32_t flip =
        above_half ? UINT32_MAX : 0; // -t is ~t and one in the last place, which does not matter
    keeli_wide rest = { 0, 0 };
    for (int i = 5; i >= 0; --i)
        rest = wide_add_double(rest, (double)(turns[i] ^ flip) * double_power_of_two(-32 * i - 30));
    rest = wide_multiply(rest, keeli_half_pi);
    return above_half ? wide_negative(rest) : rest;
}

static inline angle angle_reduce(float absolute) {
    angle found;
    const double x = (double)absolute;
    if (absolute < 0x1p20f) {
        const double quarters = double_nearest(x * 0x1.45f306dc9c883p-1, &found.quarters);
        found.rest = (x - quarters * keeli_half_pi_steps.high) - quarters * keeli_half_pi_steps.low;
        found.error = quarters * 0x1p-83;
        return found;
    }
    found.rest = angle_reduce_wide(absolute, &found.quarters).high;
    found.error = 0;
    return found;
}

static inline double angle_sine(double x) {
    const keeli_wide *over = keeli_over_factorial;
    const double u = x * x, u2 = u * u, u4 = u2 * u2;
    const double first = (u * over[5].high - over[3].high) + u2 * (u * over[9].high - over[7].high);
    const double last = (u * over[13].high - over[11].high) - u2 * over[15].high;
    return x + x * u * (first + u4 * last);
}

static inline double angle_cosine(double x) {
    const keeli_wide *over = keeli_over_factorial;
    const double u = x * x, u2 = u * u, u4 = u2 * u2;
    const double first = (u * over[4].high - 0.5) + u2 * (u * over[8].high - over[6].high);
    const double last =
        (u * over[12].high - over[10].high) + u2 * (u * over[16].high - over[14].high);
    return 1 + u * (first + u4 * last);
}

// Sine and cosine, as series to the 27th and 28th power.
static keeli_wide angle_series(keeli_wide square, int last) {
    keeli_wide sum = keeli_over_factorial[last];
    for (int n = last - 2; n >= 0; n -= 2)
        sum = wide_add(keeli_over_factorial[n], wide_negative(wide_multiply(square, sum)));
    return sum;
}

typedef struct angle_wide {
    keeli_wide sine, cosine; // of the rest
    int quarters;
} angle_wide;

static angle_wide angle_find_wide(float absolute) {
    angle_wide found = { .quarters = 0 };
    keeli_wide rest = { (double)absolute, 0 };
    if (absolute > 0.75f) rest = angle_reduce_wide(absolute, &found.quarters);
    const keeli_wide square = wide_multiply(rest, rest);
    found.sine = wide_multiply(rest, angle_series(square, 27));
    found.cosine = angle_series(square, 28);
    return found;
}

static KEELI_RARE float angle_sine_again(float absolute, int more_quarters, bool is_negative) {
    const angle_wide found = angle_find_wide(absolute);
    const int quarters = found.quarters + more_quarters;
    const keeli_wide value = quarters & 1 ? found.cosine : found.sine;
    return float_of_wide(((quarters & 2) != 0) != is_negative ? wide_negative(value) : value);
}

// sin(x + more_quarters * pi/2) for x >= 0, or its negative.
static inline float angle_sine_from(float absolute, int more_quarters, bool is_negative) {
    const angle found = angle_reduce(absolute);
    const int quarters = found.quarters + more_quarters;
    double value = quarters & 1 ? angle_cosine(found.rest) : angle_sine(found.rest);
    if (((quarters & 2) != 0) != is_negative) value = -value;
    float result;
    if (float_is_settled(value, double_absolute(value) * 0x1p-48 + found.error, &result))
        return result;
    return angle_sine_again(absolute, more_quarters, is_negative);
}

float keel_sinf(float x) {
    const float absolute = float_absolute(x);
    if (!(absolute < float_infinity())) return float_nan();
    if (absolute == 0) return x;
    return angle_sine_from(absolute, 0, float_is_negative(x));
}

float keel_cosf(float x) {
    const float absolute = float_absolute(x);
    if (!(absolute < float_infinity())) return float_nan();
    return angle_sine_from(absolute, 1, false);
}

static KEELI_RARE float angle_tangent_again(float absolute, bool is_negative) {
    const angle_wide found = angle_find_wide(absolute);
    const bool is_odd = found.quarters & 1;
    const keeli_wide value =
        is_odd ? wide_divide(found.cosine, found.sine) : wide_divide(found.sine, found.cosine);
    return float_of_wide(is_odd != is_negative ? wide_negative(value) : value);
}

float keel_tanf(float x) {
    const float absolute = float_absolute(x);
    if (!(absolute < float_infinity())) return float_nan();
    if (absolute == 0) return x;
    const angle found = angle_reduce(absolute);
    const double sine = angle_sine(found.rest), cosine = angle_cosine(found.rest);
    const bool is_odd = found.quarters & 1;
    double value = is_odd ? -cosine / sine : sine / cosine;
    if (float_is_negative(x)) value = -value;
    float result;
    if (float_is_settled(value,
                         double_absolute(value) * 0x1p-47 + found.error * 2 * (1 + value * value),
                         &result))
        return result;
    return angle_tangent_again(absolute, float_is_negative(x));
}
