// SPDX-License-Identifier: MIT
// A world becomes sections. It is copied first, so that it can be changed on the way: what is
// disabled is enabled, to look at its value.
#include "save.h"

#include <stdlib.h>
#include <string.h>

typedef struct save_job {
    save_writer w;
    keel_world *world; // the copy
    save_bytes head, first, second, rows, texts;
    const keel_world *from; // the caller's
} save_job;

static keel_result take_error(save_job *job, keel_result result) {
    if (job->w.error) *job->w.error = *keel_last_error(job->world);
    return result;
}

static void start(save_job *job, const char *name) {
    job->head.size = job->first.size = job->second.size = job->rows.size = job->texts.size = 0;
    if (name) save_put_text(&job->head, name);
}

// Up to three columns behind the head, and texts of the last.
static keel_result finish(save_job *job, const char *tag, uint32_t row_bytes) {
    const save_part parts[] = { { &job->head, 1 },
                                { &job->first, 4 },
                                { &job->second, 4 },
                                { &job->rows, row_bytes },
                                { &job->texts, 1 } };
    return save_write_section(&job->w, tag, parts, row_bytes ? 5 : 3);
}

static void put_handle(save_job *job, keel_entity e) {
    save_put(&job->first, keel_entity_index(e), 4);
    save_put(&job->second, keel_entity_version(e), 4);
}

static keel_result write_entities(save_job *job) {
    uint32_t count = 0;
    start(job, NULL);
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(job->world, e)); ++count)
        put_handle(job, e);
    save_put(&job->head, count, 4);
    count = 0;
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_free_entity(job->world, e));) {
        if (!keel_entity_version(e)) continue; // was never alive: as good as fresh
        put_handle(job, e);
        ++count;
    }
    save_put(&job->head, count, 4);
    return finish(job, "ENTS", 0);
}

// Where the schema has more to say than fits in front of values, a section of it comes first.
static keel_result begin_values(save_job *job, const save_schema *schema) {
    start(job, NULL);
    if (save_put_info(&job->head, schema)) KEEL_TRY(finish(job, "info", 0));
    start(job, save_name(schema->component));
    save_put_schema(&job->head, schema);
    return KEEL_OK;
}

static void put_row(save_job *job, const save_schema *schema, const void *value) {
    if (!schema->row_bytes) return;
    unsigned char *row = save_bytes_more(&job->rows, schema->row_bytes);
    if (row) save_pack(schema, value, row, &job->texts);
}

static bool is_left_out(const keel_component *c) { return c->transient || save_is_own(c); }

// Who has a disabled component. What is required by another one can only be enabled before it, so
// this goes over the list until nothing changes.
static keel_result write_disabled(save_job *job) {
    for (const keel_component *c = NULL; (c = keel_next_component(job->world, c)) != NULL;) {
        if (is_left_out(c) || c->is_relation) continue;
        uint32_t count = 0;
        start(job, save_name(c));
        for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(job->world, e));)
            if (keel_is_component_disabled(job->world, e, c)) {
                save_put(&job->first, keel_entity_index(e), 4);
                ++count;
            }
        save_put(&job->head, count, 4);
        if (count) KEEL_TRY(finish(job, "DISA", 0));
    }
    for (bool again = true; again;) {
        again = false;
        for (const keel_component *c = NULL; (c = keel_next_component(job->world, c)) != NULL;) {
            if (is_left_out(c) || c->is_relation) continue;
            for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(job->world, e));) {
                if (!keel_is_component_disabled(job->world, e, c)) continue;
                const keel_result r = keel_enable_component(job->world, e, c, true);
                if (r < 0 && r != KEEL_ERROR_REQUIRED) return take_error(job, r);
                again = again || r == KEEL_OK;
            }
        }
    }
    return KEEL_OK;
}

// The values of a component, or the edges of a relation.
static void put_values(save_job *job, const save_schema *schema) {
    const keel_component *c = schema->component;
    uint32_t count = 0;
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(job->world, e));) {
        if (!c->is_relation) {
            const void *value = keel_get_component(job->world, e, c);
            if (!value) continue;
            save_put(&job->first, keel_entity_index(e), 4);
            put_row(job, schema, value);
            ++count;
            continue;
        }
        for (keel_entity t = keel_null();
             !keel_is_null(t = keel_next_target_component(job->world, e, c, t)); ++count) {
            save_put(&job->first, keel_entity_index(e), 4);
            save_put(&job->second, keel_entity_index(t), 4);
            if (schema->row_bytes)
                put_row(job, schema, keel_get_related_component(job->world, e, c, t));
        }
    }
    save_put(&job->head, count, 4);
}

