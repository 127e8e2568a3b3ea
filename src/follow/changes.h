// SPDX-License-Identifier: MIT
// Change tracking: records when values were inserted and modified, and which values were removed,
// and keeps the readers of these records. It neither calls observers (observers.c) nor stores ticks
// itself (data/ticks.h). Called by edits through follow.h, by loops (find/change.c) and by systems
// (run/call.c).
//
// Time: world->changes.tick is the tick of a change that is made now. Each run of a system has one
// tick. When the run is over, the system has seen all changes up to that tick, and the world
// advances to the next one. A system that runs beside others has its own tick, given by its place
// in the linear order: while it holds a storage to write or edit, `tracking.now` of that storage is
// its tick. No other system touches the storage meanwhile, so the ticks of each storage ascend,
// whatever runs in parallel. The commands of a system are applied after it, with a later tick.
#pragma once
#include "world/scope.h"

// Returns a tick relative to the world's base, as ticks of values are stored; 0 if it is before the
// base.
static inline uint32_t keeli_tick_of(const keel_world *world, uint64_t tick) {
    return tick > world->changes.tick_base ? (uint32_t)(tick - world->changes.tick_base) : 0;
}
// Returns the tick of a change that the holder makes.
static inline uint64_t keeli_holder_now(const keel_world *world, const keeli_holder *holder) {
    if (holder->parent)
        holder = holder->parent;
    return holder->tick ? holder->tick : world->changes.tick;
}
// Returns the tick of a change that is made to the storage now.
static inline uint64_t keeli_now(const keel_world *world, const keeli_storage *s) {
    return s->tracking.now ? s->tracking.now : world->changes.tick;
}
static inline uint32_t keeli_tick_now(const keel_world *world, const keeli_storage *s) {
    return keeli_tick_of(world, keeli_now(world, s));
}
// The highest 32-bit tick: once the present is this far from the base, the base is raised.
#define KEELI_TICK_SPAN 0xFFF00000u
void keeli_ticks_rebase_all(keel_world *world);
static inline void keeli_tick_advance(keel_world *world) {
    if (++world->changes.tick - world->changes.tick_base >= KEELI_TICK_SPAN)
        keeli_ticks_rebase_all(world);
}
// Returns the range of ticks whose insertions or modifications (`kind`) are new to the reader.
// `reader` NULL: the caller outside of systems, to whom all changes since keel_clear_changes are
// new.
keeli_tick_range keeli_tick_range_for(const keel_world *world, const keeli_storage *s,
                                      const keeli_reader *reader, uint32_t kind);

// Starts to track these kinds of changes, besides those tracked already. False when out of memory.
bool keeli_track(keel_world *world, keeli_storage *s, uint32_t kinds);
// Starts to track kinds of changes, if they are not tracked yet. `asker`: the name of the view or
// reader that needs them, for messages. Returns KEEL_ERROR_SHARED if tracking cannot begin now,
// because a workload or several threads use the world.
keel_result keeli_track_for(keel_world *world, keeli_storage *s, uint32_t kinds, const char *asker);
bool keeli_tracking_is_valid(const keeli_storage *s);

// True if a tracked storage has room for one more value on a page of 4,096 indices that has values.
// Such a page has its ticks, so only the logs are checked.
static inline bool keeli_track_has_room(const keeli_storage *s) {
    const keeli_tracking *t = &s->tracking;
    const keeli_queue *log = &t->removed;
    const uint32_t values = s->presence.count + s->disabled.count + 1;
    if (t->kinds & KEEL_TRACK_INSERTION && !keeli_ticks_has_log(&t->inserted, values))
        return false;
    if (t->kinds & KEEL_TRACK_MODIFICATION && !keeli_ticks_has_log(&t->modified, values))
        return false;
    return !(t->kinds & (KEEL_TRACK_DELETION | KEEL_TRACK_REMOVAL)) ||
           log->capacity >= log->limit || (uint64_t)log->count + values <= log->room;
}
// Makes room for `extra` values, one of them at the index, for the kinds of changes that are
// tracked. False when out of memory.
bool keeli_track_reserve(keel_world *world, keeli_storage *s, uint32_t index, uint32_t extra);
// Records that an index, or a run of `count` indices, got a value. The storage must be tracked.
void keeli_track_inserted(const keel_world *world, keeli_storage *s, uint32_t index);
void keeli_track_inserted_run(const keel_world *world, keeli_storage *s, uint32_t index,
                              uint32_t count);
