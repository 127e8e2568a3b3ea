// SPDX-License-Identifier: MIT
// Describes what a query does, for people, and lists the components that it names. Programs call
// it.
#include "query.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct query_writer {
    char *text;
    size_t size, length;
} query_writer;

KEELI_PRINTF(2, 3) static void query_explain_write(query_writer *w, const char *format, ...) {
    const bool has_room = w->length < w->size;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(has_room ? w->text + w->length : NULL,
                                 has_room ? w->size - w->length : 0, format, arguments);
    va_end(arguments);
    w->length += length > 0 ? (size_t)length : 0;
}

// Writes a term as it stands in the text.
static void query_explain_term(query_writer *w, const keel_query *query, const query_term *term) {
    uint32_t end = term->end;
    while (end > term->at && strchr(" \t\r\n", query->text[end - 1]))
        --end;
    query_explain_write(w, "%.*s", (int)(end - term->at), query->text + term->at);
}

static void query_explain_entity(query_writer *w, const keel_query *query, keel_entity e) {
    const char *name = keel_name_of(query->world, e);
    query_explain_write(w, " #%uv%u", (unsigned)keel_entity_index(e),
                        (unsigned)keel_entity_version(e));
    if (name) query_explain_write(w, " \"%s\"", name);
    else if (!keel_is_alive(query->world, e)) query_explain_write(w, ", which is not alive");
}

static const char *query_explain_form(query_form form) {
    static const char *const texts[] = { [QUERY_INTEGER] = "an integer",
                                         [QUERY_REAL] = "a real number",
                                         [QUERY_FLAGS] = "flags, where < is a part and > has more",
                                         [QUERY_CHARS] = "a text",
                                         [QUERY_OWNED] = "a text that the value owns",
                                         [QUERY_REFERENCE] = "a reference to",
                                         [QUERY_BYTES] = "byte by byte" };
    return texts[form];
}

static const char *query_explain_kind(query_kind kind) {
    static const char *const texts[] = {
        [QUERY_OPTIONAL] = "names a component that need not be there",
        [QUERY_THIS] = "is the entity",
        [QUERY_HAS] = "has the component",
        [QUERY_COMPARE] = "has the component, and compares a field:",
        [QUERY_ANY] = "has one of the components",
        [QUERY_CHILD] = "is a child of",
        [QUERY_RELATED] = "is a source of",
        [QUERY_TARGET] = "is a target of",
        [QUERY_NAMED] = "has the name",
        [QUERY_LIKE] = "has a name with the pattern",
        [QUERY_CHANGED] = "was inserted or modified",
        [QUERY_INSERTED] = "was inserted",
        [QUERY_BELOW] = "is below",
        [QUERY_DISABLED] = "has a disabled component",
    };
    return texts[kind];
}

// Writes one line: the term, and what is tested.
static void query_explain_line(query_writer *w, const keel_query *query, const query_term *term) {
    const bool compares = term->kind == QUERY_COMPARE;
    const bool names_entity = term->kind == QUERY_THIS || term->kind == QUERY_CHILD ||
                              term->kind == QUERY_RELATED || term->kind == QUERY_TARGET ||
                              term->kind == QUERY_BELOW;
    query_explain_term(w, query, term);
    query_explain_write(w, ": %s%s", term->is_not ? "not: " : "", query_explain_kind(term->kind));
    if (compares) query_explain_write(w, " %s", query_explain_form(term->compare.form));
    if (names_entity) query_explain_entity(w, query, term->entity);
    if (compares && term->compare.form == QUERY_REFERENCE && !keel_is_null(term->compare.entity))
        query_explain_entity(w, query, term->compare.entity);
    query_explain_write(w, "\n");
}

size_t keel_query_explain(const keel_query *query, char *text, size_t size) {
    query_writer w = { text, text ? size : 0, 0 };
    if (w.size) text[0] = '\0';
    if (!query) return 0;
    const query_lead lead = keeli_query_lead(query);
    query_explain_write(&w, lead.term ? "looks at entities of " : "looks at all entities");
    if (lead.term) query_explain_term(&w, query, lead.term);
    query_explain_write(&w, " (%u), by ascending index\n", (unsigned)lead.count);
    for (uint32_t i = 0; i < query->term_count; ++i)
        query_explain_line(&w, query, &query->terms[query->order[i]]);
    return w.length;
}

uint32_t keel_query_component_count(const keel_query *query) {
    uint32_t count = 0;
    for (uint32_t i = 0; query && i < query->component_count; ++i)
        count += query->components[i].is_shown;
    return count;
}

const keel_component *keel_query_component(const keel_query *query, uint32_t index) {
    for (uint32_t i = 0; query && i < query->component_count; ++i)
        if (query->components[i].is_shown && index-- == 0)
            return keel_find_component(query->world, query->components[i].name);
    return NULL;
}
