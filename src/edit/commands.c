// SPDX-License-Identifier: MIT
// Recorded edits: recording and applying. A record lies in its list's arena together with the
// values it carries. Components are kept by their process-wide number, so that an unregistered one
// is noticed.
#include "edit/commands.h"

#include "edit/batch.h"
#include "world/borrow.h"
#include "world/registry.h"
#include "world/report.h"

#include <string.h>

// Those from EDIT on may touch whatever an entity has.
typedef enum action { ADD_ENTITY, ADD, REMOVE, DELETE, SEND, EDIT_OF, EDIT, ATTACH, CALL } action;

// A component and, when the record adds it, its value (NULL: zeros).
typedef struct part {
    uint32_t number; // 0: forgotten
    void *value;     // in the arena, owned until it is handed over
} part;

typedef struct keeli_command {
    struct keeli_command *next;
    action does;
    uint32_t count; // of parts
    keel_entity entity, parent;
    keeli_edit_fn *edit;       // EDIT
    keeli_edit_of_fn *edit_of; // EDIT_OF, of the one component
    keel_command_fn *function; // CALL
    void *data;
    part parts[];
} command;

// NULL: the component is not known any more.
static keeli_storage *storage_of(const keel_world *world, const part *p) {
    return p->number ? world->root.storages[p->number] : NULL;
}

// ------------------------------------------------------------------ dropping
static void drop_part(const keel_world *world, part *p) {
    const keeli_storage *s = storage_of(world, p);
    if (s && p->value) keeli_value_drop(s, p->value);
    p->number = 0;
}

static void drop_values(const keel_world *world, command *c) {
    for (uint32_t i = 0; i < c->count; ++i)
        drop_part(world, &c->parts[i]);
}

