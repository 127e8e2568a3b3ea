// SPDX-License-Identifier: MIT
// Bringing a given handle to life: gaps, what later adds hand out, and far indices.
//
// Shipyard's port kit expects the order of its own list (first in, first out, skipped indices at
// its end). Keel's order: the free list, last deleted first; then gaps, lowest first; then fresh
// indices.
#include "data/entity_index.h"

#include "support/data_fixture.h"
#include "support/test.h"

// ------------------------------------------------------------------ the port kit's spawn
static void spawn_in_an_empty_index(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    assert_int_equal(test_index_add_at(&t, 3, 0), KEEL_OK);
    assert_true(keeli_entity_is_alive(&t.ix, keel_entity_make(3, 0)));
    assert_int_equal(keeli_entity_count(&t.ix), 1);
    assert_int_equal(t.ix.gap_count, 3);
    ASSERT_NEXT_ADDS(&t, { 0, 0 }, { 0, 1 }, { 0, 2 }, { 0, 4 }, { 0, 5 });
    assert_int_equal(t.ix.gap_count, 0);
    test_index_deinit(&t);
}

// Shipyard gives 0.1, 1.1, 2.1, 3.0, 4.0, 6.0: the same indices and versions.
static void spawn_beyond_deleted_ones(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    test_index_add_many(&t, 3);
    for (uint32_t i = 0; i < 3; ++i)
        test_index_delete(&t, i);
    assert_int_equal(test_index_add_at(&t, 5, 0), KEEL_OK);
    ASSERT_NEXT_ADDS(&t, { 1, 2 }, { 1, 1 }, { 1, 0 }, { 0, 3 }, { 0, 4 }, { 0, 6 });
    test_index_deinit(&t);
}

