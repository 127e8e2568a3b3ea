// SPDX-License-Identifier: MIT
// The fixture of tests of groups and sorting: components of each storage, and the packed order of a
// sparse set. The world is that of api_fixture.h. Tests in tests/api include it.
#pragma once
#include "support/api_types.h"

#include <stdlib.h>

typedef struct Indexed {
    uint32_t value;
} Indexed;
typedef struct Row {
    uint32_t value;
} Row;
KEEL_COMPONENT(Indexed, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE);

// Returns the entities of a component in the order of iteration, which for sparse sets is the
// packed order, and their number in `*count`. The caller calls free(). Needs memory from the
// world's allocator.
keel_entity *packed_order(keel_world *world, const keel_component *component, uint32_t *count);
// Asserts that the packed indices are exactly these: "7 4 8", or "" for none.
void assert_packed(keel_world *world, const keel_component *component, const char *indices);
// The same for the members of a group.
void assert_members(const keel_world *world, const keel_group *group, const char *indices);
