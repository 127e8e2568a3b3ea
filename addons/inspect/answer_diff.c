// SPDX-License-Identifier: MIT
// Answers GET diff: what is different between two frames, or between a frame and now. It walks the
// entities of both by index, in slices between frames.
#include "answers.h"
#include "past.h"
#include "print.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 100, MAX_ROWS = 1000, TEXT = 128, BETWEEN_LOOKS = 16, FIELDS = 32 };
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

static void diff_write_field(keeli_out *out, const keel_component *c, const char *field,
                             const char *before, const char *after) {
    char path[256];
    const size_t length = strlen(c->name), rest = field ? strlen(field) : 0;
    if (length + rest + 2 > sizeof path) return;
    memcpy(path, c->name, length);
    path[length] = field ? '.' : '\0';
    if (field) memcpy(path + length + 1, field, rest + 1);
    keeli_out_open(out, '{');
    keeli_out_key_text(out, "path", path);
    keeli_out_key_text(out, "before", before);
    keeli_out_key_text(out, "after", after);
    keeli_out_close(out, '}');
}

// Writes the described fields of a value that differ. Returns how many, or 1 for bytes without a
// description. `out` NULL: only counts, up to 1.
static uint32_t diff_values(keeli_out *out, const keel_component *c, const void *before,
                            const void *after) {
    uint32_t count = 0;
    if (!before || !after || !c->size) return 0;
    if (!c->field_count) {
        if (!memcmp(before, after, c->size)) return 0;
        if (out) diff_write_field(out, c, NULL, "other bytes", "other bytes");
        return 1;
    }
    for (uint32_t f = 0; f < c->field_count && count < (out ? FIELDS : 1); ++f) {
        keel_field_place place;
        char old_text[TEXT], new_text[TEXT];
        if (keel_field_find(c, c->fields[f].name, &place, NULL) != KEEL_OK) continue;
        const char *old_field = (const char *)before + place.offset,
                   *new_field = (const char *)after + place.offset;
        if (c->fields[f].type != KEEL_FIELD_OWNED_TEXT && !memcmp(old_field, new_field, place.size))
            continue;
        keel_field_print(&place, before, old_text, sizeof old_text);
        keel_field_print(&place, after, new_text, sizeof new_text);
        if (!strcmp(old_text, new_text) && place.size <= sizeof(uint64_t)) continue;
        if (out) diff_write_field(out, c, c->fields[f].name, old_text, new_text);
        ++count;
    }
    return count;
}

// ------------------------------------------------------------------ one entity
// The bytes of a name are a pointer, which is another one in each image: its text counts.
static bool diff_is_name(const keel_component *c) { return !strcmp(c->name, "keel_name"); }

// Writes the name if it differs. Returns whether it does. `out` NULL: only compares.
static bool diff_names(keeli_out *out, const diff_pair *pair, keel_entity entity) {
    const char *before = keel_name_of(pair->before, entity),
               *after = keel_name_of(pair->after, entity);
    if (!before || !after || !strcmp(before, after)) return false;
    if (out) {
        keeli_out_open(out, '{');
        keeli_out_key_text(out, "path", "name");
        keeli_out_key_text(out, "before", before);
        keeli_out_key_text(out, "after", after);
        keeli_out_close(out, '}');
    }
    return true;
}

static bool diff_is_different(const diff_pair *pair, keel_entity entity) {
    const keel_world *world = pair->after;
    if (diff_names(NULL, pair, entity)) return true;
    for (const keel_component *c = keel_next_component(world, NULL); c;
         c = keel_next_component(world, c)) {
        const bool had = keel_has_component(pair->before, entity, c),
                   has = keel_has_component(world, entity, c);
        if (had != has) return true;
        if (has && c->size && !c->is_relation && !diff_is_name(c) &&
            diff_values(NULL, c, diff_value(pair->before, entity, c), diff_value(world, entity, c)))
            return true;
    }
    return false;
}

static void diff_write_names(keeli_out *out, const diff_pair *pair, keel_entity entity,
                             bool added) {
    const keel_world *here = added ? pair->after : pair->before,
                     *there = added ? pair->before : pair->after;
    keeli_out_key_open(out, added ? "added" : "removed", '[');
    for (const keel_component *c = keel_next_component(pair->after, NULL); c;
         c = keel_next_component(pair->after, c))
        if (keel_has_component(here, entity, c) && !keel_has_component(there, entity, c))
            keeli_out_text(out, c->name);
    keeli_out_close(out, ']');
}

static void diff_write_row(keeli_out *out, const diff_pair *pair, keel_entity entity,
                           const char *change) {
    const bool is_changed = !strcmp(change, "changed");
    const keel_world *named = strcmp(change, "removed") ? pair->after : pair->before;
    keeli_out_open(out, '{');
    keeli_out_key(out, "entity");
    keeli_print_handle(out, entity);
    keeli_out_key_text(out, "name", keel_name_of(named, entity));
    keeli_out_key_text(out, "change", change);
    keeli_out_key_open(out, "components", '{');
    diff_write_names(out, pair, entity, true);
    diff_write_names(out, pair, entity, false);
    keeli_out_close(out, '}');
    keeli_out_key_open(out, "fields", '[');
    if (is_changed) diff_names(out, pair, entity);
    for (const keel_component *c = keel_next_component(pair->after, NULL); c && is_changed;
         c = keel_next_component(pair->after, c))
        if (!c->is_relation && !diff_is_name(c))
            diff_values(out, c, diff_value(pair->before, entity, c),
                        diff_value(pair->after, entity, c));
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
    const char *after = keeli_argument(request, "after");
    keel_entity entity;
    diff_job *job = calloc(1, sizeof *job);
    if (!job) return !keeli_request_fail(request, 500, "memory", "out of memory: comparing frames");
    request->job = job;
    request->free_job = free;
    job->limit = ROWS;
    keeli_argument_number(request, "limit", &job->limit);
    if (job->limit < 1 || job->limit > MAX_ROWS)
        return !keeli_request_fail(request, 400, "argument", "limit must be from 1 to %d",
                                   (int)MAX_ROWS);
    if (after && !keeli_parse_handle(after, &entity))
        return !keeli_request_fail(request, 400, "argument", "after: '%.40s' is no handle", after);
    if (after) job->next_index = keel_entity_index(entity) + 1;
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
