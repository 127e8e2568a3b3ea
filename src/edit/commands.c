// SPDX-License-Identifier: MIT
// Recorded edits: recording and applying. A record lies in its list's arena together with the
// values it carries. Components are kept by their process-wide number, so that an unregistered one
// is noticed.
#include "edit/commands.h"

#include "edit/batch.h"
#include "edit/events.h"
#include "world/borrow.h"
#include "world/registry.h"
#include "world/report.h"

#include <string.h>

typedef enum command_kind {
    ADD_ENTITY,
    ADD_VALUES,
    REMOVE,
    DELETE,
    VERB,
    ATTACH,
    SEND,
    CALL
} command_kind;
// An edit of one entity that needs no more than its handle.
typedef keel_result verb_fn(keel_world *world, keel_entity e);

// A component and, when the record adds it, its value (NULL: zeros).
typedef struct part {
    uint32_t number; // 0: forgotten
    void *value;     // in the arena, owned until it is handed over
} part;

typedef struct keeli_command {
    struct keeli_command *next;
    command_kind kind;
    uint32_t count; // of parts
    keel_entity entity, parent;
    part *parts;
    verb_fn *verb;             // VERB
    keel_command_fn *function; // CALL
    void *data;
} command;

// ------------------------------------------------------------------ dropping
// NULL: the component is not known any more.
static keeli_storage *storage_of(const keel_world *world, const part *p) {
    return p->number ? world->root.storages[p->number] : NULL;
}

static void drop_values(keel_world *world, command *c) {
    for (uint32_t i = 0; i < c->count; ++i) {
        const keeli_storage *s = storage_of(world, &c->parts[i]);
        if (s && c->parts[i].value) keeli_value_drop(s, c->parts[i].value);
        c->parts[i].number = 0;
    }
}

static void drop_command(keel_world *world, command *c) {
    drop_values(world, c);
    if (c->kind != ADD_ENTITY) return;
    const bool locked = keeli_handles_lock(world);
    if (keeli_entity_index_is_held(&world->entities, c->entity))
        keeli_entity_index_release(&world->entities, c->entity);
    keeli_handles_unlock(world, locked);
}

static void drop_commands(keel_world *world, const keel_commands *list) {
    for (command *c = list->first; c; c = c->next)
        drop_command(world, c);
}

void keeli_commands_discard(keel_world *world, keel_commands *list) {
    drop_commands(world, list);
    keeli_commands_spare(world, list);
}

void keeli_commands_deinit(keel_world *world) {
    keel_commands **const all[] = { &world->commands.pending, &world->commands.spare,
                                    &world->commands.own, &world->followers.reaction };
    for (uint32_t i = 0; i < sizeof all / sizeof *all; ++i)
        for (keel_commands *list; (list = *all[i]) != NULL;) {
            *all[i] = list->next;
            drop_commands(world, list);
            keeli_arena_deinit(&list->arena, &world->heap);
            KEELI_RELEASE(&world->heap, &list->allowed);
            KEELI_FREE(&world->heap, keel_commands, list);
        }
}

static void forget_in(keel_world *world, keel_commands *list, const keeli_storage *storage) {
    for (command *c = list->first; c; c = c->next)
        for (uint32_t i = 0; i < c->count; ++i) {
            if (c->parts[i].number != storage->slot) continue;
            command one = { .count = 1, .parts = &c->parts[i] };
            drop_values(world, &one);
        }
}

void keeli_commands_forget(keel_world *world, const keeli_storage *storage) {
    forget_in(world, world->commands.own, storage);
    if (world->followers.reaction) forget_in(world, world->followers.reaction, storage);
    for (keel_commands *list = world->commands.pending; list; list = list->next)
        forget_in(world, list, storage);
}

// ------------------------------------------------------------------ recording
static keel_result no_memory(keel_commands *list) {
    return keeli_error(list->world, KEEL_ERROR_MEMORY,
                       "out of memory while recording a command; it is not recorded");
}

