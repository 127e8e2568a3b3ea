// SPDX-License-Identifier: MIT
// Makes the terms of a query from its tokens, and looks up the names in the world. Programs call
// keel_query_parse; walk.c and explain.c read what it makes.
#include "query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct query_parser {
    query_lexer lexer;
    keel_world *world;
    keel_query *query;
    query_term *term; // the term that is being parsed
    bool is_plain;    // the term is the name of a component and nothing more
} query_parser;

static bool query_parse_is_sign(const query_parser *p, char sign) {
    return p->lexer.token.kind == QUERY_SIGN && p->lexer.token.sign == sign;
}

static bool query_parse_is_word(const query_parser *p, const char *word) {
    return p->lexer.token.kind == QUERY_IDENT && strcmp(p->lexer.token.word, word) == 0;
}

static bool query_parse_is_name(const query_parser *p) {
    return p->lexer.token.kind == QUERY_IDENT || p->lexer.token.kind == QUERY_TEXT;
}

static keel_result query_parse_expected(query_parser *p, const char *what) {
    return keeli_query_fail(&p->lexer, p->lexer.token.at, KEEL_ERROR_TEXT, "%s is expected here",
                            what);
}

// ------------------------------------------------------------------ entities
keel_result keeli_query_entity(query_lexer *lexer, const keel_world *world, keel_entity *entity) {
    const query_token token = lexer->token;
    if (token.kind != QUERY_TEXT && token.kind != QUERY_HANDLE)
        return keeli_query_fail(lexer, token.at, KEEL_ERROR_TEXT,
                                "an entity is expected here: a handle as #17v3, or a path of names "
                                "as \"port/dock 3\"");
    *entity = token.entity;
    if (token.kind == QUERY_TEXT) *entity = keel_find_entity(world, keel_null(), token.word);
    if (keel_is_null(*entity))
        return keeli_query_fail(lexer, token.at, KEEL_ERROR_UNKNOWN,
                                "no entity has the path \"%.150s\"", token.word);
    return keeli_query_advance(lexer);
}

// ------------------------------------------------------------------ components
// Reports a name that no component of the world has. `relations`: only relations are meant.
static keel_result query_parse_no_component(query_parser *p, const query_token *token,
                                            bool relations) {
    char hint[QUERY_HINT];
    query_nearest nearest = { .wanted = token->word };
    for (const keel_component *c = NULL; (c = keel_next_component(p->world, c)) != NULL;)
        if (c->is_relation || !relations) keeli_query_offer(&nearest, c->name);
    return keeli_query_fail(&p->lexer, token->at, KEEL_ERROR_UNKNOWN,
                            "the world knows no %s '%.60s'%s", relations ? "relation" : "component",
                            token->word, keeli_query_hint(&nearest, hint));
}

// Adds the component of a name to the term.
static keel_result query_parse_component(query_parser *p, const query_token *token,
                                         bool is_relation) {
    keel_query *query = p->query;
    const keel_component *found = keel_find_component(p->world, token->word);
    if (!found) return query_parse_no_component(p, token, is_relation);
    if (found->is_unique || found->is_event)
        return keeli_query_fail(&p->lexer, token->at, KEEL_ERROR_TEXT,
                                "'%.60s' is a %s, which no entity has", token->word,
                                found->is_event ? "type of events" : "unique");
    if (is_relation && !found->is_relation)
        return keeli_query_fail(&p->lexer, token->at, KEEL_ERROR_TEXT, "'%.60s' is no relation",
                                token->word);

    uint32_t number = 0;
    while (number < query->component_count &&
           strcmp(query->components[number].name, found->name) != 0)
        ++number;
    if (number == query->component_count)
        query->components[query->component_count++] = (query_component){
            .name = token->word, .found = found, .is_relation = found->is_relation
        };
    query->components[number].is_shown |= !p->term->is_not;
    p->term->components[p->term->component_count++] = number;
    return KEEL_OK;
}

// ------------------------------------------------------------------ fields
typedef struct query_path {
    char *text;
    uint32_t length;
    uint32_t at; // offset of the first part
} query_path;

