// SPDX-License-Identifier: MIT
// Makes and drops custom views: those that are parameters of a system, and those that user code
// begins and ends itself. The state of a custom view is a keeli_view over the terms that it
// declares. It borrows storages from the system (or custom view) in which it is made, and views
// that its code opens borrow from it. Its terms are bound and checked in find/, not here. call.c
// calls this before and after a system, users through the public functions.
#include "run/workers.h"
#include "world/report.h"

#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------ the user's code
// The context in which the fill, init and drop of a custom view run. It has the holder of the
// view's state, and the node, reader and tick of the system around the view.
typedef struct hands {
    keel_system self; // stands for the custom view: its name and `user`
    keel_context context;
    keeli_inside *around; // worker->inside before, to be restored
} hands;

static keel_context *begin_hands(hands *h, keeli_view *view, const keel_context *outer,
                                 keeli_worker *worker) {
    const keel_custom_view *kind = view->custom;
    h->self = (keel_system){ .name = kind->name, .kind = KEEL_SYSTEM_PER_RUN, .user = kind->user };
    keeli_context_init(&h->context, view->world, &h->self, worker);
    keeli_context_set_view(&h->context, view);
    if (!view->is_parameter)
        h->context.scratch = &view->scratch;
    h->around = worker->inside; // analyzer: a caller with a world runs on one of its workers
    worker->inside = &h->context.in;

    if (!outer)
        return &h->context;
    h->context.node = outer->node;
    h->context.in.reader = outer->in.reader;
    h->context.tick = outer->tick;
    return &h->context;
}

// Reports that a custom view failed. `what`: "could not be made" or "failed in its drop"; `why`:
// the message of keel_fail or the text of an error.
static keel_result report_custom(const keel_context *context, const keel_context *outer,
                                 const char *what, const char *why) {
    char message[400];
    if (outer)
        snprintf(message, sizeof message, "view '%.40s' of %s '%.40s' %s: %s",
                 context->system->name, outer->in.kind, outer->system->name, what, why);
    else
        snprintf(message, sizeof message, "view '%.40s' %s: %s", context->system->name, what, why);
    return keeli_error_from_user(context->in.world, KEEL_ERROR_VIEW, NULL, context->object,
                                 message);
}

// ------------------------------------------------------------------ one view
// Frees the state of a custom view, and closes its holder.
static void close_state(keeli_view *view) {
    if (view->holder.open)
        keeli_holder_close(view->world, &view->holder);
    keeli_arena_reset(&view->scratch);
    keeli_view_release(view);
}

// Makes a state, binds the terms of `kind` in it, and opens its holder. If `*state` is not NULL
// after an error, the caller must call close_state.
static keel_result open_state(keeli_view **state, keel_world *world, keel_context *outer,
                              const keel_custom_view *kind) {
    keeli_view *view = *state = keeli_view_acquire(world, kind && kind->name ? kind->name : NULL);
    if (!view)
        return KEEL_ERROR_MEMORY;
    view->thread = keeli_thread_id();
    view->holder.parent = keeli_lender(outer ? &outer->view->holder : NULL);
    KEEL_TRY(keeli_custom_bind(view, kind));
    KEEL_TRY(keeli_custom_check_uniques(world, kind));

    if (!view->holder.everything)
        return keeli_holder_open(world, &view->holder);
    if (!outer)
        return keeli_hold_everything(world, "custom view", view->holder.name);
    if (keeli_context_has_world(outer))
        return KEEL_OK;
    return keeli_misuse(world, KEEL_ERROR_ACCESS,
                        "%s '%s' begins the custom view '%s', which has the whole world; add "
                        "KEEL_WORLD to its parameters",
                        outer->in.kind, outer->system->name, view->holder.name);
}

