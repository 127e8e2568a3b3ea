// SPDX-License-Identifier: MIT
// What the quick edits (quick.c, quick_take.c) ask storages and do to them.
#pragma once
#include "edit/flush.h"
#include "edit/quick.h"
#include "follow/changes.h"

// One flags word says whether an edit of this storage is more than its bytes; and nobody uses it.
static inline bool keeli_is_plain(const keel_world *world, const keeli_storage *s) {
    return !(s->flags | (uint32_t)keeli_atomic_peek(&s->borrow) | world->share_depth);
}

// An edit of one component kept in archetypes moves the rows of all.
static inline bool keeli_rows_are_free(const keel_world *world) {
    const keeli_storage *rows = &world->row_storage;
    return !((uint32_t)keeli_atomic_peek(&rows->borrow) | rows->flags);
}

// Groups that only order what they own need no room, and nobody may be looking at what moves.
bool keeli_is_quickly_grouped(const keel_world *world, const keeli_storage *s);
// The same for archetypes, whose edits move the rows of all, and for what groups follow.
static inline bool keeli_is_editable(const keel_world *world, const keeli_storage *s) {
    if (!keeli_is_plain(world, s)) return keeli_is_quickly_grouped(world, s);
    return s->kind != KEEL_ARCHETYPE || keeli_rows_are_free(world);
}

// Tracking notes its edits and observers are told: a few steps more. Nobody uses it.
static inline bool keeli_is_followed(const keel_world *world, const keeli_storage *s) {
    const uint32_t follow = KEELI_IS_TRACKED | KEELI_IS_MARKED | KEELI_IS_OBSERVED;
    return s->flags && !(s->flags & ~follow) &&
           !((uint32_t)keeli_atomic_peek(&s->borrow) | world->share_depth);
}

// The presence bits of the index's block when any is set, else NULL. The summary and the block's
// list are then as they should be, and pages of values and cells are there.
static inline uint64_t *keeli_live_word(const keeli_storage *s, uint32_t index) {
    const uint32_t page = index / 4096;
    if (page >= s->presence.root.page_count) return NULL;
    uint64_t *word = &s->presence.pages[page][index / 64 % KEELI_PAGE_WORDS];
    return *word ? word : NULL;
}
static inline uint64_t keeli_bit_of(uint32_t index) { return (uint64_t)1 << (index % 64); }
