// SPDX-License-Identifier: MIT
// A set that runs out of memory at each allocation, gives memory back, or is damaged.
#include "data/sparse_set.h"

#include "support/data_fixture.h"
#include "support/self_value.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

static const keel_component number = { .name = "Number", .size = 4, .align = 4 };
static const keel_component large = { .name = "Large", .size = 3000, .align = 4 };
static const keel_component tag = { .name = "Tag" };

// ------------------------------------------------------------------ the whole state
typedef struct set_state {
    uint32_t count;
    keel_entity *entities;
    unsigned char *values;
    uint32_t *cells;
} set_state;

enum { CELLS = 3 * 4096 };

static set_state take_state(const keeli_sparse_set *set) {
    set_state s = { .count = set->count };
    s.entities = calloc(set->count + 1, sizeof *s.entities);
    s.values = calloc(set->count + 1, set->size + 1);
    s.cells = calloc(CELLS, sizeof *s.cells);
    assert_true(s.entities && s.values && s.cells);
    for (uint32_t slot = 0; slot < set->count; ++slot) {
        s.entities[slot] = *keeli_sparse_set_entity(set, slot);
        if (set->size)
            memcpy(s.values + (size_t)slot * set->size, keeli_sparse_set_value(set, slot),
                   set->size);
    }
    for (uint32_t index = 0; index < CELLS; ++index)
        s.cells[index] = keeli_sparse_set_find(set, index);
    return s;
}

// Compares, and frees the state.
static void assert_state(const test_set *t, set_state s) {
    const keeli_sparse_set *set = &t->set;
    set_state now = take_state(set);
    assert_int_equal(now.count, s.count);
    assert_memory_equal(now.entities, s.entities, (s.count + 1) * sizeof *s.entities);
    assert_memory_equal(now.values, s.values, (s.count + 1) * (set->size + 1));
    assert_memory_equal(now.cells, s.cells, CELLS * sizeof *s.cells);
    assert_true(keeli_sparse_set_is_valid(set));
    assert_int_equal(set->bytes, t->memory.heap.live);
    assert_int_equal(set->bytes, t->memory.memory.live_bytes);
    set_state *both[] = { &now, &s };
    for (size_t i = 0; i < 2; ++i) {
        free(both[i]->entities);
        free(both[i]->values);
        free(both[i]->cells);
    }
}

// `count` indices with values that differ.
static void begin(test_set *t, const keel_component *c, uint32_t count) {
    test_set_init(t, c);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t slot = test_set_add(t, i, NULL);
        if (c->size) memset(keeli_sparse_set_value(&t->set, slot), (int)(i % 251), c->size);
    }
}

// ------------------------------------------------------------------ out of memory
// Reserve with 0, 1, 2, ... allocations that succeed, until all do. A fresh set for each, because
// pages that were had are kept.
static size_t fail_reserve(const keel_component *c, uint32_t count, uint32_t extra) {
    for (size_t succeed = 0;; ++succeed) {
        test_set t;
        begin(&t, c, count);
        const set_state before = take_state(&t.set);
        counting_allocator_fail_after(&t.memory.memory, succeed);
        const bool done = keeli_sparse_set_reserve(&t.set, &t.memory.heap, extra);
        assert_int_equal(done, t.memory.memory.failures == 0);
        assert_state(&t, before);
        counting_allocator_never_fail(&t.memory.memory);
        assert_true(keeli_sparse_set_reserve(&t.set, &t.memory.heap, extra)); // and again
        for (uint32_t i = 0; i < extra; ++i)
            (void)test_set_add(&t, count + i, NULL);
        test_set_deinit(&t);
        if (done) return succeed;
    }
}

static void a_reserve_that_fails_changes_nothing(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    const keel_component *const all[] = { &number, &large, &tag };
    for (size_t i = 0; i < 3; ++i) {
        assert_int_equal(fail_reserve(all[i], 0, 0), 0);
        // two tables and their first pages; a tag has one of them
        assert_int_equal(fail_reserve(all[i], 0, 1), all[i]->size ? 4 : 2);
        assert_in_range(fail_reserve(all[i], 7, 2), 1, 4); // over the first 8
        assert_true(fail_reserve(all[i], 8, 20) >= 1);
    }
    assert_int_equal(fail_reserve(&number, 4096, 1), 2);    // a page of entities, 8192 values
    assert_int_equal(fail_reserve(&number, 4090, 4102), 2); // first page of values, second of both
    assert_int_equal(fail_reserve(&tag, 4096, 12289), 5);   // four pages; a table for five
    assert_int_equal(fail_reserve(&large, 16, 1), 3); // dense, the table, and a value of its own
}

