// SPDX-License-Identifier: MIT
// Saves a world: keel_save, keel_save_to and keel_save_snapshot. It packs values from where they
// lie, without a copy of the world, and decides the order of sections; compression is in
// sections.c.
#include "save.h"

#include <stdlib.h>
#include <string.h>

typedef struct save_job {
    save_writer w;
    const keel_world *world;
    save_bytes head, first, second, texts; // parts of the section that is being written; `first`
                                           // and `second` are columns of indices or versions
} save_job;

static void start(save_job *job, const char *name) {
    job->head.size = job->first.size = job->second.size = job->texts.size = 0;
    if (name) save_put_text(&job->head, name);
}

// Begins a section and writes its parts before the values, which the caller appends.
static void begin(save_job *job) {
    const save_part parts[] = { { &job->head, 1 }, { &job->first, 4 }, { &job->second, 4 } };
    save_begin_section(&job->w);
    for (uint32_t i = 0; i < 3; ++i) {
        if (parts[i].bytes->is_full)
            job->w.result =
                save_fail(job->w.error, KEEL_ERROR_MEMORY, "out of memory while saving");
        save_begin_part(&job->w, parts[i].element);
        save_put_bytes(&job->w, parts[i].bytes->data, parts[i].bytes->size);
    }
}

static keel_result finish(save_job *job, const char *tag) {
    begin(job);
    return save_end_section(&job->w, tag);
}

// ------------------------------------------------------------------ entities
static bool put_handle(save_job *job, keel_entity e) {
    unsigned char *index = save_bytes_more(&job->first, 4);
    unsigned char *version = save_bytes_more(&job->second, 4);
    if (!index || !version) return false;
    save_write_index(index, keel_entity_index(e));
    save_write_index(version, keel_entity_version(e));
    return true;
}

static keel_result write_entities(save_job *job) {
    uint32_t count = 0;
    start(job, NULL);
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(job->world, e)); ++count)
        if (!put_handle(job, e)) break;
    save_put(&job->head, count, 4);
    count = 0;
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_free_entity(job->world, e));)
        if (keel_entity_version(
                e)) // an index with version 0 was never used: loads need not know it
            count += put_handle(job, e);
    save_put(&job->head, count, 4);
    return finish(job, "ENTS");
}

// ------------------------------------------------------------------ values
// The data of a walk over the values of a component.
typedef struct save_walk {
    save_job *job;
    const save_schema *schema;
    save_plan plan;      // without steps: values are packed one by one
    unsigned char *row;  // a packed value, if values are packed one by one
    bool wants_disabled; // visits disabled values only
} save_walk;

static keel_result walk(save_walk *w, const keel_component *c, keel_visit_fn *visit) {
    const keel_result r = keel_visit_values(w->job->world, c, visit, w);
    if (r == KEEL_OK) return KEEL_OK;
    return save_fail(w->job->w.error, r,
                     "the world cannot be saved now: %s; end views that write it, and save it from "
                     "its own thread while nothing runs",
                     keel_result_text(r));
}

static bool put_indices(const keel_value_run *run, void *data) {
    const save_walk *w = data;
    if (w->wants_disabled && !run->disabled) return true;
    unsigned char *at = save_bytes_more(&w->job->first, (size_t)run->count * 4);
    if (!at) return false;
    for (uint32_t i = 0; i < run->count; ++i)
        save_write_index(at + i * 4, run->index + i);
    return true;
}

static void put_row(save_walk *w, const void *value) {
    save_writer *to = &w->job->w;
    const keel_component *c = w->schema->component;
    const keel_result result = save_pack(w->schema, value, w->row, &w->job->texts);
    if (result < 0 && to->result >= 0)
        to->result = save_fail(to->error, result, "'%s': .save failed: %s", c->name,
                               keel_result_text(result));
    save_put_bytes(to, w->row, w->schema->row_bytes);
}

static bool put_rows(const keel_value_run *run, void *data) {
    save_walk *w = data;
    const char *values = run->values;
    const size_t size = w->schema->component->size;
    for (uint32_t done = 0, n; done < run->count; done += n) {
        n = run->count - done;
        unsigned char *at = w->plan.steps ? save_put_elements(&w->job->w, &n) : NULL;
        if (at) save_pack_rows(&w->plan, values + done * size, n, at);
        else {
            put_row(w, values + done * size);
            n = 1;
        }
        if (w->job->w.result < 0) return false;
    }
    return true;
}

