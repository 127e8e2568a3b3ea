// SPDX-License-Identifier: MIT
// Growing arrays.
#include "base/memory.h"

#include "support/data_fixture.h"
#include "support/test.h"

typedef KEELI_ARRAY(uint32_t) numbers;

static void an_array_keeps_its_items_while_it_grows(void **state) {
    (void)state;
    test_heap t;
    test_heap_init(&t);
    numbers n = { 0 };
    for (uint32_t i = 0; i < 10000; ++i) {
        assert_true(KEELI_RESERVE(&t.heap, &n, 1));
        n.items[n.count++] = i * 3;
    }
    for (uint32_t i = 0; i < 10000; ++i)
        assert_int_equal(n.items[i], i * 3);
    assert_int_equal(t.heap.live, n.capacity * sizeof *n.items);
    KEELI_RELEASE(&t.heap, &n);
    test_heap_deinit(&t);
}

static void growing_by_one_seldom_allocates(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    test_heap t;
    test_heap_init(&t);
    numbers n = { 0 };
    for (; n.count < 8192; ++n.count)
        assert_true(KEELI_RESERVE(&t.heap, &n, 1));
    assert_int_equal(t.memory.growing_calls, 11); // 8, 16, ... 8192
    KEELI_RELEASE(&t.heap, &n);
    test_heap_deinit(&t);
}

static void a_reserve_makes_room_for_all_it_was_asked(void **state) {
    (void)state;
    test_heap t;
    test_heap_init(&t);
    numbers n = { 0 };
    assert_true(KEELI_RESERVE(&t.heap, &n, 0));
    assert_null(n.items);
    assert_true(KEELI_RESERVE(&t.heap, &n, 5000));
    assert_true(n.capacity >= 5000);
    n.count = n.capacity;
    const size_t calls = t.memory.calls;
    assert_true(KEELI_RESERVE(&t.heap, &n, 0));
    assert_int_equal(t.memory.calls, calls);
    assert_true(KEELI_RESERVE(&t.heap, &n, 1));
    assert_true(n.capacity > n.count);
    KEELI_RELEASE(&t.heap, &n);
    test_heap_deinit(&t);
}

static void a_released_array_is_empty(void **state) {
    (void)state;
    test_heap t;
    test_heap_init(&t);
    numbers n = { 0 };
    KEELI_RELEASE(&t.heap, &n);
    assert_int_equal(t.memory.calls, 0);
    assert_true(KEELI_RESERVE(&t.heap, &n, 3));
    n.count = 3;
    KEELI_RELEASE(&t.heap, &n);
    assert_null(n.items);
    assert_int_equal(n.count, 0);
    assert_int_equal(n.capacity, 0);
    assert_true(KEELI_RESERVE(&t.heap, &n, 1));
    KEELI_RELEASE(&t.heap, &n);
    test_heap_deinit(&t);
}

static void failure_leaves_the_array(void **state) {
    (void)state;
    test_heap t;
    test_heap_init(&t);
    numbers n = { 0 };
    assert_true(KEELI_RESERVE(&t.heap, &n, 8));
    for (; n.count < 8; ++n.count)
        n.items[n.count] = n.count;
    const numbers before = n;
    counting_allocator_fail_after(&t.memory, 0);
    assert_false(KEELI_RESERVE(&t.heap, &n, 1));
    assert_ptr_equal(n.items, before.items);
    assert_int_equal(n.capacity, before.capacity);
    for (uint32_t i = 0; i < 8; ++i)
        assert_int_equal(n.items[i], i);
    counting_allocator_never_fail(&t.memory);
    assert_true(KEELI_RESERVE(&t.heap, &n, 1));
    KEELI_RELEASE(&t.heap, &n);
    test_heap_deinit(&t);
}

// An allocator that would say yes to anything must not even be asked.
static void too_many_items_are_refused(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    test_heap t;
    test_heap_init(&t);
    numbers n = { 0 };
    assert_true(KEELI_RESERVE(&t.heap, &n, 1));
    n.count = 8;
    const size_t calls = t.memory.calls;
    assert_false(KEELI_RESERVE(&t.heap, &n, UINT32_MAX));
    assert_false(KEELI_RESERVE(&t.heap, &n, UINT64_MAX - 8));
    assert_int_equal(t.memory.calls, calls);
    assert_int_equal(n.capacity, 8);
    KEELI_RELEASE(&t.heap, &n);
    test_heap_deinit(&t);
}

static const struct CMUnitTest tests[] = {
    TEST(an_array_keeps_its_items_while_it_grows, "an array keeps its items while it grows"),
    TEST(growing_by_one_seldom_allocates,
         "growing by one at a time allocates each time it doubles"),
    TEST(a_reserve_makes_room_for_all_it_was_asked,
         "a reserve makes room for all it was asked for"),
    TEST(a_released_array_is_empty, "a released array is empty and can be used again"),
    TEST(failure_leaves_the_array, "a failed reserve leaves the array as it was"),
    TEST(too_many_items_are_refused, "more items than 32 bits can count are refused"),
};

int main(void) { return RUN(tests); }
