// SPDX-License-Identifier: MIT
// A writer of text into memory of the caller, like snprintf: text that does not fit is counted but
// not written. It allocates nothing. Messages, names and everything that tell/ prints go through
// it.
#pragma once
#include <stdarg.h>
#include <stddef.h>

typedef struct keeli_writer {
    char *text;
    size_t size;   // bytes at `text`
    size_t length; // characters written so far, including those that did not fit
} keeli_writer;

// Returns a writer, and makes `text` empty. `text` may be NULL: then the writer only counts.
keeli_writer keeli_writer_begin(char *text, size_t size);
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
void keeli_write(keeli_writer *w, const char *format, ...);
// Writes a single character, without the cost of a format.
void keeli_write_char(keeli_writer *w, char c);