// Writes the section "info" before the values, if the schema has a version or names of enums.
static keel_result write_info(save_job *job, const save_schema *schema) {
    save_bytes info = { 0 };
    const save_part part = { &info, 1 };
    keel_result result = KEEL_OK;
    if (save_put_info(&info, schema)) result = save_write_section(&job->w, "info", &part, 1);
    save_bytes_free(&info);
    return result;
}

static bool is_left_out(const keel_component *c) { return c->transient || save_is_own(c); }

static keel_result write_disabled(save_job *job) {
    save_walk w = { .job = job, .wants_disabled = true };
    for (const keel_component *c = NULL; (c = keel_next_component(job->world, c)) != NULL;) {
        if (is_left_out(c) || c->is_relation) continue;
        start(job, save_name(c));
        KEEL_TRY(walk(&w, c, put_indices));
        save_put(&job->head, job->first.size / 4, 4);
        if (job->first.size || job->first.is_full) KEEL_TRY(finish(job, "DISA"));
    }
    return KEEL_OK;
}

static bool put_edge(keel_entity source, keel_entity target, const void *value, void *data) {
    save_job *job = data;
    (void)value;
    save_put(&job->first, keel_entity_index(source), 4);
    save_put(&job->second, keel_entity_index(target), 4);
    return !job->first.is_full && !job->second.is_full;
}

static bool put_edge_value(keel_entity source, keel_entity target, const void *value, void *data) {
    save_walk *w = data;
    (void)source, (void)target;
    put_row(w, value);
    return w->job->w.result >= 0;
}

// Visits edges in the order in which a load relates them. An edge of a symmetric relation is
// visited once, with the lower index as its source.
static keel_result walk_edges(save_job *job, const keel_component *c, keel_visit_edge_fn *visit,
                              void *data) {
    const keel_result r = keel_visit_edges(job->world, c, visit, data);
    if (r == KEEL_OK) return KEEL_OK;
    return save_fail(job->w.error, r, "the edges of '%s' cannot be saved: %s", c->name,
                     keel_result_text(r));
}

// Writes the section of a component up to its end, which the caller writes. The indices of its
// entities are in `first`, or of sources and targets in `first` and `second`.
static keel_result write_values(save_walk *w) {
    save_job *job = w->job;
    const keel_component *c = w->schema->component;
    w->row = malloc(w->schema->row_bytes + 1u);
    if (!save_plan_pack(&w->plan, w->schema) || !w->row)
        return save_fail(job->w.error, KEEL_ERROR_MEMORY, "out of memory while saving");
    KEEL_TRY(write_info(job, w->schema));
    save_put_schema(&job->head, w->schema);
    if (!c->is_unique) save_put(&job->head, job->first.size / 4, 4);
    begin(job);
    save_begin_part(&job->w, w->schema->row_bytes);
    if (!w->schema->row_bytes) return KEEL_OK;
    if (c->is_unique) put_row(w, keel_get_unique_value(job->world, c));
    else if (c->is_relation) KEEL_TRY(walk_edges(job, c, put_edge_value, w));
    else KEEL_TRY(walk(w, c, put_rows));
    save_begin_part(&job->w, 1);
    if (job->texts.is_full)
        return save_fail(job->w.error, KEEL_ERROR_MEMORY, "out of memory while saving");
    save_put_bytes(&job->w, job->texts.data, job->texts.size);
    return KEEL_OK;
}

static keel_result write_section(save_job *job, const keel_component *c) {
    save_schema schema;
    save_walk w = { .job = job, .schema = &schema };
    keel_result result = save_schema_make(&schema, c, job->w.error);
    if (result == KEEL_OK) result = write_values(&w);
    save_plan_free(&w.plan);
    free(w.row);
    save_schema_free(&schema);
    if (result < 0) return result;
    return save_end_section(&job->w, c->is_unique ? "UNIQ" : c->is_relation ? "RELA" : "COMP");
}

static keel_result write_component(save_job *job, const keel_component *c) {
    save_walk w = { .job = job };
    if (is_left_out(c)) return KEEL_OK;
    start(job, save_name(c));
    if (c->is_relation) KEEL_TRY(walk_edges(job, c, put_edge, job));
    else KEEL_TRY(walk(&w, c, put_indices));
    return job->first.size || job->first.is_full ? write_section(job, c) : KEEL_OK;
}

