// SPDX-License-Identifier: MIT
// Text into the caller's memory, as snprintf does it: what does not fit is counted and not written.
#pragma once
#include <stdarg.h>
#include <stddef.h>

typedef struct keeli_writer {
    char *text;
    size_t size;   // of `text`
    size_t length; // of what was written so far, which may be more than fits
} keeli_writer;

// `text` may be NULL. It is empty afterwards.
keeli_writer keeli_writer_begin(char *text, size_t size);
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
void keeli_write(keeli_writer *w, const char *format, ...);
// A single character; cheap.
void keeli_write_char(keeli_writer *w, char c);
