// SPDX-License-Identifier: MIT
// Events in running systems: the effects of KEEL_SEND and KEEL_RECEIVE, and the public functions
// that send and receive in any scope. The queue of events is in data/, sending by the world's owner
// in edit/events.c. call.c calls this before and after a system.
#include "edit/commands.h"
#include "follow/changes.h"
#include "run/schedule.h"
#include "world/borrow.h"
#include "world/report.h"

#include <keel/events.h>

// Returns the event storage of a term, NULL for other terms and for a type that the world does not
// know.
static keeli_storage *queue_of(const keeli_view *view, const keeli_bound_term *term) {
    return keeli_term_is_event(term->kind) ? view->storages[term->first] : NULL;
}

// ------------------------------------------------------------------ before and after
// Makes the system a reader of the term's queue, and sets `term->from` to the number of its first
// unread event. Other systems may do the same at the same time, so the lock is acquired. The reader
// moves only when the system has ended, so the number is looked up once here and not for each
// entity.
static keel_result begin_receiving(keel_context *context, keeli_bound_term *term) {
    keel_world *world = context->in.world;
    keeli_queue *queue = queue_of(context->view, term)->events;

    keeli_world_lock(world);
    keeli_queue_reader *r = keeli_queue_join(queue, &world->heap, context->in.reader, true);
    if (r)
        r->shown = keeli_queue_end(queue);
    if (r)
        term->from = r->next;
    keeli_world_unlock(world);
    return r ? KEEL_OK : keeli_out_of_memory(world, "receiving events");
}

static keel_result refuse_unknown_event(const keel_context *context, const keel_component *event) {
    const char *name = keeli_component_name(event);
    return keeli_error(context->in.world, KEEL_ERROR_SHARED,
                       "system '%s' sends events '%s', which the world does not know yet, and "
                       "it is shared; keel_register_component(world, KEEL_EVENT_OF(%s)) before",
                       context->system->name, name, name);
}

keel_result keeli_context_events_begin(keel_context *context) {
    keeli_view *view = context->view;
    for (uint32_t t = 0; t < view->term_count; ++t) { // everything that may fail is done first
        keeli_bound_term *term = &view->terms[t];
        const bool is_known = queue_of(view, term) != NULL;
        if (term->kind == KEEL_TERM_RECEIVE && is_known)
            KEEL_TRY(begin_receiving(context, term));
        if (term->kind == KEEL_TERM_SEND && !is_known)
            return refuse_unknown_event(context, context->system->terms[t].component);
    }
    if (!view->facts.sends)
        return KEEL_OK;

    // `mark` is the number of the first event that the system will send, to remove its events if it
    // fails; `sender` allows the fast path of send_inside, if events are neither deferred nor bound
    // to a thread
    const bool waits =
        context->splits || view->facts.defers_events || keeli_context_has_world(context);
    for (uint32_t t = 0; t < view->term_count; ++t) {
        if (view->terms[t].kind != KEEL_TERM_SEND)
            continue;
        const keeli_storage *s = queue_of(view, &view->terms[t]);
        s->events->mark = keeli_queue_end(s->events);
        if (!waits && !(s->flags & KEELI_IS_BOUND))
            s->events->sender = context;
    }
    return KEEL_OK;
}

// Moves the reader of a system past the events that it received. `is_done`: the system has run as
// often as .times allows, so its reader is removed. Two runs of one system may end in any order, so
// the reader only moves forward. A system with the whole world may have sent events, or run systems
// that did, after it received: so its reader moves only to `shown`, behind the last event that the
// system could see.
static void mark_passed(const keel_context *context, const keeli_storage *s, bool is_done) {
    keeli_world_lock(context->in.world);
    if (is_done)
        keeli_queue_leave(s->events, context->in.reader);
    keeli_queue_reader *r = keeli_queue_find(s->events, context->in.reader);
    if (r) {
        const bool has_world = keeli_context_has_world(context);
        const uint64_t seen = has_world ? r->shown : keeli_queue_end(s->events);
        if (seen > r->next)
            r->next = seen;
    }
    keeli_world_unlock(context->in.world);
}