static keel_result write_unique(save_job *job, const keel_component *c) {
    start(job, save_name(c));
    return c->transient || !keel_get_unique_value(job->world, c) ? KEEL_OK : write_section(job, c);
}

// ------------------------------------------------------------------ the rest
static bool has_any(const save_job *job, const keel_component *c) {
    return keel_component_count(job->world, c) != 0;
}

static void put_children(save_job *job) {
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(job->world, e));)
        for (keel_entity child = keel_first_child(job->world, e); !keel_is_null(child);
             child = keel_next_child(job->world, e, child)) {
            save_put(&job->first, keel_entity_index(child), 4);
            save_put(&job->second, keel_entity_index(e), 4);
        }
}

static void put_names(save_job *job) {
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(job->world, e));) {
        const char *name = keel_name_of(job->world, e);
        if (!name) continue;
        save_put(&job->head, keel_entity_index(e), 4);
        save_put_text(&job->head, name);
    }
}

static keel_result write_places(save_job *job) {
    start(job, NULL);
    if (has_any(job, KEEL_OF(keel_child))) put_children(job);
    save_put(&job->head, job->first.size / 4, 4);
    KEEL_TRY(finish(job, "PARE"));
    start(job, NULL);
    if (has_any(job, KEEL_OF(keel_name))) put_names(job);
    return finish(job, "NAME");
}

static bool stop(const keel_value_run *run, void *data) {
    (void)run;
    (void)data;
    return false;
}

static keel_result write_all_sections(save_job *job) {
    KEEL_TRY(save_check_names(job->world, job->w.error));
    KEEL_TRY(save_write_header(&job->w));
    KEEL_TRY(write_entities(job));
    KEEL_TRY(save_write_templates(&job->w, job->world));
    KEEL_TRY(write_disabled(job));
    for (const keel_component *c = NULL; (c = keel_next_component(job->world, c)) != NULL;)
        KEEL_TRY(write_component(job, c));
    for (const keel_component *c = NULL; (c = keel_next_unique(job->world, c)) != NULL;)
        KEEL_TRY(write_unique(job, c));
    KEEL_TRY(write_places(job));
    KEEL_TRY(save_write_kept(&job->w, job->world));
    return save_write_end(&job->w);
}

static keel_result save_to(keel_save_sink sink, void *data) {
    save_job *job = data;
    job->w.sink = sink;
    const keel_result result = write_all_sections(job);
    save_bytes_free(&job->head);
    save_bytes_free(&job->first);
    save_bytes_free(&job->second);
    save_bytes_free(&job->texts);
    save_writer_free(&job->w);
    return result;
}

// Returns an error if the world cannot be read now. Called before a file is created.
static keel_result may_save(save_job *job) {
    save_walk w = { .job = job };
    if (!job->world) return save_fail(job->w.error, KEEL_ERROR_ARGUMENT, "the world is NULL");
    return walk(&w, KEEL_OF(keel_child), stop);
}

keel_result keel_save_to(const keel_world *world, keel_save_sink sink,
                         const keel_save_options *options) {
    save_job job = { .w.error = options ? options->error : NULL, .world = world };
    if (!sink.write) return save_fail(job.w.error, KEEL_ERROR_ARGUMENT, "the sink has no write");
    KEEL_TRY(may_save(&job));
    return save_to(sink, &job);
}

keel_result keel_save(const keel_world *world, const char *path, const keel_save_options *options) {
    save_job job = { .w.error = options ? options->error : NULL, .world = world };
    if (!path) return save_fail(job.w.error, KEEL_ERROR_ARGUMENT, "the path is NULL");
    KEEL_TRY(may_save(&job));
    return save_file(path, job.w.error, save_to, &job);
}

keel_result keel_save_snapshot(keel_snapshot *snapshot, const char *path,
                               const keel_save_options *options) {
    keel_error *error = options ? options->error : NULL;
    const keel_world *image;
    if (!snapshot) return save_fail(error, KEEL_ERROR_ARGUMENT, "the snapshot is NULL");
    keel_result result = keel_snapshot_read_begin(snapshot, &image);
    if (result == KEEL_ABSENT)
        return save_fail(error, result, "the snapshot is empty; call keel_snapshot_take first");
    if (result < 0) return save_fail(error, result, "the snapshot is being taken or restored");
    result = keel_save(image, path, options);
    keel_snapshot_read_end(snapshot);
    return result;
}
