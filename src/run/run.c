// SPDX-License-Identifier: MIT
// Running one system: its terms are bound and borrowed like a view's, its function is called, its
// commands are applied.
#include "edit/report.h"
#include "find/iterate.h"
#include "run/context.h"
#include "run/prepared.h"
#include "run/warm.h"

#include <stdarg.h>
#include <stdio.h>

// ------------------------------------------------------------------ before
static bool has_the_world(const keel_system *system) {
    for (const keel_term *t = system->terms; t->kind != KEEL_TERM_END; ++t)
        if (t->kind == KEEL_TERM_EDIT_WORLD) return true;
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
    for (uint32_t t = 0; t < context->view->term_count; ++t) {
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

static const keeli_bound_term *commands_of(const keeli_view *view) {
    for (uint32_t t = 0; t < view->term_count; ++t)
        if (view->terms[t].kind == KEEL_TERM_COMMANDS) return &view->terms[t];
    return NULL;
}

keel_result keeli_context_take_commands(keel_context *context) {
    keel_world *world = context->world;
    const keeli_bound_term *term = commands_of(context->view);
    if (!term) return KEEL_OK;
    keel_commands *list = keeli_commands_take(world);
    context->commands = list;
    if (!list || !KEELI_RESERVE(&world->heap, &list->allowed, term->count))
        return keeli_out_of_memory(world, "starting a system");
    for (uint32_t i = 0; i < term->count; ++i)
        list->allowed.items[list->allowed.count++] = context->view->storages[term->first + i];
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
    if (!holder->open) return; // it had the whole world
    keeli_views_end_inside(context->world, holder);
    keeli_holder_close(context->world, holder);
}

// ------------------------------------------------------------------ the call
void keeli_fill_fixed_columns(const keel_context *context, keel_chunk *chunk) {
    const keeli_view *view = context->view;
    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keel_term_kind kind = view->terms[t].kind;
        if (kind == KEEL_TERM_UNIQUE_READ || kind == KEEL_TERM_UNIQUE_WRITE)
            chunk->columns[t].base = view->storages[view->terms[t].first]->unique;
        else if (kind == KEEL_TERM_DATA) chunk->columns[t].base = context->data;
    }
}

void keeli_run_walk(keel_context *context, keeli_iterator *it) {
    const keel_system *system = context->system;
    const bool spans = system->kind == KEEL_PER_SPAN;
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
        keel_chunk chunk = { .form = KEEL_CHUNK_SPAN };
        keeli_fill_fixed_columns(context, &chunk);
        system->run(&chunk, context);
        return KEEL_OK;
    }
    const keel_result result = system->function(context);
    if (result < 0 && !context->failed) keel_fail(context, NULL, "%s", keel_result_text(result));
    return KEEL_OK;
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
    const keel_result result =
        is_per_entity(context->system) ? run_chunks(context) : run_once(context);
    --lane->depth;
    lane->running = outer;
    keeli_arena_back(&lane->scratch, mark);
    return result;
}

// ------------------------------------------------------------------ all of it
keel_result keeli_run_bound(keel_context *context) {
    KEEL_TRY(keeli_view_check_uniques(context->view, context->system->terms));
    KEEL_TRY(check_data(context));
    if (!context->commands && !context->splits) KEEL_TRY(keeli_context_take_commands(context));
    KEEL_TRY(open_holder(context));
    const keel_result result = call(context);
    close_holder(context);
    if (result < 0 || !context->failed) return result;
    char message[256];
    snprintf(message, sizeof message, "system '%.40s': %s", context->system->name,
             context->message);
    return keeli_error_from_system(context->world, context->system->name, context->object, message);
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

// A loop over nothing is left out where nobody else could notice.
static bool is_idle(const keel_context *context, const keeli_prepared *p) {
    return is_per_entity(context->system) && !context->world->holders && keeli_prepared_is_empty(p);
}

static keel_result run_prepared(keel_context *context, keeli_prepared *p) {
    context->view = &p->view;
    const keel_result result = is_idle(context, p) ? check_data(context) : keeli_run_bound(context);
    p->busy = false;
    return result;
}

static keel_result run_system(keel_context *context) {
    keel_world *world = context->world;
    keeli_prepared *p = keeli_prepared_take(world, context->system);
    const keel_result result = p ? run_prepared(context, p) : run_anew(context);
    if (context->commands && result < 0) keeli_commands_discard(world, context->commands);
    else if (context->commands) keeli_commands_submit(world, context->commands);
    return result;
}

keel_result keel_world_run_system(keel_world *world, const keel_system *system, void *data,
                                  size_t data_size) {
    if (!world) return keeli_no_world();
    KEEL_TRY(keeli_commands_flush(world));
    KEEL_TRY(keeli_check_system(world, system, false));
    keel_context context;
    keeli_lane spare;
    keeli_context_init(&context, world, system, keeli_lane_begin(world, &spare));
    context.data = data;
    context.data_size = data_size;
    const keel_result result = run_system(&context);
    keeli_lane_end(world, context.lane);
    const keel_result applied = keeli_commands_flush(world);
    return result < 0 ? result : applied;
}

// All pieces on the lanes of a team; the caller is the first.
static keel_result run_split_system(keel_context *context) {
    keel_world *world = context->world;
    keeli_team *team = keeli_team_take(world);
    if (!team) return KEEL_ERROR_MEMORY;
    keeli_warm_begin(world, 0);
    context->lane = keeli_team_open(team, NULL);
    context->splits = true;
    const keel_result result = run_system(context);
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
    return result < 0 ? result : applied;
}

void keel_fail(keel_context *context, const void *object, const char *format, ...) {
    if (!context || context->failed) return;
    context->failed = true;
    context->object = object;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(context->message, sizeof context->message, format, arguments);
    va_end(arguments);
}
