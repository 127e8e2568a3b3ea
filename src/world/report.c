// SPDX-License-Identifier: MIT
// Errors are kept and logged here and nowhere else.
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void write_line(keel_world *world, keel_log_level level, const char *line) {
    if (world->reports.log.write) world->reports.log.write(world->reports.log.context, level, line);
    else fprintf(stderr, "keel: %s: %s\n", world->name ? world->name : "world", line);
}

static void copy_text(char *to, size_t size, const char *from) {
    snprintf(to, size, "%s", from ? from : "");
}

// The worker that the calling thread is in, or NULL. With the lock.
static const keeli_worker *lane_of(const keel_world *world) {
    if (!world->workers.working || (!world->access.concurrent && world->workers.own.depth))
        return &world->workers.own;
    const uint64_t self = keeli_thread_id();
    const keeli_worker *worker = world->workers.working;
    while (worker && worker->thread != self)
        worker = worker->next;
    return worker;
}

static bool is_before(const keeli_worker *worker, const keeli_first_error *first) {
    return worker->node != first->node ? worker->node < first->node : worker->piece < first->piece;
}

// Where an error is kept, NULL when one before it is there: in a run the first in linear order
// counts, elsewhere the first in time.
static keel_error *place_for(keel_world *world, const keeli_worker *worker) {
    if (!worker || !worker->first)
        return world->reports.error.result == KEEL_OK ? &world->reports.error : NULL;
    if (worker->first->error.result != KEEL_OK && !is_before(worker, worker->first)) return NULL;
    worker->first->node = worker->node;
    worker->first->piece = worker->piece;
    return &worker->first->error;
}

// `system` NULL: the one that runs.
static void keep(keel_world *world, keel_result result, const char *system, const void *object,
                 const char *message) {
    keeli_lock_take(&world->access.lock);
    const keeli_worker *worker = lane_of(world);
    keel_error *error = place_for(world, worker);
    if (error) {
        if (!system && worker) system = worker->running;
        error->result = result;
        error->object = object;
        copy_text(error->system, sizeof error->system, system);
        copy_text(error->message, sizeof error->message, message);
    }
    write_line(world, KEEL_LOG_ERROR, message);
    keeli_lock_give(&world->access.lock);
}

keel_result keeli_error(keel_world *world, keel_result result, const char *format, ...) {
    char message[sizeof world->reports.error.message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    keep(world, result, NULL, NULL, message);
    return result;
}

keel_result keeli_misuse(keel_world *world, keel_result result, const char *format, ...) {
    char message[sizeof world->reports.error.message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    keep(world, result, NULL, NULL, message);
    if (world->reports.on_misuse == KEEL_MISUSE_ASSERT) KEEL_ASSERT(false, message);
    return result;
}

keel_result keeli_error_from_user(keel_world *world, keel_result result, const char *system,
                                  const void *object, const char *message) {
    keep(world, result, system, object, message);
    return result;
}

void keeli_warn(keel_world *world, const char *format, ...) {
    char message[sizeof world->reports.error.message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    keeli_world_lock(world);
    write_line(world, KEEL_LOG_WARNING, message);
    keeli_world_unlock(world);
}

keel_result keeli_out_of_memory(keel_world *world, const char *doing) {
    return keeli_error(world, KEEL_ERROR_MEMORY, "out of memory while %s; nothing was changed",
                       doing);
}

keel_result keeli_no_world(void) {
    KEEL_ASSERT(false, "the world is NULL; make one with keel_world_create and check its result");
    return KEEL_ERROR_ARGUMENT;
}

const keel_error *keel_last_error(const keel_world *world) {
    static const keel_error no_world = { .result = KEEL_ERROR_ARGUMENT,
                                         .message = "the world is NULL" };
    return world ? &world->reports.error : &no_world;
}

keel_error keel_take_error(keel_world *world) {
    if (!world) return *keel_last_error(NULL);
    keeli_world_lock(world);
    const keel_error error = world->reports.error;
    memset(&world->reports.error, 0, sizeof world->reports.error);
    keeli_world_unlock(world);
    return error;
}
