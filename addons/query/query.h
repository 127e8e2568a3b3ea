// SPDX-License-Identifier: MIT
// Private parts of keel::query: what a parsed query is made of, and the functions that cross its
// files. text.c splits a text into tokens, parse.c makes terms of them, compare.c compares fields,
// walk.c visits entities, and explain.c describes a query.
#pragma once
#include "keel_query.h"

#include <string.h>

enum {
    QUERY_ANY_MOST = KEEL_MAX_TERM_COMPONENTS, // names in one any()
    QUERY_COMPONENTS = KEEL_MAX_QUERY_TERMS * QUERY_ANY_MOST,
    QUERY_READS = KEEL_MAX_TERMS,
    QUERY_WORDS = 3 * KEEL_MAX_QUERY_TEXT, // decoded names and texts, with their zeros
    QUERY_LIST_MOST = 1024,                // entities that a query may lead with
};

// ------------------------------------------------------------------ tokens
typedef enum query_token_kind {
    QUERY_END,
    QUERY_IDENT,
    QUERY_TEXT,
    QUERY_NUMBER,
    QUERY_HANDLE,
    QUERY_ARROW,
    QUERY_EQUAL, // the six operators, in the order of query_operator
    QUERY_NOT_EQUAL,
    QUERY_LESS,
    QUERY_AT_MOST,
    QUERY_MORE,
    QUERY_AT_LEAST,
    QUERY_SIGN // one character: , ! ? . [ ] ( ) | * ~
} query_token_kind;

typedef struct query_token {
    query_token_kind kind;
    char sign;          // QUERY_SIGN: the character
    uint32_t at;        // offset in the text
    const char *word;   // identifiers, texts, numbers: decoded, with a zero at the end
    keel_entity entity; // handles
} query_token;

typedef struct query_lexer {
    const char *text;
    uint32_t at, length;
    char *words; // room for decoded words: QUERY_WORDS bytes
    uint32_t used;
    query_token token; // the current token
    keel_query_error *error;
} query_lexer;

// Reports a mistake at an offset of the text: adds the column to the message. Returns `result`.
keel_result keeli_query_fail(query_lexer *lexer, uint32_t at, keel_result result,
                             const char *format, ...) KEELI_PRINTF(4, 5);
// Moves on to the next token.
keel_result keeli_query_advance(query_lexer *lexer);
// True if the next character, behind spaces, is this one.
bool keeli_query_is_before(const query_lexer *lexer, const char *what);
// Remembers the name that is nearest to a misspelt one, of all that were offered.
typedef struct query_nearest {
    const char *wanted;
    const char *name; // NULL: none is near
    uint32_t distance;
} query_nearest;
void keeli_query_offer(query_nearest *nearest, const char *name);
// Returns the end of a message: "; the nearest is 'points'", or nothing.
enum { QUERY_HINT = 100 };
const char *keeli_query_hint(const query_nearest *nearest, char text[QUERY_HINT]);

// ------------------------------------------------------------------ terms
typedef enum query_operator {
    QUERY_IS,
    QUERY_IS_NOT,
    QUERY_IS_LESS,
    QUERY_IS_AT_MOST,
    QUERY_IS_MORE,
    QUERY_IS_AT_LEAST
} query_operator;

// The way in which a field is read and compared.
typedef enum query_form {
    QUERY_INTEGER, // a range of keys, also for reals
    QUERY_REAL,
    QUERY_FLAGS,
    QUERY_CHARS, // a text in place
    QUERY_OWNED, // a pointer to a text
    QUERY_REFERENCE,
    QUERY_BYTES
} query_form;

typedef struct query_compare {
    query_operator op;
    query_form form;
    keel_field_place place; // `place.field` is read while the text is parsed only
    keel_field_type type;
    const char *path; // of the field, to find it again
    // QUERY_INTEGER, QUERY_REAL: the values with keys from `low` to `high`, or all others. A key is
    // an unsigned number that has the order of the values.
    uint64_t low, high;
    bool is_outside, is_signed;
    uint64_t bits;      // QUERY_FLAGS
    const char *text;   // QUERY_CHARS, QUERY_OWNED; NULL: null
    keel_entity entity; // QUERY_REFERENCE
    void *bytes;        // QUERY_BYTES: `place.size` bytes; from malloc
} query_compare;

