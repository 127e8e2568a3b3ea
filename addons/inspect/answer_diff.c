// SPDX-License-Identifier: MIT
// Answers GET diff: what is different between two frames, or between a frame and now. It walks the
// entities of both by index, in slices between frames.
#include "answers.h"
#include "past.h"
#include "print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 128, BETWEEN_LOOKS = 16, FIELDS = 32 };
static const uint64_t patience = 100000000; // nanoseconds until a part of the answer is sent

// The state between two slices.
typedef struct diff_job {
    uint64_t from, to; // UINT64_MAX: the present world
    uint64_t limit, rows;
    uint32_t next_index; // the lowest index that was not compared
    bool finished;
} diff_job;

// The two worlds, while a slice compares them.
typedef struct diff_pair {
    const keel_world *before, *after;
} diff_pair;

// ------------------------------------------------------------------ values
static const void *diff_value(const keel_world *world, keel_entity entity,
                              const keel_component *c) {
    return c->is_unique ? keel_get_unique_value(world, c) : keel_get_component(world, entity, c);
}

static void diff_write_path(keeli_out *out, const char *path, const char *before,
                            const char *after) {
    keeli_out_open(out, '{');
    keeli_out_key_text(out, "path", path);
    keeli_out_key_text(out, "before", before);
    keeli_out_key_text(out, "after", after);
    keeli_out_close(out, '}');
}

static void diff_write_field(keeli_out *out, const keel_component *c, const char *field,
                             const char *before, const char *after) {
    char path[256];
    const size_t length = strlen(c->name), rest = field ? strlen(field) : 0;
    if (length + rest + 2 > sizeof path) return;
    memcpy(path, c->name, length);
    path[length] = field ? '.' : '\0';
    if (field) memcpy(path + length + 1, field, rest + 1);
    diff_write_path(out, path, before, after);
}

// True if two values without a description are the same, as far as bytes tell.
static bool diff_is_same_bytes(const keel_component *c, const void *before, const void *after) {
    if (c->hash) return c->hash(before, c->hook_data) == c->hash(after, c->hook_data);
    return c->copy || !memcmp(before, after, c->size); // copies have other pointers
}

// True if a field is the same in two values. Equal bytes are equal texts, but for texts outside of
// the value; other bytes may be equal texts, because of padding and pointers.
static bool diff_is_same_field(const keel_field_place *place, const void *before,
                               const void *after) {
    const bool is_inside = place->field->type <= KEEL_FIELD_TEXT;
    if (is_inside && !memcmp((const char *)before + place->offset,
                             (const char *)after + place->offset, place->size))
        return true;
    return keeli_print_hash(place, before) == keeli_print_hash(place, after);
}

// Writes the described fields of two values that differ; one of the values may be NULL. Returns how
// many, or 1 for bytes without a description. `out` NULL: only counts, up to 1.
static uint32_t diff_values(keeli_out *out, const keel_component *c, const void *before,
                            const void *after) {
    uint32_t count = 0;
    if ((!before && !after) || !c->size) return 0;
    if (!c->field_count) {
        if (before && after && diff_is_same_bytes(c, before, after)) return 0;
        if (out)
            diff_write_field(out, c, NULL, before ? "other bytes" : NULL,
                             after ? "other bytes" : NULL);
        return 1;
    }
    for (uint32_t f = 0; f < c->field_count && count < (out ? FIELDS : 1); ++f) {
        keel_field_place place;
        char old_text[TEXT], new_text[TEXT];
        // Transient fields are pointers and caches, which are no part of the value.
        if (c->fields[f].transient ||
            keel_field_find(c, c->fields[f].name, &place, NULL) != KEEL_OK ||
            (before && after && diff_is_same_field(&place, before, after)))
            continue;
        if (before) keel_field_print(&place, before, old_text, sizeof old_text);
        if (after) keel_field_print(&place, after, new_text, sizeof new_text);
        if (out)
            diff_write_field(out, c, c->fields[f].name, before ? old_text : NULL,
                             after ? new_text : NULL);
        ++count;
    }
    return count;
}

