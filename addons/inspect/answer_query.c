// SPDX-License-Identifier: MIT
// Answers GET query: the entities that match a text, in slices between frames, with the values of
// some fields.
#include "answers.h"
#include "path.h"
#include "print.h"

#include <keel_query.h>

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 16, VISITS = 2048, CELL = 128, BETWEEN_LOOKS = 32 };
static const uint64_t patience = 100000000; // nanoseconds until a part of the answer is sent

typedef struct query_column {
    const keel_component *component;
    keel_field_place place;
} query_column;

// The state between two slices.
typedef struct query_job {
    keel_query *query;
    keel_entity after;
    uint64_t limit, found, visits, first_frame;
    bool counts, finished;
    uint32_t column_count;
    query_column columns[COLUMNS];
} query_job;

static void query_free(void *job) {
    keel_query_destroy(((query_job *)job)->query);
    free(job);
}

// ------------------------------------------------------------------ columns
static bool query_add_column(query_job *job, const keel_component *component,
                             const keel_field_place *place) {
    if (job->column_count == COLUMNS) return false;
    job->columns[job->column_count++] = (query_column){ component, *place };
    return true;
}

// Adds the fields of the components that the query names.
static void query_add_own_columns(query_job *job) {
    for (uint32_t i = 0; i < keel_query_component_count(job->query); ++i) {
        const keel_component *c = keel_query_component(job->query, i);
        for (uint32_t f = 0; c && f < c->field_count; ++f) {
            keel_field_place place;
            if (!c->fields[f].hidden &&
                keel_field_find(c, c->fields[f].name, &place, NULL) == KEEL_OK &&
                !query_add_column(job, c, &place))
                return;
        }
    }
}

// Adds the columns that the request lists. False: the request has failed.
static bool query_add_listed_columns(keel_inspect *inspect, keeli_request *request, query_job *job,
                                     const char *list) {
    char path[256];
    while (*list) {
        const size_t length = strcspn(list, ",");
        keel_field_place place;
        keel_error error;
        if (length >= sizeof path)
            return !keeli_request_fail(request, 400, "argument",
                                       "columns: a path is longer than 255 bytes");
        memcpy(path, list, length);
        path[length] = '\0';
        const keel_component *c = keeli_path_find(inspect->world, path, &place, &error);
        if (!c) return !keeli_request_fail(request, 400, "argument", "columns: %s", error.message);
        if (c->is_event)
            return !keeli_request_fail(request, 400, "argument",
                                       "columns: %s is a type of events, which entities lack",
                                       c->name);
        if (!query_add_column(job, c, &place))
            return !keeli_request_fail(request, 400, "argument", "columns: at most %d",
                                       (int)COLUMNS);
        list += length + (list[length] == ',');
    }
    return true;
}

// Finds the columns, anew in each slice: the program may have unregistered a component in between.
// False: the request has failed.
static bool query_find_columns(keel_inspect *inspect, keeli_request *request, query_job *job) {
    const char *list = keeli_argument(request, "columns");
    job->column_count = 0;
    if (list) return query_add_listed_columns(inspect, request, job, list);
    query_add_own_columns(job);
    return true;
}

static void query_write_columns(keeli_out *out, const query_job *job) {
    keeli_out_key_open(out, "columns", '[');
    for (uint32_t i = 0; i < job->column_count; ++i)
        keeli_out_text(out, job->columns[i].place.path);
    keeli_out_close(out, ']');
}

// ------------------------------------------------------------------ rows
static void query_write_cell(keeli_out *out, const keel_world *world, keel_entity entity,
                             const query_column *column) {
    char text[CELL];
    const keel_component *c = column->component;
    const void *value =
        c->is_unique ? keel_get_unique_value(world, c) : keel_get_component(world, entity, c);
    if (!value) {
        keeli_out_null(out);
        return;
    }
    const size_t length = keel_field_print(&column->place, value, text, sizeof text);
    keeli_out_text_of(out, text, length < sizeof text ? length : sizeof text - 1);
}

