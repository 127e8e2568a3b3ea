// SPDX-License-Identifier: MIT
// Which handles are alive. The walk of the EnTT seed, step by step, with the inner state: see
// test_slot_version and test_slot_id for how Keel's two arrays are read as the seed's pairs.
#include "data/entity_index.h"

#include "support/data_fixture.h"
#include "support/test.h"

// The pairs (version, id) of all slots, and the head of the free list.
#define ASSERT_SLOTS(ix, head, ...)                                                                \
    assert_slots((ix), (head), (const uint32_t[][2]){ __VA_ARGS__ },                               \
                 sizeof((const uint32_t[][2]){ __VA_ARGS__ }) / sizeof(uint32_t[2]), __LINE__)

static void assert_slots(const keeli_entity_index *ix, uint32_t head, const uint32_t (*pairs)[2],
                         size_t count, int line) {
    _assert_int_equal(ix->size, count, __FILE__, line);
    _assert_int_equal(ix->free_head, head == STAR ? KEELI_FREE_END : head, __FILE__, line);
    for (uint32_t i = 0; i < count; ++i) {
        _assert_int_equal(test_slot_version(ix, i), pairs[i][0], __FILE__, line);
        _assert_int_equal(test_slot_id(ix, i), pairs[i][1], __FILE__, line);
    }
    _assert_int_equal(keeli_entity_index_is_valid(ix), true, __FILE__, line);
}

static bool alive(const test_index *t, uint32_t version, uint32_t index) {
    return keeli_entity_is_alive(&t->ix, keel_entity_make(index, version));
}

// ------------------------------------------------------------------ the walk
// The state after step F5: five entities.
static void walk_to_f5(test_index *t) {
    test_index_init(t);
    for (uint32_t i = 0; i < 5; ++i)
        ASSERT_ENTITY(test_index_add(t), 0, i);
}

// The state after step F7: 0 and 2 are deleted.
static void walk_to_f7(test_index *t) {
    walk_to_f5(t);
    test_index_delete(t, 0);
    test_index_delete(t, 2);
}

static void created_entities_are_ascending(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    assert_int_equal(keeli_entity_count(&t.ix), 0); // F0
    assert_int_equal(t.ix.size, 0);
    assert_int_equal(t.ix.free_head, KEELI_FREE_END);
    assert_true(keeli_entity_index_is_valid(&t.ix));
    ASSERT_ENTITY(test_index_add(&t), 0, 0); // F1
    ASSERT_SLOTS(&t.ix, STAR, { 0, 0 });
    ASSERT_ENTITY(test_index_add(&t), 0, 1); // F2
    ASSERT_SLOTS(&t.ix, STAR, { 0, 0 }, { 0, 1 });
    ASSERT_ENTITY(test_index_add(&t), 0, 2); // F3
    ASSERT_SLOTS(&t.ix, STAR, { 0, 0 }, { 0, 1 }, { 0, 2 });
    ASSERT_ENTITY(test_index_add(&t), 0, 3); // F4
    ASSERT_SLOTS(&t.ix, STAR, { 0, 0 }, { 0, 1 }, { 0, 2 }, { 0, 3 });
    ASSERT_ENTITY(test_index_add(&t), 0, 4); // F5
    ASSERT_SLOTS(&t.ix, STAR, { 0, 0 }, { 0, 1 }, { 0, 2 }, { 0, 3 }, { 0, 4 });
    assert_int_equal(keeli_entity_count(&t.ix), 5);
    test_index_deinit(&t);
}

static void deleted_entities_form_a_chain(void **state) {
    (void)state;
    test_index t;
    walk_to_f5(&t);
    test_index_delete(&t, 0); // F6
    assert_int_equal(keeli_entity_count(&t.ix), 4);
    ASSERT_SLOTS(&t.ix, 0, { 1, STAR }, { 0, 1 }, { 0, 2 }, { 0, 3 }, { 0, 4 });
    test_index_delete(&t, 2); // F7
    assert_int_equal(keeli_entity_count(&t.ix), 3);
    ASSERT_SLOTS(&t.ix, 2, { 1, STAR }, { 0, 1 }, { 1, 0 }, { 0, 3 }, { 0, 4 });
    test_index_deinit(&t);
}

