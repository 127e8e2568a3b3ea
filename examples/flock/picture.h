// SPDX-License-Identifier: MIT
// The pictures: a map of the boids, and curves. They are drawn with cairo; a program that is built
// without it says so. play.c calls it on rank 0.
#pragma once
#include "map.h"
#include "options.h"
#include "record.h"

// Draws all boids in the colour of their rank, which is their kind, and the regions of the ranks.
// Returns why it failed, or NULL.
const char *picture_draw_map(const map *boids, const options *o, uint32_t ranks);

// Draws the order of each step, and below it how uneven the work of the ranks was. Returns why it
// failed, or NULL.
const char *picture_draw_curve(const record *r, const options *o, uint32_t ranks);
