// SPDX-License-Identifier: MIT
// Lists of recorded edits (scope.h): keeps the world's lists and appends records to them.
// edit/commands.c applies them. Called by verbs with commands as their scope, by systems and by
// observers. A record and its values lie in the arena of its list. A record names components by
// their process-wide numbers, so that a component that was unregistered meanwhile is noticed when
// the record is applied.
#include "registry.h"
#include "report.h"
#include "scope.h"
#include "storage.h"

#include <keel/typed.h>
#include <string.h>

// ------------------------------------------------------------------ lists
keel_commands *keeli_commands_new(keel_world *world) {
    keel_commands *list = KEELI_NEW(&world->heap, keel_commands);
    if (!list)
        return NULL;
    list->scope.kind = KEELI_SCOPE_COMMANDS;
    list->world = world;
    if (KEELI_RESERVE(&world->heap, &list->allowed, KEEL_MAX_TERM_COMPONENTS + KEEL_MAX_TERMS))
        return list;
    KEELI_FREE(&world->heap, keel_commands, list);
    return NULL;
}

keel_commands *keeli_commands_acquire(keel_world *world) {
    keeli_world_lock(world);
    keel_commands *list = world->commands.spare;
    if (list)
        world->commands.spare = list->next;
    keeli_world_unlock(world);
    if (!list)
        return keeli_commands_new(world);
    list->next = NULL;
    list->scope.kind = KEELI_SCOPE_COMMANDS;
    return list;
}

void keeli_commands_spare(keel_world *world, keel_commands *list) {
    const bool was_used = list->arena.first && list->arena.first->used;
    const uint32_t blocks = keeli_arena_share(&list->arena, &world->heap);
    list->first = list->last = NULL;
    list->allowed.count = 0;
    list->for_events = false;
    list->thread = 0;
    keeli_commands_close(list);

    keeli_world_lock(world);
    list->next = world->commands.spare;
    world->commands.spare = list;
    world->commands.used_lists += was_used;
    world->commands.used_blocks += blocks;
    keeli_world_unlock(world);
}

bool keeli_commands_reserve(keel_world *world, uint32_t lists, uint32_t blocks) {
    // a list that never had a record has no memory yet
    uint32_t count = 0;
    for (keel_commands *list = world->commands.spare; list; list = list->next, ++count)
        if (!keeli_arena_reserve(&list->arena, &world->heap, 1))
            return false;

    for (; count < lists; ++count) {
        keel_commands *list = keeli_commands_new(world);
        if (!list)
            return false;
        const bool done = keeli_arena_reserve(&list->arena, &world->heap, 1);
        keeli_commands_spare(world, list);
        if (!done)
            return false;
    }
    return keeli_blocks_reserve(&world->heap, blocks);
}

static void queue_list(keel_world *world, keel_commands *list) {
    list->next = NULL;
    keeli_world_lock(world);
    if (world->commands.pending_end)
        world->commands.pending_end->next = list;
    else
        world->commands.pending = list;
    world->commands.pending_end = list;
    keeli_world_unlock(world);
}

bool keeli_commands_queue_own(keel_world *world) {
    keel_commands *own = world->commands.own;
    if (!own->first)
        return true;
    keel_commands *list = keeli_commands_acquire(world);
    if (!list)
        return false;

    const keeli_arena kept = list->arena; // empty, but it may have memory
    list->arena = own->arena;
    list->first = own->first;
    list->last = own->last;
    own->arena = kept;
    own->first = own->last = NULL;
    queue_list(world, list);
    return true;
}

void keeli_commands_submit(keel_world *world, keel_commands *list) {
    if (!world->access.concurrent)
        (void)keeli_commands_queue_own(world); // the world's own records are older: they go first
    if (list->first)
        queue_list(world, list);
    else
        keeli_commands_spare(world, list);
}

