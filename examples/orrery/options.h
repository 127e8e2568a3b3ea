// SPDX-License-Identifier: MIT
// The command line.
#pragma once
#include "failure.h"
#include <stdint.h>

typedef struct settings {
    const char *data;  // the bodies
    double from_jd;    // Julian date of the first step
    double days;       // length of the run
    double step;       // days from one step to the next
    uint64_t steps;    // how many that makes, the first included
    uint32_t belt;     // asteroids to add
    uint64_t seed;     // which ones
    uint32_t threads;  // that compute
    const char *csv;   // where the positions go; NULL: nowhere
    const char *sqlite; // where they go as a time series; NULL: nowhere
    bool changed_only; // of the positions that differ from the step before
    const char *image; // where the picture goes; NULL: nowhere
    bool help;         // the user asked for the help text
} settings;

// The help text, for printf with one string: the program's name.
extern const char options_help[];

// Read the command line; the strings stay where they are in `arguments`.
bool options_parse(settings *options, int count, char *arguments[], failure *why);

// Julian date of a step, from 0: computed from the start, so that errors do not add up.
static inline double options_step_jd(const settings *options, uint64_t step) {
    return options->from_jd + (double)step * options->step;
}
