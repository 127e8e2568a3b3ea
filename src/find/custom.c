// SPDX-License-Identifier: MIT
// What custom views declare. Making and dropping them is the run layer's (run/custom.c).
#include "find/view.h"
#include "world/report.h"

// ------------------------------------------------------------------ what it declares
static keel_result bad_kind(const keeli_view *view, const keel_custom_view *kind,
                            const char *what) {
    return keeli_misuse(view->world, KEEL_ERROR_ARGUMENT, "custom view '%s' of %s %s",
                        kind && kind->name ? kind->name : "without a name", view->holder.name,
                        what);
}

static keel_result check_kind(const keeli_view *view, const keel_custom_view *kind) {
    if (!kind) return bad_kind(view, kind, "is NULL: the term lacks its descriptor");
    if (!kind->name || !kind->terms || !kind->size || !kind->align ||
        (kind->align & (kind->align - 1)) != 0)
        return bad_kind(view, kind, "needs a name, terms, a size and an alignment");
    return KEEL_OK;
}

static keel_result bind_term(keeli_view *view, const keel_custom_view *kind,
                             const keel_term *term) {
    if ((uint32_t)term->kind > KEEL_TERM_UNIQUE_WRITE)
        return bad_kind(view, kind,
                        "declares commands, context, data or events, which only systems have");
    if (keeli_term_takes_component(term->kind) && !term->component)
        return bad_kind(view, kind, "has a term that lacks its component");
    const keel_component *const *other = term->others;
    uint32_t count = 0;
    for (const keel_component *c = term->component; c; c = other ? *other++ : NULL) {
        if (++count > KEEL_MAX_TERM_COMPONENTS)
            return bad_kind(view, kind, "has a term that names more than 8 components");
        KEEL_TRY(keeli_view_bind_component(view, term, c));
    }
    if (term->kind == KEEL_TERM_EDIT_WORLD) view->holder.everything = true;
    if (term->kind == KEEL_TERM_EDIT_ENTITIES && !keeli_view_want_entities(view, KEEL_ACCESS_EDIT))
        return keeli_out_of_memory(view->world, "opening a view");
    return KEEL_OK;
}

static keel_result bind(keeli_view *view, const keel_custom_view *kind, uint32_t depth) {
    KEEL_TRY(check_kind(view, kind));
    if (depth == KEEL_MAX_CUSTOM_DEPTH)
        return keeli_misuse(view->world, KEEL_ERROR_CYCLE,
                            "custom view '%s' contains itself, or more than %d contain each other",
                            kind->name, KEEL_MAX_CUSTOM_DEPTH);
    for (const keel_term *t = kind->terms; t->kind != KEEL_TERM_END; ++t)
        KEEL_TRY(keeli_term_is_custom(t->kind) ? bind(view, t->custom, depth + 1)
                                               : bind_term(view, kind, t));
    return KEEL_OK;
}

static bool is_about_entities(keel_term_kind kind) {
    return kind >= KEEL_TERM_MAYBE && kind <= KEEL_TERM_ENTITY;
}

// In a system its code may ask who is alive, as the system may; in the world it has no need to keep
// entities from being made.
keel_result keeli_custom_bind(keeli_view *view, const keel_custom_view *kind) {
    KEEL_TRY(bind(view, kind, 0));
    const bool in_system = view->holder.is_system || view->holder.parent;
    if (!in_system && !keeli_custom_has(kind, is_about_entities)) return KEEL_OK;
    return keeli_view_want_entities(view, KEEL_ACCESS_READ)
               ? KEEL_OK
               : keeli_out_of_memory(view->world, "opening a view");
}

keel_result keeli_custom_check_uniques(keel_world *world, const keel_custom_view *kind) {
    for (const keel_term *t = kind->terms; t->kind != KEEL_TERM_END; ++t) {
        if (!keeli_term_is_unique(t->kind)) continue;
        const keeli_storage *s = keeli_storage_find(world, t->component);
        if (!s || !s->unique) return keeli_missing_unique(world, kind->name, t->component);
    }
    return KEEL_OK;
}

// ------------------------------------------------------------------ looking through one
// Also before it was checked: what contains itself is looked at to a depth.
static keel_access access_to(const keel_world *world, const keel_custom_view *kind,
                             const keeli_storage *s, uint32_t depth) {
    keel_access most = KEEL_ACCESS_NONE;
    if (depth == KEEL_MAX_CUSTOM_DEPTH) return most;
    for (const keel_term *t = kind->terms; t->kind != KEEL_TERM_END; ++t) {
        keel_access access = KEEL_ACCESS_NONE;
        if (keeli_term_is_custom(t->kind)) access = access_to(world, t->custom, s, depth + 1);
        const keel_component *const *other = t->others;
        for (const keel_component *c = t->component; c; c = other ? *other++ : NULL)
            if (keeli_storage_find(world, c) == s) access = keeli_term_access(t->kind);
        if (access > most) most = access;
    }
    return most;
}

keel_access keeli_custom_access(const keel_world *world, const keel_custom_view *kind,
                                const keeli_storage *s) {
    return access_to(world, kind, s, 0);
}

static bool has(const keel_custom_view *kind, bool (*like)(keel_term_kind kind), uint32_t depth) {
    if (!kind || !kind->terms || depth == KEEL_MAX_CUSTOM_DEPTH) return false;
    for (const keel_term *t = kind->terms; t->kind != KEEL_TERM_END; ++t)
        if (like(t->kind) || (keeli_term_is_custom(t->kind) && has(t->custom, like, depth + 1)))
            return true;
    return false;
}

bool keeli_custom_has(const keel_custom_view *kind, bool (*like)(keel_term_kind kind)) {
    return has(kind, like, 0);
}

keeli_view *keeli_custom_find(keel_world *world, const void *value, const keeli_holder *inside) {
    keeli_world_lock(world);
    keeli_view *view = world->views;
    while (view &&
           !(view->serial && view->custom && view->value == value && view->inside == inside))
        view = view->next;
    keeli_world_unlock(world);
    return view;
}
