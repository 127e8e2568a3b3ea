// SPDX-License-Identifier: MIT
// The one door to all who follow a storage: groups, ticks, the log of removed values, reactive
// sets, observers, observers of views. An edit knows no more of them than this: it makes room with
// them while nothing has changed (keeli_followers_reserve), then says what came, what is going and
// what changed. A storage that nobody follows has none of the flags of KEELI_IS_WATCHED, and each
// of these is one test for it.
#pragma once
#include "changes.h"
#include "world/storage.h"

#include <keel/group.h>

struct keel_group {
    keel_world *world;
    struct keel_group *next; // of the world
    char title[70];          // "group " and its name
    const char *name;        // in `title`
    // owned, then got, then excluded: the first `must_count` have to be there
    keeli_storage **storages;
    uint32_t owned_count, must_count, storage_count, capacity;
    uint32_t length; // members, where it owns something
    uint64_t serial; // of the world's
    void *scratch;   // room for one value of any owned storage
    size_t scratch_size, scratch_align;
    // Stands for the order of the members where something borrows it: what reads an owned component
    // reads the order, an edit of any component that the group names changes it. Its `set` has the
    // members of a group that owns nothing.
    keeli_storage order;
};

static inline uint32_t keeli_group_count(const keel_group *g) {
    return g->owned_count ? g->length : g->order.set.count;
}
// Where the members are.
static inline const keeli_sparse_set *keeli_group_set(const keel_group *g) {
    return g->owned_count ? &g->storages[0]->set : &g->order.set;
}
static inline bool keeli_group_has(const keel_group *g, uint32_t index) {
    // no slot is above all
    return keeli_sparse_set_find(keeli_group_set(g), index) < keeli_group_count(g);
}

// The group when it is one of the world's; NULL (reported) otherwise.
keel_group *keeli_group_of(keel_world *world, const keel_group *group);
// May all that the group names be edited now?
keel_result keeli_may_edit_group(keel_world *world, const keel_group *group, const char *verb);

// ------------------------------------------------------------------ each kind of follower
// The flags of a storage say what its lists of followers hold; call this when one has changed.
void keeli_followers_update(keeli_storage *s);

// Before `extra` more values come to the storage, one of them at this index: make room. False when
// out of memory.
bool keeli_groups_reserve(const keeli_storage *s, uint32_t index, uint32_t extra);
bool keeli_sets_reserve(keel_world *world, keeli_storage *s, uint32_t index, uint32_t extra);
bool keeli_view_observers_reserve(keel_world *world, const keeli_storage *s, uint32_t index);
// How many entities a storage could have without making room: what it has, and for a set what its
// sources could have.
uint32_t keeli_could_have(const keel_world *world, const keeli_storage *s);

// After the entity got the component, or it came in sight (`comes`); before it loses it, or it goes
// out of sight.
void keeli_groups_changed(keeli_storage *s, uint32_t index, bool comes);
void keeli_view_observers_came(keel_world *world, const keeli_storage *s, uint32_t index);
void keeli_view_observers_going(keel_world *world, const keeli_storage *s, uint32_t index);
// Before an entity loses all it has. `moved_out`: its values were moved out.
void keeli_groups_leave(keel_world *world, keel_entity e, bool moved_out);
void keeli_view_observers_all_going(keel_world *world, uint32_t index);
// Before the component goes from all entities; before everything does, and back: who matches is
// taken in, for whom there is room.
void keeli_groups_clear(keeli_storage *s);
void keeli_groups_clear_all(keel_world *world);
void keeli_groups_refill(keel_world *world);
void keeli_group_fill(keel_group *group);
void keeli_groups_trim(keel_world *world);

// Something happened to a component of a living entity: the sets that collect it get the entity.
void keeli_collect(keel_world *world, const keeli_storage *s, keel_entity e, uint32_t kind);
// And its observers are called. While they run edits are refused; what they record is applied when
// the edit that called them is done. `has_value`: it is still there.
void keeli_notify_slow(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                       bool has_value);
static inline void keeli_notify(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind) {
    if (s->tracking.observers.kinds & kind) keeli_notify_slow(world, s, e, kind, true);
}
// An edge came, or is about to go; and all of a relation are.
void keeli_notify_edge_slow(keel_world *world, const keeli_relation *r, uint32_t source,
                            uint32_t place, uint32_t kind);
