// SPDX-License-Identifier: MIT
// Numbers as text, and back, bit for bit and in any locale. It knows no fields and no components;
// tell/ prints and parses values with it.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEELI_NUMBER_TEXT = 64 }; // bytes, enough for any number

// Writes a float or double, given as bits, with the fewest digits that no other number has.
void keeli_print_real(char text[KEELI_NUMBER_TEXT], uint64_t bits, bool is_double);
// Reads a float or double into `*bits`. False if the text is no number, or one too large for the
// type.
bool keeli_parse_real(const char *text, size_t length, bool is_double, uint64_t *bits);
// Reads a decimal integer, or a hexadecimal one after 0x. False if the text is no integer, or one
// of more than 64 bits.
bool keeli_parse_integer(const char *text, size_t length, bool *is_negative, uint64_t *magnitude);