keel_commands *keeli_commands_of_thread(keel_world *world) {
    const uint64_t self = keeli_thread_id();
    keeli_world_lock(world);
    keel_commands *list = world->commands.shared;
    while (list && list->thread != self)
        list = list->next;
    keeli_world_unlock(world);
    if (list)
        return list;

    list = keeli_commands_acquire(world);
    if (!list)
        return NULL;
    list->thread = self;

    keeli_world_lock(world);
    keel_commands **end = &world->commands.shared; // the end, as lists are applied in the order in
                                                   // which threads asked for them
    while (*end)
        end = &(*end)->next;
    *end = list;
    keeli_world_unlock(world);
    return list;
}

void keeli_commands_unshare(keel_world *world) {
    for (keel_commands *list; (list = world->commands.shared) != NULL;) {
        world->commands.shared = list->next;
        list->thread = 0;
        keeli_commands_submit(world, list);
    }
}

static size_t list_bytes(const keel_commands *list) {
    size_t bytes = 0;
    for (; list; list = list->next)
        bytes += sizeof *list + list->arena.bytes;
    return bytes;
}

size_t keeli_commands_bytes(const keel_world *world) {
    return list_bytes(world->commands.own) + list_bytes(world->commands.pending) +
           list_bytes(world->commands.spare) + list_bytes(world->commands.shared) +
           list_bytes(world->followers.reaction) + keeli_blocks_bytes(&world->heap);
}

// ------------------------------------------------------------------ recording
uint32_t keeli_count_values(const keel_value *values) {
    uint32_t count = 0;
    while (values && values[count].component)
        ++count;
    return count;
}

static keel_result record_no_memory(keel_commands *list) {
    return keeli_error(list->world, KEEL_ERROR_MEMORY,
                       "out of memory while recording a command; it is not recorded");
}

static keel_result not_allowed(keel_commands *list, const char *what) {
    return keeli_misuse(list->world, KEEL_ERROR_ACCESS,
                        "the commands of %s may not edit '%s'; name it in the parameter "
                        "KEEL_COMMANDS, or name nothing there to allow everything",
                        KEELI_SYSTEM_HERE(list->world), what);
}

// Makes a spare list if this is the world's own list, so that its records can be queued later
// without allocating. False when out of memory.
static bool reserve_spare(keel_commands *list) {
    keel_world *world = list->world;
    if (list != world->commands.own || world->commands.spare)
        return true;
    keel_commands *spare = keeli_commands_new(world);
    if (spare)
        keeli_commands_spare(world, spare);
    return spare != NULL;
}

// Returns an error if nothing may be recorded now, or if the list belongs to another thread. While
// edits are refused they may still be recorded, except in hooks: the caller of a hook undoes its
// edit after an error, and would free a handle that was promised meanwhile.
static __attribute__((noinline)) keel_result may_record(const keel_commands *list) {
    keel_world *world = list->world;
    const uint32_t why = world->refused;
    const bool is_own = list == world->commands.own, is_shared = why & KEELI_REFUSED_SHARED;
    if (why & KEELI_REFUSED_HOOK || keeli_is_in_allocator(world) ||
        (is_own && !is_shared && why & (KEELI_REFUSED_RUNNING | KEELI_REFUSED_LOOPING)))
        return keeli_world_is_editable(world);

    const uint64_t owner = is_own && is_shared ? world->access.owner : list->thread;
    if (!owner || !world->access.concurrent || owner == keeli_thread_id())
        return KEEL_OK;
    return keeli_misuse(world, KEEL_ERROR_THREAD,
                        "these commands belong to another thread; get this thread's own with "
                        "keel_world_commands, or with KEEL_COMMANDS in a system");
}

