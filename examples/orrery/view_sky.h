// SPDX-License-Identifier: MIT
// Paints the sky of the view: stars, orbits, asteroids, the Sun, planets and moons with their names.
#pragma once
#include "view_state.h"

// Paints the whole picture but texts and buttons in front of it. Returns false when memory runs out.
bool sky_paint(const view *shown);

// Frees what sky_paint keeps from one picture to the next.
void sky_free(void);
