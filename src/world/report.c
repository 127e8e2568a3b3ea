// SPDX-License-Identifier: MIT
// Errors and the log (report.h): keeps the world's first and last error, writes log lines, and
// makes the words for entities and components in messages. All errors of the library pass through
// here.
#include "report.h"

#include "names.h"
#include "scope.h"

#include <stdarg.h>
#include <stdio.h>

const keeli_guard *keeli_guard_in_use;

void keeli_exchange_guard(const keeli_guard *guard, const keeli_guard *with) {
    if (keeli_guard_in_use == guard)
        keeli_guard_in_use = with;
}

// Writes one line to the log, one thread at a time. Call it without the world's lock, as the logger
// may call the world. Lines that such a call would log are dropped.
static void write_line(keel_world *world, keel_log_level level, const char *line) {
    keeli_reports *r = &world->reports;
    const uint64_t self = keeli_thread_id();
    if (keeli_atomic_peek(&r->logger) == self)
        return;
    keeli_lock_acquire(&r->log_lock);
    keeli_atomic_put(&r->logger, self);
    if (r->log.write)
        r->log.write(r->log.context, level, line);
    else
        fprintf(stderr, "keel: %s: %s\n", world->name ? world->name : "world", line);
    keeli_atomic_put(&r->logger, 0);
    keeli_lock_release(&r->log_lock);
}

// Returns the worker of the calling thread, or NULL. The caller holds the world's lock.
static keeli_worker *worker_here(keel_world *world) {
    keeli_worker *worker = world->workers.working;
    if (!worker || (!world->access.concurrent && world->workers.own.depth))
        return &world->workers.own;

    const uint64_t self = keeli_thread_id();
    while (worker && worker->thread != self)
        worker = worker->next;
    return worker;
}

// Counts an error. The caller holds the world's lock; readers of the count do not.
static void count_error(keeli_reports *r) { keeli_atomic_put(&r->count, r->count + 1); }

static bool is_before(const keeli_worker *worker, const keeli_first_error *first) {
    return worker->node < first->node ||
           (worker->node == first->node && worker->piece < first->piece);
}

// Keeps an error as the last one, and as the first one if there is none. In a run the first error
// is the first in the linear order of steps, not in time. The caller holds the world's lock.
static void record_error(keel_world *world, const keeli_worker *worker, const keel_error *error) {
    world->reports.last = *error;
    world->reports.dead_call = NULL;
    count_error(&world->reports);
    keeli_first_error *first = worker ? worker->first : NULL;
    if (!first) {
        if (world->reports.first.result == KEEL_OK)
            world->reports.first = *error;
    } else if (first->error.result == KEEL_OK || is_before(worker, first)) {
        *first = (keeli_first_error){ *error, worker->node, worker->piece };
    }
}

void keeli_error_hand_over(keel_world *world, const keel_error *first) {
    if (first->result == KEEL_OK)
        return;
    keeli_lock_acquire(&world->access.lock);
    record_error(world, worker_here(world), first);
    keeli_lock_release(&world->access.lock);
}

keel_result keeli_error_from_user(keel_world *world, keel_result result, const char *system,
                                  const void *object, const char *message) {
    if (keeli_is_in_allocator(world)) { // this thread may have the lock
        write_line(world, KEEL_LOG_ERROR, message);
        return result;
    }

    keeli_lock_acquire(&world->access.lock);
    const keeli_worker *worker = worker_here(world);
    keel_error error = { .result = result, .object = object };
    if (!system && worker)
        system = worker->running;
    snprintf(error.system, sizeof error.system, "%s", system ? system : "");
    snprintf(error.message, sizeof error.message, "%s", message ? message : "");
    record_error(world, worker, &error);
    if (result == KEEL_ERROR_ACCESS && worker && worker->inside && !worker->inside->failed)
        worker->inside->failed = worker->inside->is_denied = true;
    keeli_lock_release(&world->access.lock);

    write_line(world, KEEL_LOG_ERROR, message);
    return result;
}

keel_result keeli_report(keel_world *world, bool asserts, keel_result result, const char *format,
                         ...) {
    char message[sizeof world->reports.last.message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);

    keeli_error_from_user(world, result, NULL, NULL, message);
    if (asserts && world->reports.on_misuse == KEEL_MISUSE_ASSERT)
        KEEL_ASSERT(false, message);
    return result;
}

void keeli_warn(keel_world *world, const char *format, ...) {
    char message[sizeof world->reports.last.message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    write_line(world, KEEL_LOG_WARNING, message);
}

keel_result keeli_out_of_memory(keel_world *world, const char *doing) {
    return keeli_error(world, KEEL_ERROR_MEMORY, "out of memory while %s; nothing was changed",
                       doing);
}

keel_result keeli_dead_entity(keel_world *world, const char *call, keel_entity e) {
    if (keeli_is_in_allocator(world))
        return KEEL_ERROR_DEAD_ENTITY; // this thread may have the lock
    keeli_lock_acquire(&world->access.lock);
    keeli_reports *r = &world->reports;
    const keeli_worker *worker = worker_here(world);
    count_error(r);
    r->dead_call = call;
    r->dead_entity = e;
    r->dead_system = worker ? worker->running : NULL;
    keeli_lock_release(&world->access.lock);
    return KEEL_ERROR_DEAD_ENTITY;
}

keel_result keeli_quiet_error(keel_world *world, keel_result result, const char *format, ...) {
    if (keeli_is_in_allocator(world))
        return result; // this thread may have the lock
    keel_error error = { .result = result };
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error.message, sizeof error.message, format, arguments);
    va_end(arguments);

    keeli_lock_acquire(&world->access.lock);
    const keeli_worker *worker = worker_here(world);
    snprintf(error.system, sizeof error.system, "%s",
             worker && worker->running ? worker->running : "");
    world->reports.last = error;
    world->reports.dead_call = NULL;
    count_error(&world->reports);
    keeli_lock_release(&world->access.lock);
    return result;
}

