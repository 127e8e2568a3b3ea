// SPDX-License-Identifier: MIT
// Drop and move hooks of a sparse set, counted exactly. (Copy hooks are called by edit/ alone: the
// set does not keep them.)
#include "data/sparse_set.h"

#include "support/data_fixture.h"
#include "support/self_value.h"
#include "support/test.h"

#include <string.h>

typedef struct hooked {
    test_set t;
    self_counts counts;
} hooked;

static void begin(hooked *h) {
    h->counts = (self_counts){ 0 };
    const keel_component c = self_component(&h->counts);
    test_set_init(&h->t, &c);
}

// An index with value 100 + index.
static void add(hooked *h, uint32_t index) {
    self_value v;
    self_make(&v, 100 + index, &h->counts);
    (void)test_set_add(&h->t, index, &v);
}

static self_value *at(const hooked *h, uint32_t index) {
    return keeli_sparse_set_value(&h->t.set, keeli_sparse_set_find(&h->t.set, index));
}

// Each value is where it thinks it is, and belongs to its entity.
static void assert_whole(const hooked *h) {
    for (uint32_t slot = 0; slot < h->t.set.count; ++slot) {
        const self_value *v = keeli_sparse_set_value(&h->t.set, slot);
        assert_ptr_equal(v->self, v);
        assert_int_equal(v->id, 100 + keel_entity_index(*keeli_sparse_set_entity(&h->t.set, slot)));
    }
    assert_int_equal(h->counts.faults, 0);
}

static void end(hooked *h) {
    assert_whole(h);
    const uint32_t drops = h->counts.drops, left = h->t.set.count, moves = h->counts.moves;
    test_set_deinit(&h->t);
    assert_int_equal(h->counts.drops, drops + left); // each once
    assert_int_equal(h->counts.moves, moves);
    assert_int_equal(h->counts.alive, 0);
    assert_int_equal(h->counts.faults, 0);
}

// ------------------------------------------------------------------ moves
// A first page of 8 grows to 16, 32, 64 and 128: each time all values are moved once.
static void the_first_page_grows_through_the_hook(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    hooked h;
    begin(&h);
    uint32_t grown = 0;
    for (uint32_t i = 0; i < 100; ++i) {
        if (i == 8 || i == 16 || i == 32 || i == 64) grown += i;
        add(&h, i);
        assert_int_equal(h.counts.moves, i + 1 + grown);
        assert_whole(&h);
    }
    assert_int_equal(h.counts.drops, 0);
    end(&h);
}

static void later_pages_never_move_a_value(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    hooked h;
    begin(&h);
    const uint32_t full = 65536 / sizeof(self_value);
    for (uint32_t i = 0; i < full; ++i)
        add(&h, i);
    const uint32_t moves = h.counts.moves - full;
    assert_int_equal(moves, full - 8); // 8 + 16 + ... + full / 2
    const self_value *first = at(&h, 0), *last = at(&h, full - 1);
    for (uint32_t i = full; i < 9000; ++i)
        add(&h, i);
    assert_int_equal(h.counts.moves - 9000, moves);
    assert_ptr_equal(at(&h, 0), first);
    assert_ptr_equal(at(&h, full - 1), last);
    end(&h);
}

static void a_reserve_moves_at_most_once(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    hooked h;
    begin(&h);
    add(&h, 0);
    add(&h, 1);
    assert_true(keeli_sparse_set_reserve(&h.t.set, &h.t.memory.heap, 6)); // 8 in all: there already
    assert_int_equal(h.counts.moves, 2);
    assert_true(keeli_sparse_set_reserve(&h.t.set, &h.t.memory.heap, 20000));
    assert_int_equal(h.counts.moves, 4);
    assert_whole(&h);
    end(&h);
}

