// SPDX-License-Identifier: MIT
// keel_atanf, keel_atan2f, keel_asinf and keel_acosf: all are the angle of a point. The tangent of
// the angle, at most 1, is compared with a multiple of 1/16 whose angle a table has; the angle
// between the two is a short series.
#include "double_double.h"
#include "keel_maths.h"

// The series atan(t) / t in t * t.
static inline double arc_series(double u) {
    return 1 + u * (-0x1.5555555555555p-2 +
                    u * (0.2 + u * (-0x1.2492492492492p-3 +
                                    u * (0x1.c71c71c71c71cp-4 - u * 0x1.745d1745d1746p-4))));
}

// The angle of (x, y), 0 <= y <= x and x > 0, with a relative error below 2^-49.
static inline double arc_first_eighth(double y, double x) {
    int i;
    const double nearest = double_nearest(y / x * 16, &i) * 0x1p-4;
    const double t = (y - nearest * x) / (x + nearest * y);
    return keeli_atan_table[i].high + t * arc_series(t * t);
}

// The angle of (x, y), x >= 0 and y >= 0, not both 0.
static inline double arc_first_quarter(double y, double x) {
    return y <= x ? arc_first_eighth(y, x) : keeli_half_pi.high - arc_first_eighth(x, y);
}

static keeli_wide arc_first_eighth_wide(keeli_wide y, keeli_wide x) {
    int i;
    const double nearest = double_nearest(y.high / x.high * 16, &i) * 0x1p-4;
    const keeli_wide top = wide_add(y, wide_negative(wide_multiply_double(x, nearest)));
    const keeli_wide t = wide_divide(top, wide_add(x, wide_multiply_double(y, nearest)));
    const keeli_wide square = wide_multiply(t, t);
    keeli_wide sum = { 0, 0 };
    for (int n = 25; n >= 1; n -= 2) { // 1/1 - square (1/3 - square (1/5 - ...
        const keeli_wide part = wide_divide((keeli_wide){ 1, 0 }, (keeli_wide){ n, 0 });
        sum = wide_add(part, wide_negative(wide_multiply(square, sum)));
    }
    return wide_add(keeli_atan_table[i], wide_multiply(t, sum));
}

static keeli_wide arc_first_quarter_wide(keeli_wide y, keeli_wide x) {
    if (y.high < x.high) return arc_first_eighth_wide(y, x);
    return wide_add(keeli_half_pi, wide_negative(arc_first_eighth_wide(x, y)));
}

// ---- atan ---------------------------------------------------------------------------------------
static KEELI_RARE float arc_again(float y, float x, bool is_left, bool is_negative) {
    keeli_wide value =
        arc_first_quarter_wide((keeli_wide){ (double)y, 0 }, (keeli_wide){ (double)x, 0 });
    if (is_left) value = wide_add(keeli_pi, wide_negative(value));
    return float_of_wide(is_negative ? wide_negative(value) : value);
}

// The angle of a point with y / x < 2^-100 is below y / x by less than any sum of two doubles could
// tell. That matters where y / x lies just between two floats, as it can if the result is
// subnormal: then the quotient is exact in double.
static float arc_tiny(double y, double x, bool is_negative) {
    double angle = y / x;
    const keeli_wide product = wide_product(angle, x);
    if (product.high == y && product.low == 0) angle = double_from_bits(double_to_bits(angle) - 1);
    return (float)(is_negative ? -angle : angle);
}

float keel_atanf(float x) {
    const float absolute = float_absolute(x);
    if (float_is_nan(x)) return float_nan();
    if (absolute == 0) return x;
    if (absolute >= float_infinity())
        return (float)(float_is_negative(x) ? -keeli_half_pi.high : keeli_half_pi.high);
    const bool is_negative = float_is_negative(x);
    const double angle = arc_first_quarter((double)absolute, 1);
    float result;
    if (float_is_settled(is_negative ? -angle : angle, angle * 0x1p-48, &result)) return result;
    return arc_again(absolute, 1, false, is_negative);
}

