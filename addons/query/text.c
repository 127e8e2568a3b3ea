// SPDX-License-Identifier: MIT
// Splits the text of a query into tokens, reports mistakes by their columns, and finds the name
// that is nearest to a misspelt one. It knows no world. parse.c and compare.c call it.
#include "query.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

keel_result keeli_query_fail(query_lexer *lexer, uint32_t at, keel_result result,
                             const char *format, ...) {
    keel_query_error *error = lexer->error;
    error->result = result;
    error->offset = at;
    error->column = 1;
    for (uint32_t i = 0; i < at; ++i)
        error->column += ((unsigned char)lexer->text[i] & 0xc0) != 0x80; // not inside a character
    const int length =
        snprintf(error->message, sizeof error->message, "column %u: ", (unsigned)error->column);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message + length, sizeof error->message - (size_t)length, format, arguments);
    va_end(arguments);
    return result;
}

// ------------------------------------------------------------------ tokens
static bool query_text_is_digit(char c) { return c >= '0' && c <= '9'; }
static bool query_text_is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}
static bool query_text_is_part(char c) { return query_text_is_letter(c) || query_text_is_digit(c); }

static uint32_t query_text_skip(const query_lexer *lexer) {
    return lexer->at + (uint32_t)strspn(lexer->text + lexer->at, " \t\r\n");
}

bool keeli_query_is_before(const query_lexer *lexer, const char *what) {
    return strncmp(lexer->text + query_text_skip(lexer), what, strlen(what)) == 0;
}

// Copies a part of the text into the words. There is always room: a word takes no more bytes than
// its part of the text and a zero.
static const char *query_text_keep(query_lexer *lexer, uint32_t from, uint32_t to) {
    char *word = lexer->words + lexer->used;
    memcpy(word, lexer->text + from, to - from);
    word[to - from] = '\0';
    lexer->used += to - from + 1;
    return word;
}

static keel_result query_text_quoted(query_lexer *lexer) {
    const uint32_t begin = lexer->at;
    char *word = lexer->words + lexer->used;
    uint32_t length = 0;
    for (uint32_t at = begin + 1;; ++at) {
        char c = lexer->text[at];
        if (c == '\0')
            return keeli_query_fail(lexer, begin, KEEL_ERROR_TEXT,
                                    "the text that begins here has no end; end it with \"");
        if (c == '"') {
            lexer->at = at + 1;
            break;
        }
        if (c == '\\') {
            c = lexer->text[++at];
            if (c != '"' && c != '\\')
                return keeli_query_fail(lexer, at - 1, KEEL_ERROR_TEXT,
                                        "in a text, \\ stands before \" or another \\ only");
        }
        word[length++] = c;
    }
    word[length] = '\0';
    lexer->used += length + 1;
    lexer->token.kind = QUERY_TEXT;
    lexer->token.word = word;
    return KEEL_OK;
}

// Parses digits. False if there are none, or if the number is above `most`.
static bool query_text_number(query_lexer *lexer, uint32_t most, uint32_t *number) {
    uint64_t value = 0;
    const uint32_t begin = lexer->at;
    for (; query_text_is_digit(lexer->text[lexer->at]); ++lexer->at)
        if (value <= most) value = value * 10 + (uint64_t)(lexer->text[lexer->at] - '0');
    *number = (uint32_t)value;
    return lexer->at > begin && value <= most;
}

static keel_result query_text_handle(query_lexer *lexer) {
    uint32_t index, version;
    const uint32_t begin = lexer->at++;
    const bool has_index = query_text_number(lexer, KEEL_MAX_ENTITY_INDEX, &index);
    const bool has_v = has_index && lexer->text[lexer->at] == 'v';
    lexer->at += has_v;
    if (!has_v || !query_text_number(lexer, KEEL_MAX_ENTITY_VERSION, &version) ||
        query_text_is_part(lexer->text[lexer->at]))
        return keeli_query_fail(lexer, begin, KEEL_ERROR_TEXT,
                                "this is no handle; a handle has an index and a version, as #17v3");
    lexer->token.kind = QUERY_HANDLE;
    lexer->token.entity = keel_entity_make(index, version);
    return KEEL_OK;
}

static void query_text_word(query_lexer *lexer) {
    const uint32_t begin = lexer->at;
    for (const char *text = lexer->text;;) {
        if (query_text_is_part(text[lexer->at])) ++lexer->at;
        else if (text[lexer->at] == ':' && text[lexer->at + 1] == ':') lexer->at += 2;
        else break;
    }
    lexer->token.kind = QUERY_IDENT;
    lexer->token.word = query_text_keep(lexer, begin, lexer->at);
}

