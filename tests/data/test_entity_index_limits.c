// SPDX-License-Identifier: MIT
// The ends of what 32 and 64 bits can count: versions that are used up, and every index in use.
#include "data/entity_index.h"

#include "support/data_fixture.h"
#include "support/test.h"

// ------------------------------------------------------------------ versions
// EnTT's versions wrap; Keel retires the index, so that an old handle never means a new entity.
static void a_version_that_would_wrap_retires_its_index(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    assert_int_equal(test_index_add_at(&t, 0, KEEL_MAX_ENTITY_VERSION - 1), KEEL_OK);
    test_index_delete(&t, 0);
    assert_int_equal(t.ix.retired, 0);
    ASSERT_NEXT_ADDS(&t, { KEEL_MAX_ENTITY_VERSION, 0 });
    test_index_delete(&t, 0);
    assert_int_equal(t.ix.retired, 1);
    assert_int_equal(t.ix.free_count, 0);
    ASSERT_NEXT_ADDS(&t, { 0, 1 }, { 0, 2 });
    for (uint32_t version = 0; version < 100; ++version)
        assert_false(keeli_entity_is_alive(&t.ix, keel_entity_make(0, version)));
    assert_false(keeli_entity_is_alive(&t.ix, keel_entity_make(0, KEEL_MAX_ENTITY_VERSION)));
    test_index_deinit(&t);
}

static void a_retired_index_stays_retired(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    assert_int_equal(test_index_add_at(&t, 1, KEEL_MAX_ENTITY_VERSION), KEEL_OK);
    test_index_delete(&t, 1);
    assert_int_equal(test_index_add_at(&t, 1, 0), KEEL_ERROR_FULL);
    assert_int_equal(test_index_add_at(&t, 1, KEEL_MAX_ENTITY_VERSION), KEEL_ERROR_FULL);
    keeli_entity_index_clear(&t.ix);
    assert_int_equal(t.ix.retired, 1);
    ASSERT_NEXT_ADDS(&t, { 0, 0 }, { 0, 2 });
    test_index_deinit(&t);
}

static void deleting_many_retires_as_delete_does(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    assert_int_equal(test_index_add_at(&t, 0, KEEL_MAX_ENTITY_VERSION), KEEL_OK);
    assert_int_equal(test_index_add_at(&t, 1, 4), KEEL_OK);
    assert_int_equal(test_index_add_at(&t, 2, 5), KEEL_OK);
    const keel_entity all[] = { keel_entity_make(2, 5),
                                keel_entity_make(0, KEEL_MAX_ENTITY_VERSION),
                                keel_entity_make(1, 4) };
    keeli_entity_index_delete_many(&t.ix, all, 3);
    assert_true(keeli_entity_index_is_valid(&t.ix));
    assert_int_equal(t.ix.retired, 1);
    assert_int_equal(keeli_entity_count(&t.ix), 0);
    ASSERT_NEXT_ADDS(&t, { 5, 1 }, { 6, 2 }, { 0, 3 }); // the last deleted first
    test_index_deinit(&t);
}

static void clear_retires_as_delete_does(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    assert_int_equal(test_index_add_at(&t, 0, KEEL_MAX_ENTITY_VERSION), KEEL_OK);
    assert_int_equal(test_index_add_at(&t, 1, KEEL_MAX_ENTITY_VERSION - 1), KEEL_OK);
    keeli_entity_index_clear(&t.ix);
    assert_int_equal(t.ix.retired, 1);
    keeli_entity_index_clear(&t.ix); // 1 was not alive: its last version is still to come
    assert_int_equal(t.ix.retired, 1);
    ASSERT_NEXT_ADDS(&t, { KEEL_MAX_ENTITY_VERSION, 1 }, { 0, 2 });
    test_index_deinit(&t);
}

// Every version of one index, by adding and deleting: each handle is new, all old ones are dead.
static void every_version_is_used_once(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    const uint32_t first = KEEL_MAX_ENTITY_VERSION > 5000 ? KEEL_MAX_ENTITY_VERSION - 5000 : 0;
    assert_int_equal(test_index_add_at(&t, 0, first), KEEL_OK);
    for (uint32_t version = first;; ++version) {
        const keel_entity e = keeli_entity_index_next(&t.ix, 0);
        ASSERT_ENTITY(e, version, 0);
        keeli_entity_index_delete(&t.ix, e);
        assert_false(keeli_entity_is_alive(&t.ix, e));
        if (version == KEEL_MAX_ENTITY_VERSION) break;
        (void)test_index_add(&t);
    }
    ASSERT_NEXT_ADDS(&t, { 0, 1 });
    test_index_deinit(&t);
}

// ------------------------------------------------------------------ indices
#if defined(KEEL_ENTITY_32) && KEEL_ENTITY_32
enum { all = 1048576 };

