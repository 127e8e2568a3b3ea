// SPDX-License-Identifier: MIT
// The writer of JSON. It allocates by malloc, and notes when memory runs out or the text becomes
// longer than an answer may be; the server then answers with that error.
#include "out.h"
#include "rules.h"

#include "../json/json_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void keeli_out_free(keeli_out *out) {
    free(out->text);
    *out = (keeli_out){ 0 };
}

void keeli_out_clear(keeli_out *out) {
    out->length = 0;
    out->needs_comma = false;
    out->failed = false;
    out->is_long = false;
}

// Makes room for more bytes, in the general case: the text grows, or it fails.
static bool out_grow(keeli_out *out, size_t more) {
    const size_t max_length = out->max_length ? out->max_length : KEELI_MAX_ANSWER;
    if (out->length + more > max_length) {
        out->failed = true;
        out->is_long = true;
        return false;
    }

    size_t room = (out->length + more) * 2 + 512;
    if (room > max_length) room = max_length; // whoever has room does not ask again
    char *grown = realloc(out->text, room);
    if (!grown) {
        out->failed = true;
        return false;
    }
    out->text = grown;
    out->room = room;
    return true;
}

bool keeli_out_reserve(keeli_out *out, size_t more) {
    if (out->failed) return false;
    return out->room - out->length >= more || out_grow(out, more);
}

// Appends bytes for which there is room.
static inline void out_put(keeli_out *out, const char *bytes, size_t length) {
    memcpy(out->text + out->length, bytes, length);
    out->length += length;
}
static inline void out_put_byte(keeli_out *out, char byte) { out->text[out->length++] = byte; }

// Makes room for a value of some bytes and the comma before it, and puts the comma.
static inline bool out_begin_value(keeli_out *out, size_t length) {
    if (!keeli_out_reserve(out, length + 1)) return false;
    if (out->needs_comma) out_put_byte(out, ',');
    out->needs_comma = true;
    return true;
}

void keeli_out_raw(keeli_out *out, const char *bytes, size_t length) {
    if (keeli_out_reserve(out, length)) out_put(out, bytes, length);
}

void keeli_out_raw_text(keeli_out *out, const char *text) {
    keeli_out_raw(out, text, strlen(text));
}

void keeli_out_open(keeli_out *out, char bracket) {
    if (!out_begin_value(out, 1)) return;
    out_put_byte(out, bracket);
    out->needs_comma = false;
}

void keeli_out_close(keeli_out *out, char bracket) {
    if (keeli_out_reserve(out, 1)) out_put_byte(out, bracket);
    out->needs_comma = true;
}

// Keys are words of the protocol, without anything to escape.
void keeli_out_key(keeli_out *out, const char *key) {
    const size_t length = strlen(key);
    if (!out_begin_value(out, length + 3)) return;
    out_put_byte(out, '"');
    out_put(out, key, length);
    out_put_byte(out, '"');
    out_put_byte(out, ':');
    out->needs_comma = false;
}

// Returns how many bytes at the begin of a text stand for themselves in JSON.
static size_t out_count_plain(const char *text, size_t length) {
    size_t i = 0;
    while (i < length && (unsigned char)text[i] >= 0x20 && (unsigned char)text[i] < 0x7f &&
           text[i] != '"' && text[i] != '\\')
        ++i;
    return i;
}

// Appends a byte of a text that JSON cannot have as it is, or a sequence of UTF-8. Returns how many
// bytes of the text that were.
static size_t out_put_special(keeli_out *out, const char *text, size_t length) {
    const unsigned char byte = (unsigned char)*text;
    const size_t sequence = byte < 0x80 ? 1 : keeli_json_utf8(text, length);
    char escape[8];
    if (byte >= 0x80) {
        static const char unknown[] = "\xEF\xBF\xBD"; // U+FFFD stands for a byte that is not UTF-8
        keeli_out_raw(out, sequence ? text : unknown, sequence ? sequence : 3);
        return sequence ? sequence : 1;
    }
    if (byte == '"' || byte == '\\') snprintf(escape, sizeof escape, "\\%c", byte);
    else if (byte == '\n') snprintf(escape, sizeof escape, "\\n");
    else snprintf(escape, sizeof escape, "\\u%04x", byte);
    keeli_out_raw_text(out, escape);
    return 1;
}

void keeli_out_text_of(keeli_out *out, const char *text, size_t length) {
    if (!out_begin_value(out, length + 2)) return;
    out_put_byte(out, '"');
    for (size_t i = 0; !out->failed;) {
        const size_t plain = out_count_plain(text + i, length - i);
        keeli_out_raw(out, text + i, plain);
        i += plain;
        if (i == length) break;
        i += out_put_special(out, text + i, length - i);
    }
    keeli_out_raw(out, "\"", 1);
}

void keeli_out_text(keeli_out *out, const char *text) {
    if (text) keeli_out_text_of(out, text, strlen(text));
    else keeli_out_null(out);
}

void keeli_out_number(keeli_out *out, uint64_t number) {
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    if (out_begin_value(out, sizeof digits)) out_put(out, digits + at, sizeof digits - at);
}

void keeli_out_signed(keeli_out *out, int64_t number) {
    if (number >= 0) {
        keeli_out_number(out, (uint64_t)number);
        return;
    }
    if (!out_begin_value(out, 1)) return;
    out_put_byte(out, '-');
    out->needs_comma = false;
    keeli_out_number(out, 0 - (uint64_t)number);
}

void keeli_out_decimal(keeli_out *out, double number) {
    if (!isfinite(number) || fabs(number) > 1e15) {
        keeli_out_null(out);
        return;
    }
    const int64_t thousandths = (int64_t)(number * 1000 + (number < 0 ? -0.5 : 0.5));
    const uint64_t size = thousandths < 0 ? 0 - (uint64_t)thousandths : (uint64_t)thousandths;
    if (!out_begin_value(out, 1)) return;
    out->needs_comma = false;
    if (thousandths < 0) out_put_byte(out, '-');
    keeli_out_number(out, size / 1000);
    const char decimals[] = { '.', (char)('0' + size / 100 % 10), (char)('0' + size / 10 % 10),
                              (char)('0' + size % 10) };
    keeli_out_raw(out, decimals, sizeof decimals);
}

void keeli_out_json(keeli_out *out, const char *json) {
    const size_t length = strlen(json);
    if (out_begin_value(out, length)) out_put(out, json, length);
}

void keeli_out_bool(keeli_out *out, bool value) { keeli_out_json(out, value ? "true" : "false"); }

void keeli_out_null(keeli_out *out) { keeli_out_json(out, "null"); }

void keeli_out_key_text(keeli_out *out, const char *key, const char *text) {
    keeli_out_key(out, key);
    keeli_out_text(out, text);
}

void keeli_out_key_number(keeli_out *out, const char *key, uint64_t number) {
    keeli_out_key(out, key);
    keeli_out_number(out, number);
}

void keeli_out_key_bool(keeli_out *out, const char *key, bool value) {
    keeli_out_key(out, key);
    keeli_out_bool(out, value);
}

void keeli_out_key_null(keeli_out *out, const char *key) {
    keeli_out_key(out, key);
    keeli_out_null(out);
}

void keeli_out_key_open(keeli_out *out, const char *key, char bracket) {
    keeli_out_key(out, key);
    keeli_out_open(out, bracket);
}
