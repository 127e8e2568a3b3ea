// SPDX-License-Identifier: MIT
// The JSON parser, and small helpers of keel::json. Tokens refer to strings and numbers in the
// text, so no digit of a number is lost. The parser checks their syntax, so decoding them later
// cannot fail. It does not know components: json_load.c reads its tokens.
#include "json_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char keeli_json_base64[65] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void *resize_by_malloc(void *context, void *block, size_t old_size, size_t new_size,
                              size_t align) {
    (void)context, (void)old_size, (void)align;
    if (new_size) return realloc(block, new_size);
    free(block);
    return NULL;
}

keel_allocator keeli_json_allocator(keel_allocator allocator) {
    if (!allocator.resize) allocator.resize = resize_by_malloc;
    return allocator;
}

void *keeli_json_resize(const keel_allocator *allocator, void *block, size_t old_size,
                        size_t new_size) {
    if (!block && !new_size) return NULL;
    return allocator->resize(allocator->context, block, old_size, new_size, sizeof(void *));
}

keel_result keeli_json_fail(keel_error *error, keel_result result, const char *format, ...) {
    if (!error) return result;
    memset(error, 0, sizeof *error);
    error->result = result;
    va_list values;
    va_start(values, format);
    vsnprintf(error->message, sizeof error->message, format, values);
    va_end(values);
    return result;
}

bool keeli_json_is_written(const keel_component *c) {
    // "keel_instance" is the template of a copy, written as "@copy_of"
    static const char *const own[] = { "keel_name", "keel_child", "keel_instance" };
    for (size_t i = 0; i < sizeof own / sizeof *own; ++i)
        if (strcmp(c->name, own[i]) == 0) return false;
    return !c->transient;
}

size_t keeli_json_utf8(const char *text, size_t length) {
    const unsigned char *s = (const unsigned char *)text;
    if (!length) return 0;
    if (s[0] < 0x80) return 1;
    const size_t n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || n > length) return 0;
    for (size_t i = 1; i < n; ++i)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0;
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
    return n;
}

static bool fail(keeli_json_tokens *t, const char *expected) {
    if (t->result == KEEL_OK) {
        t->result = KEEL_ERROR_TEXT;
        t->expected = expected;
    }
    return false;
}

static char peek(const keeli_json_tokens *t) { return t->at < t->length ? t->text[t->at] : '\0'; }

static void skip_space(keeli_json_tokens *t) {
    for (; t->at < t->length; ++t->at) {
        const char c = t->text[t->at];
        if (c == '/') (void)fail(t, "JSON, which has no comments,");
        if (c != ' ' && c != '\t' && c != '\r' && c != '\n') return;
        t->line += c == '\n';
    }
}

static bool add(keeli_json_tokens *t, keeli_json_kind kind, uint32_t start) {
    if (t->count == t->room) {
        const uint32_t room = t->room ? t->room * 2 : 64;
        void *items = keeli_json_resize(&t->allocator, t->items, t->room * sizeof *t->items,
                                        room * sizeof *t->items);
        if (!items) {
            t->result = KEEL_ERROR_MEMORY;
            return false;
        }
        t->items = items, t->room = room;
    }
    const keeli_json_token token = { kind, t->line, start, t->at, t->count + 1, 0 };
    t->items[t->count++] = token;
    return true;
}

