// SPDX-License-Identifier: MIT
// Readers of changes: systems, readers that the user creates, and code outside of systems that uses
// no reader. Finds out which changes of a value are new to a reader, and walks over removed values.
// Recording changes is not here (changes.c). Called by the user, and by systems for their readers.
#include "changes.h"

#include "base/assert.h"
#include "world/report.h"
#include "world/storage.h"

#include <string.h>

// ------------------------------------------------------------------ readers that wait
keeli_reader *keeli_waiting_reader_find(const keel_world *world, const char *name) {
    for (uint32_t i = 0; i < world->changes.waiting.count; ++i)
        if (strcmp(world->changes.waiting.items[i]->name, name) == 0)
            return world->changes.waiting.items[i];
    return NULL;
}

keeli_reader *keeli_waiting_reader_add(keel_world *world, const char *name) {
    if (!KEELI_RESERVE(&world->heap, &world->changes.waiting, 1))
        return NULL;
    char *own = keeli_new_text(&world->heap, name);
    keeli_reader *reader = own ? KEELI_NEW(&world->heap, keeli_reader) : NULL;
    if (!reader) {
        keeli_free_text(&world->heap, own);
        return NULL;
    }
    *reader = (keeli_reader){ .name = own, .serial = keeli_next_serial(world) };
    *KEELI_APPEND(&world->changes.waiting) = reader;
    return reader;
}

// Removes the reader that waits for a system of this name from the list, and returns it; NULL if
// there is none. The caller has the world's lock.
static keeli_reader *take_waiting_reader(keel_world *world, const char *name) {
    keeli_reader *reader = keeli_waiting_reader_find(world, name);
    if (!reader)
        return NULL;

    uint32_t kept = 0;
    for (uint32_t i = 0; i < world->changes.waiting.count; ++i)
        if (world->changes.waiting.items[i] != reader)
            world->changes.waiting.items[kept++] = world->changes.waiting.items[i];
    world->changes.waiting.count = kept;
    keeli_free_text(&world->heap, (char *)(uintptr_t)reader->name);
    return reader;
}

// Makes the reader of a system that has none yet, or takes the one that waits for it. NULL when out
// of memory.
static keeli_reader *new_system_reader(keel_world *world, const keel_system *system) {
    keeli_reader *reader = take_waiting_reader(world, system->name);
    if (!reader && (reader = KEELI_NEW(&world->heap, keeli_reader)) != NULL)
        reader->serial = keeli_next_serial(world);
    if (reader)
        reader->name = system->name;
    return reader;
}

keeli_reader *keeli_system_reader_get(keel_world *world, const keel_system *system) {
    keeli_pointer_table *readers = &world->changes.system_readers;
    keeli_world_lock(world);
    keeli_reader *reader = keeli_pointer_find(readers, system);
    if (!reader && keeli_pointer_reserve(readers, &world->heap) &&
        (reader = new_system_reader(world, system)) != NULL)
        keeli_pointer_add(readers, system, reader);
    keeli_world_unlock(world);
    return reader;
}

void keeli_reader_forget(keel_world *world, const keeli_reader *reader) {
    for (uint32_t i = 0; i < world->storages.count; ++i)
        keeli_queue_leave(&world->storages.items[i]->tracking.removed, reader);
    for (uint32_t i = 0; i < world->registry.queues.count; ++i)
        keeli_queue_leave(world->registry.queues.items[i]->events, reader);
    keeli_events_flush(world);
}

void keeli_events_flush_all(keel_world *world) {
    for (uint32_t i = 0; i < world->registry.queues.count; ++i) {
        const keeli_storage *s = world->registry.queues.items[i];
        if (s->borrow)
            continue;
        keeli_queue_drop_passed(s->events);
        KEELI_CHECK_STRUCTURE(keeli_queue_is_valid(s->events));
    }
}

// Returns an error while several threads may read the world's list of readers. `done`: what is done
// to the reader ("made"), for the message.
static keel_result may_change_readers(keel_world *world, const char *done) {
    if (!world->access.concurrent)
        return KEEL_OK;
    return keeli_error(world, KEEL_ERROR_SHARED,
                       "a reader cannot be %s while several threads are at work; do that before or "
                       "after",
                       done);
}

// Adds the reader to the spare ones. Until the world is destroyed, the memory of the reader is only
// reused for other readers, so that a call with a destroyed reader can be recognized as an error.
static void spare_reader(keel_world *world, keel_reader *reader) {
    reader->scope.kind = KEELI_SCOPE_DESTROYED;
    reader->world = world;
    reader->next = world->changes.spare_readers;
    world->changes.spare_readers = reader;
}

