// SPDX-License-Identifier: MIT
// Prints numbers as text and parses them. A printed number parses to the same bits, NaNs included,
// in any locale. It knows no fields and no components; the files of src/tell/ print and parse
// values with it.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEELI_NUMBER_TEXT = 64 }; // bytes, enough for any number

// Prints the float or double that has these bits: with as few decimal digits as parse to the same
// bits again, as inf or -inf, or as nan (nan:hex for a NaN with unusual bits).
void keeli_print_real(char text[KEELI_NUMBER_TEXT], uint64_t bits, bool is_double);
// Parses a float or double, in the forms that keeli_print_real writes and other decimal ones. Sets
// `*bits`. False if the text is no number, or a number that is too large for the type.
bool keeli_parse_real(const char *text, size_t length, bool is_double, uint64_t *bits);
// Parses a decimal integer, or a hexadecimal one that begins with 0x, with or without a sign. False
// if the text is no integer, or if its magnitude has more than 64 bits.
bool keeli_parse_integer(const char *text, size_t length, bool *is_negative, uint64_t *magnitude);