static void drop_command(keel_world *world, command *c) {
    drop_values(world, c);
    if (c->does != ADD_ENTITY) return;
    keeli_edit_lock(world, c);
    if (keeli_entity_index_is_held(&world->entities, c->entity))
        keeli_entity_index_release(&world->entities, c->entity);
    keeli_edit_unlock(world, c);
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

void keeli_commands_forget(keel_world *world, const keeli_storage *storage) {
    const keel_commands *const all[] = { world->commands.pending, world->commands.own,
                                         world->followers.reaction };
    for (uint32_t i = 0; i < sizeof all / sizeof *all; ++i)
        for (const keel_commands *list = all[i]; list; list = list->next)
            for (command *c = list->first; c; c = c->next)
                for (uint32_t k = 0; k < c->count; ++k)
                    if (c->parts[k].number == storage->slot) drop_part(world, &c->parts[k]);
}

// ------------------------------------------------------------------ recording
static keel_result no_memory(keel_commands *list) {
    return keeli_error(list->world, KEEL_ERROR_MEMORY,
                       "out of memory while recording a command; it is not recorded");
}

static keel_result not_allowed(keel_commands *list, const char *what) {
    return keeli_misuse(list->world, KEEL_ERROR_ACCESS,
                        "these commands may not edit %s; name it in KEEL_COMMANDS, or name nothing "
                        "there to allow everything",
                        what);
}

// A list that is the world's own needs a spare one, to move to the queue without memory.
static bool reserve_spare(keel_commands *list) {
    keel_world *world = list->world;
    if (list != world->commands.own || world->commands.spare) return true;
    keel_commands *spare = keeli_commands_new(world);
    if (spare) keeli_commands_spare(world, spare);
    return spare != NULL;
}

// A record that is not in the list yet.
static keel_result begin(keel_commands *list, action does, keel_entity e, uint32_t parts,
                         command **out) {
    if (!list) {
        KEEL_ASSERT(false,
                    "the commands are NULL; declare KEEL_COMMANDS or use keel_world_commands");
        return KEEL_ERROR_ARGUMENT;
    }
    if (does >= EDIT && list->allowed.count)
        return not_allowed(list, "all components of an entity");
    const size_t bytes = sizeof(command) + parts * sizeof(part);
    command *c = reserve_spare(list)
                     ? keeli_arena_new(&list->arena, &list->world->heap, bytes, _Alignof(command))
                     : NULL;
    if (!c) return no_memory(list);
    *c = (command){ .does = does, .entity = e, .count = parts };
    memset(c->parts, 0, parts * sizeof(part));
    *out = c;
    return KEEL_OK;
}

static keel_result append(keel_commands *list, command *c) {
    if (list->last) list->last->next = c;
    else list->first = c;
    list->last = c;
    return KEEL_OK;
}

// The storage of a component, or of a type of events, that a command names; NULL with the reason in
// `*result`.
static keeli_storage *named(keel_commands *list, bool is_event, const keel_component *component,
                            keel_result *result) {
    keel_world *world = list->world;
    const bool fits = component && (is_event ? component->is_event : !component->is_unique);
    *result = KEEL_OK;
    keeli_storage *s = fits && list->enroll && !keeli_storage_find(world, component)
                           ? list->enroll(list, component, result)
                       : is_event ? keeli_event_get(world, component, result)
                                  : keeli_storage_get(world, component, false, result);
    if (!s) return NULL;
    const char *name = s->component.name;
    bool is_allowed = list->allowed.count == 0;
    for (uint32_t i = 0; i < list->allowed.count && !is_allowed; ++i)
        is_allowed = list->allowed.items[i] == s;
    if (s->flags & KEELI_IS_LINK)
        *result = keeli_misuse(
            world, KEEL_ERROR_ARGUMENT,
            "cannot edit '%s' by hand; use keel_attach, keel_detach, keel_unlink", name);
    else if (!is_allowed)
        *result = is_event ? keeli_misuse(world, KEEL_ERROR_ACCESS,
                                          "these commands may not send events '%s'; send with the "
                                          "parameter KEEL_SEND(%s, ...), or name nothing in "
                                          "KEEL_COMMANDS to allow all",
                                          name, name)
                           : not_allowed(list, name);
    return *result < 0 ? NULL : s;
}

// Places for the values: may fail, and nothing was taken over.
static keel_result prepare_values(keel_commands *list, command *c, const keel_value *values) {
    for (uint32_t i = 0; i < c->count; ++i) {
        keel_result result;
        const keeli_storage *s = named(list, c->does == SEND, values[i].component, &result);
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
    for (uint32_t i = 0; i < c->count; ++i)
        if (values[i].value)
            keeli_value_move(storage_of(list->world, &c->parts[i]), c->parts[i].value,
                             (void *)(uintptr_t)values[i].value);
}

// A handle for a new entity. While several threads are at work the index of entities cannot grow.
static keel_result promise(keel_commands *list, keel_entity *out) {
    keel_world *world = list->world;
    keel_result result = KEEL_OK;
    if (list->promise) {
        result = list->promise(list, out);
    } else {
        keeli_edit_lock(world, list);
        if (!world->access.concurrent)
            result = keeli_entity_index_reserve(&world->entities, &world->heap, 1);
        else if (!keeli_entity_index_is_ready(&world->entities)) result = KEEL_ERROR_SHARED;
        if (result == KEEL_OK) *out = keeli_entity_index_hold(&world->entities);
        keeli_edit_unlock(world, list);
    }
    if (result == KEEL_ERROR_SHARED)
        return keeli_error(world, result,
                           "no more entities can be recorded while the world is shared; make room "
                           "with keel_reserve_entities before keel_share_begin");
    return result < 0
               ? keeli_error(world, result, "cannot record an entity: %s", keel_result_text(result))
               : result;
}

// The handle is the last that may fail: so none is given back. `attach`: a command that makes it a
// child of `parent`, or NULL.
static keel_entity record_add_entity(keel_commands *list, const keel_value *values,
                                     command *attach) {
    command *c = NULL;
    if (begin(list, ADD_ENTITY, keel_null(), keeli_count_values(values), &c) < 0 ||
        prepare_values(list, c, values) < 0 || promise(list, &c->entity) < 0)
        return keel_null();
    take_values(list, c, values);
    append(list, c);
    if (attach) {
        attach->entity = c->entity;
        append(list, attach);
    }
    return c->entity;
}

keel_entity keeli_record_add_entity(keel_commands *list, const keel_value *values) {
    return record_add_entity(list, values, NULL);
}

keel_entity keeli_record_add_child(keel_commands *list, keel_entity parent,
                                   const keel_value *values) {
    command *attach = NULL;
    if (begin(list, ATTACH, keel_null(), 0, &attach) < 0) return keel_null();
    attach->parent = parent;
    return record_add_entity(list, values, attach);
}

static keel_result record_values(keel_commands *list, action does, keel_entity e,
                                 const keel_value *values, uint32_t count) {
    command *c = NULL;
    KEEL_TRY(begin(list, does, e, count, &c));
    KEEL_TRY(prepare_values(list, c, values));
    take_values(list, c, values);
    return append(list, c);
}

keel_result keeli_record_add(keel_commands *list, keel_entity e, const keel_value *values,
                             uint32_t count) {
    return record_values(list, ADD, e, values, count);
}

keel_result keeli_record_event(keel_commands *list, const keel_component *event,
                               const void *value) {
    return record_values(list, SEND, keel_null(), &(keel_value){ event, value }, 1);
}

// A record that names components and has no values.
static keel_result begin_naming(keel_commands *list, action does, keel_entity e,
                                const keel_component *const *components, uint32_t count,
                                command **c) {
    KEEL_TRY(begin(list, does, e, count, c));
    for (uint32_t i = 0; i < count; ++i) {
        keel_result result;
        const keeli_storage *s = named(list, false, components[i], &result);
        if (!s) return result;
        (*c)->parts[i].number = s->slot;
    }
    return KEEL_OK;
}

keel_result keeli_record_removal(keel_commands *list, bool deletes, keel_entity e,
                                 const keel_component *const *components, uint32_t count) {
    command *c = NULL;
    KEEL_TRY(begin_naming(list, deletes ? DELETE : REMOVE, e, components, count, &c));
    return append(list, c);
}

keel_result keeli_record_attach(keel_commands *list, keel_entity child, keel_entity parent) {
    command *c = NULL;
    KEEL_TRY(begin(list, ATTACH, child, 0, &c));
    c->parent = parent;
    return append(list, c);
}

// ------------------------------------------------------------------ now or later
keel_result keeli_edit_begin(keel_scope *scope, keeli_caller *who) {
    if (!scope) return keeli_no_world();
    KEEL_TRY(keeli_caller_is(scope, who));
    if (scope->kind == KEELI_SCOPE_READER)
        return keeli_misuse(who->world, KEEL_ERROR_ARGUMENT,
                            "a reader looks at changes and edits nothing; edit through its world");
    if (!who->commands) keeli_edit_lock(who->world, who->editor);
    return KEEL_OK;
}

keel_result keeli_edit_end(const keeli_caller *who, keel_result result) {
    keeli_edit_unlock(who->world, who->editor);
    return result;
}

keel_result keeli_edit_entity(keel_scope *scope, keel_entity e, keeli_edit_fn *edit) {
    keeli_caller who;
    KEEL_TRY(keeli_edit_begin(scope, &who));
    if (!who.commands) return keeli_edit_end(&who, edit(who.world, who.editor, e));
    command *c = NULL;
    KEEL_TRY(begin(who.commands, EDIT, e, 0, &c));
    c->edit = edit;
    return append(who.commands, c);
}

keel_result keeli_edit_component(keel_scope *scope, keel_entity e, const keel_component *component,
                                 keeli_edit_of_fn *edit) {
    keeli_caller who;
    KEEL_TRY(keeli_edit_begin(scope, &who));
    if (!who.commands) return keeli_edit_end(&who, edit(who.world, who.editor, e, component));
    command *c = NULL;
    KEEL_TRY(begin_naming(who.commands, EDIT_OF, e, &component, 1, &c));
    c->edit_of = edit;
    return append(who.commands, c);
}

keel_result keel_commands_call(keel_commands *commands, keel_command_fn *function, const void *data,
                               size_t size) {
    command *c = NULL;
    KEEL_TRY(begin(commands, CALL, keel_null(), 0, &c));
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
static keel_result apply_adding(keel_world *world, const keeli_holder *holder, const command *c) {
    keel_value few[9], *values = few;
    const size_t bytes = (c->count + 1) * sizeof *values;
    if (bytes > sizeof few && !(values = keeli_new(&world->heap, bytes, _Alignof(keel_value))))
        return keeli_out_of_memory(world, "applying commands");
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->count; ++i) { // forgotten ones are left out
        const keeli_storage *s = storage_of(world, &c->parts[i]);
        if (s) values[n++] = (keel_value){ &s->component, c->parts[i].value };
    }
    values[n] = (keel_value){ NULL, NULL };
    const keel_result result =
        c->does == ADD_ENTITY ? keeli_edit_add_held(world, holder, c->entity, values)
        : holder              ? keeli_edit_add_values(world, holder, c->entity, values)
                              : keeli_world_add_values(&world->root.scope, c->entity, values);
    if (values != few) keeli_free(&world->heap, values, bytes, _Alignof(keel_value));
    return result;
}

static keel_result apply_removal(keel_world *world, const keeli_holder *holder, const command *c) {
    keel_result any = KEEL_ABSENT;
    for (uint32_t i = 0; i < c->count; ++i) {
        const keeli_storage *s = storage_of(world, &c->parts[i]);
        if (!s) continue;
        const keel_component *const list[] = { &s->component, NULL };
        const keel_result result =
            c->does == REMOVE
                ? (holder ? keeli_edit_remove(world, holder, c->entity, *list, NULL)
                          : keeli_world_remove(&world->root.scope, c->entity, *list, NULL))
            : holder ? keeli_edit_delete_components(world, holder, c->entity, list)
                     : keeli_world_delete(&world->root.scope, c->entity, *list);
        if (result < 0) return result;
        if (result == KEEL_OK) any = KEEL_OK;
    }
    return any;
}

static keel_result apply_one(keel_world *world, const keeli_holder *holder, const command *c) {
    keeli_storage *s;
    switch (c->does) {
    case ADD_ENTITY:
    case ADD:
        return apply_adding(world, holder, c);
    case REMOVE:
    case DELETE:
        return apply_removal(world, holder, c);
    case SEND:
        s = storage_of(world, c->parts);
        return s ? keeli_edit_send_event(world, holder, s, c->parts->value) : KEEL_ABSENT;
    case EDIT_OF:
        s = storage_of(world, c->parts);
        return s ? c->edit_of(world, holder, c->entity, &s->component) : KEEL_ABSENT;
    case EDIT:
        return c->edit(world, NULL, c->entity);
    case ATTACH:
        return keeli_edit_attach(world, NULL, c->entity, c->parent);
    case CALL:
        return c->function(world, c->data);
    }
    return KEEL_OK;
}

// Was there nobody any more, whom the command is about?
static bool is_dead_end(const command *c, keel_result result) {
    return c->does != CALL &&
           (result == KEEL_ERROR_DEAD_ENTITY ||
            (result == KEEL_ABSENT && c->does == EDIT &&
             (c->edit == keeli_edit_delete_entity || c->edit == keeli_edit_delete_tree)));
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
        if (stays && c->does != CALL) return result;
        if (is_dead_end(c, result)) {
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
    // what is recorded meanwhile waits for the next time
    const keel_commands *last = world->commands.pending_end;
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

static void react(keel_world *world) {
    keeli_followers *f = &world->followers;
    uint32_t rounds = 0;
    keel_result result = KEEL_OK;
    world->commands.reacting = true;
    while (f->has_reactions && result != KEEL_ERROR_MEMORY && rounds++ < rounds_at_most) {
        // what is asked for while these are applied makes the next round
        keel_commands *now = f->reaction, *next = keeli_commands_take(world);
        if (next) {
            f->reaction = next;
            f->has_reactions = false;
            result = keeli_commands_apply_now(world, now);
            f->has_reactions |= !keeli_commands_is_empty(next);
        } else {
            result = keeli_out_of_memory(world, "applying what observers asked for");
        }
    }
    world->commands.reacting = false;
    if (!f->has_reactions || rounds <= rounds_at_most) return;
    keeli_commands_discard(world, f->reaction);
    f->reaction = keeli_commands_take(world); // a spare one: there is one now
    f->has_reactions = false;
    keeli_error(world, KEEL_ERROR_CYCLE,
                "observers answer each other's edits without end: what they asked for after %d "
                "rounds is dropped",
                (int)rounds_at_most);
}

void keeli_flush(keel_world *world) {
    if (world->followers.has_pending) keeli_view_observers_flush(world);
    // whoever is at it, or uses storages, comes by when all is free
    if (!world->followers.has_reactions || world->commands.applying || world->commands.reacting ||
        world->followers.calling || world->access.holders || world->refused)
        return;
    react(world);
}

keel_commands *keel_world_commands(keel_world *world) {
    return world ? world->commands.own : (keeli_no_world(), NULL);
}

uint64_t keel_dropped_commands(const keel_world *world) {
    return world ? world->commands.dropped : 0;
}

keel_result keel_apply_commands(keel_world *world) {
    if (!world) return keeli_no_world();
    KEEL_TRY(keeli_world_is_editable(world));
    if (world->commands.applying)
        return keeli_error(world, KEEL_ERROR_BORROWED,
                           "commands are being applied; what is recorded now is applied next time");
    KEEL_TRY(keeli_nothing_is_open(world, "apply commands"));
    return apply_pending(world);
}
