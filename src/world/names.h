// SPDX-License-Identifier: MIT
// Names of entities. A value of keel_name points to the text of a keeli_name, which also stands in
// an index by parent and text, so that siblings have different names and a path is found. Whoever
// takes the value away comes by here: its hook drops it, or it is kept for those who look at
// deletions. Invariant: each keel_name of the world has a keeli_name of its entity, which is in the
// index under the parent that the entity has. Checked by keeli_names_are_valid.
#pragma once
#include "world.h"

#include <keel/name.h>

typedef struct keeli_name {
    struct keeli_name *next;    // in its chain
    keel_entity entity, parent; // null: a root
    uint32_t length;
    bool is_listed; // in the index
    char text[];
} keeli_name;

// NULL: it has none. The entity is alive, or is just being deleted.
keeli_name *keeli_name_at(const keel_world *world, keel_entity e);
// The child of `parent` (null: the root) with this name, or NULL.
keeli_name *keeli_name_find(const keel_world *world, keel_entity parent, const char *text,
                            size_t length);
// A name that is nobody's yet, and room for it in the index; NULL when out of memory.
keeli_name *keeli_name_new(keel_world *world, const char *text, size_t length);
// It becomes the value of an entity, which has this parent and no sibling of that name.
void keeli_name_enter(keel_world *world, keeli_name *name, keel_entity e, keel_entity parent);
// It is found no more.
void keeli_name_leave(keel_world *world, keeli_name *name);
void keeli_name_free(keel_world *world, keeli_name *name);
// The same for a value of keel_name that is kept although the entity loses it.
void keeli_name_leave_value(keel_world *world, const void *value);

// A component has become known: is it keel_name? And it becomes unknown.
void keeli_names_begin(keel_world *world, keeli_storage *s);
void keeli_names_end(keel_world *world, const keeli_storage *s);
// The memory of an index without names goes.
void keeli_names_trim(keel_world *world);
bool keeli_names_are_valid(const keel_world *world);
