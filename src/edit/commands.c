// SPDX-License-Identifier: MIT
// Applies and drops the edits that world/record.c recorded: the records of a list in the order of
// recording, and the lists in the order of the queue.
#include "edit/commands.h"

#include "edit/batch.h"
#include "world/borrow.h"
#include "world/registry.h"
#include "world/report.h"

#include <string.h>

// ------------------------------------------------------------------ dropping
static __attribute__((noinline)) void drop_command(keel_world *world, keeli_command *c) {
    for (uint32_t i = 0; i < c->count; ++i)
        keeli_part_drop(world, &c->parts[i]);
    const bool makes_many = c->does == KEELI_RECORD_ADD_ENTITIES || c->does == KEELI_RECORD_CLONE ||
                            c->does == KEELI_RECORD_SPAWN;
    if (!makes_many && c->does != KEELI_RECORD_ADD_ENTITY && c->does != KEELI_RECORD_ADD_CHILD)
        return;
    const keel_entity *made = makes_many ? c->many->items : &c->entity;
    keeli_edit_lock(world, c);
    for (uint32_t i = makes_many ? c->many->count : 1; i--;)
        if (keeli_entity_index_is_held(&world->entities, made[i]))
            keeli_entity_index_release(&world->entities, made[i]);
    keeli_edit_unlock(world, c);
}

static void drop_commands(keel_world *world, const keel_commands *list) {
    for (keeli_command *c = list->first; c; c = c->next)
        drop_command(world, c);
}

void keeli_commands_discard(keel_world *world, keel_commands *list) {
    drop_commands(world, list);
    keeli_commands_spare(world, list);
}

void keeli_commands_deinit(keel_world *world) {
    keel_commands **const all[] = { &world->commands.pending, &world->commands.spare,
                                    &world->commands.shared, &world->commands.own,
                                    &world->followers.reaction };
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
                                         world->commands.shared, world->followers.reaction };
    for (uint32_t i = 0; i < sizeof all / sizeof *all; ++i)
        for (const keel_commands *list = all[i]; list; list = list->next)
            for (keeli_command *c = list->first; c; c = c->next)
                for (uint32_t k = 0; k < c->count; ++k)
                    if (c->parts[k].number == storage->slot)
                        keeli_part_drop(world, &c->parts[k]);
}

// ------------------------------------------------------------------ applying
static void count_dropped(keel_world *world) {
    keeli_world_lock(world);
    ++world->commands.dropped;
    keeli_world_unlock(world);
}

// Creates a recorded entity. If its parent is no longer alive, the entity becomes a root, and a
// dropped command is counted.
static keel_result apply_add_held(keel_world *world, const keeli_holder *holder,
                                  const keeli_command *c, const keel_value *values) {
    const bool is_child = c->does == KEELI_RECORD_ADD_CHILD,
               has_parent = is_child && keeli_entity_is_alive(&world->entities, c->parent);
    if (has_parent)
        return keeli_edit_add_child_held(world, c->entity, c->parent, values);
    const keel_result result = keeli_edit_add_held(world, holder, c->entity, values);
    if (is_child && result == KEEL_OK)
        count_dropped(world);
    return result;
}

static keel_result apply_adding(keel_world *world, const keeli_holder *holder,
                                const keeli_command *c) {
    keel_value few[KEELI_SIZE(9, 2)], *values = few;
    const size_t bytes = (c->count + 1) * sizeof *values;
    if (bytes > sizeof few && !(values = keeli_new(&world->heap, bytes, _Alignof(keel_value))))
        return keeli_out_of_memory(world, "applying commands");
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->count; ++i) { // skips components that were unregistered since
        const keeli_storage *s = keeli_part_storage(world, &c->parts[i]);
        if (s)
            values[n++] = (keel_value){ &s->component, c->parts[i].value };
        else if (c->parts[i].count)
            values[n++] = (keel_value){ &keeli_if_missing, NULL };
    }
    values[n] = (keel_value){ NULL, NULL };
    const keel_result result =
        c->does != KEELI_RECORD_ADD ? apply_add_held(world, holder, c, values)
        : holder                    ? keeli_edit_add_values(world, holder, c->entity, values)
                                    : keeli_world_add_values(&world->root.scope, c->entity, values);
    if (values != few)
        keeli_free(&world->heap, values, bytes, _Alignof(keel_value));
    return result;
}

