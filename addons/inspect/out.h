// SPDX-License-Identifier: MIT
// Writes JSON into a text that grows. Commas are put by themselves. Texts that are not UTF-8 are
// repaired. All answers of keel::inspect are written with it.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct keeli_out {
    char *text;
    size_t length, room;
    size_t max_length; // 0: KEELI_MAX_ANSWER
    bool needs_comma;  // a value was written in the innermost array or object
    bool failed;  // out of memory, or longer than KEELI_MAX_ANSWER; nothing is appended any more
    bool is_long; // failed because of the length
} keeli_out;

void keeli_out_free(keeli_out *out);
// Makes the text empty and keeps its memory.
void keeli_out_clear(keeli_out *out);
// Makes room for so many bytes, so that they can be written without memory. False: `failed` is set.
bool keeli_out_reserve(keeli_out *out, size_t bytes);
// Appends bytes as they are.
void keeli_out_raw(keeli_out *out, const char *bytes, size_t length);
void keeli_out_raw_text(keeli_out *out, const char *text);
// Opens and closes an array or an object: '[', '{', ']', '}'.
void keeli_out_open(keeli_out *out, char bracket);
void keeli_out_close(keeli_out *out, char bracket);
// Writes the key of the next value.
void keeli_out_key(keeli_out *out, const char *key);
// Write a value. A NULL text is null.
void keeli_out_text(keeli_out *out, const char *text);
void keeli_out_text_of(keeli_out *out, const char *text, size_t length);
void keeli_out_number(keeli_out *out, uint64_t number);
void keeli_out_signed(keeli_out *out, int64_t number);
// Writes a number with at most three decimals.
void keeli_out_decimal(keeli_out *out, double number);
void keeli_out_bool(keeli_out *out, bool value);
void keeli_out_null(keeli_out *out);
// Writes a value that is JSON already.
void keeli_out_json(keeli_out *out, const char *json);

// Write a key and its value.
void keeli_out_key_text(keeli_out *out, const char *key, const char *text);
void keeli_out_key_number(keeli_out *out, const char *key, uint64_t number);
void keeli_out_key_bool(keeli_out *out, const char *key, bool value);
void keeli_out_key_null(keeli_out *out, const char *key);
void keeli_out_key_open(keeli_out *out, const char *key, char bracket);
