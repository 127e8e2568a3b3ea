// SPDX-License-Identifier: MIT
// The fixture of tests of archetypes: a heap, an entity index, some components and their
// archetypes. It must not move after its init. It creates no world; tests in tests/data include it.
#pragma once
#include "data/archetype.h"
#include "support/api_fixture.h"
#include "support/data_fixture.h"

// Indices of the components in test_rows.c. Their component numbers ascend.
enum { ROW_U32, ROW_U64, ROW_BOOL, ROW_TAG, ROW_OWNED, ROW_WIDE, ROW_LARGE, ROW_COMPONENTS };

typedef struct test_rows {
    test_heap memory;
    keeli_entity_index ix;
    keeli_archetypes a;
    keeli_row_component c[ROW_COMPONENTS];
} test_rows;

void test_rows_init(test_rows *t);
// Asserts that all structures are valid, that their counts are right, and that all memory is freed.
void test_rows_deinit(test_rows *t);
bool test_rows_are_valid(const test_rows *t);

// Returns the archetype of a set of components, given as bits: 1 << ROW_U32 | 1 << ROW_TAG.
keeli_archetype *test_rows_find(test_rows *t, uint32_t set);
// Returns the components of an archetype as such bits.
uint32_t test_rows_set(const test_rows *t, const keeli_archetype *archetype);
// Adds an entity with a row in the archetype. Its values are made from its index (Owned: zeros).
keel_entity test_rows_add(test_rows *t, keeli_archetype *archetype);
// Moves the entity's row to another archetype. New values are made from its index, removed ones are
// dropped. The archetype of the empty set means no row.
void test_rows_move(test_rows *t, keel_entity e, keeli_archetype *to);
// Drops the values of an entity, removes its row and deletes the entity.
void test_rows_delete(test_rows *t, keel_entity e);
// True if the entity has its values, as made from its index.
bool test_rows_has_values(const test_rows *t, keel_entity e);
keeli_archetype *test_rows_of(const test_rows *t, keel_entity e);
uint32_t test_rows_place(const test_rows *t, keel_entity e);
