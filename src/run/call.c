// SPDX-License-Identifier: MIT
// Calls a bound system once: checks its uniques and data, opens the holder of its storages, makes
// its custom views, calls its function, and releases everything again. It does not decide when a
// system runs: execute.c calls it for steps of workloads, system.c for single systems.
//
// Timings: an entry is added when the system begins, so that the ring is in order of `begin`, on
// however many threads systems run. Its `end` is set later, unless the entry was overwritten by
// then.
#include "find/iterate.h"
#include "follow/changes.h"
#include "run/context.h"
#include "run/workers.h"
#include "world/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------ timings
uint64_t keeli_timings_time(const keel_world *world) {
    return keeli_clock_ns() - world->workloads.timings->origin;
}

// Adds an entry, of which `facts` has all but the frame, the thread and the times.
static uint64_t add_timing(keeli_timings *t, const char *system, const char *workload,
                           const keel_timing *facts) {
    keeli_lock_acquire(&t->lock);
    const uint64_t number = t->count++;

    keel_timing *entry = &t->ring[number % t->capacity];
    *entry = *facts;
    snprintf(entry->system, sizeof entry->system, "%s", system);
    snprintf(entry->workload, sizeof entry->workload, "%s", workload);
    entry->frame = t->frames;
    entry->thread = keeli_thread_id();
    entry->begin = keeli_clock_ns() - t->origin;
    if (!entry->ready || entry->ready > entry->begin)
        entry->ready = entry->begin;

    keeli_lock_release(&t->lock);
    return number;
}

uint64_t keeli_timings_enter(const keel_context *context) {
    const keeli_node *node = context->node;
    const keel_timing facts = { .tick = context->tick,
                                .ready = node && !context->loop ? node->ready : 0,
                                .position = node ? node->place : KEEL_NO_STEP,
                                .worker = context->worker->number };
    return add_timing(context->in.world->workloads.timings, context->system->name,
                      node ? node->workload : "", &facts);
}

uint64_t keeli_timings_enter_commands(const keel_world *world, const keeli_node *node,
                                      const keeli_node *system, uint64_t tick,
                                      const keeli_worker *worker) {
    const keel_timing facts = { .tick = tick,
                                .ready = node->ready,
                                .position = system->place,
                                .worker = worker->number,
                                .is_commands = true };
    return add_timing(world->workloads.timings, system->name, system->workload, &facts);
}

// Completes an entry, unless it was overwritten by now.
static void complete_timing(const keel_world *world, uint64_t number, uint64_t entities,
                            uint64_t commands) {
    keeli_timings *t = world->workloads.timings;
    const uint64_t now = keeli_timings_time(world);
    keeli_lock_acquire(&t->lock);
    keel_timing *entry = &t->ring[number % t->capacity];
    if (t->count - number <= t->capacity) {
        entry->entities = entities;
        entry->commands = commands;
        entry->end = now ? now : 1;
    }
    keeli_lock_release(&t->lock);
}

void keeli_timings_leave(const keel_context *context, uint64_t number) {
    complete_timing(context->in.world, number, context->visited, 0);
}

void keeli_timings_leave_commands(const keel_world *world, uint64_t number, uint64_t edits) {
    complete_timing(world, number, 0, edits);
}

// ------------------------------------------------------------------ before
// Returns an error if a KEEL_DATA parameter has another size than the data of this run.
static keel_result check_data(const keel_context *context) {
    const keel_run_desc *run = context->run;
    if (!context->view->facts.takes_data)
        return KEEL_OK;

    for (uint32_t t = 0; t < context->view->term_count; ++t) {
        const keeli_bound_term *term = &context->view->terms[t];
        if (term->kind != KEEL_TERM_DATA)
            continue;
        const bool fits = run->data && term->data_size == run->data_size;
        if (fits)
            continue;
        return keeli_misuse(context->in.world, KEEL_ERROR_ARGUMENT,
                            "system '%s' takes KEEL_DATA(%s) of %u bytes but was given %u; pass a "
                            "pointer to it with %s",
                            context->system->name, term->name ? term->name : "data",
                            (unsigned)term->data_size, run->data ? (unsigned)run->data_size : 0,
                            context->node ? "keel_run_workload_with" : "keel_run_with");
    }
    return KEEL_OK;
}