static void indices_are_used_again(void **state) {
    (void)state;
    test_index t;
    walk_to_f7(&t);
    ASSERT_ENTITY(test_index_add(&t), 1, 2); // F8
    assert_int_equal(keeli_entity_count(&t.ix), 4);
    ASSERT_SLOTS(&t.ix, 0, { 1, STAR }, { 0, 1 }, { 1, 2 }, { 0, 3 }, { 0, 4 });
    ASSERT_ENTITY(test_index_add(&t), 1, 0); // F9
    assert_int_equal(keeli_entity_count(&t.ix), 5);
    ASSERT_SLOTS(&t.ix, STAR, { 1, 0 }, { 0, 1 }, { 1, 2 }, { 0, 3 }, { 0, 4 });
    test_index_deinit(&t);
}

// The seed puts the link into the id part of a dead slot; Keel has an array of links beside the
// versions. Both cost one integer for the head, and no memory per deletion.
static void the_free_list_costs_one_integer(void **state) {
    (void)state;
    test_index t;
    walk_to_f5(&t);
    const size_t calls = t.memory.memory.calls, bytes = t.ix.bytes;
    assert_int_equal(sizeof t.ix.free_head, 4);
    for (uint32_t i = 0; i < 5; ++i) {
        test_index_delete(&t, i);
        assert_int_equal(t.ix.free_head, i);
        assert_int_equal(test_slot_id(&t.ix, i), i ? i - 1 : STAR);
        assert_int_equal(test_slot_version(&t.ix, i), 1); // the next one, from the deletion on
    }
    assert_int_equal(t.memory.memory.calls, calls);
    assert_int_equal(t.ix.bytes, bytes);
    test_index_deinit(&t);
}

static void the_last_deleted_is_the_first_used(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    test_index_add_many(&t, 6);
    const uint32_t order[] = { 3, 0, 5, 1 };
    for (size_t i = 0; i < 4; ++i)
        test_index_delete(&t, order[i]);
    ASSERT_NEXT_ADDS(&t, { 1, 1 }, { 1, 5 }, { 1, 0 }, { 1, 3 }, { 0, 6 }, { 0, 7 });
    test_index_deinit(&t);
}

static void old_handles_stay_dead(void **state) {
    (void)state;
    test_index t;
    walk_to_f5(&t);
    assert_true(alive(&t, 0, 0) && alive(&t, 0, 2));
    test_index_delete(&t, 0);
    assert_false(alive(&t, 0, 0));
    test_index_delete(&t, 2);
    assert_false(alive(&t, 0, 2));
    // the versions that the slots hold already, but nothing lives there yet
    assert_false(alive(&t, 1, 0) || alive(&t, 1, 2));
    (void)test_index_add(&t);
    assert_true(alive(&t, 1, 2));
    assert_false(alive(&t, 1, 0));
    (void)test_index_add(&t);
    assert_true(alive(&t, 1, 0) && alive(&t, 1, 2));
    assert_false(alive(&t, 0, 0) || alive(&t, 0, 2));
    test_index_deinit(&t);
}

// ------------------------------------------------------------------ what is alive
static void alive_is_the_handle_at_its_own_index(void **state) {
    (void)state;
    test_index t;
    walk_to_f7(&t);
    const bool expected[] = { false, true, false, true, true };
    for (uint32_t i = 0; i < 5; ++i) {
        assert_int_equal(alive(&t, 0, i), expected[i]);
        assert_int_equal(test_slot_id(&t.ix, i) == i, expected[i]);
    }
    for (uint32_t version = 1; version < 40; ++version)
        for (uint32_t i = 0; i < 10; ++i)
            assert_false(alive(&t, version, i));
    assert_false(alive(&t, 0, 5)); // never handed out
    assert_false(alive(&t, 0, 4096));
    assert_false(alive(&t, 0, KEEL_MAX_ENTITY_INDEX));
    test_index_deinit(&t);
}

