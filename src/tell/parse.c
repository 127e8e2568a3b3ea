// SPDX-License-Identifier: MIT
// Parses the values of fields from text (keel_field_parse). Users call it; nothing in src/ does. A
// text is parsed twice. The first pass only checks it, and allocates the texts that the value will
// own. The second pass writes the value and cannot fail, so after an error the value is unchanged.
#include "base/number.h"
#include "tell/reflect.h"
#include "world/field.h"

#include <inttypes.h>
#include <keel/reflect.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A text that the value will own. The second pass exchanges it for the text that the value owned
// before.
typedef struct owned_text {
    struct owned_text *next;
    char *text; // NULL: the value is null
} owned_text;

typedef struct parser {
    const char *at;
    bool is_one_text;                // the value is a single text, which needs no quotes
    owned_text *owned, **next_owned; // list; link of the next text to add or to exchange
    keel_result result;
    char why[160];
} parser;

KEELI_PRINTF(2, 3) static bool fail(parser *p, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->why, sizeof p->why, format, arguments);
    va_end(arguments);
    p->result = KEEL_ERROR_TEXT;
    return false;
}

static void skip_spaces(parser *p) { p->at += strspn(p->at, " \t\r\n"); }

// Skips spaces and then the character. False if the next character is another one.
static bool skip(parser *p, char c) {
    skip_spaces(p);
    if (*p->at != c)
        return false;
    ++p->at;
    return true;
}

// Skips spaces, and returns the length of the word that begins there. The word ends before the next
// of the characters , ] } | and spaces at its end do not count.
static size_t word_length(parser *p) {
    skip_spaces(p);
    size_t length = strcspn(p->at, ",]}|");
    while (length && strchr(" \t\r\n", p->at[length - 1]))
        --length;
    return length;
}

static bool is_word(const parser *p, size_t length, const char *word) {
    return strlen(word) == length && memcmp(p->at, word, length) == 0;
}

static bool pass_word(parser *p, size_t length) {
    p->at += length;
    return true;
}

static bool fail_word(parser *p, size_t length, const char *what) {
    return fail(p, "'%.*s' is no %s", (int)(length < 60 ? length : 60), p->at, what);
}

// Fails with the names of the values of an enum, as many as fit in the message.
static bool fail_name(parser *p, size_t length, const keel_type *of) {
    (void)fail_word(p, length, of->name ? of->name : "value of the enum");
    for (uint32_t i = 0, n; i < of->value_count; ++i) {
        n = (uint32_t)strlen(p->why);
        snprintf(p->why + n, sizeof p->why - n, i ? ", %s" : ": %s", of->values[i].name);
    }
    return false;
}

// ------------------------------------------------------------------ numbers
static bool is_in_range(parser *p, const keel_field *f, size_t length, double value) {
    char min[KEELI_NUMBER_TEXT], max[KEELI_NUMBER_TEXT];
    uint64_t bits[2];
    const double range[2] = { f->min, f->max };
    const bool has_range = f->min != 0 || f->max != 0;
    if (!has_range || (value >= f->min && value <= f->max))
        return true;

    memcpy(bits, range, sizeof bits);
    keeli_print_real(min, bits[0], true);
    keeli_print_real(max, bits[1], true);
    return fail(p, "'%.*s' is not from %s to %s", (int)(length < 60 ? length : 60), p->at, min,
                max);
}

static bool parse_real(parser *p, const keel_field *f, void *to) {
    const bool is_double = keeli_field_type(f) == KEEL_FIELD_F64;
    const size_t length = word_length(p);
    uint64_t bits;
    if (!keeli_parse_real(p->at, length, is_double, &bits))
        return fail_word(p, length, is_double ? "number (f64)" : "number (f32)");

    const uint32_t low = (uint32_t)bits;
    double value;
    float narrow;
    memcpy(&value, &bits, sizeof value);
    memcpy(&narrow, &low, sizeof narrow);
    if (!is_in_range(p, f, length, is_double ? value : (double)narrow))
        return false;

    if (to && is_double)
        memcpy(to, &bits, sizeof bits);
    else if (to)
        memcpy(to, &low, sizeof low);
    return pass_word(p, length);
}