// Takes all that may be part of a number. Whether it is one is found out by the field's parser.
static void query_text_digits(query_lexer *lexer) {
    const uint32_t begin = lexer->at++;
    for (;; ++lexer->at) {
        const char c = lexer->text[lexer->at], before = lexer->text[lexer->at - 1];
        const bool is_exponent = (c == '-' || c == '+') && (before == 'e' || before == 'E') &&
                                 query_text_is_digit(lexer->text[lexer->at + 1]);
        if (!query_text_is_part(c) && c != '.' && !is_exponent) break;
    }
    lexer->token.kind = QUERY_NUMBER;
    lexer->token.word = query_text_keep(lexer, begin, lexer->at);
}

static keel_result query_text_sign(query_lexer *lexer) {
    static const struct {
        char text[3];
        query_token_kind kind;
    } pairs[] = { { "->", QUERY_ARROW },    { "!=", QUERY_NOT_EQUAL }, { "<=", QUERY_AT_MOST },
                  { ">=", QUERY_AT_LEAST }, { "=", QUERY_EQUAL },      { "<", QUERY_LESS },
                  { ">", QUERY_MORE } };
    const char *at = lexer->text + lexer->at;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
        const size_t length = strlen(pairs[i].text);
        if (strncmp(at, pairs[i].text, length) != 0) continue;
        lexer->token.kind = pairs[i].kind;
        lexer->at += (uint32_t)length;
        return KEEL_OK;
    }
    if (!strchr(",!?.[]()|*~", *at))
        return keeli_query_fail(lexer, lexer->at, KEEL_ERROR_TEXT,
                                "'%c' is no part of a query; a name that holds it stands in \"\"",
                                (unsigned char)*at < 0x20 ? '?' : *at);
    lexer->token.kind = QUERY_SIGN;
    lexer->token.sign = *at;
    ++lexer->at;
    return KEEL_OK;
}

keel_result keeli_query_advance(query_lexer *lexer) {
    lexer->at = query_text_skip(lexer);
    lexer->token = (query_token){ .kind = QUERY_END, .at = lexer->at };
    const char *at = lexer->text + lexer->at;
    const bool has_sign = *at == '-' || *at == '+' || *at == '.';
    const bool is_number = query_text_is_digit(*at) || (has_sign && query_text_is_digit(at[1])) ||
                           (*at == '-' && (at[1] == '.' || query_text_is_letter(at[1])));
    if (*at == '\0') return KEEL_OK;
    if (*at == '"') return query_text_quoted(lexer);
    if (*at == '#') return query_text_handle(lexer);
    if (query_text_is_letter(*at)) query_text_word(lexer);
    else if (is_number) query_text_digits(lexer);
    else return query_text_sign(lexer);
    return KEEL_OK;
}

// ------------------------------------------------------------------ names that are near
static char query_text_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

// Returns how many letters must be added, left out or exchanged to make one name of the other.
// Large and small letters count as the same.
static uint32_t query_text_distance(const char *a, const char *b) {
    enum { MOST = 64 };
    uint32_t row[MOST + 1];
    const size_t n = strlen(a), m = strlen(b);
    if (n > MOST || m > MOST) return UINT32_MAX;
    for (uint32_t j = 0; j <= m; ++j)
        row[j] = j;
    for (uint32_t i = 1; i <= n; ++i) {
        uint32_t corner = row[0];
        row[0] = i;
        for (uint32_t j = 1; j <= m; ++j) {
            const uint32_t changed =
                corner + (query_text_lower(a[i - 1]) != query_text_lower(b[j - 1]));
            const uint32_t shorter = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            corner = row[j];
            row[j] = changed < shorter ? changed : shorter;
        }
    }
    return row[m];
}

void keeli_query_offer(query_nearest *nearest, const char *name) {
    const uint32_t distance = query_text_distance(nearest->wanted, name);
    const size_t length = strlen(nearest->wanted);
    const bool is_near = distance <= 2 ? distance < length : distance <= length / 3;
    if (!is_near || (nearest->name && distance >= nearest->distance)) return;
    nearest->name = name;
    nearest->distance = distance;
}

const char *keeli_query_hint(const query_nearest *nearest, char text[QUERY_HINT]) {
    text[0] = '\0';
    if (nearest->name) (void)snprintf(text, QUERY_HINT, "; the nearest is '%.60s'", nearest->name);
    return text;
}

bool keeli_query_is_like(const char *name, const char *pattern) {
    const char *retry = NULL, *star = NULL; // the last *, and where the name goes on behind it
    while (*name) {
        const char *letter = *pattern == '\\' && pattern[1] ? pattern + 1 : pattern;
        if (*pattern == '*') {
            star = ++pattern;
            retry = name;
            continue;
        }
        if (*pattern == '?') {
            do
                ++name;
            while (((unsigned char)*name & 0xc0) == 0x80); // one character, not one byte
            ++pattern;
            continue;
        }
        if (*pattern && *letter == *name) {
            pattern = letter + 1;
            ++name;
            continue;
        }
        if (!star) return false;
        pattern = star;
        name = ++retry;
    }
    while (*pattern == '*')
        ++pattern;
    return *pattern == '\0';
}
