// SPDX-License-Identifier: MIT
// The pictures: curves, and a map of the people. They are drawn with cairo; a program that is built
// without it says so. play.c calls it on rank 0.
#pragma once
#include "curve.h"
#include "options.h"

// Somebody on the map.
typedef struct picture_person {
    int32_t x, y;
    uint32_t state; // health_state
    uint32_t rank;  // that owns the person
} picture_person;

// Returns why pictures cannot be drawn, or NULL.
const char *picture_missing(void);

// Draws the curves of the people and of the equations. Returns why it failed, or NULL.
const char *picture_draw_curve(const curve *c, const options *o, uint32_t ranks);

// Draws all people as points, and a thin box around those of each rank. Returns why it failed, or NULL.
const char *picture_draw_map(const picture_person *people, uint64_t count, const options *o,
                             uint32_t ranks, uint32_t day);
