// SPDX-License-Identifier: MIT
// Tells why a view does not match an entity (keel_view_why; why_step.c asks for
// systems of workloads). Whether a term lets the entity pass is
// asked of the view, as keel_view_contains does, so that both always agree; this only finds the
// reason and the words. Users call it; loops and systems do not.
#include "tell/why.h"

#include "base/text.h"
#include "find/iterate.h"
#include "find/relation.h"
#include "world/report.h"

#include <stdarg.h>
#include <stdio.h>

// ------------------------------------------------------------------ components
// Returns the storage that the user knows: for the targets of a relation, that of its sources.
static const keeli_storage *why_known(const keeli_storage *s) {
    const bool is_targets = s && s->relation && s == s->relation->targets;
    return is_targets ? s->relation->sources : s;
}

// Returns a storage of a term, or NULL if the world does not know the component.
static const keeli_storage *why_storage(const keeli_view *view, const keeli_bound_term *term,
                                        uint32_t i) {
    return i < term->count ? why_known(view->storages[term->first + i]) : NULL;
}

static const keel_component *why_component(const keeli_storage *s) {
    return s ? &s->component : NULL;
}

static const char *why_name(const keel_component *c) {
    return c ? c->name : "an unknown component";
}

// ------------------------------------------------------------------ the reason
// Returns the reason why an entity without an enabled component does not pass.
static keel_why_kind why_lacks(const keeli_storage *s, uint32_t index) {
    return s && keeli_store_is_disabled(s, index) ? KEEL_WHY_DISABLED : KEEL_WHY_MISSING;
}

// Returns the reason of a term about changes of the entity's own component.
static keel_why_kind why_unchanged(const keeli_storage *s, keel_term_kind kind, uint32_t index) {
    const bool is_negated = kind >= KEEL_TERM_NOT_INSERTED;
    if (is_negated)
        return (keel_why_kind)(KEEL_WHY_INSERTED + (kind - KEEL_TERM_NOT_INSERTED));
    if (!s || !keeli_store_has(s, index))
        return why_lacks(s, index);
    return (keel_why_kind)(KEEL_WHY_NOT_INSERTED + (kind - KEEL_TERM_INSERTED));
}

// Finds the reason of a term that reads a value through a relation.
static keel_why_kind why_not_through(const keeli_storage *s, const keeli_storage *relation,
                                     bool is_up, uint32_t index, keel_why *why) {
    if (!relation || !keeli_store_has(relation, index))
        return KEEL_WHY_NO_TARGET;
    if (is_up)
        return KEEL_WHY_ANCESTORS_LACK;
    const uint32_t target = keeli_target_at(relation, index);
    why->other = keeli_entity_at(&relation->world->entities, target);
    return why_lacks(s, target) == KEEL_WHY_DISABLED ? KEEL_WHY_TARGET_DISABLED
                                                     : KEEL_WHY_TARGET_LACKS;
}

static keel_why_kind why_unrelated(const keeli_view *view, keel_why *why) {
    why->other = view->facts.related_to;
    const bool is_alive = keeli_entity_is_alive(&view->world->entities, why->other);
    return is_alive ? KEEL_WHY_NOT_RELATED : KEEL_WHY_TARGET_DEAD;
}

// Sets the components of the reason, and returns its kind. The term refuses the entity.
static keel_why_kind why_refused(const keeli_view *view, const keeli_bound_term *term,
                                 uint32_t index, keel_why *why) {
    const keel_term_kind kind = term->kind;
    const keeli_storage *s = why_storage(view, term, 0);
    const keeli_storage *relation =
        keeli_term_has_relation(kind) ? why_storage(view, term, 1) : NULL;
    why->component = why_component(s);
    why->relation = why_component(relation);

    if (keeli_term_filters_changes(kind))
        return why_unchanged(s, kind, index);
    if (keeli_term_is_through(kind))
        return why_not_through(s, relation, keeli_term_is_up(kind), index, why);
    if (kind == KEEL_TERM_CHANGED_UP)
        return KEEL_WHY_UNCHANGED_UP;
    if (kind == KEEL_TERM_WITHOUT)
        return KEEL_WHY_EXCLUDED;
    if (kind == KEEL_TERM_ANY_OF)
        return KEEL_WHY_NONE_OF;
    if (kind == KEEL_TERM_AMONG)
        return KEEL_WHY_NOT_LISTED;
    if (kind != KEEL_TERM_TARGETED && kind != KEEL_TERM_RELATED)
        return why_lacks(s, index);

    why->relation = why->component;
    why->component = NULL;
    return kind == KEEL_TERM_TARGETED ? KEEL_WHY_NOT_TARGETED : why_unrelated(view, why);
}

