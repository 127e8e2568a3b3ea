// SPDX-License-Identifier: MIT
// Tracking: which changes are recorded, when, and for whom.
//
// Time. world->changes.tick is the tick of what is changed now. A run of a system has one tick;
// when it is over the system has seen all up to it, and the world goes on to the next. A system
// that runs beside others has a tick of its own, by its place in the linear order: while it holds a
// storage to write or edit, `tracking.now` of that storage is its tick. Nobody else touches the
// storage meanwhile, so the ticks of each storage ascend, whatever runs beside. The commands of a
// system are applied after it, with a later tick.
#pragma once
#include "world/scope.h"

static inline uint32_t keeli_tick_of(const keel_world *world, uint64_t tick) {
    return tick > world->changes.tick_base ? (uint32_t)(tick - world->changes.tick_base) : 0;
}
// The tick of what a holder changes.
static inline uint64_t keeli_holder_now(const keel_world *world, const keeli_holder *holder) {
    if (holder->parent) holder = holder->parent;
    return holder->tick ? holder->tick : world->changes.tick;
}
// The tick of a change of this storage that is made now.
static inline uint64_t keeli_now(const keel_world *world, const keeli_storage *s) {
    return s->tracking.now ? s->tracking.now : world->changes.tick;
}
static inline uint32_t keeli_tick_now(const keel_world *world, const keeli_storage *s) {
    return keeli_tick_of(world, keeli_now(world, s));
}
// 32-bit ticks reach so far above the base; then the base rises.
#define KEELI_TICK_SPAN 0xFFF00000u
void keeli_ticks_rebase_all(keel_world *world);
static inline void keeli_tick_advance(keel_world *world) {
    if (++world->changes.tick - world->changes.tick_base >= KEELI_TICK_SPAN)
        keeli_ticks_rebase_all(world);
}
// What a reader (NULL: somebody outside of systems) sees of insertions or modifications.
keeli_tick_range keeli_tick_range_for(const keel_world *world, const keeli_storage *s,
                                      const keeli_reader *reader, uint32_t kind);

// Track these kinds too. False when out of memory.
bool keeli_track(keel_world *world, keeli_storage *s, uint32_t kinds);
// Somebody asks for changes of these kinds, and has them tracked from then on: KEEL_OK;
// KEEL_ERROR_SHARED where that cannot begin, while several threads or a workload may be at work;
// KEEL_ERROR_MEMORY.
keel_result keeli_track_for(keel_world *world, keeli_storage *s, uint32_t kinds, const char *asker);
bool keeli_tracking_is_valid(const keeli_storage *s);

// Is there room for one more value on a page of 4,096 indices that has some, and so has its ticks?
// The storage is tracked.
static inline bool keeli_track_has_room(const keeli_storage *s) {
    const keeli_tracking *t = &s->tracking;
    const keeli_queue *log = &t->removed;
    const uint32_t values = s->presence.count + s->disabled.count + 1;
    if (t->kinds & KEEL_TRACK_INSERTION && !keeli_ticks_has_log(&t->inserted, values)) return false;
    if (t->kinds & KEEL_TRACK_MODIFICATION && !keeli_ticks_has_log(&t->modified, values))
        return false;
    return !(t->kinds & (KEEL_TRACK_DELETION | KEEL_TRACK_REMOVAL)) ||
           log->capacity >= log->limit || (uint64_t)log->count + values <= log->room;
}
// Make room for `extra` values, one at this index, as far as the storage is tracked.
bool keeli_track_reserve(keel_world *world, keeli_storage *s, uint32_t index, uint32_t extra);
// Indices got values; the storage is tracked.
void keeli_track_inserted(const keel_world *world, keeli_storage *s, uint32_t index);
void keeli_track_inserted_run(const keel_world *world, keeli_storage *s, uint32_t index,
                              uint32_t count);
// A value changed; the storage may be untracked.
void keeli_track_modified_slow(const keel_world *world, keeli_storage *s, uint32_t index);
// Does who writes a value mark it?
static inline bool keeli_is_marked(const keeli_storage *s) { return s->flags & KEELI_IS_MARKED; }
// Does who writes a value mark it or stamp it?
static inline bool keeli_writes_are_seen(const keeli_storage *s) {
    return s->flags & (KEELI_IS_MARKED | KEELI_IS_STAMPED);
}
_Static_assert((int)KEELI_IS_MARKED + (int)KEELI_IS_STAMPED == (int)KEELI_WRITE_MARKS,
               "as keel_get_mut reads it");
static inline void keeli_track_modified(const keel_world *world, keeli_storage *s, uint32_t index) {
    if (keeli_writes_are_seen(s)) keeli_track_modified_slow(world, s, index);
}
// A value changed of a storage that is marked and that nobody holds: so no walk reads the log.
// False: nothing was done, it takes more.
static inline bool keeli_track_modified_fast(const keel_world *world, keeli_storage *s,
                                             uint32_t index) {
    return keeli_ticks_mark_fast(&s->tracking.modified, index,
                                 (uint32_t)(world->changes.tick - world->changes.tick_base));
}
// The value of an entity is handed out (KEEL_TRACK_REMOVAL) or goes (KEEL_TRACK_DELETION). True: it
// was moved into the log, so it is not to be dropped.
bool keeli_track_removed(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                         void *value);

// What a system that is run by itself has seen; NULL when out of memory.
keeli_reader *keeli_system_reader_get(keel_world *world, const keel_system *system);
// The reader does not come any more: no log waits for it.
void keeli_reader_forget(keel_world *world, const keeli_reader *reader);
// What everybody has passed goes, from all queues of events that nobody uses. Nothing in worlds
// without events, and while several threads may be at work.
void keeli_events_flush_all(keel_world *world);
static inline void keeli_events_flush(keel_world *world) {
    if (world->registry.queues.count && !world->refused) keeli_events_flush_all(world);
}
// Has no value been inserted or modified since the reader looked?
static inline bool keeli_nothing_changed(const keel_world *world, const keeli_storage *s,
                                         const keeli_reader *reader) {
    const uint32_t last = keeli_tick_of(world, reader->last);
    return s->tracking.inserted.latest <= last && s->tracking.modified.latest <= last;
}
// KEEL_OK when these are KEEL_TRACK_* bits; otherwise an error that names the public function and
// the component, NULL: all.
keel_result keeli_check_track_kinds(keel_world *world, const char *call, const keel_component *c,
                                    uint32_t kinds);
void keeli_readers_deinit(keel_world *world);
// keel_missed_component of a component, whose log of removals it is.
uint64_t keeli_missed_removals(const keel_scope *scope, const keel_component *component);
