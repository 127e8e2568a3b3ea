// SPDX-License-Identifier: MIT
/// @file keel_maths.h
/// Functions of floats that have the same bits on every machine: `keel::maths`. Games that send
/// inputs instead of states use them, and so do replays.
///
/// Each function returns the float that is nearest to the exact result, and of two that are equally
/// near the one whose last bit is zero. So there is one right answer, whatever the compiler, the
/// processor or the C library. The functions of libm promise no such thing: sinf of one machine
/// differs from sinf of another one.
///
/// Infinities, zeros and their signs are as in Annex F of the C standard. Where the result is not a
/// number, it is always the one with the bits 0x7fc00000. No function sets errno.
///
/// The functions expect that the processor rounds to nearest and keeps small (subnormal) numbers,
/// as it does unless a program changes that; keel_float_check.h checks it. The rest of a program
/// has to be compiled so that its own sums are the same, too: the CMake function
/// `keel_deterministic` adds the flags, and docs/tasks/determinism.md says why.
///
/// This library uses nothing of the core of Keel.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the sine of an angle in radians. An infinite angle has none: not a number.
float keel_sinf(float x);
/// Returns the cosine of an angle in radians. An infinite angle has none: not a number.
float keel_cosf(float x);
/// Returns the tangent of an angle in radians. An infinite angle has none: not a number.
float keel_tanf(float x);

/// Returns the angle between -pi/2 and pi/2 whose sine is x; not a number unless -1 <= x <= 1.
float keel_asinf(float x);
/// Returns the angle between 0 and pi whose cosine is x; not a number unless -1 <= x <= 1.
float keel_acosf(float x);
/// Returns the angle between -pi/2 and pi/2 whose tangent is x.
float keel_atanf(float x);
/// Returns the angle of the point (x, y), from -pi to pi. Note the order: y comes first, as in C.
float keel_atan2f(float y, float x);

/// Returns e to the power of x.
float keel_expf(float x);
/// Returns the natural logarithm; that of zero is -infinity, that of a negative number is not a
/// number.
float keel_logf(float x);
/// Returns x to the power of y. A negative x needs a whole y, or the result is not a number. The
/// power 0 of anything is 1, and so is any power of 1.
float keel_powf(float x, float y);

/// Returns the square root; that of a negative number is not a number.
float keel_sqrtf(float x);
/// Returns the cube root, which has the sign of x.
float keel_cbrtf(float x);
/// Returns the distance of the point (x, y) from the origin, also where x * x would be too large.
float keel_hypotf(float x, float y);
/// Returns what is left of x after as many whole y as fit, with the sign of x. The result is exact.
/// Not a number if x is infinite or y is zero.
float keel_fmodf(float x, float y);

#ifdef __cplusplus
}
#endif
