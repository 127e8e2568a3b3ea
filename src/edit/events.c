// SPDX-License-Identifier: MIT
// Sends events, walks over them, and reads them from outside of systems. The queue of a type is
// data/queue.c; systems send and receive by run/events.c, which calls this file.
#include "edit/commands.h"

#include "edit/edit.h"
#include "world/borrow.h"
#include "world/registry.h"
#include "world/report.h"

#include <keel/events.h>

// Warns that the queue is over its limit. `late` is the name of the slowest reader, or NULL.
static void tell_late(keel_world *world, const keeli_storage *s, const char *late) {
    const char *name = s->component.name;
    keeli_warn(
        world,
        late ? "there are more than %u events '%s' that '%s' has not received: the oldest are "
               "dropped; run it more often, or keel_set_event_limit"
             : "there are more than %u events '%s' and nobody receives them: the oldest are "
               "dropped; add KEEL_RECEIVE(%s, ...) to a system",
        (unsigned)s->events->limit, name, late ? late : name);
}

keel_result keeli_event_push(keel_world *world, keeli_storage *s, const void *value) {
    const char *late;
    if (keeli_queue_put(s->events, value))
        return KEEL_OK;
    if (!keeli_queue_reserve(s->events, &world->heap, 1, &value))
        return keeli_out_of_memory(world, "sending an event");
    if (keeli_queue_push(s->events, value, &late))
        tell_late(world, s, late);
    return KEEL_OK;
}

keel_result keeli_edit_send_event(keel_world *world, const keeli_holder *holder, keeli_storage *s,
                                  const void *value) {
    KEEL_TRY(keeli_may_edit(world, holder, s, "send"));
    const keel_result result = keeli_event_push(world, s, value);
    KEELI_CHECK_STRUCTURE(keeli_queue_is_valid(s->events));
    return result;
}

keel_result keeli_world_send(keel_scope *scope, const keel_component *event, const void *value) {
    keel_world *world = keeli_world_of(scope);
    if (keeli_is_no_world(world))
        return keeli_no_world();
    keel_result result;
    keeli_storage *s = keeli_event_get(world, event, &result);
    return s ? keeli_edit_send_event(world, NULL, s, value) : result;
}

keel_event_walk keeli_event_walk_from(const keel_world *world, const keeli_storage *s,
                                      uint64_t next, bool stays) {
    return (keel_event_walk){ .world = world,
                              .next = next,
                              .end = keeli_queue_end(s->events),
                              .number = s->slot,
                              .size = s->component.size,
                              .stays = stays,
                              .whole = true };
}

// Moves the walk to the next event. If events may be sent meanwhile, looks up one event at a time;
// otherwise all that are adjacent in memory.
bool keel_event_next(keel_event_walk *walk) {
    if (walk && walk->left)
        return keeli_event_step(walk);
    const keeli_storage *s = walk && walk->world ? walk->world->root.storages[walk->number] : NULL;
    const keeli_queue *q = s ? s->events : NULL;
    if (!q)
        return false; // unregistered meanwhile
    uint64_t end = keeli_queue_end(q);
    if (end > walk->end)
        end = walk->end;
    if (walk->next < q->begin)
        walk->next = q->begin; // the events in between were dropped meanwhile
    if (walk->next >= end)
        return false;
    uint64_t run = 1;
    if (walk->stays) {
        run = keeli_queue_range(q, walk->next);
        if (run > end - walk->next)
            run = end - walk->next;
    }
    walk->value = s->component.size ? keeli_queue_at(q, walk->next) : NULL;
    walk->left = s->component.size ? (uint32_t)run - 1 : 0;
    walk->next += (uint64_t)walk->left + 1;
    return true;
}

// Returns the position of a reader in a queue, and registers the reader at its first call. `*s` is
// set to the storage of the queue. NULL, with the reported error in `*result`, if the queue cannot
// be read now.
static keeli_queue_reader *look_at_event(keel_world *world, const keel_component *event,
                                         const keeli_reader *reader, keeli_storage **s,
                                         keel_result *result) {
    *result = KEEL_OK;
    if (keeli_is_no_world(world)) {
        *result = keeli_no_world();
        return NULL;
    }
    if (world->refused) {
        *result = keeli_error(world, KEEL_ERROR_SHARED,
                              "events cannot be received from outside while the world is shared; "
                              "receive them in a system, with KEEL_RECEIVE");
        return NULL;
    }
    *s = keeli_event_get(world, event, result);
    if (!*s)
        return NULL;
    if ((*s)->borrow < 0) {
        *result = keeli_borrowed(world, *s, "receive", NULL);
        return NULL;
    }
    keeli_queue_reader *r = keeli_queue_join((*s)->events, &world->heap, reader, false);
    if (!r)
        *result = keeli_out_of_memory(world, "receiving events");
    return r;
}

keel_event_walk keeli_events_outside(keel_world *world, const keel_component *event,
                                     const keeli_reader *reader) {
    keeli_storage *s;
    keel_result result;
    const keeli_queue_reader *r = look_at_event(world, event, reader, &s, &result);
    return r ? keeli_event_walk_from(world, s, r->next, false) : (keel_event_walk){ .whole = true };
}

keel_result keel_advance_events_of(keel_world *world, const keel_component *event) {
    keeli_storage *s;
    keel_result result;
    keeli_queue_reader *r = look_at_event(world, event, NULL, &s, &result);
    if (!r)
        return result;
    r->next = keeli_queue_end(s->events);
    keeli_events_flush(world);
    return KEEL_OK;
}

keel_result keel_clear_events_of(keel_world *world, const keel_component *event) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    keel_result result = KEEL_ABSENT;
    const bool is_event = event && event->is_event;
    const keeli_storage *s =
        is_event ? keeli_event_known(world, event) : keeli_event_get(world, event, &result);
    if (!s)
        return result;
    KEEL_TRY(keeli_may_edit(world, NULL, s, "clear"));
    keeli_queue_clear(s->events);
    return KEEL_OK;
}
