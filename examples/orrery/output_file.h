// SPDX-License-Identifier: MIT
// Files that appear complete or not at all: written beside the target under another name, and
// renamed at the end. Devices and pipes are written directly.
#pragma once
#include "failure.h"
#include <stdio.h>

typedef struct output_file {
    FILE *file;       // write here; NULL: not open, or closed again
    const char *path; // as the user calls it
    char *target;     // its full name, behind symbolic links; NULL: not in use
    char *temporary;  // the name for now; NULL: the target is written directly
} output_file;

// Open for writing, and check at once that the target could be replaced. Zero the struct before.
// `path` must live as long as the struct is used.
bool output_open(output_file *output, const char *path, failure *why);

// Would publishing replace the file of this path? Never true for devices, and while not open.
bool output_replaces(const output_file *output, const char *path);

// Report that writing failed just now: errno says why.
bool output_fail(const output_file *output, failure *why);

// Write out everything that is buffered, and close. On an error use output_discard.
bool output_close(output_file *output, failure *why);

// Give the closed file its name.
bool output_publish(output_file *output, failure *why);

// Remove what was not published and free the names. Does nothing to a zeroed struct.
void output_discard(output_file *output);
