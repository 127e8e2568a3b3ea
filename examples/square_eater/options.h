// SPDX-License-Identifier: MIT
// The command line. main.c reads it once.
#pragma once
#include "autoplay.h"
#include "together.h"
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
    bool hosts, watches, simulates;     // a session with others
    bool plays_both;                    // a session of two machines in this program
    char join[256];                     // a host; "": none
    uint16_t port;
    keel_loopback_desc weather; // with --simulate
} options;

extern const char options_help[];

// Returns true if others play over the network.
bool options_is_session(const options *o);

// Returns the options of a session. It has a transport, unless the program is built without ENet.
together_options options_together(const options *o);

// Reads the command line. False: `why` is a sentence about what is wrong with it.
bool options_read(options *o, int count, char **words, char why[256]);