// Allows commands of the list to edit the storages of a term. The caller has reserved the memory.
static void allow(keel_commands *list, const keeli_view *view, const keeli_bound_term *term) {
    for (uint32_t i = 0; i < term->count; ++i)
        *KEELI_APPEND(&list->allowed) = view->storages[term->first + i];
}

// Deferred events are recorded in the same list as commands. If list->allowed is empty, commands
// may edit everything.
keel_result keeli_context_begin_commands(keel_context *context) {
    keel_world *world = context->in.world;
    const keeli_view *view = context->view;
    const keeli_bound_term *term = keeli_view_commands(view);
    const bool records_events = keeli_context_records_events(context);
    if (!term && !records_events)
        return KEEL_OK;
    keel_commands *list = keeli_commands_acquire(world);
    context->commands = list;
    if (!list)
        return keeli_out_of_memory(world, "starting a system");
    if (!KEELI_RESERVE(&world->heap, &list->allowed, KEEL_MAX_TERM_COMPONENTS + KEEL_MAX_TERMS))
        return keeli_out_of_memory(world, "starting a system");
    list->for_events = !term;
    list->thread = keeli_thread_id();

    const bool may_edit_all = term && !term->count;
    if (may_edit_all)
        return KEEL_OK;
    if (term)
        allow(list, view, term);
    if (!records_events)
        return KEEL_OK;
    for (uint32_t t = 0; t < view->term_count; ++t)
        if (view->terms[t].kind == KEEL_TERM_SEND)
            allow(list, view, &view->terms[t]);
    return KEEL_OK;
}

keel_result keeli_hold_everything(keel_world *world, const char *kind, const char *name) {
    KEEL_TRY(keeli_world_is_editable(world));
    if (!world->access.holders)
        return KEEL_OK;
    return keeli_error(world, KEEL_ERROR_BORROWED,
                       "%s '%s' wants the whole world while %s is open; end that first", kind, name,
                       world->access.holders->name);
}

// ------------------------------------------------------------------ the function
void keeli_fill_fixed_columns(keel_context *context, keel_chunk *chunk) {
    const keeli_view *view = context->view;
    const bool has_any = view->facts.has_uniques || view->facts.takes_data ||
                         view->facts.custom_count || view->facts.has_events;
    if (!has_any)
        return;

    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keel_term_kind kind = view->terms[t].kind;
        if (kind < KEEL_TERM_UNIQUE_READ)
            continue;

        if (keeli_term_is_unique(kind)) {
            keeli_storage *s = view->storages[view->terms[t].first];
            if (kind == KEEL_TERM_UNIQUE_WRITE)
                s->changed_at = context->tick;
            chunk->columns[t].base = s->unique;
        } else if (kind == KEEL_TERM_DATA) {
            chunk->columns[t].base = context->run->data;
        } else if (keeli_term_is_custom(kind)) {
            chunk->columns[t].base = context->customs[t];
        } else if (keeli_term_is_event(kind)) {
            chunk->columns[t].base = context;
        }
    }
}

// Makes a system fail whose function returned an error without calling keel_fail: with the text of
// that error.
static void fail_if_negative(keel_context *context, keel_result result) {
    if (result < 0 && !context->in.failed)
        keel_fail_text(context, keel_result_text(result));
}

void keeli_run_walk(keel_context *context, keeli_iterator *it) {
    const keel_system *system = context->system;
    const bool spans = system->kind == KEEL_SYSTEM_PER_SPAN;
    if (!spans && !it->mark_count && !context->in.failed) { // nothing to do between chunks
        const bool visits_rows = it->plan->only_rows && !it->plan->has_maybe;
        if (visits_rows) {
            context->visited += keeli_visit_rows(it, system->run, context, &context->in.failed);
            return;
        }
        while (!context->in.failed && keeli_iterator_scan(it)) {
            context->visited += it->chunk.count;
            system->run(&it->chunk, context);
        }
        return;
    }

    while (!context->in.failed) {
        const keel_chunk *c = spans ? keeli_iterator_advance_span(it) : keeli_iterator_advance(it);
        if (!c)
            return;
        context->visited += c->count;
        if (system->run) {
            system->run(c, context);
            continue;
        }
        const keel_span span = { c->count, c->entities, c, it->view };
        fail_if_negative(context, system->each_span(context, &span));
    }
}