// Records that a value changed. The storage is marked or stamped (keeli_writes_are_seen).
void keeli_track_modified_slow(const keel_world *world, keeli_storage *s, uint32_t index);
// True if a write of a value must be marked as a modification.
static inline bool keeli_is_marked(const keeli_storage *s) { return s->flags & KEELI_IS_MARKED; }
// True if a write of a value must be marked, or stamped for snapshots.
static inline bool keeli_writes_are_seen(const keeli_storage *s) {
    return s->flags & (KEELI_IS_MARKED | KEELI_IS_STAMPED);
}
_Static_assert((int)KEELI_IS_MARKED + (int)KEELI_IS_STAMPED == (int)KEELI_WRITE_MARKS,
               "KEELI_WRITE_MARKS, which keel_get_mut reads, consists of both flags");
static inline void keeli_track_modified(const keel_world *world, keeli_storage *s, uint32_t index) {
    if (keeli_writes_are_seen(s))
        keeli_track_modified_slow(world, s, index);
}
// Marks a changed value. The storage must have the flag KEELI_IS_MARKED, and nothing may borrow it,
// so that no iterator reads the log. False if nothing was done: the caller takes the general path.
static inline bool keeli_track_modified_fast(const keel_world *world, keeli_storage *s,
                                             uint32_t index) {
    return keeli_ticks_mark_fast(&s->tracking.modified, index,
                                 (uint32_t)(world->changes.tick - world->changes.tick_base));
}
// Logs that the value of an entity is removed: it is moved out to the caller (KEEL_TRACK_REMOVAL)
// or deleted (KEEL_TRACK_DELETION). True if the value was moved into the log, so that the caller
// must not drop it.
bool keeli_track_removed(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                         void *value);

// Returns the reader of a system that is run by itself, and makes it if there is none. NULL when
// out of memory.
keeli_reader *keeli_system_reader_get(keel_world *world, const keel_system *system);
// Readers that wait for single systems that have not run yet, because a snapshot that was read from
// bytes has their state (rewind/unpack.c). keeli_system_reader_get hands them out by the name of
// the system. keeli_waiting_reader_find returns NULL if no reader waits for a system of this name,
// keeli_waiting_reader_add NULL when out of memory.
keeli_reader *keeli_waiting_reader_find(const keel_world *world, const char *name);
keeli_reader *keeli_waiting_reader_add(keel_world *world, const char *name);
// Removes the reader from all logs and queues, so that none keeps entries for it.
void keeli_reader_forget(keel_world *world, const keeli_reader *reader);
// Frees the events that every reader has passed, in all queues that are not in use.
// keeli_events_flush does nothing in a world without events, and while edits are refused.
void keeli_events_flush_all(keel_world *world);
static inline void keeli_events_flush(keel_world *world) {
    if (world->registry.queues.count && !world->refused)
        keeli_events_flush_all(world);
}
// True if no value was inserted or modified since the reader looked.
static inline bool keeli_nothing_changed(const keel_world *world, const keeli_storage *s,
                                         const keeli_reader *reader) {
    const uint32_t last = keeli_tick_of(world, reader->last);
    return s->tracking.inserted.latest <= last && s->tracking.modified.latest <= last;
}
// Returns KEEL_OK if `kinds` consists of KEEL_TRACK_* bits, or else an error that names the public
// function and the component (NULL: all components).
keel_result keeli_check_track_kinds(keel_world *world, const char *call, const keel_component *c,
                                    uint32_t kinds);
void keeli_readers_deinit(keel_world *world);
// Returns how many entries of the component's log of removals were dropped before the caller read
// them: the part of keel_missed_component that is about components.
uint64_t keeli_missed_removals(const keel_scope *scope, const keel_component *component);
