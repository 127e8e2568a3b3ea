// SPDX-License-Identifier: MIT
#include "follow.h"

#include "world/borrow.h"
#include "world/registry.h"
#include "world/report.h"

// ------------------------------------------------------------------ lists
// Those that were taken away go; what is left says whether the storage is observed, and of what.
static void update(keel_world *world, keeli_storage *s) {
    keeli_observers *o = &s->tracking.observers;
    const bool was_observed = o->list.count != 0;
    uint32_t kept = 0;
    o->kinds = 0;
    for (uint32_t i = 0; i < o->list.count; ++i) {
        if (!o->list.items[i].function) continue;
        o->kinds |= o->list.items[i].kinds;
        o->list.items[kept++] = o->list.items[i];
    }
    o->list.count = kept;
    if (was_observed && !kept) --world->followers.observed;
    keeli_followers_update(s);
}

void keeli_observers_forget(keel_world *world, keeli_storage *s) {
    for (uint32_t i = 0; i < s->tracking.observers.list.count; ++i)
        s->tracking.observers.list.items[i].function = NULL;
    update(world, s);
}

static keeli_observer *find(const keeli_observers *o, keel_observer_fn *function,
                            const void *data) {
    for (uint32_t i = 0; i < o->list.count; ++i)
        if (o->list.items[i].function == function && o->list.items[i].data == data)
            return &o->list.items[i];
    return NULL;
}

// Also while observers are called: the list only grows then.
static keel_result add(keel_world *world, keeli_storage *s, const keeli_observer *fresh) {
    keeli_observers *o = &s->tracking.observers;
    if (!world->followers.reaction) world->followers.reaction = keeli_commands_take(world);
    if (!world->followers.reaction || !KEELI_RESERVE(&world->heap, &o->list, 1))
        return keeli_out_of_memory(world, "adding an observer");
    keeli_observer *known = find(o, fresh->function, fresh->data);
    world->followers.observed += !o->list.count;
    if (known) known->kinds |= fresh->kinds;
    else o->list.items[o->list.count++] = *fresh;
    o->kinds |= fresh->kinds;
    keeli_followers_update(s);
    ++world->registry.bindings; // who edits what is observed takes turns: run/graph.c
    return KEEL_OK;
}

static keel_result take(keel_world *world, keeli_storage *s, keel_observer_fn *function,
                        const void *data) {
    keeli_observer *known = s && function ? find(&s->tracking.observers, function, data) : NULL;
    if (!known) return KEEL_ABSENT;
    known->function = NULL;
    if (!world->followers.calling) update(world, s);
    else world->followers.any_lost = true;
    return KEEL_OK;
}

static void update_all(keel_world *world) {
    world->followers.any_lost = false;
    for (uint32_t i = 0; i < world->storages.count; ++i)
        update(world, world->storages.items[i]);
    update(world, &world->stand_in.entities);
}

// ------------------------------------------------------------------ calling
uint32_t keeli_calling_begin(keel_world *world) {
    ++world->followers.calling;
    return keeli_refuse_begin(world, KEELI_REFUSED_OBSERVER);
}

static __attribute__((noinline)) void called(keel_world *world) {
    if (!world->followers.calling && world->followers.any_lost) update_all(world);
    if (!keeli_commands_is_empty(world->followers.reaction)) world->followers.has_reactions = true;
}

void keeli_calling_end(keel_world *world, uint32_t before) {
    keeli_refuse_end(world, before);
    --world->followers.calling;
    called(world);
}

// By number: the list may grow, and move, while it is gone through.
static __attribute__((noinline)) void call(keeli_storage *s, const keel_event *event) {
    const keeli_observers *o = &s->tracking.observers;
    for (uint32_t i = 0, count = o->list.count; i < count; ++i) {
        const keeli_observer it = o->list.items[i];
        if (it.function && it.kinds & event->kind) it.function(event, it.data);
    }
}

void keeli_notify_slow(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                       bool has_value) {
    const bool is_entity = s == &world->stand_in.entities;
    has_value = has_value && !is_entity && s->size;
    const keel_event event = { .world = world,
                               .kind = kind,
                               .entity = e,
                               .component = is_entity ? NULL : &s->component,
                               .value = has_value
                                            ? keeli_store_value(world, s, keel_entity_index(e))
                                            : NULL,
                               .commands = world->followers.reaction };
    const uint32_t before = keeli_calling_begin(world);
    call(s, &event);
    keeli_calling_end(world, before);
}

// Mostly there is one, which has all kinds that there are and was not taken away: the list is as it
// should be while nobody is called.
void keeli_notify_alone(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                        const void *value) {
    const keeli_observers *o = &s->tracking.observers;
    if (!(o->kinds & kind)) return;
    KEEL_ASSERT_INTERNAL(!world->refused && !world->followers.calling);
    const keel_event event = { .world = world,
                               .kind = kind,
                               .entity = e,
                               .component = &s->component,
                               .value = s->size ? value : NULL,
                               .commands = world->followers.reaction };
    world->followers.calling = 1;
    world->refused = KEELI_REFUSED_OBSERVER;
    if (o->list.count == 1) o->list.items->function(&event, o->list.items->data);
    else call(s, &event);
    world->followers.calling = world->refused = 0;
    if (!keeli_commands_is_empty(world->followers.reaction) | world->followers.any_lost)
        called(world);
}

void keeli_notify_end(keel_world *world) {
    keel_entity e = keel_null();
    while (world->followers.observed && !keel_is_null(e = keel_next_entity(world, e)))
        keeli_entity_going(world, e, KEEL_ON_DELETED, true);
    keeli_observers_forget(world, &world->stand_in.entities);
    for (uint32_t i = 0; i < world->storages.count; ++i)
        keeli_observers_forget(world, world->storages.items[i]);
    world->followers.observed = 0; // views are told no more, either
}

// ------------------------------------------------------------------ public
// An observer may bring others along, or take them away; shared mode proper may not.
static keel_result check_changeable(keel_world *world) {
    return world->refused & ~(uint32_t)KEELI_REFUSED_OBSERVER ? keeli_world_is_editable(world)
                                                              : KEEL_OK;
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
    return add(world, &world->stand_in.entities, &(keeli_observer){ function, data, kinds });
}

keel_result keel_unobserve_entities(keel_world *world, keel_observer_fn *function, void *data) {
    if (!world) return keeli_no_world();
    KEEL_TRY(check_changeable(world));
    return take(world, &world->stand_in.entities, function, data);
}