static inline void keeli_notify_edge(keel_world *world, const keeli_relation *r, uint32_t source,
                                     uint32_t place, uint32_t kind) {
    if (r->sources->tracking.observers.kinds & kind)
        keeli_notify_edge_slow(world, r, source, place, kind);
}
// The last edge of the source just came.
static inline void keeli_notify_related(keel_world *world, const keeli_relation *r,
                                        uint32_t source) {
    if (r->sources->tracking.observers.kinds & KEEL_ON_RELATED)
        keeli_notify_edge_slow(world, r, source,
                               keeli_edge_last(&r->edges, KEELI_TARGETS, source, KEELI_NO_EDGE),
                               KEEL_ON_RELATED);
}
void keeli_notify_all_edges(keel_world *world, const keeli_storage *s);
// The same where the value is known, nobody uses anything, and nothing else follows the edit, which
// is done then; or only removes the value afterwards.
keel_result keeli_notify_last(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                              const void *value);
void keeli_notify_before(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                         const void *value);
// An edit is done: observers of views are called for those who have entered and left.
void keeli_view_observers_flush(keel_world *world);

// The world becomes another one's image (rewind/image.c): lists name each set wherever somebody
// could come, for which there is room; views have the members that match now. Nobody is called.
void keeli_sets_relist(keel_world *world);
void keeli_view_observers_renew(keel_world *world);
// The component becomes unknown: nobody follows it, and it fills nothing.
void keeli_sets_forget(keel_world *world, keeli_storage *s);
void keeli_observers_forget(keel_world *world, keeli_storage *s);
void keeli_view_observers_forget(keel_world *world, const keeli_storage *s);
// All entities go: no observer is called after that.
void keeli_notify_end(keel_world *world);
void keeli_groups_deinit(keel_world *world);
void keeli_view_observers_deinit(keel_world *world);

bool keeli_groups_of_are_valid(const keeli_storage *s);
bool keeli_sets_are_valid(const keel_world *world);
bool keeli_view_observers_are_valid(const keel_world *world);

// ------------------------------------------------------------------ the door
// Does anybody follow what comes to the storage and goes from it?
static inline bool keeli_is_followed(const keeli_storage *s) {
    return (s->flags & KEELI_IS_WATCHED) != 0;
}

// May an edit of it call observers, of the component or of a view?
static inline bool keeli_calls_observers(const keeli_storage *s) {
    return (s->flags & (KEELI_IS_OBSERVED | KEELI_IS_IN_VIEW)) != 0;
}

// Does nothing follow it but observers of the component, which need no room?
static inline bool keeli_is_only_observed(const keeli_storage *s) {
    return keeli_flags_of(s) == KEELI_IS_OBSERVED;
}

// Is an edge no more than two entries and two bits: nobody follows it, it has no value, and it
// leads one way?
static inline bool keeli_edges_are_plain(const keeli_relation *r) {
    const keeli_storage *s = r->sources;
    return !(keeli_flags_of(s) & ~(uint32_t)(KEELI_IS_LINK | KEELI_IS_STORED_OTHERWISE)) &&
           !(s->component.size | s->component.symmetric);
}

// ------------------------------------------------------------------ room
// Before `extra` more values come to the storage, one of them at this index: make room for all who
// follow it. False when out of memory.
bool keeli_followers_reserve_slow(keel_world *world, keeli_storage *s, uint32_t index,
                                  uint32_t extra);
static inline bool keeli_followers_reserve(keel_world *world, keeli_storage *s, uint32_t index,
                                           uint32_t extra) {
    return !(s->flags & (KEELI_IS_WATCHED | KEELI_IS_SET)) ||
           keeli_followers_reserve_slow(world, s, index, extra);
}
// Room for one more value of a storage, and with all who follow it. False when out of memory.
static inline bool keeli_reserve_value(keel_world *world, keeli_storage *s, uint32_t index) {
    return keeli_store_reserve(world, s, index) && keeli_followers_reserve(world, s, index, 1);
}
// Room with all who follow it for what it has, and for what may come to it, a reactive set, without
// asking: somebody follows it from now on. False when out of memory.
bool keeli_followers_reserve_present(keel_world *world, keeli_storage *s);
// For the fast paths, of a storage that nobody holds: may one value change or go right now, since
// its flags are those of followers only? And may one come next to others of its block of 64 without
// making room?
bool keeli_followers_are_simple(const keel_world *world, const keeli_storage *s);
// Groups do not follow changes.
static inline bool keeli_change_is_simple(const keel_world *world, const keeli_storage *s) {
    const uint32_t simple = KEELI_IS_GROUPED | KEELI_IS_TRACKED | KEELI_IS_MARKED |
                            KEELI_IS_OBSERVED | KEELI_IS_REQUIRED | KEELI_IS_MORE;
    return !(keeli_flags_of(s) & ~simple) && keeli_is_unused(world);
}
bool keeli_followers_are_ready_slow(const keel_world *world, const keeli_storage *s);
static inline bool keeli_followers_are_ready(const keel_world *world, const keeli_storage *s) {
    return keeli_is_only_observed(s) || keeli_followers_are_ready_slow(world, s);
}
// Before an entity that has its index already is created, one of `count`.
static inline bool keeli_followers_reserve_entity(keel_world *world, keel_entity e,
                                                  uint32_t count) {
    keeli_storage *s = &world->stand_in.entities;
    return !s->collectors.count || keeli_sets_reserve(world, s, keeli_index_of(e), count);
}

