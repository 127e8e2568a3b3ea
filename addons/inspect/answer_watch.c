// SPDX-License-Identifier: MIT
// Answers POST watch: lets the next frame run one system after the other, and compares a field
// after each of them.
#include "answers.h"
#include "path.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 64, TEXT = 128 };
static const uint64_t patience = 5000000000; // nanoseconds until the frame must have run

typedef struct watch_step {
    char system[64];
    uint32_t position;
    bool is_commands;
    char before[TEXT], after[TEXT];
} watch_step;

// The state from the request to the end of the frame.
typedef struct watch_job {
    keel_inspect *inspect;
    keel_entity entity;
    const keel_component *component;
    keel_field_place place;
    uint64_t frame; // that ran last when the watch began
    char last[TEXT];
    uint32_t count;
    watch_step steps[STEPS];
} watch_job;

static void watch_free(void *context) {
    watch_job *job = context;
    keel_watch_steps(job->inspect->world, NULL, NULL);
    free(job);
}

static void watch_read(const keel_world *world, const watch_job *job, char *text) {
    const keel_component *c = job->component;
    const void *value = c->is_unique ? keel_get_unique_value(world, c)
                        : keel_is_alive(world, job->entity)
                            ? keel_get_component(world, job->entity, c)
                            : NULL;
    text[0] = '\0';
    if (value) keel_field_print(&job->place, value, text, TEXT);
}

static void watch_on_step(const keel_world *world, const keel_step_end *end, void *data) {
    watch_job *job = data;
    char text[TEXT];
    watch_read(world, job, text);
    if (!strcmp(text, job->last)) return;
    if (job->count < STEPS) {
        watch_step *step = &job->steps[job->count++];
        strncpy(step->system, end->system, sizeof step->system - 1);
        step->position = end->position;
        step->is_commands = end->is_commands;
        memcpy(step->before, job->last, TEXT);
        memcpy(step->after, text, TEXT);
    }
    memcpy(job->last, text, TEXT);
}

static bool watch_begin(keel_inspect *inspect, keeli_request *request) {
    const char *path = keeli_field_text(request, "path"),
               *handle = keeli_field_text(request, "entity");
    keel_error error;
    watch_job *job = calloc(1, sizeof *job);
    if (!job) return !keeli_request_fail(request, 500, "memory", "out of memory: watching a value");
    job->inspect = inspect;
    request->job = job;
    request->free_job = watch_free;
    job->component = path ? keeli_path_find(inspect->world, path, &job->place, &error) : NULL;
    if (!job->component || job->component->is_event)
        return !keeli_request_fail(
            request, 400, "argument", "%s",
            path && !job->component ? error.message : "path: a field of a component is needed");
    if (!job->component->is_unique && (!handle || !keeli_parse_handle(handle, &job->entity)))
        return !keeli_request_fail(request, 400, "argument",
                                   "entity: a handle such as \"17v3\" is needed");
    const keel_result result = keel_watch_steps(inspect->world, watch_on_step, job);
    if (result < 0) return !keeli_request_fail_by(request, inspect->world, result);
    job->frame = inspect->frame;
    watch_read(inspect->world, job, job->last);
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
        keeli_out_key_text(out, "before", step->before);
        keeli_out_key_text(out, "after", step->after);
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
    // The watch ends now and not when the request is freed, which another thread does.
    keel_watch_steps(inspect->world, NULL, NULL);
    request->free_job = free;
    if (inspect->frame == job->frame)
        return keeli_request_fail(request, 503, "busy", "busy: no frame ran in five seconds");
    return watch_finish(inspect, request, job);
}
