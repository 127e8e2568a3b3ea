// SPDX-License-Identifier: MIT
// The command `keel-save diff`: prints the differences of two saves. Entities are matched by
// handle, components and fields by name. It compares loaded worlds, not the bytes of the files.
// main.c loads both saves and calls diff_saves.
#include "tool.h"

#include <stdlib.h>
#include <string.h>

// The state of one comparison. `a` is the old save, `b` the new one.
typedef struct difference {
    const loaded_save *a, *b;
    FILE *out;
    uint32_t count;  // differences printed so far
    char whose[512]; // subject that each line begins with: an entity, the source and target of an
                     // edge, or "unique"
} difference;

// Returns the component, relation or unique that the save declares with the name and kind of
// `like`, or NULL. A component that is a relation in the other save is two things: one removed, one
// added.
static const keel_component *find(const loaded_save *save, const keel_component *like) {
    for (uint32_t i = 0; i < save->declared_count; ++i) {
        const keel_component *c = &save->declared[i].component;
        if (c->is_unique == like->is_unique && c->is_relation == like->is_relation &&
            !strcmp(c->name, like->name))
            return c;
    }
    return NULL;
}

// Writes the handle of an entity into `text`, and its name if it has one.
static void name_entity(const loaded_save *save, keel_entity e, char *text, size_t size) {
    const char *name = keel_name_of(save->world, e);
    const unsigned index = keel_entity_index(e), version = keel_entity_version(e);
    if (name) (void)snprintf(text, size, "%uv%u \"%.300s\"", index, version, name);
    else (void)snprintf(text, size, "%uv%u", index, version);
}

// Prints a line about `whose`: + for an addition, - for a removal, ~ for a change. `what` is the
// component that was added, removed or changed; empty if it was the entity itself.
static void report(difference *d, char sign, const char *what) {
    ++d->count;
    fprintf(d->out, "%c %s%s%s\n", sign, d->whose, d->whose[0] && what[0] ? " " : "", what);
}

// ------------------------------------------------------------------ values
// Returns the text of a field, which the caller frees, or NULL if there is no such field.
static char *text_of(const keel_component *c, const void *value, const char *path) {
    keel_field_place place;
    if (keel_field_find(c, path, &place, NULL) < 0) return NULL;
    const size_t length = keel_field_print(&place, value, NULL, 0);
    char *text = malloc(length + 1);
    if (text) (void)keel_field_print(&place, value, text, length + 1);
    return text;
}

static void compare_leaf(difference *d, const char *name, const char *path, const char *old,
                         const char *now) {
    char what[512];
    if (old && now && !strcmp(old, now)) return;
    (void)snprintf(what, sizeof what, "%.100s.%.190s:", name, path);
    ++d->count;
    fprintf(d->out, "~ %s%s%s %s -> %s\n", d->whose, d->whose[0] ? " " : "", what,
            old ? old : "(no such field)", now ? now : "(no such field)");
}

// Compares each field of component `of` with the field of the same path in `other`. With
// `only_missing`, `of` is the component of the new save: only fields that `other` lacks are
// reported, as added.
static void compare_leaves(difference *d, const keel_component *of, const keel_component *other,
                           const void *value, const void *other_value, bool only_missing) {
    for (uint32_t i = 0; i < of->field_count; ++i) {
        const char *path = of->fields[i].name;
        char *text = text_of(of, value, path), *there = text_of(other, other_value, path);
        if (!only_missing) compare_leaf(d, of->name, path, text, there);
        else if (!there) compare_leaf(d, of->name, path, NULL, text);
        free(text);
        free(there);
    }
}

static void compare_values(difference *d, const keel_component *a, const keel_component *b,
                           const void *old, const void *now) {
    if (!old || !now) return; // a tag has no value
    if (!a->field_count && !b->field_count) {
        if (a->size == b->size && !memcmp(old, now, a->size)) return;
        compare_leaf(d, a->name, "(value)", "bytes", "other bytes");
        return;
    }
    compare_leaves(d, a, b, old, now, false);
    compare_leaves(d, b, a, now, old, true);
}

static const void *value_of(const loaded_save *save, keel_entity e, const keel_component *c) {
    const void *value = keel_get_component(save->world, e, c);
    return value;
}

static bool has(const loaded_save *save, keel_entity e, const keel_component *c) {
    return c && keel_has_component(save->world, e, c);
}

static bool is_disabled(const loaded_save *save, keel_entity e, const keel_component *c) {
    return c && !c->is_relation && keel_is_component_disabled(save->world, e, c);
}

static void compare_component(difference *d, keel_entity e, const keel_component *a,
                              const keel_component *b) {
    const bool then = has(d->a, e, a) || is_disabled(d->a, e, a);
    const bool now = has(d->b, e, b) || is_disabled(d->b, e, b);
    const char *name = a ? a->name : b->name;
    char what[256];
    (void)snprintf(what, sizeof what, "%.100s", name);
    if (then && !now) report(d, '-', what);
    if (!then && now) report(d, '+', what);
    if (!then || !now) return;
    if (is_disabled(d->a, e, a) != is_disabled(d->b, e, b)) {
        (void)snprintf(what, sizeof what, "%.100s: %s", name,
                       is_disabled(d->b, e, b) ? "disabled" : "enabled");
        report(d, '~', what);
        return;
    }
    if (has(d->a, e, a)) compare_values(d, a, b, value_of(d->a, e, a), value_of(d->b, e, b));
}