static void a_cell_that_fails_changes_nothing(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    const uint32_t indices[] = { 5, 4096, 10000, 5 * 4096, KEEL_MAX_ENTITY_INDEX };
    const size_t allocations[] = { 0, 1, 1, 2, 2 }; // a page; a table for more than 4
    for (size_t i = 0; i < 5; ++i)
        for (size_t succeed = 0; succeed <= allocations[i]; ++succeed) {
            test_set t;
            begin(&t, &number, 20);
            const set_state before = take_state(&t.set);
            counting_allocator_fail_after(&t.memory.memory, succeed);
            assert_int_equal(keeli_sparse_set_reserve_cell(&t.set, &t.memory.heap, indices[i]),
                             succeed == allocations[i]);
            assert_state(&t, before);
            assert_false(test_set_contains(&t, indices[i]) && indices[i] > 19);
            counting_allocator_never_fail(&t.memory.memory);
            if (indices[i] > 19) (void)test_set_add(&t, indices[i], NULL);
            test_set_deinit(&t);
        }
}

// With a move hook the values may have moved, but none is lost and none is moved twice.
static void growing_with_a_hook_that_fails(void **state) {
    (void)state;
    for (size_t succeed = 0, failures = 1; failures; ++succeed) {
        self_counts counts = { 0 };
        const keel_component c = self_component(&counts);
        test_set t;
        test_set_init(&t, &c);
        for (uint32_t i = 0; i < 100; ++i) {
            self_value v;
            self_make(&v, i + 1, &counts);
            (void)test_set_add(&t, i, &v);
        }
        counts.moves = 0;
        counting_allocator_fail_after(&t.memory.memory, succeed);
        (void)keeli_sparse_set_reserve(&t.set, &t.memory.heap, 9000);
        failures = t.memory.memory.failures;
        assert_true(counts.moves == 0 || counts.moves == 100);
        for (uint32_t slot = 0; slot < 100; ++slot) {
            const self_value *v = keeli_sparse_set_value(&t.set, slot);
            assert_ptr_equal(v->self, v);
            assert_int_equal(v->id, slot + 1);
        }
        counting_allocator_never_fail(&t.memory.memory);
        test_set_deinit(&t);
        assert_int_equal(counts.faults, 0);
        assert_int_equal(counts.drops, 100);
    }
}

static void a_swap_that_fails_changes_nothing(void **state) {
    (void)state;
    self_counts counts = { 0 };
    const keel_component c = self_component(&counts);
    test_set t;
    test_set_init(&t, &c);
    self_value v[2];
    for (uint32_t i = 0; i < 2; ++i) {
        self_make(&v[i], i + 1, &counts);
        (void)test_set_add(&t, i, &v[i]);
    }
    counts.moves = 0;
    counting_allocator_fail_after(&t.memory.memory, 0);
    test_set_swap(&t, 1, 1);
    assert_int_equal(counts.moves, 0);
    test_set_swap(&t, 0, 1); // needs a place in between, which the caller has
    assert_int_equal(counts.moves, 3);
    counting_allocator_never_fail(&t.memory.memory);
    ASSERT_DENSE(&t, 1, 0);
    test_set_deinit(&t);
    assert_int_equal(counts.faults, 0);
}

// Slots have 31 bits: more is refused before any memory is asked for.
static void too_many_are_refused(void **state) {
    (void)state;
    test_set t;
    begin(&t, &tag, 3);
    const size_t calls = t.memory.memory.calls;
    const uint32_t extra[] = { UINT32_MAX, 0x80000000u, 0x7FFFFFFFu, 0x7FFFFFFDu };
    for (size_t i = 0; i < 4; ++i)
        assert_false(keeli_sparse_set_reserve(&t.set, &t.memory.heap, extra[i]));
    assert_int_equal(t.memory.memory.calls, calls);
    counting_allocator_fail_after(&t.memory.memory, 0);
    assert_false(keeli_sparse_set_reserve(&t.set, &t.memory.heap, 0x7FFFFFFCu)); // asks, in vain
    assert_int_equal(t.memory.memory.failures, 1);
    counting_allocator_never_fail(&t.memory.memory);
    ASSERT_DENSE(&t, 0, 1, 2);
    test_set_deinit(&t);
}