// Returns an error if a custom view cannot be made at the address `value`.
static keel_result check_memory(keel_world *world, const keel_context *outer,
                                const keel_custom_view *kind, const void *value) {
    const keeli_holder *inside = outer ? &outer->view->holder : NULL;
    const char *what;
    if (!value)
        what = "is NULL";
    else if ((uintptr_t)value % kind->align)
        what = "is not aligned as the custom view requires";
    else if (keeli_custom_find(world, value, inside))
        what = "holds a custom view that was not ended";
    else
        return KEEL_OK;
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                        "the memory for the custom view '%s' %s; end it first, or pass a "
                        "variable of its type",
                        kind->name, what);
}

// Makes a custom view at `value`. `outer`: the context it is made in, NULL for the world.
static keel_result begin_custom(keel_world *world, keel_context *outer, keeli_worker *worker,
                                const keel_custom_view *kind, void *value, bool is_parameter) {
    keeli_view *view;
    keel_result result = open_state(&view, world, outer, kind);
    if (result == KEEL_OK)
        result = check_memory(world, outer, kind, value);
    if (result < 0) {
        if (view)
            close_state(view);
        return result;
    }

    keeli_view_is_custom(view, kind, value, outer ? &outer->view->holder : NULL, is_parameter);
    memset(value, 0, kind->size);

    hands h;
    keel_context *context = begin_hands(&h, view, outer, worker);
    if (kind->fill)
        result = kind->fill(value, context);
    const bool is_filled = result >= 0; // otherwise `fill` has reported why
    if (is_filled) {
        result = kind->init ? kind->init(value, context) : KEEL_OK;
        const bool has_failed = result < 0 || context->in.failed;
        if (context->in.is_denied) {
            result = KEEL_ERROR_ACCESS;
        } else if (has_failed) {
            const char *why = context->in.failed ? context->message : keel_result_text(result);
            result = report_custom(context, outer, "could not be made", why);
        } else {
            result = KEEL_OK;
        }
    }

    worker->inside = h.around;
    view->in_hands = false;
    if (result == KEEL_OK)
        return KEEL_OK;

    (void)keeli_context_end_inside(context);
    close_state(view);
    return result;
}

// Drops a custom view, and everything that its code left open.
static keel_result end_custom(keeli_view *view, const keel_context *outer, keeli_worker *worker) {
    hands h;
    view->in_hands = true;
    keel_context *context = begin_hands(&h, view, outer, worker);
    keel_result result = KEEL_OK;
    if (view->custom->drop)
        view->custom->drop(view->value, context);
    worker->inside = h.around;

    if (context->in.is_denied)
        result = KEEL_ERROR_ACCESS;
    else if (context->in.failed)
        result = report_custom(context, outer, "failed in its drop", context->message);

    const keel_result ended = keeli_context_end_inside(context);
    close_state(view);
    return result < 0 ? result : ended;
}

// ------------------------------------------------------------------ custom views of a system
keel_result keeli_customs_begin(keel_context *context) {
    const keel_term *terms = context->system->terms;
    keeli_arena *scratch = &context->worker->scratch;
    keeli_heap *heap = &context->in.world->heap;
    context->customs =
        keeli_arena_new(scratch, heap, KEEL_MAX_TERMS * sizeof(void *), sizeof(void *));
    if (!context->customs)
        return keeli_out_of_memory(context->in.world, "making custom views");

    for (uint32_t t = 0; t < context->view->term_count; ++t) {
        if (!keeli_term_is_custom(terms[t].kind))
            continue;
        const keel_custom_view *kind = terms[t].custom;
        void *value = keeli_arena_new(scratch, heap, kind->size, kind->align);
        if (!value)
            return keeli_out_of_memory(context->in.world, "making custom views");
        context->customs[t] = value;
        KEEL_TRY(begin_custom(context->in.world, context, context->worker, kind, value, true));
    }
    return KEEL_OK;
}

// Warns about a view that the code of a system opened and did not end. There is no warning for
// parameters and for views that custom views opened: Keel ends them.
static void warn_if_forgotten(const keel_context *context, const keeli_view *view) {
    if (context->view->custom || view->is_parameter)
        return;
    keeli_warn(context->in.world, "system '%s' returned while %s was open; call %s in it",
               context->view->holder.name, view->holder.name,
               view->custom ? "keel_custom_end" : "keel_view_end");
}

