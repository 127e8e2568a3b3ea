// SPDX-License-Identifier: MIT
// What fuzzing of keel::inspect shares: main.c and libfuzzer.c choose byte strings, ask.c makes
// heads, requests and paths of them.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Asks, without a socket, and stops the program if an answer cannot be right. The first byte says
// what the rest is: 'h' a head, 'p' a path of a field, 'r' a request: path, arguments and body, a
// line each. Returns whether it was allowed, found, or answered without an error.
bool ask_bytes(const uint8_t *bytes, size_t size);

// Strings to begin with, of which each is answered by true. The list ends with NULL.
extern const char *const ask_samples[];
