// SPDX-License-Identifier: MIT
// Where the planets are, from an independent source: VSOP87 by way of libnova.
#pragma once

enum { REFERENCE_PLANETS = 8 };

// What the data file calls the planet.
extern const char *const reference_names[REFERENCE_PLANETS];

// The heliocentric ecliptic direction and distance in the frame of J2000: x, y, z in au. `jd` is
// TDB. "EarthMoon" is the Earth itself: up to 7 arc seconds from the barycentre that the data file
// means.
void reference_position(int planet, double jd, double xyz[3]);
