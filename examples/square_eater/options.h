// SPDX-License-Identifier: MIT
// The command line. main.c reads it once.
#pragma once
#include "autoplay.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct options {
    bool help, headless, hash, automatic, fullscreen;
    bool inspect, inspect_edits; // the second one implies the first
    uint32_t frames; // 0: without an end in a window, 3600 in headless runs
    uint32_t seed, threads;
    int32_t players;
    autoplay_goal goal;
    bool has_goal;
    const char *record, *replay, *shot; // NULL: none
} options;

extern const char options_help[];

// Reads the command line. False: `why` is a sentence about what is wrong with it.
bool options_read(options *o, int count, char **words, char why[256]);
