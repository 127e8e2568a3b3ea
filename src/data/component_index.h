// SPDX-License-Identifier: MIT
// The process-wide index of component definitions: copies of one definition get one number, in all
// worlds. A definition is: name, base name of the declaring file, size, alignment, storage,
// component or unique. Its memory is the process's. It goes, and its number serves another one,
// when the last world forgets it; but one that a descriptor with a slot of its own has asked for
// stays, since the slot keeps the number.
#pragma once
#include <keel/component.h>

// The number of a descriptor's definition, from 1 on; 0: there is none so far. Kept in `*c->slot`.
uint32_t keeli_component_find(const keel_component *c);
// The same, and a world knows it from now on: a new number when there is none so far, 0 when out of
// memory. Each is given back once.
uint32_t keeli_component_take(const keel_component *c);
void keeli_component_give_back(uint32_t number);
// Is the descriptor, or may it become, one of the definition that its slot has the number of? Its
// storage and hooks may be others.
bool keeli_component_is_like(const keel_component *c);
// Is this the storage that the definition of a number declares?
bool keeli_component_is_stored_so(uint32_t number, keel_storage storage);

// The name that counts.
static inline const char *keeli_component_name(const keel_component *c) {
    return c->name ? c->name : c->type;
}
// The last part of a path, "" for NULL.
const char *keeli_base_name(const char *path);
// A number for something that is marked once per process: taken from `*stamp`, or given to it.
uint64_t keeli_stamp(uint64_t *stamp);
