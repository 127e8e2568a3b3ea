// SPDX-License-Identifier: MIT
// The inspector of an example that is started with --inspect: it shows the running program in the browser (keel_inspect.h).
// swarm, square_eater and orrery_view call it. Built without EXAMPLE_INSPECT, it only says that the inspector is missing.
#pragma once
#include <keel/keel.h>

typedef struct inspected {
    const char *program;
    const keel_workload *workload; // of a frame
    bool edits;
    char token[132];             // "" at first; an inspector of another world keeps the address
    struct keel_inspect *server; // NULL: nothing is inspected
} inspected;

// Returns NULL if the inspector is there, or a sentence that says why not.
const char *inspected_missing(void);

// Begins to inspect a world, and prints the address. The first three members are set. Returns false after it has printed why not.
bool inspected_begin(inspected *i, keel_world *world);

// Answers what the page asks. Returns true if the next frame may run, as always while nothing is inspected.
bool inspected_update(inspected *i);

// Waits until the next frame of 60 in a second is due. Returns false once the program has been asked to stop, by SIGINT, SIGTERM or
// SIGHUP.
bool inspected_wait(void);

void inspected_end(inspected *i);