static bool is_destroyed(const keel_reader *reader) {
    if (reader->scope.kind == KEELI_SCOPE_READER)
        return false;
    KEEL_ASSERT(reader->world, "a reader is used after its world was destroyed; destroying the "
                               "world destroys its readers, so use them only before");
    if (!reader->world)
        return true;
    (void)keeli_misuse(reader->world, KEEL_ERROR_ARGUMENT,
                       "a reader is used after it was destroyed; destroy it after its last use");
    return true;
}

keel_reader *keel_reader_create(keel_world *world, const char *name) {
    if (keeli_is_no_world(world)) {
        keeli_no_world();
        return NULL;
    }
    if (may_change_readers(world, "made") < 0)
        return NULL;

    keel_reader *reader = world->changes.spare_readers;
    if (!reader)
        reader = KEELI_NEW(&world->heap, keel_reader);
    else
        world->changes.spare_readers = reader->next;
    if (reader) {
        *reader = (keel_reader){ .scope.kind = KEELI_SCOPE_DESTROYED };
        reader->reader.name = keeli_new_text(&world->heap, name ? name : "a reader");
    }
    if (!reader || !reader->reader.name) {
        if (reader)
            spare_reader(world, reader);
        keeli_out_of_memory(world, "making a reader");
        return NULL;
    }

    reader->scope.kind = KEELI_SCOPE_READER;
    reader->reader.serial = keeli_next_serial(world);
    reader->reader.kind = KEELI_READER_OF_USER;
    reader->world = world;
    reader->next = world->changes.readers;
    world->changes.readers = reader;
    return reader;
}

void keel_reader_destroy(keel_reader *reader) {
    if (!reader || is_destroyed(reader))
        return;
    keel_world *world = reader->world;
    if (may_change_readers(world, "destroyed") < 0)
        return;

    keeli_reader_forget(world, &reader->reader);
    keel_reader **at = &world->changes.readers;
    while (*at != reader)
        at = &(*at)->next;
    *at = reader->next;

    keeli_free_text(&world->heap, (char *)(uintptr_t)reader->reader.name);
    reader->reader.name = NULL;
    spare_reader(world, reader);
}

void keel_reader_advance(keel_reader *reader) {
    if (!reader || is_destroyed(reader))
        return;
    keel_world *world = reader->world;
    if (may_change_readers(world, "advanced") < 0)
        return;

    reader->reader.last = keel_tick(world);
    if (world->refused)
        return; // other threads may be sending events
    for (uint32_t i = 0; i < world->registry.queues.count; ++i) {
        keeli_queue *events = world->registry.queues.items[i]->events;
        keeli_queue_reader *r = keeli_queue_find(events, &reader->reader);
        if (r)
            r->next = keeli_queue_end(events);
    }
    keeli_events_flush(world);
}

void keel_reader_keep(keel_reader *reader) {
    if (reader && !is_destroyed(reader))
        reader->reader.is_kept = true;
}

void keeli_readers_deinit(keel_world *world) {
    keel_reader **const all[] = { &world->changes.readers, &world->changes.spare_readers };
    for (uint32_t i = 0; i < 2; ++i)
        for (keel_reader *r; (r = *all[i]) != NULL;) {
            *all[i] = r->next;
            r->scope.kind = KEELI_SCOPE_DESTROYED;
            r->world = NULL; // the error of a later use names no world
            keeli_free_text(&world->heap, (char *)(uintptr_t)r->reader.name);
            KEELI_FREE(&world->heap, keel_reader, r);
        }

    for (uint32_t i = 0; i < world->changes.waiting.count; ++i) {
        keeli_reader *reader = world->changes.waiting.items[i];
        keeli_free_text(&world->heap, (char *)(uintptr_t)reader->name);
        KEELI_FREE(&world->heap, keeli_reader, reader);
    }
    KEELI_RELEASE(&world->heap, &world->changes.waiting);
    for (uint32_t i = 0; i < world->changes.system_readers.capacity; ++i)
        KEELI_FREE(&world->heap, keeli_reader, world->changes.system_readers.items[i].value);
    keeli_pointer_table_deinit(&world->changes.system_readers, &world->heap);
}

static uint32_t changes_of(const keel_world *world, const keeli_storage *s,
                           const keeli_reader *reader, uint32_t index) {
    const keeli_tracking *t = &s->tracking;
    if (!keeli_store_has(s, index))
        return 0;

    uint32_t changes = 0;
    for (uint32_t kind = KEEL_TRACK_INSERTION; kind <= KEEL_TRACK_MODIFICATION; kind *= 2) {
        const keeli_ticks *ticks = kind == KEEL_TRACK_INSERTION ? &t->inserted : &t->modified;
        const keeli_tick_range w = keeli_tick_range_for(world, s, reader, kind);
        if (keeli_is_within(w, keeli_ticks_get(ticks, index)))
            changes |= kind;
    }
    return changes;
}

