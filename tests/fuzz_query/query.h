// SPDX-License-Identifier: MIT
// What fuzzing of query texts shares: main.c and libfuzzer.c choose texts, query.c asks them.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Asks a small world a query, in one walk and in slices, and stops the program if an answer cannot
// be right. Returns whether the text is a query. The text is `size` bytes, up to its first zero.
bool query_ask(const uint8_t *bytes, size_t size);

// Texts that are queries, which changes begin with. The list ends with NULL.
extern const char *const query_samples[];