// Parses one integer, or one name of an enum, and writes its bits to `value`.
static bool parse_part(parser *p, const keel_field *f, uint64_t *value) {
    static const char *const names[] = { "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64" };
    const keel_field_type type = keeli_field_type(f);
    const size_t length = word_length(p);
    const uint32_t value_count = f->of ? f->of->value_count : 0;
    for (uint32_t i = 0; i < value_count; ++i)
        if (is_word(p, length, f->of->values[i].name)) {
            *value = (uint64_t)f->of->values[i].value;
            return pass_word(p, length);
        }

    bool is_negative;
    if (!keeli_parse_integer(p->at, length, &is_negative, value))
        return f->of ? fail_name(p, length, f->of) : fail_word(p, length, "integer");

    const uint32_t bits = keeli_field_element(f) * 8;
    const bool is_signed = (type - KEEL_FIELD_I8) % 2 == 0 && !(f->of && f->of->is_flags);
    const uint64_t most = UINT64_MAX >> (64 - bits + is_signed);
    const bool is_too_large = *value > most + (is_negative && is_signed);
    const bool is_below_zero = is_negative && !is_signed && *value;
    if (is_too_large || is_below_zero)
        return fail(p, "'%.*s' does not fit into %s", (int)length, p->at,
                    names[type - KEEL_FIELD_I8]);

    const double magnitude = (double)*value;
    if (!f->of && !is_in_range(p, f, length, is_negative ? -magnitude : magnitude))
        return false;
    if (is_negative)
        *value = 0 - *value;
    return pass_word(p, length);
}

static bool parse_integer(parser *p, const keel_field *f, void *to) {
    uint64_t value, sum = 0;
    do {
        if (!parse_part(p, f, &value))
            return false;
        sum |= value;
    } while (f->of && f->of->is_flags && skip(p, '|'));
    if (!to)
        return true;

    const uint8_t u8 = (uint8_t)sum;
    const uint16_t u16 = (uint16_t)sum;
    const uint32_t u32 = (uint32_t)sum;
    const uint32_t size = keeli_field_element(f);
    if (size == 1)
        memcpy(to, &u8, sizeof u8);
    else if (size == 2)
        memcpy(to, &u16, sizeof u16);
    else if (size == 4)
        memcpy(to, &u32, sizeof u32);
    else
        memcpy(to, &sum, sizeof sum);
    return true;
}

// ------------------------------------------------------------------ other words
static bool parse_bool(parser *p, void *to) {
    const size_t length = word_length(p);
    const bool value = is_word(p, length, "true");
    if (!value && !is_word(p, length, "false"))
        return fail_word(p, length, "bool");
    if (to)
        memcpy(to, &value, sizeof value);
    return pass_word(p, length);
}

static bool parse_entity(parser *p, void *to) {
    const size_t length = word_length(p);
    const char *v = memchr(p->at, 'v', length);
    keel_entity e = keel_null();
    uint64_t index = 0, version = 0;
    bool is_negative = false, is_too = false;
    if (!is_word(p, length, "null")) {
        const size_t before = v ? (size_t)(v - p->at) : length;
        if (v && keeli_parse_integer(p->at, before, &is_negative, &index) &&
            keeli_parse_integer(v + 1, length - before - 1, &is_too, &version) && !is_negative &&
            !is_too && index <= KEEL_MAX_ENTITY_INDEX && version <= KEEL_MAX_ENTITY_VERSION)
            e = keel_entity_make((uint32_t)index, (uint32_t)version);
        if (keel_is_null(e))
            return fail_word(p, length, "entity, such as 17v3 or null");
    }
    if (to)
        memcpy(to, &e, sizeof e);
    return pass_word(p, length);
}

// Returns the value of a hexadecimal digit, -1 for other characters.
static int hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static bool parse_bytes(parser *p, const keel_field *f, void *to) {
    const uint32_t size = keeli_field_element(f);
    const size_t length = word_length(p);
    if (length != 2 * (size_t)size)
        return fail(p, "%u hexadecimal digits, but %u bytes need %u", (unsigned)length,
                    (unsigned)size, 2 * (unsigned)size);
    for (uint32_t i = 0; i < size; ++i) {
        const int high = hex_digit(p->at[2 * (size_t)i]), low = hex_digit(p->at[2 * (size_t)i + 1]);
        if (high < 0 || low < 0)
            return fail_word(p, length, "row of hexadecimal digits");
        if (to)
            ((unsigned char *)to)[i] = (unsigned char)(high * 16 + low);
    }
    return pass_word(p, length);
}