// Allocates a record with `parts` empty parts. append_record adds it to the list, once nothing can
// fail any more.
static inline __attribute__((always_inline)) keel_result begin_record(keel_commands *list,
                                                                      keeli_action does,
                                                                      keel_entity e, uint32_t parts,
                                                                      keeli_command **out) {
    if (!list) {
        KEEL_ASSERT(false,
                    "the commands are NULL; declare KEEL_COMMANDS or use keel_world_commands");
        return KEEL_ERROR_ARGUMENT;
    }
    if (list->world->refused | (uint32_t)list->world->access.concurrent)
        KEEL_TRY(may_record(list));
    if (does >= KEELI_RECORD_EDIT && list->allowed.count)
        return keeli_misuse(
            list->world, KEEL_ERROR_ACCESS,
            "the commands of %s may not edit whole entities, parents or children, as the parameter "
            "KEEL_COMMANDS names components; name none there to allow everything",
            KEELI_SYSTEM_HERE(list->world));
    const size_t bytes = sizeof(keeli_command) + parts * sizeof(keeli_command_part);
    keeli_command *c = reserve_spare(list) ? keeli_arena_new(&list->arena, &list->world->heap,
                                                             bytes, _Alignof(keeli_command))
                                           : NULL;
    if (!c)
        return record_no_memory(list);
    *c = (keeli_command){ .does = does, .entity = e, .count = parts };
    memset(c->parts, 0, parts * sizeof(keeli_command_part));
    *out = c;
    return KEEL_OK;
}

static keel_result append_record(keel_commands *list, keeli_command *c) {
    if (list->last)
        list->last->next = c;
    else
        list->first = c;
    list->last = c;
    return KEEL_OK;
}

// Returns the storage of a component, unique or type of events that a command names, or NULL with
// the reason in `*result`. Inlined, because recording one value is so short that the call counts
// (row "command: add" of the benchmarks).
static inline __attribute__((always_inline)) keeli_storage *named(keel_commands *list,
                                                                  keeli_action does,
                                                                  const keel_component *component,
                                                                  keel_result *result) {
    keel_world *world = list->world;
    const bool is_event = does == KEELI_RECORD_SEND,
               is_unique = does == KEELI_RECORD_SET_UNIQUE || does == KEELI_RECORD_REMOVE_UNIQUE;
    const bool fits = component && (is_event    ? component->is_event
                                    : is_unique ? component->is_unique && !component->is_event
                                                : !component->is_unique);
    *result = KEEL_OK;
    keeli_storage *s = fits && list->enroll && !keeli_storage_find(world, component)
                           ? list->enroll(list, component, result)
                       : is_event ? keeli_event_get(world, component, result)
                                  : keeli_storage_get(world, component, is_unique, result);
    if (!s)
        return NULL;
    const char *name = s->component.name;
    bool is_allowed = list->allowed.count == 0;
    for (uint32_t i = 0; i < list->allowed.count && !is_allowed; ++i)
        is_allowed = list->allowed.items[i] == s;
    if (s->flags & KEELI_IS_LINK && does != KEELI_RECORD_NAME && does != KEELI_RECORD_MATCHING &&
        does != KEELI_RECORD_EDIT_PAIR)
        *result = keeli_not_by_hand(world, s, "edit");
    else if (!is_allowed)
        *result = is_event ? keeli_misuse(world, KEEL_ERROR_ACCESS,
                                          "the commands of %s may not send events '%s'; send with "
                                          "the parameter KEEL_SEND(%s, ...), or name nothing in "
                                          "KEEL_COMMANDS to allow all",
                                          KEELI_SYSTEM_HERE(world), name, name)
                           : not_allowed(list, name);
    return *result < 0 ? NULL : s;
}

// Fills the parts with the components of `values`, and allocates memory for the values. They are
// moved there later by move_in_values, because this may fail and the caller keeps them then.
static keel_result prepare_values(keel_commands *list, keeli_command *c, const keel_value *values) {
    for (uint32_t i = 0; i < c->count;
         ++i) { // analyzer: begin_record() made it, or returned an error
        keeli_command_part *p = &c->parts[i];
        if (values[i].component == &keeli_if_missing) {
            p->count = 1;
            continue;
        }
        keel_result result;
        const keeli_storage *s = named(list, c->does, values[i].component, &result);
        if (!s)
            return result;
        if (s->flags & KEELI_IS_BOUND)
            KEEL_TRY(keeli_check_new_value(list->world, &s->component));
        p->number = s->slot;
        if (!values[i].value)
            continue;

        p->count = 1;
        p->value = keeli_arena_new(&list->arena, &list->world->heap, s->component.size,
                                   s->component.align);
        if (!p->value)
            return record_no_memory(list);
    }
    return KEEL_OK;
}

