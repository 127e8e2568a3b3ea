// SPDX-License-Identifier: MIT
// What tests of archetypes stand on: a heap, an entity index, some components and the archetypes of
// them. It may not move after its init.
#pragma once
#include "data/archetype.h"
#include "support/api_fixture.h"
#include "support/data_fixture.h"

// By place in test_rows.c; their numbers ascend.
enum { ROW_U32, ROW_U64, ROW_BOOL, ROW_TAG, ROW_OWNED, ROW_WIDE, ROW_LARGE, ROW_COMPONENTS };

typedef struct test_rows {
    test_heap memory;
    keeli_entity_index ix;
    keeli_archetypes a;
    keeli_row_component c[ROW_COMPONENTS];
} test_rows;

void test_rows_init(test_rows *t);
// The running test fails when anything is not valid, not counted or not given back.
void test_rows_deinit(test_rows *t);
bool test_rows_are_valid(const test_rows *t);

// The archetype of components given by bits: 1 << ROW_U32 | 1 << ROW_TAG.
keeli_archetype *test_rows_find(test_rows *t, uint32_t set);
// The components of an archetype as such bits.
uint32_t test_rows_set(const test_rows *t, const keeli_archetype *archetype);
// A new entity with a row there, whose values are made from its index (Owned: zeros).
keel_entity test_rows_add(test_rows *t, keeli_archetype *archetype);
// Move the entity's row; values it had not before are made from its index, values that go are
// dropped. The empty set: it has no row afterwards.
void test_rows_move(test_rows *t, keel_entity e, keeli_archetype *to);
// Drop the values of an entity, take its row and delete it.
void test_rows_delete(test_rows *t, keel_entity e);
// Are the entity's values there, made from its index?
bool test_rows_has_values(const test_rows *t, keel_entity e);
keeli_archetype *test_rows_of(const test_rows *t, keel_entity e);
uint32_t test_rows_place(const test_rows *t, keel_entity e);
