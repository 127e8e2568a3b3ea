// SPDX-License-Identifier: MIT
// Things by their address.
#include "base/memory.h"

#include "support/data_fixture.h"
#include "support/test.h"

enum { MANY = 1000 };
static char keys[MANY * 16];

static void what_was_added_is_found(void **state) {
    (void)state;
    test_heap t;
    test_heap_init(&t);
    keeli_pointer_table table = { 0 };
    assert_null(keeli_pointer_find(&table, keys));
    for (size_t i = 0; i < MANY; ++i) { // neighbours, and those that come to the same place
        char *key = &keys[i * 7 % MANY * 16];
        assert_null(keeli_pointer_find(&table, key));
        assert_true(keeli_pointer_reserve(&table, &t.heap));
        keeli_pointer_add(&table, key, key + 1);
    }
    for (size_t i = 0; i < MANY; ++i) {
        assert_ptr_equal(keeli_pointer_find(&table, &keys[i * 16]), &keys[i * 16 + 1]);
        assert_null(keeli_pointer_find(&table, &keys[i * 16 + 1]));
    }
    assert_int_equal(table.count, MANY);
    keeli_pointer_table_deinit(&table, &t.heap);
    test_heap_deinit(&t);
}

static void out_of_memory_leaves_it_as_it_was(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    test_heap t;
    test_heap_init(&t);
    keeli_pointer_table table = { 0 };
    counting_allocator_fail_after(&t.memory, 1);
    uint32_t added = 0;
    for (; keeli_pointer_reserve(&table, &t.heap); ++added)
        keeli_pointer_add(&table, &keys[added * 16], &keys[added]);
    assert_in_range(added, 16, MANY - 1);
    for (uint32_t i = 0; i < added; ++i)
        assert_ptr_equal(keeli_pointer_find(&table, &keys[i * 16]), &keys[i]);
    counting_allocator_never_fail(&t.memory);
    assert_true(keeli_pointer_reserve(&table, &t.heap));
    keeli_pointer_table_deinit(&table, &t.heap);
    test_heap_deinit(&t);
}

static const struct CMUnitTest tests[] = {
    TEST(what_was_added_is_found, "what was added is found"),
    TEST(out_of_memory_leaves_it_as_it_was, "out of memory: the table is as it was"),
};

int main(void) { return RUN(tests); }