// Deletes all components of the record or, on error, none.
static keel_result apply_deletion(keel_world *world, const keeli_holder *holder,
                                  const keeli_command *c) {
    const keel_component *few[KEELI_SIZE(9, 2)], **list = few;
    const size_t bytes = (c->count + 1) * sizeof *list;
    if (bytes > sizeof few && !(list = keeli_new(&world->heap, bytes, _Alignof(void *))))
        return keeli_out_of_memory(world, "applying commands");
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->count; ++i) {
        const keeli_storage *s = keeli_part_storage(world, &c->parts[i]);
        if (s)
            list[n++] = &s->component;
    }
    list[n] = NULL;
    const keel_result result = n == 1 && !holder
                                   ? keeli_world_delete(&world->root.scope, c->entity, *list)
                                   : keeli_edit_delete_components(world, holder, c->entity, list);
    if (list != few)
        keeli_free(&world->heap, list, bytes, _Alignof(void *));
    return result;
}

// The functions from here to call_function are not inlined, so that applying a record about one
// entity needs no stack for a batch.
static __attribute__((noinline)) keel_result
apply_add_entities(keel_world *world, const keeli_holder *holder, keeli_command *c) {
    const uint32_t count = c->many->count;
    keeli_batch b;
    keeli_batch_begin_held(&b, world, c->many->items, count, "adding entities");
    for (uint32_t k = 0; k < c->count && b.result == KEEL_OK; ++k) {
        const keeli_command_part *p = &c->parts[k];
        keeli_storage *s = keeli_part_storage(world, p);
        if (!s || !keeli_storage_to_edit(world, holder, &s->component, "add", &b.result))
            continue;
        const bool is_column = p->count == count;
        keeli_batch_add(&b, holder, s, p->value, is_column ? s->size : 0,
                        is_column ? KEELI_HANDED_OVER : KEELI_COPIED);
    }
    keeli_batch_create(&b, holder, NULL);
    const keel_result result = keeli_batch_finish(&b);
    for (uint32_t k = 0; k < c->count && result == KEEL_OK; ++k)
        if (c->parts[k].count != count)
            keeli_part_drop(world, &c->parts[k]);
    return result;
}

static __attribute__((noinline)) keel_result apply_spawn(keel_world *world, keeli_command *c) {
    const uint32_t count = c->many->count / c->many->each;
    const size_t bytes = (c->count + 1) * sizeof(keel_value_column);
    keel_value_column *columns = keeli_new(&world->heap, bytes, _Alignof(keel_value_column));
    if (!columns)
        return keeli_out_of_memory(world, "applying commands");
    uint32_t n = 0;
    for (uint32_t k = 0; k < c->count; ++k) { // skips components that were unregistered since
        const keeli_command_part *p = &c->parts[k];
        const keeli_storage *s = keeli_part_storage(world, p);
        if (s)
            columns[n++] =
                (keel_value_column){ &s->component, p->value, p->count == count ? s->size : 0 };
    }
    columns[n] = (keel_value_column){ NULL, NULL, 0 };
    const keel_result result = c->edit_spawn(world, c->entity, c->many, columns);
    keeli_free(&world->heap, columns, bytes, _Alignof(keel_value_column));
    for (uint32_t k = 0; k < c->count && result == KEEL_OK; ++k)
        if (c->parts[k].count != count)
            keeli_part_drop(world, &c->parts[k]);
    return result;
}

