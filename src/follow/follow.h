// SPDX-License-Identifier: MIT
// The interface of all followers of a storage: groups, ticks, the log of removed values, reactive
// sets, observers of components and observers of views. Edits (src/edit/, src/link/, src/copy/)
// reach followers only through this header. An edit first makes room with the followers, before it
// changes anything (keeli_followers_reserve). Then it reports which values were added, changed, or
// are about to be removed. A storage without followers has none of the flags of KEELI_IS_WATCHED,
// so each report costs only one test.
#pragma once
#include "changes.h"
#include "world/storage.h"

#include <keel/group.h>

struct keel_group {
    keel_world *world;
    struct keel_group *next; // in the world's list
    char title[70];          // "group " and its name
    const char *name;        // in `title`
    // Owned components, then required ones that it does not own, then excluded ones. Members have
    // the first `must_count`, and none of the others.
    keeli_storage **storages;
    uint32_t owned_count, must_count, storage_count, capacity;
    uint32_t length; // number of members, if the group owns a component; otherwise 0
    uint64_t serial; // keeli_next_serial at its creation
    uint64_t called; // hash of the name, for rewind/runs.c; 0: not computed yet
    void *scratch;   // room for one value of any owned storage
    size_t scratch_size, scratch_align;
    // Stands for the order of the members when storages are borrowed: a loop or system that reads
    // an owned component also reads the order, and an edit of any component that the group names
    // may change the order. In a group that owns no component, `set` contains the members.
    keeli_storage order;
};

static inline uint32_t keeli_group_count(const keel_group *g) {
    return g->owned_count ? g->length : g->order.set.count;
}
// Returns the sparse set whose first slots hold the members.
static inline const keeli_sparse_set *keeli_group_set(const keel_group *g) {
    return g->owned_count ? &g->storages[0]->set : &g->order.set;
}
static inline bool keeli_group_has(const keel_group *g, uint32_t index) {
    // KEELI_NO_SLOT, of an entity that is no member, is above every count
    return keeli_sparse_set_find(keeli_group_set(g), index) < keeli_group_count(g);
}

// Returns the group if it belongs to the world. NULL (reported) otherwise.
keel_group *keeli_group_of(keel_world *world, const keel_group *group);
// Returns KEEL_OK if all components that the group names may be edited now, or else the error.
keel_result keeli_may_edit_group(keel_world *world, const keel_group *group, const char *verb);

// ------------------------------------------------------------------ each kind of follower
// Sets the flags of a storage from its lists of followers. Call it after one of them has changed.
void keeli_followers_update(keeli_storage *s);

// Makes room with one kind of follower before `extra` values are added to the storage, one of them
// at this index. False when out of memory.
bool keeli_groups_reserve(const keeli_storage *s, uint32_t index, uint32_t extra);
bool keeli_sets_reserve(keel_world *world, keeli_storage *s, uint32_t index, uint32_t extra);
bool keeli_view_observers_reserve(keel_world *world, const keeli_storage *s, uint32_t index);
// Returns how many entities the component must have room for. It is the number of entities that
// have it; for a reactive set also of those that may be added through its sources.
uint32_t keeli_could_have(const keel_world *world, const keeli_storage *s);

// Report to groups and views that an entity got the component, or is about to lose it.
// keeli_groups_changed with `is_added`, and keeli_view_observers_added: call after the component
// was added or enabled. keeli_groups_changed without `is_added`, and keeli_view_observers_removing:
// call before it is removed or disabled.
void keeli_groups_changed(keeli_storage *s, uint32_t index, bool is_added);
void keeli_view_observers_added(keel_world *world, const keeli_storage *s, uint32_t index);
void keeli_view_observers_removing(keel_world *world, const keeli_storage *s, uint32_t index);
// Report to groups and views that an entity is about to lose all its components. `moved_out`: its
// values were moved to another world already, so groups move only its slots.
void keeli_groups_leave(keel_world *world, keel_entity e, bool moved_out);
void keeli_view_observers_removing_all(keel_world *world, uint32_t index);
// keeli_groups_clear updates the groups that name a component, before it is removed from all
// entities.
// keeli_groups_clear_all empties all groups before everything is removed. keeli_groups_refill and
// keeli_group_fill add the entities that match to empty groups, which must have room for them.
// keeli_groups_trim frees unused memory.
void keeli_groups_clear(keeli_storage *s);
void keeli_groups_clear_all(keel_world *world);
void keeli_groups_refill(keel_world *world);
void keeli_group_fill(keel_group *group);
void keeli_groups_trim(keel_world *world);

