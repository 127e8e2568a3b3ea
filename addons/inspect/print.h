// SPDX-License-Identifier: MIT
// Writes what answers have in common: references to entities, fields of values, components.
#pragma once
#include "inspect.h"

// Writes a handle as a text: "17v3"; null for a null handle.
void keeli_print_handle(keeli_out *out, keel_entity entity);
// Writes the members "entity" and "name".
void keeli_print_identity(keeli_out *out, const keel_world *world, keel_entity entity);
// Writes {"entity","name"}, or null.
void keeli_print_reference(keeli_out *out, const keel_world *world, keel_entity entity);
// Writes the members "fields" and "bytes" of a value. NULL: both are null.
void keeli_print_value(keeli_out *out, const keel_world *world, const keel_component *component,
                       const void *value);
// Writes the members of a component's description: "fields" without values.
void keeli_print_description(keeli_out *out, const keel_component *component);
// The path of names from the root: "fleet/ship 7". Entities without a name are handles.
void keeli_print_path(keeli_out *out, const keel_world *world, keel_entity entity);
// Returns a hash of the whole text of a field: fields of which only the begin is kept are compared
// with it.
uint64_t keeli_print_hash(const keel_field_place *place, const void *value);
