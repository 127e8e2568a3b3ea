// SPDX-License-Identifier: MIT
// JSON as a list of tokens that know their lines, bytes as base64, memory that grows.
#pragma once
#include "keel_json.h"

#include <stdarg.h>

typedef enum keeli_json_kind {
    KEELI_JSON_NULL,
    KEELI_JSON_TRUE,
    KEELI_JSON_FALSE,
    KEELI_JSON_NUMBER,
    KEELI_JSON_STRING,
    KEELI_JSON_ARRAY,
    KEELI_JSON_OBJECT
} keeli_json_kind;

// A value, or the key of a member. What an array or object holds follows it; members are pairs.
typedef struct keeli_json_token {
    keeli_json_kind kind;
    uint32_t line;
    uint32_t start, end; // bytes of the text; those of a string without its quotes
    uint32_t next;       // the token behind all that this one holds
    uint32_t count;      // elements, or members
} keeli_json_token;

typedef struct keeli_json_tokens {
    const char *text;
    uint32_t length, at, line;
    uint32_t count, room;
    keeli_json_token *items;
    keel_allocator allocator;
    keel_result result;
    const char *expected; // what should stand at `at`
} keeli_json_tokens;

enum { KEELI_JSON_DEPTH = 32, KEELI_JSON_PATH = 512 };

// The allocator itself, or malloc and free.
keel_allocator keeli_json_allocator(keel_allocator allocator);
void *keeli_json_resize(const keel_allocator *allocator, void *block, size_t old_size,
                        size_t new_size);
// False: `result`, `line` and `expected` say what is wrong. Free `items` in any case.
bool keeli_json_parse(keeli_json_tokens *tokens);
void keeli_json_free(keeli_json_tokens *tokens);
// The bytes of a string, without escapes, and a zero: at most end - start + 1. Its length.
size_t keeli_json_decode(const keeli_json_tokens *tokens, const keeli_json_token *t, char *out);
// Bytes of the UTF-8 sequence at `text`, or 0 when there is none.
size_t keeli_json_utf8(const char *text, size_t length);
// Exactly `size` bytes from base64 with its padding; false when it is none, or of other length.
bool keeli_json_from_base64(const char *text, size_t length, unsigned char *out, size_t size);
extern const char keeli_json_base64[65];
// Fills in `error`, which may be NULL, and returns `result`.
keel_result keeli_json_fail(keel_error *error, keel_result result, const char *format, ...);
// A text that is written. The first error stays, and nothing comes after it.
typedef struct keeli_json_out {
    char *text;
    size_t length, room;
    keel_allocator allocator;
    keel_error *error;
    keel_result result;
} keeli_json_out;
void keeli_json_put(keeli_json_out *out, const char *text, size_t length);
// With the escapes of JSON; `path` is whose it is, for errors. And with quotes.
void keeli_json_put_escaped(keeli_json_out *out, const char *text, size_t length, const char *path);
void keeli_json_put_text(keeli_json_out *out, const char *text, size_t length, const char *path);
void keeli_json_end(keeli_json_out *out);
// What `write` hands to a sink becomes a file, all of it or nothing.
typedef keel_result keeli_json_write_fn(void *data, keel_json_sink *sink, void *context,
                                        keel_error *error);
keel_result keeli_json_write_file(const char *path, keeli_json_write_fn *write, void *data,
                                  keel_error *error);
// Is this one written as a component of an entity, or as a unique?
bool keeli_json_is_written(const keel_component *c);
// Errors are handed out by `error`, so worlds in between write no log.
void keeli_json_be_silent(void *context, keel_log_level level, const char *line);