static uint32_t no_slot;
const keel_component keeli_if_missing = { .type = "keel_if_missing", .slot = &no_slot };
const keel_component *keel_if_missing(void) { return &keeli_if_missing; }

void keeli_part_drop(const keel_world *world, keeli_command_part *p) {
    const keeli_storage *s = keeli_part_storage(world, p);
    if (s && p->value)
        for (uint32_t i = 0; i < p->count; ++i)
            keeli_value_drop(s, (char *)p->value + (size_t)i * s->size);
    p->number = p->count = 0;
}

static void move_in_values(const keel_commands *list, const keeli_command *c,
                           const keel_value *values) {
    for (uint32_t i = 0; i < c->count;
         ++i) // analyzer: begin_record() made it, or returned an error
        if (values[i].value && values[i].component != &keeli_if_missing)
            keeli_value_move(keeli_part_storage(list->world, &c->parts[i]), c->parts[i].value,
                             (void *)(uintptr_t)values[i].value);
}

// Promises a handle for a new entity. While several threads are at work the index of entities
// cannot grow.
static keel_result promise(keel_commands *list, keel_entity *out) {
    keel_world *world = list->world;
    keel_result result = KEEL_OK;
    if (list->promise) {
        result = list->promise(list, out);
    } else {
        keeli_edit_lock(world, list);
        if (!world->access.concurrent)
            result = keeli_entity_index_reserve(&world->entities, &world->heap, 1);
        else if (!keeli_entity_index_is_ready(&world->entities))
            result = KEEL_ERROR_SHARED;
        if (result == KEEL_OK)
            *out = keeli_entity_index_hold(&world->entities);
        keeli_edit_unlock(world, list);
    }

    if (result == KEEL_ERROR_SHARED)
        return keeli_error(
            world, result,
            "no more entities can be recorded while the world is shared; make room "
            "with keel_reserve(world, keel_entities, count) before keel_share_begin");
    if (result < 0)
        return keeli_error(world, result, "cannot record an entity: %s", keel_result_text(result));
    return result;
}

// Records a new entity. Its handle is promised last of all that may fail, so that no error has to
// release it.
static keel_entity record_add_entity(keel_commands *list, keeli_action does, keel_entity parent,
                                     const keel_value *values) {
    keeli_command *c = NULL;
    if (begin_record(list, does, keel_null(), keeli_count_values(values), &c) < 0 ||
        prepare_values(list, c, values) < 0 || promise(list, &c->entity) < 0)
        return keel_null();
    move_in_values(list, c, values);
    c->parent = parent;
    append_record(list, c);
    return c->entity;
}

keel_entity keeli_record_add_entity(keel_commands *list, const keel_value *values) {
    return record_add_entity(list, KEELI_RECORD_ADD_ENTITY, keel_null(), values);
}

keel_entity keeli_record_add_child(keel_commands *list, keel_entity parent,
                                   const keel_value *values) {
    return record_add_entity(list, KEELI_RECORD_ADD_CHILD, parent, values);
}

static keel_result record_values(keel_commands *list, keeli_action does, keel_entity e,
                                 const keel_value *values, uint32_t count) {
    keeli_command *c = NULL;
    KEEL_TRY(begin_record(list, does, e, count, &c));
    KEEL_TRY(prepare_values(list, c, values));
    move_in_values(list, c, values);
    return append_record(list, c);
}

