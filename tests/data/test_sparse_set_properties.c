// SPDX-License-Identifier: MIT
// What holds after every step: seen through the cells and the packed arrays, not through the set's
// own walker, and compared with a list that is searched from end to end.
#include "data/sparse_set.h"

#include "support/data_fixture.h"
#include "support/test.h"

#include <string.h>

enum { INDICES = 9000, STEPS = 4000 };

static const keel_component number = { .name = "Number", .size = 4, .align = 4 };

static uint32_t next_random(uint32_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

// ------------------------------------------------------------------ a list as the model
typedef struct model {
    uint32_t indices[INDICES], values[INDICES], count;
} model;

static uint32_t model_find(const model *m, uint32_t index) {
    for (uint32_t i = 0; i < m->count; ++i)
        if (m->indices[i] == index) return i;
    return KEELI_NO_SLOT;
}

static void model_add(model *m, uint32_t index, uint32_t value) {
    m->indices[m->count] = index;
    m->values[m->count++] = value;
}

static void model_remove(model *m, uint32_t at) {
    m->indices[at] = m->indices[--m->count];
    m->values[at] = m->values[m->count];
}

// Add an index that is not there, remove one that is; few indices, so that both happen.
static void step(test_set *t, model *m, uint32_t *seed) {
    static const uint32_t spread[] = { 1, 4095, 37 }; // one page, page boundaries, three pages
    const uint32_t random = next_random(seed),
                   index = (random % 200) * spread[random % 3] % INDICES;
    const uint32_t value = next_random(seed), at = model_find(m, index);
    assert_int_equal(keeli_sparse_set_find(&t->set, index), at);
    if (at == KEELI_NO_SLOT) {
        model_add(m, index, value);
        assert_int_equal(test_set_add(t, index, &value), m->count - 1);
    } else {
        model_remove(m, at);
        test_set_remove(t, index);
    }
}

static void assert_like(const test_set *t, const model *m) {
    test_assert_dense(t, m->indices, m->count, __FILE__, __LINE__);
    test_assert_values(t, m->values, m->count, __FILE__, __LINE__);
}

static void churn_follows_a_list(void **state) {
    (void)state;
    static model m; // too large for the stack
    m.count = 0;
    test_set t;
    test_set_init(&t, &number);
    uint32_t seed = 2463534242u;
    for (uint32_t i = 0; i < STEPS; ++i) {
        step(&t, &m, &seed);
        assert_like(&t, &m);
    }
    assert_in_range(m.count, 50, 500);
    test_set_deinit(&t);
}

// ------------------------------------------------------------------ the invariant
static uint32_t cell(const keeli_sparse_set *set, uint32_t index) {
    return set->root.sparse[index / 4096][index % 4096];
}

static void assert_members_once(const keeli_sparse_set *set) {
    static bool seen[INDICES];
    memset(seen, 0, sizeof seen);
    for (uint32_t slot = 0; slot < set->count; ++slot) {
        const uint32_t index = keel_entity_index(*keeli_sparse_set_entity(set, slot));
        assert_in_range(index, 0, INDICES - 1);
        assert_false(seen[index]);
        seen[index] = true;
        assert_int_equal(cell(set, index), slot);
    }
}

static void members_are_unique_and_their_cells_lead_to_them(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    static model m;
    m.count = 0;
    test_set t;
    test_set_init(&t, &number);
    uint32_t seed = 99;
    for (uint32_t i = 0; i < STEPS; ++i) {
        step(&t, &m, &seed);
        assert_members_once(&t.set);
    }
    test_set_deinit(&t);
}

// contains(x) <=> cell(x) < N and packed[cell(x)] == x, for each x. Keel asks the cell only, so
// cells of absent indices must be reset: that is the other direction here.
static void contains_is_what_the_arrays_say(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    static model m;
    m.count = 0;
    test_set t;
    test_set_init(&t, &number);
    uint32_t seed = 5;
    for (uint32_t i = 0; i < 40; ++i) {
        for (uint32_t k = 0; k < 50; ++k)
            step(&t, &m, &seed);
        for (uint32_t x = 0; x / 4096 < t.set.root.page_count; ++x) {
            const uint32_t slot = cell(&t.set, x);
            const bool leads = slot < t.set.count &&
                               keel_entity_index(*keeli_sparse_set_entity(&t.set, slot)) == x;
            assert_int_equal(test_set_contains(&t, x), leads);
            assert_int_equal(leads, slot != KEELI_NO_SLOT);
        }
    }
    test_set_deinit(&t);
}

// ------------------------------------------------------------------ costs
static void count_move(void *to, void *from, void *counter) {
    ++*(uint32_t *)counter;
    memcpy(to, from, 4);
}

// The bytes of the packed entities that one operation changes, and the values it moves, are those
// of one or two slots, whatever the size of the set.
static void an_insertion_or_removal_touches_one_slot(void **state) {
    (void)state;
    static const uint32_t sizes[] = { 1, 2, 10, 4095, 4096, 4097, 20000 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        uint32_t moves = 0;
        keel_component counted = number;
        counted.move = count_move;
        counted.hook_data = &moves;
        test_set t;
        test_set_init(&t, &counted);
        assert_true(keeli_sparse_set_reserve(&t.set, &t.memory.heap, sizes[i] + 1));
        test_set_add_many(&t, sizes[i]);
        const size_t calls = t.memory.memory.calls;
        assert_int_equal(moves, 0);
        test_set_remove(&t, 0);
        assert_int_equal(moves, sizes[i] > 1); // the last one
        (void)test_set_add(&t, 0, &(uint32_t){ 1 });
        assert_int_equal(moves, 1 + (sizes[i] > 1)); // what was handed over
        assert_int_equal(t.memory.memory.calls, calls);
        // All the others are where they were.
        for (uint32_t slot = 1; slot + 1 < sizes[i]; ++slot)
            assert_int_equal(keel_entity_index(*keeli_sparse_set_entity(&t.set, slot)), slot);
        test_set_deinit(&t);
    }
}

static void a_walk_visits_members_only(void **state) {
    (void)state;
    static const uint32_t indices[] = { 1000000, 3, 500000, 4096, KEEL_MAX_ENTITY_INDEX };
    test_set t;
    test_set_init(&t, &number);
    for (uint32_t i = 0; i < 5; ++i)
        (void)test_set_add(&t, indices[i], NULL);
    uint32_t visits = 0;
    for (uint32_t slot = 0; slot < t.set.count; ++slot, ++visits)
        assert_int_equal(keel_entity_index(((keel_entity *)t.set.dense.pages[0])[slot]),
                         indices[slot]);
    assert_int_equal(visits, 5);
    test_set_deinit(&t);
}

// Keel has the swapping deletion only, so no slot below the count needs a check.
static void the_packed_prefix_never_has_a_hole(void **state) {
    (void)state;
    static model m;
    m.count = 0;
    test_set t;
    test_set_init(&t, &number);
    uint32_t seed = 77;
    for (uint32_t i = 0; i < STEPS; ++i) {
        step(&t, &m, &seed);
        for (uint32_t slot = 0; slot < t.set.count; ++slot) {
            const keel_entity e = *keeli_sparse_set_entity(&t.set, slot);
            assert_false(keel_is_null(e));
            assert_int_equal(keel_entity_index(e), m.indices[slot]); // each in its turn, once
        }
    }
    test_set_deinit(&t);
}

// ------------------------------------------------------------------ garbage
// Keel's cells are always written before they are read; the packed arrays are not. The counting
// allocator hands out memory full of 0xA5, and here the packed arrays become as hostile as can be.
static void garbage_in_fresh_memory_does_not_matter(void **state) {
    (void)state;
    test_set t;
    test_set_init(&t, &number);
    assert_true(keeli_sparse_set_reserve(&t.set, &t.memory.heap, 5000));
    for (uint32_t index = 0; index < 5000; ++index)
        assert_true(keeli_sparse_set_reserve_cell(&t.set, &t.memory.heap, index));
    for (uint32_t slot = 0; slot < 5000; ++slot)
        *keeli_sparse_set_entity(&t.set, slot) = keel_entity_make(slot, 0);
    for (uint32_t index = 0; index < 3 * 4096; ++index)
        assert_false(test_set_contains(&t, index));
    assert_true(keeli_sparse_set_is_valid(&t.set));
    (void)test_set_add(&t, 4999, &(uint32_t){ 8 });
    ASSERT_DENSE(&t, 4999);
    ASSERT_VALUES(&t, 8);
    for (uint32_t index = 0; index < 3 * 4096; ++index)
        assert_int_equal(test_set_contains(&t, index), index == 4999);
    test_set_deinit(&t);
}

// Keel's clear is not O(1): it drops each value and resets each cell. What stays behind is as
// harmless as in the seed.
static void clear_leaves_nothing_that_matters(void **state) {
    (void)state;
    test_set t;
    test_set_init(&t, &number);
    test_set_add_many(&t, 5000);
    const size_t calls = t.memory.memory.calls;
    keeli_sparse_set_clear(&t.set);
    ASSERT_DENSE_EMPTY(&t);
    assert_int_equal(keel_entity_index(((keel_entity *)t.set.dense.pages[0])[17]), 17); // stale
    for (uint32_t index = 0; index < 3 * 4096; ++index)
        assert_false(test_set_contains(&t, index));
    assert_true(keeli_sparse_set_is_valid(&t.set));
    (void)test_set_add(&t, 4999, &(uint32_t){ 1 });
    (void)test_set_add(&t, 17, &(uint32_t){ 2 });
    ASSERT_DENSE(&t, 4999, 17);
    ASSERT_VALUES(&t, 1, 2);
    assert_false(test_set_contains(&t, 0));         // dense[0] was 0
    assert_int_equal(t.memory.memory.calls, calls); // the memory is kept
    keeli_sparse_set_clear(&t.set);
    keeli_sparse_set_clear(&t.set);
    ASSERT_DENSE_EMPTY(&t);
    test_set_deinit(&t);
}

static const struct CMUnitTest tests[] = {
    // proves S-115 S-116
    TEST(churn_follows_a_list, "data[k] belongs to dense[k] after each step"),
    // proves E-P1 E-P4
    TEST(members_are_unique_and_their_cells_lead_to_them,
         "members are unique and their cells lead to them"),
    // proves E-P2
    TEST(an_insertion_or_removal_touches_one_slot,
         "an insertion or removal touches one slot, whatever the size"),
    // proves E-P2 E-P8
    TEST(a_walk_visits_members_only, "a walk visits members, not indices"),
    // proves E-P3
    TEST(garbage_in_fresh_memory_does_not_matter, "garbage in fresh memory does not matter"),
    // proves E-P5
    TEST(contains_is_what_the_arrays_say, "contains is what the arrays say"),
    // proves E-P6
    TEST(clear_leaves_nothing_that_matters, "after a clear nothing stale matters"),
    // proves E-P8
    TEST(the_packed_prefix_never_has_a_hole, "a walk needs no check"),
};

int main(void) { return RUN(tests); }
