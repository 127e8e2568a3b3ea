// SPDX-License-Identifier: MIT
// The three rules of Craig Reynolds for all boids of some rows of the grid: fly where the others fly, stay with them, and do not
// touch them. The system `steer` of flock.c calls it.
#pragma once
#include "flock.h"

// Computes how boids change their way. It writes push_x and push_y of the boids in rows from `begin` to before `end`.
// `frame` chooses whom a boid looks at where a cell is crowded.
void steer_rows(flock *f, const Space *space, uint32_t frame, uint32_t begin, uint32_t end);
