// SPDX-License-Identifier: MIT
// Says what the terms of a system mean: in words for people, and as accesses to storages for the
// questions who reads, writes and edits a component.
#include "terms.h"

#include <stdio.h>
#include <string.h>

typedef struct term_words {
    const char *kind, *text; // for programs; before the names of the components
    const char *access;      // NULL: the term uses no storage
} term_words;

static const term_words term_words_of[] = {
    [KEEL_TERM_NONE] = { "count", "the number of entities in a span", NULL },
    [KEEL_TERM_READ] = { "read", "read", "read" },
    [KEEL_TERM_WRITE] = { "write", "write", "write" },
    [KEEL_TERM_WRITE_MARKED] = { "write", "write what is marked of", "write" },
    [KEEL_TERM_EDIT] = { "edit", "edit", "edit" },
    [KEEL_TERM_OPTIONAL_READ] = { "optional", "optionally read", "read" },
    [KEEL_TERM_OPTIONAL_WRITE] = { "optional", "optionally write", "write" },
    [KEEL_TERM_WITH] = { "with", "with", "filter" },
    [KEEL_TERM_WITHOUT] = { "without", "without", "filter" },
    [KEEL_TERM_ANY_OF] = { "any", "any of", "filter" },
    [KEEL_TERM_INSERTED] = { "inserted", "inserted", "filter" },
    [KEEL_TERM_MODIFIED] = { "modified", "modified", "filter" },
    [KEEL_TERM_CHANGED] = { "changed", "changed", "filter" },
    [KEEL_TERM_NOT_INSERTED] = { "not inserted", "not inserted", "filter" },
    [KEEL_TERM_NOT_MODIFIED] = { "not modified", "not modified", "filter" },
    [KEEL_TERM_NOT_CHANGED] = { "not changed", "not changed", "filter" },
    [KEEL_TERM_OF_TARGET_READ] = { "of target", "of the target, read", "read" },
    [KEEL_TERM_OF_TARGET_OPTIONAL_READ] = { "of target", "of the target, optionally read", "read" },
    [KEEL_TERM_OF_TARGET_WRITE] = { "of target", "of the target, write", "write" },
    [KEEL_TERM_UP_READ] = { "up", "of the nearest ancestor, read", "read" },
    [KEEL_TERM_UP_OPTIONAL_READ] = { "up", "of the nearest ancestor, optionally read", "read" },
    [KEEL_TERM_CHANGED_UP] = { "changed", "changed, also in ancestors,", "filter" },
    [KEEL_TERM_TARGETS_FIRST] = { "order", "targets first, by", "filter" },
    [KEEL_TERM_TARGETED] = { "targeted", "a target of", "filter" },
    [KEEL_TERM_ENTITY] = { "entity", "the handle", NULL },
    [KEEL_TERM_MAY_READ] = { "may read", "may read", "read" },
    [KEEL_TERM_MAY_WRITE] = { "may write", "may write", "write" },
    [KEEL_TERM_MAY_EDIT] = { "may edit", "may edit", "edit" },
    [KEEL_TERM_MAY_EDIT_ENTITIES] = { "may create", "may create entities", NULL },
    [KEEL_TERM_MAY_EDIT_WORLD] = { "world", "the whole world", NULL },
    [KEEL_TERM_UNIQUE_READ] = { "unique", "read the unique", "read" },
    [KEEL_TERM_UNIQUE_WRITE] = { "unique", "write the unique", "write" },
    [KEEL_TERM_COMMANDS] = { "commands", "commands that edit", "commands" },
    [KEEL_TERM_CONTEXT] = { "context", "the context", NULL },
    [KEEL_TERM_DATA] = { "data", "data of the run", NULL },
    [KEEL_TERM_CUSTOM] = { "custom", "a custom view", NULL },
    [KEEL_TERM_CUSTOM_READ] = { "custom", "a custom view to read", NULL },
    [KEEL_TERM_SEND] = { "send", "send", "send" },
    [KEEL_TERM_RECEIVE] = { "receive", "receive", "receive" },
    [KEEL_TERM_AMONG] = { "among", "among a list", NULL },
    [KEEL_TERM_BACKWARDS] = { "backwards", "backwards", NULL },
    [KEEL_TERM_RELATED] = { "related", "the sources of one target of", "filter" },
};

