// SPDX-License-Identifier: MIT
// Described fields (keel_field): their sizes, checks of a description, copies of the tables, hashes
// of values, and entity handles in values. It knows no world; printing and parsing fields is in
// tell/. Called when a component is registered, and by hashes, copies and images.
#pragma once
#include "base/memory.h"
#include "base/text.h"

#include <keel/component.h>

// Returns the type to read the member as: KEEL_FIELD_BYTES if the field has .bytes, or is a
// transient struct whose type is not described.
keel_field_type keeli_field_type(const keel_field *field);
// Returns the size of the whole member in bytes.
uint64_t keeli_field_bytes(const keel_field *field);
// Return the size of one element in bytes, and the number of elements. A text is one element, and
// so are bytes.
uint32_t keeli_field_element(const keel_field *field);
uint32_t keeli_field_elements(const keel_field *field);

// True if the description is right. If not, writes to `wrong` which field is wrong, as the end of a
// sentence about the component.
bool keeli_fields_are_valid(const keel_component *c, keeli_writer *wrong);

// Returns a copy of the table and of all that it points to, NULL if it is empty or out of memory.
keel_field *keeli_fields_copy(keeli_heap *heap, const keel_field *fields, uint32_t count);
void keeli_fields_free(keeli_heap *heap, const keel_field *fields, uint32_t count);

// True if every byte of the member is part of the value: it is not a text, pointer, struct or
// transient field.
bool keeli_field_is_plain(const keel_field *field);
// Returns a hash of the fields of a value, without padding, the bytes behind the end of a text, and
// transient fields.
uint64_t keeli_fields_hash(const keel_field *fields, uint32_t count, const void *value,
                           uint64_t seed);

// Handles of entities in fields, also in nested structs and arrays. keeli_fields_have_entities:
// true if a field can hold a handle. keeli_fields_map_entities replaces each handle in a value by
// the result of `map`, which is called with `data`.
typedef keel_entity keeli_entity_map(void *data, keel_entity e);
bool keeli_fields_have_entities(const keel_field *fields, uint32_t count);
void keeli_fields_map_entities(const keel_field *fields, uint32_t count, void *value,
                               keeli_entity_map *map, void *data);