// Applies KEELI_RECORD_ADD_MANY: adds a component to those entities of the list that are still
// alive.
static __attribute__((noinline)) keel_result
apply_add_many(keel_world *world, const keeli_holder *holder, keeli_command *c) {
    keeli_command_part *p = c->parts;
    keeli_storage *s = keeli_part_storage(world, p);
    if (!s)
        return KEEL_ABSENT;
    const bool is_column = p->count == c->many->count;
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->many->count; ++i) {
        char *value = is_column ? (char *)p->value + (size_t)i * s->size : NULL;
        const bool lives = keeli_entity_is_alive(&world->entities, c->many->items[i]);
        if (is_column && !lives)
            keeli_value_drop(s, value);
        if (!lives)
            continue;
        if (is_column && i != n)
            keeli_value_move(s, (char *)p->value + (size_t)n * s->size, value);
        c->many->items[n++] = c->many->items[i];
    }
    if (is_column)
        p->count = n;
    c->many->count = n;
    if (!n)
        return KEEL_ERROR_DEAD_ENTITY;
    const keel_value_column column = { &s->component, p->value, is_column ? s->size : 0 };
    const keel_result result = keeli_edit_add_many(world, holder, c->many->items, n, &column);
    if (result == KEEL_OK && !is_column)
        keeli_part_drop(world, p);
    return result;
}

// Applies an edit of all entities that match the recorded terms. KEEL_ABSENT, which drops the
// record, if one of its components was unregistered since.
static __attribute__((noinline)) keel_result apply_matching(keel_world *world, keeli_command *c) {
    keeli_command_part *last = c->count ? &c->parts[c->count - 1] : NULL;
    for (uint32_t k = 0; k < c->count; ++k)
        if (!c->parts[k].number)
            return KEEL_ABSENT;
    const keeli_storage *s = last ? keeli_part_storage(world, last) : NULL;
    const keel_result result =
        c->edit_matching(world, c->terms, s ? &s->component : NULL, last ? last->value : NULL);
    if (result == KEEL_OK && last)
        keeli_part_drop(world, last); // each entity got a copy of the value
    return result;
}

// Calls a recorded function of the user's. If the function fails without reporting an error,
// reports one.
static __attribute__((noinline)) keel_result call_function(keel_world *world,
                                                           const keeli_command *c) {
    const uint64_t errors = keeli_atomic_peek(&world->reports.count);
    const keel_result result = keeli_guard_in_use
                                   ? keeli_guard_in_use->command(c->function, world, c->data)
                                   : c->function(world, c->data);
    if (result < 0 && keeli_atomic_peek(&world->reports.count) == errors)
        return keeli_error(world, result, "a function of keel_commands_call failed: %s",
                           keel_result_text(result));
    return result;
}

