// SPDX-License-Identifier: MIT
// What the door (follow.h) asks of each kind of follower: to make room before an edit, which may
// fail, and then to take note, which cannot.
#pragma once
#include "changes.h"
#include "groups.h"

// The flags of a storage say what its lists of followers hold; call this when one has changed.
void keeli_followers_update(keeli_storage *s);

// ------------------------------------------------------------------ groups.c
// Make room for `extra` more members among the groups that name the storage, one of them with this
// index. False when out of memory.
bool keeli_groups_reserve(const keeli_storage *s, uint32_t index, uint32_t extra);
// After the entity got the component; before it loses it.
void keeli_groups_came(keeli_storage *s, uint32_t index);
void keeli_groups_going(keeli_storage *s, uint32_t index);
// Before all components of an entity go. `gone`: their values were moved out.
void keeli_groups_leave(keel_world *world, keel_entity e, bool gone);
// Before the component goes from all entities; before everything does.
void keeli_groups_clear(keeli_storage *s);
void keeli_groups_clear_all(keel_world *world);
// Take in who matches, after values came without the above: the groups are empty. False when out of
// memory.
bool keeli_groups_refill(keel_world *world);
void keeli_groups_trim(keel_world *world);
void keeli_groups_deinit(keel_world *world);
bool keeli_groups_of_are_valid(const keeli_storage *s);
bool keeli_groups_are_valid(const keel_world *world);

// ------------------------------------------------------------------ reactive_set.c
// If the storage is a source or a set: make room for `extra` more, one of them at this index.
// `numbers`: how many its block's list is going to get besides. False when out of memory.
bool keeli_sets_reserve(keel_world *world, keeli_storage *s, uint32_t index, uint32_t extra,
                        uint32_t numbers);
// The same for all that it has, as far as its own sets go.
bool keeli_sets_reserve_all(keel_world *world, keeli_storage *s);
// Something happened to a component of a living entity: the sets that collect it get the entity.
void keeli_collect(keel_world *world, const keeli_storage *s, keel_entity e, uint32_t kind);
// How many entities a storage could have without making room: what it has, and for a set what its
// sources could have.
uint32_t keeli_could_have(const keel_world *world, const keeli_storage *s);
// The component becomes unknown: it fills nothing, and nothing fills it.
void keeli_sets_forget(keel_world *world, keeli_storage *s);
// For a set: the blocks whose lists name it although it has nobody there.
uint64_t keeli_set_idle_blocks(const keel_world *world, const keeli_storage *s);
bool keeli_sets_are_valid(const keel_world *world);

// ------------------------------------------------------------------ observers.c
// Call the observers of a component for one entity's. While they run the world is shared, so that
// edits are refused; what they record is applied when the edit that called them is done.
// `has_value`: it is still there.
void keeli_notify_slow(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                       bool has_value);
static inline void keeli_notify(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind) {
    if (s->tracking.observers.kinds & kind) keeli_notify_slow(world, s, e, kind, true);
}
// The same where the value is known, nobody uses anything, and that is the whole edit.
void keeli_notify_alone(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                        const void *value);
// All entities go: nobody is called after that.
void keeli_notify_end(keel_world *world);
// Around each call of an observer: what the first returns is for the second.
uint32_t keeli_calling_begin(keel_world *world);
void keeli_calling_end(keel_world *world, uint32_t before);
// The component becomes unknown: nobody observes it.
void keeli_observers_forget(keel_world *world, keeli_storage *s);

// ------------------------------------------------------------------ view_observers.c
// Before an entity with this index gets the component, or for all who have it: make room. False
// when out of memory.
bool keeli_view_observers_reserve(keel_world *world, const keeli_storage *s, uint32_t index);
bool keeli_view_observers_reserve_all(keel_world *world, const keeli_storage *s);
// After it got it, or it came in sight.
void keeli_view_observers_came(keel_world *world, const keeli_storage *s, uint32_t index);
// Before it loses it, or it goes out of sight; before it loses all it has.
void keeli_view_observers_going(keel_world *world, const keeli_storage *s, uint32_t index);
void keeli_view_observers_all_going(keel_world *world, uint32_t index);
// An edit is done: call those of who has entered and left.
void keeli_view_observers_flush(keel_world *world);
// keel_observe_view; the caller applies what is recorded about those who match already.
keel_result keeli_observe_view(keel_world *world, const keel_term *terms, uint32_t kinds,
                               keel_observer_fn *function, void *data);
// The component becomes unknown: views that name it are not observed any more.
void keeli_view_observers_forget(keel_world *world, const keeli_storage *s);
void keeli_view_observers_deinit(keel_world *world);
bool keeli_view_observers_are_valid(const keel_world *world);
