// SPDX-License-Identifier: MIT
// The pictures: curves, and a map of the people. They are drawn with cairo; a program that is built
// without it says so. play.c calls it on rank 0.
#pragma once
#include "curve.h"
#include "map.h"
#include "options.h"

// Draws the curves of the people and of the equations. Returns why it failed, or NULL.
const char *picture_draw_curve(const curve *c, const options *o, uint32_t ranks);

// Draws all people as points of kinds health_state, and a thin box around those of each rank. Returns
// why it failed, or NULL.
const char *picture_draw_map(const map *people, const options *o, uint32_t ranks);