// A list that is the world's own needs a spare one, to move to the queue without memory.
static bool reserve_spare(keel_commands *list) {
    keel_world *world = list->world;
    if (list != world->commands.own || world->commands.spare) return true;
    keel_commands *spare = keeli_commands_new(world);
    if (spare) keeli_commands_spare(world, spare);
    return spare != NULL;
}

// A record that is not in the list yet; NULL when out of memory (reported).
static command *new_command(keel_commands *list, command_kind kind, keel_entity e, uint32_t parts) {
    if (!list) {
        KEEL_ASSERT(false,
                    "the commands are NULL; declare KEEL_COMMANDS or use keel_world_commands");
        return NULL;
    }
    keeli_heap *heap = &list->world->heap;
    command *c = reserve_spare(list)
                     ? keeli_arena_new(&list->arena, heap, sizeof *c, _Alignof(command))
                     : NULL;
    part *p = c ? keeli_arena_new(&list->arena, heap, parts * sizeof *p, _Alignof(part)) : NULL;
    if (!p) return no_memory(list), NULL;
    *c = (command){ .kind = kind, .entity = e, .count = parts, .parts = p };
    memset(p, 0, parts * sizeof *p);
    return c;
}

// Why new_command gave none.
static keel_result not_recorded(const keel_commands *list) {
    return list ? KEEL_ERROR_MEMORY : KEEL_ERROR_ARGUMENT;
}

static keel_result no_component(const keel_commands *list) {
    if (!list) return KEEL_ERROR_ARGUMENT;
    return keeli_misuse(list->world, KEEL_ERROR_ARGUMENT,
                        "the component is NULL; pass KEEL_OF(T) or what keel_find_component found");
}

static keel_result append(keel_commands *list, command *c) {
    if (list->last) list->last->next = c;
    else list->first = c;
    list->last = c;
    return KEEL_OK;
}

static keel_result not_allowed(keel_commands *list, const char *what) {
    return keeli_misuse(list->world, KEEL_ERROR_ACCESS,
                        "these commands may not edit %s; name it in KEEL_COMMANDS, or name nothing "
                        "there to allow everything",
                        what);
}

static bool is_allowed(const keel_commands *list, const keeli_storage *s) {
    for (uint32_t i = 0; i < list->allowed.count; ++i)
        if (list->allowed.items[i] == s) return true;
    return list->allowed.count == 0;
}

// Edits that touch whatever an entity has need commands that may edit everything.
static keel_result check_all_allowed(keel_commands *list) {
    return list && list->allowed.count ? not_allowed(list, "all components of an entity") : KEEL_OK;
}

// The storage of a type of events that a command sends; NULL with the reason in `*result`.
static keeli_storage *named_event(keel_commands *list, const keel_component *event,
                                  keel_result *result) {
    keel_world *world = list->world;
    const bool is_new = event && event->is_event && !keeli_storage_find(world, event);
    *result = KEEL_OK;
    keeli_storage *s = list->enroll && is_new ? list->enroll(list, event, result)
                                              : keeli_event_get(world, event, result);
    if (!s || is_allowed(list, s)) return s;
    *result = keeli_misuse(world, KEEL_ERROR_ACCESS,
                           "these commands may not send events '%s'; send with the parameter "
                           "KEEL_SEND(%s, ...), or name nothing in KEEL_COMMANDS to allow all",
                           s->component.name, s->component.name);
    return NULL;
}

// The storage of a component that a command names; NULL with the reason in `*result`.
static keeli_storage *named(keel_commands *list, const keel_component *component,
                            keel_result *result) {
    keel_world *world = list->world;
    keeli_storage *s =
        list->enroll && !component->is_unique && !keeli_storage_find(world, component)
            ? list->enroll(list, component, result)
            : keeli_storage_get(world, component, false, result);
    if (s && (s == world->hierarchy.parents || s == world->hierarchy.children)) {
        *result =
            keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                         "cannot edit '%s' by hand; use keel_attach, keel_detach, keel_unlink",
                         s->component.name);
        return NULL;
    }
    if (s && !is_allowed(list, s)) *result = not_allowed(list, s->component.name);
    return *result < 0 ? NULL : s;
}

