// SPDX-License-Identifier: MIT
// The command line of epidemic. main.c calls it.
#pragma once
#include "command_line.h"

typedef struct options {
    common_options common;
    uint64_t people, infected;
    uint32_t days;
    double contacts;  // mean number of people nearby
    double radius;    // of nearby, a share of the side; 0: it follows from contacts
    double chance;    // of an infection, for each infected person nearby and day
    double ill;       // mean days
    double travel;    // chance of a day
    const char *curve, *map, *csv; // files, or NULL
} options;

// The text of --help.
extern const char options_help[];

// Reads the command line into `options`, and makes contacts and radius agree. Returns false after it
// has written a sentence to `why`.
bool options_parse(void *options, int count, char *arguments[], char why[WHY_SIZE]);