static keel_result write_component(save_job *job, const keel_component *c) {
    save_schema schema;
    if (is_left_out(c) || !keel_component_count(job->world, c)) return KEEL_OK;
    keel_result result = save_schema_make(&schema, c, job->w.error);
    if (result == KEEL_OK) result = begin_values(job, &schema);
    if (result == KEEL_OK) {
        put_values(job, &schema);
        result = finish(job, c->is_relation ? "RELA" : "COMP", schema.row_bytes);
    }
    save_schema_free(&schema);
    return result;
}

static keel_result write_unique(save_job *job, const keel_component *c) {
    save_schema schema;
    const void *value = keel_get_unique_value(job->world, c);
    if (c->transient || !value) return KEEL_OK;
    keel_result result = save_schema_make(&schema, c, job->w.error);
    if (result == KEEL_OK) result = begin_values(job, &schema);
    if (result == KEEL_OK) {
        put_row(job, &schema, value);
        result = finish(job, "UNIQ", schema.row_bytes);
    }
    save_schema_free(&schema);
    return result;
}

static keel_result write_places(save_job *job) {
    start(job, NULL);
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(job->world, e));)
        for (keel_entity child = keel_first_child(job->world, e); !keel_is_null(child);
             child = keel_next_child(job->world, e, child)) {
            save_put(&job->first, keel_entity_index(child), 4);
            save_put(&job->second, keel_entity_index(e), 4);
        }
    save_put(&job->head, job->first.size / 4, 4);
    KEEL_TRY(finish(job, "PARE", 0));
    start(job, NULL);
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(job->world, e));) {
        const char *name = keel_name_of(job->world, e);
        if (!name) continue;
        save_put(&job->head, keel_entity_index(e), 4);
        save_put_text(&job->head, name);
    }
    return finish(job, "NAME", 0);
}

static keel_result write_all_sections(save_job *job) {
    KEEL_TRY(save_check_names(job->world, job->w.error));
    KEEL_TRY(save_write_header(&job->w));
    KEEL_TRY(write_entities(job));
    KEEL_TRY(write_disabled(job));
    for (const keel_component *c = NULL; (c = keel_next_component(job->world, c)) != NULL;)
        KEEL_TRY(write_component(job, c));
    for (const keel_component *c = NULL; (c = keel_next_unique(job->world, c)) != NULL;)
        KEEL_TRY(write_unique(job, c));
    KEEL_TRY(write_places(job));
    KEEL_TRY(save_write_kept(&job->w, job->from));
    return save_write_end(&job->w);
}

static keel_result save_copy(keel_save_sink sink, void *data) {
    save_job *job = data;
    job->w.sink = sink;
    const keel_result result = write_all_sections(job);
    save_bytes *all[] = { &job->head,  &job->first,    &job->second,  &job->rows,
                          &job->texts, &job->w.hashes, &job->w.packed };
    for (uint32_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        save_bytes_free(all[i]);
    return result;
}

static keel_result copy(const keel_world *world, save_job *job) {
    if (!world) return save_fail(job->w.error, KEEL_ERROR_ARGUMENT, "the world is NULL");
    job->from = world;
    job->world = save_private_world();
    if (!job->world)
        return save_fail(job->w.error, KEEL_ERROR_MEMORY,
                         "out of memory while saving; nothing was written");
    const keel_result result = keel_copy_world(world, job->world);
    return result < 0 ? take_error(job, result) : KEEL_OK;
}

keel_result keel_save_to(const keel_world *world, keel_save_sink sink,
                         const keel_save_options *options) {
    save_job job = { .w.error = options ? options->error : NULL };
    if (!sink.write) return save_fail(job.w.error, KEEL_ERROR_ARGUMENT, "the sink has no write");
    keel_result result = copy(world, &job);
    if (result == KEEL_OK) result = save_copy(sink, &job);
    keel_world_destroy(job.world);
    return result;
}

keel_result keel_save(const keel_world *world, const char *path, const keel_save_options *options) {
    save_job job = { .w.error = options ? options->error : NULL };
    if (!path) return save_fail(job.w.error, KEEL_ERROR_ARGUMENT, "the path is NULL");
    keel_result result = copy(world, &job);
    if (result == KEEL_OK) result = save_file(path, job.w.error, save_copy, &job);
    keel_world_destroy(job.world);
    return result;
}
