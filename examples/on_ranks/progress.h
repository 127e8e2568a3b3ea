// SPDX-License-Identifier: MIT
// A line on the terminal that tells how far a long run is. play.c of each program calls it on rank 0.
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    bool is_shown;     // stderr is a terminal
    uint32_t before;   // steps that a run before this one has played
    uint32_t steps;    // of the whole run
    const char *unit;  // what a step is called: "day"
    double begin;      // seconds, of a clock that only goes forward
    double next_shown; // when the line may change again
} progress;

// Begins the time, after some steps of a run before. Nothing is ever shown if `quiet`.
void progress_begin(progress *line, const char *unit, uint32_t before, uint32_t steps, bool quiet);

// Shows how many steps are done, and one number of the model: "1203 infected".
void progress_step(progress *line, uint32_t done, double number, const char *what);

// Returns the seconds since progress_begin.
double progress_seconds(const progress *line);

// Clears the line. Returns the seconds since progress_begin.
double progress_end(progress *line);
