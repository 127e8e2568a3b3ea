// SPDX-License-Identifier: MIT
// Observers of views: who has entered and left what some terms match. Each keeps a bit for every
// entity that it was told has entered. An edit that takes components away asks before they go
// whether the entity leaves because of it, and tells at once; everything else is noted in a second
// bit and looked at when the edit is done, so that what was true in the middle of it is not told.
//
// Invariant: when no edit is going on the first bits are those of the entities that match, the
// second ones are clear, and whoever has a component that must be there has room for both.
#pragma once
#include "world/storage.h"

// What a term asks of one component.
typedef struct keeli_view_part {
    keeli_storage *storage;
    uint32_t role; // KEELI_MUST, KEELI_MUST_NOT, or the number of an any_of
} keeli_view_part;

enum { KEELI_MUST, KEELI_MUST_NOT, KEELI_ANY_OF };

typedef struct keeli_view_observer {
    struct keeli_view_observer *next;
    keeli_observer observer;            // no function: it was taken away and is freed later
    KEELI_ARRAY(keeli_view_part) parts; // those of one any_of side by side
    keeli_presence members, unsettled;
    uint32_t one; // unsettled alone, as most edits are of one entity: it has no bit then
    bool has_one;
} keeli_view_observer;

// For storages that have KEELI_IS_IN_VIEW.
//
// Before an entity with this index gets the component: make room. False when out of memory.
bool keeli_view_observers_reserve(keel_world *world, const keeli_storage *s, uint32_t index);
bool keeli_view_observers_reserve_all(keel_world *world, const keeli_storage *s);
// After it got it, or it came in sight.
void keeli_view_observers_joined(keel_world *world, const keeli_storage *s, uint32_t index);
// Before it loses it, or it goes out of sight.
void keeli_view_observers_leaving(keel_world *world, const keeli_storage *s, uint32_t index);
// Before all lose it.
void keeli_view_observers_clearing(keel_world *world, const keeli_storage *s);

// Before an entity loses all it has.
void keeli_view_observers_losing_all(keel_world *world, uint32_t index);
// An edit is done: tell who has entered and left.
void keeli_view_observers_settle(keel_world *world);

// The component becomes unknown: views that name it are not observed any more.
void keeli_view_observers_forget(keel_world *world, const keeli_storage *s);
void keeli_view_observers_deinit(keel_world *world);
bool keeli_view_observers_are_valid(const keel_world *world);