// Neither removing nor clearing, putting, moving out, trimming or ending may need memory.
static void everything_else_needs_no_memory(void **state) {
    (void)state;
    const keel_component *const all[] = { &number, &large, &tag };
    for (size_t i = 0; i < 3; ++i) {
        static unsigned char out[3000];
        test_set t;
        begin(&t, all[i], 100);
        const size_t growing = t.memory.memory.growing_calls;
        test_set_remove(&t, 0);
        test_set_put(&t, 1, out);
        test_set_move_out(&t, 1, out);
        keeli_sparse_set_remove(&t.set, 1);
        test_set_swap(&t, 5, 6);
        keeli_sparse_set_trim(&t.set, &t.memory.heap);
        keeli_sparse_set_clear(&t.set);
        keeli_sparse_set_trim(&t.set, &t.memory.heap);
        assert_int_equal(t.memory.memory.growing_calls, growing);
        test_set_deinit(&t);
    }
}

// ------------------------------------------------------------------ trim
static void remove_from(test_set *t, uint32_t first) {
    while (t->set.count > first)
        test_set_remove(t, keel_entity_index(*keeli_sparse_set_entity(&t->set, t->set.count - 1)));
}

static size_t tables(const keeli_sparse_set *set) {
    return (set->cells.capacity + set->dense.capacity + set->values.capacity) * sizeof(void *);
}

static void a_trim_frees_pages_that_hold_nothing(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    test_set t;
    begin(&t, &number, 40000); // 10 pages of cells and entities, 3 of values
    remove_from(&t, 16385);    // one over a page of values
    const set_state before = take_state(&t.set);
    keeli_sparse_set_trim(&t.set, &t.memory.heap);
    assert_state(&t, before);
    assert_int_equal(t.set.dense.page_count, 5);
    assert_int_equal(t.set.values.page_count, 2);
    assert_int_equal(t.set.bytes, tables(&t.set) + 5 * 4096 * (4 + sizeof(keel_entity)) + 131072);
    for (uint32_t index = 16385; index < 40000; ++index)
        assert_false(test_set_contains(&t, index));
    test_set_remove(&t, 16384); // now the last page of each holds nothing
    keeli_sparse_set_trim(&t.set, &t.memory.heap);
    assert_int_equal(t.set.bytes, tables(&t.set) + 4 * 4096 * (4 + sizeof(keel_entity)) + 65536);
    test_set_deinit(&t);
}

static void a_trim_keeps_what_is_used(void **state) {
    (void)state;
    test_set t;
    begin(&t, &number, 40000);
    const set_state before = take_state(&t.set);
    const size_t calls = t.memory.memory.calls;
    keeli_sparse_set_trim(&t.set, &t.memory.heap);
    assert_int_equal(t.memory.memory.calls, calls);
    assert_state(&t, before);
    test_set_deinit(&t);
}

static void trimmed_pages_of_cells_are_shared_again(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    test_set t;
    test_set_init(&t, &number);
    (void)test_set_add(&t, 3, NULL);
    (void)test_set_add(&t, 4096, NULL);
    (void)test_set_add(&t, 10000, NULL);
    test_set_remove(&t, 4096);
    test_set_remove(&t, 3);
    keeli_sparse_set_trim(&t.set, &t.memory.heap);
    assert_ptr_equal(t.set.root.sparse[0], t.set.root.sparse[1]);
    assert_ptr_not_equal(t.set.root.sparse[0], t.set.root.sparse[2]);
    assert_int_equal(keeli_sparse_set_find(&t.set, 10000), 0);
    assert_false(test_set_contains(&t, 3));
    (void)test_set_add(&t, 3, NULL); // has a page of its own again
    assert_ptr_not_equal(t.set.root.sparse[0], t.set.root.sparse[1]);
    assert_false(test_set_contains(&t, 4096 + 3));
    test_set_deinit(&t);
}

static void an_empty_set_can_be_trimmed_and_used_again(void **state) {
    (void)state;
    const keel_component *const all[] = { &number, &large, &tag };
    for (size_t i = 0; i < 3; ++i) {
        test_set t;
        test_set_init(&t, all[i]);
        keeli_sparse_set_trim(&t.set, &t.memory.heap); // never used
        assert_int_equal(t.memory.memory.calls, 0);
        for (uint32_t round = 0; round < 3; ++round) {
            test_set_add_many(&t, 20 + 4096 * round);
            keeli_sparse_set_clear(&t.set);
            keeli_sparse_set_trim(&t.set, &t.memory.heap);
            keeli_sparse_set_trim(&t.set, &t.memory.heap);
            assert_int_equal(t.memory.memory.live_bytes, tables(&t.set));
            assert_true(keeli_sparse_set_is_valid(&t.set));
        }
        test_set_deinit(&t);
    }
}