keel_result keeli_context_end_inside(keel_context *context) {
    const keeli_holder *holder = &context->view->holder;
    keel_result first = KEEL_OK;
    for (;;) {
        keeli_view *view = keeli_view_last_inside(context->in.world, holder);
        if (!view)
            return first;
        keel_result ended = KEEL_OK;
        warn_if_forgotten(context, view);
        if (view->custom)
            ended = end_custom(view, context, context->worker);
        else
            keeli_view_close(view);
        if (first == KEEL_OK)
            first = ended;
    }
}

void keeli_customs_deinit(keel_world *world) {
    for (keeli_view *view; (view = keeli_view_last_inside(world, NULL)) != NULL;) {
        keeli_warn(world, "the world is destroyed while %s is open; end it first",
                   view->holder.name);
        (void)end_custom(view, NULL, &world->workers.own);
    }
}

// ------------------------------------------------------------------ public
// Ends the custom view at `value`, if the caller may do that.
static keel_result end_at(keel_world *world, keel_context *outer, keeli_worker *worker,
                          const void *value) {
    const keeli_holder *inside = outer ? &outer->view->holder : NULL;
    keeli_view *view = keeli_custom_find(world, value, inside);
    if (!view)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "no custom view is open at this address; begin one first, with the "
                            "same %s, and end it once",
                            outer ? "context" : "world");
    if (view->is_parameter)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "custom view '%s' is a parameter of %s '%s' and ends with it",
                            // analyzer: parameters belong to a system, which has a context
                            view->holder.name, outer->in.kind, outer->system->name);
    if (view->in_hands)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "custom view '%s' cannot be ended by its own init or drop; whoever "
                            "began it ends it",
                            view->holder.name);

    KEEL_TRY(keeli_view_may_end(view));
    return end_custom(view, outer, worker);
}

// Finds the context of the calling system in `*outer` (NULL for a world) and the worker of the
// caller, which is made in `spare` if there is none.
static keel_result custom_caller(keel_scope *scope, keel_world **world, keel_context **outer,
                                 keeli_worker *spare, keeli_worker **worker) {
    keeli_caller who;
    KEEL_TRY(keeli_caller_must_be(scope, &who));
    if (!who.inside && !keeli_is_world(scope))
        return keeli_misuse(who.world, KEEL_ERROR_ARGUMENT,
                            "a custom view is begun and ended through a world or a context");
    *world = who.world;
    *outer = who.inside ? (keel_context *)scope : NULL;
    *worker = *outer ? (*outer)->worker : keeli_worker_begin(who.world, spare);
    return KEEL_OK;
}

keel_result(keel_begin_custom_view)(keel_scope *scope, const keel_custom_view *kind, void *value) {
    keel_world *world = NULL;
    keel_context *outer = NULL;
    keeli_worker spare, *worker = NULL;
    KEEL_TRY(custom_caller(scope, &world, &outer, &spare, &worker));
    if (outer && outer->loop)
        return keeli_misuse(world, KEEL_ERROR_ACCESS,
                            "system '%s' is split over several threads and begins a custom view; "
                            "make it a parameter: KEEL_CUSTOM_READ(T, name)",
                            outer->system->name);
    const keel_result result = begin_custom(world, outer, worker, kind, value, false);
    if (!outer)
        keeli_worker_end(world, worker);
    return result;
}

keel_result(keel_end_custom_view)(keel_scope *scope, void *value) {
    keel_world *world = NULL;
    keel_context *outer = NULL;
    keeli_worker spare, *worker = NULL;
    KEEL_TRY(custom_caller(scope, &world, &outer, &spare, &worker));
    const keel_result result = end_at(world, outer, worker, value);
    if (!outer)
        keeli_worker_end(world, worker);
    return result;
}
