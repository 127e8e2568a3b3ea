// SPDX-License-Identifier: MIT
// What the planets do to each other.
//
// Source: J. L. Simon, P. Bretagnon, J. Chapront, M. Chapront-Touze, G. Francou and J. Laskar,
// "Numerical expressions for precession formulae and mean elements for the Moon and the planets",
// Astronomy and Astrophysics 282, 663 (1994), section 6: the trigonometric terms of the mean
// longitudes. Amplitudes are in units of 1e-7 radians, as published, and none is changed.
//
// Theirs are to be added to mean elements of all time, but the data file has elements that were
// fitted to two and a half centuries, which took in already what a drift or another ellipse can
// imitate. So these of their terms are left out: those of a period above 100 years; those whose
// period is so near to the planet's own that the two take above 100 years to get out of step; and
// those that grow with time, which are all of one of these two kinds.
#include "perturbations.h"
#include <math.h>
#include <string.h>

static const double radians = 3.14159265358979323846 / 180;

// All frequencies are multiples of this one; radians per century.
static const double base_frequency = 0.035953620;

typedef struct published_term {
    int multiple, cosine, sine;
} published_term;

static const struct {
    const char *name;
    double motion; // degrees per century
    published_term terms[PERTURBATION_TERMS];
} planets[] = {
    { "Mercury",
      149472.675,
      { { 3086, 21, -342 },
        { 15746, -95, 136 },
        { 69613, -157, -23 },
        { 59899, 41, 62 },
        { 75645, -5, 66 },
        { 88306, 42, -52 },
        { 12661, 23, -33 },
        { 2658, 30, 17 } } },
    { "Venus",
      58517.816,
      { { 21863, -160, 524 },
        { 32794, -313, -149 },
        { 10931, -235, -35 },
        { 4387, -74, 151 },
        { 26934, -76, 122 },
        { 1473, -27, -71 },
        { 2157, 34, -62 } } },
    { "EarthMoon",
      35999.373,
      { { 16002, -322, -137 },
        { 21863, -79, 258 },
        { 10931, 232, 35 },
        { 1473, -52, -116 },
        { 32004, 97, -88 },
        { 4387, 55, -112 } } },
    { "Mars",
      19140.299,
      { { 6345, -979, -205 },
        { 7818, 802, -936 },
        { 1107, 602, -240 },
        { 15636, -668, 140 },
        { 7077, -33, -341 },
        { 8184, 345, -97 },
        { 532, 201, -232 } } },
    { "Jupiter",
      3034.906,
      { { 1760, -4997, 8016 },
        { 287, -5841, 1448 },
        { 1167, -2617, -3024 },
        { 880, 1115, -3710 },
        { 574, -748, 318 },
        { 2640, -607, 503 } } },
    { "Saturn", 1222.114, { { 287, 20012, -4964 }, { 306, -730, 1441 }, { 1760, 824, -1319 } } },
    { "Uranus", 428.467, { { 1265, 2540, 434 } } },
    { "Neptune", 218.486, { { 1367, 1648, 0 }, { 487, 866, -244 } } },
};

static perturbations converted(const published_term terms[PERTURBATION_TERMS]) {
    perturbations list = { 0 };
    for (int k = 0; k < PERTURBATION_TERMS && terms[k].multiple; ++k)
        list.terms[list.count++] = (periodic_term){ terms[k].multiple * base_frequency,
                                                    terms[k].cosine * 1e-7, terms[k].sine * 1e-7 };
    return list;
}

// A file may call any body Saturn. Fits of a planet's motion differ by 0.03 percent.
static bool moves_like(const body_row *body, double degrees_per_century) {
    return fabs(body->per_century.L / (degrees_per_century * radians) - 1) < 0.001;
}

perturbations perturbations_of(const body_row *body) {
    for (size_t k = 0; k < sizeof planets / sizeof planets[0]; ++k)
        if (strcmp(body->name, planets[k].name) == 0 && moves_like(body, planets[k].motion))
            return converted(planets[k].terms);
    return (perturbations){ 0 };
}

double perturbations_at(const perturbations *list, double centuries) {
    double sum = 0;
    for (int k = 0; k < list->count; ++k) {
        const periodic_term *term = &list->terms[k];
        const double x = term->per_century * centuries;
        sum += term->cosine * cos(x) + term->sine * sin(x);
    }
    return sum;
}
