// SPDX-License-Identifier: MIT
// The command line of swarm and swarm_headless. main.c calls it.
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef struct options {
    uint32_t boids;   // 0: as many as the machine moves in time; without a window 100,000
    uint32_t threads; // 0: one for each core
    uint32_t seed;
    uint32_t frames;        // without a window
    uint32_t width, height; // of the window or picture
    bool headless, hash, compare_threads, help;
    bool inspect, inspect_edits; // the second one implies the first
    const char *shot; // file of a picture, or NULL
} options;

// The text of --help.
extern const char options_help[];

// Reads the command line. Returns false after it has written a sentence to `why`.
bool options_parse(options *o, int count, char *arguments[], char why[200]);
