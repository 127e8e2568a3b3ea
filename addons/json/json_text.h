// SPDX-License-Identifier: MIT
// The internal header of keel::json: the parser, which turns a text into a list of tokens, the text
// that a writer builds, base64, errors and memory. It does not know worlds. The loader and both
// writers, of worlds and of schemas, include it.
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

// A value, or the key of a member. The contents of an array or object follow it directly; a member
// is a key followed by its value.
typedef struct keeli_json_token {
    keeli_json_kind kind;
    uint32_t line;
    uint32_t start, end; // offsets in the text; of a string, without its quotes
    uint32_t next;       // index of the first token after this one and its contents
    uint32_t count;      // number of elements of an array, or of members of an object
} keeli_json_token;

typedef struct keeli_json_tokens {
    const char *text;
    uint32_t length, at, line; // size of the text; offset and line that the parser has reached
    uint32_t count, room;      // number of tokens; number that `items` has memory for
    keeli_json_token *items;
    keel_allocator allocator;
    keel_result result;
    const char *expected; // on an error of syntax: words for the text expected at `at`
} keeli_json_tokens;

// Limits: the depth of nested arrays and objects, and the bytes of a field's path in messages.
enum { KEELI_JSON_DEPTH = 32, KEELI_JSON_PATH = 512 };

// Returns the allocator, or malloc and free if it has no `resize`.
keel_allocator keeli_json_allocator(keel_allocator allocator);
void *keeli_json_resize(const keel_allocator *allocator, void *block, size_t old_size,
                        size_t new_size);
// Parses the text into `items`. False on error: see `result`, `line` and `expected`. The caller
// frees the tokens in any case.
bool keeli_json_parse(keeli_json_tokens *tokens);
void keeli_json_free(keeli_json_tokens *tokens);
// Copies the string of a token to `out`, with its escapes decoded and a zero at the end: at most
// t->end - t->start + 1 bytes. Returns the length without the zero.
size_t keeli_json_decode(const keeli_json_tokens *tokens, const keeli_json_token *t, char *out);
// Returns the length of the UTF-8 sequence at `text`, or 0 if it is invalid.
size_t keeli_json_utf8(const char *text, size_t length);
// Decodes padded base64 into exactly `size` bytes. False if the text is invalid or of another
// length.
bool keeli_json_from_base64(const char *text, size_t length, unsigned char *out, size_t size);
// The 64 digits of base64, and a zero.
extern const char keeli_json_base64[65];
// Fills in `error`, which may be NULL, and returns `result`.
keel_result keeli_json_fail(keel_error *error, keel_result result, const char *format, ...);
// A text that grows while it is written. After the first error, which is in `result`, the functions
// that append to it do nothing.
typedef struct keeli_json_out {
    char *text;
    size_t length, room;
    keel_allocator allocator;
    keel_error *error;
    keel_result result;
} keeli_json_out;
// Appends a text as it is.
void keeli_json_put(keeli_json_out *out, const char *text, size_t length);
// Appends a text with JSON's escapes. `path` names the value in errors.
void keeli_json_put_escaped(keeli_json_out *out, const char *text, size_t length, const char *path);
// Appends a text in quotes, with JSON's escapes.
void keeli_json_put_text(keeli_json_out *out, const char *text, size_t length, const char *path);
void keeli_json_end(keeli_json_out *out);
// Produces a text and calls `sink` with it, once. `data` and `write` belong to the same call of
// keeli_json_write_file; `context` is passed to the sink.
typedef keel_result keeli_json_write_fn(void *data, keel_json_sink *sink, void *context,
                                        keel_error *error);
// Writes the text that `write` produces into a file. On error the old file stays, except on
// Windows.
keel_result keeli_json_write_file(const char *path, keeli_json_write_fn *write, void *data,
                                  keel_error *error);
// True if the component or unique is written as a member of an entity or of "uniques". False if it
// is transient, or if the text has it in another form: names and parents in paths, the prefab of a
// copy as "@copy_of".
bool keeli_json_is_written(const keel_component *c);
