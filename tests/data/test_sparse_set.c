// SPDX-License-Identifier: MIT
// The seeds' walks through a sparse set, array by array.
#include "data/sparse_set.h"

#include "support/data_fixture.h"
#include "support/test.h"

#define U KEELI_NO_SLOT // what the seeds print as U or a dot

static const keel_component number = { .name = "Number", .size = 4, .align = 4 };
static const keel_component other = { .name = "Other", .size = 4, .align = 4 };

static void add(test_set *t, uint32_t index, uint32_t value) {
    (void)test_set_add(t, index, &value);
}

// Indices in this order, with value 100 + index.
static void begin_with(test_set *t, const uint32_t *indices, size_t count) {
    test_set_init(t, &number);
    for (size_t i = 0; i < count; ++i)
        add(t, indices[i], 100 + indices[i]);
}
#define BEGIN_WITH(t, ...)                                                                         \
    begin_with((t), (const uint32_t[]){ __VA_ARGS__ },                                             \
               sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

// ------------------------------------------------------------------ Shipyard's arrays
static void an_empty_set_has_nothing(void **state) {
    (void)state;
    test_set t;
    test_set_init(&t, &number);
    ASSERT_DENSE_EMPTY(&t);
    assert_int_equal(t.set.root.page_count, 0);
    assert_int_equal(t.memory.memory.calls, 0); // and costs nothing
    for (uint32_t i = 0; i < 9; ++i)
        assert_false(test_set_contains(&t, i));
    assert_false(test_set_contains(&t, KEEL_MAX_ENTITY_INDEX));
    test_set_deinit(&t);
}

// The seed prints [U, U, 0] and [1, U, 0], which cannot hold index 3.
static void inserting_3_and_0(void **state) {
    (void)state;
    test_set t;
    test_set_init(&t, &number);
    add(&t, 3, 30);
    ASSERT_DENSE(&t, 3);
    ASSERT_SPARSE(&t, U, U, U, 0);
    add(&t, 0, 0);
    ASSERT_DENSE(&t, 3, 0);
    ASSERT_SPARSE(&t, 1, U, U, 0);
    ASSERT_VALUES(&t, 30, 0);
    test_set_deinit(&t);
}

static void a_look_up_is_one_cell(void **state) {
    (void)state;
    test_set t;
    BEGIN_WITH(&t, 3, 0);
    assert_int_equal(t.set.root.sparse[0][3], 0); // where it says
    assert_int_equal(keel_entity_index(((keel_entity *)t.set.dense.pages[0])[0]), 3);
    assert_int_equal(keeli_sparse_set_find(&t.set, 3), 0);
    assert_int_equal(keeli_sparse_set_find(&t.set, 0), 1);
    const uint32_t absent[] = { 1, 2, 4, 4095, 4096, 8191, 1000000, KEEL_MAX_ENTITY_INDEX };
    for (size_t i = 0; i < sizeof absent / sizeof *absent; ++i) // some out of all pages
        assert_false(test_set_contains(&t, absent[i]));
    test_set_deinit(&t);
}

static void two_components_of_four_entities(void **state) {
    (void)state;
    test_set first, second;
    test_set_init(&first, &number);
    test_set_init(&second, &other);
    add(&first, 0, 322);
    add(&second, 1, 17);
    add(&first, 2, 5050);
    add(&second, 2, 3154);
    add(&first, 3, 958);
    ASSERT_SPARSE(&first, 0, U, 1, 2);
    ASSERT_DENSE(&first, 0, 2, 3);
    ASSERT_VALUES(&first, 322, 5050, 958);
    ASSERT_SPARSE(&second, U, 0, 1);
    ASSERT_DENSE(&second, 1, 2);
    ASSERT_VALUES(&second, 17, 3154);
    test_set_deinit(&first);
    test_set_deinit(&second);
}

// The seed says "swap removing" and prints a left shift; its own library swaps.
static void removing_swaps_the_last_into_the_hole(void **state) {
    (void)state;
    test_set t;
    test_set_init(&t, &number);
    add(&t, 0, 322);
    add(&t, 2, 5050);
    add(&t, 3, 958);
    test_set_remove(&t, 0);
    ASSERT_DENSE(&t, 3, 2);
    ASSERT_VALUES(&t, 958, 5050);
    ASSERT_SPARSE(&t, U, U, 1, 0);
    test_set_deinit(&t);
}

static void the_port_kits_steps(void **state) {
    (void)state;
    test_set t;
    BEGIN_WITH(&t, 0, 5, 10);
    test_set_remove(&t, 0);
    ASSERT_DENSE(&t, 10, 5);
    add(&t, 3, 103);
    add(&t, 100, 200);
    ASSERT_DENSE(&t, 10, 5, 3, 100);
    test_set_remove(&t, 3);
    ASSERT_DENSE(&t, 10, 5, 100);
    test_set_remove(&t, 100); // the last: nothing moves
    ASSERT_DENSE(&t, 10, 5);
    ASSERT_VALUES(&t, 110, 105);
    ASSERT_SPARSE(&t, U, U, U, U, U, 1, U, U, U, U, 0, U);
    test_set_deinit(&t);
}

// ------------------------------------------------------------------ EnTT's arrays
static void adding_five_step_by_step(void **state) {
    (void)state;
    test_set t;
    test_set_init(&t, &number);
    ASSERT_DENSE_EMPTY(&t);
    ASSERT_SPARSE(&t, U, U, U, U, U, U, U, U, U);
    add(&t, 4, 0);
    ASSERT_DENSE(&t, 4);
    ASSERT_SPARSE(&t, U, U, U, U, 0, U, U, U, U);
    add(&t, 6, 0);
    ASSERT_DENSE(&t, 4, 6);
    ASSERT_SPARSE(&t, U, U, U, U, 0, U, 1, U, U);
    add(&t, 2, 0);
    ASSERT_DENSE(&t, 4, 6, 2);
    ASSERT_SPARSE(&t, U, U, 2, U, 0, U, 1, U, U);
    add(&t, 0, 0);
    ASSERT_DENSE(&t, 4, 6, 2, 0);
    ASSERT_SPARSE(&t, 3, U, 2, U, 0, U, 1, U, U);
    add(&t, 8, 0);
    ASSERT_DENSE(&t, 4, 6, 2, 0, 8);
    ASSERT_SPARSE(&t, 3, U, 2, U, 0, U, 1, U, 4);
    test_set_deinit(&t);
}

static void swap(test_set *t, uint32_t a, uint32_t b) {
    test_set_swap(t, keeli_sparse_set_find(&t->set, a), keeli_sparse_set_find(&t->set, b));
}

static void swapping_two_members(void **state) {
    (void)state;
    test_set t;
    BEGIN_WITH(&t, 4, 6, 2, 0, 8);
    swap(&t, 0, 8);
    ASSERT_DENSE(&t, 4, 6, 2, 8, 0);
    ASSERT_SPARSE(&t, 4, U, 2, U, 0, U, 1, U, 3);
    ASSERT_VALUES(&t, 104, 106, 102, 108, 100);
    test_set_deinit(&t);
}

// Keel resets the cell of what is erased, where the seed leaves a stale number that is out of
// range: the same for whoever asks.
static void erasing_6_in_two_halves(void **state) {
    (void)state;
    test_set t;
    BEGIN_WITH(&t, 4, 6, 2, 8, 0);
    swap(&t, 6, 0);
    ASSERT_DENSE(&t, 4, 0, 2, 8, 6);
    ASSERT_SPARSE(&t, 1, U, 2, U, 0, U, 4, U, 3);
    keeli_sparse_set_remove(&t.set, 4);
    ASSERT_DENSE(&t, 4, 0, 2, 8);
    ASSERT_SPARSE(&t, 1, U, 2, U, 0, U, U, U, 3);
    test_set_deinit(&t);
}

static void an_erased_member_is_absent(void **state) {
    (void)state;
    test_set t;
    BEGIN_WITH(&t, 4, 6, 2, 8, 0);
    test_set_remove(&t, 6); // both halves at once
    ASSERT_DENSE(&t, 4, 0, 2, 8);
    // What lies behind the packed prefix is stale, whatever it says.
    ((keel_entity *)t.set.dense.pages[0])[4] = keel_entity_make(6, 0);
    assert_false(test_set_contains(&t, 6));
    assert_true(keeli_sparse_set_is_valid(&t.set));
    const uint32_t members[] = { 4, 0, 2, 8 };
    for (uint32_t i = 0; i < 4; ++i)
        assert_int_equal(keeli_sparse_set_find(&t.set, members[i]), i);
    test_set_deinit(&t);
}

// Keel has the swapping deletion only: the hole is filled at once, by the last member and nobody
// else, and the next insertion goes to the end. There is no free list of slots.
static void a_hole_is_never_left(void **state) {
    (void)state;
    test_set t;
    BEGIN_WITH(&t, 4, 6, 2, 0, 8);
    test_set_remove(&t, 6);
    ASSERT_DENSE(&t, 4, 8, 2, 0);
    add(&t, 7, 107);
    ASSERT_DENSE(&t, 4, 8, 2, 0, 7);
    test_set_remove(&t, 4);
    test_set_remove(&t, 2);
    ASSERT_DENSE(&t, 7, 8, 0);
    add(&t, 6, 206);
    ASSERT_DENSE(&t, 7, 8, 0, 6);
    ASSERT_VALUES(&t, 107, 108, 100, 206);
    test_set_deinit(&t);
}

typedef struct pair {
    uint32_t x, y;
} pair;

static void a_pool_of_positions(void **state) {
    (void)state;
    static const keel_component position = { .name = "Position", .size = 8, .align = 4 };
    const uint32_t indices[] = { 4, 6, 2, 0, 8 };
    const pair values[] = { { 0, 1 }, { 9, 9 }, { 4, 5 }, { 2, 3 }, { 6, 7 } };
    test_set t;
    test_set_init(&t, &position);
    for (uint32_t i = 0; i < 5; ++i)
        (void)test_set_add(&t, indices[i], &values[i]);
    swap(&t, 0, 8);
    test_set_remove(&t, 6);
    ASSERT_DENSE(&t, 4, 0, 2, 8);
    ASSERT_SPARSE(&t, 1, U, 2, U, 0, U, U, U, 3);
    for (uint32_t slot = 0; slot < 4; ++slot) {
        const pair *p = keeli_sparse_set_value(&t.set, slot);
        assert_int_equal(p->x, 2 * slot);
        assert_int_equal(p->y, 2 * slot + 1);
        assert_int_equal(keel_entity_version(*keeli_sparse_set_entity(&t.set, slot)), 0);
    }
    test_set_deinit(&t);
}

// Pages that were never used are one shared page that says "absent" everywhere.
static void index_10000_is_on_page_2(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    test_set t;
    test_set_init(&t, &number);
    const size_t before = t.memory.memory.live_blocks;
    assert_true(keeli_sparse_set_reserve_cell(&t.set, &t.memory.heap, 10000));
    assert_int_equal(t.memory.memory.live_blocks - before, 2); // the table and one page
    assert_int_equal(t.set.bytes - t.set.cells.capacity * sizeof(void *), 4096 * 4);
    add(&t, 10000, 7);
    assert_int_equal(t.set.root.page_count, 3);
    assert_ptr_equal(t.set.root.sparse[0], t.set.root.sparse[1]);
    assert_ptr_not_equal(t.set.root.sparse[0], t.set.root.sparse[2]);
    assert_int_equal(t.set.root.sparse[2][1808], 0);
    for (uint32_t i = 0; i < 3 * 4096 + 10; ++i)
        assert_int_equal(test_set_contains(&t, i), i == 10000);
    test_set_deinit(&t);
}

// ------------------------------------------------------------------ beyond the walks
static void cells_at_page_boundaries(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    test_set t;
    BEGIN_WITH(&t, 4095, 4096, 8192, 8191, 0, KEEL_MAX_ENTITY_INDEX);
    assert_int_equal(t.set.root.sparse[0][4095], 0);
    assert_int_equal(t.set.root.sparse[1][0], 1);
    assert_int_equal(t.set.root.sparse[2][0], 2);
    assert_int_equal(t.set.root.sparse[1][4095], 3);
    assert_int_equal(keeli_sparse_set_find(&t.set, KEEL_MAX_ENTITY_INDEX), 5);
    assert_false(test_set_contains(&t, KEEL_MAX_ENTITY_INDEX - 1));
    assert_false(test_set_contains(&t, 1));
    assert_false(test_set_contains(&t, 4094));
    assert_true(keeli_sparse_set_is_valid(&t.set));
    test_set_remove(&t, 4095);
    assert_int_equal(keeli_sparse_set_find(&t.set, KEEL_MAX_ENTITY_INDEX), 0);
    test_set_deinit(&t);
}

// The set keeps whole handles: who asks compares the version.
static void the_version_stays_with_the_entity(void **state) {
    (void)state;
    test_set t;
    BEGIN_WITH(&t, 5, 6);
    assert_true(keeli_sparse_set_reserve(&t.set, &t.memory.heap, 1));
    const keel_entity old = keel_entity_make(9, KEEL_MAX_ENTITY_VERSION);
    assert_true(keeli_sparse_set_reserve_cell(&t.set, &t.memory.heap, 9));
    const uint32_t slot = keeli_sparse_set_push(&t.set, old);
    test_set_put(&t, slot, NULL);
    test_set_remove(&t, 5);
    assert_true(keel_is_same(*keeli_sparse_set_entity(&t.set, 0), old));
    test_set_deinit(&t);
}

static void reserving_is_not_adding(void **state) {
    (void)state;
    test_set t;
    test_set_init(&t, &number);
    assert_true(keeli_sparse_set_reserve(&t.set, &t.memory.heap, 0));
    assert_int_equal(t.memory.memory.calls, 0);
    assert_true(keeli_sparse_set_reserve(&t.set, &t.memory.heap, 9000));
    for (uint32_t i = 0; i < 9000; ++i)
        assert_true(keeli_sparse_set_reserve_cell(&t.set, &t.memory.heap, i));
    ASSERT_DENSE_EMPTY(&t);
    assert_true(keeli_sparse_set_is_valid(&t.set));
    const size_t calls = t.memory.memory.calls;
    assert_true(keeli_sparse_set_reserve(&t.set, &t.memory.heap, 9000));
    test_set_add_many(&t, 9000); // needs no memory any more
    assert_int_equal(t.memory.memory.calls, calls);
    test_set_deinit(&t);
}

static const struct CMUnitTest tests[] = {
    // proves S-112 E-Q0
    TEST(an_empty_set_has_nothing, "an empty set has no arrays"),
    // proves S-113 S-114
    TEST(inserting_3_and_0, "inserting 3, then 0"),
    // proves S-115
    TEST(a_look_up_is_one_cell, "an index is there when its cell leads to it"),
    // proves S-118
    TEST(two_components_of_four_entities, "the arrays of two components"),
    // proves S-120
    TEST(removing_swaps_the_last_into_the_hole, "removing swaps the last into the hole"),
    // proves S-120
    TEST(the_port_kits_steps, "the port kit's insertions and removals"),
    // proves E-Q0..E-Q5
    TEST(adding_five_step_by_step, "adding 4, 6, 2, 0 and 8"),
    // proves E-Q6 E-P7
    TEST(swapping_two_members, "swapping 0 and 8"),
    // proves E-Q7 E-Q8
    TEST(erasing_6_in_two_halves, "erasing 6 is a swap with the last, then one less"),
    // proves E-Q9
    TEST(an_erased_member_is_absent, "an erased member is absent, whatever lies there"),
    // proves E-Q10
    TEST(a_hole_is_never_left, "the last fills the hole and the next goes to the end"),
    // proves E-Q11
    TEST(a_pool_of_positions, "value and entity have the same slot"),
    // proves E-Q12
    TEST(index_10000_is_on_page_2, "index 10000 is on page 2 and takes no other page"),
    // proves E-Q12
    TEST(cells_at_page_boundaries, "pages of cells end after 4096 indices"),
    TEST(the_version_stays_with_the_entity, "the version stays with the entity"),
    TEST(reserving_is_not_adding, "reserving adds nothing, and adding then needs no memory"),
};

int main(void) { return RUN(tests); }
