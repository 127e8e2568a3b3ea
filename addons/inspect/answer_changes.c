// SPDX-License-Identifier: MIT
// Answers GET changes: the frames in which a field changed, by comparing the images of the past,
// and the systems that changed it.
#include "answers.h"
#include "frames.h"
#include "past.h"
#include "path.h"
#include "plan.h"
#include "print.h"
#include "terms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED = 200, TEXT = 128, ABSENT = 1 };

// A value of the field as text. Its begin is shown; all of it is compared.
typedef struct changes_text {
    char text[TEXT];
    uint64_t hash;
    bool is_there;
} changes_text;

// The state between two slices. Frames are compared from the newest to the oldest.
typedef struct changes_job {
    keel_entity entity;
    const keel_component *component;
    keel_field_place place;
    uint64_t oldest, newest, next; // the frame to read next
    changes_text later;            // the value at the begin of the frame after `next`
    uint64_t later_tick;
    uint32_t listed;
} changes_job;

// Reads the targets of a relation as a text: "3v0, 4v0".
static changes_text changes_read_targets(const keel_world *world, const changes_job *job) {
    changes_text read = { .hash = 14695981039346656037u }; // FNV-1a of the handles
    size_t length = 0;
    for (keel_entity to =
             keel_next_target_component(world, job->entity, job->component, keel_null());
         !keel_is_null(to);
         to = keel_next_target_component(world, job->entity, job->component, to)) {
        read.hash = (read.hash ^ to.bits) * 1099511628211u;
        if (length + 1 < sizeof read.text)
            length += (size_t)snprintf(read.text + length, sizeof read.text - length, "%s%uv%u",
                                       read.is_there ? ", " : "", (unsigned)keel_entity_index(to),
                                       (unsigned)keel_entity_version(to));
        read.is_there = true;
    }
    return read;
}

static changes_text changes_read(const keel_world *world, const changes_job *job) {
    changes_text read = { .is_there = false };
    const keel_component *c = job->component;
    if (!c->is_unique && !keel_is_alive(world, job->entity)) return read;
    if (!job->place.field) return changes_read_targets(world, job);
    const void *value =
        c->is_unique ? keel_get_unique_value(world, c) : keel_get_component(world, job->entity, c);
    if (!value) return read;
    keel_field_print(&job->place, value, read.text, sizeof read.text);
    read.hash = keeli_print_hash(&job->place, value);
    read.is_there = true;
    return read;
}

static bool changes_is_same(const changes_text *a, const changes_text *b) {
    return a->is_there == b->is_there && (!a->is_there || a->hash == b->hash);
}

// ------------------------------------------------------------------ writers
static bool changes_is_write(const char *access) {
    return access && strcmp(access, "read") && strcmp(access, "filter");
}

// Returns the only system that declares to change the component, or NULL.
static const char *changes_only_writer(const keeli_plan *plan, const char *storage) {
    const char *found = NULL;
    for (uint32_t i = 0; i < plan->node_count; ++i) {
        const keel_workload_node *node = &plan->nodes[i];
        if (node->kind != KEEL_NODE_SYSTEM ||
            !changes_is_write(keeli_terms_access(node->system, storage)))
            continue;
        if (found && strcmp(found, node->name)) return NULL;
        found = node->name;
    }
    return found;
}

static void changes_write_writers(keeli_out *out, const keeli_plan *plan, const char *storage) {
    keeli_out_key_open(out, "writers", '[');
    for (uint32_t i = 0; i < plan->node_count; ++i) {
        const keel_workload_node *node = &plan->nodes[i];
        const char *access =
            node->kind == KEEL_NODE_SYSTEM ? keeli_terms_access(node->system, storage) : NULL;
        if (!changes_is_write(access)) continue;
        keeli_out_open(out, '{');
        keeli_out_key_number(out, "position", node->position);
        keeli_out_key_text(out, "system", node->name);
        keeli_out_key_text(out, "access", access);
        keeli_out_close(out, '}');
    }
    keeli_out_close(out, ']');
}

// Returns the system whose changes have a tick. Without an entry it is not known: too long ago, or
// a change by hand.
static const char *changes_system_of(const keel_inspect *inspect, uint64_t tick) {
    const keeli_record *record = tick ? keeli_frames_of_tick(inspect->frames, tick) : NULL;
    return record ? keeli_frames_source(inspect->frames, record->source)->system : NULL;
}

// ------------------------------------------------------------------ slices
// Finds the component, anew in each slice: the program may have unregistered it in between. False:
// the request has failed.
static bool changes_find(keel_inspect *inspect, keeli_request *request, changes_job *job) {
    keel_error error;
    const char *path = keeli_argument(request, "path");
    if (!path)
        return !keeli_request_fail(request, 400, "argument",
                                   "path: a component, a point and a field are needed");
    const keel_component *relation = keel_find_component(inspect->world, path);
    if (relation && relation->is_relation) {
        job->component = relation;
        job->place = (keel_field_place){ .field = NULL }; // its targets are what is compared
        return true;
    }
    job->component = keeli_path_find(inspect->world, path, &job->place, &error);
    if (job->component && !job->component->is_event) return true;
    return !keeli_request_fail(request, 400, "argument", "%s",
                               job->component ? "events have no past" : error.message);
}