static void zeros_are_not_moved_in(void **state) {
    (void)state;
    hooked h;
    begin(&h);
    (void)test_set_add(&h.t, 3, NULL);
    assert_int_equal(h.counts.moves, 0);
    assert_null(at(&h, 3)->self);
    assert_int_equal(at(&h, 3)->id, 0);
    test_set_remove(&h.t, 3);
    assert_int_equal(h.counts.drops, 1); // empty values are dropped too
    end(&h);
}

// ------------------------------------------------------------------ drops
static void a_removal_drops_one_and_moves_the_last(void **state) {
    (void)state;
    hooked h;
    begin(&h);
    for (uint32_t i = 0; i < 5; ++i)
        add(&h, i);
    h.counts.moves = 0;
    test_set_remove(&h.t, 1);
    assert_int_equal(h.counts.drops, 1);
    assert_int_equal(h.counts.moves, 1);
    assert_whole(&h);
    ASSERT_DENSE(&h.t, 0, 4, 2, 3);
    test_set_remove(&h.t, 3); // the last
    assert_int_equal(h.counts.drops, 2);
    assert_int_equal(h.counts.moves, 1);
    assert_int_equal(h.counts.alive, 3);
    end(&h);
}

static void a_value_moved_out_is_not_dropped(void **state) {
    (void)state;
    hooked h;
    begin(&h);
    for (uint32_t i = 0; i < 3; ++i)
        add(&h, i);
    h.counts.moves = 0;
    self_value out;
    test_set_move_out(&h.t, 0, &out);
    keeli_sparse_set_remove(&h.t.set, 0);
    assert_int_equal(h.counts.moves, 2); // out, and the last into the hole
    assert_int_equal(h.counts.drops, 0);
    assert_int_equal(h.counts.alive, 3);
    assert_ptr_equal(out.self, &out);
    assert_int_equal(out.id, 100);
    ASSERT_DENSE(&h.t, 2, 1);
    assert_whole(&h);
    self_release(&out, &h.counts);
    end(&h);
}

static void clear_drops_each_once(void **state) {
    (void)state;
    hooked h;
    begin(&h);
    for (uint32_t i = 0; i < 5000; ++i)
        add(&h, i);
    const uint32_t moves = h.counts.moves;
    keeli_sparse_set_clear(&h.t.set);
    assert_int_equal(h.counts.drops, 5000);
    assert_int_equal(h.counts.alive, 0);
    keeli_sparse_set_clear(&h.t.set);
    assert_int_equal(h.counts.drops, 5000);
    assert_int_equal(h.counts.moves, moves);
    for (uint32_t i = 0; i < 10; ++i)
        add(&h, 9 - i);
    keeli_sparse_set_trim(&h.t.set, &h.t.memory.heap); // calls no hook
    assert_int_equal(h.counts.drops, 5000);
    assert_int_equal(h.counts.moves, moves + 10);
    end(&h);
}

// Values are dropped in packed order, and each is still whole when its turn comes.
static uint32_t dropped[4], dropped_count;
static void note_drop(void *value, void *hook_data) {
    (void)hook_data;
    if (dropped_count < 4) dropped[dropped_count] = *(uint32_t *)value;
    ++dropped_count;
}

static void values_are_dropped_in_packed_order(void **state) {
    (void)state;
    const keel_component c = { .name = "Noted", .size = 4, .align = 4, .drop = note_drop };
    for (int way = 0; way < 2; ++way) {
        dropped_count = 0;
        test_set t;
        test_set_init(&t, &c);
        const uint32_t indices[] = { 9, 4, 7, 1 };
        for (size_t i = 0; i < 4; ++i)
            (void)test_set_add(&t, indices[i], &indices[i]);
        if (way == 0) keeli_sparse_set_clear(&t.set);
        test_set_deinit(&t);
        assert_int_equal(dropped_count, 4);
        assert_memory_equal(dropped, indices, sizeof indices);
    }
}