static const term_words *term_find_words(const keel_term *term) {
    static const term_words unknown = { "term", "a term", NULL };
    const size_t count = sizeof term_words_of / sizeof *term_words_of;
    const bool is_known = (size_t)term->kind < count && term_words_of[term->kind].text;
    return is_known ? &term_words_of[term->kind] : &unknown;
}

// True if `others` of the term has more components, and not a relation.
static bool term_has_list(const keel_term *term) {
    return term->kind == KEEL_TERM_ANY_OF || term->kind == KEEL_TERM_MAY_READ ||
           term->kind == KEEL_TERM_MAY_WRITE || term->kind == KEEL_TERM_MAY_EDIT ||
           term->kind == KEEL_TERM_COMMANDS;
}

// Returns the i-th component of a term, or NULL at the end.
static const keel_component *term_component(const keel_term *term, uint32_t i) {
    if (i == 0) return term->component;
    return term->component && term->others && term_has_list(term) ? term->others[i - 1] : NULL;
}

static const char *term_name(const keel_component *component) {
    return component->name ? component->name : component->type ? component->type : "";
}

void keeli_term_text(const keel_term *term, char *text, size_t size) {
    const keel_component *c;
    int length = snprintf(text, size, "%s", term_find_words(term)->text);
    for (uint32_t i = 0;
         (c = term_component(term, i)) != NULL && length > 0 && (size_t)length < size; ++i)
        length +=
            snprintf(text + length, size - (size_t)length, "%s %.60s", i ? "," : "", term_name(c));
    const bool has_relation =
        term->others && term->others[0] && !term_has_list(term) && term->kind != KEEL_TERM_CUSTOM;
    if (has_relation && length > 0 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length, " (%.60s)", term_name(term->others[0]));
}

void keeli_term_write(keeli_out *out, const keel_term *term) {
    char text[512];
    const keel_component *c;
    keeli_term_text(term, text, sizeof text);
    keeli_out_open(out, '{');
    keeli_out_key_text(out, "text", text);
    keeli_out_key_text(out, "kind", term_find_words(term)->kind);
    keeli_out_key_open(out, "components", '[');
    for (uint32_t i = 0; (c = term_component(term, i)) != NULL; ++i)
        keeli_out_text(out, term_name(c));
    keeli_out_close(out, ']');
    keeli_out_close(out, '}');
}

void keeli_terms_write_touches(keeli_out *out, const keel_system *system) {
    const keel_component *c;
    keeli_out_open(out, '[');
    for (const keel_term *term = system->terms; term && term->kind != KEEL_TERM_END; ++term) {
        const char *access = term_find_words(term)->access;
        for (uint32_t i = 0; access && (c = term_component(term, i)) != NULL; ++i) {
            keeli_out_open(out, '{');
            keeli_out_key_text(out, "storage", term_name(c));
            keeli_out_key_text(out, "access", access);
            keeli_out_key_text(out, "kind",
                               c->is_event    ? "event"
                               : c->is_unique ? "unique"
                                              : "component");
            keeli_out_close(out, '}');
        }
    }
    keeli_out_close(out, ']');
}

bool keeli_terms_use(const keel_system *system, const char *storage, const char *access) {
    const keel_component *c;
    for (const keel_term *term = system->terms; term && term->kind != KEEL_TERM_END; ++term) {
        const char *own = term_find_words(term)->access;
        for (uint32_t i = 0; own && (c = term_component(term, i)) != NULL; ++i)
            if (!strcmp(own, access) && !strcmp(term_name(c), storage)) return true;
    }
    return false;
}

const char *keeli_terms_access(const keel_system *system, const char *storage) {
    static const char *const strongest_first[] = { "edit",    "write", "commands", "send",
                                                   "receive", "read",  "filter" };
    for (size_t i = 0; i < sizeof strongest_first / sizeof *strongest_first; ++i)
        if (keeli_terms_use(system, storage, strongest_first[i])) return strongest_first[i];
    return NULL;
}