static void large_values_are_given_back_one_by_one(void **state) {
    (void)state;
    test_set t;
    begin(&t, &large, 50);
    const size_t before = t.memory.memory.live_bytes;
    remove_from(&t, 20);
    assert_int_equal(t.memory.memory.live_bytes, before); // kept until then
    keeli_sparse_set_trim(&t.set, &t.memory.heap);
    assert_int_equal(before - t.memory.memory.live_bytes, 30 * 3000);
    test_set_deinit(&t);
}

// ------------------------------------------------------------------ damage
static void begin_for_damage(test_set *t) {
    begin(t, &number, 5);
    (void)test_set_add(t, 4097, NULL);
    test_set_remove(t, 2); // 0 1 4097 3 4
    assert_true(keeli_sparse_set_is_valid(&t->set));
}

#define DAMAGE(place, value)                                                                       \
    do {                                                                                           \
        __typeof__(place) *at = &(place);                                                          \
        const __typeof__(place) was = *at;                                                         \
        *at = (value);                                                                             \
        assert_false(keeli_sparse_set_is_valid(&t.set));                                           \
        *at = was;                                                                                 \
        assert_true(keeli_sparse_set_is_valid(&t.set));                                            \
    } while (0)

static void damaged_cells_are_noticed(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    test_set t;
    begin_for_damage(&t);
    uint32_t *const cells = t.set.root.sparse[0];
    DAMAGE(cells[0], KEELI_NO_SLOT); // a member lost
    DAMAGE(cells[0], 1);             // of somebody else
    DAMAGE(cells[0], 5);             // beyond the last
    DAMAGE(cells[0], 0x80000000u);
    DAMAGE(cells[2], 2);    // removed, and still there
    DAMAGE(cells[4095], 0); // never there, and a member's slot
    DAMAGE(t.set.root.sparse[1][1], KEELI_NO_SLOT);
    DAMAGE(t.set.root.sparse[1][0], 0);
    test_set_deinit(&t);
}

static void damaged_entities_are_noticed(void **state) {
    (void)state;
    test_set t;
    begin_for_damage(&t);
    keel_entity *const dense = t.set.dense.pages[0];
    DAMAGE(dense[0], keel_null());
    DAMAGE(dense[0], keel_entity_make(1, 0)); // twice
    DAMAGE(dense[0], keel_entity_make(4096, 0));
    DAMAGE(dense[0], ((keel_entity){ 1 })); // null with an index
    DAMAGE(dense[2], keel_entity_make(1, 0));
    DAMAGE(dense[3], ((keel_entity){ 3 })); // null with the right index
    test_set_deinit(&t);
}

static void damaged_counts_and_tables_are_noticed(void **state) {
    (void)state;
    test_set t;
    begin_for_damage(&t);
    DAMAGE(t.set.count, 4u);
    DAMAGE(t.set.count, 6u);
    DAMAGE(t.set.count, 0u);
    DAMAGE(t.set.root.page_count, 1u); // a member out of reach
    DAMAGE(t.set.root.sparse, NULL);
    DAMAGE(t.set.root.pages, NULL);
    test_set_deinit(&t);
}

static const struct CMUnitTest tests[] = {
    TEST(a_reserve_that_fails_changes_nothing, "a reserve that fails changes nothing"),
    TEST(a_cell_that_fails_changes_nothing, "a cell that fails changes nothing"),
    TEST(growing_with_a_hook_that_fails, "growing with a move hook loses nothing when it fails"),
    TEST(a_swap_that_fails_changes_nothing, "a swap that fails changes nothing"),
    TEST(too_many_are_refused, "2^31 entities are refused before memory is asked for"),
    TEST(everything_else_needs_no_memory, "everything else needs no memory"),
    TEST(a_trim_frees_pages_that_hold_nothing, "a trim frees pages that hold nothing"),
    TEST(a_trim_keeps_what_is_used, "a trim keeps what is used"),
    // proves E-Q12
    TEST(trimmed_pages_of_cells_are_shared_again, "trimmed pages of cells are shared again"),
    TEST(an_empty_set_can_be_trimmed_and_used_again, "a trimmed empty set keeps its tables only"),
    TEST(large_values_are_given_back_one_by_one, "a trim gives large values back one by one"),
    // proves E-P4
    TEST(damaged_cells_are_noticed, "damaged cells are noticed"),
    // proves E-P4
    TEST(damaged_entities_are_noticed, "damaged entities are noticed"),
    TEST(damaged_counts_and_tables_are_noticed, "damaged counts and tables are noticed"),
};

int main(void) { return RUN(tests); }