keel_result keeli_record_add(keel_commands *list, keel_entity e, const keel_value *values,
                             uint32_t count) {
    return record_values(list, KEELI_RECORD_ADD, e, values, count);
}

keel_result keeli_record_value(keel_commands *list, keeli_action does, keel_entity e,
                               const keel_component *component, const void *value) {
    return record_values(list, does, e, &(keel_value){ component, value }, 1);
}

keel_result keeli_record_event(keel_commands *list, const keel_component *event,
                               const void *value) {
    return keeli_record_value(list, KEELI_RECORD_SEND, keel_null(), event, value);
}

// ------------------------------------------------------------------ many
static uint32_t count_columns(const keel_value_column *columns) {
    uint32_t count = 0;
    while (columns && columns[count].component)
        ++count;
    return count;
}

// Allocates memory for the values of a column, and copies a value that is the same for all
// entities.
static keel_result prepare_column(keel_commands *list, keeli_command *c, keeli_command_part *p,
                                  const keel_value_column *column, uint32_t count) {
    keel_result result;
    const keeli_storage *s = named(list, c->does, column->component, &result);
    if (!s)
        return result;

    const bool may_repeat = // if a component is named twice, its last column counts
        c->does == KEELI_RECORD_MATCHING || (c->does == KEELI_RECORD_SPAWN && count == 1);
    if (!may_repeat)
        for (const keeli_command_part *other = c->parts; other < p; ++other)
            if (other->number == s->slot)
                return keeli_misuse(list->world, KEEL_ERROR_ARGUMENT,
                                    "'%s' is named twice in one list of columns",
                                    s->component.name);
    if (s->flags & KEELI_IS_BOUND)
        KEEL_TRY(keeli_check_new_value(list->world, &s->component));

    p->number = s->slot;
    if (!column->values)
        return KEEL_OK;
    if (column->stride)
        KEEL_TRY(keeli_check_stride(list->world, s, column->stride));
    p->value = keeli_arena_new(&list->arena, &list->world->heap,
                               (column->stride ? count : 1) * (size_t)s->size, s->component.align);
    if (!p->value)
        return record_no_memory(list);
    if (column->stride)
        return KEEL_OK; // moved by move_in_columns, when nothing can fail any more

    if (!keeli_can_copy(s) || (s->component.copy && !keeli_hook_copy(s, p->value, column->values)))
        return keeli_cannot_copy(list->world, s);
    if (!s->component.copy)
        memcpy(p->value, column->values, s->size);
    p->count = 1;
    return KEEL_OK;
}

static void move_in_columns(const keel_commands *list, keeli_command *c,
                            const keel_value_column *columns, uint32_t count) {
    if (!columns)
        return;
    for (uint32_t k = 0; k < c->count; ++k) {
        keeli_command_part *p = &c->parts[k];
        const keeli_storage *s = keeli_part_storage(list->world, p);
        if (!columns[k].values || !columns[k].stride)
            continue;
        for (p->count = 0; p->count < count; ++p->count)
            keeli_value_move(
                s, (char *)p->value + (size_t)p->count * s->size,
                (void *)((uintptr_t)columns[k].values + (size_t)p->count * columns[k].stride));
    }
}

static keel_result promise_all(keel_commands *list, keeli_entity_list *many) {
    for (uint32_t i = 0; i < many->count; ++i) {
        const keel_result result = promise(list, &many->items[i]);
        if (result == KEEL_OK)
            continue;

        keeli_edit_lock(list->world, list);
        while (i--)
            keeli_entity_index_release(&list->world->entities, many->items[i]);
        keeli_edit_unlock(list->world, list);
        return result;
    }
    return KEEL_OK;
}

