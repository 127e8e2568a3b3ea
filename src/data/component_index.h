// SPDX-License-Identifier: MIT
// The process-wide index of component definitions: equal definitions have the same number in all
// worlds. A definition is a name, the base name of the declaring file, size, alignment, storage,
// and whether it is a component, a unique or a type of events. The index holds no values and knows
// no world; world/registry.c calls it. The last world that uses a definition frees its number for
// another one. A number that the slot of a descriptor has stored is never freed.
#pragma once
#include <keel/component.h>

// Returns the number of a descriptor's definition, from 1 on, and stores it in `*c->slot`. Returns
// 0 if no such definition is in the index.
uint32_t keeli_component_find(const keel_component *c);
// The same, and counts one more world that uses the definition. Adds the definition if the index
// lacks it; returns 0 when out of memory. The world calls keeli_component_release later.
uint32_t keeli_component_acquire(const keel_component *c);
// Counts one world less that uses the definition. Frees the number when no world uses it, unless a
// slot has stored it.
void keeli_component_release(uint32_t number);
// True if the descriptor equals, apart from storage and hooks, the definition whose number is
// stored in its slot. If no number is stored there, the descriptor is compared with `c->declared`;
// without a slot or a declared descriptor the result is true.
bool keeli_component_is_like(const keel_component *c);
// True if the definition with this number declares this storage.
bool keeli_component_is_stored_so(uint32_t number, keel_storage storage);

// Returns the name of the definition: the descriptor's own, or that of its C type.
static inline const char *keeli_component_name(const keel_component *c) {
    return c->name ? c->name : c->type;
}
// Returns the last part of a path, "" for NULL.
const char *keeli_base_name(const char *path);
// Returns the number in `*stamp`. Stores the next number of the process there first if it is 0.
uint64_t keeli_stamp(uint64_t *stamp);
