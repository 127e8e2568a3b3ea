// SPDX-License-Identifier: MIT
// Comparisons of fields: brings the value of a comparison into the form of its field once, and then
// tests the fields of values. The parser and the walk call it.
#include "query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ what a field is
static bool query_compare_is_integer(keel_field_type type) {
    return type >= KEEL_FIELD_I8 && type <= KEEL_FIELD_U64;
}

static bool query_compare_is_signed(const keel_field *field) {
    const keel_field_type t = field->type;
    return t == KEEL_FIELD_I8 || t == KEEL_FIELD_I16 || t == KEEL_FIELD_I32 || t == KEEL_FIELD_I64;
}

static bool query_compare_is_bytes(const keel_field *field) {
    return field->bytes || field->type == KEEL_FIELD_BYTES;
}

static bool query_compare_has_names(const keel_field *field) {
    return query_compare_is_integer(field->type) && field->of && field->of->value_count;
}

// Returns how the field is compared. False for fields that have no comparison.
static bool query_compare_form(const keel_field_place *place, query_form *form) {
    const keel_field *field = place->field;
    const bool is_list = place->count > 1;
    if (query_compare_is_bytes(field)) {
        *form = QUERY_BYTES;
        return true;
    }
    switch (field->type) {
    case KEEL_FIELD_STRUCT:
        return false;
    case KEEL_FIELD_OWNED_TEXT:
        *form = QUERY_OWNED;
        return !is_list;
    case KEEL_FIELD_TEXT:
        *form = QUERY_CHARS;
        return true;
    case KEEL_FIELD_ENTITY:
        *form = is_list ? QUERY_BYTES : QUERY_REFERENCE;
        return true;
    case KEEL_FIELD_F32:
    case KEEL_FIELD_F64:
        *form = is_list ? QUERY_BYTES : QUERY_REAL;
        return true;
    default:
        *form = is_list                            ? QUERY_BYTES
                : field->of && field->of->is_flags ? QUERY_FLAGS
                                                   : QUERY_INTEGER;
        return true;
    }
}

// ------------------------------------------------------------------ numbers
// Parses a text as a number of a type, whatever the locale is. False if it is none.
static bool query_compare_number(const char *word, keel_field_type type, void *to, uint32_t size) {
    const keel_field field = { .name = "number", .type = type, .count = 1 };
    const keel_field_place place = { .field = &field, .size = size, .count = 1 };
    return keel_field_parse(&place, to, word, NULL) == KEEL_OK;
}

// A number, rounded down to the next integer.
typedef struct query_integer {
    uint64_t magnitude;
    bool is_negative;
    bool has_fraction; // the number is above the integer
} query_integer;

static query_integer query_compare_floor(double number) {
    const bool is_negative = number < 0;
    const double magnitude = is_negative ? -number : number;
    if (magnitude >= 18446744073709551616.0) // below or above all integers
        return (query_integer){ UINT64_MAX, is_negative, !is_negative };
    const uint64_t whole = (uint64_t)magnitude;
    const bool has_fraction = (double)whole < magnitude;
    return (query_integer){ whole + (is_negative && has_fraction), is_negative, has_fraction };
}

// Parses a number for a field of integers. False for a word that is no number, and for nan.
static bool query_compare_integer(const char *word, query_integer *integer) {
    double real;
    const bool is_negative = word[0] == '-';
    *integer = (query_integer){ .magnitude = 0 };
    if (query_compare_number(word + is_negative, KEEL_FIELD_U64, &integer->magnitude,
                             sizeof(uint64_t))) {
        integer->is_negative = is_negative && integer->magnitude;
        return true;
    }
    if (!query_compare_number(word, KEEL_FIELD_F64, &real, sizeof real) || isnan(real))
        return false;
    *integer = query_compare_floor(real);
    return true;
}

static void query_compare_set(query_compare *compare, uint64_t low, uint64_t high) {
    compare->low = low;
    compare->high = high;
}

static void query_compare_set_all(query_compare *compare, bool all) {
    query_compare_set(compare, all ? 0 : 1, all ? UINT64_MAX : 0);
}