// Adds the entity, which is alive, to the reactive sets that collect this kind of change.
void keeli_collect(keel_world *world, const keeli_storage *s, keel_entity e, uint32_t kind);
// Calls the observers of the component. While they run, edits are refused; the commands that they
// record are applied at the end of the edit that called them. `has_value`: the value is still
// there.
void keeli_notify_slow(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                       bool has_value);
static inline void keeli_notify(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind) {
    if (s->tracking.observers.kinds & kind)
        keeli_notify_slow(world, s, e, kind, true);
}
// Calls the observers of a relation after an edge was added, or before it is removed (`kind`).
// keeli_notify_all_edges does so before all edges of a relation are removed.
void keeli_notify_edge_slow(keel_world *world, const keeli_relation *r, uint32_t source,
                            uint32_t place, uint32_t kind);
static inline void keeli_notify_edge(keel_world *world, const keeli_relation *r, uint32_t source,
                                     uint32_t place, uint32_t kind) {
    if (r->sources->tracking.observers.kinds & kind)
        keeli_notify_edge_slow(world, r, source, place, kind);
}
// Calls the observers for the last edge of the source, which was just added.
static inline void keeli_notify_related(keel_world *world, const keeli_relation *r,
                                        uint32_t source) {
    if (r->sources->tracking.observers.kinds & KEEL_ON_RELATED)
        keeli_notify_edge_slow(world, r, source,
                               keeli_edge_last(&r->edges, KEELI_TARGETS, source, KEELI_NO_EDGE),
                               KEEL_ON_RELATED);
}
void keeli_notify_all_edges(keel_world *world, const keeli_storage *s);
// Call the observers of a component, faster than keeli_notify. The caller makes sure that nothing
// is borrowed and that the storage has no other followers, and passes the address of the value.
// keeli_notify_last also ends the edit. keeli_notify_before is for an edit that then only removes
// the value.
keel_result keeli_notify_last(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                              const void *value);
void keeli_notify_before(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                         const void *value);
// Calls the observers of views for the entities that began or ceased to match since the last call.
// Edits call this at their end.
void keeli_view_observers_flush(keel_world *world);

// Rebuild the state of followers after the world became the image of another one (rewind/image.c).
// keeli_sets_relist makes the component lists name each reactive set wherever an entity could be
// added to it. keeli_view_observers_renew sets the members of each observed view to the entities
// that match. No observer is called.
void keeli_sets_relist(keel_world *world);
void keeli_view_observers_renew(keel_world *world);
// Disconnect a component that is being unregistered from sets, observers and views.
void keeli_sets_forget(keel_world *world, keeli_storage *s);
void keeli_observers_forget(keel_world *world, keeli_storage *s);
void keeli_view_observers_forget(keel_world *world, const keeli_storage *s);
// Notifies observers that all entities are destroyed, then removes all observers of components.
void keeli_notify_end(keel_world *world);
void keeli_groups_deinit(keel_world *world);
void keeli_view_observers_deinit(keel_world *world);

bool keeli_groups_of_are_valid(const keeli_storage *s);
bool keeli_sets_are_valid(const keel_world *world);
bool keeli_view_observers_are_valid(const keel_world *world);

// ------------------------------------------------------------------ questions about a storage
// True if a follower must be notified of values that are added to or removed from the storage.
static inline bool keeli_is_followed(const keeli_storage *s) {
    return (s->flags & KEELI_IS_WATCHED) != 0;
}