// Places for the values: may fail, and nothing was taken over.
static keel_result prepare_values(keel_commands *list, command *c, const keel_value *values) {
    for (uint32_t i = 0; i < c->count; ++i) {
        keel_result result;
        const keel_component *component = values[i].component;
        const keeli_storage *s = c->kind == SEND ? named_event(list, component, &result)
                                                 : named(list, component, &result);
        if (!s) return result;
        if (s->flags & KEELI_IS_BOUND) KEEL_TRY(keeli_check_new_value(list->world, &s->component));
        c->parts[i].number = s->slot;
        if (!values[i].value) continue;
        c->parts[i].value = keeli_arena_new(&list->arena, &list->world->heap, s->component.size,
                                            s->component.align);
        if (!c->parts[i].value) return no_memory(list);
    }
    return KEEL_OK;
}

static void take_values(const keel_commands *list, const command *c, const keel_value *values) {
    for (uint32_t i = 0; i < c->count; ++i) {
        const keeli_storage *s = list->world->root.storages[c->parts[i].number];
        if (values[i].value)
            keeli_value_move(s, c->parts[i].value, (void *)(uintptr_t)values[i].value);
    }
}

// A handle for a new entity. While several threads are at work the index of entities cannot grow.
static keel_result promise(keel_commands *list, keel_entity *out) {
    keel_world *world = list->world;
    if (list->promise) return list->promise(list, out);
    keel_result result = KEEL_OK;
    const bool locked = keeli_handles_lock(world);
    if (!world->access.concurrent)
        result = keeli_entity_index_reserve(&world->entities, &world->heap, 1);
    else if (!keeli_entity_index_is_ready(&world->entities)) result = KEEL_ERROR_SHARED;
    if (result == KEEL_OK) *out = keeli_entity_index_hold(&world->entities);
    keeli_handles_unlock(world, locked);
    return result;
}

static keel_result no_entity(keel_world *world, keel_result result) {
    if (result == KEEL_ERROR_SHARED)
        return keeli_error(world, result,
                           "no more entities can be recorded while the world is shared; make room "
                           "with keel_reserve_entities before keel_share_begin");
    return keeli_error(world, result, "cannot record an entity: %s", keel_result_text(result));
}

// The handle is the last that may fail: so none is given back. `attach`: a command that makes it a
// child of `parent`, or NULL.
static keel_entity record_add_entity(keel_commands *list, const keel_value *values,
                                     command *attach) {
    command *c = new_command(list, ADD_ENTITY, keel_null(), keeli_count_values(values));
    if (!c) return keel_null();
    if (prepare_values(list, c, values) < 0) return keel_null();
    const keel_result result = promise(list, &c->entity);
    if (result < 0) return no_entity(list->world, result), keel_null();
    take_values(list, c, values);
    append(list, c);
    if (attach) {
        attach->entity = c->entity;
        append(list, attach);
    }
    return c->entity;
}

keel_entity keel_commands_add_entity(keel_commands *commands, const keel_value *values) {
    return record_add_entity(commands, values, NULL);
}

keel_entity keel_commands_add_child(keel_commands *commands, keel_entity parent,
                                    const keel_value *values) {
    if (check_all_allowed(commands) < 0) return keel_null();
    command *attach = new_command(commands, ATTACH, keel_null(), 0);
    if (!attach) return keel_null();
    attach->parent = parent;
    return record_add_entity(commands, values, attach);
}

static keel_result record_values(keel_commands *list, command_kind kind, keel_entity e,
                                 const keel_value *values, uint32_t count) {
    command *c = new_command(list, kind, e, count);
    if (!c) return not_recorded(list);
    KEEL_TRY(prepare_values(list, c, values));
    take_values(list, c, values);
    return append(list, c);
}

keel_result keel_commands_add_values(keel_commands *commands, keel_entity e,
                                     const keel_value *values) {
    return record_values(commands, ADD_VALUES, e, values, keeli_count_values(values));
}

keel_result keel_commands_add_component(keel_commands *commands, keel_entity e,
                                        const keel_component *component, const void *value) {
    if (!component) return no_component(commands);
    return record_values(commands, ADD_VALUES, e, &(keel_value){ component, value }, 1);
}

