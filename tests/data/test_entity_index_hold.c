// SPDX-License-Identifier: MIT
// Handles that are promised to commands, and taking adds back as if they had never been.
#include "data/entity_index.h"

#include "support/data_fixture.h"
#include "support/test.h"

#include <stdlib.h>

// ------------------------------------------------------------------ promised handles
static void a_held_handle_is_not_alive_yet(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    test_index_add_many(&t, 2);
    const keel_entity held = test_index_hold(&t);
    ASSERT_ENTITY(held, 0, 2);
    assert_false(keeli_entity_is_alive(&t.ix, held));
    assert_true(keeli_entity_index_is_held(&t.ix, held));
    assert_int_equal(keeli_entity_count(&t.ix), 2);
    assert_int_equal(t.ix.held, 1);
    assert_true(keel_is_null(keeli_entity_index_next(&t.ix, 2)));
    ASSERT_NEXT_ADDS(&t, { 0, 3 }); // not handed out twice
    assert_true(keeli_entity_index_is_valid(&t.ix));
    keeli_entity_index_confirm(&t.ix, held);
    assert_true(keeli_entity_is_alive(&t.ix, held));
    assert_false(keeli_entity_index_is_held(&t.ix, held));
    assert_int_equal(keeli_entity_count(&t.ix), 4);
    assert_int_equal(t.ix.held, 0);
    test_index_deinit(&t);
}

static void a_released_handle_is_never_given_again(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    const keel_entity held = test_index_hold(&t);
    keeli_entity_index_release(&t.ix, held);
    assert_false(keeli_entity_is_alive(&t.ix, held));
    assert_false(keeli_entity_index_is_held(&t.ix, held));
    assert_int_equal(t.ix.held, 0);
    ASSERT_NEXT_ADDS(&t, { 1, 0 });
    test_index_deinit(&t);
}

static void holds_take_indices_as_adds_do(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    assert_int_equal(test_index_add_at(&t, 2, 0), KEEL_OK);
    test_index_delete(&t, 2);
    const uint32_t expected[][2] = { { 1, 2 }, { 0, 0 }, { 0, 1 }, { 0, 3 } };
    keel_entity held[4];
    for (size_t i = 0; i < 4; ++i) {
        held[i] = test_index_hold(&t);
        ASSERT_ENTITY(held[i], expected[i][0], expected[i][1]);
        assert_true(keeli_entity_index_is_held(&t.ix, held[i]));
    }
    assert_int_equal(t.ix.held, 4);
    keeli_entity_index_confirm(&t.ix, held[1]); // in any order
    keeli_entity_index_release(&t.ix, held[3]);
    keeli_entity_index_confirm(&t.ix, held[0]);
    keeli_entity_index_release(&t.ix, held[2]);
    assert_int_equal(keeli_entity_count(&t.ix), 2);
    ASSERT_NEXT_ADDS(&t, { 1, 1 }, { 1, 3 }, { 0, 4 });
    test_index_deinit(&t);
}

static void only_the_promised_handle_is_held(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    test_index_add_many(&t, 2);
    test_index_delete(&t, 1);
    const keel_entity held = test_index_hold(&t); // 1.1
    assert_false(keeli_entity_index_is_held(&t.ix, keel_entity_make(1, 0)));
    assert_false(keeli_entity_index_is_held(&t.ix, keel_entity_make(1, 2)));
    assert_false(keeli_entity_index_is_held(&t.ix, keel_entity_make(0, 0)));
    assert_false(keeli_entity_index_is_held(&t.ix, keel_entity_make(2, 0)));
    assert_false(keeli_entity_index_is_held(&t.ix, keel_entity_make(KEEL_MAX_ENTITY_INDEX, 0)));
    assert_false(keeli_entity_index_is_held(&t.ix, keel_null()));
    assert_false(keeli_entity_index_is_held(&t.ix, (keel_entity){ 1 }));
    keeli_entity_index_confirm(&t.ix, held);
    test_index_deinit(&t);
}

static void clear_keeps_promises(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    test_index_add_many(&t, 2);
    const keel_entity kept = test_index_hold(&t), dropped = test_index_hold(&t);
    keeli_entity_index_clear(&t.ix);
    assert_int_equal(t.ix.held, 2);
    assert_true(keeli_entity_index_is_held(&t.ix, kept));
    ASSERT_NEXT_ADDS(&t, { 1, 0 }, { 1, 1 }, { 0, 4 });
    keeli_entity_index_confirm(&t.ix, kept);
    keeli_entity_index_release(&t.ix, dropped);
    assert_true(keeli_entity_is_alive(&t.ix, kept));
    test_index_deinit(&t);
}

static void a_released_last_version_retires_its_index(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    assert_int_equal(test_index_add_at(&t, 0, KEEL_MAX_ENTITY_VERSION - 1), KEEL_OK);
    test_index_delete(&t, 0);
    const keel_entity held = test_index_hold(&t);
    ASSERT_ENTITY(held, KEEL_MAX_ENTITY_VERSION, 0);
    keeli_entity_index_release(&t.ix, held);
    assert_int_equal(t.ix.retired, 1);
    ASSERT_NEXT_ADDS(&t, { 0, 1 });
    test_index_deinit(&t);
}

