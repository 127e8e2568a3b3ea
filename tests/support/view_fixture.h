// SPDX-License-Identifier: MIT
// Helpers for tests of views: opening a view, collecting the entities that it visits, and comparing
// them with an expected list. Tests in tests/api include it.
#pragma once
#include "support/api_types.h"

// Opens a view, which must succeed.
keel_view open_view(keel_world *world, const keel_term *terms);
// Asserts that opening a view fails with `result` and with `part` (or NULL) in the recorded error,
// and that the view stays closed.
void assert_no_view(keel_world *world, const keel_term *terms, keel_result result,
                    const char *part);

// Returns the value of item `i` of a chunk in the column of term `t`. NULL if the term is optional
// and absent.
const void *chunk_value(const keel_chunk *chunk, uint32_t t, uint32_t i, size_t size);
// True if a loop visits item `i` of the chunk.
bool chunk_has(const keel_chunk *chunk, uint32_t i);

// Collects up to `max` entities that a view with KEEL_TERM_ENTITY visits, and asserts that chunks
// and spans visit the same. Returns their number.
uint32_t collect(const keel_view *view, keel_entity *out, uint32_t max);

// Asserts that a view of `terms`, one of which is KEEL_ENTITY, visits exactly these entities in
// this order, and that count, first, single and contains agree. For no entities, use
// ASSERT_VISITS_NONE.
#define ASSERT_VISITS(world, terms, ...)                                                           \
    assert_visits((world), (terms), (const keel_entity[]){ __VA_ARGS__ },                          \
                  sizeof((const keel_entity[]){ __VA_ARGS__ }) / sizeof(keel_entity), __LINE__)
#define ASSERT_VISITS_NONE(world, terms) assert_visits((world), (terms), NULL, 0, __LINE__)
void assert_visits(keel_world *world, const keel_term *terms, const keel_entity *expected,
                   uint32_t count, int line);