// True if an edit of the storage may call observers, of the component or of a view.
static inline bool keeli_calls_observers(const keeli_storage *s) {
    return (s->flags & (KEELI_IS_OBSERVED | KEELI_IS_IN_VIEW)) != 0;
}

// True if the only followers are observers of the component, so that an edit need not make room
// with followers.
static inline bool keeli_is_only_observed(const keeli_storage *s) {
    return keeli_flags_of(s) == KEELI_IS_OBSERVED;
}

// True if an edge of the relation consists of two list entries and two presence bits only: the
// relation has no followers and no values, and is not symmetric.
static inline bool keeli_edges_are_plain(const keeli_relation *r) {
    const keeli_storage *s = r->sources;
    return !(keeli_flags_of(s) &
             ~(uint32_t)(KEELI_IS_LINK | KEELI_HAS_RULE | KEELI_IS_STORED_OTHERWISE)) &&
           !(s->component.size | s->component.symmetric);
}

// ------------------------------------------------------------------ room
// Makes room with all followers before `extra` values are added to the storage, one of them at this
// index. False when out of memory.
bool keeli_followers_reserve_slow(keel_world *world, keeli_storage *s, uint32_t index,
                                  uint32_t extra);
static inline bool keeli_followers_reserve(keel_world *world, keeli_storage *s, uint32_t index,
                                           uint32_t extra) {
    return !(s->flags & (KEELI_IS_WATCHED | KEELI_IS_SET)) ||
           keeli_followers_reserve_slow(world, s, index, extra);
}
// Makes room for one more value in the storage and with all its followers. False when out of
// memory.
static inline bool keeli_reserve_value(keel_world *world, keeli_storage *s, uint32_t index) {
    return keeli_store_reserve(world, s, index) && keeli_followers_reserve(world, s, index, 1);
}
// Makes room with all followers for the values that the storage has. If the storage is a reactive
// set, also for the values that edits of its sources may add later. Called when a follower is
// added. False when out of memory.
bool keeli_followers_reserve_present(keel_world *world, keeli_storage *s);
// Predicates for fast paths of edits, for a storage that nothing borrows.
// keeli_followers_are_simple: true if the storage has no flags but those of followers, so that one
// value may be changed or removed without further checks. keeli_followers_are_ready: true if the
// followers also have room for one more value in a block of 64 indices that has values already.
bool keeli_followers_are_simple(const keel_world *world, const keeli_storage *s);
// Like keeli_followers_are_simple, but only for a change of a value, which does not affect groups.
static inline bool keeli_change_is_simple(const keel_world *world, const keeli_storage *s) {
    const uint32_t simple = KEELI_IS_GROUPED | KEELI_IS_TRACKED | KEELI_IS_MARKED |
                            KEELI_IS_OBSERVED | KEELI_IS_REQUIRED | KEELI_IS_MORE;
    return !(keeli_flags_of(s) & ~simple) && keeli_is_unused(world);
}
bool keeli_followers_are_ready_slow(const keel_world *world, const keeli_storage *s);
static inline bool keeli_followers_are_ready(const keel_world *world, const keeli_storage *s) {
    return keeli_is_only_observed(s) || keeli_followers_are_ready_slow(world, s);
}
// Makes room with the reactive sets that collect created entities. The caller calls it for each of
// `count` new entities; they have their indices already. False when out of memory.
static inline bool keeli_followers_reserve_entity(keel_world *world, keel_entity e,
                                                  uint32_t count) {
    keeli_storage *s = &world->stand_in.entities;
    return !s->collectors.count || keeli_sets_reserve(world, s, keeli_index_of(e), count);
}

// ------------------------------------------------------------------ after values were added
// Reports that the entity with this index got the component. Call it once all values of the edit
// are stored.
void keeli_follow_added_slow(keel_world *world, keeli_storage *s, uint32_t index);
static inline void keeli_follow_added(keel_world *world, keeli_storage *s, uint32_t index) {
    if (s->flags & KEELI_IS_WATCHED)
        keeli_follow_added_slow(world, s, index);
}
// Reports that the entities of a list got the component. `fresh` has a bit for each: 1 if its value
// was inserted, 0 if the entity had a value before, which was overwritten or, if `keeps`, left as
// it was. NULL: all values were inserted.
void keeli_follow_added_many(keel_world *world, keeli_storage *s, const keel_entity *entities,
                             uint32_t count, const uint64_t *fresh, bool keeps);