// Kinds of terms, in the order in which they are tested: cheap ones first.
typedef enum query_kind {
    QUERY_OPTIONAL, // no test
    QUERY_THIS,     // one entity
    QUERY_HAS,
    QUERY_COMPARE,
    QUERY_ANY,
    QUERY_CHILD,
    QUERY_RELATED, // the candidate is the source
    QUERY_TARGET,  // the candidate is the target
    QUERY_NAMED,
    QUERY_LIKE, // the name matches a pattern
    QUERY_CHANGED,
    QUERY_INSERTED,
    QUERY_BELOW,
    QUERY_DISABLED
} query_kind;

typedef struct query_term {
    query_kind kind;
    bool is_not;
    uint32_t at, end; // the term in the text
    uint32_t components[QUERY_ANY_MOST];
    uint32_t component_count;
    keel_entity entity;
    const char *text; // QUERY_NAMED, QUERY_LIKE
    query_compare compare;
} query_term;

typedef struct query_component {
    const char *name;
    const keel_component *found;
    keel_lookup lookup;
    bool is_relation;
    bool is_shown; // keel_query_component returns it
} query_component;

struct keel_query {
    keel_world *world;
    uint32_t walks; // open walks, which keep the query in memory
    bool is_destroyed;
    bool reads_names, reads_children;
    query_term terms[KEEL_MAX_QUERY_TERMS];
    uint32_t term_count;
    uint8_t order[KEEL_MAX_QUERY_TERMS]; // terms in the order of their tests
    query_component components[QUERY_COMPONENTS];
    uint32_t component_count;
    // Storage that an open walk borrows: lists for terms, each with a NULL at its end.
    const keel_component *reads[QUERY_READS][QUERY_ANY_MOST + 1];
    char text[KEEL_MAX_QUERY_TEXT + 1];
    char words[QUERY_WORDS];
};

// Frees a query.
void keeli_query_free(keel_query *query);
// Reads the value of a comparison from the current token, and moves on behind it. The caller has
// set the operator and the place.
keel_result keeli_query_compare_parse(query_lexer *lexer, const keel_world *world,
                                      query_compare *compare);
// True if the field of a value compares as it should; not for numbers, which
// query_compare_has_number tests.
bool keeli_query_compare_test(const query_compare *compare, const void *value);

// Returns the bits of an integer, and for signed ones the sign in all upper bits.
static inline uint64_t query_load(const void *at, uint32_t size, bool is_signed) {
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (size) {
    case 1:
        memcpy(&one, at, 1);
        return is_signed ? (uint64_t)(int64_t)(int8_t)one : one;
    case 2:
        memcpy(&two, at, 2);
        return is_signed ? (uint64_t)(int64_t)(int16_t)two : two;
    case 4:
        memcpy(&four, at, 4);
        return is_signed ? (uint64_t)(int64_t)(int32_t)four : four;
    default:
        memcpy(&eight, at, 8);
        return eight;
    }
}

// Returns the key of a number: signed integers get their upper bit flipped, and so do reals, of
// which negative ones get all bits flipped. `bits` comes from query_load, with `is_signed` for
// reals, so that the upper bit is the sign.
static inline uint64_t query_key(uint64_t bits, bool is_signed, bool is_real) {
    const uint64_t sign = (uint64_t)is_signed << 63;
    const uint64_t all = (uint64_t)0 - (bits >> 63 & is_real);
    return bits ^ (all | sign);
}

// True if the number of a value lies where it should. It is inline since it is asked for each
// entity.
static inline bool query_compare_has_number(const query_compare *compare, const void *value) {
    const char *at = (const char *)value + compare->place.offset;
    const uint64_t bits = query_load(at, compare->place.size, compare->is_signed);
    const uint64_t key = query_key(bits, compare->is_signed, compare->form == QUERY_REAL);
    return (key >= compare->low && key <= compare->high) != compare->is_outside;
}
// Returns the entity that the current token means, and moves on behind it.
keel_result keeli_query_entity(query_lexer *lexer, const keel_world *world, keel_entity *entity);
// True if a name matches a pattern: * stands for any characters, ? for one, \ takes the next one as
// it is.
bool keeli_query_is_like(const char *name, const char *pattern);

// The term that leads: the query looks only at the entities that match it, which are few.
typedef struct query_lead {
    const query_term *term; // NULL: the query looks at all entities
    uint32_t count;         // of entities
} query_lead;
query_lead keeli_query_lead(const keel_query *query);