// Zeros and infinities: the point lies on an axis or a diagonal, so that the double is good enough.
static KEELI_RARE float arc_special(float y, float x) {
    const bool is_left = float_is_negative(x);
    const float up = float_absolute(y), right = float_absolute(x);
    double angle;
    if (up == 0 || (right >= float_infinity() && up < float_infinity())) {
        angle = is_left ? keeli_pi.high : 0;
    } else if (up >= float_infinity() && right >= float_infinity()) {
        angle = is_left ? keeli_half_pi.high * 1.5 : keeli_half_pi.high * 0.5;
    } else {
        angle = keeli_half_pi.high;
    }
    return (float)(float_is_negative(y) ? -angle : angle);
}

float keel_atan2f(float y, float x) {
    if (float_is_nan(x) || float_is_nan(y)) return float_nan();
    const float up = float_absolute(y), right = float_absolute(x);
    if (up == 0 || right == 0 || up >= float_infinity() || right >= float_infinity())
        return arc_special(y, x);
    const bool is_left = float_is_negative(x), is_negative = float_is_negative(y);
    if (!is_left && (double)up < (double)right * 0x1p-100)
        return arc_tiny((double)up, (double)right, is_negative);
    double angle = arc_first_quarter((double)up, (double)right);
    if (is_left) angle = keeli_pi.high - angle;
    float result;
    if (float_is_settled(is_negative ? -angle : angle, angle * 0x1p-48, &result)) return result;
    return arc_again(up, right, is_left, is_negative);
}

// ---- asin, acos ---------------------------------------------------------------------------------
// The cosine of an angle from its sine, or the other way round.
static inline double arc_other(double x) { return __builtin_sqrt((1 - x) * (1 + x)); }

static keeli_wide arc_other_wide(double x) {
    const keeli_wide square = wide_multiply(wide_sum(1, -x), wide_sum(1, x));
    if (square.high == 0) return square;
    const double root = __builtin_sqrt(square.high);
    const keeli_wide rest = wide_add(square, wide_negative(wide_product(root, root)));
    return wide_sum_of_sorted(root, rest.high / (2 * root));
}

static KEELI_RARE float arc_sine_again(float absolute, bool is_negative) {
    const double x = (double)absolute;
    const keeli_wide value = arc_first_quarter_wide((keeli_wide){ x, 0 }, arc_other_wide(x));
    return float_of_wide(is_negative ? wide_negative(value) : value);
}

float keel_asinf(float x) {
    const float absolute = float_absolute(x);
    if (!(absolute <= 1)) return float_nan();
    if (absolute == 0) return x;
    const bool is_negative = float_is_negative(x);
    const double angle = arc_first_quarter((double)absolute, arc_other((double)absolute));
    float result;
    if (float_is_settled(is_negative ? -angle : angle, angle * 0x1p-48, &result)) return result;
    return arc_sine_again(absolute, is_negative);
}

static KEELI_RARE float arc_cosine_again(float absolute, bool is_negative) {
    const double x = (double)absolute;
    const keeli_wide value = arc_first_quarter_wide(arc_other_wide(x), (keeli_wide){ x, 0 });
    return float_of_wide(is_negative ? wide_add(keeli_pi, wide_negative(value)) : value);
}

float keel_acosf(float x) {
    const float absolute = float_absolute(x);
    if (!(absolute <= 1)) return float_nan();
    if (x == 1) return 0;
    const bool is_negative = float_is_negative(x);
    double angle = arc_first_quarter(arc_other((double)absolute), (double)absolute);
    if (is_negative) angle = keeli_pi.high - angle;
    float result;
    if (float_is_settled(angle, angle * 0x1p-48, &result)) return result;
    return arc_cosine_again(absolute, is_negative);
}