static bool changes_begin(keel_inspect *inspect, keeli_request *request) {
    const char *path = keeli_argument(request, "path"), *handle = keeli_argument(request, "entity");
    changes_job *job = calloc(1, sizeof *job);
    if (!job) return !keeli_request_fail(request, 500, "memory", "out of memory: comparing frames");
    request->job = job;
    request->free_job = free;
    if (!changes_find(inspect, request, job)) return false;
    if (!job->component->is_unique && (!handle || !keeli_parse_handle(handle, &job->entity)))
        return !keeli_request_fail(request, 400, "argument",
                                   "entity: a handle such as 17v3 is needed");
    job->later = changes_read(inspect->world, job);
    job->later_tick = keel_change_tick_of_component(inspect->world, job->entity, job->component);
    if (!keeli_past_range(inspect->past, &job->oldest, &job->newest))
        job->oldest = job->newest = inspect->frame + 1;
    job->next = job->newest + (inspect->past == NULL ? 0 : 1);

    keeli_out *out = &request->out;
    keeli_out_open(out, '{');
    keeli_out_key(out, "entity");
    keeli_print_handle(out, job->entity);
    keeli_out_key_text(out, "path", path);
    keeli_out_key_number(out, "from", job->oldest);
    keeli_out_key_number(out, "to", inspect->frame);
    keeli_out_key_open(out, "frames", '[');
    return true;
}

static void changes_write_text(keeli_out *out, const char *key, const changes_text *value) {
    keeli_out_key_text(out, key, value->is_there ? value->text : NULL);
}

// Compares the begin of a frame with the begin of the one after it: what differs, this frame
// changed.
static void changes_compare(keel_inspect *inspect, keeli_request *request, changes_job *job,
                            uint64_t frame, const char *only_writer) {
    const keel_world *image = keeli_past_open(inspect->past, frame);
    if (!image) return;
    const changes_text earlier = changes_read(image, job);
    const uint64_t tick = keel_change_tick_of_component(image, job->entity, job->component);
    keeli_past_close(inspect->past, frame);
    if (!changes_is_same(&earlier, &job->later)) {
        const bool is_edit = keeli_inspect_is_edit(inspect, job->later_tick);
        const char *system = is_edit           ? NULL
                             : job->later_tick ? changes_system_of(inspect, job->later_tick)
                                               : only_writer;
        keeli_out *out = &request->out;
        keeli_out_open(out, '{');
        keeli_out_key_number(out, "frame", frame);
        changes_write_text(out, "before", &earlier);
        changes_write_text(out, "after", &job->later);
        keeli_out_key_text(out, "system", system);
        keeli_out_key_text(out, "by", is_edit ? "edit" : system ? "system" : NULL);
        keeli_out_key_bool(out, "certain", !is_edit && only_writer);
        keeli_out_close(out, '}');
        ++job->listed;
    }
    job->later = earlier;
    job->later_tick = tick;
}

static void changes_write_last(keel_inspect *inspect, keeli_out *out, const changes_job *job) {
    const uint64_t tick =
        keel_change_tick_of_component(inspect->world, job->entity, job->component);
    const keeli_record *record = tick ? keeli_frames_of_tick(inspect->frames, tick) : NULL;
    keeli_out_key(out, "last");
    if (!tick) {
        keeli_out_null(out);
        return;
    }
    keeli_out_open(out, '{');
    keeli_out_key_number(out, "tick", tick);
    keeli_out_key(out, "frame");
    record ? keeli_out_number(out, record->frame) : keeli_out_null(out);
    keeli_out_key_text(out, "system",
                       record ? keeli_frames_source(inspect->frames, record->source)->system
                              : NULL);
    keeli_out_key_text(out, "text",
                       keeli_inspect_is_edit(inspect, tick) ? "changed on the page"
                       : !record ? "changed outside of systems, or longer ago than timings are kept"
                       : record->is_commands ? "changed by commands of this system"
                                             : "visited to write by this system");
    keeli_out_close(out, '}');
}

static void changes_finish(keel_inspect *inspect, keeli_request *request, const keeli_plan *plan,
                           const changes_job *job) {
    keeli_out *out = &request->out;
    const uint32_t kinds = keel_tracked_kinds(inspect->world, job->component);
    keeli_out_close(out, ']');
    changes_write_writers(out, plan, job->component->name);
    changes_write_last(inspect, out, job);
    keeli_out_key_bool(out, "tracked", kinds & KEEL_TRACK_MODIFICATION);
    keeli_out_key_text(out, "missing",
                       inspect->past ? NULL : "the past is off: set .past in keel_inspect_desc");
    keeli_out_close(out, '}');
}

bool keeli_answer_changes(keel_inspect *inspect, keeli_request *request) {
    bool failed;
    keeli_plan plan = { .node_count = 0 };
    if (!keeli_frames_read_for(inspect, request, &failed)) return failed;
    if (request->job ? !changes_find(inspect, request, request->job)
                     : !changes_begin(inspect, request))
        return true;
    if (keeli_plan_workload(inspect) && !keeli_plan_read(inspect, request, NULL, &plan)) {
        keeli_plan_free(&plan);
        return true;
    }

    changes_job *job = request->job;
    const char *only_writer = changes_only_writer(&plan, job->component->name);
    bool is_done = !inspect->past;
    while (!is_done) {
        is_done = job->next <= job->oldest || job->listed >= LISTED;
        if (!is_done) changes_compare(inspect, request, job, --job->next, only_writer);
        if (!is_done && keeli_inspect_is_late(inspect)) break;
    }
    if (is_done) changes_finish(inspect, request, &plan, job);
    keeli_plan_free(&plan);
    return is_done;
}
