// SPDX-License-Identifier: MIT
// What the planets do to each other: small periodic terms in the mean longitude, of the planets that
// have any.
#pragma once
#include "bodies.h"

// cosine * cos(x) + sine * sin(x), with x = per_century * centuries since J2000; radians.
typedef struct periodic_term {
    double per_century, cosine, sine;
} periodic_term;

enum { PERTURBATION_TERMS = 8 };

typedef struct perturbations {
    int count;
    periodic_term terms[PERTURBATION_TERMS];
} perturbations;

// The terms of a body; none unless it is one of the eight planets by its name and by its motion.
perturbations perturbations_of(const body_row *body);

// What to add to the mean longitude, radians.
double perturbations_at(const perturbations *list, double centuries);