// Reports the last part of a path as unknown, with the name that is nearest to it.
static keel_result query_parse_no_part(query_parser *p, const keel_component *c,
                                       const query_path *path, char *good, const char *part) {
    char hint[QUERY_HINT];
    keel_field_place place;
    const uint32_t begin = (uint32_t)(part - good);
    const bool is_first = begin == 0;
    query_nearest nearest = { .wanted = part };
    const keel_field *fields = c->fields;
    uint32_t count = c->field_count;
    if (!is_first) {
        good[begin - 1] = '\0'; // the dot
        (void)keel_field_find(c, good, &place, NULL);
        const bool is_struct = place.field->of && place.field->type == KEEL_FIELD_STRUCT;
        if (is_struct && place.count > 1)
            return keeli_query_fail(&p->lexer, path->at + begin, KEEL_ERROR_UNKNOWN,
                                    "%.100s has %u elements; name one, as [0]", place.path,
                                    (unsigned)place.count);
        count = is_struct ? place.field->of->field_count : 0;
        fields = is_struct ? place.field->of->fields : NULL;
    }
    for (uint32_t i = 0; i < count; ++i)
        keeli_query_offer(&nearest, fields[i].name);
    const bool is_described = !is_first || count;
    return keeli_query_fail(&p->lexer, path->at + begin, KEEL_ERROR_UNKNOWN,
                            "%.100s has no field '%.40s'%s", is_first ? c->name : place.path, part,
                            is_described ? keeli_query_hint(&nearest, hint)
                                         : "; KEEL_FIELDS describes fields");
}

// Reports a path that leads to no field, at the part that is wrong.
static keel_result query_parse_no_field(query_parser *p, const keel_component *c,
                                        const query_path *path, const char *why) {
    char good[KEEL_MAX_QUERY_TEXT];
    keel_field_place place;
    uint32_t part = 0, end = 0;
    for (;; part = end + 1) {
        end = part + (uint32_t)strcspn(path->text + part, ".");
        memcpy(good, path->text, end);
        good[end] = '\0';
        if (end == path->length || keel_field_find(c, good, &place, NULL) != KEEL_OK) break;
    }

    char *bracket = strchr(good + part, '[');
    if (bracket) *bracket = '\0';
    if (bracket && keel_field_find(c, good, &place, NULL) == KEEL_OK) // the index is wrong
        return keeli_query_fail(&p->lexer, path->at + part, KEEL_ERROR_UNKNOWN, "%.200s", why);
    return query_parse_no_part(p, c, path, good, good + part);
}

// Fails if there is a space before the current token, which is a part of a path.
static keel_result query_parse_close(query_parser *p) {
    const uint32_t at = p->lexer.token.at;
    if (!strchr(" \t\r\n", p->lexer.text[at - 1])) return KEEL_OK;
    return keeli_query_fail(&p->lexer, at, KEEL_ERROR_TEXT, "a path of fields has no spaces");
}

// Parses what stands behind the name of a component: `.at.x`, `.slots[3]`.
static keel_result query_parse_path(query_parser *p, query_path *path) {
    *path = (query_path){ .at = p->lexer.token.at + 1 };
    char text[KEEL_MAX_QUERY_TEXT];
    uint32_t length = 0;
    while (query_parse_is_sign(p, '.') || query_parse_is_sign(p, '[')) {
        const bool is_index = query_parse_is_sign(p, '[');
        KEEL_TRY(query_parse_close(p));
        KEEL_TRY(keeli_query_advance(&p->lexer));
        const bool is_part = p->lexer.token.kind == (is_index ? QUERY_NUMBER : QUERY_IDENT);
        if (!is_part)
            return query_parse_expected(p, is_index ? "the number of an element" : "a field");
        KEEL_TRY(query_parse_close(p));
        const char *before = is_index ? "[" : length ? "." : "";
        length += (uint32_t)snprintf(text + length, sizeof text - length, "%s%s%s", before,
                                     p->lexer.token.word, is_index ? "]" : "");
        KEEL_TRY(keeli_query_advance(&p->lexer));
        if (!is_index) continue;
        if (!query_parse_is_sign(p, ']')) return query_parse_expected(p, "]");
        KEEL_TRY(query_parse_close(p));
        KEEL_TRY(keeli_query_advance(&p->lexer));
    }
    path->text = p->lexer.words + p->lexer.used;
    path->length = length;
    memcpy(path->text, text, length + 1);
    p->lexer.used += length + 1;
    return KEEL_OK;
}