// ------------------------------------------------------------------ relations
// Writes the targets of a relation as a text: names, or handles.
static void diff_print_targets(const keel_world *world, keel_entity entity, const keel_component *c,
                               char *text, size_t size) {
    size_t length = 0;
    text[0] = '\0';
    for (keel_entity to = keel_next_target_component(world, entity, c, keel_null());
         !keel_is_null(to) && length < size;
         to = keel_next_target_component(world, entity, c, to)) {
        const char *name = keel_name_of(world, to), *comma = length ? ", " : "";
        const int more =
            name ? snprintf(text + length, size - length, "%s%s", comma, name)
                 : snprintf(text + length, size - length, "%s#%uv%u", comma,
                            (unsigned)keel_entity_index(to), (unsigned)keel_entity_version(to));
        length += more > 0 ? (size_t)more : 0;
    }
}

// True if the entity has the same targets in both worlds.
static bool diff_is_same_targets(const diff_pair *pair, keel_entity entity,
                                 const keel_component *c) {
    if (keel_target_count_component(pair->before, entity, c) !=
        keel_target_count_component(pair->after, entity, c))
        return false;
    for (keel_entity to = keel_next_target_component(pair->after, entity, c, keel_null());
         !keel_is_null(to); to = keel_next_target_component(pair->after, entity, c, to))
        if (!keel_is_related_component(pair->before, entity, c, to)) return false;
    return true;
}

// Writes what differs between the targets of a relation, and between their values. Returns how many
// rows that are. `out` NULL: only counts, up to 1.
static uint32_t diff_relation(keeli_out *out, const diff_pair *pair, keel_entity entity,
                              const keel_component *c) {
    uint32_t count = 0;
    char old_text[TEXT], new_text[TEXT];
    if (!diff_is_same_targets(pair, entity, c)) {
        if (!out) return 1;
        diff_print_targets(pair->before, entity, c, old_text, sizeof old_text);
        diff_print_targets(pair->after, entity, c, new_text, sizeof new_text);
        const bool is_child = !strcmp(c->name, KEEL_COMPONENT_keel_child.type);
        diff_write_path(out, is_child ? "parent" : c->name, *old_text ? old_text : NULL,
                        *new_text ? new_text : NULL);
        return 1;
    }
    if (!c->size) return 0;
    for (keel_entity to = keel_next_target_component(pair->after, entity, c, keel_null());
         !keel_is_null(to) && count < (out ? FIELDS : 1);
         to = keel_next_target_component(pair->after, entity, c, to))
        count += diff_values(out, c, keel_get_related_component(pair->before, entity, c, to),
                             keel_get_related_component(pair->after, entity, c, to));
    return count;
}

// ------------------------------------------------------------------ one entity
// The bytes of a name are a pointer, which is another one in each image: its text counts.
static bool diff_is_name(const keel_component *c) { return !strcmp(c->name, "keel_name"); }

// Writes the name if it differs. Returns whether it does. `out` NULL: only compares.
static bool diff_names(keeli_out *out, const diff_pair *pair, keel_entity entity) {
    const char *before = keel_name_of(pair->before, entity),
               *after = keel_name_of(pair->after, entity);
    if (before == after || (before && after && !strcmp(before, after))) return false;
    if (out) diff_write_path(out, "name", before, after);
    return true;
}

// The component is there, if only disabled.
static bool diff_has(const keel_world *world, keel_entity entity, const keel_component *c) {
    return keel_has_component(world, entity, c) || keel_is_component_disabled(world, entity, c);
}

