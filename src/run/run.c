// SPDX-License-Identifier: MIT
// Running one system: its terms are bound and borrowed like a view's, its function is called, its
// commands are applied.
#include "edit/events.h"
#include "find/iterate.h"
#include "follow/track.h"
#include "run/context.h"
#include "run/custom.h"
#include "run/events.h"
#include "run/prepared.h"
#include "run/team.h"
#include "run/timings.h"
#include "run/warm.h"
#include "world/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------ before
static bool is_the_world(keel_term_kind kind) { return kind == KEEL_TERM_EDIT_WORLD; }

static bool has_the_world(const keel_system *system) {
    for (const keel_term *t = system->terms; t->kind != KEEL_TERM_END; ++t)
        if (is_the_world(t->kind) ||
            (keeli_term_is_custom(t->kind) && keeli_custom_has(t->custom, is_the_world)))
            return true;
    return false;
}

static bool is_per_entity(const keel_system *system) {
    return system->kind == KEEL_PER_ENTITY || system->kind == KEEL_PER_SPAN;
}

keel_result keeli_check_system(keel_world *world, const keel_system *system, bool is_condition) {
    if (!system || !system->name || !system->terms || (!system->run == !system->function))
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "a system needs a name, terms, and either run or function");
    if (is_condition != (system->kind == KEEL_IS_CONDITION))
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            is_condition
                                ? "run_if or skip_if of a step is the system '%s', not a condition"
                                : "'%s' is a condition; use it with .run_if",
                            system->name);
    if (system->function && system->kind != KEEL_PER_RUN)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "system '%s' is a plain function, so its kind is KEEL_PER_RUN",
                            system->name);
    if (is_per_entity(system) && has_the_world(system)) // its loop would not notice edits
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "system '%s' runs per entity and cannot have the whole world; only a "
                            "KEEL_TASK takes KEEL_WORLD",
                            system->name);
    return KEEL_OK;
}

static keel_result check_data(const keel_context *context) {
    for (uint32_t t = 0; context->view->takes_data && t < context->view->term_count; ++t) {
        const keeli_bound_term *term = &context->view->terms[t];
        if (term->kind != KEEL_TERM_DATA) continue;
        if (context->data && term->data_size == context->data_size) continue;
        return keeli_misuse(context->world, KEEL_ERROR_ARGUMENT,
                            "system '%s' takes KEEL_DATA(%s) of %u bytes but was given %zu; pass a "
                            "pointer to it with keel_run_with",
                            context->system->name, term->name ? term->name : "data",
                            (unsigned)term->data_size, context->data ? context->data_size : 0);
    }
    return KEEL_OK;
}

static void allow(keel_commands *list, const keeli_view *view, const keeli_bound_term *term) {
    for (uint32_t i = 0; i < term->count; ++i)
        list->allowed.items[list->allowed.count++] = view->storages[term->first + i];
}

// Events that wait until the system has ended are recorded like commands. Who asked for commands
// that may edit everything gets those.
keel_result keeli_context_take_commands(keel_context *context) {
    keel_world *world = context->world;
    const keeli_view *view = context->view;
    const keeli_bound_term *term = keeli_view_commands(view);
    if (!term && !keeli_context_records_events(context)) return KEEL_OK;
    keel_commands *list = keeli_commands_take(world);
    context->commands = list;
    if (!list ||
        !KEELI_RESERVE(&world->heap, &list->allowed, KEEL_MAX_TERM_COMPONENTS + KEEL_MAX_TERMS))
        return keeli_out_of_memory(world, "starting a system");
    list->for_events = !term;
    if (term && !term->count) return KEEL_OK;
    if (term) allow(list, view, term);
    for (uint32_t t = 0; keeli_context_records_events(context) && t < view->term_count; ++t)
        if (view->terms[t].kind == KEEL_TERM_SEND) allow(list, view, &view->terms[t]);
    return KEEL_OK;
}