// True if entities that have the component have a value of it.
static bool query_parse_has_value(const keel_component *c) {
    return c->size && (!c->is_relation || (c->exclusive && !c->symmetric));
}

static keel_result query_parse_compare(query_parser *p, const query_token *name) {
    query_path path;
    keel_error why;
    query_compare *compare = &p->term->compare;
    const keel_component *c = p->query->components[p->term->components[0]].found;
    p->term->kind = QUERY_COMPARE;
    if (!query_parse_has_value(c))
        return keeli_query_fail(&p->lexer, name->at, KEEL_ERROR_TEXT,
                                "'%.60s' has no value in its entities, so it has no field",
                                c->name);
    KEEL_TRY(query_parse_path(p, &path));
    if (keel_field_find(c, path.text, &compare->place, &why) != KEEL_OK)
        return query_parse_no_field(p, c, &path, why.message);

    compare->path = path.text;
    compare->type = compare->place.field->type;
    const query_token_kind kind = p->lexer.token.kind;
    if (kind < QUERY_EQUAL || kind > QUERY_AT_LEAST)
        return query_parse_expected(p, "one of = != < <= > >=");
    compare->op = (query_operator)(kind - QUERY_EQUAL);
    KEEL_TRY(keeli_query_advance(&p->lexer));
    return keeli_query_compare_parse(&p->lexer, p->world, compare);
}

// ------------------------------------------------------------------ kinds of terms
// Parses `changed` or `inserted`, behind the name of a component.
static keel_result query_parse_changed(query_parser *p, const query_token *name) {
    const bool is_changed = query_parse_is_word(p, "changed");
    const keel_component *c = p->query->components[p->term->components[0]].found;
    const uint32_t needed = KEEL_TRACK_INSERTION | (is_changed ? KEEL_TRACK_MODIFICATION : 0u);
    p->term->kind = is_changed ? QUERY_CHANGED : QUERY_INSERTED;
    if ((keel_tracked_kinds(p->world, c) & needed) != needed)
        return keeli_query_fail(&p->lexer, name->at, KEEL_ERROR_TEXT,
                                "changes of '%.60s' are not tracked; declare it with .tracking = "
                                "KEEL_TRACK_ALL, or call keel_track",
                                c->name);
    return keeli_query_advance(&p->lexer);
}

// Parses the target of a relation, behind the arrow.
static keel_result query_parse_target(query_parser *p) {
    if (query_parse_is_sign(p, '*')) {
        p->term->kind = QUERY_HAS;
        return keeli_query_advance(&p->lexer);
    }
    p->term->kind = QUERY_RELATED;
    return keeli_query_entity(&p->lexer, p->world, &p->term->entity);
}

// Parses the relation behind an entity and an arrow.
static keel_result query_parse_source(query_parser *p, keel_entity source) {
    p->term->kind = QUERY_TARGET;
    p->term->entity = source;
    if (!query_parse_is_name(p)) return query_parse_expected(p, "the name of a relation");
    KEEL_TRY(query_parse_component(p, &p->lexer.token, true));
    return keeli_query_advance(&p->lexer);
}

// Parses a term that begins with a name, and is none of the terms with words of their own.
static keel_result query_parse_named(query_parser *p) {
    const query_token name = p->lexer.token;
    const bool is_text = name.kind == QUERY_TEXT;
    if (is_text && keeli_query_is_before(&p->lexer, "->") &&
        !keel_find_component(p->world, name.word)) {
        keel_entity source;
        KEEL_TRY(keeli_query_entity(&p->lexer, p->world, &source));
        KEEL_TRY(keeli_query_advance(&p->lexer));
        return query_parse_source(p, source);
    }
    KEEL_TRY(query_parse_component(p, &name, keeli_query_is_before(&p->lexer, "->")));
    KEEL_TRY(keeli_query_advance(&p->lexer));
    p->term->kind = QUERY_HAS;
    if (query_parse_is_sign(p, '.')) return query_parse_compare(p, &name);
    if (query_parse_is_word(p, "changed") || query_parse_is_word(p, "inserted"))
        return query_parse_changed(p, &name);
    p->is_plain = p->lexer.token.kind != QUERY_ARROW;
    if (p->is_plain) return KEEL_OK;
    KEEL_TRY(keeli_query_advance(&p->lexer));
    return query_parse_target(p);
}