// Sets the range of keys for a number, which may have a fraction or be no value of the field.
static void query_compare_range(query_compare *compare, const query_integer *integer) {
    const query_operator op = compare->op;
    const uint64_t upper_bit = (uint64_t)1 << 63,
                   most = compare->is_signed ? upper_bit - 1 : UINT64_MAX;
    const uint64_t least = compare->is_signed ? upper_bit : 0; // magnitude of the lowest value
    const bool is_below = integer->is_negative && integer->magnitude > least;
    const bool is_above = !integer->is_negative && integer->magnitude > most;
    const bool is_not = op == QUERY_IS_NOT;
    const bool is_less = op == QUERY_IS_LESS || op == QUERY_IS_AT_MOST;
    const bool is_more = op == QUERY_IS_MORE || op == QUERY_IS_AT_LEAST;
    if (is_below || is_above) {
        query_compare_set_all(compare, is_not || (is_below ? is_more : is_less));
        return;
    }

    uint64_t key = integer->is_negative ? 0 - integer->magnitude : integer->magnitude;
    if (compare->is_signed) key ^= upper_bit;
    if (integer->has_fraction && !is_less && !is_more) {
        query_compare_set_all(compare, is_not);
        return;
    }
    const bool excludes_key = op == QUERY_IS_MORE || (is_more && integer->has_fraction);
    if (excludes_key && key == UINT64_MAX) query_compare_set_all(compare, false);
    else if (is_more) query_compare_set(compare, key + excludes_key, UINT64_MAX);
    else if (op == QUERY_IS_LESS && !integer->has_fraction) {
        if (key) query_compare_set(compare, 0, key - 1);
        else query_compare_set_all(compare, false);
    } else query_compare_set(compare, is_less ? 0 : key, key);
    compare->is_outside = is_not;
}

// ------------------------------------------------------------------ the value of a comparison
// Reports a value that the field cannot be compared with.
static keel_result query_compare_refuse(query_lexer *lexer, const query_compare *compare,
                                        const char *expected) {
    return keeli_query_fail(lexer, lexer->token.at, KEEL_ERROR_TEXT, "%.100s is compared with %s",
                            compare->place.path, expected);
}

static keel_result query_compare_unknown_name(query_lexer *lexer, const query_compare *compare) {
    char hint[QUERY_HINT];
    query_nearest nearest = { .wanted = lexer->token.word };
    const keel_type *of = compare->place.field->of;
    for (uint32_t i = 0; i < of->value_count; ++i)
        keeli_query_offer(&nearest, of->values[i].name);
    return keeli_query_fail(lexer, lexer->token.at, KEEL_ERROR_UNKNOWN,
                            "%.60s has no value '%.40s'%s", compare->place.path, lexer->token.word,
                            keeli_query_hint(&nearest, hint));
}

// Finds the name of a value of an enum.
static bool query_compare_named(const keel_field *field, const char *word, int64_t *value) {
    for (uint32_t i = 0; query_compare_has_names(field) && i < field->of->value_count; ++i) {
        if (strcmp(field->of->values[i].name, word) != 0) continue;
        *value = field->of->values[i].value;
        return true;
    }
    return false;
}

static keel_result query_compare_take_integer(query_lexer *lexer, query_compare *compare) {
    const keel_field *field = compare->place.field;
    query_integer integer;
    int64_t value;
    compare->is_signed = query_compare_is_signed(field);
    if (field->type == KEEL_FIELD_BOOL) {
        const bool is_true = strcmp(lexer->token.word, "true") == 0;
        if (!is_true && strcmp(lexer->token.word, "false") != 0)
            return query_compare_refuse(lexer, compare, "true or false");
        integer = (query_integer){ .magnitude = is_true };
    } else if (query_compare_named(field, lexer->token.word, &value)) {
        const bool is_negative = compare->is_signed && value < 0;
        integer = (query_integer){ .magnitude = is_negative ? 0 - (uint64_t)value : (uint64_t)value,
                                   .is_negative = is_negative };
    } else if (!query_compare_integer(lexer->token.word, &integer)) {
        if (query_compare_has_names(field)) return query_compare_unknown_name(lexer, compare);
        return query_compare_refuse(lexer, compare, "a number");
    }
    query_compare_range(compare, &integer);
    return KEEL_OK;
}

// Returns the key of a real number as a field of this size has it.
static uint64_t query_compare_real_key(double number, uint32_t size) {
    const float narrow = (float)number;
    const void *at = size == sizeof narrow ? (const void *)&narrow : (const void *)&number;
    return query_key(query_load(at, size, true), true, true);
}

