// SPDX-License-Identifier: MIT
// Names of entities: the texts, and an index of them by parent and text, so that siblings have
// different names and a path can be found. It does not decide which entity gets a name: link/name.c
// does, and calls this file. A value of keel_name points to the text of a keeli_name. Every removal
// of the value removes the name from the index: the drop hook does, or change tracking, which keeps
// the text for readers of deletions. Invariant, checked by keeli_names_are_valid: the keeli_name of
// each value of keel_name is in the index, under the entity that has the value and its parent.
#pragma once
#include "world.h"

#include <keel/name.h>

typedef struct keeli_name {
    struct keeli_name *next;    // next in the chain of the index
    keel_entity entity, parent; // set while it is listed; `parent` null: the entity is a root
    uint32_t length;            // bytes of `text`, without the 0 at its end
    bool is_listed;             // it is in the index
    char text[];
} keeli_name;

// Returns the name of an entity that is alive or just being deleted, NULL if it has none.
keeli_name *keeli_name_at(const keel_world *world, keel_entity e);
// Returns the name of the child of `parent` (null: a root) with this text, or NULL.
keeli_name *keeli_name_find(const keel_world *world, keel_entity parent, const char *text,
                            size_t length);
// Makes a name that belongs to no entity yet, and room for it in the index. NULL when out of
// memory.
keeli_name *keeli_name_new(keel_world *world, const char *text, size_t length);
// Adds the name of an entity to the index. The entity has this parent and no sibling of that name.
void keeli_name_enter(keel_world *world, keeli_name *name, keel_entity e, keel_entity parent);
// Removes a name from the index.
void keeli_name_leave(keel_world *world, keeli_name *name);
void keeli_name_free(keel_world *world, keeli_name *name);
// Removes the name of a value of keel_name from the index, but does not free it: the entity loses
// the value, which the log of removed values keeps.
void keeli_name_leave_value(keel_world *world, const void *value);

// Set up the names when keel_name was registered, and end them when it is unregistered. They do
// nothing for other components.
void keeli_names_begin(keel_world *world, keeli_storage *s);
void keeli_names_end(keel_world *world, const keeli_storage *s);
// Frees the memory of an index without names.
void keeli_names_trim(keel_world *world);
bool keeli_names_are_valid(const keel_world *world);