keel_result keel_commands_send_event(keel_commands *commands, const keel_component *event,
                                     const void *value) {
    return record_values(commands, SEND, keel_null(), &(keel_value){ event, value }, 1);
}

static keel_result record_parts(keel_commands *list, command_kind kind, keel_entity e,
                                const keel_component *const *components) {
    uint32_t count = 0;
    while (components && components[count])
        ++count;
    command *c = new_command(list, kind, e, count);
    if (!c) return not_recorded(list);
    for (uint32_t i = 0; i < count; ++i) {
        keel_result result;
        const keeli_storage *s = named(list, components[i], &result);
        if (!s) return result;
        c->parts[i].number = s->slot;
    }
    return append(list, c);
}

keel_result keel_commands_remove_component(keel_commands *commands, keel_entity e,
                                           const keel_component *component) {
    const keel_component *const components[] = { component, NULL };
    if (!component) return no_component(commands);
    return record_parts(commands, REMOVE, e, components);
}

keel_result keel_commands_delete_components(keel_commands *commands, keel_entity e,
                                            const keel_component *const *components) {
    return record_parts(commands, DELETE, e, components);
}

keel_result keel_commands_attach(keel_commands *commands, keel_entity child, keel_entity parent) {
    KEEL_TRY(check_all_allowed(commands));
    command *c = new_command(commands, ATTACH, child, 0);
    if (!c) return not_recorded(commands);
    c->parent = parent;
    return append(commands, c);
}

static keel_result record(keel_commands *list, verb_fn *verb, keel_entity e) {
    KEEL_TRY(check_all_allowed(list));
    command *c = new_command(list, VERB, e, 0);
    if (!c) return not_recorded(list);
    c->verb = verb;
    return append(list, c);
}

keel_result keel_commands_delete_entity(keel_commands *commands, keel_entity e) {
    return record(commands, keel_world_delete_entity, e);
}
keel_result keel_commands_strip(keel_commands *commands, keel_entity e) {
    return record(commands, keel_world_strip, e);
}
keel_result keel_commands_detach(keel_commands *commands, keel_entity child) {
    return record(commands, keel_world_detach, child);
}
keel_result keel_commands_unlink(keel_commands *commands, keel_entity e) {
    return record(commands, keel_world_unlink, e);
}
keel_result keel_commands_unlink_tree(keel_commands *commands, keel_entity root) {
    return record(commands, keel_world_unlink_tree, root);
}
keel_result keel_commands_delete_tree(keel_commands *commands, keel_entity root) {
    return record(commands, keel_world_delete_tree, root);
}

keel_result keel_commands_call(keel_commands *commands, keel_command_fn *function, const void *data,
                               size_t size) {
    KEEL_TRY(check_all_allowed(commands));
    command *c = new_command(commands, CALL, keel_null(), 0);
    if (!c) return not_recorded(commands);
    if (!function)
        return keeli_misuse(commands->world, KEEL_ERROR_ARGUMENT,
                            "keel_commands_call needs a function");
    c->function = function;
    if (size) {
        c->data =
            keeli_arena_new(&commands->arena, &commands->world->heap, size, _Alignof(max_align_t));
        if (!c->data) return no_memory(commands);
        memcpy(c->data, data, size);
    }
    return append(commands, c);
}

// ------------------------------------------------------------------ applying
// The parts as a list of values, or of components; forgotten ones are left out. `room` has one more
// place.
static const keel_value *values_of(const keel_world *world, const command *c, keel_value *room) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->count; ++i) {
        const keeli_storage *s = storage_of(world, &c->parts[i]);
        if (s) room[n++] = (keel_value){ &s->component, c->parts[i].value };
    }
    room[n] = (keel_value){ NULL, NULL };
    return room;
}

static keel_result apply_values(keel_world *world, const keeli_holder *holder, const command *c,
                                const keel_value *values) {
    if (c->kind == ADD_VALUES)
        return holder ? keeli_edit_add_values(world, holder, c->entity, values)
                      : keel_world_add_values(world, c->entity, values);
    return keeli_edit_add_held(world, holder, c->entity, values);
}