static keel_result apply_one(keel_world *world, const keeli_holder *holder, keeli_command *c) {
    keeli_storage *s = c->count ? keeli_part_storage(world, c->parts) : NULL;
    const keel_component *component = s ? &s->component : NULL;
    switch (c->does) {
    case KEELI_RECORD_ADD_ENTITY:
    case KEELI_RECORD_ADD_CHILD:
    case KEELI_RECORD_ADD:
        return apply_adding(world, holder, c);
    case KEELI_RECORD_ADD_ENTITIES:
        return apply_add_entities(world, holder, c);
    case KEELI_RECORD_ADD_MANY:
        return apply_add_many(world, holder, c);
    case KEELI_RECORD_REPLACE:
        return s ? keeli_edit_replace(world, holder, c->entity, component, c->parts->value)
                 : KEEL_ABSENT;
    case KEELI_RECORD_REMOVE:
        if (!s)
            return KEEL_ABSENT;
        return holder ? keeli_edit_remove(world, holder, c->entity, component, NULL)
                      : keeli_world_remove(&world->root.scope, c->entity, component, NULL);
    case KEELI_RECORD_DELETE:
        return apply_deletion(world, holder, c);
    case KEELI_RECORD_DELETE_MANY:
        return s ? keeli_edit_delete_many(world, holder, c->many->items, c->many->count, component)
                 : KEEL_ABSENT;
    case KEELI_RECORD_SEND:
        return s ? keeli_edit_send_event(world, holder, s, c->parts->value) : KEEL_ABSENT;
    case KEELI_RECORD_SET_UNIQUE:
        return s ? keeli_edit_set_unique(world, holder, s, c->parts->value) : KEEL_ABSENT;
    case KEELI_RECORD_REMOVE_UNIQUE:
        return s ? keeli_edit_remove_unique(world, holder, s, NULL) : KEEL_ABSENT;
    case KEELI_RECORD_NAME:
        return s ? keeli_edit_name(world, holder, c->entity, c->data) : KEEL_ABSENT;
    case KEELI_RECORD_EDIT_OF:
        return s ? c->edit_of(world, holder, c->entity, component) : KEEL_ABSENT;
    case KEELI_RECORD_EDIT_PAIR:
        return s ? c->edit_pair(world, holder, c->entity, component, c->parent, c->parts->value)
                 : KEEL_ABSENT;
    case KEELI_RECORD_EDIT:
        return c->edit(world, NULL, c->entity);
    case KEELI_RECORD_EDIT_TWO:
        return c->edit_two(world, NULL, c->entity, c->parent);
    case KEELI_RECORD_CLONE:
        return keeli_edit_clone(world, c->entity, c->many->items, c->many->count);
    case KEELI_RECORD_SPAWN:
        return apply_spawn(world, c);
    case KEELI_RECORD_DELETE_ENTITIES:
        return keeli_edit_delete_entities(world, NULL, c->many->items, c->many->count);
    case KEELI_RECORD_MATCHING:
        return apply_matching(world, c);
    case KEELI_RECORD_CALL:
        return call_function(world, c);
    }
    return KEEL_OK;
}

// True if the entity of the command was not alive any more.
static bool is_dead_end(const keeli_command *c, keel_result result) {
    return c->does != KEELI_RECORD_CALL &&
           (result == KEEL_ERROR_DEAD_ENTITY ||
            (result == KEEL_ABSENT && c->does == KEELI_RECORD_EDIT &&
             (c->edit == keeli_edit_delete_entity || c->edit == keeli_edit_delete_tree)));
}

