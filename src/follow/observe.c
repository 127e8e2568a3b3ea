// SPDX-License-Identifier: MIT
#include "observe.h"

#include "edit/commands.h"

#include "observe_view.h"
#include "track.h"
#include "world/borrow.h"
#include "world/registry.h"
#include "world/report.h"

enum { rounds_at_most = 64 };

// ------------------------------------------------------------------ lists
static void update(keel_world *world, keeli_storage *s) {
    keeli_observers *o = &s->tracking->observers;
    uint32_t kept = 0;
    o->kinds = 0;
    for (uint32_t i = 0; i < o->list.count; ++i) {
        if (!o->list.items[i].function) continue;
        o->kinds |= o->list.items[i].kinds;
        o->list.items[kept++] = o->list.items[i];
    }
    o->list.count = kept;
    if (!(s->flags & KEELI_IS_OBSERVED) != !kept) world->observed += kept ? 1u : UINT32_MAX;
    if (kept) s->flags |= KEELI_IS_OBSERVED;
    else s->flags &= ~(uint32_t)KEELI_IS_OBSERVED;
}

void keeli_observers_deinit(keel_world *world, keeli_observers *observers) {
    KEELI_RELEASE(&world->heap, &observers->list);
}

static keeli_observer *find(const keeli_observers *o, keel_observer_fn *function,
                            const void *data) {
    for (uint32_t i = 0; i < o->list.count; ++i)
        if (o->list.items[i].function == function && o->list.items[i].data == data)
            return &o->list.items[i];
    return NULL;
}

static keel_result add(keel_world *world, keeli_storage *s, const keeli_observer *fresh) {
    keeli_tracking *t = keeli_tracking_get(world, s);
    if (!world->reaction) world->reaction = keeli_commands_take(world);
    if (!t || !world->reaction || !KEELI_RESERVE(&world->heap, &t->observers.list, 1))
        return keeli_out_of_memory(world, "adding an observer");
    keeli_observer *known = find(&t->observers, fresh->function, fresh->data);
    if (known) known->kinds |= fresh->kinds;
    else t->observers.list.items[t->observers.list.count++] = *fresh;
    if (world->calling) t->observers.kinds |= fresh->kinds; // lists stay as they are until then
    else update(world, s);
    ++world->bindings; // who edits what is observed takes turns: run/graph.c
    return KEEL_OK;
}

static keel_result take(keel_world *world, keeli_storage *s, keel_observer_fn *function,
                        const void *data) {
    keeli_observer *known = s && s->tracking ? find(&s->tracking->observers, function, data) : NULL;
    if (!known || !function) return KEEL_ABSENT;
    known->function = NULL;
    if (!world->calling) update(world, s);
    else world->lost_observers = true;
    return KEEL_OK;
}

static void update_all(keel_world *world) {
    world->lost_observers = false;
    for (uint32_t i = 0; i < world->order.count; ++i)
        if (world->order.items[i]->tracking) update(world, world->order.items[i]);
    if (world->entity_storage.tracking) update(world, &world->entity_storage);
}

// ------------------------------------------------------------------ calling
// While others are at work edits through the world are refused anyway, and they look at these two.
static void count_refusal(keel_world *world, uint32_t one) {
    if (world->concurrent) return;
    world->notifying += one;
    world->share_depth += one;
}

void keeli_calling_begin(keel_world *world) {
    ++world->calling;
    count_refusal(world, 1);
}

void keeli_calling_end(keel_world *world) {
    count_refusal(world, (uint32_t)-1);
    if (!--world->calling && world->lost_observers) update_all(world);
    if (!keeli_commands_is_empty(world->reaction)) world->has_reactions = true;
}

// By number: the list may grow, and move, while it is gone through.
static __attribute__((noinline)) void call(keeli_storage *s, const keel_event *event) {
    const keeli_observers *o = &s->tracking->observers;
    for (uint32_t i = 0, count = o->list.count; i < count; ++i) {
        const keeli_observer it = o->list.items[i];
        if (it.function && it.kinds & event->kind) it.function(event, it.data);
    }
}

static const void *readable_value(const keel_world *world, const keeli_storage *s, keel_entity e) {
    const bool is_there = s->size && !world->moved_out;
    return is_there ? keeli_store_value(world, s, keel_entity_index(e)) : NULL;
}

void keeli_notify_slowly(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind) {
    if (!(s->tracking->observers.kinds & kind)) return;
    const bool is_entity = s == &world->entity_storage;
    const keel_event event = { .world = world,
                               .kind = kind,
                               .entity = e,
                               .component = is_entity ? NULL : &s->component,
                               .value = is_entity ? NULL : readable_value(world, s, e),
                               .commands = world->reaction };
    keeli_calling_begin(world);
    call(s, &event);
    keeli_calling_end(world);
}

// They were called, and the edit is done.
static __attribute__((noinline)) keel_result settle(keel_world *world) {
    if (world->lost_observers) update_all(world);
    if (!keeli_commands_is_empty(world->reaction)) world->has_reactions = true;
    return keeli_done(world, KEEL_OK);
}

// Mostly there is one, which has all kinds that there are and was not taken away: the list is as it
// should be while nobody is called.
keel_result keeli_notify_done(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                              const void *value) {
    const keeli_observers *o = &s->tracking->observers;
    if (!(o->kinds & kind)) return keeli_done(world, KEEL_OK);
    KEEL_ASSERT_INTERNAL(!world->share_depth && !world->calling && !world->notifying);
    const keel_event event = { .world = world,
                               .kind = kind,
                               .entity = e,
                               .component = &s->component,
                               .value = s->size ? value : NULL,
                               .commands = world->reaction };
    world->calling = world->notifying = world->share_depth = 1;
    if (o->list.count == 1) o->list.items->function(&event, o->list.items->data);
    else call(s, &event);
    world->calling = world->notifying = world->share_depth = 0;
    const bool is_recorded = !keeli_commands_is_empty(world->reaction);
    if (is_recorded | world->lost_observers | world->has_reactions | world->unsettled)
        return settle(world);
    return KEEL_OK;
}