static void null_is_never_alive(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    assert_false(keeli_entity_is_alive(&t.ix, keel_null()));
    test_index_add_many(&t, 3);
    test_index_delete(&t, 1);
    for (uint32_t i = 0; i < 5000; ++i)
        assert_false(keeli_entity_is_alive(&t.ix, (keel_entity){ i }));
    test_index_deinit(&t);
}

// Any upper part on a slot that is alive, free, held, a gap, beyond the last: only the one handle
// that was given out is alive, and only the held one is held.
static void invented_handles_are_dead(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    assert_int_equal(test_index_add_at(&t, 6, 0), KEEL_OK); // gaps: 0 to 5
    const keel_entity living = test_index_add(&t);          // 0
    (void)test_index_add(&t);                               // 1
    test_index_delete(&t, 1);
    assert_int_equal(test_index_add_at(&t, 2, KEEL_MAX_ENTITY_VERSION), KEEL_OK);
    test_index_delete(&t, 2);                     // retired
    const keel_entity held = test_index_hold(&t); // 1
    const keel_entity_bits top = ~(((keel_entity_bits)-1) >> 1);
    for (uint32_t index = 0; index < 6; ++index)
        for (uint32_t upper = 0; upper < 5; ++upper) {
            const keel_entity_bits low = (keel_entity_bits)upper << KEEL_ENTITY_INDEX_BITS | index;
            const keel_entity plain = { low }, forged = { low | top };
            assert_int_equal(keeli_entity_is_alive(&t.ix, plain), keel_is_same(plain, living));
            assert_int_equal(keeli_entity_index_is_held(&t.ix, plain), keel_is_same(plain, held));
            assert_false(keeli_entity_is_alive(&t.ix, forged));
            assert_false(keeli_entity_index_is_held(&t.ix, forged));
        }
    keeli_entity_index_release(&t.ix, held);
    test_index_deinit(&t);
}

// ------------------------------------------------------------------ walking
static void a_walk_skips_dead_slots(void **state) {
    (void)state;
    test_index t;
    walk_to_f7(&t);
    keel_entity e = keeli_entity_index_next(&t.ix, 0);
    ASSERT_ENTITY(e, 0, 1);
    e = keeli_entity_index_next(&t.ix, 2);
    ASSERT_ENTITY(e, 0, 3);
    e = keeli_entity_index_next(&t.ix, 4);
    ASSERT_ENTITY(e, 0, 4);
    assert_true(keel_is_null(keeli_entity_index_next(&t.ix, 5)));
    assert_true(keel_is_null(keeli_entity_index_next(&t.ix, UINT32_MAX)));
    for (uint32_t i = 1; i < 5; ++i)
        if (i != 2) test_index_delete(&t, i);
    assert_true(keel_is_null(keeli_entity_index_next(&t.ix, 0)));
    test_index_deinit(&t);
}

static void a_walk_crosses_empty_pages(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    const uint32_t indices[] = { 4095, 4096, 20000, 900000, KEEL_MAX_ENTITY_INDEX };
    for (size_t i = 0; i < 5; ++i)
        assert_int_equal(test_index_add_at(&t, indices[i], 9), KEEL_OK);
    uint32_t from = 0;
    for (size_t i = 0; i < 5; ++i) {
        const keel_entity e = keeli_entity_index_next(&t.ix, from);
        ASSERT_ENTITY(e, 9, indices[i]);
        from = indices[i] + 1;
    }
    assert_true(keel_is_null(keeli_entity_index_next(&t.ix, from)));
    test_index_deinit(&t);
}