// Reports that the component of the entity was enabled again.
void keeli_follow_enabled(keel_world *world, keeli_storage *s, uint32_t index);
// Lets reactive sets collect a change of a component of a living entity, and calls its observers.
static inline void keeli_notify_entity(keel_world *world, keeli_storage *s, keel_entity e,
                                       uint32_t kind) {
    if (s->collectors.count)
        keeli_collect(world, s, e, kind);
    keeli_notify(world, s, e, kind);
}
// Reports that an entity was created. keeli_followers_reserve_entity made room for it.
static inline void keeli_follow_created(keel_world *world, keel_entity e) {
    keeli_notify_entity(world, &world->stand_in.entities, e, KEEL_ON_CREATED);
}
// Report all entities and values of a world that was filled by copying another one. First,
// keeli_followers_reserve_all makes room with all followers and fills the groups; false when out of
// memory. Then keeli_follow_all_added reports each value and each entity.
bool keeli_followers_reserve_all(keel_world *world);
void keeli_follow_all_added(keel_world *world);

// ------------------------------------------------------------------ after values were changed
// True if a change of a value must be marked, stamped, collected or observed.
static inline bool keeli_changes_are_followed(const keeli_storage *s) {
    return s->flags & (KEELI_IS_MARKED | KEELI_IS_STAMPED | KEELI_NOTIFIES);
}
// Fast-path predicates. keeli_writes_are_plain: true if a written value is neither marked nor
// stamped. keeli_changes_are_marked_only: true if a changed value is marked and needs nothing else.
// Both are false if one of the flags `others` is set.
static inline bool keeli_writes_are_plain(const keeli_storage *s, uint32_t others) {
    return !(s->flags & (others | KEELI_IS_MARKED | KEELI_IS_STAMPED));
}
static inline bool keeli_changes_are_marked_only(const keeli_storage *s, uint32_t others) {
    return (s->flags & (others | KEELI_NOTIFIES | KEELI_IS_GROUPED | KEELI_WRITE_MARKS)) ==
           KEELI_IS_MARKED;
}
// Reports that the value of a living entity was overwritten, or changed in place by its owner.
static inline void keeli_follow_changed(keel_world *world, keeli_storage *s, keel_entity e) {
    keeli_track_modified(world, s, keeli_index_of(e));
    keeli_notify_entity(world, s, e, KEEL_ON_MODIFIED);
}

