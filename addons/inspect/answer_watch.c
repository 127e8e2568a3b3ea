// SPDX-License-Identifier: MIT
// Answers POST watch: lets the next frame run one system after the other, and compares a field
// after each of them.
#include "answers.h"
#include "path.h"
#include "print.h"

#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 64, TEXT = 128 };
static const uint64_t patience = 5000000000; // nanoseconds until the frame must have run

// A value of the field as text. Its begin is shown; all of it is compared.
typedef struct watch_text {
    char text[TEXT];
    uint64_t hash;
    bool is_there;
} watch_text;

typedef struct watch_step {
    char system[64];
    uint32_t position;
    bool is_commands;
    watch_text before, after;
} watch_step;

// The state from the request to the end of the frame.
typedef struct watch_job {
    keel_inspect *inspect;
    keel_entity entity;
    const char *path; // of the request
    uint64_t frame;   // that ran last when the watch began
    watch_text last;
    uint32_t count;
    watch_step steps[STEPS];
} watch_job;

static void watch_end(keel_inspect *inspect) {
    keel_watch_steps(inspect->world, NULL, NULL);
    inspect->watches = false;
}

static void watch_free(void *context) {
    watch_job *job = context;
    watch_end(job->inspect);
    free(job);
}

// Reads the value. The component is found anew: the program may unregister it while it is watched.
static watch_text watch_read(const keel_world *world, const watch_job *job) {
    watch_text read = { .is_there = false };
    keel_field_place place;
    keel_error error;
    const keel_component *c = keeli_path_find(world, job->path, &place, &error);
    const void *value = !c             ? NULL
                        : c->is_unique ? keel_get_unique_value(world, c)
                        : keel_is_alive(world, job->entity)
                            ? keel_get_component(world, job->entity, c)
                            : NULL;
    if (!value) return read;
    keel_field_print(&place, value, read.text, sizeof read.text);
    read.hash = keeli_print_hash(&place, value);
    read.is_there = true;
    return read;
}

static void watch_on_step(const keel_world *world, const keel_step_end *end, void *data) {
    watch_job *job = data;
    const watch_text now = watch_read(world, job);
    if (now.is_there == job->last.is_there && now.hash == job->last.hash) return;
    if (job->count < STEPS) {
        watch_step *step = &job->steps[job->count++];
        snprintf(step->system, sizeof step->system, "%s", end->system);
        step->position = end->position;
        step->is_commands = end->is_commands;
        step->before = job->last;
        step->after = now;
    }
    job->last = now;
}

static bool watch_begin(keel_inspect *inspect, keeli_request *request) {
    const char *path = keeli_field_text(request, "path"),
               *handle = keeli_field_text(request, "entity");
    keel_error error;
    keel_field_place place;
    watch_job *job = calloc(1, sizeof *job);
    if (!job) return !keeli_request_fail(request, 500, "memory", "out of memory: watching a value");
    job->inspect = inspect;
    request->job = job;
    request->free_job = free;
    if (inspect->watches)
        return !keeli_request_fail(request, 503, "busy", "busy: another value is watched");
    job->path = path;
    const keel_component *c = path ? keeli_path_find(inspect->world, path, &place, &error) : NULL;
    if (!c || c->is_event)
        return !keeli_request_fail(request, 400, "argument", "%s",
                                   path && !c ? error.message
                                              : "path: a field of a component is needed");
    if (!c->is_unique && (!handle || !keeli_parse_handle(handle, &job->entity)))
        return !keeli_request_fail(request, 400, "argument",
                                   "entity: a handle such as \"17v3\" is needed");
    const keel_result result = keel_watch_steps(inspect->world, watch_on_step, job);
    if (result < 0) return !keeli_request_fail_by(request, inspect->world, result);
    request->free_job = watch_free;
    inspect->watches = true;
    job->frame = inspect->frame;
    job->last = watch_read(inspect->world, job);
    inspect->steps += inspect->paused;
    return true;
}

static bool watch_finish(keel_inspect *inspect, keeli_request *request, const watch_job *job) {
    keeli_out *out = &request->out;
    keeli_out_open(out, '{');
    keeli_out_key_number(out, "frame", inspect->frame);
    keeli_out_key_open(out, "steps", '[');
    for (uint32_t i = 0; i < job->count; ++i) {
        const watch_step *step = &job->steps[i];
        keeli_out_open(out, '{');
        keeli_out_key(out, "position");
        step->position == KEEL_NO_STEP ? keeli_out_null(out)
                                       : keeli_out_number(out, step->position);
        keeli_out_key_text(out, "system", step->system);
        keeli_out_key_text(out, "kind", step->is_commands ? "commands" : "system");
        keeli_out_key_text(out, "before", step->before.is_there ? step->before.text : NULL);
        keeli_out_key_text(out, "after", step->after.is_there ? step->after.text : NULL);
        keeli_out_close(out, '}');
    }
    keeli_out_close(out, ']');
    keeli_out_close(out, '}');
    return true;
}

bool keeli_answer_watch(keel_inspect *inspect, keeli_request *request) {
    if (!request->job) return !watch_begin(inspect, request);
    const watch_job *job = request->job;
    if (inspect->frame == job->frame && keeli_inspect_now() - request->begun < patience)
        return false;
    watch_end(inspect);
    request->free_job = free;
    if (inspect->frame == job->frame)
        return keeli_request_fail(request, 503, "busy", "busy: no frame ran in five seconds");
    return watch_finish(inspect, request, job);
}
