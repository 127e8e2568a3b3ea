// SPDX-License-Identifier: MIT
// Motion of two bodies: from orbital elements to a place on the ellipse.
#pragma once

// Orbital elements: lengths in au, angles in radians.
typedef struct elements {
    double a;    // semi-major axis
    double e;    // eccentricity, from 0 to less than 1
    double i;    // inclination to the ecliptic
    double L;    // mean longitude
    double peri; // longitude of perihelion
    double node; // longitude of the ascending node
} elements;

// An ellipse in space, seen from its focus. A point of it is (cos E - e) p + sin E q.
typedef struct ellipse {
    double e;    // eccentricity
    double p[3]; // from the centre to the perihelion, au
    double q[3]; // from the centre a quarter turn (of E) further, au
} ellipse;

// The eccentric anomaly E; its sine and cosine are by-products that the next step needs.
typedef struct eccentric_anomaly {
    double radians, sine, cosine;
} eccentric_anomaly;

// The elements `centuries` after the epoch of `at_epoch`.
elements elements_at(const elements *at_epoch, const elements *per_century, double centuries);

// The ellipse that the elements describe (all but L).
ellipse ellipse_of(const elements *orbit);

// Solve Kepler's equation E - e sin E = M.
// Any finite mean anomaly; 0 <= e < 1. The answer is within [-pi, pi].
eccentric_anomaly kepler_solve(double mean, double e);