// Applies one list. After KEEL_ERROR_MEMORY or KEEL_ERROR_THREAD the list still has the command
// that failed, unless it called a function, and the commands after it.
static keel_result apply_list(keel_world *world, const keeli_holder *holder, keel_commands *list) {
    keel_result first_error = KEEL_OK;
    while (list->first) {
        keeli_command *c = list->first;
        keeli_edit_lock(world, holder);
        const keel_result result = apply_one(world, holder, c);
        keeli_edit_unlock(world, holder);
        const bool stays = result == KEEL_ERROR_MEMORY || result == KEEL_ERROR_THREAD;
        if (stays && c->does != KEELI_RECORD_CALL)
            return result;
        if (result != KEEL_OK)
            drop_command(world, c); // the world did not get the recorded values
        if (is_dead_end(c, result)) {
            count_dropped(world);
            keeli_forget_dead_entity(world);
        } else if (result < 0 && first_error == KEEL_OK) {
            first_error = result;
        }
        list->first = c->next;
        if (!list->first)
            list->last = NULL;
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
    if (!keeli_commands_queue_own(world))
        return keeli_out_of_memory(world, "applying commands");
    // lists that are queued meanwhile are applied by the next call
    const keel_commands *last = world->commands.pending_end;
    world->commands.applying = true;
    world->workers.own.has_caught = false;
    for (bool more = last != NULL; more;) {
        keel_commands *list = world->commands.pending;
        const keel_result result = apply_list(world, NULL, list);
        if (first_error == KEEL_OK)
            first_error = result < 0 ? result : KEEL_OK;
        if (list->first)
            break; // the list has commands left, so it stays pending
        more = list != last;
        world->commands.pending = list->next;
        if (!world->commands.pending)
            world->commands.pending_end = NULL;
        keeli_commands_spare(world, list);
    }
    world->commands.applying = false;
    if (first_error == KEEL_OK && world->workers.own.has_caught)
        first_error = KEEL_ERROR_SYSTEM;
    return keeli_done(world, first_error);
}

keel_result keeli_commands_apply(keel_world *world, const keeli_holder *holder,
                                 keel_commands *list) {
    const bool outermost = !holder && !world->commands.applying;
    if (outermost)
        world->commands.applying = true;
    const keel_result result = apply_list(world, holder, list);
    if (outermost)
        world->commands.applying = false;
    if (!list->first)
        keeli_commands_spare(world, list);
    return result;
}

keel_result keeli_commands_flush_slow(keel_world *world) {
    if (world->commands.applying || world->access.holders)
        return KEEL_OK;
    return keeli_commands_are_pending(world) ? apply_pending(world) : keeli_done(world, KEEL_OK);
}

// ------------------------------------------------------------------ commands of observers
enum { rounds_at_most = 64 };

// Applies what observers recorded. These edits notify observers, which may record more commands:
// each round applies the commands of the round before.
static void react(keel_world *world) {
    keeli_followers *f = &world->followers;
    uint32_t rounds = 0;
    keel_result result = KEEL_OK;
    world->commands.reacting = true;
    while (f->has_reactions && result != KEEL_ERROR_MEMORY && rounds++ < rounds_at_most) {
        // observers that are called in this round record into `next`
        keel_commands *now = f->reaction, *next = keeli_commands_acquire(world);
        if (next) {
            f->reaction = next;
            f->has_reactions = false;
            result = keeli_commands_apply_now(world, now);
            f->has_reactions |= !keeli_commands_is_empty(next);
        } else {
            result = keeli_out_of_memory(world, "applying commands of observers");
        }
    }
    world->commands.reacting = false;
    if (!f->has_reactions || rounds <= rounds_at_most)
        return;
    keeli_commands_discard(world, f->reaction);
    f->reaction = keeli_commands_acquire(world); // cannot fail: the discarded list is spare now
    f->has_reactions = false;
    keeli_error(world, KEEL_ERROR_CYCLE,
                "observers react to each other's edits without end: the commands that they "
                "recorded in round %d are dropped; let them record an edit only if it is needed",
                (int)rounds_at_most);
}

void keeli_flush(keel_world *world) {
    if (world->followers.has_pending)
        keeli_view_observers_flush(world);
    // if commands are being applied or a storage is borrowed, a later call applies them
    if (!world->followers.has_reactions || world->commands.applying || world->commands.reacting ||
        world->followers.calling || world->access.holders || world->refused)
        return;
    react(world);
}

keel_commands *keel_world_commands(keel_world *world) {
    if (keeli_is_no_world(world)) {
        keeli_no_world();
        return NULL;
    }
    if (!(world->refused & KEELI_REFUSED_SHARED))
        return world->commands.own;
    if (keeli_is_in_allocator(world)) {
        (void)keeli_world_is_editable(world); // reports why not
        return NULL;
    }
    keel_commands *list = keeli_commands_of_thread(world);
    if (!list)
        keeli_out_of_memory(world, "making a list of commands for a thread");
    return list;
}

keel_result keel_apply_commands(keel_world *world) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    KEEL_TRY(keeli_world_is_editable(world));
    if (world->commands.applying)
        return keeli_error(world, KEEL_ERROR_BORROWED,
                           "commands are being applied; what is recorded now is applied next time");
    KEEL_TRY(keeli_nothing_is_open(world, "cannot apply commands"));
    return apply_pending(world);
}