void keeli_run_whole(keel_context *context, keeli_iterator *it) {
    keeli_fill_fixed_columns(context, &it->chunk);
    keeli_fill_fixed_columns(context, &it->span);
    keeli_run_walk(context, it);
    keeli_iterator_end(it);
}

// Calls the system for all its entities, split over the workers if the run asks for it.
static keel_result call_loop(keel_context *context) {
    keeli_iterator *it = keeli_iterator_begin(context->view);
    if (!it)
        return KEEL_ERROR_MEMORY;
    if (context->splits)
        return keeli_run_split(context, it);
    keeli_run_whole(context, it);
    return KEEL_OK;
}

// Calls a system that runs once, not per entity or span.
static void call_once(keel_context *context) {
    const keel_system *system = context->system;
    if (system->run) {
        keel_chunk chunk; // only the used columns are cleared: clearing all is most of the cost
        memset(&chunk, 0,
               offsetof(keel_chunk, columns) + context->view->term_count * sizeof *chunk.columns);
        chunk.form = KEEL_CHUNK_SPAN;
        keeli_fill_fixed_columns(context, &chunk);
        system->run(&chunk, context);
        return;
    }
    fail_if_negative(context, system->function(context));
}

// Reports the failure of a system, with the message of keel_fail. The report of a condition names
// its step, too.
static keel_result report_failure(const keel_context *context) {
    char message[256];
    const keel_system *system = context->system;
    if (system->kind == KEEL_SYSTEM_IS_CONDITION && context->node)
        snprintf(message, sizeof message, "condition '%.40s' of '%.40s': %.150s", system->name,
                 context->node->name, context->message);
    else
        snprintf(message, sizeof message, "system '%.40s': %s", system->name, context->message);
    return keeli_error_from_user(context->in.world, KEEL_ERROR_SYSTEM, system->name,
                                 context->object, message);
}

// Makes the custom views of a system, calls its function, and drops the custom views. A loop over
// nothing adds no entry to the timings, because most such loops are skipped without a call of this
// function.
static keel_result call_system(keel_context *context) {
    keeli_worker *worker = context->worker;
    const keeli_view *view = context->view;
    const keel_system *system = context->system;
    const bool is_loop = keeli_system_is_loop(system);
    if (worker->depth >= KEELI_DEPTH_AT_MOST)
        return keeli_misuse(context->in.world, KEEL_ERROR_CYCLE,
                            "system '%s' is run by itself, or %d systems run each other",
                            system->name, (int)KEELI_DEPTH_AT_MOST);

    const keeli_arena_mark mark = keeli_arena_now(&worker->scratch);
    const bool is_timed = context->in.world->workloads.timings &&
                          system->kind != KEEL_SYSTEM_IS_CONDITION &&
                          !(is_loop && keeli_loop_is_empty(view));
    const uint64_t number = is_timed ? keeli_timings_enter(context) : 0;

    ++worker->depth;
    keeli_inside *outer = worker->inside;
    worker->inside = &context->in;
    keel_result result = view->facts.custom_count ? keeli_customs_begin(context) : KEEL_OK;
    if (result == KEEL_OK && is_loop)
        result = call_loop(context);
    else if (result == KEEL_OK)
        call_once(context);

    if (result >= 0 && context->in.failed)
        result = context->in.is_denied ? KEEL_ERROR_ACCESS : report_failure(context);
    const keel_result ended = view->holder.opened ? keeli_context_end_inside(context) : KEEL_OK;

    worker->inside = outer;
    --worker->depth;
    if (is_timed)
        keeli_timings_leave(context, number);
    keeli_arena_back(&worker->scratch, mark);
    return result < 0 ? result : ended;
}