// Parses `name = "ship"` or `name ~ "ship*"`, from the operator on.
static keel_result query_parse_name(query_parser *p) {
    KEEL_TRY(keeli_query_advance(&p->lexer));
    p->term->kind = query_parse_is_sign(p, '~') ? QUERY_LIKE : QUERY_NAMED;
    p->query->reads_names = true;
    KEEL_TRY(keeli_query_advance(&p->lexer));
    if (p->lexer.token.kind != QUERY_TEXT) return query_parse_expected(p, "a text in \"\"");
    p->term->text = p->lexer.token.word;
    return keeli_query_advance(&p->lexer);
}

static keel_result query_parse_any(query_parser *p) {
    KEEL_TRY(keeli_query_advance(&p->lexer)); // the word
    p->term->kind = QUERY_ANY;
    do {
        KEEL_TRY(keeli_query_advance(&p->lexer)); // the bracket, or the bar
        if (!query_parse_is_name(p)) return query_parse_expected(p, "the name of a component");
        if (p->term->component_count == QUERY_ANY_MOST)
            return keeli_query_fail(&p->lexer, p->lexer.token.at, KEEL_ERROR_TEXT,
                                    "any() takes at most %d components", (int)QUERY_ANY_MOST);
        KEEL_TRY(query_parse_component(p, &p->lexer.token, false));
        KEEL_TRY(keeli_query_advance(&p->lexer));
    } while (query_parse_is_sign(p, '|'));
    if (!query_parse_is_sign(p, ')')) return query_parse_expected(p, "| or )");
    return keeli_query_advance(&p->lexer);
}

// Parses the entity of `child of` or `below`. `words`: how many words stand before the entity.
static keel_result query_parse_family(query_parser *p, query_kind kind, uint32_t words) {
    p->term->kind = kind;
    p->query->reads_children = true;
    for (; words; --words)
        KEEL_TRY(keeli_query_advance(&p->lexer));
    return keeli_query_entity(&p->lexer, p->world, &p->term->entity);
}

static bool query_parse_is_family(const query_parser *p) {
    return query_parse_is_word(p, "below") &&
           (keeli_query_is_before(&p->lexer, "\"") || keeli_query_is_before(&p->lexer, "#"));
}

static keel_result query_parse_handle(query_parser *p) {
    const keel_entity entity = p->lexer.token.entity;
    p->term->kind = QUERY_THIS;
    p->term->entity = entity;
    KEEL_TRY(keeli_query_advance(&p->lexer));
    if (p->lexer.token.kind != QUERY_ARROW) return KEEL_OK;
    KEEL_TRY(keeli_query_advance(&p->lexer));
    return query_parse_source(p, entity);
}

static keel_result query_parse_kind(query_parser *p) {
    const query_lexer *lexer = &p->lexer;
    if (lexer->token.kind == QUERY_HANDLE) return query_parse_handle(p);
    if (query_parse_is_family(p)) return query_parse_family(p, QUERY_BELOW, 1);
    if (query_parse_is_word(p, "child") && keeli_query_is_before(lexer, "of"))
        return query_parse_family(p, QUERY_CHILD, 2);
    const bool is_compared = keeli_query_is_before(lexer, "=") || keeli_query_is_before(lexer, "~");
    if (query_parse_is_word(p, "name") && is_compared) return query_parse_name(p);
    if (query_parse_is_word(p, "name") && keeli_query_is_before(lexer, "!="))
        return query_parse_expected(p, "!name =");
    if (query_parse_is_word(p, "any") && keeli_query_is_before(lexer, "("))
        return query_parse_any(p);
    if (query_parse_is_word(p, "disabled")) {
        p->term->kind = QUERY_DISABLED;
        return keeli_query_advance(&p->lexer);
    }
    if (query_parse_is_name(p)) return query_parse_named(p);
    return query_parse_expected(p, "the name of a component, or another term");
}

