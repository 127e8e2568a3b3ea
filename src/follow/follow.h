// SPDX-License-Identifier: MIT
// The one door to all who follow a storage: groups, ticks, the log of removed values, reactive
// sets, observers, observers of views. An edit knows no more of them than this: it makes room with
// them while nothing has changed (keeli_followers_reserve), then says what came, what is going and
// what changed. A storage that nobody follows has none of the flags of KEELI_IS_WATCHED, and each
// of these is one test for it.
#pragma once
#include "collect.h"
#include "group.h"
#include "observe.h"
#include "observe_view.h"
#include "track.h"

// Does anybody follow what comes to the storage and goes from it?
static inline bool keeli_is_followed(const keeli_storage *s) {
    return (s->flags & KEELI_IS_WATCHED) != 0;
}

// Does nothing follow it but observers of the component, which need no room?
static inline bool keeli_is_only_observed(const keeli_storage *s) {
    return s->flags == KEELI_IS_OBSERVED;
}

// ------------------------------------------------------------------ room
// Before `extra` more values come to the storage, one of them at this index: make room for all who
// follow it. `numbers`: how many numbers the list of the index's block is going to get besides.
// False when out of memory.
bool keeli_followers_reserve_slow(keel_world *world, keeli_storage *s, uint32_t index,
                                  uint32_t extra, uint32_t numbers);
static inline bool keeli_followers_reserve(keel_world *world, keeli_storage *s, uint32_t index,
                                           uint32_t extra, uint32_t numbers) {
    return !(s->flags & (KEELI_IS_WATCHED | KEELI_IS_SET)) ||
           keeli_followers_reserve_slow(world, s, index, extra, numbers);
}
// For the fast paths, of a storage that nobody holds: may one value change or go right now, since
// its flags are those of followers only? And may one come to the index, without making room?
bool keeli_followers_are_simple(const keel_world *world, const keeli_storage *s);
bool keeli_followers_are_ready_slow(const keel_world *world, const keeli_storage *s,
                                    uint32_t index);
static inline bool keeli_followers_are_ready(const keel_world *world, const keeli_storage *s,
                                             uint32_t index) {
    return keeli_is_only_observed(s) || keeli_followers_are_ready_slow(world, s, index);
}

// ------------------------------------------------------------------ coming
// The entity with this index has the component now, and all values of the edit are in place.
static inline void keeli_came(keel_world *world, keeli_storage *s, uint32_t index) {
    keeli_store_joined(world, s, index);
}
// The same where that is the whole edit: what waits for its end follows at once.
// `value`: where it is.
keel_result keeli_came_alone(keel_world *world, keeli_storage *s, keel_entity e, const void *value);
// The same for many. `fresh`: a bit for each of the list; where it is 0 a value was overwritten.
// NULL: all are fresh.
void keeli_came_many(keel_world *world, keeli_storage *s, const keel_entity *entities,
                     uint32_t count, const uint64_t *fresh);
// An entity was created, for which keeli_followers_reserve_entity made room; `count` are in all.
static inline bool keeli_followers_reserve_entity(keel_world *world, keel_entity e,
                                                  uint32_t count) {
    return !world->entity_storage.flags || keeli_sets_reserve_new(world, e, count);
}
static inline void keeli_entity_came(keel_world *world, keel_entity e) {
    keeli_tell_created(world, e);
}

// ------------------------------------------------------------------ changing
// The value of a living entity was overwritten, or its owner says that it was changed.
static inline void keeli_changed(keel_world *world, keeli_storage *s, keel_entity e) {
    keeli_track_modified(world, s, keel_entity_index(e));
    keeli_tell(world, s, e, KEEL_ON_MODIFIED);
}

// ------------------------------------------------------------------ going
// Before the entity loses the component, whose value is still there; groups may move it. `kind`:
// KEEL_TRACK_REMOVAL (it is handed out) or KEEL_TRACK_DELETION.
static inline void keeli_going(keel_world *world, keeli_storage *s, uint32_t index, uint32_t kind) {
    keeli_store_leaving(world, s, index, kind);
}
// Before the entity loses all components; with `dies`, itself as well.
static inline void keeli_entity_going(keel_world *world, keel_entity e, uint32_t kind, bool dies) {
    keeli_notify_all_of(world, e, kind, dies);
}
// A value goes out of sight, or comes back, and stays where it is: only who keeps entities together
// by what they have is told.
void keeli_hiding(keel_world *world, keeli_storage *s, uint32_t index);
void keeli_shown(keel_world *world, keeli_storage *s, uint32_t index);
// Must somebody be told of each value that goes, if all go?
bool keeli_is_any_followed(const keel_world *world);
