// SPDX-License-Identifier: MIT
// Entities with consecutive indices get a component in one go: bits by the word, handles and values
// by the page.
#pragma once
#include "edit/store.h"

// How many entities from the first one on have consecutive ascending indices, to `count`.
uint32_t keeli_run_length(const keel_entity *entities, uint32_t count);
// Give the entities of one run the component, after a reserve; its values are plain bytes, `stride`
// bytes apart (0: all get the same; NULL: zeros). Rows of archetypes are there already.
void keeli_store_push_run(keel_world *world, keeli_storage *s, const keel_entity *entities,
                          uint32_t count, const void *values, size_t stride);