// ------------------------------------------------------------------ swap
static void a_swap_is_three_moves(void **state) {
    (void)state;
    hooked h;
    begin(&h);
    for (uint32_t i = 0; i < 4; ++i)
        add(&h, i);
    h.counts.moves = 0;
    const size_t live = h.t.memory.heap.live;
    test_set_swap(&h.t, 0, 3);
    assert_int_equal(h.counts.moves, 3);
    assert_int_equal(h.t.memory.heap.live, live); // the place in between is given back
    ASSERT_DENSE(&h.t, 3, 1, 2, 0);
    assert_whole(&h);
    test_set_swap(&h.t, 2, 2);
    assert_int_equal(h.counts.moves, 3);
    ASSERT_DENSE(&h.t, 3, 1, 2, 0);
    assert_int_equal(h.counts.drops, 0);
    end(&h);
}

static void a_swap_across_pages(void **state) {
    (void)state;
    hooked h;
    begin(&h);
    for (uint32_t i = 0; i < 4100; ++i)
        add(&h, i);
    test_set_swap(&h.t, 4095, 4096);
    test_set_swap(&h.t, 4099, 0);
    assert_int_equal(keeli_sparse_set_find(&h.t.set, 4095), 4096);
    assert_int_equal(keeli_sparse_set_find(&h.t.set, 4096), 4095);
    assert_int_equal(keeli_sparse_set_find(&h.t.set, 4099), 0);
    assert_int_equal(keeli_sparse_set_find(&h.t.set, 0), 4099);
    assert_whole(&h);
    end(&h);
}

// ------------------------------------------------------------------ tags
static uint32_t tag_drops, tag_moves;
static void drop_tag(void *value, void *hook_data) {
    (void)hook_data;
    assert_non_null(value);
    ++tag_drops;
}
static void move_tag(void *to, void *from, void *hook_data) {
    (void)to;
    (void)from;
    (void)hook_data;
    ++tag_moves;
}

// A tag may have hooks: its drop hook is told of each that goes, and nothing is ever moved.
static void tags_with_hooks(void **state) {
    (void)state;
    const keel_component c = { .name = "Tag", .drop = drop_tag, .move = move_tag };
    tag_drops = tag_moves = 0;
    test_set t;
    test_set_init(&t, &c);
    test_set_add_many(&t, 5000);
    test_set_remove(&t, 7);
    assert_int_equal(tag_drops, 1);
    char nothing = 'n';
    test_set_move_out(&t, 0, &nothing);
    assert_int_equal(nothing, 'n');
    keeli_sparse_set_remove(&t.set, 0);
    test_set_swap(&t, 0, 4097); // no place in between
    assert_int_equal(keel_entity_index(*keeli_sparse_set_entity(&t.set, 4097)), 4998);
    test_set_deinit(&t);
    assert_int_equal(tag_drops, 4999);
    assert_int_equal(tag_moves, 0);
}

static const struct CMUnitTest tests[] = {
    TEST(the_first_page_grows_through_the_hook, "the first page grows through the move hook"),
    TEST(later_pages_never_move_a_value, "a value on a full page never moves when one is added"),
    TEST(a_reserve_moves_at_most_once, "a reserve moves each value at most once"),
    TEST(zeros_are_not_moved_in, "a zeroed value is not moved in, but it is dropped"),
    TEST(a_removal_drops_one_and_moves_the_last, "a removal drops one value and moves the last"),
    TEST(a_value_moved_out_is_not_dropped, "a value that was moved out is not dropped"),
    TEST(clear_drops_each_once, "a clear drops each value once, a trim none"),
    TEST(values_are_dropped_in_packed_order, "values are dropped in packed order"),
    // proves E-P7
    TEST(a_swap_is_three_moves, "a swap with a move hook is three moves"),
    // proves E-P7
    TEST(a_swap_across_pages, "a swap across pages"),
    TEST(tags_with_hooks, "tags with hooks: dropped, swapped, never moved"),
};

int main(void) { return RUN(tests); }
