// SPDX-License-Identifier: MIT
// keel_sqrtf, keel_cbrtf, keel_hypotf and keel_fmodf, whose results can be compared with the exact
// ones: the square and the cube of what lies between two floats are exact in one double or two.
#include "double_double.h"
#include "keel_maths.h"

// The square root of the hardware is exact to the last bit. Rounding it once more, to float, does
// no harm: a root of a float is never so near to the middle of two floats.
float keel_sqrtf(float x) {
    if (x == 0) return x;
    if (float_is_nan(x) || float_is_negative(x)) return float_nan();
    return (float)__builtin_sqrt((double)x);
}

// ---- cbrt ---------------------------------------------------------------------------------------
// The cube root of x > 0, with a relative error below 2^-46: a third of the exponent, and Halley's
// method, which triples the number of right bits.
static double root_cubic(double x) {
    double root = double_from_bits(double_to_bits(x) / 3 + UINT64_C(0x2a9f7893782da1ce));
    for (int i = 0; i < 3; ++i) {
        const double cube = root * root * root;
        root = root * ((cube + 2 * x) / (2 * cube + x));
    }
    return root;
}

float keel_cbrtf(float x) {
    const float absolute = float_absolute(x);
    if (float_is_nan(x)) return float_nan();
    if (absolute == 0 || absolute >= float_infinity()) return x;
    const double root = root_cubic((double)absolute);
    float above;
    if (!float_is_settled(root, root * 0x1p-45, &above)) {
        const float below = (float)(root - root * 0x1p-45);
        const double middle = ((double)below + (double)above) / 2; // 25 bits: its square is exact
        const keeli_wide cube = wide_product(middle * middle, middle);
        if (wide_add_double(cube, -(double)absolute).high > 0) above = below;
    }
    return float_is_negative(x) ? -above : above;
}

// ---- hypot --------------------------------------------------------------------------------------
// The squares of two floats are exact as doubles, and their sum is exact as a sum of two. `middle`
// lies between two floats: it has 25 bits, and its square is exact.
float keel_hypotf(float x, float y) {
    const float right = float_absolute(x), up = float_absolute(y);
    if (right >= float_infinity() && !float_is_nan(x)) return right;
    if (up >= float_infinity() && !float_is_nan(y)) return up;
    if (float_is_nan(x) || float_is_nan(y)) return float_nan();
    const keeli_wide square = wide_sum((double)right * (double)right, (double)up * (double)up);
    const double root = __builtin_sqrt(square.high), error = root * 0x1p-50;
    float above;
    if (float_is_settled(root, error, &above)) return above;
    const float below = (float)(root - error);
    const double limit = above >= float_infinity() ? 0x1p128 : (double)above;
    const double middle = ((double)below + limit) / 2;
    const keeli_wide distance = wide_add_double(square, -(middle * middle));
    if (distance.high > 0) return above;
    if (distance.high < 0) return below;
    return float_to_bits(below) & 1 ? above : below; // the even one
}

// ---- fmod ---------------------------------------------------------------------------------------
// A finite float as mantissa * 2^exponent.
static uint64_t root_mantissa(uint32_t bits, int *exponent) {
    const int biased = (int)(bits >> 23);
    *exponent = biased ? biased : 1;
    return (bits & 0x7fffff) | (biased ? 0x800000 : 0);
}

// mantissa * 2^exponent, of less than 25 bits, which is a float.
static float root_compose(uint64_t mantissa, int exponent) {
    if (mantissa == 0) return 0;
    while (!(mantissa & 0x800000) && exponent > 1) {
        mantissa <<= 1;
        --exponent;
    }
    const uint32_t high = mantissa & 0x800000 ? (uint32_t)exponent << 23 : 0;
    return float_from_bits(high | ((uint32_t)mantissa & 0x7fffff));
}

float keel_fmodf(float x, float y) {
    const float dividend = float_absolute(x), divisor = float_absolute(y);
    if (!(dividend < float_infinity()) || float_is_nan(y) || divisor == 0) return float_nan();
    if (dividend < divisor) return x;
    int exponent, divisor_exponent;
    uint64_t rest = root_mantissa(float_to_bits(dividend), &exponent);
    const uint64_t whole = root_mantissa(float_to_bits(divisor), &divisor_exponent);
    rest %= whole;
    for (int left = exponent - divisor_exponent; left > 0 && rest != 0; left -= 40)
        rest = (rest << (left < 40 ? left : 40)) % whole; // 24 bits and 40
    const float result = root_compose(rest, divisor_exponent);
    return float_is_negative(x) ? -result : result;
}