// ------------------------------------------------------------------ relations, parents, names
// Reports, with `sign`, the targets that an entity has in save `of` and lacks in save `other`.
// `there` is the relation of the same name in `other`, or NULL if `other` has none.
static void compare_targets(difference *d, char sign, const loaded_save *of,
                            const loaded_save *other, keel_entity e, const keel_component *c,
                            const keel_component *there) {
    char target[360], what[480];
    for (keel_entity t = keel_null();
         !keel_is_null(t = keel_next_target_component(of->world, e, c, t));) {
        if (there && keel_is_related_component(other->world, e, there, t)) continue;
        name_entity(of, t, target, sizeof target);
        (void)snprintf(what, sizeof what, "%.100s %s", c->name, target);
        report(d, sign, what);
    }
}

// Compares the values of edges that both saves have.
static void compare_edge_values(difference *d, keel_entity e, const keel_component *a,
                                const keel_component *b) {
    char target[360], whose[sizeof d->whose];
    memcpy(whose, d->whose, sizeof whose);
    for (keel_entity t = keel_null();
         !keel_is_null(t = keel_next_target_component(d->a->world, e, a, t));) {
        const void *then = keel_get_related_component(d->a->world, e, a, t);
        const void *now = keel_get_related_component(d->b->world, e, b, t);
        if (!then || !now) continue;
        name_entity(d->a, t, target, sizeof target);
        (void)snprintf(d->whose, sizeof d->whose, "%.140s, %.360s", whose, target);
        compare_values(d, a, b, then, now);
    }
    memcpy(d->whose, whose, sizeof whose);
}

static void compare_relation(difference *d, keel_entity e, const keel_component *a,
                             const keel_component *b) {
    if (a) compare_targets(d, '-', d->a, d->b, e, a, b);
    if (b) compare_targets(d, '+', d->b, d->a, e, b, a);
    if (!a || !b || !a->size || !b->size || !has(d->a, e, a) || !has(d->b, e, b)) return;
    if (!a->exclusive || !b->exclusive) compare_edge_values(d, e, a, b);
    else compare_values(d, a, b, value_of(d->a, e, a), value_of(d->b, e, b));
}

static void compare_text(difference *d, const char *what, const char *old, const char *now) {
    if (!strcmp(old, now)) return;
    ++d->count;
    fprintf(d->out, "~ %s %s: %s -> %s\n", d->whose, what, old, now);
}

static void compare_place(difference *d, keel_entity e) {
    char then[360] = "none", now[360] = "none";
    const keel_entity a = keel_parent_of(d->a->world, e), b = keel_parent_of(d->b->world, e);
    if (!keel_is_null(a)) name_entity(d->a, a, then, sizeof then);
    if (!keel_is_null(b)) name_entity(d->b, b, now, sizeof now);
    if (!keel_is_same(a, b)) compare_text(d, "parent", then, now);
    const char *old = keel_name_of(d->a->world, e), *name = keel_name_of(d->b->world, e);
    compare_text(d, "name", old ? old : "(none)", name ? name : "(none)");
}

// ------------------------------------------------------------------ entities and uniques
static void compare_entity(difference *d, keel_entity e) {
    compare_place(d, e);
    // side 0 compares the components of the old save, side 1 reports those only in the new one
    for (uint32_t side = 0; side < 2; ++side) {
        const loaded_save *of = side ? d->b : d->a;
        for (uint32_t i = 0; i < of->declared_count; ++i) {
            const keel_component *c = &of->declared[i].component;
            const keel_component *other = find(side ? d->a : d->b, c);
            if (c->is_unique || (side && other)) continue; // compared on side 0
            const keel_component *a = side ? NULL : c, *b = side ? c : other;
            if (c->is_relation) compare_relation(d, e, a, b);
            else compare_component(d, e, a, b);
        }
    }
}

static void compare_uniques(difference *d) {
    char what[256];
    for (uint32_t side = 0; side < 2; ++side) {
        const loaded_save *of = side ? d->b : d->a;
        for (uint32_t i = 0; i < of->declared_count; ++i) {
            const keel_component *c = &of->declared[i].component;
            if (!c->is_unique) continue;
            const keel_component *other = find(side ? d->a : d->b, c);
            (void)snprintf(what, sizeof what, "%.100s", c->name);
            if (!other) report(d, side ? '+' : '-', what);
            else if (!side)
                compare_values(d, c, other, keel_get_unique_value(d->a->world, c),
                               keel_get_unique_value(d->b->world, other));
        }
    }
}

uint32_t diff_saves(const loaded_save *a, const loaded_save *b, FILE *out) {
    difference d = { .a = a, .b = b, .out = out };
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(a->world, e));) {
        name_entity(a, e, d.whose, sizeof d.whose);
        if (!keel_is_alive(b->world, e)) report(&d, '-', "");
        else compare_entity(&d, e);
    }
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(b->world, e));) {
        name_entity(b, e, d.whose, sizeof d.whose);
        if (!keel_is_alive(a->world, e)) report(&d, '+', "");
    }
    (void)snprintf(d.whose, sizeof d.whose, "unique");
    compare_uniques(&d);
    return d.count;
}
