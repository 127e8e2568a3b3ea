// SPDX-License-Identifier: MIT
// Reactive sets: tags that the world gives to entities when something happens to their components.
// An edit of a source is an edit of its sets, too: who borrows it borrows them (world/borrow.c).
//
// Entities are a source, too (world->entity_storage), whose one event is that they are created.
//
// Invariant: whoever has a source, in sight or not, has room in the set, and all that follows the
// set has room for it. So only an edit that adds a source, or an entity, may fail because of a set;
// overwriting, marking and deleting it may not. For that the lists of blocks name a set wherever it
// has room, not just where somebody is in it, and its memory is not trimmed.
#pragma once
#include "world/storage.h"

// Before the storage gets values, if it is a source or a set: make room for `extra` more, one of
// them at this index. `numbers`: how many its block's list is going to get besides. False when out
// of memory.
bool keeli_sets_reserve(keel_world *world, keeli_storage *s, uint32_t index, uint32_t extra,
                        uint32_t numbers);
// The same for all that it has, as far as its own sets go.
bool keeli_sets_reserve_all(keel_world *world, keeli_storage *s);
// Before an entity that has its index already is created, one of `count`: as keeli_sets_reserve.
bool keeli_sets_reserve_new(keel_world *world, keel_entity e, uint32_t count);
// Something happened to a source of a living entity.
void keeli_collect(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind);
// How many entities a storage could have without making room: what it has, and for a set what its
// sources could have.
uint32_t keeli_could_have(const keel_world *world, const keeli_storage *s);

// An entity is about to lose all it has, sets too, and will live on. Afterwards it comes to those
// that collect this.
keeli_storage *keeli_sets_before_strip(const keel_world *world, keel_entity e);
void keeli_sets_after_strip(keel_world *world, keel_entity e, keeli_storage *first);

// The component becomes unknown: it fills nothing, and nothing fills it.
void keeli_sets_forget(keel_world *world, keeli_storage *s);
// For a set: the blocks whose lists name it although it has nobody there.
uint64_t keeli_set_idle_blocks(const keel_world *world, const keeli_storage *s);
bool keeli_sets_are_valid(const keel_world *world);
