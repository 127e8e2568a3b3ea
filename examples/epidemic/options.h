// SPDX-License-Identifier: MIT
// The command line of epidemic. main.c calls it.
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef struct options {
    uint64_t people, infected, seed;
    uint32_t days;
    uint32_t ranks;   // threads that are ranks; 0: the ranks of mpirun, or one
    uint32_t threads; // of each rank
    double contacts;  // mean number of people nearby
    double radius;    // of nearby, a share of the side; 0: it follows from contacts
    double chance;    // of an infection, for each infected person nearby and day
    double ill;       // mean days
    double travel;    // chance of a day
    const char *curve, *map, *csv; // files, or NULL
    bool quiet, help;
} options;

// The text of --help.
extern const char options_help[];

// Reads the command line, and makes contacts and radius agree. Returns false after it has written a
// sentence to `why`.
bool options_parse(options *o, int count, char *arguments[], char why[240]);