// Sets the range of keys for a real number. Not-a-number is equal to itself, and has no order. The
// two zeros are equal.
static void query_compare_real_range(query_compare *compare, double number) {
    const uint32_t size = compare->place.size;
    const bool is_zero = number == 0, is_not = compare->op == QUERY_IS_NOT;
    const uint64_t lowest = query_compare_real_key(-(double)INFINITY, size);
    const uint64_t highest = query_compare_real_key((double)INFINITY, size);
    if (isnan(number)) {
        query_compare_set(compare, lowest, highest);
        compare->is_outside = compare->op == QUERY_IS;
        if (!is_not && !compare->is_outside) query_compare_set_all(compare, false);
        return;
    }
    const uint64_t low = query_compare_real_key(is_zero ? -0.0 : number, size);
    const uint64_t high = query_compare_real_key(is_zero ? 0.0 : number, size);
    compare->is_outside = is_not;
    switch (compare->op) {
    case QUERY_IS_LESS:
        query_compare_set(compare, lowest, low - 1);
        return;
    case QUERY_IS_AT_MOST:
        query_compare_set(compare, lowest, high);
        return;
    case QUERY_IS_MORE:
        query_compare_set(compare, high + 1, highest);
        return;
    case QUERY_IS_AT_LEAST:
        query_compare_set(compare, low, highest);
        return;
    default:
        query_compare_set(compare, low, high);
    }
}

static keel_result query_compare_take_real(query_lexer *lexer, query_compare *compare) {
    float narrow = 0; // of the field's own width, so that = finds what was written as this number
    double number = 0;
    const bool is_double = compare->type == KEEL_FIELD_F64;
    const bool done =
        is_double ? query_compare_number(lexer->token.word, KEEL_FIELD_F64, &number, sizeof number)
                  : query_compare_number(lexer->token.word, KEEL_FIELD_F32, &narrow, sizeof narrow);
    if (!done) return query_compare_refuse(lexer, compare, "a number");
    compare->is_signed = true;
    query_compare_real_range(compare, is_double ? number : (double)narrow);
    return KEEL_OK;
}

static keel_result query_compare_take_flags(query_lexer *lexer, query_compare *compare) {
    unsigned char value[8] = { 0 };
    keel_field_place place = compare->place;
    place.offset = 0;
    if (keel_field_parse(&place, value, lexer->token.word, NULL) != KEEL_OK)
        return query_compare_unknown_name(lexer, compare);
    compare->bits = query_load(value, place.size, false);
    return KEEL_OK;
}

static keel_result query_compare_take_bytes(query_lexer *lexer, query_compare *compare) {
    keel_field_place place = compare->place;
    place.offset = 0;
    compare->bytes = calloc(1, place.size ? place.size : 1);
    if (!compare->bytes)
        return keeli_query_fail(lexer, lexer->token.at, KEEL_ERROR_MEMORY, "out of memory");
    keel_error why;
    if (keel_field_parse(&place, compare->bytes, lexer->token.word, &why) == KEEL_OK)
        return KEEL_OK;
    return keeli_query_fail(lexer, lexer->token.at, KEEL_ERROR_TEXT, "%.200s", why.message);
}

static keel_result query_compare_take_entity(query_lexer *lexer, const keel_world *world,
                                             query_compare *compare) {
    const bool is_word = lexer->token.kind == QUERY_IDENT;
    compare->entity = keel_null();
    if (!is_word) return keeli_query_entity(lexer, world, &compare->entity);
    if (strcmp(lexer->token.word, "null") != 0)
        return query_compare_refuse(lexer, compare,
                                    "null, a handle as #17v3, or a path as \"port/dock\"");
    return keeli_query_advance(lexer);
}

// Fails if the field has no order, but the operator asks for one.
static keel_result query_compare_check(query_lexer *lexer, const query_compare *compare) {
    const bool has_order = compare->form != QUERY_REFERENCE && compare->form != QUERY_BYTES &&
                           compare->place.field->type != KEEL_FIELD_BOOL;
    const bool is_ordering = compare->op != QUERY_IS && compare->op != QUERY_IS_NOT;
    if (!has_order && is_ordering)
        return keeli_query_fail(
            lexer, lexer->token.at, KEEL_ERROR_TEXT,
            "%.100s has no order; it is compared by = or !=", compare->place.path);
    return KEEL_OK;
}