// A system that has the whole world holds nothing, so that every call of its owner works; but
// nobody else may hold anything.
static keel_result open_holder(keel_context *context) {
    keel_world *world = context->world;
    if (!context->view->holder.everything) return keeli_holder_open(world, &context->view->holder);
    KEEL_TRY(keeli_world_is_editable(world));
    if (!world->holders) return KEEL_OK;
    return keeli_error(world, KEEL_ERROR_BORROWED,
                       "system '%s' wants the whole world while %s is open; end that first",
                       context->system->name, world->holders->name);
}

static void close_holder(keel_context *context) {
    keeli_holder *holder = &context->view->holder;
    if (holder->open) keeli_holder_close(context->world, holder); // else it had the whole world
}

// ------------------------------------------------------------------ the call
static inline void fill_fixed_columns(keel_context *context, keel_chunk *chunk) {
    const keeli_view *view = context->view;
    const bool has_any =
        view->has_uniques || view->takes_data || view->custom_count || view->has_events;
    for (uint32_t t = 0; has_any && t < view->term_count; ++t) {
        const keel_term_kind kind = view->terms[t].kind;
        if (kind < KEEL_TERM_UNIQUE_READ) continue;
        if (keeli_term_is_unique(kind)) {
            keeli_storage *s = view->storages[view->terms[t].first];
            if (kind == KEEL_TERM_UNIQUE_WRITE) s->changed_at = context->tick;
            chunk->columns[t].base = s->unique;
        } else if (kind == KEEL_TERM_DATA) {
            chunk->columns[t].base = context->data;
        } else if (keeli_term_is_custom(kind)) {
            chunk->columns[t].base = context->customs[t];
        } else if (keeli_term_is_event(kind)) {
            chunk->columns[t].base = context;
        }
    }
}

void keeli_fill_fixed_columns(keel_context *context, keel_chunk *chunk) {
    fill_fixed_columns(context, chunk);
}

void keeli_run_walk(keel_context *context, keeli_iterator *it) {
    const keel_system *system = context->system;
    const bool spans = system->kind == KEEL_PER_SPAN;
    if (!spans && !it->mark_count && !context->failed) { // nothing to do between chunks
        if (it->plan->only_rows && !it->plan->has_maybe)
            keeli_visit_rows(it, system->run, context, &context->failed);
        else
            while (!context->failed && keeli_iterator_scan(it))
                system->run(&it->chunk, context);
        return;
    }
    for (const keel_chunk *c; !context->failed && (c = spans ? keeli_iterator_advance_span(it)
                                                             : keeli_iterator_advance(it)) != NULL;)
        system->run(c, context);
}

static keel_result run_chunks(keel_context *context) {
    if (context->splits) return keeli_run_split(context);
    keeli_iterator *it = keeli_iterator_take(context->view);
    if (!it) return KEEL_ERROR_MEMORY;
    keeli_fill_fixed_columns(context, &it->chunk);
    keeli_fill_fixed_columns(context, &it->span);
    keeli_run_walk(context, it);
    keeli_iterator_give(it);
    return KEEL_OK;
}

static keel_result run_once(keel_context *context) {
    const keel_system *system = context->system;
    if (system->run) {
        keel_chunk chunk; // not all of it: that would be most of the cost
        memset(&chunk, 0,
               offsetof(keel_chunk, columns) + context->view->term_count * sizeof *chunk.columns);
        chunk.form = KEEL_CHUNK_SPAN;
        fill_fixed_columns(context, &chunk);
        system->run(&chunk, context);
        return KEEL_OK;
    }
    const keel_result result = system->function(context);
    if (result < 0 && !context->failed) keel_fail(context, NULL, "%s", keel_result_text(result));
    return KEEL_OK;
}

// A condition is known by the step that asks it.
static keel_result tell_failure(const keel_context *context) {
    char message[256];
    const keel_system *system = context->system;
    if (system->kind == KEEL_IS_CONDITION && context->node)
        snprintf(message, sizeof message, "condition '%.40s' of '%.40s': %.150s", system->name,
                 context->node->name, context->message);
    else snprintf(message, sizeof message, "system '%.40s': %s", system->name, context->message);
    return keeli_error_from_user(context->world, KEEL_ERROR_SYSTEM, system->name, context->object,
                                 message);
}