// ------------------------------------------------------------------ texts
// Reads one character of a text in quotes. Returns 0 on error, and at the end of the text. Does not
// skip the closing quote.
static char next_character(parser *p) {
    static const char letters[] = "\"\\ntr", meant[] = "\"\\\n\t\r";
    const char c = *p->at;
    if (c == '"' || !c)
        return '\0';
    ++p->at;
    if (c != '\\')
        return c;

    const char *letter = *p->at ? strchr(letters, *p->at) : NULL;
    if (letter) {
        ++p->at;
        return meant[letter - letters];
    }
    const int high = *p->at == 'x' ? hex_digit(p->at[1]) : -1;
    const int low = high >= 0 ? hex_digit(p->at[2]) : -1;
    if (low >= 0 && high + low > 0) {
        p->at += 3;
        return (char)(unsigned char)(high * 16 + low);
    }
    fail(p, "'\\%.3s' is no escape sequence", p->at);
    return '\0';
}

// Parses a text, in quotes or not, of at most `room` bytes. Writes it with a zero to `to`, which
// may be NULL.
static bool parse_letters(parser *p, char *to, size_t room) {
    const bool is_quoted = skip(p, '"');
    size_t length = 0;
    if (!is_quoted && !p->is_one_text)
        return fail(p, "a text must begin with a quote, not with '%.40s'", p->at);

    // NOLINTNEXTLINE(bugprone-narrowing-conversions): both are char
    for (char c; (c = is_quoted ? next_character(p) : *p->at) != '\0'; ++length) {
        if (length == room)
            return fail(p, "the text is longer than %u characters", (unsigned)room);
        if (to)
            to[length] = c;
        p->at += !is_quoted;
    }

    if (to)
        to[length] = '\0';
    if (p->result < 0)
        return false;
    if (is_quoted && !skip(p, '"'))
        return fail(p, "a quote is missing at the end of the text");
    return true;
}

static bool parse_text(parser *p, const keel_field *f, char *to) {
    const uint32_t size = keeli_field_element(f);
    char letters[2];
    if (size > 1) {
        if (!parse_letters(p, to, size - 1))
            return false;
        if (to)
            memset(to + strlen(to), 0, size - strlen(to));
        return true;
    }

    if (!parse_letters(p, letters, 1))
        return false; // a single char
    if (to)
        *to = letters[0];
    return true;
}

// Returns an upper bound of the bytes that the text at `at` needs once parsed, with its terminating
// zero. The text may be in quotes.
static size_t letters_at(const char *at) {
    size_t n = 1;
    if (*at != '"')
        return strlen(at) + 1;
    while (at[n] && at[n] != '"')
        n += at[n] == '\\' && at[n + 1] ? 2 : 1;
    return n;
}

// Parses a text that the value owns. The first pass allocates the new text, the second exchanges it
// for the old one. The old text is freed only when parsing has ended, because the caller may be
// parsing that very text.
static bool parse_owned(parser *p, char *to) {
    const size_t length = word_length(p);
    const bool is_null = is_word(p, length, "null");
    if (to) {
        owned_text *waiting = *p->next_owned;
        char *before;
        memcpy(&before, to, sizeof before);
        memcpy(to, &waiting->text, sizeof waiting->text);
        waiting->text = before;
        p->next_owned = &waiting->next;
        if (is_null)
            return pass_word(p, length);
        return parse_letters(p, NULL, SIZE_MAX);
    }

    owned_text *fresh = calloc(1, sizeof *fresh);
    if (!fresh) {
        p->result = KEEL_ERROR_MEMORY;
        return false;
    }
    *p->next_owned = fresh;
    p->next_owned = &fresh->next;
    if (is_null)
        return pass_word(p, length);

    fresh->text = malloc(letters_at(p->at));
    if (!fresh->text) {
        p->result = KEEL_ERROR_MEMORY;
        return false;
    }
    return parse_letters(p, fresh->text, SIZE_MAX);
}