static int hex(const char *text) {
    int value = 0;
    for (int i = 0; i < 4; ++i) {
        const char c = text[i];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

// Skips the digits of a \u escape, and the second escape of a surrogate pair. `at` is behind \u.
static bool check_unicode(keeli_json_tokens *t) {
    const int high = t->length - t->at >= 4 ? hex(t->text + t->at) : -1;
    if (high < 1) return fail(t, "four hexadecimal digits that are not zero");
    t->at += 4;
    if (high < 0xd800 || high > 0xdfff) return true;
    const bool follows = high < 0xdc00 && t->length - t->at >= 6 && t->text[t->at] == '\\' &&
                         t->text[t->at + 1] == 'u';
    const int low = follows ? hex(t->text + t->at + 2) : -1;
    if (low < 0xdc00 || low > 0xdfff) return fail(t, "two surrogates");
    t->at += 6;
    return true;
}

static bool parse_string(keeli_json_tokens *t) {
    if (peek(t) != '"') return fail(t, "a text in quotes");
    const uint32_t start = ++t->at;
    while (peek(t) != '"') {
        const size_t n = keeli_json_utf8(t->text + t->at, t->length - t->at);
        if (!n) return fail(t, t->at < t->length ? "UTF-8" : "a quote that ends the text");
        if ((unsigned char)peek(t) < 0x20) return fail(t, "a text on one line, with escapes");
        const bool is_escape = peek(t) == '\\';
        t->at += (uint32_t)n;
        if (!is_escape) continue;
        if (!peek(t) || !strchr("\"\\/bfnrtu", peek(t))) return fail(t, "an escape of JSON");
        if (t->text[t->at++] == 'u' && !check_unicode(t)) return false;
    }
    if (!add(t, KEELI_JSON_STRING, start)) return false;
    ++t->at;
    return true;
}

static bool skip_digits(keeli_json_tokens *t) {
    const uint32_t start = t->at;
    while (peek(t) >= '0' && peek(t) <= '9')
        ++t->at;
    return t->at != start || fail(t, "a digit");
}

static bool parse_number(keeli_json_tokens *t) {
    const uint32_t start = t->at;
    if (peek(t) == '-') ++t->at;
    if (peek(t) == '0') ++t->at;
    else if (!skip_digits(t)) return false;
    if (peek(t) == '.') {
        ++t->at;
        if (!skip_digits(t)) return false;
    }
    if (peek(t) == 'e' || peek(t) == 'E') {
        ++t->at;
        if (peek(t) == '+' || peek(t) == '-') ++t->at;
        if (!skip_digits(t)) return false;
    }
    return add(t, KEELI_JSON_NUMBER, start);
}

static bool parse_word(keeli_json_tokens *t, const char *word, keeli_json_kind kind) {
    const uint32_t start = t->at, length = (uint32_t)strlen(word);
    if (t->length - t->at < length || memcmp(t->text + t->at, word, length) != 0)
        return fail(t, "a value");
    t->at += length;
    return add(t, kind, start);
}

static bool parse_value(keeli_json_tokens *t, uint32_t depth);

static bool parse_list(keeli_json_tokens *t, uint32_t depth, keeli_json_kind kind) {
    const char end = kind == KEELI_JSON_OBJECT ? '}' : ']';
    const uint32_t self = t->count;
    if (depth == KEELI_JSON_DEPTH) return fail(t, "a nesting of at most 32 lists");
    if (!add(t, kind, t->at)) return false;
    ++t->at;
    skip_space(t);
    for (uint32_t n = 0; n || peek(t) != end; ++n) {
        if (kind == KEELI_JSON_OBJECT) {
            if (!parse_string(t)) return false;
            skip_space(t);
            if (peek(t) != ':') return fail(t, "':'");
            ++t->at;
            skip_space(t);
        }
        if (!parse_value(t, depth + 1)) return false;
        skip_space(t);
        t->items[self].count = n + 1;
        if (peek(t) == end) break;
        if (peek(t) != ',') return fail(t, kind == KEELI_JSON_OBJECT ? "',' or '}'" : "',' or ']'");
        ++t->at;
        skip_space(t);
        if (peek(t) == end) return fail(t, "another value, or no ',' before the end,");
    }
    ++t->at;
    t->items[self].next = t->count;
    return true;
}

static bool parse_value(keeli_json_tokens *t, uint32_t depth) {
    switch (peek(t)) {
    case '{':
        return parse_list(t, depth, KEELI_JSON_OBJECT);
    case '[':
        return parse_list(t, depth, KEELI_JSON_ARRAY);
    case '"':
        return parse_string(t);
    case 't':
        return parse_word(t, "true", KEELI_JSON_TRUE);
    case 'f':
        return parse_word(t, "false", KEELI_JSON_FALSE);
    case 'n':
        return parse_word(t, "null", KEELI_JSON_NULL);
    default:
        return (peek(t) == '-' || (peek(t) >= '0' && peek(t) <= '9')) ? parse_number(t)
                                                                      : fail(t, "a value");
    }
}

bool keeli_json_parse(keeli_json_tokens *t) {
    t->line = 1;
    if (t->length >= 3 && memcmp(t->text, "\xEF\xBB\xBF", 3) == 0) t->at = 3; // a byte order mark
    skip_space(t);
    if (!parse_value(t, 0)) return false;
    skip_space(t);
    return t->at == t->length || fail(t, "the end of the text");
}

void keeli_json_free(keeli_json_tokens *t) {
    keeli_json_resize(&t->allocator, t->items, t->room * sizeof *t->items, 0);
}

static size_t put_utf8(uint32_t code, char *out) {
    static const uint32_t first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    const size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(first[n == 1 ? 0 : n] | code);
    return n;
}

size_t keeli_json_decode(const keeli_json_tokens *t, const keeli_json_token *token, char *out) {
    static const char escapes[] = "bfnrt", meant[] = "\b\f\n\r\t";
    const char *s = t->text + token->start, *end = t->text + token->end;
    size_t n = 0;
    while (s < end) {
        if (*s != '\\') {
            out[n++] = *s++;
            continue;
        }
        const char c = s[1];
        s += 2;
        if (c == 'u') {
            uint32_t code = (uint32_t)hex(s);
            s += 4;
            if (code >= 0xd800 && code <= 0xdbff) {
                code = 0x10000 + ((code - 0xd800) << 10) + ((uint32_t)hex(s + 2) - 0xdc00);
                s += 6;
            }
            n += put_utf8(code, out + n);
        } else {
            const char *found = strchr(escapes, c);
            out[n++] = found ? meant[found - escapes] : c;
        }
    }
    out[n] = '\0';
    return n;
}

bool keeli_json_from_base64(const char *text, size_t length, unsigned char *out, size_t size) {
    if (length != (size + 2) / 3 * 4) return false;
    for (size_t i = 0, at = 0; i < length; i += 4) {
        uint32_t bits = 0;
        for (size_t j = 0; j < 4; ++j) {
            const bool is_padding = at + j > size; // digit j ends in byte at + j - 1
            const char *digit = strchr(keeli_json_base64, text[i + j]);
            if (is_padding ? text[i + j] != '=' : !text[i + j] || !digit) return false;
            bits = bits << 6 | (is_padding ? 0 : (uint32_t)(digit - keeli_json_base64));
        }
        for (int shift = 16; shift >= 0; shift -= 8) {
            const unsigned char byte = (unsigned char)(bits >> shift);
            if (at < size) out[at++] = byte;
            else if (byte) return false; // bits after the last byte must be zero
        }
    }
    return true;
}