static keel_result apply_taking(keel_world *world, const keeli_holder *holder, const command *c,
                                const keel_component *component) {
    const keel_component *const list[] = { component, NULL };
    if (c->kind == REMOVE)
        return holder ? keeli_edit_remove(world, holder, c->entity, component, NULL)
                      : keel_remove_component(world, c->entity, component, NULL);
    return holder ? keeli_edit_delete_components(world, holder, c->entity, list)
                  : keel_delete_component(world, c->entity, component);
}

static keel_result apply_removal(keel_world *world, const keeli_holder *holder, const command *c) {
    keel_result any = KEEL_ABSENT;
    for (uint32_t i = 0; i < c->count; ++i) {
        const keeli_storage *s = storage_of(world, &c->parts[i]);
        if (!s) continue;
        const keel_result result = apply_taking(world, holder, c, &s->component);
        if (result < 0) return result;
        if (result == KEEL_OK) any = KEEL_OK;
    }
    return any;
}

static keel_result apply_adding(keel_world *world, const keeli_holder *holder, const command *c) {
    keel_value few[9];
    if (c->count < 9) return apply_values(world, holder, c, values_of(world, c, few));
    const size_t bytes = (c->count + 1) * sizeof(keel_value);
    keel_value *many = keeli_new(&world->heap, bytes, _Alignof(keel_value));
    if (!many) return keeli_out_of_memory(world, "applying commands");
    const keel_result result = apply_values(world, holder, c, values_of(world, c, many));
    keeli_free(&world->heap, many, bytes, _Alignof(keel_value));
    return result;
}

// Only the first four kinds, and events, are recorded by those who said what they edit
// (check_all_allowed).
static keel_result apply_one(keel_world *world, const keeli_holder *holder, const command *c) {
    keeli_storage *s;
    switch (c->kind) {
    case ADD_ENTITY:
    case ADD_VALUES:
        return apply_adding(world, holder, c);
    case REMOVE:
    case DELETE:
        return apply_removal(world, holder, c);
    case VERB:
        return c->verb(world, c->entity);
    case ATTACH:
        return keel_world_attach(world, c->entity, c->parent);
    case SEND:
        s = storage_of(world, c->parts);
        return s ? keeli_edit_send_event(world, holder, s, c->parts->value) : KEEL_ABSENT;
    case CALL:
        return c->function(world, c->data);
    }
    return KEEL_OK;
}

static bool is_dead_end(const command *c, keel_result result) {
    return result == KEEL_ERROR_DEAD_ENTITY ||
           (result == KEEL_ABSENT &&
            (c->verb == keel_world_delete_entity || c->verb == keel_world_delete_tree));
}

// Apply one list; out of memory, or in the wrong thread, the command that failed and those after it
// stay in it.
static keel_result apply_list(keel_world *world, const keeli_holder *holder, keel_commands *list) {
    keel_result first_error = KEEL_OK;
    while (list->first) {
        command *c = list->first;
        keeli_edit_lock(world, holder);
        const keel_result result = apply_one(world, holder, c);
        keeli_edit_unlock(world, holder);
        const bool stays = result == KEEL_ERROR_MEMORY || result == KEEL_ERROR_THREAD;
        if (stays && c->kind != CALL) return result;
        if (c->kind != CALL && is_dead_end(c, result)) {
            drop_values(world, c);
            keeli_world_lock(world);
            ++world->commands.dropped;
            keeli_world_unlock(world);
        } else if (result < 0) {
            drop_command(world, c);
            if (first_error == KEEL_OK) first_error = result;
        }
        list->first = c->next;
        if (!list->first) list->last = NULL;
    }
    return first_error;
}

keel_result keeli_commands_apply_now(keel_world *world, keel_commands *list) {
    const keel_result result = apply_list(world, NULL, list);
    keeli_commands_discard(world, list);
    return result;
}

