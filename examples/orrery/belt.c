// SPDX-License-Identifier: MIT
// Asteroids by chance.
#include "belt.h"
#include "dates.h"
#include <math.h>

static const double pi = 3.14159265358979323846;
// Gauss's constant: radians per day of a small body at 1 au.
static const double gauss = 0.01720209895;

// splitmix64 (S. Vigna, public domain): small, and any seed is a good one.
static uint64_t random_bits(uint64_t *random) {
    uint64_t z = *random += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

// From 0 to less than `limit`.
static double random_below(uint64_t *random, double limit) {
    return limit * (double)(random_bits(random) >> 11) * 0x1p-53;
}

// The true belt's shape, roughly: most orbits are nearly circular and flat, and few are near the
// edges (the product of two numbers is small more often than not, the mean of two is rarely extreme).
elements belt_next(uint64_t *random, double *mean_motion) {
    const double turn = 2 * pi, half_width = (BELT_OUTER - BELT_INNER) / 2;
    const double steepest = 25 * pi / 180;
    // One number per line: the order within an expression is the compiler's choice.
    const double a_first_half = random_below(random, half_width);
    const double a = BELT_INNER + a_first_half + random_below(random, half_width);
    // Perihelion and aphelion have to be in the belt too.
    const double widest = fmin(0.3, fmin(1 - BELT_INNER / a, BELT_OUTER / a - 1));
    const double e = random_below(random, fmax(widest, 0));
    const double i_limit = random_below(random, steepest);
    const double i = random_below(random, i_limit);
    const double L = random_below(random, turn);
    const double peri = random_below(random, turn);
    const double node = random_below(random, turn);
    *mean_motion = gauss / (a * sqrt(a)) * DAYS_PER_CENTURY; // Kepler's third law
    return (elements){ .a = a, .e = e, .i = i, .L = L, .peri = peri, .node = node };
}