// ------------------------------------------------------------------ changes seen by the system
// Sets the reader that the terms about changes compare with, and the tick of the system's own
// changes. A step of a workload has both in its context; a single system gets its reader here.
static keel_result begin_reading(keel_context *context) {
    keeli_view *view = context->view;
    if (!context->node && view->facts.asks_about_changes) {
        context->in.reader = keeli_system_reader_get(context->in.world, context->system);
        if (!context->in.reader)
            return keeli_out_of_memory(context->in.world, "starting a system");
    }
    view->reader = context->in.reader;
    view->holder.tick = context->node || context->is_inner ? context->tick : 0;
    return KEEL_OK;
}

// Records in the reader up to which tick the system has seen changes: its own tick or, if nothing
// else runs, the world's present tick, since the system may have run others. For a run inside
// another one it is the tick before, because more changes can follow at its own tick. In shared
// mode nothing is recorded, as ticks do not advance.
static void end_reading(const keel_context *context) {
    keel_world *world = context->in.world;
    if ((world->refused & KEELI_REFUSED_SHARED))
        return;
    const bool is_alone = !world->refused;
    if (context->in.reader)
        context->in.reader->last =
            is_alone ? world->changes.tick : context->tick - context->is_inner;
    if (is_alone)
        keeli_tick_advance(world);
}

// ------------------------------------------------------------------ the whole call
// Checks uniques and data, opens the holder, calls the system, and closes the holder.
static keel_result hold_and_call(keel_context *context) {
    keeli_view *view = context->view;
    if (view->facts.has_uniques)
        KEEL_TRY(keeli_view_check_uniques(view, context->system->terms));
    if (view->facts.takes_data)
        KEEL_TRY(check_data(context));
    if (keeli_context_records(context) && !context->commands && !context->splits)
        KEEL_TRY(keeli_context_begin_commands(context));

    KEEL_TRY(begin_reading(context));
    if (view->holder.everything)
        KEEL_TRY(keeli_hold_everything(context->in.world, "system", context->system->name));
    else
        KEEL_TRY(keeli_holder_open(context->in.world, &view->holder));

    keel_result result = view->facts.has_events ? keeli_context_events_begin(context) : KEEL_OK;
    if (result == KEEL_OK) {
        result = call_system(context);
        if (view->facts.has_events)
            keeli_context_events_end(context, result);
    }

    if (view->holder.open)
        keeli_holder_close(context->in.world, &view->holder);
    end_reading(context);
    return result;
}

keel_result keeli_run_bound(keel_context *context, keeli_bound *bound) {
    const char *outer = context->worker->running;
    context->bound = bound;
    keeli_context_set_view(context, bound->view);
    context->worker->running = context->system->name; // errors name this system from here on
    const keel_result result = hold_and_call(context);
    context->worker->running = outer;
    return result;
}

void keel_fail(keel_context *context, const void *object, const char *format, ...) {
    if (!context || !keeli_context_is_here(context, "calls keel_fail") || context->in.failed)
        return;
    if (!format)
        format = "no reason given";

    context->in.failed = true;
    context->object = object;

    va_list arguments;
    va_start(arguments, format);
    vsnprintf(context->message, sizeof context->message, format, arguments);
    va_end(arguments);
}

void keel_fail_text(keel_context *context, const char *text) {
    keel_fail(context, NULL, "%s", text ? text : "no reason given");
}

keel_result keeli_caught(keel_world *world, const char *what) {
    keeli_worker *worker = keeli_worker_here(world);
    if (worker && worker->inside &&
        worker->inside->world) { // helpers of a view's loop have no world
        keel_fail_text((keel_context *)worker->inside, what);
        return KEEL_ERROR_SYSTEM;
    }
    (worker ? worker : &world->workers.own)->has_caught = true;
    return keeli_error_from_user(world, KEEL_ERROR_SYSTEM, NULL, NULL, what);
}
