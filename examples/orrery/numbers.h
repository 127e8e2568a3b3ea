// SPDX-License-Identifier: MIT
// Numbers from text, strictly: the whole text must be one plain decimal number.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// A finite number such as 1, -0.5 or 3.7e-07. No NaN, no infinity, no hexadecimal, no spaces.
bool number_parse(const char *text, double *number);

// A whole number from 0 to `maximum`, digits only.
bool integer_parse(const char *text, uint64_t maximum, uint64_t *number);