// ------------------------------------------------------------------ coming
// The entity with this index has the component now, and all values of the edit are in place.
void keeli_came_slow(keel_world *world, keeli_storage *s, uint32_t index);
static inline void keeli_came(keel_world *world, keeli_storage *s, uint32_t index) {
    if (s->flags & KEELI_IS_WATCHED) keeli_came_slow(world, s, index);
}
// The same for many. `fresh`: a bit for each of the list; where it is 0 a value was overwritten, or
// (`keeps`) stayed as it is. NULL: all are fresh.
void keeli_came_many(keel_world *world, keeli_storage *s, const keel_entity *entities,
                     uint32_t count, const uint64_t *fresh, bool keeps);
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
    return s->flags & (KEELI_IS_MARKED | KEELI_IS_STAMPED | KEELI_NOTIFIES);
}
// For the fast paths: is a value that is written not marked, and has the storage none of the flags
// `others`? Is a change marked, no more than that done for it, and none of the flags `others` set?
static inline bool keeli_writes_are_plain(const keeli_storage *s, uint32_t others) {
    return !(s->flags & (others | KEELI_IS_MARKED | KEELI_IS_STAMPED));
}
static inline bool keeli_changes_are_marked_only(const keeli_storage *s, uint32_t others) {
    return (s->flags & (others | KEELI_NOTIFIES | KEELI_IS_GROUPED | KEELI_WRITE_MARKS)) ==
           KEELI_IS_MARKED;
}
// The value of a living entity was overwritten, or its owner says that it was changed.
static inline void keeli_changed(keel_world *world, keeli_storage *s, keel_entity e) {
    keeli_track_modified(world, s, keeli_index_of(e));
    keeli_tell(world, s, e, KEEL_ON_MODIFIED);
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
        keeli_notify_before(world, s, keeli_entity_at(&world->entities, index), kind,
                            keeli_store_value_there(s, index));
    else keeli_going(world, s, index, kind);
}
// The observers of an entity that loses all that it has (relations.going) heard of it before: they
// hear nothing until the bits, which this returns, are set again in `observers.kinds`.
static inline uint32_t keeli_hush(const keel_world *world, keeli_storage *s, uint32_t index) {
    const keel_entity e = world->relations.going;
    const uint32_t kinds = s->tracking.observers.kinds;
    if (!keel_is_null(e) && keeli_index_of(e) == index) s->tracking.observers.kinds = 0;
    return kinds;
}
// The value of an entity goes: it is dropped, or kept for those who want to know what it was.
void keeli_value_delete(keel_world *world, keeli_storage *s, uint32_t index, void *value);
// Before the entity's value goes out of sight.
void keeli_hiding(keel_world *world, keeli_storage *s, uint32_t index);
// Must somebody be notified of each value that goes, if all go?
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
// The component becomes unknown: nobody follows it any more. Groups were destroyed before.
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
    if ((world->followers.has_reactions | world->followers.has_pending) && !world->commands.editing)
        world->commands.flush(world);
    return result;
}
// A value came, or was overwritten, where nobody uses anything; that is all that the edit does, and
// it is done. `value`: where it is.
keel_result keeli_came_last(keel_world *world, keeli_storage *s, keel_entity e, const void *value);
static inline keel_result keeli_changed_last(keel_world *world, keeli_storage *s, keel_entity e,
                                             const void *value) {
    if (s->flags == KEELI_IS_OBSERVED)
        return keeli_notify_last(world, s, e, KEEL_ON_MODIFIED, value);
    keeli_changed(world, s, e);
    return keeli_done(world, KEEL_OK);
}
