// SPDX-License-Identifier: MIT
#include "base/writer.h"

#include <stdbool.h>
#include <stdio.h>

keeli_writer keeli_writer_begin(char *text, size_t size) {
    if (text && size) text[0] = '\0';
    return (keeli_writer){ .text = text, .size = text ? size : 0 };
}

void keeli_write(keeli_writer *w, const char *format, ...) {
    const bool fits = w->length < w->size;
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(fits ? w->text + w->length : NULL, fits ? w->size - w->length : 0,
                            format, arguments);
    va_end(arguments);
    if (n > 0) w->length += (size_t)n;
}

void keeli_write_char(keeli_writer *w, char c) {
    if (w->length + 1 < w->size) {
        w->text[w->length] = c;
        w->text[w->length + 1] = '\0';
    }
    ++w->length;
}