// ------------------------------------------------------------------ words
static void put_why_list(keeli_writer *w, const keeli_view *view, const keeli_bound_term *term) {
    for (uint32_t i = 0; i < term->count; ++i)
        keeli_write(w, "%s%s", i ? ", " : "", why_name(why_component(why_storage(view, term, i))));
}

// Writes an entity. Its name is left out while several threads use the world, as another one may
// change it.
static void put_why_entity(keeli_writer *w, const keel_world *world, keel_entity e) {
    if (world->access.concurrent)
        keeli_write(w, "%uv%u", (unsigned)keeli_index_of(e), (unsigned)keel_entity_version(e));
    else
        keeli_write(w, "%s", KEELI_ENTITY(world, e));
}

// Returns the words for a term that is about one component of the entity itself.
static const char *why_own_words(keel_term_kind kind) {
    static const char *const words[] = {
        [KEEL_TERM_READ] = "read",
        [KEEL_TERM_WRITE] = "write",
        [KEEL_TERM_WRITE_MARKED] = "write",
        [KEEL_TERM_EDIT] = "edit",
        [KEEL_TERM_WITH] = "with",
        [KEEL_TERM_WITHOUT] = "without",
        [KEEL_TERM_ANY_OF] = "any of",
        [KEEL_TERM_INSERTED] = "inserted",
        [KEEL_TERM_MODIFIED] = "modified",
        [KEEL_TERM_CHANGED] = "changed",
        [KEEL_TERM_NOT_INSERTED] = "not inserted",
        [KEEL_TERM_NOT_MODIFIED] = "not modified",
        [KEEL_TERM_NOT_CHANGED] = "not changed",
        [KEEL_TERM_TARGETED] = "targeted by",
    };
    const char *word = (size_t)kind < sizeof words / sizeof *words ? words[kind] : NULL;
    return word ? word : "term of";
}

// Writes a term that can refuse an entity.
static void put_why_term(keeli_writer *w, const keeli_view *view, const keeli_bound_term *term) {
    const keel_term_kind kind = term->kind;
    const char *first = why_name(why_component(why_storage(view, term, 0)));
    const char *second = why_name(why_component(why_storage(view, term, 1)));
    if (kind == KEEL_TERM_AMONG) {
        keeli_write(w, "among %u handles", (unsigned)view->facts.among_count);
    } else if (kind == KEEL_TERM_RELATED) {
        keeli_write(w, "related by %s to ", first);
        put_why_entity(w, view->world, view->facts.related_to);
    } else if (keeli_term_is_through(kind)) {
        keeli_write(w, "%s %s of %s %s", keeli_term_writes(kind) ? "write" : "read", first,
                    keeli_term_is_up(kind) ? "the nearest above by" : "the target of", second);
    } else if (kind == KEEL_TERM_CHANGED_UP) {
        keeli_write(w, "changed %s, or that of one above by %s", first, second);
    } else {
        keeli_write(w, "%s ", why_own_words(kind));
        put_why_list(w, view, term);
    }
}

// Writes the reason of a term about changes.
static void put_why_change(keeli_writer *w, const keel_why *why) {
    static const char *const words[] = {
        "was not inserted", "was not modified", "was neither inserted nor modified",
        "was inserted",     "was modified",     "was inserted or modified"
    };
    keeli_write(w, "its %s %s since the period of the view began", why_name(why->component),
                words[why->kind - KEEL_WHY_NOT_INSERTED]);
}

