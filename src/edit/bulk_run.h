// SPDX-License-Identifier: MIT
// Entities with consecutive indices get a component in one go: bits by the word, handles and values
// by the page.
#pragma once
#include "world/storage.h"

// How many entities from the first one on have consecutive ascending indices, to `count`.
uint32_t keeli_run_length(const keel_entity *entities, uint32_t count);
// How far room for one value reaches: to all of its block of indices, unless each value has memory
// of its own.
static inline uint32_t keeli_store_reserve_step(const keeli_storage *s) {
    return s->kind == KEEL_INDEXED && s->root->shift < 6 ? 1 : 64;
}
// Give the entities of one run the component, after a reserve; its values are plain bytes, `stride`
// bytes apart (0: all get the same; NULL: zeros). Rows of archetypes are there already, one after
// the other.
void keeli_store_push_run(keel_world *world, keeli_storage *s, const keel_entity *entities,
                          uint32_t count, const void *values, size_t stride);