void keeli_notify_all_of(keel_world *world, keel_entity e, uint32_t kind, bool dies) {
    if (!world->observed) return;
    uint32_t at = UINT32_MAX;
    for (keeli_storage *s; (s = keeli_store_next_of(world, keel_entity_index(e), &at)) != NULL;)
        if (keeli_store_has(s, keel_entity_index(e))) keeli_notify(world, s, e, kind);
    keeli_view_observers_losing_all(world, keel_entity_index(e));
    if (dies) keeli_notify(world, &world->entity_storage, e, KEEL_ON_DESTROYED);
}

void keeli_tell_clear(keel_world *world, keeli_storage *s) {
    for (uint32_t i = 0; s->flags & KEELI_IS_TOLD && (i = keeli_store_next(s, i)) != UINT32_MAX;
         ++i)
        keeli_tell(world, s, keeli_entity_at(&world->entities, i), KEEL_ON_DELETED);
}

void keeli_notify_end(keel_world *world) {
    if (!world->observed) return;
    keel_entity e = keel_null();
    while (!keel_is_null(e = keel_next_entity(world, e)))
        keeli_notify_all_of(world, e, KEEL_ON_DELETED, true);
    world->observed = 0;
    world->entity_storage.flags &= ~(uint32_t)KEELI_IS_OBSERVED;
    for (uint32_t i = 0; i < world->order.count; ++i)
        world->order.items[i]->flags &= ~(uint32_t)KEELI_IS_OBSERVED;
}

// ------------------------------------------------------------------ what they ask for
// What is asked for while this is applied makes the next round.
static keel_result apply_round(keel_world *world) {
    keel_commands *now = world->reaction;
    keel_commands *next = keeli_commands_take(world);
    if (!next) return keeli_out_of_memory(world, "applying what observers asked for");
    world->reaction = next;
    world->has_reactions = false;
    const keel_result result = keeli_commands_apply_now(world, now);
    if (!keeli_commands_is_empty(next)) world->has_reactions = true;
    return result;
}

static void react(keel_world *world) {
    // whoever is at it, or uses storages, comes by when all is free
    if (world->applying || world->calling || world->holders || world->share_depth) return;
    if (world->reacting) return;
    uint32_t rounds = 0;
    world->reacting = true;
    while (world->has_reactions && rounds++ < rounds_at_most)
        if (apply_round(world) == KEEL_ERROR_MEMORY) break;
    world->reacting = false;
    if (!world->has_reactions || rounds <= rounds_at_most) return;
    keel_commands *next = keeli_commands_take(world);
    if (!next) return;
    keeli_commands_discard(world, world->reaction);
    world->reaction = next;
    world->has_reactions = false;
    keeli_error(world, KEEL_ERROR_CYCLE,
                "observers answer each other's edits without end: what they asked for after %d "
                "rounds is dropped",
                (int)rounds_at_most);
}

void keeli_finish(keel_world *world) {
    if (world->unsettled) keeli_view_observers_settle(world);
    if (world->has_reactions) react(world);
}

// ------------------------------------------------------------------ public
// An observer may bring others along, or take them away; shared mode proper may not.
static keel_result check_changeable(keel_world *world) {
    return world->share_depth > world->notifying ? keeli_world_is_editable(world) : KEEL_OK;
}

static keel_result check(keel_world *world, uint32_t kinds, uint32_t allowed,
                         keel_observer_fn *function, const char *name) {
    KEEL_TRY(check_changeable(world));
    if (function && kinds && !(kinds & ~allowed)) return KEEL_OK;
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                        function ? "an observer of '%s' takes other KEEL_ON_* bits"
                                 : "an observer of '%s' needs a function",
                        name);
}

keel_result keel_observe_component(keel_world *world, const keel_component *component,
                                   uint32_t kinds, keel_observer_fn *function, void *data) {
    if (!world) return keeli_no_world();
    keel_result result;
    keeli_storage *s = keeli_storage_get(world, component, false, &result);
    if (!s) return result;
    const uint32_t allowed =
        KEEL_ON_INSERTED | KEEL_ON_MODIFIED | KEEL_ON_DELETED | KEEL_ON_REMOVED;
    KEEL_TRY(check(world, kinds, allowed, function, s->component.name));
    return add(world, s, &(keeli_observer){ function, data, kinds });
}

keel_result keel_unobserve_component(keel_world *world, const keel_component *component,
                                     keel_observer_fn *function, void *data) {
    if (!world) return keeli_no_world();
    KEEL_TRY(check_changeable(world));
    return take(world, component ? keeli_storage_find(world, component) : NULL, function, data);
}

keel_result keel_observe_entities(keel_world *world, uint32_t kinds, keel_observer_fn *function,
                                  void *data) {
    if (!world) return keeli_no_world();
    KEEL_TRY(check(world, kinds, KEEL_ON_CREATED | KEEL_ON_DESTROYED, function, "entities"));
    return add(world, &world->entity_storage, &(keeli_observer){ function, data, kinds });
}

keel_result keel_unobserve_entities(keel_world *world, keel_observer_fn *function, void *data) {
    if (!world) return keeli_no_world();
    KEEL_TRY(check_changeable(world));
    return take(world, &world->entity_storage, function, data);
}