static keel_result query_compare_take(query_lexer *lexer, query_compare *compare) {
    switch (compare->form) {
    case QUERY_REAL:
        return query_compare_take_real(lexer, compare);
    case QUERY_FLAGS:
        return query_compare_take_flags(lexer, compare);
    case QUERY_BYTES:
        return query_compare_take_bytes(lexer, compare);
    case QUERY_CHARS:
        compare->text = lexer->token.word;
        return KEEL_OK;
    case QUERY_OWNED: {
        const bool is_null = lexer->token.kind == QUERY_IDENT && !strcmp(lexer->token.word, "null");
        compare->text = is_null ? NULL : lexer->token.word;
        return KEEL_OK;
    }
    default:
        return query_compare_take_integer(lexer, compare);
    }
}

keel_result keeli_query_compare_parse(query_lexer *lexer, const keel_world *world,
                                      query_compare *compare) {
    const query_token_kind kind = lexer->token.kind;
    const bool is_value = kind == QUERY_IDENT || kind == QUERY_TEXT || kind == QUERY_NUMBER;
    if (!query_compare_form(&compare->place, &compare->form))
        return keeli_query_fail(lexer, lexer->token.at, KEEL_ERROR_TEXT,
                                "%.100s has parts, and only one of them can be compared",
                                compare->place.path);
    KEEL_TRY(query_compare_check(lexer, compare));
    if (kind == QUERY_END || (!is_value && kind != QUERY_HANDLE))
        return keeli_query_fail(
            lexer, lexer->token.at, KEEL_ERROR_TEXT,
            "a value is missing: a number, a word, a text in \"\", or a handle");
    if (compare->form == QUERY_REFERENCE) return query_compare_take_entity(lexer, world, compare);
    if (kind == QUERY_HANDLE)
        return keeli_query_fail(lexer, lexer->token.at, KEEL_ERROR_TEXT,
                                "%.100s is no reference to an entity, so it is not compared with a "
                                "handle",
                                compare->place.path);
    KEEL_TRY(query_compare_take(lexer, compare));
    return keeli_query_advance(lexer);
}

// ------------------------------------------------------------------ tests
static bool query_compare_order(query_operator op, int order) {
    switch (op) {
    case QUERY_IS:
        return order == 0;
    case QUERY_IS_NOT:
        return order != 0;
    case QUERY_IS_LESS:
        return order < 0;
    case QUERY_IS_AT_MOST:
        return order <= 0;
    case QUERY_IS_MORE:
        return order > 0;
    default:
        return order >= 0;
    }
}

// Flags are sets: less is a part of the other set.
static bool query_compare_flags(query_operator op, uint64_t value, uint64_t bits) {
    const bool is_part = (value & ~bits) == 0, is_whole = (bits & ~value) == 0;
    switch (op) {
    case QUERY_IS:
        return value == bits;
    case QUERY_IS_NOT:
        return value != bits;
    case QUERY_IS_LESS:
        return is_part && value != bits;
    case QUERY_IS_AT_MOST:
        return is_part;
    case QUERY_IS_MORE:
        return is_whole && value != bits;
    default:
        return is_whole;
    }
}

static bool query_compare_chars(const query_compare *compare, const char *value, size_t room) {
    const char *zero = memchr(value, '\0', room);
    const size_t length = zero ? (size_t)(zero - value) : room, other = strlen(compare->text);
    const int order = memcmp(value, compare->text, length < other ? length : other);
    const int longer = (length > other) - (length < other);
    return query_compare_order(compare->op, order ? order : longer);
}

static bool query_compare_owned(const query_compare *compare, const char *value) {
    const bool is_not = compare->op == QUERY_IS_NOT;
    if (!compare->text) return (value == NULL) != is_not && (is_not || compare->op == QUERY_IS);
    return value ? query_compare_order(compare->op, strcmp(value, compare->text)) : is_not;
}

bool keeli_query_compare_test(const query_compare *compare, const void *value) {
    const char *at = (const char *)value + compare->place.offset;
    const uint32_t size = compare->place.size;
    const bool is_not = compare->op == QUERY_IS_NOT;
    const char *text;
    keel_entity entity;
    switch (compare->form) {
    case QUERY_FLAGS:
        return query_compare_flags(compare->op, query_load(at, size, false), compare->bits);
    case QUERY_CHARS:
        return query_compare_chars(compare, at, size);
    case QUERY_OWNED:
        memcpy(&text, at, sizeof text);
        return query_compare_owned(compare, text);
    case QUERY_REFERENCE:
        memcpy(&entity, at, sizeof entity);
        return keel_is_same(entity, compare->entity) != is_not;
    default:
        return (memcmp(at, compare->bytes, size) == 0) != is_not;
    }
}