void keeli_context_events_end(keel_context *context, keel_result result) {
    const keeli_view *view = context->view;
    const keel_world *world = context->in.world;
    const keeli_node *node = context->node;
    const bool is_done = node && node->step.times && result >= 0 &&
                         keeli_atomic_load(&node->runs) + 1 >= node->step.times &&
                         context->system->kind != KEEL_SYSTEM_IS_CONDITION;

    if (keeli_context_has_world(context)) {
        if (!context->in.reader)
            return;
        for (uint32_t i = 0; i < world->registry.queues.count; ++i)
            mark_passed(context, world->registry.queues.items[i], is_done);
        return;
    }

    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keeli_storage *s = queue_of(view, &view->terms[t]);
        if (!s)
            continue;
        if (view->terms[t].kind == KEEL_TERM_RECEIVE) {
            mark_passed(context, s, is_done);
            continue;
        }
        s->events->sender = NULL;
        if (result < 0)
            keeli_queue_cut(s->events, s->events->mark);
    }
}

// ------------------------------------------------------------------ inside a system
static void report_undeclared(const keel_context *context, const char *name, bool sends) {
    keeli_misuse(context->in.world, KEEL_ERROR_ACCESS,
                 "%s '%s' %s events '%s' but did not declare it; add %s(%s, ...) to its "
                 "parameters",
                 context->in.kind, context->system->name, sends ? "sends" : "receives", name,
                 sends ? "KEEL_SEND" : "KEEL_RECEIVE", name);
}

// True if the system receives a type of events that the world does not know and, in shared mode,
// must not register. No events of such a type exist.
static bool receives_unknown(const keel_context *context) {
    const keeli_view *view = context->view;
    for (uint32_t t = 0; t < view->term_count; ++t)
        if (view->terms[t].kind == KEEL_TERM_RECEIVE && !queue_of(view, &view->terms[t]))
            return true;
    return false;
}

// Returns the storage of a type of events if the system declared this access to it. Reports a
// misuse and returns NULL if it did not. Returns NULL without a report for a type that the world
// does not know, if the system receives such a type.
static keeli_storage *held_events(const keel_context *context, const keel_component *event,
                                  keel_access access) {
    keel_result result;
    if (!context)
        return NULL;
    if (!event || !event->is_event)
        return keeli_event_get(context->in.world, event, &result);

    keeli_storage *s = keeli_context_has_world(context)
                           ? keeli_event_get(context->in.world, event, &result)
                           : keeli_storage_find(context->in.world, event);
    const bool sends = access > KEEL_ACCESS_READ;
    if (s && s->events && keeli_holder_access(&context->view->holder, s) >= access) {
        if (s->flags & KEELI_IS_BOUND &&
            keeli_check_thread(context->in.world, context->in.world, s, access,
                               context->system->name, sends ? "send" : "receive") < 0)
            return NULL;
        return s;
    }

    if (s || sends || !receives_unknown(context))
        report_undeclared(context, keeli_component_name(event), sends);
    return NULL;
}

// Sends an event from a system.
static keel_result send_inside(keel_context *context, const keel_component *event,
                               const void *value) {
    const keeli_storage *known = keeli_storage_known(context->in.world, event);
    if (!keeli_context_is_here(context, "sends an event"))
        return KEEL_ERROR_THREAD;
    const bool is_fast = known && known->events && known->events->sender == context;
    if (is_fast && keeli_queue_put(known->events, value))
        return KEEL_OK; // the usual case
    if (keeli_context_has_world(context))
        return keeli_world_send(&context->in.world->root.scope, event, value);
    keeli_storage *s = held_events(context, event, KEEL_ACCESS_WRITE);
    if (!s)
        return KEEL_ERROR_ACCESS;
    if (context->loop || context->view->facts.defers_events)
        return keeli_record_event(context->commands, event, value);
    return keeli_event_push(context->in.world, s, value);
}

// Makes a system with the whole world a reader of a queue, when it first receives from it, and sets
// `*next` to the number of its first unread event. `shows`: the system is about to iterate over the
// events, so `shown` is set. False if out of memory.
static bool receive_whole_world(const keel_context *context, const keeli_storage *s, bool shows,
                                uint64_t *next) {
    keel_world *world = context->in.world;
    if (!context->in.reader)
        return false;
    keeli_queue_reader *r = keeli_queue_join(s->events, &world->heap, context->in.reader, true);
    if (!r) {
        (void)keeli_out_of_memory(world, "receiving events");
        return false;
    }

    *next = r->next;
    if (shows)
        r->shown = keeli_queue_end(s->events);
    return true;
}

