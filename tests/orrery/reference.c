// SPDX-License-Identifier: MIT
// Where the planets are, from an independent source.
#include "reference.h"
#include <libnova/libnova.h>
#include <math.h>

static const double radians = 3.14159265358979323846 / 180;

const char *const reference_names[REFERENCE_PLANETS] = {
    "Mercury", "Venus", "EarthMoon", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune",
};

static void (*const helio_coords[REFERENCE_PLANETS])(double, struct ln_helio_posn *) = {
    ln_get_mercury_helio_coords, ln_get_venus_helio_coords,   ln_get_earth_helio_coords,
    ln_get_mars_helio_coords,    ln_get_jupiter_helio_coords, ln_get_saturn_helio_coords,
    ln_get_uranus_helio_coords,  ln_get_neptune_helio_coords,
};

void reference_position(int planet, double jd, double xyz[3]) {
    // libnova's answer is for the ecliptic and equinox of J2000, and it takes `jd` as dynamical
    // time.
    struct ln_helio_posn at;
    helio_coords[planet](jd, &at);
    const double L = at.L * radians, B = at.B * radians;
    xyz[0] = at.R * cos(B) * cos(L);
    xyz[1] = at.R * cos(B) * sin(L);
    xyz[2] = at.R * sin(B);
}