static keel_result apply_pending(keel_world *world) {
    keel_result first_error = KEEL_OK;
    if (!keeli_commands_queue_own(world)) return keeli_out_of_memory(world, "applying commands");
    keel_commands *last =
        world->commands.pending_end; // what is recorded meanwhile waits for the next time
    world->commands.applying = true;
    for (bool more = last != NULL; more;) {
        keel_commands *list = world->commands.pending;
        const keel_result result = apply_list(world, NULL, list);
        if (first_error == KEEL_OK) first_error = result < 0 ? result : KEEL_OK;
        if (list->first) break; // it stays
        more = list != last;
        world->commands.pending = list->next;
        if (!world->commands.pending) world->commands.pending_end = NULL;
        keeli_commands_spare(world, list);
    }
    world->commands.applying = false;
    return keeli_done(world, first_error);
}

keel_result keeli_commands_apply(keel_world *world, const keeli_holder *holder,
                                 keel_commands *list) {
    const bool outermost = !holder && !world->commands.applying;
    if (outermost) world->commands.applying = true;
    const keel_result result = apply_list(world, holder, list);
    if (outermost) world->commands.applying = false;
    if (!list->first) keeli_commands_spare(world, list);
    return result;
}

keel_result keeli_commands_flush_slow(keel_world *world) {
    if (world->commands.applying || world->access.holders) return KEEL_OK;
    return keeli_commands_are_pending(world) ? apply_pending(world) : keeli_done(world, KEEL_OK);
}

// ------------------------------------------------------------------ what observers ask for
enum { rounds_at_most = 64 };

// What is asked for while this is applied makes the next round.
static keel_result apply_round(keel_world *world) {
    keel_commands *now = world->followers.reaction;
    keel_commands *next = keeli_commands_take(world);
    if (!next) return keeli_out_of_memory(world, "applying what observers asked for");
    world->followers.reaction = next;
    world->followers.has_reactions = false;
    const keel_result result = keeli_commands_apply_now(world, now);
    if (!keeli_commands_is_empty(next)) world->followers.has_reactions = true;
    return result;
}

static void react(keel_world *world) {
    // whoever is at it, or uses storages, comes by when all is free
    if (world->commands.applying || world->followers.calling || world->access.holders ||
        world->refused)
        return;
    if (world->commands.reacting) return;
    uint32_t rounds = 0;
    world->commands.reacting = true;
    while (world->followers.has_reactions && rounds++ < rounds_at_most)
        if (apply_round(world) == KEEL_ERROR_MEMORY) break;
    world->commands.reacting = false;
    if (!world->followers.has_reactions || rounds <= rounds_at_most) return;
    keel_commands *next = keeli_commands_take(world);
    if (!next) return;
    keeli_commands_discard(world, world->followers.reaction);
    world->followers.reaction = next;
    world->followers.has_reactions = false;
    keeli_error(world, KEEL_ERROR_CYCLE,
                "observers answer each other's edits without end: what they asked for after %d "
                "rounds is dropped",
                (int)rounds_at_most);
}

void keeli_flush(keel_world *world) {
    if (world->followers.has_noted) keeli_view_observers_flush(world);
    if (world->followers.has_reactions) react(world);
}

keel_result keel_observe_view(keel_world *world, const keel_term *terms, uint32_t kinds,
                              keel_observer_fn *function, void *data) {
    if (!world) return keeli_no_world();
    return keeli_done(world, keeli_observe_view(world, terms, kinds, function, data));
}

// ------------------------------------------------------------------ public: applying
keel_commands *keel_world_commands(keel_world *world) {
    return world ? world->commands.own : (keeli_no_world(), NULL);
}

uint64_t keel_dropped_commands(const keel_world *world) {
    return world ? world->commands.dropped : 0;
}

keel_result keel_apply(keel_world *world) {
    if (!world) return keeli_no_world();
    KEEL_TRY(keeli_world_is_editable(world));
    if (world->commands.applying)
        return keeli_error(world, KEEL_ERROR_BORROWED,
                           "commands are being applied; what is recorded now is applied next time");
    if (world->access.holders)
        return keeli_error(world, KEEL_ERROR_BORROWED,
                           "cannot apply commands while %s is open; end it first",
                           world->access.holders->name);
    return apply_pending(world);
}
