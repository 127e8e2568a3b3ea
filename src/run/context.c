// SPDX-License-Identifier: MIT
// The public functions of a context: commands, scratch memory, the world, and views and loops that
// are opened inside a system. Each function checks that the system declared the access. Systems
// call them while they run; calling the system itself is in call.c.
#include "run/context.h"

#include "find/iterate.h"
#include "follow/changes.h"
#include "world/borrow.h"
#include "world/report.h"

#include <keel/typed.h>

keel_result keeli_context_elsewhere(keel_context *context, const char *does) {
    return keeli_misuse(context->in.world, KEEL_ERROR_THREAD,
                        "a piece of a loop of %s '%s' %s; that is for the system itself, before or "
                        "after the loop",
                        context->in.kind, context->system->name, does);
}

keel_commands *keel_context_commands(keel_context *context) {
    const bool has_some = context && context->commands && !context->commands->for_events;
    return has_some ? context->commands : NULL;
}

keel_run_info *keel_context_info(const keel_context *context, keel_run_info *info) {
    if (!info)
        return NULL;
    *info = (keel_run_info){ 0 };
    if (!context)
        return info;
    info->worker = context->worker->number;
    info->last_run = context->in.reader ? context->in.reader->last : 0;
    info->this_run = context->tick;
    info->user = context->system->user;
    info->data = context->run->data;
    info->data_size = context->run->data_size;
    return info;
}

void *keel_context_scratch(keel_context *context, size_t size, size_t align) {
    if (!context)
        return NULL;
    const bool is_align = align && (align & (align - 1)) == 0;
    if (!is_align) {
        keeli_misuse(context->in.world, KEEL_ERROR_ARGUMENT,
                     "%s '%s' asks for scratch memory with an alignment of %u; it must be a "
                     "power of two",
                     context->in.kind, context->system->name, (unsigned)align);
        return NULL;
    }
    if (!keeli_context_is_here(context, "asks for its scratch memory (use keel_piece_scratch)"))
        return NULL;
    keeli_arena *scratch = context->scratch ? context->scratch : &context->worker->scratch;
    void *memory = keeli_arena_new(scratch, &context->in.world->heap, size, align);
    if (!memory)
        keeli_out_of_memory(context->in.world, "giving out scratch memory");
    return memory;
}

keel_world *keel_context_world(keel_context *context) {
    if (!context)
        return NULL;
    if (keeli_context_has_world(context))
        return context->in.world;
    keeli_misuse(context->in.world, KEEL_ERROR_ACCESS,
                 "%s '%s' did not declare KEEL_WORLD, so it cannot have the whole world",
                 context->in.kind, context->system->name);
    return NULL;
}

bool keeli_context_has_failed(const keel_context *context) { return context->in.failed; }

void keel_answer(keel_context *context, bool answer) {
    if (context)
        context->answer = answer;
}

// ------------------------------------------------------------------ views and loops in a system
// Returns an error if a view that a piece of a split system opens names a component that the system
// writes, because other pieces write that component at the same time.
static keel_result check_split_view(keel_context *context, const keel_term *terms) {
    keeli_caller who;
    KEEL_TRY(keeli_caller_is(&context->in.scope, &who));
    if (!terms)
        return KEEL_OK;

    for (const keel_term *t = terms; t->kind != KEEL_TERM_END; ++t)
        for (const keel_component *c = t->component, *const *other = t->others; c;
             c = other ? *other++ : NULL) {
            const keeli_storage *s = keeli_storage_find(who.world, c);
            if (s && keeli_holder_access(who.holder, s) > KEEL_ACCESS_READ) {
                (void)keeli_may_look_up(&who, s, KEEL_ACCESS_READ); // reports it
                return KEEL_ERROR_ACCESS;
            }
        }
    return KEEL_OK;
}

typedef struct newly_tracked {
    keel_world *world;
    keeli_storage *storage;
    uint32_t kinds;
    bool is_done;
} newly_tracked;

static void switch_tracking_on(void *data) {
    newly_tracked *n = data;
    n->is_done = keeli_track(n->world, n->storage, n->kinds);
}

