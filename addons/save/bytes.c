// SPDX-License-Identifier: MIT
// Small helpers of keel::save: growing bytes, little-endian numbers, and errors.
// They know neither files nor components. All of the add-on calls them.
#include "save.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void save_bytes_free(save_bytes *b) {
    free(b->data);
    *b = (save_bytes){ 0 };
}

unsigned char *save_bytes_more(save_bytes *b, size_t size) {
    if (b->is_full) return NULL;
    // allocates also for 0 bytes, because callers take NULL for an error
    if (!b->data || size > b->room - b->size) {
        size_t room = b->room < 256 ? 256 : b->room * 2;
        if (room < b->size + size) room = b->size + size;
        unsigned char *grown = realloc(b->data, room);
        if (!grown) {
            b->is_full = true;
            return NULL;
        }
        b->data = grown;
        b->room = room;
    }
    b->size += size;
    return b->data + (b->size - size);
}

void save_write_number(unsigned char *at, uint64_t number, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; ++i)
        at[i] = (unsigned char)(number >> (8 * i));
}

void save_put(save_bytes *b, uint64_t number, uint32_t bytes) {
    unsigned char *at = save_bytes_more(b, bytes);
    if (at) save_write_number(at, number, bytes);
}

void save_put_text(save_bytes *b, const char *text) {
    const size_t length = strlen(text);
    save_put(b, length, 2);
    unsigned char *at = save_bytes_more(b, length);
    if (at) memcpy(at, text, length);
}

keel_result save_fail(keel_error *error, keel_result result, const char *format, ...) {
    if (!error) return result;
    *error = (keel_error){ .result = result };
    va_list values;
    va_start(values, format);
    (void)vsnprintf(error->message, sizeof error->message, format, values);
    va_end(values);
    return result;
}