// ------------------------------------------------------------------ structs and arrays
static bool parse(parser *p, const keel_field *f, uint32_t count, char *to);

static bool parse_struct(parser *p, const keel_type *type, char *to) {
    if (!skip(p, '{'))
        return fail(p, "a struct must begin with {, not with '%.40s'", p->at);
    if (skip(p, '}'))
        return true;
    do {
        skip_spaces(p);
        const keel_field *f = type->fields, *end = f + type->field_count;
        const size_t length = strcspn(p->at, ": \t\r\n");
        while (f < end && !is_word(p, length, f->name))
            ++f;
        if (f == end)
            return fail_word(p, length, "field of the struct");

        p->at += length;
        if (!skip(p, ':'))
            return fail(p, "a colon is missing after '%s'", f->name);
        if (!parse(p, f, keeli_field_elements(f), to ? to + f->offset : NULL))
            return false;
    } while (skip(p, ','));
    return skip(p, '}') || fail(p, "a field must end with , or }, not with '%.40s'", p->at);
}

static bool parse_one(parser *p, const keel_field *f, char *to) {
    switch (keeli_field_type(f)) {
    case KEEL_FIELD_BYTES:
        return parse_bytes(p, f, to);
    case KEEL_FIELD_BOOL:
        return parse_bool(p, to);
    case KEEL_FIELD_F32:
    case KEEL_FIELD_F64:
        return parse_real(p, f, to);
    case KEEL_FIELD_ENTITY:
        return parse_entity(p, to);
    case KEEL_FIELD_TEXT:
        return parse_text(p, f, to);
    case KEEL_FIELD_OWNED_TEXT:
        return parse_owned(p, to);
    case KEEL_FIELD_STRUCT:
        return parse_struct(p, f->of, to);
    default:
        return parse_integer(p, f, to);
    }
}

static bool parse(parser *p, const keel_field *f, uint32_t count, char *to) {
    const uint32_t size = keeli_field_element(f);
    if (count == 1)
        return parse_one(p, f, to);
    if (!skip(p, '['))
        return fail(p, "an array must begin with [, not with '%.40s'", p->at);

    for (uint32_t i = 0; i < count; ++i) {
        if (i && !skip(p, ','))
            return fail(p, "%u elements, but the array has %u", i, count);
        if (!parse_one(p, f, to ? to + (size_t)i * size : NULL))
            return false;
    }
    return skip(p, ']') ||
           fail(p, "an array of %u must end with ], not with '%.40s'", count, p->at);
}

static bool parse_all(parser *p, const keel_field_place *place, const char *text, char *to) {
    p->at = text;
    p->next_owned = &p->owned;
    if (!parse(p, place->field, place->count, to))
        return false;
    skip_spaces(p);
    return !*p->at || fail(p, "unexpected '%.40s' after the value", p->at);
}

keel_result keel_field_parse(const keel_field_place *place, void *value, const char *text,
                             keel_error *error) {
    if (error)
        *error = (keel_error){ .result = KEEL_OK };
    if (!place || !place->field || !value || !text)
        return keeli_field_error(error, KEEL_ERROR_ARGUMENT,
                                 "keel_field_parse needs a place that was found, a value and a "
                                 "text, but one is missing");

    const keel_field_type type = keeli_field_type(place->field);
    parser p = { .is_one_text = place->count == 1 &&
                                (type == KEEL_FIELD_TEXT || type == KEEL_FIELD_OWNED_TEXT) };
    if (parse_all(&p, place, text, NULL))
        parse_all(&p, place, text, (char *)value + place->offset);

    for (owned_text *next, *o = p.owned; o; o = next) {
        next = o->next;
        free(o->text);
        free(o);
    }

    if (p.result == KEEL_OK)
        return KEEL_OK;
    if (p.result == KEEL_ERROR_MEMORY)
        return keeli_field_error(error, p.result, "%s: out of memory for a text", place->path);
    return keeli_field_error(error, p.result, "%s: %s", place->path, p.why);
}
