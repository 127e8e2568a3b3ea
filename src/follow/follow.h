// SPDX-License-Identifier: MIT
// The one door to all who follow a storage: groups, ticks, the log of removed values, reactive
// sets, observers, observers of views. An edit knows no more of them than this: it makes room with
// them while nothing has changed (keeli_followers_reserve), then says what came, what is going and
// what changed. A storage that nobody follows has none of the flags of KEELI_IS_WATCHED, and each
// of these is one test for it.
#pragma once
#include "followers.h"

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
// Groups do not follow changes.
static inline bool keeli_change_is_simple(const keel_world *world, const keeli_storage *s) {
    const uint32_t simple =
        KEELI_IS_GROUPED | KEELI_IS_TRACKED | KEELI_IS_MARKED | KEELI_IS_OBSERVED;
    return !(s->flags & ~simple) && keeli_is_unused(world);
}
bool keeli_followers_are_ready_slow(const keel_world *world, const keeli_storage *s,
                                    uint32_t index);
static inline bool keeli_followers_are_ready(const keel_world *world, const keeli_storage *s,
                                             uint32_t index) {
    return keeli_is_only_observed(s) || keeli_followers_are_ready_slow(world, s, index);
}
// Before an entity that has its index already is created, one of `count`.
static inline bool keeli_followers_reserve_entity(keel_world *world, keel_entity e,
                                                  uint32_t count) {
    keeli_storage *s = &world->stand_in.entities;
    return !s->collectors.count || keeli_sets_reserve(world, s, keel_entity_index(e), count, 0);
}

// ------------------------------------------------------------------ coming
// The entity with this index has the component now, and all values of the edit are in place.
void keeli_came_slow(keel_world *world, keeli_storage *s, uint32_t index);
static inline void keeli_came(keel_world *world, keeli_storage *s, uint32_t index) {
    if (s->flags & KEELI_IS_WATCHED) keeli_came_slow(world, s, index);
}
// The same where nobody uses anything and that is all that the edit does. `value`: where it is.
static inline void keeli_came_last(keel_world *world, keeli_storage *s, keel_entity e,
                                   const void *value) {
    if (s->flags == KEELI_IS_OBSERVED) keeli_notify_alone(world, s, e, KEEL_ON_INSERTED, value);
    else keeli_came(world, s, keel_entity_index(e));
}
// The same for many. `fresh`: a bit for each of the list; where it is 0 a value was overwritten.
// NULL: all are fresh.
void keeli_came_many(keel_world *world, keeli_storage *s, const keel_entity *entities,
                     uint32_t count, const uint64_t *fresh);
// What the entity had out of sight is in sight again.
void keeli_shown(keel_world *world, keeli_storage *s, uint32_t index);
// Something happened to a component of a living entity: sets collect it, observers are called.
static inline void keeli_tell(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind) {
    if (s->collectors.count) keeli_collect(world, s, e, kind);
    keeli_notify(world, s, e, kind);
}
// An entity was created, for which keeli_followers_reserve_entity made room.
static inline void keeli_entity_came(keel_world *world, keel_entity e) {
    keeli_tell(world, &world->stand_in.entities, e, KEEL_ON_CREATED);
}
// A world was filled with copies that nobody knows of: make room for all followers, and take in the
// members of groups; then say that all of it came.
bool keeli_followers_reserve_all(keel_world *world);
void keeli_all_came(keel_world *world);

// ------------------------------------------------------------------ changing
// Does somebody want to know which values change?
static inline bool keeli_changes_are_followed(const keeli_storage *s) {
    return s->flags & (KEELI_IS_MARKED | KEELI_IS_TOLD);
}
// For the fast paths: is a value that is written not marked, and has the storage none of the flags
// `others`? Is a change marked, no more than that done for it, and none of the flags `others` set?
static inline bool keeli_writes_are_plain(const keeli_storage *s, uint32_t others) {
    return !(s->flags & (others | KEELI_IS_MARKED));
}
static inline bool keeli_changes_are_marked_only(const keeli_storage *s, uint32_t others) {
    return (s->flags & (others | KEELI_IS_TOLD | KEELI_IS_GROUPED | KEELI_IS_MARKED)) ==
           KEELI_IS_MARKED;
}
// The value of a living entity was overwritten, or its owner says that it was changed.
static inline void keeli_changed(keel_world *world, keeli_storage *s, keel_entity e) {
    keeli_track_modified(world, s, keel_entity_index(e));
    keeli_tell(world, s, e, KEEL_ON_MODIFIED);
}