// Makes the list of entities and the columns of a record. `entities` NULL: handles of new entities
// are promised.
static keel_result prepare_many(keel_commands *list, keeli_command *c, const keel_entity *entities,
                                uint32_t count, uint32_t each, const keel_value_column *columns) {
    const size_t bytes = sizeof *c->many + (size_t)count * each * sizeof *c->many->items;
    if ((uint64_t)count * each > UINT32_MAX)
        return record_no_memory(list);
    c->many = keeli_arena_new(&list->arena, &list->world->heap, bytes, _Alignof(keeli_entity_list));
    if (!c->many)
        return record_no_memory(list);

    c->many->count = count * each;
    c->many->each = each;
    if (entities)
        memcpy(c->many->items, entities, count * sizeof *entities);
    // analyzer: begin_record() made it, or returned an error
    if (columns)
        for (uint32_t k = 0; k < c->count; ++k)
            KEEL_TRY(prepare_column(list, c, &c->parts[k], &columns[k], count));
    return entities || !count ? KEEL_OK : promise_all(list, c->many);
}

static keel_result record_many(keel_commands *list, keeli_action does, keel_entity prototype,
                               const keel_entity *entities, uint32_t count, uint32_t each,
                               keel_entity *out, const keel_value_column *columns) {
    keeli_command *c = NULL;
    KEEL_TRY(begin_record(list, does, prototype, count_columns(columns), &c));

    const keel_result result = prepare_many(list, c, entities, count, each, columns);
    if (result < 0) {
        for (uint32_t k = 0; k < c->count; ++k)
            keeli_part_drop(list->world, &c->parts[k]);
        return result;
    }

    move_in_columns(list, c, columns, count);
    if (out)
        memcpy(out, c->many->items, count * sizeof *out);
    return append_record(list, c);
}

keel_result keeli_record_add_entities(keel_commands *list, uint32_t count, keel_entity *out,
                                      const keel_value_column *columns) {
    return record_many(list, KEELI_RECORD_ADD_ENTITIES, keel_null(), NULL, count, 1, out, columns);
}

keel_result keeli_record_clone(keel_commands *list, keel_entity prototype, uint32_t count,
                               keel_entity *out) {
    return record_many(list, KEELI_RECORD_CLONE, prototype, NULL, count, 1, out, NULL);
}

keel_result keeli_record_spawn(keel_commands *list, keel_entity root, uint32_t each, uint32_t count,
                               keel_entity *out, const keel_value_column *columns,
                               keeli_edit_spawn_fn *edit) {
    KEEL_TRY(record_many(list, KEELI_RECORD_SPAWN, root, NULL, count, each, out, columns));
    list->last->edit_spawn = edit;
    return KEEL_OK;
}

keel_result keeli_record_many(keel_commands *list, keeli_action does, const keel_entity *entities,
                              uint32_t count, const keel_value_column *column) {
    if (!entities || !count)
        return KEEL_ABSENT;
    keel_result result;
    if (column && !column->component && !named(list, does, NULL, &result))
        return result;
    const keel_value_column columns[] = { column ? *column : (keel_value_column){ NULL, NULL, 0 },
                                          { NULL, NULL, 0 } };
    return record_many(list, does, keel_null(), entities, count, 1, NULL, columns);
}

// ------------------------------------------------------------------ all that match
static uint32_t count_others(const keel_term *t) {
    uint32_t count = 0;
    while (t->others && t->others[count])
        ++count;
    return count;
}

// Copies the terms, and replaces the components in them by the world's own descriptors, since the
// caller's may not live until the record is applied. The parts name the same components.
static keel_result prepare_terms(keel_commands *list, keeli_command *c, const keel_term *terms,
                                 uint32_t count) {
    c->terms = keeli_arena_new(&list->arena, &list->world->heap, (count + 1) * sizeof *terms,
                               _Alignof(keel_term));
    if (!c->terms)
        return record_no_memory(list);
    memcpy(c->terms, terms, (count + 1) * sizeof *terms);

    keeli_command_part *p = c->parts;
    for (keel_term *t = c->terms; t < c->terms + count; ++t) {
        const uint32_t others = count_others(t);
        const keel_component **own =
            keeli_arena_new(&list->arena, &list->world->heap, (others + 1) * sizeof *own,
                            _Alignof(const keel_component *));
        if (!own)
            return record_no_memory(list);
        for (uint32_t i = 0; i <= others; ++i) {
            const keel_component *from = i < others ? t->others[i] : t->component;
            keel_result result;
            const keeli_storage *s = from ? named(list, c->does, from, &result) : NULL;
            if (from && !s)
                return result;
            if (s)
                p++->number = s->slot;
            own[i] = s ? &s->component : NULL;
        }
        t->component = own[others];
        own[others] = NULL;
        t->others = t->others ? own : NULL;
        t->name = NULL; // the text belongs to the caller
    }
    return KEEL_OK;
}

