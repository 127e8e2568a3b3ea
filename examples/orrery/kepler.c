// SPDX-License-Identifier: MIT
// Motion of two bodies: from orbital elements to a place on the ellipse.
#include "kepler.h"
#include <math.h>

static const double pi = 3.14159265358979323846;

elements elements_at(const elements *at_epoch, const elements *per_century, double centuries) {
    return (elements){
        .a = at_epoch->a + per_century->a * centuries,
        .e = at_epoch->e + per_century->e * centuries,
        .i = at_epoch->i + per_century->i * centuries,
        .L = at_epoch->L + per_century->L * centuries,
        .peri = at_epoch->peri + per_century->peri * centuries,
        .node = at_epoch->node + per_century->node * centuries,
    };
}

ellipse ellipse_of(const elements *orbit) {
    const double argument = orbit->peri - orbit->node; // of perihelion, from the node
    const double cw = cos(argument), sw = sin(argument);
    const double cn = cos(orbit->node), sn = sin(orbit->node);
    const double ci = cos(orbit->i), si = sin(orbit->i);
    const double a = orbit->a, b = a * sqrt(1 - orbit->e * orbit->e);
    return (ellipse){
        .e = orbit->e,
        .p = { a * (cw * cn - sw * sn * ci), a * (cw * sn + sw * cn * ci), a * sw * si },
        .q = { b * (-sw * cn - cw * sn * ci), b * (-sw * sn + cw * cn * ci), b * cw * si },
    };
}

// Where to start the search for E. What follows converges so fast that 0.001 from E is near enough.

// For small e: sine and cosine of M by Bhaskara's formula, a parabola over a parabola and off by
// 0.0016 at most, and one step of Halley's method from M. It costs a third of what follows below.
static double start_small(double mean, double e) {
    const double m = fabs(mean), from_quarter = 0.5 * pi - m, side = fabs(from_quarter);
    const double u = m * (pi - m), v = side * (pi - side), five = 5 * pi * pi;
    const double sine = 16 * u / (five - 4 * u);
    const double cosine = copysign(16 * v / (five - 4 * v), from_quarter);
    const double f0 = e * sine, f1 = 1 - e * cosine;
    return copysign(m + f0 * f1 / (f1 * f1 + 0.5 * f0 * f0), mean);
}

// For every e: F. L. Markley's root of a cubic (Celestial Mechanics 63, 1995).
static double start_any(double mean, double e) {
    const double alpha = (3 * pi * pi + 1.6 * pi * (pi - fabs(mean)) / (1 + e)) / (pi * pi - 6);
    const double d = 3 * (1 - e) + alpha * e, square = mean * mean;
    const double q = 2 * alpha * d * (1 - e) - square;
    const double r = (3 * alpha * d * (d - 1 + e) + square) * mean;
    const double root = cbrt(fabs(r) + sqrt(q * q * q + r * r)), w = root * root;
    return (2 * r * w / (w * w + w * q + q * q) + mean) / d;
}

// Householder's step of fifth order towards E, from where sine and cosine are known.
static double correction(double start, double sine, double cosine, double mean, double e) {
    const double f0 = start - e * sine - mean, f1 = 1 - e * cosine;
    const double f2 = e * sine / 2, f3 = e * cosine * (1.0 / 6), f4 = e * sine * (-1.0 / 24);
    const double d3 = -f0 * f1 / (f1 * f1 - f0 * f2);
    const double d4 = -f0 / (f1 + d3 * (f2 + d3 * f3));
    return -f0 / (f1 + d4 * (f2 + d4 * (f3 + d4 * f4)));
}

eccentric_anomaly kepler_solve(double mean, double e) {
    const double turn = 2 * pi, reduced = mean - turn * floor(mean * (1 / turn) + 0.5);
    const double start = e < 0.3 ? start_small(reduced, e) : start_any(reduced, e);
    const double sine = sin(start), cosine = cos(start);
    const double d = correction(start, sine, cosine, reduced, e), d2 = d * d;
    // Sine and cosine of the small step by their series, instead of another call of sin and cos.
    const double sd = d * (1 - d2 * (1.0 / 6) * (1 - d2 * (1.0 / 20)));
    const double cd = 1 - d2 * 0.5 * (1 - d2 * (1.0 / 12));
    return (eccentric_anomaly){ start + d, sine * cd + cosine * sd, cosine * cd - sine * sd };
}
