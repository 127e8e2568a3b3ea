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

bool keeli_out_reserve(keeli_out *out, size_t more) {
    if (out->failed) return false;
    if (out->length + more <= out->room) return true;
    const size_t max_length = out->max_length ? out->max_length : KEELI_MAX_ANSWER;
    if (out->length + more > max_length) {
        out->failed = true;
        out->is_long = true;
        return false;
    }

    const size_t room = (out->length + more) * 2 + 512;
    char *grown = realloc(out->text, room);
    if (!grown) {
        out->failed = true;
        return false;
    }
    out->text = grown;
    out->room = room;
    return true;
}

void keeli_out_raw(keeli_out *out, const char *bytes, size_t length) {
    if (!keeli_out_reserve(out, length)) return;
    memcpy(out->text + out->length, bytes, length);
    out->length += length;
}

void keeli_out_raw_text(keeli_out *out, const char *text) {
    keeli_out_raw(out, text, strlen(text));
}

static void out_byte(keeli_out *out, char byte) { keeli_out_raw(out, &byte, 1); }

static void out_separate(keeli_out *out) {
    if (out->needs_comma) out_byte(out, ',');
    out->needs_comma = true;
}

void keeli_out_open(keeli_out *out, char bracket) {
    out_separate(out);
    out_byte(out, bracket);
    out->needs_comma = false;
}

void keeli_out_close(keeli_out *out, char bracket) {
    out_byte(out, bracket);
    out->needs_comma = true;
}

void keeli_out_key(keeli_out *out, const char *key) {
    keeli_out_text(out, key);
    out_byte(out, ':');
    out->needs_comma = false;
}

// Appends the escape of a byte that JSON cannot have in a text.
static void out_escape(keeli_out *out, unsigned char byte) {
    char escape[8];
    if (byte == '"' || byte == '\\') snprintf(escape, sizeof escape, "\\%c", byte);
    else if (byte == '\n') snprintf(escape, sizeof escape, "\\n");
    else snprintf(escape, sizeof escape, "\\u%04x", byte);
    keeli_out_raw_text(out, escape);
}

void keeli_out_text_of(keeli_out *out, const char *text, size_t length) {
    out_separate(out);
    out_byte(out, '"');
    for (size_t i = 0, plain = 0; i < length && !out->failed; plain = i) {
        while (i < length && (unsigned char)text[i] >= 0x20 && (unsigned char)text[i] < 0x7f &&
               text[i] != '"' && text[i] != '\\')
            ++i;
        keeli_out_raw(out, text + plain, i - plain);
        if (i == length) break;
        const unsigned char byte = (unsigned char)text[i];
        const size_t sequence = byte < 0x80 ? 1 : keeli_json_utf8(text + i, length - i);
        if (byte < 0x80) out_escape(out, byte);
        else if (sequence) keeli_out_raw(out, text + i, sequence);
        else keeli_out_raw_text(out, "\xEF\xBF\xBD"); // U+FFFD stands for a byte that is not UTF-8
        i += sequence ? sequence : 1;
    }
    out_byte(out, '"');
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
    out_separate(out);
    keeli_out_raw(out, digits + at, sizeof digits - at);
}

void keeli_out_signed(keeli_out *out, int64_t number) {
    if (number >= 0) {
        keeli_out_number(out, (uint64_t)number);
        return;
    }
    out_separate(out);
    out_byte(out, '-');
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
    out_separate(out);
    out->needs_comma = false;
    if (thousandths < 0) out_byte(out, '-');
    keeli_out_number(out, size / 1000);
    const char decimals[] = { '.', (char)('0' + size / 100 % 10), (char)('0' + size / 10 % 10),
                              (char)('0' + size % 10) };
    keeli_out_raw(out, decimals, sizeof decimals);
}

void keeli_out_json(keeli_out *out, const char *json) {
    out_separate(out);
    keeli_out_raw_text(out, json);
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