// Starts the tracking of changes that the terms need, for components that are not tracked yet. In a
// workload this is safe if the system may read the component: no other system writes it now, so the
// system's place in the linear order decides which changes are seen. Where tracking must not start
// (shared mode, or the component is not declared), binding the view reports why.
static keel_result track_for(keel_context *context, const keel_term *terms) {
    keel_world *world = context->in.world;
    if (!terms)
        return KEEL_OK;
    if (!world->refused || context->is_inner || !keeli_worker_is_here(world, context->worker))
        return KEEL_OK;

    for (const keel_term *t = terms; t->kind != KEEL_TERM_END; ++t) {
        const uint32_t kinds = keeli_term_tracks(t->kind);
        keeli_storage *s = kinds && t->component ? keeli_storage_find(world, t->component) : NULL;
        if (!s || !(kinds & ~s->tracking.kinds))
            continue;
        if (!keeli_holder_access(&context->view->holder, s))
            continue;
        newly_tracked n = { world, s, kinds, false };
        keeli_context_alone(context, false, switch_tracking_on, &n);
        if (!n.is_done)
            return keeli_out_of_memory(world, "tracking a component");
    }
    return KEEL_OK;
}

// Opens a view inside the system of a context.
static keel_result begin_in(keel_view *view, keel_context *context, const keel_term *terms,
                            const char *where) {
    keeli_atomic_store(&context->in.world->views.any_inner, 1);
    if (context->loop)
        KEEL_TRY(check_split_view(context, terms));
    KEEL_TRY(track_for(context, terms));

    return keeli_view_begin_inside(view, context->in.world, &context->view->holder,
                                   context->in.reader, terms, where);
}

keel_result(keel_view_begin)(keel_view *view, keel_scope *scope, const keel_term *terms,
                             const char *where) {
    keeli_caller who;
    if (view)
        *view = (keel_view){ .scope.kind = KEELI_SCOPE_VIEW }; // closed, also after an error
    if (!scope || !view)
        return keeli_no_world();
    KEEL_TRY(keeli_caller_is(scope, &who));
    view->world = who.world;

    if (who.inside)
        return begin_in(view, (keel_context *)scope, terms, where);
    if (who.commands || who.holder)
        return keeli_misuse(who.world, KEEL_ERROR_ARGUMENT,
                            "a view is opened through a world, a context or a reader");
    KEEL_TRY(keeli_view_begin_inside(view, who.world, NULL, who.reader, terms, where));

    if (!who.reader)
        return KEEL_OK;
    view->state->since = *who.reader; // a copy: the user may free the reader
    view->state->reader = &view->state->since;
    return KEEL_OK;
}

// ------------------------------------------------------------------ loops in ordinary code
void keeli_cursor_begin(keeli_cursor *cursor, keel_scope *scope, const keel_term *terms, bool spans,
                        const char *where) {
    *cursor = (keeli_cursor){ .whole = true, .spans = spans };
    if (keel_view_begin(&cursor->view, scope, terms, where) < 0)
        return;
    cursor->view.state->is_loop = true;
    (void)keel_iterator_begin(&cursor->iterator, &cursor->view);
}

bool keeli_cursor_refill(keeli_cursor *cursor) {
    keel_span span;
    for (;;) {
        if (cursor->spans) {
            if (!keel_iterator_next_span(&cursor->iterator, &span))
                return false;
            cursor->chunk = span.chunk;
            return true;
        }
        const keel_chunk *chunk = keel_iterator_next(&cursor->iterator);
        cursor->chunk = chunk;
        if (!chunk)
            return false;

        uint32_t at = 0; // the first entity of the chunk that matches
        if (chunk->form == KEEL_CHUNK_MASK)
            while (at < chunk->count && !(chunk->words[at / 64] >> (at % 64) & 1))
                ++at;
        cursor->position = at;
        if (at < chunk->count)
            return true;
    }
}

void keeli_cursor_end(keeli_cursor *cursor) {
    // the loop was left early: the rest of the chunk was not visited
    if (!cursor->spans && cursor->chunk)
        keeli_iterator_visited(&cursor->iterator, cursor->position + 1);

    keel_iterator_end(&cursor->iterator);
    keel_view_end(&cursor->view);
}