// Writes what differs about a component that the entity has in both worlds. Returns the number of
// rows. `out` NULL: only counts, up to 1.
static uint32_t diff_component(keeli_out *out, const diff_pair *pair, keel_entity entity,
                               const keel_component *c) {
    if (diff_is_name(c)) return 0;
    if (c->is_relation) return diff_relation(out, pair, entity, c);
    if (!diff_has(pair->before, entity, c) || !diff_has(pair->after, entity, c)) return 0;
    const bool was_enabled = keel_has_component(pair->before, entity, c),
               is_enabled = keel_has_component(pair->after, entity, c);
    if (was_enabled && is_enabled)
        return diff_values(out, c, diff_value(pair->before, entity, c),
                           diff_value(pair->after, entity, c));
    if (was_enabled == is_enabled) return 0;
    if (out)
        diff_write_path(out, c->name, was_enabled ? "enabled" : "disabled",
                        is_enabled ? "enabled" : "disabled");
    return 1;
}

// True if the entity lacks a component in `there` that it has in `here`.
static bool diff_lacks(const keel_world *here, const keel_world *there, keel_entity entity) {
    for (const keel_component *c = keel_next_component(here, NULL); c;
         c = keel_next_component(here, c))
        if (!c->is_relation && diff_has(here, entity, c) && !diff_has(there, entity, c))
            return true;
    return false;
}

static bool diff_is_different(const diff_pair *pair, keel_entity entity) {
    if (diff_names(NULL, pair, entity) || diff_lacks(pair->before, pair->after, entity))
        return true;
    for (const keel_component *c = keel_next_component(pair->after, NULL); c;
         c = keel_next_component(pair->after, c))
        if ((!c->is_relation && diff_has(pair->after, entity, c) &&
             !diff_has(pair->before, entity, c)) ||
            diff_component(NULL, pair, entity, c))
            return true;
    return false;
}

static void diff_write_names(keeli_out *out, const diff_pair *pair, keel_entity entity,
                             bool added) {
    const keel_world *here = added ? pair->after : pair->before,
                     *there = added ? pair->before : pair->after;
    keeli_out_key_open(out, added ? "added" : "removed", '[');
    for (const keel_component *c = keel_next_component(here, NULL); c;
         c = keel_next_component(here, c))
        if (!c->is_relation && !diff_is_name(c) && diff_has(here, entity, c) &&
            !diff_has(there, entity, c))
            keeli_out_text(out, c->name);
    keeli_out_close(out, ']');
}

static void diff_write_row(keeli_out *out, const diff_pair *pair, keel_entity entity,
                           const char *change) {
    const bool is_changed = !strcmp(change, "changed");
    const keel_world *named = strcmp(change, "removed") ? pair->after : pair->before;
    keeli_out_open(out, '{');
    keeli_print_identity(out, named, entity);
    keeli_out_key_text(out, "change", change);
    keeli_out_key_open(out, "components", '{');
    diff_write_names(out, pair, entity, true);
    diff_write_names(out, pair, entity, false);
    keeli_out_close(out, '}');
    keeli_out_key_open(out, "fields", '[');
    if (is_changed) diff_names(out, pair, entity);
    for (const keel_component *c = keel_next_component(pair->after, NULL); c && is_changed;
         c = keel_next_component(pair->after, c))
        diff_component(out, pair, entity, c);
    keeli_out_close(out, ']');
    keeli_out_close(out, '}');
}

// Compares what lives at an index in both worlds. Returns the number of rows that it wrote.
static uint32_t diff_compare(keeli_out *out, const diff_pair *pair, uint32_t index) {
    const keel_entity old_entity = keel_entity_at(pair->before, index),
                      new_entity = keel_entity_at(pair->after, index);
    if (keel_is_same(old_entity, new_entity)) {
        if (keel_is_null(new_entity) || !diff_is_different(pair, new_entity)) return 0;
        diff_write_row(out, pair, new_entity, "changed");
        return 1;
    }
    if (!keel_is_null(old_entity)) diff_write_row(out, pair, old_entity, "removed");
    if (!keel_is_null(new_entity)) diff_write_row(out, pair, new_entity, "added");
    return !keel_is_null(old_entity) + !keel_is_null(new_entity);
}