void keeli_forget_dead_entity(keel_world *world) {
    keeli_lock_acquire(&world->access.lock);
    world->reports.dead_call = NULL;
    keeli_lock_release(&world->access.lock);
}

static bool is_template(const keel_world *world, keel_entity e) {
    const keel_world *templates = world->templates;
    return templates && templates != world && keeli_entity_is_alive(&templates->entities, e);
}

const char *keeli_not_alive(const keel_world *world, keel_entity e) {
    if (is_template(world, e))
        return "is a template: use keel_spawn for a copy, or keel_templates(world) to edit it";

    // handles of the world's own entities have lower versions than handles of templates
    const bool is_of_game =
        world->templates == world && keel_entity_version(e) < KEELI_TEMPLATE_VERSION;
    return is_of_game ? "is no template, but this is keel_templates(world)" : "is not alive";
}

// Makes the message of the latest error, which is about a dead entity.
static const keel_error *tell_dead_entity(keel_world *world) {
    keeli_reports *r = &world->reports;
    const keel_entity e = r->dead_entity;
    r->dead = (keel_error){ .result = KEEL_ERROR_DEAD_ENTITY };
    snprintf(r->dead.system, sizeof r->dead.system, "%s", r->dead_system ? r->dead_system : "");
    if (keel_is_null(e))
        snprintf(r->dead.message, sizeof r->dead.message,
                 "%s: the entity is null; check the call that created or found it", r->dead_call);
    else
        snprintf(r->dead.message, sizeof r->dead.message,
                 "%s: the entity %s %s; ask keel_is_alive before, or forget handles when their "
                 "entity is deleted",
                 r->dead_call, KEELI_ENTITY(is_template(world, e) ? world->templates : world, e),
                 keeli_not_alive(world, e));
    return &r->dead;
}

keel_result keeli_no_world(void) {
    KEEL_ASSERT(
        false,
        "the world, view, commands, context, snapshot, ring or history is NULL or was destroyed; "
        "check the result of what made it, and who uses it last");
    return KEEL_ERROR_ARGUMENT;
}

const char *keeli_system_words(keel_world *world, char words[KEELI_SYSTEM_WORDS]) {
    keeli_lock_acquire(&world->access.lock);
    const keeli_worker *worker = worker_here(world);
    if (worker && worker->running)
        snprintf(words, KEELI_SYSTEM_WORDS, "system '%.60s'", worker->running);
    else
        snprintf(words, KEELI_SYSTEM_WORDS, "a system");
    keeli_lock_release(&world->access.lock);
    return words;
}

const char *keeli_entity_words(const keel_world *world, keel_entity e, char words[KEELI_WORDS]) {
    if (keel_is_null(e))
        return "null";
    const keeli_name *name =
        keeli_entity_is_alive(&world->entities, e) ? keeli_name_at(world, e) : NULL;
    const int end = snprintf(words, KEELI_WORDS, "%uv%u", (unsigned)keeli_index_of(e),
                             (unsigned)keel_entity_version(e));
    if (name)
        snprintf(words + end, KEELI_WORDS - (size_t)end, " \"%.60s%s\"", name->text,
                 name->length > 60 ? "..." : "");
    return words;
}

const char *keeli_storage_words(const keel_world *world, const keeli_storage *s,
                                char words[KEELI_WORDS]) {
    if (s == &world->stand_in.entities)
        return "the list of entities";
    if (s == &world->stand_in.rows)
        return "the rows of archetype components";
    snprintf(words, KEELI_WORDS, "'%s'", s->component.name);
    return words;
}

const keel_error *keel_last_error(const keel_world *world) {
    static const keel_error no_world = { .result = KEEL_ERROR_ARGUMENT,
                                         .message = "the world is NULL" };
    if (keeli_is_nobody(world))
        return &no_world;
    return world->reports.dead_call ? tell_dead_entity((keel_world *)(uintptr_t)world)
                                    : &world->reports.last;
}

const keel_error *keel_first_error(const keel_world *world) {
    return keeli_is_nobody(world) ? keel_last_error(NULL) : &world->reports.first;
}

void keel_clear_errors(keel_world *world) {
    if (keeli_is_nobody(world))
        return;
    if (keeli_is_in_allocator(world))
        return; // this thread may have the lock
    keeli_lock_acquire(&world->access.lock);
    world->reports.first = world->reports.last = (keel_error){ 0 };
    world->reports.dead_call = NULL;
    keeli_lock_release(&world->access.lock);
}

void keeli_guest_begin(keel_world *world, keeli_guest *guest) {
    keeli_reports *r = &world->reports;
    *guest = (keeli_guest){ r->first, *keel_last_error(world), r->on_misuse };
    r->on_misuse = KEEL_MISUSE_RETURN;
}

void keeli_guest_end(keel_world *world, const keeli_guest *guest) {
    keeli_reports *r = &world->reports;
    r->first = guest->first;
    r->last = guest->last;
    r->dead_call = NULL;
    r->on_misuse = guest->on_misuse;
}
