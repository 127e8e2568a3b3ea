// SPDX-License-Identifier: MIT
// Described fields: what they cover, are they right, copies of the tables, and hashes of values.
#pragma once
#include "base/memory.h"
#include "base/text.h"

#include <keel/component.h>

// What a member is read as: bytes where it is said so, and where nothing is known of it.
keel_field_type keeli_field_type(const keel_field *field);
// Bytes of the whole member.
uint64_t keeli_field_bytes(const keel_field *field);
// Bytes of one element, and how many there are. Texts and bytes are one.
uint32_t keeli_field_element(const keel_field *field);
uint32_t keeli_field_elements(const keel_field *field);

// False: `wrong` says which field is wrong, as the end of a sentence about the component.
bool keeli_fields_are_valid(const keel_component *c, keeli_writer *wrong);

// A copy of the table and of all that it points to; NULL when it is empty or out of memory.
keel_field *keeli_fields_copy(keeli_heap *heap, const keel_field *fields, uint32_t count);
void keeli_fields_free(keeli_heap *heap, const keel_field *fields, uint32_t count);

// Does all of a field's bytes count, as they are?
bool keeli_field_is_plain(const keel_field *field);
// One by one: padding between them, what follows the end of a text, and transient ones do not
// count.
uint64_t keeli_fields_hash(const keel_field *fields, uint32_t count, const void *value,
                           uint64_t seed);

// Handles in a value, of structs in it and of arrays, too: are there any, and each becomes what
// `map` makes of it.
typedef keel_entity keeli_entity_map(void *data, keel_entity e);
bool keeli_fields_have_entities(const keel_field *fields, uint32_t count);
void keeli_fields_map_entities(const keel_field *fields, uint32_t count, void *value,
                               keeli_entity_map *map, void *data);