// ------------------------------------------------------------------ queries
static keel_result query_parse_term(query_parser *p) {
    if (p->query->term_count == KEEL_MAX_QUERY_TERMS)
        return keeli_query_fail(&p->lexer, p->lexer.token.at, KEEL_ERROR_TEXT,
                                "a query has at most %d terms", KEEL_MAX_QUERY_TERMS);
    p->term = &p->query->terms[p->query->term_count++];
    p->term->at = p->lexer.token.at;
    p->is_plain = false;
    const uint32_t at = p->lexer.token.at;
    const bool is_optional = query_parse_is_sign(p, '?');
    p->term->is_not = query_parse_is_sign(p, '!');
    if (is_optional || p->term->is_not) KEEL_TRY(keeli_query_advance(&p->lexer));
    KEEL_TRY(query_parse_kind(p));

    p->term->end = p->lexer.token.at;
    if (!is_optional) return KEEL_OK;
    if (!p->is_plain)
        return keeli_query_fail(&p->lexer, at, KEEL_ERROR_TEXT,
                                "? stands before the name of a component only");
    p->term->kind = QUERY_OPTIONAL;
    return KEEL_OK;
}

static keel_result query_parse_terms(query_parser *p) {
    KEEL_TRY(keeli_query_advance(&p->lexer));
    for (;;) {
        KEEL_TRY(query_parse_term(p));
        if (p->lexer.token.kind == QUERY_END) return KEEL_OK;
        if (!query_parse_is_sign(p, ',')) return query_parse_expected(p, "a comma, or the end,");
        KEEL_TRY(keeli_query_advance(&p->lexer));
    }
}

// Sorts the terms by their kinds, so that cheap tests come first. The sort is stable.
static void query_parse_order(keel_query *query) {
    for (uint32_t i = 0; i < query->term_count; ++i) {
        uint32_t k = i;
        for (; k && query->terms[query->order[k - 1]].kind > query->terms[i].kind; --k)
            query->order[k] = query->order[k - 1];
        query->order[k] = (uint8_t)i;
    }
}

void keeli_query_free(keel_query *query) {
    for (uint32_t i = 0; i < query->term_count; ++i)
        free(query->terms[i].compare.bytes);
    free(query);
}

static keel_result query_parse_refuse(keel_query_error *error, keel_result result,
                                      const char *message) {
    error->result = result;
    (void)snprintf(error->message, sizeof error->message, "%s", message);
    return result;
}

keel_result keel_query_parse(keel_world *world, const char *text, keel_query **query,
                             keel_query_error *error) {
    keel_query_error other;
    if (!error) error = &other;
    memset(error, 0, sizeof *error);
    if (query) *query = NULL;
    if (!world || !text || !query)
        return query_parse_refuse(
            error, KEEL_ERROR_ARGUMENT,
            "keel_query_parse needs a world, a text and a place for the query");
    if (strlen(text) > KEEL_MAX_QUERY_TEXT)
        return query_parse_refuse(error, KEEL_ERROR_TEXT, "a query has at most 4,096 bytes");
    keel_query *made = calloc(1, sizeof *made);
    if (!made) return query_parse_refuse(error, KEEL_ERROR_MEMORY, "out of memory");

    made->world = world;
    memcpy(made->text, text, strlen(text) + 1);
    query_parser parser = { .lexer = { .text = made->text, .words = made->words, .error = error },
                            .world = world,
                            .query = made };
    const keel_result result = query_parse_terms(&parser);
    if (result < 0) {
        keeli_query_free(made);
        return result;
    }
    query_parse_order(made);
    *query = made;
    return KEEL_OK;
}

void keel_query_destroy(keel_query *query) {
    if (!query) return;
    query->is_destroyed = true;
    if (!query->walks) keeli_query_free(query);
}