static void every_index_can_be_in_use(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    for (uint32_t i = 0; i < all; ++i)
        ASSERT_ENTITY(test_index_add(&t), 0, i);
    assert_int_equal(keeli_entity_count(&t.ix), all);
    const test_index_state full = test_index_state_take(&t.ix);
    assert_int_equal(keeli_entity_index_reserve(&t.ix, &t.memory.heap, 1), KEEL_ERROR_FULL);
    assert_int_equal(keeli_entity_index_reserve(&t.ix, &t.memory.heap, UINT32_MAX),
                     KEEL_ERROR_FULL);
    ASSERT_INDEX_UNCHANGED(&t.ix, full);
    assert_true(keeli_entity_is_alive(&t.ix, keel_entity_make(0, 0))); // nothing wrapped
    test_index_delete(&t, 777);
    ASSERT_NEXT_ADDS(&t, { 1, 777 });
    assert_int_equal(keeli_entity_index_reserve(&t.ix, &t.memory.heap, 1), KEEL_ERROR_FULL);
    keeli_entity_index_clear(&t.ix);
    ASSERT_NEXT_ADDS(&t, { 1, 0 }, { 1, 1 });
    test_index_deinit(&t);
}

static void one_too_many_at_once_adds_none(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    test_index_add_many(&t, 10);
    test_index_delete(&t, 3);
    const test_index_state before = test_index_state_take(&t.ix);
    assert_int_equal(keeli_entity_index_reserve(&t.ix, &t.memory.heap, all - 8), KEEL_ERROR_FULL);
    ASSERT_INDEX_UNCHANGED(&t.ix, before);
    test_index_add_many(&t, all - 9);
    assert_int_equal(keeli_entity_count(&t.ix), all);
    test_index_deinit(&t);
}

static void retired_indices_are_not_counted_on(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    assert_int_equal(test_index_add_at(&t, 5, KEEL_MAX_ENTITY_VERSION), KEEL_OK);
    test_index_delete(&t, 5);
    assert_int_equal(keeli_entity_index_reserve(&t.ix, &t.memory.heap, all), KEEL_ERROR_FULL);
    test_index_add_many(&t, all - 1);
    assert_int_equal(keeli_entity_count(&t.ix), all - 1);
    assert_int_equal(keeli_entity_index_reserve(&t.ix, &t.memory.heap, 1), KEEL_ERROR_FULL);
    test_index_deinit(&t);
}
#else
// Filling 4 billion is out of reach; what can be told without memory is told without asking for
// any.
static void more_than_all_indices_are_refused(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    const uint32_t too_many = KEEL_MAX_ENTITY_INDEX + 2u;
    assert_int_equal(keeli_entity_index_reserve(&t.ix, &t.memory.heap, too_many), KEEL_ERROR_FULL);
    assert_int_equal(t.memory.memory.calls, 0);
    test_index_add_many(&t, 3);
    const size_t calls = t.memory.memory.calls;
    const test_index_state before = test_index_state_take(&t.ix);
    assert_int_equal(keeli_entity_index_reserve(&t.ix, &t.memory.heap, too_many - 3),
                     KEEL_ERROR_FULL);
    assert_int_equal(t.memory.memory.calls, calls);
    ASSERT_INDEX_UNCHANGED(&t.ix, before);
    test_index_deinit(&t);
}

static void gaps_below_the_highest_index_are_counted(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    assert_int_equal(test_index_add_at(&t, KEEL_MAX_ENTITY_INDEX, 0), KEEL_OK);
    assert_int_equal(t.ix.gap_count, KEEL_MAX_ENTITY_INDEX);
    assert_int_equal(keeli_entity_index_reserve(&t.ix, &t.memory.heap, KEEL_MAX_ENTITY_INDEX + 1u),
                     KEEL_ERROR_FULL);
    test_index_add_many(&t, 5000);
    assert_true(keeli_entity_is_alive(&t.ix, keel_entity_make(4999, 0)));
    test_index_deinit(&t);
}
#endif

static const struct CMUnitTest tests[] = {
    TEST(a_version_that_would_wrap_retires_its_index,
         "a version that would wrap retires its index"),
    TEST(a_retired_index_stays_retired, "a retired index is never handed out or taken again"),
    TEST(deleting_many_retires_as_delete_does, "Deleting many retires as delete does"),
    TEST(clear_retires_as_delete_does, "a clear retires what delete would retire"),
    // proves E-F12
    TEST(every_version_is_used_once, "each version is used once, all old ones stay dead"),
#if defined(KEEL_ENTITY_32) && KEEL_ENTITY_32
    TEST(every_index_can_be_in_use, "1,048,576 entities can be alive; one more is an error"),
    TEST(one_too_many_at_once_adds_none, "one too many at once is an error, all that fit fit"),
    TEST(retired_indices_are_not_counted_on, "retired indices are not counted on"),
#else
    TEST(more_than_all_indices_are_refused, "more entities than indices are refused at once"),
    TEST(gaps_below_the_highest_index_are_counted, "gaps below the highest index are counted on"),
#endif
};

int main(void) { return RUN(tests); }