// Finds the storage of a type of events, and the number of the first event that the system has not
// read. `shows`: as in receive_whole_world. Returns false, and reports a misuse, if the system does
// not receive the type.
static bool find_received(keel_context *context, const keel_component *event, bool shows,
                          const keeli_storage **s, uint64_t *next) {
    *s = held_events(context, event, KEEL_ACCESS_READ);
    if (!*s)
        return false;
    if (keeli_context_has_world(context))
        return receive_whole_world(context, *s, shows, next);

    for (uint32_t t = 0; t < context->view->term_count; ++t) {
        const keeli_bound_term *term = &context->view->terms[t];
        if (term->kind != KEEL_TERM_RECEIVE || queue_of(context->view, term) != *s)
            continue;
        *next = term->from;
        return true;
    }

    report_undeclared(context, (*s)->component.name, false);
    return false;
}

// ------------------------------------------------------------------ public
// Sends through a scope that is neither a world nor a context: commands record the event, views
// refuse it. Not inlined, to keep keel_send_event short.
static __attribute__((noinline)) keel_result
send_elsewhere(keel_scope *scope, const keel_component *event, const void *value) {
    keeli_caller who;
    keel_commands *list = keeli_commands_of(scope);
    if (list)
        return keeli_record_event(list, event, value);
    KEEL_TRY(keeli_edit_begin(scope, &who));
    return keeli_edit_end(&who, keeli_misuse(who.world, KEEL_ERROR_ARGUMENT,
                                             "views send no events; send through the world, a "
                                             "context or commands"));
}

keel_result(keel_send_event)(keel_scope *scope, const keel_component *event, const void *value) {
    if (scope && scope->kind == KEELI_SCOPE_CONTEXT)
        return send_inside((keel_context *)scope, event, value);
    return keeli_is_world(scope) ? keeli_world_send(scope, event, value)
                                 : send_elsewhere(scope, event, value);
}

keel_event_walk(keel_events_of)(keel_scope *scope, const keel_component *event) {
    const keel_event_walk none = { .whole = true };
    keeli_caller who;
    const keeli_storage *s;
    uint64_t next;
    if (!scope) {
        (void)keeli_no_world();
        return none;
    }
    if (keeli_caller_is(scope, &who) < 0)
        return none;
    if (!who.inside)
        return keeli_events_outside(who.world, event, who.reader);

    keel_context *context = (keel_context *)scope;
    if (!find_received(context, event, true, &s, &next))
        return none;
    return keeli_event_walk_from(who.world, s, next, !keeli_context_has_world(context));
}

// Returns the queue of a type of events, and in `*next` the number of the first event that the
// scope has not received. NULL if the scope does not receive the type.
static const keeli_queue *unreceived(const keel_scope *scope, const keel_component *event,
                                     uint64_t *next) {
    keeli_caller who;
    if (keeli_caller_is(scope, &who) < 0)
        return NULL;
    const keeli_storage *s = NULL;
    if (who.inside) {
        keel_context *context = (keel_context *)(uintptr_t)scope;
        return find_received(context, event, false, &s, next) ? s->events : NULL;
    }
    s = keeli_event_known(who.world, event);
    if (!s)
        return NULL;
    *next = keeli_queue_next(s->events, who.reader);
    return s->events;
}

uint32_t(keel_event_count_of)(const keel_scope *scope, const keel_component *event) {
    uint64_t next;
    const keeli_queue *queue = unreceived(scope, event, &next);
    return queue ? keeli_queue_left(queue, next) : 0;
}

uint64_t(keel_missed_component)(const keel_scope *scope, const keel_component *component) {
    uint64_t next;
    if (!component || !component->is_event)
        return keeli_missed_removals(scope, component);
    const keeli_queue *queue = unreceived(scope, component, &next);
    return queue ? keeli_queue_missed(queue, next) : 0;
}