keel_result keeli_record_matching(keel_commands *list, const keel_term *terms,
                                  const keel_value_column *column, keeli_edit_matching_fn *edit) {
    if (!terms)
        return keeli_misuse(list->world, KEEL_ERROR_ARGUMENT,
                            "the terms are NULL; pass KEEL_TERMS(...)");

    uint32_t count = 0, parts = column != NULL;
    for (; terms[count].kind != KEEL_TERM_END; ++count)
        parts += count_others(&terms[count]) + (terms[count].component != NULL);
    for (uint32_t t = 0; t < count; ++t)
        if (terms[t].kind == KEEL_TERM_AMONG)
            return keeli_misuse(list->world, KEEL_ERROR_ARGUMENT,
                                "commands cannot keep the list of a KEEL_AMONG; record "
                                "keel_add_many, keel_delete_many or keel_delete_entities with it");

    keeli_command *c = NULL;
    KEEL_TRY(begin_record(list, KEELI_RECORD_MATCHING, keel_null(), parts, &c));
    keel_result result = prepare_terms(list, c, terms, count);
    if (result == KEEL_OK && column) // the last step that may fail, since it may copy the value
        result = prepare_column(list, c, &c->parts[parts - 1], column, 1);
    if (result < 0)
        return result;
    c->edit_matching = edit;
    return append_record(list, c);
}

// Makes a record that names components and has no values; append_record adds it to the list.
static keel_result begin_naming(keel_commands *list, keeli_action does, keel_entity e,
                                const keel_component *const *components, uint32_t count,
                                keeli_command **c) {
    KEEL_TRY(begin_record(list, does, e, count, c));
    for (uint32_t i = 0; i < count; ++i) {
        keel_result result;
        const keeli_storage *s = named(list, does, components[i], &result);
        if (!s)
            return result;
        (*c)->parts[i].number = s->slot;
    }
    return KEEL_OK;
}

keel_result keeli_record_removal(keel_commands *list, bool deletes, keel_entity e,
                                 const keel_component *const *components, uint32_t count) {
    keeli_command *c = NULL;
    KEEL_TRY(begin_naming(list, deletes ? KEELI_RECORD_DELETE : KEELI_RECORD_REMOVE, e, components,
                          count, &c));
    return append_record(list, c);
}

keel_result keeli_record_two(keel_commands *list, keel_entity e, keel_entity other,
                             keeli_edit_two_fn *edit) {
    keeli_command *c = NULL;
    KEEL_TRY(begin_record(list, KEELI_RECORD_EDIT_TWO, e, 0, &c));
    c->edit_two = edit;
    c->parent = other; // analyzer: begin_record() made it, or returned an error
    return append_record(list, c);
}

keel_result keeli_record_name(keel_commands *list, keel_entity e, const char *name) {
    keeli_command *c = NULL;
    const keel_component *component = KEEL_OF(keel_name);
    const size_t bytes = name ? strlen(name) + 1 : 0;
    KEEL_TRY(begin_naming(list, KEELI_RECORD_NAME, e, &component, 1, &c));
    if (bytes) {
        c->data = keeli_arena_new(&list->arena, &list->world->heap, bytes, 1);
        if (!c->data)
            return record_no_memory(list);
        memcpy(c->data, name, bytes);
    }
    return append_record(list, c);
}