static uint32_t unique_changes(const keeli_storage *s, const keeli_reader *reader) {
    if (!s->unique)
        return 0;
    const bool set = s->set_at > (reader ? reader->last : s->cleared_inserted);
    const bool changed = s->changed_at > (reader ? reader->last : s->cleared_modified);
    return (set ? KEEL_TRACK_INSERTION : 0u) | (changed ? KEEL_TRACK_MODIFICATION : 0u);
}

// Returns the storage of the component or unique if the scope may look at it, or NULL.
static keeli_storage *tracked_storage(const keel_scope *scope, const keel_component *component,
                                      bool is_unique, keeli_caller *who) {
    if (keeli_caller_is(scope, who) < 0 || !component)
        return NULL;
    keeli_storage *s = who->holder ? keeli_look_up(who, component, KEEL_ACCESS_READ)
                                   : keeli_storage_find(who->world, component);
    return s && s->component.is_unique == is_unique ? s : NULL;
}

uint32_t(keel_changes_of_component)(const keel_scope *scope, keel_entity e,
                                    const keel_component *component) {
    keeli_caller who;
    const bool is_unique = component && component->is_unique;
    const keeli_storage *s = tracked_storage(scope, component, is_unique, &who);
    if (s && is_unique)
        return unique_changes(s, who.reader);
    if (!s || !keeli_entity_is_alive(&who.world->entities, e))
        return 0;
    return changes_of(who.world, s, who.reader, keeli_index_of(e));
}

static keel_removal_walk removals_begin(keel_world *world, keeli_storage *s,
                                        const keeli_reader *reader, uint32_t kinds) {
    keel_removal_walk walk = { .kinds = kinds, .whole = true };
    if (s && keeli_check_track_kinds(world, "a walk over removals", &s->component, kinds) < 0)
        return walk;
    const uint32_t of_these = kinds & (KEEL_TRACK_DELETION | KEEL_TRACK_REMOVAL);
    const char *asker = reader ? reader->name : "a walk over removals";
    if (!s || keeli_track_for(world, s, of_these, asker) < 0)
        return walk;

    keeli_queue *log = &s->tracking.removed;
    if (reader) { // from now on, the log keeps entries until this reader has passed them
        keeli_world_lock(world);
        const bool joined = keeli_queue_join(log, &world->heap, reader, false) != NULL;
        keeli_world_unlock(world);
        if (!joined) {
            keeli_out_of_memory(world, "reading removals");
            return walk;
        }
    } else if (!world->refused) {
        log->world_reads = true;
    }

    walk.world = world;
    walk.number = s->slot;
    walk.next = log->begin;
    walk.last = reader ? reader->last : log->cleared[true];
    walk.last_removed = reader ? reader->last : log->cleared[false];
    return walk;
}

bool keel_removal_next(keel_removal_walk *walk) {
    const keeli_storage *s = walk && walk->world ? walk->world->root.storages[walk->number] : NULL;
    if (!s)
        return false; // the component was unregistered meanwhile

    const keeli_queue *log = &s->tracking.removed;
    if (walk->next < log->begin)
        walk->next = log->begin; // entries were dropped meanwhile
    while (walk->next < keeli_queue_end(log)) {
        const uint64_t number = walk->next++;
        const keeli_removed *entry = keeli_queue_removed_at(log, number);
        const uint32_t kind = entry->deleted ? KEEL_TRACK_DELETION : KEEL_TRACK_REMOVAL;
        const uint64_t last = entry->deleted ? walk->last : walk->last_removed;
        if (!(walk->kinds & kind) || entry->tick <= last)
            continue;

        const bool has_value = entry->deleted && log->size;
        walk->removal =
            (keel_removal){ entry->entity, has_value ? keeli_queue_at(log, number) : NULL,
                            entry->tick, entry->deleted };
        return true;
    }
    return false;
}

keel_removal_walk(keel_removals)(keel_scope *scope, const keel_component *component,
                                 uint32_t kinds) {
    keeli_caller who = { 0 };
    const bool is_unique = component && component->is_unique;
    keeli_storage *s = tracked_storage(scope, component, is_unique, &who);
    if (!scope)
        (void)keeli_no_world();
    return removals_begin(who.world, s, who.reader, kinds);
}

uint64_t keeli_missed_removals(const keel_scope *scope, const keel_component *component) {
    keeli_caller who;
    const keeli_storage *s = tracked_storage(scope, component, false, &who);
    if (!s)
        return 0;

    keeli_world_lock(who.world); // other threads may add their readers to the log
    const keeli_queue *log = &s->tracking.removed;
    const uint64_t missed = keeli_queue_missed(log, keeli_queue_next(log, who.reader));
    keeli_world_unlock(who.world);
    return missed;
}