static void query_write_row(keeli_out *out, const keel_world *world, keel_entity entity,
                            const query_job *job) {
    keeli_out_open(out, '{');
    keeli_print_identity(out, world, entity);
    keeli_out_key_open(out, "values", '[');
    for (uint32_t i = 0; i < job->column_count; ++i)
        query_write_cell(out, world, entity, &job->columns[i]);
    keeli_out_close(out, ']');
    keeli_out_close(out, '}');
}

// ------------------------------------------------------------------ slices
// Begins the answer: parses the text, and finds the columns. False: the request has failed.
static bool query_begin(keel_inspect *inspect, keeli_request *request) {
    const char *text = keeli_argument(request, "text"), *count = keeli_argument(request, "count");
    keel_query_error error;
    query_job *job = calloc(1, sizeof *job);
    if (!job)
        return !keeli_request_fail(request, 500, "memory", "out of memory: answering a query");
    request->job = job;
    request->free_job = query_free;
    job->first_frame = inspect->frame;
    job->counts = count && !strcmp(count, "1");
    if (!keeli_argument_page(request, &job->limit, &job->after)) return false;
    const keel_result result =
        keel_query_parse(inspect->world, text ? text : "", &job->query, &error);
    if (result == KEEL_ERROR_MEMORY)
        return !keeli_request_fail(request, 500, "memory", "%s", error.message);
    if (result < 0) return !keeli_request_fail_at(request, error.column, "query", error.message);
    if (!query_find_columns(inspect, request, job)) return false;

    keeli_out_open(&request->out, '{');
    query_write_columns(&request->out, job);
    keeli_out_key_open(&request->out, "rows", '[');
    return true;
}

// Looks at some entities, fewer when writing rows uses up the time. False: the request has failed.
static bool query_walk(keel_inspect *inspect, keeli_request *request, query_job *job) {
    keel_query_walk walk;
    keel_entity entity;
    const keel_query_slice slice = { .after = job->after, .max_visits = VISITS };
    const keel_result result = keel_query_begin(&walk, job->query, &slice);
    if (result < 0) return !keeli_request_fail_by(request, inspect->world, result);
    while (keel_query_next(&walk, &entity)) {
        ++job->found;
        if (!job->counts) query_write_row(&request->out, inspect->world, entity, job);
        if (job->counts) continue;
        if (job->found == job->limit) break;
        if (job->found % BETWEEN_LOOKS == 0 && keeli_inspect_is_late(inspect)) break;
    }
    keel_query_end(&walk);
    job->after = walk.after;
    job->visits += walk.visits;
    job->finished = walk.is_finished;
    return true;
}

static bool query_finish(keel_inspect *inspect, keeli_request *request, const query_job *job) {
    keeli_out *out = &request->out;
    keeli_out_close(out, ']');
    if (job->counts) keeli_out_key_number(out, "found", job->found);
    keeli_out_key_number(out, "visited", job->visits);
    keeli_out_key_bool(out, "finished", job->finished);
    keeli_out_key(out, "next");
    keeli_print_handle(out, job->finished ? keel_null() : job->after);
    keeli_out_key_bool(out, "moving", inspect->frame != job->first_frame);
    keeli_out_key_number(out, "frames", request->frames);
    keeli_out_close(out, '}');
    return true;
}

bool keeli_answer_query(keel_inspect *inspect, keeli_request *request) {
    if (request->job ? !query_find_columns(inspect, request, request->job)
                     : !query_begin(inspect, request))
        return true;
    query_job *job = request->job;
    const bool has_all = job->finished || (!job->counts && job->found >= job->limit);
    while (!has_all) {
        if (!query_walk(inspect, request, job)) return true;
        if (job->finished || (!job->counts && job->found >= job->limit)) break;
        if (keeli_inspect_now() - request->begun > patience) break;
        if (keeli_inspect_is_late(inspect)) return false;
    }
    return query_finish(inspect, request, job);
}