// ------------------------------------------------------------------ now or later
keel_result keeli_edit_begin(keel_scope *scope, keeli_caller *who) {
    KEEL_TRY(keeli_caller_must_be(scope, who));
    if (scope->kind == KEELI_SCOPE_READER)
        return keeli_reader_edits_nothing(who->world);
    keeli_edit_lock(who->world, who->editor);
    return KEEL_OK;
}

keel_result keeli_edit_outside(keel_scope *scope, keeli_caller *who, const char *verb) {
    KEEL_TRY(keeli_caller_must_be(scope, who));
    if (who->commands || scope->kind == KEELI_SCOPE_WORLD)
        return KEEL_OK;
    return keeli_misuse(who->world, KEEL_ERROR_ARGUMENT,
                        "a view, context or reader cannot %s; use the world, or commands", verb);
}

keel_result keeli_edit_end(const keeli_caller *who, keel_result result) {
    keeli_edit_unlock(who->world, who->editor);
    return result;
}

keel_result keeli_edit_elsewhere(keel_scope *scope, keel_entity e, keeli_edit_fn *edit) {
    keel_commands *list = keeli_commands_of(scope);
    keeli_command *c = NULL;
    if (!list) {
        keeli_caller who;
        KEEL_TRY(keeli_edit_begin(scope, &who));
        return keeli_edit_end(&who, edit(who.world, who.editor, e));
    }
    KEEL_TRY(begin_record(list, KEELI_RECORD_EDIT, e, 0, &c));
    c->edit = edit;
    return append_record(list, c);
}

keel_result keeli_edit_of_elsewhere(keel_scope *scope, keel_entity e,
                                    const keel_component *component, keeli_edit_of_fn *edit) {
    keel_commands *list = keeli_commands_of(scope);
    keeli_command *c = NULL;
    if (!list) {
        keeli_caller who;
        KEEL_TRY(keeli_edit_begin(scope, &who));
        return keeli_edit_end(&who, edit(who.world, who.editor, e, component));
    }
    KEEL_TRY(begin_naming(list, KEELI_RECORD_EDIT_OF, e, &component, 1, &c));
    c->edit_of = edit;
    return append_record(list, c);
}

keel_result keeli_edit_pair(keel_scope *scope, keel_entity e, const keel_component *relation,
                            keel_entity other, const void *value, keeli_edit_pair_fn *edit) {
    keeli_caller who;
    keel_commands *list = keeli_commands_of(scope);
    keeli_command *c = NULL;
    if (keeli_is_world(scope))
        return edit(keeli_world_of(scope), NULL, e, relation, other, value);
    if (!list) {
        KEEL_TRY(keeli_edit_begin(scope, &who));
        return keeli_edit_end(&who, edit(who.world, who.editor, e, relation, other, value));
    }
    const keel_value values[] = { { relation, value } };
    KEEL_TRY(begin_record(list, KEELI_RECORD_EDIT_PAIR, e, 1, &c));
    KEEL_TRY(prepare_values(list, c, values));
    move_in_values(list, c, values);
    c->parent = other; // analyzer: begin_record() made it, or returned an error
    c->edit_pair = edit;
    return append_record(list, c);
}

keel_result keel_commands_call(keel_commands *commands, keel_command_fn *function, const void *data,
                               size_t size) {
    keeli_command *c = NULL;
    KEEL_TRY(begin_record(commands, KEELI_RECORD_CALL, keel_null(), 0, &c));
    if (!function || (size && !data))
        return keeli_misuse(commands->world, KEEL_ERROR_ARGUMENT,
                            "keel_commands_call needs a function, and data when there is a size");
    c->function = function;
    if (size) {
        c->data =
            keeli_arena_new(&commands->arena, &commands->world->heap, size, _Alignof(max_align_t));
        if (!c->data)
            return record_no_memory(commands);
        memcpy(c->data, data, size);
    }
    return append_record(commands, c);
}
