// SPDX-License-Identifier: MIT
// The command line of cells. main.c calls it.
#pragma once
#include "command_line.h"

typedef struct options {
    common_options common;
    uint64_t cells;    // that there is food for
    uint32_t founders; // that the colony begins with
    uint32_t steps;
    const char *picture, *curve, *csv; // files, or NULL
} options;

// The text of --help.
extern const char options_help[];

// Reads the command line into `options`. Returns false after it has written a sentence to `why`.
bool options_parse(void *options, int count, char *arguments[], char why[WHY_SIZE]);