static keel_result run_body(keel_context *context) {
    const keel_result result =
        is_per_entity(context->system) ? run_chunks(context) : run_once(context);
    return result < 0 || !context->failed ? result : tell_failure(context);
}

// The body, between making and dropping its custom views.
static keel_result run_all(keel_context *context) {
    const keeli_view *view = context->view;
    keel_result result = view->custom_count ? keeli_customs_begin(context) : KEEL_OK;
    if (result == KEEL_OK) result = run_body(context);
    const keel_result ended = view->holder.opened ? keeli_context_end_inside(context) : KEEL_OK;
    return result < 0 ? result : ended;
}

// A loop over nothing is often left out, so it never counts as one that ran.
static bool counts(const keel_context *context) {
    if (context->system->kind == KEEL_IS_CONDITION) return false;
    return !is_per_entity(context->system) || !keeli_loop_is_empty(context->view);
}

static keel_result call_timed(keel_context *context) {
    if (!counts(context)) return run_all(context);
    const uint64_t number = keeli_timings_enter(context);
    const keel_result result = run_all(context);
    keeli_timings_leave(context->world, number);
    return result;
}

static keel_result call(keel_context *context) {
    keeli_lane *lane = context->lane;
    if (lane->depth >= KEELI_DEPTH_AT_MOST)
        return keeli_misuse(context->world, KEEL_ERROR_CYCLE,
                            "system '%s' is run by itself, or %d systems run each other",
                            context->system->name, (int)KEELI_DEPTH_AT_MOST);
    const char *outer = lane->running;
    const keeli_arena_mark mark = keeli_arena_now(&lane->scratch);
    lane->running = context->system->name;
    ++lane->depth;
    const keel_result result = context->world->timings ? call_timed(context) : run_all(context);
    --lane->depth;
    lane->running = outer;
    keeli_arena_back(&lane->scratch, mark);
    return result;
}

// ------------------------------------------------------------------ what it sees of changes
// Nodes of workloads come with their tick and reader.
static keel_result begin_window(keel_context *context) {
    keel_world *world = context->world;
    keeli_view *view = context->view;
    if (!context->node && view->asks_about_changes) {
        context->reader = keeli_system_reader_get(world, context->system);
        if (!context->reader) return keeli_out_of_memory(world, "starting a system");
    }
    view->reader = context->reader;
    view->holder.tick = context->node ? context->tick : 0;
    return KEEL_OK;
}

// It has seen everything up to its tick, and where nobody else is at work up to now: it may have
// run others. In shared mode nobody's time goes on.
static void end_window(const keel_context *context) {
    keel_world *world = context->world;
    if (world->is_shared) return;
    const bool alone = !world->share_depth;
    if (context->reader) context->reader->last = alone ? world->tick : context->tick;
    if (alone) keeli_tick_advance(world);
}

// ------------------------------------------------------------------ all of it
keel_result keeli_run_bound(keel_context *context) {
    if (context->view->has_uniques)
        KEEL_TRY(keeli_view_check_uniques(context->view, context->system->terms));
    if (context->view->takes_data) KEEL_TRY(check_data(context));
    if (keeli_context_records(context) && !context->commands && !context->splits)
        KEEL_TRY(keeli_context_take_commands(context));
    KEEL_TRY(begin_window(context));
    KEEL_TRY(open_holder(context));
    const bool has_events = context->view->has_events;
    keel_result result = has_events ? keeli_context_events_begin(context) : KEEL_OK;
    const bool begun = result == KEEL_OK;
    if (begun) result = call(context);
    if (begun && has_events) keeli_context_events_end(context, result);
    close_holder(context);
    end_window(context);
    return result;
}