// The same where nobody uses anything and that is all that the edit does. `value`: where it is.
static inline void keeli_changed_last(keel_world *world, keeli_storage *s, keel_entity e,
                                      const void *value) {
    if (keeli_is_only_observed(s)) keeli_notify_alone(world, s, e, KEEL_ON_MODIFIED, value);
    else keeli_changed(world, s, e);
}

// ------------------------------------------------------------------ going
// Before the entity loses the component, whose value is still there; groups may move it. `kind`:
// KEEL_TRACK_REMOVAL (it is handed out) or KEEL_TRACK_DELETION.
void keeli_going_slow(keel_world *world, keeli_storage *s, uint32_t index, uint32_t kind);
static inline void keeli_going(keel_world *world, keeli_storage *s, uint32_t index, uint32_t kind) {
    if (s->flags & KEELI_IS_WATCHED) keeli_going_slow(world, s, index, kind);
}
// The same where the world's owner edits, mostly: its only followers are called in place.
static inline void keeli_going_alone(keel_world *world, keeli_storage *s, uint32_t index,
                                     uint32_t kind) {
    if (keeli_is_only_observed(s) && !world->refused)
        keeli_notify_alone(world, s, keeli_entity_at(&world->entities, index), kind,
                           keeli_store_value_there(s, index));
    else keeli_going(world, s, index, kind);
}
// The value of an entity goes: it is dropped, or kept for those who want to know what it was.
void keeli_value_delete(keel_world *world, keeli_storage *s, uint32_t index, void *value);
// Before the entity's value goes out of sight.
void keeli_hiding(keel_world *world, keeli_storage *s, uint32_t index);
// Must somebody be told of each value that goes, if all go?
bool keeli_is_any_followed(const keel_world *world);
// Before a component goes from all entities. Where somebody wants to know of each value that is
// deleted, they are deleted one by one; what is left nobody asks for.
void keeli_store_clear_watched(keel_world *world, keeli_storage *s);
// Before the entity loses all components; with `dies`, itself as well. Observers are called.
// `kind`: KEEL_ON_DELETED, or KEEL_ON_REMOVED when its values were moved to another world.
void keeli_entity_going(keel_world *world, keel_entity e, uint32_t kind, bool dies);
// An entity is about to lose all it has, reactive sets too, and will live on: see which sets
// collect that; afterwards it comes to them.
void keeli_strip_begins(keel_world *world, keel_entity e);
void keeli_strip_ended(keel_world *world, keel_entity e);

// ------------------------------------------------------------------ ending
// The component becomes unknown: nobody follows it any more. Groups are gone before.
void keeli_followers_forget(keel_world *world, keeli_storage *s);
// The world ends, and nobody is called any more: what was kept of deleted values goes.
void keeli_followers_end(keel_world *world);
void keeli_followers_deinit(keel_world *world);

// ------------------------------------------------------------------ checking
// Is all right with who follows this storage; with all that follow, and what they keep of each
// entity? NULL, or what is wrong.
bool keeli_followers_are_valid(const keeli_storage *s);
const char *keeli_followers_find_fault(const keel_world *world);
// In test builds: walk the storage that was just edited, and who follows it.
#if defined(KEELI_VALIDATE) && KEELI_VALIDATE
void keeli_validate_storage(keel_world *world, const keeli_storage *storage);
#else
static inline void keeli_validate_storage(keel_world *world, const keeli_storage *storage) {
    (void)world, (void)storage;
}
#endif

// ------------------------------------------------------------------ the end of an edit
// Edits that consist of edits: what observers record is applied when the outermost is done.
static inline void keeli_editing_begin(keel_world *world) { ++world->commands.editing; }
static inline void keeli_editing_end(keel_world *world) { --world->commands.editing; }
// An edit is done: who has entered or left observed views is notified, and what observers recorded
// meanwhile is applied. Returns `result`.
static inline keel_result keeli_done(keel_world *world, keel_result result) {
    if ((world->followers.has_reactions | world->followers.has_noted) && !world->commands.editing)
        world->commands.flush(world);
    return result;
}
// keeli_came_last, and the edit is done.
static inline keel_result keeli_came_alone(keel_world *world, keeli_storage *s, keel_entity e,
                                           const void *value) {
    keeli_came_last(world, s, e, value);
    keeli_validate_storage(world, s);
    return keeli_done(world, KEEL_OK);
}
