// SPDX-License-Identifier: MIT
// Reordering the slots of a sparse set, and swaps in which one value is gone.
#include "support/data_fixture.h"
#include "support/test.h"

#include <string.h>

static const keel_component plain = { .name = "plain", .size = 4, .align = 4 };
static const keel_component tag = { .name = "tag" };

static uint32_t moves;
static void count_move(void *to, void *from, void *data) {
    (void)data;
    ++moves;
    memcpy(to, from, 4);
    memset(from, 0xDD, 4);
}
static const keel_component hooked = {
    .name = "hooked", .size = 4, .align = 4, .move = count_move
};

static void add(test_set *t, uint32_t index) {
    uint32_t value = index + 1000;
    (void)test_set_add(t, index, &value);
}

static void slots_get_what_the_order_says(void **state) {
    (void)state;
    const keel_component *const kinds[] = { &plain, &hooked };
    for (int k = 0; k < 2; ++k) {
        test_set t;
        uint32_t scratch, order[] = { 2, 0, 1, 3, 5, 4 };
        test_set_init(&t, kinds[k]);
        for (uint32_t i = 10; i < 18; ++i)
            add(&t, i);
        moves = 0;
        keeli_sparse_set_permute(&t.set, order, 6, &scratch);
        ASSERT_DENSE(&t, 12, 10, 11, 13, 15, 14, 16, 17);
        ASSERT_VALUES(&t, 1012, 1010, 1011, 1013, 1015, 1014, 1016, 1017);
        if (k) assert_int_equal(moves, 5 + 2); // one more per cycle
        test_set_deinit(&t);
    }
}

static void random_orders_lose_nothing(void **state) {
    (void)state;
    enum { count = 5000 };
    static uint32_t order[count], expected[count];
    test_set t;
    uint32_t scratch, seed = 1;
    test_set_init(&t, &plain);
    for (uint32_t i = 0; i < count; ++i) {
        add(&t, i);
        order[i] = i;
    }
    for (uint32_t i = count; i > 1; --i) {
        seed = seed * 1664525u + 1013904223u;
        const uint32_t k = (seed >> 8) % i, swapped = order[k];
        order[k] = order[i - 1];
        order[i - 1] = swapped;
    }
    memcpy(expected, order, sizeof order);
    keeli_sparse_set_permute(&t.set, order, count, &scratch);
    for (uint32_t i = 0; i < count; ++i) {
        assert_int_equal(keel_entity_index(*keeli_sparse_set_entity(&t.set, i)), expected[i]);
        assert_int_equal(*(uint32_t *)keeli_sparse_set_value(&t.set, i), expected[i] + 1000);
    }
    test_set_deinit(&t);
}

static void tags_have_an_order_too(void **state) {
    (void)state;
    test_set t;
    uint32_t order[] = { 1, 2, 0 };
    test_set_init(&t, &tag);
    test_set_add_many(&t, 4);
    keeli_sparse_set_permute(&t.set, order, 3, NULL);
    ASSERT_DENSE(&t, 1, 2, 0, 3);
    keeli_sparse_set_swap(&t.set, 0, 3, NULL);
    ASSERT_DENSE(&t, 3, 2, 0, 1);
    test_set_deinit(&t);
}

static void a_value_that_is_gone_is_not_moved(void **state) {
    (void)state;
    test_set t;
    uint32_t out;
    test_set_init(&t, &hooked);
    for (uint32_t i = 0; i < 4; ++i)
        add(&t, i);
    test_set_move_out(&t, 1, &out);
    moves = 0;
    keeli_sparse_set_swap(&t.set, 1, 3, NULL);
    assert_int_equal(moves, 1);
    keeli_sparse_set_remove(&t.set, 3);
    ASSERT_DENSE(&t, 0, 3, 2);
    ASSERT_VALUES(&t, 1000, 1003, 1002);
    test_set_deinit(&t);
}

static const struct CMUnitTest tests[] = {
    TEST(slots_get_what_the_order_says, "slots get what the order says, cycle by cycle"),
    TEST(random_orders_lose_nothing, "random orders lose nothing"),
    TEST(tags_have_an_order_too, "tags have an order too"),
    TEST(a_value_that_is_gone_is_not_moved, "a swap does not move a value that is gone"),
};

int main(void) { return RUN(tests); }