// Three are deleted in each possible order, then 1 is spawned again: it leaves the chain from any
// place, and the others keep their order.
static void spawn_takes_its_index_out_of_the_chain(void **state) {
    (void)state;
    const uint32_t orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                    { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    for (size_t k = 0; k < 6; ++k) {
        test_index t;
        test_index_init(&t);
        test_index_add_many(&t, 3);
        for (size_t i = 0; i < 3; ++i)
            test_index_delete(&t, orders[k][i]);
        assert_int_equal(test_index_add_at(&t, 1, 1), KEEL_OK);
        assert_true(keeli_entity_is_alive(&t.ix, keel_entity_make(1, 1)));
        assert_int_equal(t.ix.free_count, 2);
        for (size_t i = 3; i--;)
            if (orders[k][i] != 1) ASSERT_ENTITY(test_index_add(&t), 1, orders[k][i]);
        ASSERT_ENTITY(test_index_add(&t), 0, 3);
        test_index_deinit(&t);
    }
}

// ------------------------------------------------------------------ versions
static void any_version_can_be_brought_to_life(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    assert_int_equal(test_index_add_at(&t, 0, 7), KEEL_OK);
    assert_int_equal(test_index_add_at(&t, 1, KEEL_MAX_ENTITY_VERSION), KEEL_OK);
    assert_true(keeli_entity_is_alive(&t.ix, keel_entity_make(0, 7)));
    assert_true(keeli_entity_is_alive(&t.ix, keel_entity_make(1, KEEL_MAX_ENTITY_VERSION)));
    assert_false(keeli_entity_is_alive(&t.ix, keel_entity_make(0, 0)));
    test_index_delete(&t, 0);
    ASSERT_NEXT_ADDS(&t, { 8, 0 }); // one higher than what was given
    test_index_delete(&t, 0);
    assert_int_equal(test_index_add_at(&t, 0, 2), KEEL_OK); // an older save
    assert_true(keeli_entity_is_alive(&t.ix, keel_entity_make(0, 2)));
    test_index_delete(&t, 0);
    ASSERT_NEXT_ADDS(&t, { 3, 0 });
    test_index_deinit(&t);
}

// ------------------------------------------------------------------ refusals
static void a_living_index_is_occupied(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    test_index_add_many(&t, 2);
    const keel_entity held = test_index_hold(&t);
    const test_index_state before = test_index_state_take(&t.ix);
    for (uint32_t i = 0; i < 3; ++i)
        for (uint32_t version = 0; version < 3; ++version)
            assert_int_equal(test_index_add_at(&t, i, version), KEEL_ERROR_OCCUPIED);
    ASSERT_INDEX_UNCHANGED(&t.ix, before);
    keeli_entity_index_release(&t.ix, held);
    test_index_deinit(&t);
}

static void null_and_impossible_handles_are_refused(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    test_index_add_many(&t, 2);
    const test_index_state before = test_index_state_take(&t.ix);
    keeli_heap *heap = &t.memory.heap;
    assert_int_equal(keeli_entity_index_add_at(&t.ix, heap, keel_null()), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keeli_entity_index_add_at(&t.ix, heap, (keel_entity){ 5 }),
                     KEEL_ERROR_DEAD_ENTITY);
#if !defined(KEEL_ENTITY_32) || !KEEL_ENTITY_32 // the other width has no bits for these
    const keel_entity high_version = { UINT64_C(0x8000000000000005) };
    const keel_entity high_index = { UINT64_C(0x00000001FFFFFFF0) };
    assert_int_equal(keeli_entity_index_add_at(&t.ix, heap, high_version), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keeli_entity_index_add_at(&t.ix, heap, high_index), KEEL_ERROR_FULL);
#endif
    ASSERT_INDEX_UNCHANGED(&t.ix, before);
    test_index_deinit(&t);
}

// ------------------------------------------------------------------ gaps
static void gaps_are_handed_out_lowest_first(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    const uint32_t restored[] = { 6, 2, 9, 0 }; // a save in any order
    for (size_t i = 0; i < 4; ++i)
        assert_int_equal(test_index_add_at(&t, restored[i], 4), KEEL_OK);
    assert_int_equal(t.ix.gap_count, 6);
    ASSERT_NEXT_ADDS(&t, { 0, 1 }, { 0, 3 });
    assert_int_equal(test_index_add_at(&t, 5, 0), KEEL_OK); // ahead of the adds
    test_index_delete(&t, 9);
    ASSERT_NEXT_ADDS(&t, { 5, 9 }, { 0, 4 }, { 0, 7 }, { 0, 8 }, { 0, 10 });
    test_index_deinit(&t);
}

static void new_gaps_open_beyond_filled_ones(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    assert_int_equal(test_index_add_at(&t, 2, 0), KEEL_OK);
    ASSERT_NEXT_ADDS(&t, { 0, 0 }, { 0, 1 }, { 0, 3 });
    assert_int_equal(test_index_add_at(&t, 6, 0), KEEL_OK);
    ASSERT_NEXT_ADDS(&t, { 0, 4 });
    assert_int_equal(test_index_add_at(&t, 8, 0), KEEL_OK);
    ASSERT_NEXT_ADDS(&t, { 0, 5 }, { 0, 7 }, { 0, 9 });
    test_index_deinit(&t);
}

// What was dead or alive goes to the free list in ascending order; gaps are still gaps behind it.
static void clear_keeps_gaps(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    assert_int_equal(test_index_add_at(&t, 4, 0), KEEL_OK);
    assert_int_equal(test_index_add_at(&t, 2, 0), KEEL_OK);
    keeli_entity_index_clear(&t.ix);
    ASSERT_NEXT_ADDS(&t, { 1, 2 }, { 1, 4 }, { 0, 0 }, { 0, 1 }, { 0, 3 }, { 0, 5 });
    test_index_deinit(&t);
}

// ------------------------------------------------------------------ far indices
// Between the ends there are only pointers to the shared page of gaps: two of them per 4,096
// indices.
static void a_far_index_costs_a_page_and_pointers(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    assert_int_equal(test_index_add_at(&t, 1000000, 0), KEEL_OK);
    const size_t pages = 1000000 / KEELI_PAGE + 1;
    const size_t own_page = 2 * KEELI_PAGE * sizeof(uint32_t) + 64; // and a count
    assert_int_equal(t.memory.memory.live_bytes, own_page + 2 * pages * sizeof(void *));
    test_index_deinit(&t);
}

static void the_highest_index_works(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    assert_int_equal(test_index_add_at(&t, KEEL_MAX_ENTITY_INDEX, 3), KEEL_OK);
    ASSERT_ENTITY(keeli_entity_index_next(&t.ix, 0), 3, KEEL_MAX_ENTITY_INDEX);
    ASSERT_NEXT_ADDS(&t, { 0, 0 }, { 0, 1 });
    keeli_entity_index_clear(&t.ix);
    ASSERT_NEXT_ADDS(&t, { 1, 0 }, { 1, 1 }, { 4, KEEL_MAX_ENTITY_INDEX }, { 0, 2 });
    assert_true(keeli_entity_index_is_valid(&t.ix));
    test_index_deinit(&t);
}

static void gaps_cross_pages(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    const uint32_t last = 3 * KEELI_PAGE;
    assert_int_equal(test_index_add_at(&t, last, 0), KEEL_OK);
    for (uint32_t i = 0; i < last; ++i)
        ASSERT_ENTITY(test_index_add(&t), 0, i);
    ASSERT_ENTITY(test_index_add(&t), 0, last + 1);
    assert_int_equal(keeli_entity_count(&t.ix), last + 2);
    test_index_deinit(&t);
}

static const struct CMUnitTest tests[] = {
    TEST(spawn_in_an_empty_index, "a given index in an empty world, then adds fill the gaps"),
    TEST(spawn_beyond_deleted_ones, "a given index beyond deleted ones: free list, gaps, fresh"),
    TEST(spawn_takes_its_index_out_of_the_chain,
         "a given index leaves the free list from any place"),
    TEST(any_version_can_be_brought_to_life, "any version can be brought to life, and goes on"),
    TEST(a_living_index_is_occupied, "an index that is alive or promised is occupied"),
    TEST(null_and_impossible_handles_are_refused, "null and impossible handles are refused"),
    TEST(gaps_are_handed_out_lowest_first, "gaps are handed out lowest first, before fresh ones"),
    TEST(new_gaps_open_beyond_filled_ones, "new gaps open beyond filled ones"),
    TEST(clear_keeps_gaps, "a clear leaves gaps where they are"),
    TEST(a_far_index_costs_a_page_and_pointers, "a far index costs one page and pointers"),
    TEST(the_highest_index_works, "the highest index works"),
    TEST(gaps_cross_pages, "gaps are filled across pages"),
};

int main(void) { return RUN(tests); }