// Returns the next index from `index` on at which something lives in one of the worlds, or
// UINT32_MAX.
static uint32_t diff_next_index(const diff_pair *pair, uint32_t index) {
    const keel_entity before = index ? keel_entity_make(index - 1, 0) : keel_null();
    const uint32_t a = keel_entity_index(keel_next_entity(pair->before, before)),
                   b = keel_entity_index(keel_next_entity(pair->after, before));
    return a < b ? a : b;
}

// ------------------------------------------------------------------ slices
static bool diff_begin(keeli_request *request) {
    keel_entity after;
    diff_job *job = calloc(1, sizeof *job);
    if (!job) return !keeli_request_fail(request, 500, "memory", "out of memory: comparing frames");
    request->job = job;
    request->free_job = free;
    if (!keeli_argument_page(request, &job->limit, &after)) return false;
    if (keeli_argument(request, "after")) {
        job->finished = keel_entity_index(after) == UINT32_MAX;
        job->next_index = keel_entity_index(after) + 1;
    }
    keeli_out_open(&request->out, '{');
    keeli_out_key_open(&request->out, "entities", '[');
    return true;
}

static void diff_write_uniques(keeli_out *out, const diff_pair *pair) {
    keeli_out_key_open(out, "uniques", '[');
    for (const keel_component *u = keel_next_unique(pair->after, NULL); u;
         u = keel_next_unique(pair->after, u))
        diff_values(out, u, diff_value(pair->before, keel_null(), u),
                    diff_value(pair->after, keel_null(), u));
    for (const keel_component *u = keel_next_unique(pair->before, NULL); u;
         u = keel_next_unique(pair->before, u))
        if (!keel_find_component(pair->after, u->name))
            diff_values(out, u, diff_value(pair->before, keel_null(), u), NULL);
    keeli_out_close(out, ']');
}

static void diff_finish(keel_inspect *inspect, keeli_request *request, const diff_pair *pair,
                        const diff_job *job) {
    keeli_out *out = &request->out;
    keeli_out_close(out, ']');
    diff_write_uniques(out, pair);
    keeli_out_key_number(out, "from", job->from == UINT64_MAX ? inspect->frame : job->from);
    keeli_out_key_number(out, "to", job->to == UINT64_MAX ? inspect->frame : job->to);
    keeli_out_key(out, "next");
    keeli_print_handle(out, job->finished || !job->next_index
                                ? keel_null()
                                : keel_entity_make(job->next_index - 1, 0));
    keeli_out_key_bool(out, "finished", job->finished);
    keeli_out_close(out, '}');
}

// Compares until there are enough rows, all was compared, or time is up. True: the answer is
// complete.
static bool diff_walk(keel_inspect *inspect, keeli_request *request, const diff_pair *pair,
                      diff_job *job) {
    for (uint32_t i = 1; !job->finished && job->rows < job->limit; ++i) {
        const uint32_t index = diff_next_index(pair, job->next_index);
        job->finished = index == UINT32_MAX;
        if (job->finished) break;
        job->rows += diff_compare(&request->out, pair, index);
        job->next_index = index + 1;
        if (i % BETWEEN_LOOKS == 0 && keeli_inspect_is_late(inspect))
            return keeli_inspect_now() - request->begun > patience;
    }
    return true;
}

bool keeli_answer_diff(keel_inspect *inspect, keeli_request *request) {
    if (!request->job && !diff_begin(request)) return true;
    diff_job *job = request->job;
    diff_pair pair;
    pair.before = keeli_past_enter(inspect, request, "from", &job->from);
    if (!pair.before) return true;
    pair.after = keeli_past_enter(inspect, request, "to", &job->to);
    bool is_done = true;
    if (pair.after) {
        is_done = diff_walk(inspect, request, &pair, job);
        if (is_done) diff_finish(inspect, request, &pair, job);
        keeli_past_leave(inspect, job->to);
    }
    keeli_past_leave(inspect, job->from);
    return is_done;
}
