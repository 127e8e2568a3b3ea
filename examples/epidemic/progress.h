// SPDX-License-Identifier: MIT
// A line on the terminal that tells how far a long run is. play.c calls it on rank 0.
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    bool is_shown;     // stderr is a terminal
    uint32_t days;     // of the whole run
    double begin;      // seconds, of a clock that only goes forward
    double next_shown; // when the line may change again
} progress;

// Begins the time. Nothing is ever shown if `quiet`.
void progress_begin(progress *line, uint32_t days, bool quiet);

// Shows how many days are done, and how many people are infected.
void progress_day(progress *line, uint32_t done, uint64_t infected);

// Clears the line. Returns the seconds since progress_begin.
double progress_end(progress *line);
