// SPDX-License-Identifier: MIT
// Asteroids by chance: the same seed gives the same belt, on every machine.
#pragma once
#include "kepler.h"
#include <stdint.h>

// Where the belt is, in au: no asteroid ever comes nearer to the Sun or goes farther away.
#define BELT_INNER 2.1
#define BELT_OUTER 3.3

// The elements at J2000 of the next asteroid. `random` is the state of the random numbers, at first
// the seed; `mean_motion` becomes the asteroid's radians per century.
elements belt_next(uint64_t *random, double *mean_motion);
