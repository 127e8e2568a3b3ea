// SPDX-License-Identifier: MIT
// The writer of text.h, and constant texts of the interface: those of results, the version, and the
// logger that drops every line. Messages themselves are written where they are logged.
#include "base/text.h"

#include <keel/base.h>
#include <stdbool.h>
#include <stdio.h>

keeli_writer keeli_writer_begin(char *text, size_t size) {
    if (text && size)
        text[0] = '\0';
    return (keeli_writer){ .text = text, .size = text ? size : 0 };
}

void keeli_write(keeli_writer *w, const char *format, ...) {
    const bool fits = w->length < w->size;
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(fits ? w->text + w->length : NULL, fits ? w->size - w->length : 0,
                            format, arguments);
    va_end(arguments);
    if (n > 0)
        w->length += (size_t)n;
}

void keeli_write_char(keeli_writer *w, char c) {
    if (w->length + 1 < w->size) {
        w->text[w->length] = c;
        w->text[w->length + 1] = '\0';
    }
    ++w->length;
}

// ------------------------------------------------------------------ public
const char *keel_result_text(keel_result result) {
    switch (result) {
#define TEXT(name, value, text)                                                                    \
    case name:                                                                                     \
        return text;
        KEEL_RESULTS(TEXT)
#undef TEXT
    }
    return "unknown result";
}

#define WORD_(x) #x
#define WORD(x) WORD_(x)
const char *keel_version(void) {
    return WORD(KEEL_VERSION_MAJOR) "." WORD(KEEL_VERSION_MINOR) "." WORD(KEEL_VERSION_PATCH);
}

static void drop_line(void *context, keel_log_level level, const char *line) {
    (void)context, (void)level, (void)line;
}

const keel_logger keel_log_none = { .write = drop_line };
