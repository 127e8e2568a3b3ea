// SPDX-License-Identifier: MIT
// A line on the terminal that tells how far a long run is.
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    bool is_shown;     // stderr is a terminal
    uint64_t steps;    // of the whole run
    double start;      // seconds, of a clock that only goes forward
    double next_shown; // when the line may change again
} progress;

void progress_begin(progress *line, uint64_t steps);

// Tell how many steps are done; cheap enough for each of them.
void progress_step(progress *line, uint64_t done);

// Clear the line. Returns the seconds since progress_begin.
double progress_end(progress *line);