// ------------------------------------------------------------------ before values are removed
// Reports that the entity is about to lose the component. The value is still there, and groups may
// move it. `kind`: KEEL_TRACK_REMOVAL (the value is moved out to the caller) or
// KEEL_TRACK_DELETION.
void keeli_follow_removing_slow(keel_world *world, keeli_storage *s, uint32_t index, uint32_t kind);
static inline void keeli_follow_removing(keel_world *world, keeli_storage *s, uint32_t index,
                                         uint32_t kind) {
    if (s->flags & KEELI_IS_WATCHED)
        keeli_follow_removing_slow(world, s, index, kind);
}
// Like keeli_follow_removing, but faster if the world's owner edits and the only followers are
// observers of the component.
static inline void keeli_follow_removing_alone(keel_world *world, keeli_storage *s, uint32_t index,
                                               uint32_t kind) {
    if (keeli_is_only_observed(s) && !world->refused)
        keeli_notify_before(world, s, keeli_entity_at(&world->entities, index), kind,
                            keeli_store_value_there(s, index));
    else
        keeli_follow_removing(world, s, index, kind);
}
// Silences the observers of the storage if the entity is the one that loses all its components
// (relations.stripped), since they were notified before. Returns the former `observers.kinds`,
// which the caller restores to end the silence.
static inline uint32_t keeli_silence_observers(const keel_world *world, keeli_storage *s,
                                               uint32_t index) {
    const keel_entity e = world->relations.stripped;
    const uint32_t kinds = s->tracking.observers.kinds;
    if (!keel_is_null(e) && keeli_index_of(e) == index)
        s->tracking.observers.kinds = 0;
    return kinds;
}
// Deletes the value of an entity: moves it into the log if deletions are tracked, or drops it.
void keeli_value_delete(keel_world *world, keeli_storage *s, uint32_t index, void *value);
// Reports that the component of the entity is about to be disabled.
void keeli_follow_disabling(keel_world *world, keeli_storage *s, uint32_t index);
// True if some follower of the world must be notified of each value when all values are removed.
bool keeli_is_any_followed(const keel_world *world);
// Reports that a component is about to be removed from all entities. If deletions are logged, also
// deletes the values one by one. The caller may delete the values that are left without a report.
void keeli_store_clear_watched(keel_world *world, keeli_storage *s);
// Calls the observers before the entity loses all its components. `dies`: the entity is then
// destroyed, so observers of KEEL_ON_DESTROYED are called, too. `kind`: KEEL_ON_DELETED, or
// KEEL_ON_REMOVED if its values were moved to another world.
void keeli_follow_losing_all(keel_world *world, keel_entity e, uint32_t kind, bool dies);
// Enclose the removal of all components, reactive sets included, of an entity that lives on.
// keeli_strip_begin notes which sets collect the deletions; keeli_strip_end adds the entity to
// them.
void keeli_strip_begin(keel_world *world, keel_entity e);
void keeli_strip_end(keel_world *world, keel_entity e);

// ------------------------------------------------------------------ ending
// Removes all followers of a component that is being unregistered. Groups were destroyed before.
void keeli_followers_forget(keel_world *world, keeli_storage *s);
// Frees the logs of removed values at the end of the world. No observer is called any more.
void keeli_followers_end(keel_world *world);
void keeli_followers_deinit(keel_world *world);

// ------------------------------------------------------------------ checking
// keeli_followers_are_valid: true if the followers of this storage are consistent.
// keeli_followers_find_fault checks all followers of the world, and what they keep for each entity.
// Returns NULL, or what is wrong.
bool keeli_followers_are_valid(const keeli_storage *s);
const char *keeli_followers_find_fault(const keel_world *world);
// Checks a storage that was just edited, and its followers, in test builds.
#if defined(KEELI_VALIDATE) && KEELI_VALIDATE
void keeli_validate_storage(keel_world *world, const keeli_storage *storage);
#else
static inline void keeli_validate_storage(keel_world *world, const keeli_storage *storage) {
    (void)world, (void)storage;
}
#endif

// ------------------------------------------------------------------ the end of an edit
// Enclose an edit that consists of edits: what observers record is applied at the end of the
// outermost one.
static inline void keeli_editing_begin(keel_world *world) { ++world->commands.editing; }
static inline void keeli_editing_end(keel_world *world) { --world->commands.editing; }
// Ends an edit: notifies observers of views that entities have entered or left, and applies the
// commands that observers recorded. Returns `result`.
static inline keel_result keeli_done(keel_world *world, keel_result result) {
    if ((world->followers.has_reactions | world->followers.has_pending) && !world->commands.editing)
        world->commands.flush(world);
    return result;
}
// Report a value that was inserted (keeli_follow_added_last) or overwritten
// (keeli_follow_changed_last), and end the edit. For an edit that does nothing else, while nothing
// is borrowed. `value`: its address.
keel_result keeli_follow_added_last(keel_world *world, keeli_storage *s, keel_entity e,
                                    const void *value);
static inline keel_result keeli_follow_changed_last(keel_world *world, keeli_storage *s,
                                                    keel_entity e, const void *value) {
    if (s->flags == KEELI_IS_OBSERVED)
        return keeli_notify_last(world, s, e, KEEL_ON_MODIFIED, value);
    keeli_follow_changed(world, s, e);
    return keeli_done(world, KEEL_OK);
}
