// SPDX-License-Identifier: MIT
// The process-wide index of component definitions: copies of one definition get one number.
// A definition is: name, base name of the declaring file, size, alignment, storage, component or
// unique.
#pragma once
#include <keel/component.h>

// The number of a descriptor's definition, from 1 on; 0 when out of memory. Kept in `*c->slot`, so
// the second call is one load.
uint32_t keeli_component_index(const keel_component *c);

// The name that counts.
static inline const char *keeli_component_name(const keel_component *c) {
    return c->name ? c->name : c->type;
}
// The last part of a path, "" for NULL.
const char *keeli_base_name(const char *path);
// A number for something that is marked once per process: taken from `*stamp`, or given to it.
uint64_t keeli_stamp(uint64_t *stamp);
