// SPDX-License-Identifier: MIT
// Why something failed: one line for the user, carried up by functions that return false.
#pragma once
#include <stdbool.h>

typedef struct failure {
    char text[1024];
} failure;

// Write the text and return false, so that a function can end with `return fail(why, ...)`.
// Control characters of quoted input become '?', so that the message stays one line.
__attribute__((format(printf, 2, 3))) bool fail(failure *why, const char *format, ...);