// ------------------------------------------------------------------ clear
// The port kit's clear: 0.1, 1.1, 2.1, 3.0.
static void clear_gives_ascending_reuse(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    test_index_add_many(&t, 3);
    keeli_entity_index_clear(&t.ix);
    assert_int_equal(keeli_entity_count(&t.ix), 0);
    for (uint32_t i = 0; i < 3; ++i)
        assert_false(alive(&t, 0, i)); // the last one too
    ASSERT_SLOTS(&t.ix, 0, { 1, 1 }, { 1, 2 }, { 1, STAR });
    ASSERT_NEXT_ADDS(&t, { 1, 0 }, { 1, 1 }, { 1, 2 }, { 0, 3 });
    test_index_deinit(&t);
}

// Indices that were dead already keep their version, and join the ascending order.
static void clear_puts_dead_indices_in_order_too(void **state) {
    (void)state;
    test_index t;
    walk_to_f7(&t);
    keeli_entity_index_clear(&t.ix);
    keeli_entity_index_clear(&t.ix); // of nothing: no version is used up
    ASSERT_NEXT_ADDS(&t, { 1, 0 }, { 1, 1 }, { 1, 2 }, { 1, 3 }, { 1, 4 }, { 0, 5 });
    test_index_deinit(&t);
}

static void clear_of_an_empty_index_does_nothing(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    keeli_entity_index_clear(&t.ix);
    assert_int_equal(t.memory.memory.calls, 0);
    ASSERT_NEXT_ADDS(&t, { 0, 0 });
    test_index_deinit(&t);
}

// ------------------------------------------------------------------ the port kit's entities
// Shipyard's list is first in, first out; Keel's is EnTT's, last in, first out.
static void reuse_follows_the_port_kit_in_keels_order(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    ASSERT_NEXT_ADDS(&t, { 0, 0 }, { 0, 1 });
    test_index_delete(&t, 0);
    assert_false(alive(&t, 0, 0));
    ASSERT_NEXT_ADDS(&t, { 1, 0 });
    test_index_delete(&t, 1);
    test_index_delete(&t, 0);
    ASSERT_NEXT_ADDS(&t, { 2, 0 }, { 1, 1 }); // Shipyard: 1.1 then 0.2
    test_index_deinit(&t);
}

static const struct CMUnitTest tests[] = {
    // proves E-F0..E-F5
    TEST(created_entities_are_ascending, "five adds give indices 0 to 4"),
    // proves E-F6 E-F7
    TEST(deleted_entities_form_a_chain, "deleted entities form a chain"),
    // proves E-F8 E-F9
    TEST(indices_are_used_again, "indices are used again with the next version"),
    // proves E-F10
    TEST(the_free_list_costs_one_integer,
         "the free list costs one integer; a dead slot holds the next version"),
    // proves E-F11
    TEST(the_last_deleted_is_the_first_used, "the last deleted index is used first"),
    // proves E-F12
    TEST(old_handles_stay_dead,
         "a deleted handle stays dead; the next one is dead until it is handed out"),
    // proves E-S7
    TEST(alive_is_the_handle_at_its_own_index, "a handle is alive when its own slot holds it"),
    TEST(null_is_never_alive, "null is never alive, whatever its index"),
    // proves E-S7
    TEST(invented_handles_are_dead, "an invented handle is neither alive nor held"),
    // proves E-S9
    TEST(a_walk_skips_dead_slots, "a walk over all entities skips dead slots"),
    // proves E-S9
    TEST(a_walk_crosses_empty_pages, "a walk crosses pages that were never used"),
    TEST(clear_gives_ascending_reuse, "after a clear all are dead, and reuse is ascending"),
    TEST(clear_puts_dead_indices_in_order_too, "a clear puts dead indices in order too"),
    TEST(clear_of_an_empty_index_does_nothing, "a clear of an empty index does nothing"),
    // proves E-F11
    TEST(reuse_follows_the_port_kit_in_keels_order, "deleted and added in turns"),
};

int main(void) { return RUN(tests); }