// Writes the reason of a term about a relation.
static void put_why_relation(keeli_writer *w, const keel_world *world, const keel_why *why) {
    const char *component = why_name(why->component), *relation = why_name(why->relation);
    const bool is_disabled = why->kind == KEEL_WHY_TARGET_DISABLED;
    switch (why->kind) {
    case KEEL_WHY_NO_TARGET:
        keeli_write(w, "has no target of %s", relation);
        return;
    case KEEL_WHY_TARGET_LACKS:
    case KEEL_WHY_TARGET_DISABLED:
        keeli_write(w, "its target ");
        put_why_entity(w, world, why->other);
        keeli_write(w, " of %s has %s%s%s", relation, is_disabled ? "its " : "no ", component,
                    is_disabled ? " disabled" : "");
        return;
    case KEEL_WHY_ANCESTORS_LACK:
        keeli_write(w, "no entity above it by %s has %s", relation, component);
        return;
    case KEEL_WHY_UNCHANGED_UP:
        keeli_write(w, "%s changed neither in it nor above it by %s since the period began",
                    component, relation);
        return;
    case KEEL_WHY_NOT_TARGETED:
        keeli_write(w, "is no target of %s", relation);
        return;
    default:
        keeli_write(w, why->kind == KEEL_WHY_TARGET_DEAD ? "the target " : "has no %s to ",
                    relation);
        put_why_entity(w, world, why->other);
        keeli_write(w, why->kind == KEEL_WHY_TARGET_DEAD ? " is not alive" : "");
    }
}

static void put_why_reason(keeli_writer *w, const keeli_view *view, const keel_why *why) {
    const char *component = why_name(why->component);
    switch (why->kind) {
    case KEEL_WHY_MISSING:
        keeli_write(w, "has no %s", component);
        return;
    case KEEL_WHY_DISABLED:
        keeli_write(w, "its %s is disabled", component);
        return;
    case KEEL_WHY_EXCLUDED:
        keeli_write(w, "has %s", component);
        return;
    case KEEL_WHY_NONE_OF:
        keeli_write(w, "has none of ");
        put_why_list(w, view, &view->terms[why->term]);
        return;
    case KEEL_WHY_NOT_LISTED:
        keeli_write(w, "is not in the list of handles");
        return;
    default:
        if (why->kind >= KEEL_WHY_NOT_INSERTED && why->kind <= KEEL_WHY_CHANGED)
            put_why_change(w, why);
        else
            put_why_relation(w, view->world, why);
    }
}

static void put_why(const keeli_view *view, keel_why *why) {
    keeli_writer w = keeli_writer_begin(why->text, sizeof why->text);
    keeli_write(&w, "does not match: ");
    put_why_reason(&w, view, why);
    keeli_write(&w, " (term %u of %u, ", (unsigned)(why->term + 1), (unsigned)view->term_count);
    put_why_term(&w, view, &view->terms[why->term]);
    keeli_write(&w, ")");
}

// ------------------------------------------------------------------ the answer
bool keeli_why_not(keel_why *why, keel_why_kind kind, const char *format, ...) {
    va_list arguments;
    *why = (keel_why){ .kind = kind, .term = KEEL_NO_TERM, .term_kind = KEEL_TERM_END };
    va_start(arguments, format);
    vsnprintf(why->text, sizeof why->text, format, arguments);
    va_end(arguments);
    return false;
}

bool keeli_why_view(const keeli_view *view, keel_entity e, keel_why *why) {
    if (!keeli_entity_is_alive(&view->world->entities, e))
        return keeli_why_not(why, KEEL_WHY_DEAD, "does not match: it is not alive");
    (void)keeli_why_not(why, KEEL_WHY_MATCHES, "matches");
    for (uint32_t t = view->term_count; t-- > 0;) {
        if (keeli_view_passes(view, &view->terms[t], e))
            continue;
        why->refusing |= 1u << t;
        why->term = t;
    }
    if (!why->refusing)
        return true;

    const keeli_bound_term *term = &view->terms[why->term];
    why->term_kind = term->kind;
    why->kind = why_refused(view, term, keeli_index_of(e), why);
    put_why(view, why);
    return false;
}

// ------------------------------------------------------------------ public
bool keel_view_why(const keel_view *view, keel_entity e, keel_why *why) {
    const keeli_view *state = keeli_view_of(view);
    if (!why)
        return keel_view_contains(view, e);
    if (state)
        return keeli_why_view(state, e, why);
    return keeli_why_not(why, KEEL_WHY_CLOSED, "does not match: the view is closed");
}