// ------------------------------------------------------------------ undo
// A free list of 5, 1, gaps from 6 to 4,999, then fresh ones from 5,001 on.
static void make_a_mixed_index(test_index *t) {
    test_index_init(t);
    test_index_add_many(t, 6);
    assert_int_equal(test_index_add_at(t, 5000, 2), KEEL_OK);
    test_index_delete(t, 1);
    test_index_delete(t, 5);
}

static void undo(test_index *t, uint32_t count) {
    keel_entity *added = malloc((count ? count : 1) * sizeof *added);
    assert_non_null(added);
    assert_int_equal(keeli_entity_index_reserve(&t->ix, &t->memory.heap, count), KEEL_OK);
    const keeli_entity_index before = t->ix;
    for (uint32_t i = 0; i < count; ++i)
        added[i] = keeli_entity_index_add(&t->ix);
    keeli_entity_index_undo(&t->ix, &before, added, count);
    for (uint32_t i = 0; i < count; ++i)
        assert_false(keeli_entity_is_alive(&t->ix, added[i]));
    free(added);
}

static void undone_adds_have_never_been(void **state) {
    (void)state;
    // none; within the free list; into gaps; all gaps; into fresh ones, in their page and beyond
    const uint32_t counts[] = { 0, 1, 2, 3, 100, 4996, 4997, 5100, 20000 };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        test_index t;
        make_a_mixed_index(&t);
        const test_index_state before = test_index_state_take(&t.ix);
        undo(&t, counts[i]);
        ASSERT_INDEX_UNCHANGED(&t.ix, before);
        ASSERT_NEXT_ADDS(&t, { 1, 5 }, { 1, 1 }, { 0, 6 }, { 0, 7 }); // the same handles again
        test_index_deinit(&t);
    }
}

// Handles of templates begin with another version: of indices that are fresh, skipped or given
// back.
static void indices_begin_with_the_first_version(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    t.ix.first = 8; // the upper part is one more than the version
    assert_int_equal(test_index_add_at(&t, 2, 3), KEEL_OK);
    undo(&t, 5);
    const keel_entity held = test_index_hold(&t);
    assert_true(keel_is_same(held, keel_entity_make(0, 7)));
    keeli_entity_index_unhold(&t.ix, held);
    const keeli_entity_index before = t.ix;
    const keel_entity promised[] = { test_index_hold(&t), test_index_hold(&t),
                                     test_index_hold(&t) };
    keeli_entity_index_unhold_all(&t.ix, &before, promised, 3);
    ASSERT_NEXT_ADDS(&t, { 7, 0 }, { 7, 1 }, { 7, 3 });
    test_index_add_many(&t, 5000);
    assert_true(keeli_entity_is_alive(&t.ix, keel_entity_make(5003, 7)));
    test_index_delete(&t, 5000);
    ASSERT_NEXT_ADDS(&t, { 8, 5000 }, { 7, 5004 });
    assert_true(keeli_entity_index_is_valid(&t.ix));
    test_index_deinit(&t);
}

static void undo_works_in_an_empty_index(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    undo(&t, 3);
    assert_int_equal(t.ix.size, 0);
    assert_int_equal(keeli_entity_count(&t.ix), 0);
    undo(&t, 0);
    ASSERT_NEXT_ADDS(&t, { 0, 0 }, { 0, 1 });
    test_index_deinit(&t);
}

static void undo_leaves_promises(void **state) {
    (void)state;
    test_index t;
    make_a_mixed_index(&t);
    const keel_entity held = test_index_hold(&t); // 5.1
    undo(&t, 10);
    assert_true(keeli_entity_index_is_held(&t.ix, held));
    keeli_entity_index_confirm(&t.ix, held);
    ASSERT_NEXT_ADDS(&t, { 1, 1 }, { 0, 6 });
    test_index_deinit(&t);
}

static void a_small_reserve_keeps_a_large_one(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    assert_int_equal(keeli_entity_index_reserve(&t.ix, &t.memory.heap, 20000), KEEL_OK);
    assert_int_equal(keeli_entity_index_reserve(&t.ix, &t.memory.heap, 10), KEEL_OK);
    for (uint32_t i = 0; i < 20000; ++i) { // none of them needs memory
        assert_true(keeli_entity_index_is_ready(&t.ix));
        (void)keeli_entity_index_add(&t.ix);
    }
    test_index_deinit(&t);
}

static const struct CMUnitTest tests[] = {
    TEST(a_held_handle_is_not_alive_yet, "a promised handle is not alive before it is confirmed"),
    TEST(a_released_handle_is_never_given_again, "a handle given back is never handed out again"),
    TEST(holds_take_indices_as_adds_do, "promises take free, skipped and fresh indices as adds do"),
    TEST(only_the_promised_handle_is_held, "only the promised handle counts as promised"),
    TEST(clear_keeps_promises, "a clear keeps promises"),
    TEST(a_released_last_version_retires_its_index, "giving back a last version retires its index"),
    TEST(undone_adds_have_never_been, "undone adds have never been: free, skipped, fresh indices"),
    TEST(indices_begin_with_the_first_version, "templates' indices begin with another version"),
    TEST(undo_works_in_an_empty_index, "an empty index can be brought back"),
    TEST(a_small_reserve_keeps_a_large_one, "a small reserve keeps what a large one prepared"),
    TEST(undo_leaves_promises, "undo leaves promises that were made before"),
};

int main(void) { return RUN(tests); }
