// SPDX-License-Identifier: MIT
// Numbers as text that comes back bit for bit, whatever the locale is.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEELI_NUMBER_TEXT = 64 }; // room for any

// The bits of a float or double with as few digits as tell it from all others.
void keeli_print_real(char text[KEELI_NUMBER_TEXT], uint64_t bits, bool is_double);
// False: that is no number, or too large for the type.
bool keeli_parse_real(const char *text, size_t length, bool is_double, uint64_t *bits);
// Decimal, or hexadecimal after 0x. False: no integer, or more than 64 bits.
bool keeli_parse_integer(const char *text, size_t length, bool *is_negative, uint64_t *magnitude);
