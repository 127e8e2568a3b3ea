// SPDX-License-Identifier: MIT
// What tests of views share: opening, visiting, and comparing what was visited.
#pragma once
#include "support/api_types.h"

// Open a view that must open.
keel_view open_view(keel_world *world, const keel_term *terms);
// Opening must fail like this, with `part` (or NULL) in the kept error; the view stays closed.
void assert_no_view(keel_world *world, const keel_term *terms, keel_result result,
                    const char *part);

// The value of item `i` of a chunk in the column of term `t`; NULL for an absent `maybe`.
const void *chunk_value(const keel_chunk *chunk, uint32_t t, uint32_t i, size_t size);
// Is item `i` of the chunk to be visited?
bool chunk_has(const keel_chunk *chunk, uint32_t i);

// The entities that a view with KEEL_TERM_ENTITY visits, by chunks and by spans, which must be the
// same; to `max`. How many there are.
uint32_t collect(const keel_view *view, keel_entity *out, uint32_t max);

// A view of `terms`, which name KEEL_ENTITY, visits exactly these entities in this order; count,
// first, single and contains agree. None: ASSERT_VISITS_NONE.
#define ASSERT_VISITS(world, terms, ...)                                                           \
    assert_visits((world), (terms), (const keel_entity[]){ __VA_ARGS__ },                          \
                  sizeof((const keel_entity[]){ __VA_ARGS__ }) / sizeof(keel_entity), __LINE__)
#define ASSERT_VISITS_NONE(world, terms) assert_visits((world), (terms), NULL, 0, __LINE__)
void assert_visits(keel_world *world, const keel_term *terms, const keel_entity *expected,
                   uint32_t count, int line);
