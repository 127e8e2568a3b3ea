// SPDX-License-Identifier: MIT
// The command line of the view.
#pragma once
#include "failure.h"
#include <stdint.h>

typedef struct view_settings {
    const char *data; // the bodies
    double from_jd;   // Julian date at the start
    double days;      // that pass before the hash or the picture
    uint32_t belt;    // asteroids
    uint64_t seed;    // which ones
    uint32_t threads; // that compute; 0: one for each core
    bool headless;    // no window
    bool hash;        // print the hash of the world
    const char *shot; // where the picture goes; NULL: nowhere
    int width, height; // of the window or the picture
    const char *follow; // name of a body; NULL: nobody
    double zoom;      // factor, 1 at first
    bool inspect, inspect_edits; // the second one implies the first
    bool help;
} view_settings;

// The help text.
extern const char view_help[];

// Reads the command line; the strings stay where they are in `arguments`.
bool view_options_parse(view_settings *options, int count, char *arguments[], failure *why);