// Bind the terms, run, and keep them bound for the next time.
static keel_result run_anew(keel_context *context) {
    keel_world *world = context->world;
    keeli_view *view = keeli_view_take(world, context->system->name);
    if (!view) return KEEL_ERROR_MEMORY;
    view->holder.is_system = true;
    context->view = view;
    keel_result result = keeli_view_bind(view, context->system->terms, context->system);
    if (result == KEEL_OK && !keeli_prepared_keep(world, context->system, view))
        result = keeli_out_of_memory(world, "starting a system");
    if (result == KEEL_OK) result = keeli_run_bound(context);
    keeli_view_give(view);
    return result;
}

static keel_result run_prepared(keel_context *context, keeli_prepared *p) {
    context->view = p->view;
    const bool may_be_idle = p->has_data || context->splits; // others were asked before
    const bool is_idle = may_be_idle && keeli_prepared_is_idle(context->world, p);
    const keel_result result = is_idle ? check_data(context) : keeli_run_bound(context);
    p->busy = false;
    return result;
}

// `p`: what is kept for it, or NULL.
static keel_result run_system(keel_context *context, keeli_prepared *p) {
    keel_world *world = context->world;
    const keel_result result = p ? run_prepared(context, p) : run_anew(context);
    if (context->commands && result < 0) keeli_commands_discard(world, context->commands);
    else if (context->commands) keeli_commands_submit(world, context->commands);
    return result;
}

// `p`: what is kept for it, or NULL.
static __attribute__((noinline)) keel_result run_now(keel_world *world, const keel_system *system,
                                                     void *data, size_t data_size,
                                                     keeli_prepared *p) {
    keel_context context;
    keeli_lane spare;
    keeli_context_init(&context, world, system, keeli_lane_begin(world, &spare));
    context.data = data;
    context.data_size = data_size;
    const keel_result result = run_system(&context, p);
    keeli_lane_end(world, context.lane);
    const keel_result applied = keeli_commands_flush(world);
    keeli_events_settle(world);
    return result < 0 ? result : applied;
}

keel_result keel_world_run_system(keel_world *world, const keel_system *system, void *data,
                                  size_t data_size) {
    if (!world) return keeli_no_world();
    KEEL_TRY(keeli_commands_flush(world));
    keeli_prepared *p = keeli_prepared_take(world, system);
    if (!p) KEEL_TRY(keeli_check_system(world, system, false));
    else if (!p->has_data && keeli_prepared_is_idle(world, p)) return p->busy = false, KEEL_OK;
    return run_now(world, system, data, data_size, p);
}

// All pieces on the lanes of a team; the caller is the first.
static keel_result run_split_system(keel_context *context) {
    keel_world *world = context->world;
    keeli_team *team = keeli_team_take(world);
    if (!team) return KEEL_ERROR_MEMORY;
    keeli_warm_begin(world, 0);
    context->lane = keeli_team_open(team, NULL);
    context->splits = true;
    const keel_result result = run_system(context, keeli_prepared_take(world, context->system));
    keeli_team_close(team);
    keeli_warm_end(team, 1);
    keeli_team_give(team);
    return result;
}

keel_result keel_world_run_parallel(keel_world *world, const keel_system *system, void *data,
                                    size_t data_size) {
    if (!world) return keeli_no_world();
    KEEL_TRY(keeli_commands_flush(world));
    KEEL_TRY(keeli_check_system(world, system, false));
    KEEL_TRY(keeli_check_split(world, system));
    keel_context context;
    keeli_context_init(&context, world, system, NULL);
    context.data = data;
    context.data_size = data_size;
    const keel_result result = run_split_system(&context);
    const keel_result applied = keeli_commands_flush(world);
    keeli_events_settle(world);
    return result < 0 ? result : applied;
}

void keel_fail(keel_context *context, const void *object, const char *format, ...) {
    if (!context || !keeli_context_is_here(context, "calls keel_fail") || context->failed) return;
    if (!format) format = "no reason given";
    context->failed = true;
    context->object = object;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(context->message, sizeof context->message, format, arguments);
    va_end(arguments);
}
