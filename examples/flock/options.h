// SPDX-License-Identifier: MIT
// The command line of flock. main.c calls it.
#pragma once
#include "command_line.h"

typedef struct options {
    common_options common;
    uint64_t boids;
    uint32_t steps;
    double near;  // mean number of others in sight, while boids are spread evenly
    double noise; // of a boid's way, a share of its largest turn
    const char *picture, *curve, *csv; // files, or NULL
} options;

// The text of --help.
extern const char options_help[];

// Reads the command line into `options`. Returns false after it has written a sentence to `why`.
bool options_parse(void *options, int count, char *arguments[], char why[WHY_SIZE]);
