// SPDX-License-Identifier: MIT
#include "data/presence.h"

#include "support/data_fixture.h"
#include "support/test.h"

static test_heap memory;
static keeli_component_lists lists;

static void begin(void) {
    test_heap_init(&memory);
    lists = (keeli_component_lists){ 0 };
}

static void end(void) {
    assert_true(keeli_component_lists_are_valid(&lists));
    assert_int_equal(lists.bytes, memory.heap.live);
    keeli_component_lists_deinit(&lists, &memory.heap);
    test_heap_deinit(&memory);
}

static void add(uint32_t index, uint16_t number) {
    assert_true(keeli_component_lists_reserve(&lists, &memory.heap, index, number));
    keeli_component_lists_add(&lists, index, number);
}

static void one_list_serves_64_indices(void **state) {
    (void)state;
    begin();
    add(0, 7);
    add(64, 8);
    add(4095, 9);
    add(4096, 10);
    assert_true(keeli_component_lists_has(&lists, 63, 7));
    assert_false(keeli_component_lists_has(&lists, 64, 7));
    assert_true(keeli_component_lists_has(&lists, 127, 8));
    assert_true(keeli_component_lists_has(&lists, 4032, 9));
    assert_false(keeli_component_lists_has(&lists, 4096, 9));
    assert_true(keeli_component_lists_has(&lists, 4159, 10));
    assert_false(keeli_component_lists_has(&lists, KEEL_MAX_ENTITY_INDEX, 7));
    end();
}

static void four_numbers_need_no_memory_of_their_own(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    begin();
    add(5, 0);
    const size_t bytes = lists.bytes;
    for (uint16_t n = 1; n < KEELI_LIST_IN_PLACE; ++n)
        add(5, n);
    assert_int_equal(lists.bytes, bytes);
    add(5, 4);
    assert_true(lists.bytes > bytes);
    for (uint16_t n = 0; n < 5; ++n)
        assert_true(keeli_component_lists_has(&lists, 5, n));
    end();
}

static void numbers_ascend_whoever_comes_and_goes(void **state) {
    (void)state;
    static const uint16_t come[] = { 4, 0, 5, 2, 1, 3 }, left[] = { 0, 1, 3, 5 };
    begin();
    for (uint32_t i = 0; i < sizeof come / sizeof *come; ++i)
        add(1, come[i]);
    keeli_component_lists_remove(&lists, 1, 2);
    keeli_component_lists_remove(&lists, 1, 4);
    assert_int_equal(keeli_list_of(&lists, 1)->count, 4);
    assert_memory_equal(keeli_list_numbers(keeli_list_of(&lists, 1)), left, sizeof left);
    assert_false(keeli_component_lists_has(&lists, 1, 4));
    assert_false(keeli_component_lists_has(&lists, 1, 2));
    end();
}

static void a_list_takes_every_number_there_is(void **state) {
    (void)state;
    begin();
    for (uint32_t n = 0; n < UINT16_MAX; ++n)
        add(77, (uint16_t)n);
    assert_int_equal(keeli_list_of(&lists, 77)->count, UINT16_MAX);
    assert_true(keeli_component_lists_has(&lists, 77, 0));
    assert_true(keeli_component_lists_has(&lists, 77, UINT16_MAX - 1));
    assert_false(keeli_list_is_incomplete(keeli_list_of(&lists, 77)));
    keeli_component_lists_add(&lists, 77, UINT16_MAX); // one more than there is room for
    assert_true(keeli_list_is_incomplete(keeli_list_of(&lists, 77)));
    end();
}

static void a_list_without_room_is_incomplete(void **state) {
    (void)state;
    begin();
    add(300, 2);
    for (uint16_t n = 3; n < 3 + KEELI_LIST_IN_PLACE; ++n)
        keeli_component_lists_add(&lists, 300, n); // nobody made room
    assert_true(keeli_list_is_incomplete(keeli_list_of(&lists, 300)));
    assert_true(keeli_component_lists_has(&lists, 300, 2));
    assert_true(keeli_component_lists_has(&lists, 300, 77)); // may be there
    assert_true(keeli_component_lists_are_valid(&lists));
    keeli_component_lists_remove(&lists, 300, 2);
    keeli_component_lists_add(&lists, 300, 5);
    assert_true(keeli_list_is_incomplete(keeli_list_of(&lists, 300)));

    // a copy of it is incomplete, too; one of a complete list is not
    keeli_component_lists copy = { 0 }, empty = { 0 };
    assert_true(keeli_component_lists_reserve_all(&copy, &memory.heap, &lists, 0));
    keeli_component_lists_assign(&copy, &lists);
    assert_true(keeli_list_is_incomplete(keeli_list_of(&copy, 300)));
    assert_true(keeli_component_lists_are_valid(&copy));
    keeli_component_lists_assign(&copy, &empty);
    assert_false(keeli_list_is_incomplete(keeli_list_of(&copy, 300)));
    keeli_component_lists_deinit(&copy, &memory.heap);
    end();
}

static void a_list_promises_places(void **state) {
    (void)state;
    begin();
    for (uint16_t n = 0; n < 20; ++n)
        for (uint32_t again = 0; again < 3; ++again) // as for each entity of a block
            assert_true(keeli_component_lists_reserve(&lists, &memory.heap, 300, n));
    const size_t bytes = lists.bytes;
    counting_allocator_fail_after(&memory.memory, 0);
    for (uint16_t n = 0; n < 20; ++n)
        keeli_component_lists_add(&lists, 300, n);
    assert_int_equal(keeli_list_of(&lists, 300)->count, 20);
    assert_int_equal(keeli_list_of(&lists, 300)->promised, 0);
    counting_allocator_never_fail(&memory.memory);
    // edits that fail again and again promise no more
    for (uint16_t n = 0; n < 500; ++n)
        assert_true(keeli_component_lists_reserve(&lists, &memory.heap, 300, 20 + n % 2));
    assert_int_equal(keeli_list_of(&lists, 300)->promised, 2);
    assert_int_equal(lists.bytes, bytes);
    // what goes, and what comes without a promise, leaves the promises as far as there is room
    keeli_component_lists_remove(&lists, 300, 7);
    for (uint16_t n = 30; n < 41; ++n)
        keeli_component_lists_add(&lists, 300, n);
    assert_int_equal(keeli_list_of(&lists, 300)->promised, 2);
    keeli_component_lists_add(&lists, 300, 41);
    assert_int_equal(keeli_list_of(&lists, 300)->promised, 1);
    keeli_component_lists_add(&lists, 300, 21);
    assert_false(keeli_list_is_incomplete(keeli_list_of(&lists, 300)));
    assert_true(keeli_component_lists_has(&lists, 300, 21));
    end();
}

static void trimming_returns_what_is_not_needed(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    begin();
    for (uint16_t n = 0; n < 40; ++n) {
        add(10, n);
        add(5000, n);
    }
    for (uint16_t n = 3; n < 40; ++n)
        keeli_component_lists_remove(&lists, 10, n);
    for (uint16_t n = 0; n < 40; ++n)
        keeli_component_lists_remove(&lists, 5000, n);
    keeli_component_lists_trim(&lists, &memory.heap);
    assert_null(lists.pages[1]);
    assert_int_equal(keeli_list_of(&lists, 10)->capacity, 0);
    for (uint16_t n = 0; n < 3; ++n)
        assert_true(keeli_component_lists_has(&lists, 10, n));
    assert_true(keeli_component_lists_are_valid(&lists));
    add(5000, 1); // a page that went can come back
    end();
}

static void a_reserve_without_memory_changes_nothing(void **state) {
    (void)state;
    begin();
    for (uint16_t n = 0; n < 4; ++n)
        add(0, n);
    const uint32_t targets[] = { 0, 4096 * 40 };
    for (uint32_t t = 0; t < 2; ++t)
        for (size_t allowed = 0;; ++allowed) {
            counting_allocator_fail_after(&memory.memory, allowed);
            const bool ok = keeli_component_lists_reserve(&lists, &memory.heap, targets[t], 77) &&
                            keeli_component_list_reserve(&lists, &memory.heap,
                                                         keeli_list_of(&lists, targets[t]), 13);
            counting_allocator_never_fail(&memory.memory);
            assert_true(keeli_component_lists_are_valid(&lists));
            assert_int_equal(lists.bytes, memory.heap.live);
            assert_int_equal(keeli_list_of(&lists, 0)->count, 4);
            if (ok) break;
            assert_true(allowed < 10);
        }
    end();
}

static void faults_are_noticed(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    begin();
    for (uint16_t n = 0; n < 3; ++n)
        add(0, n);
    keeli_component_list *list = keeli_list_of(&lists, 0);
    list->numbers.few[2] = 0; // twice
    assert_false(keeli_component_lists_are_valid(&lists));
    list->numbers.few[2] = 2;
    list->count = 5; // more than fit
    assert_false(keeli_component_lists_are_valid(&lists));
    list->count = 3;
    ++lists.bytes;
    assert_false(keeli_component_lists_are_valid(&lists));
    --lists.bytes;
    end();
}

static const struct CMUnitTest tests[] = {
    TEST(one_list_serves_64_indices, "One list serves 64 indices"),
    TEST(four_numbers_need_no_memory_of_their_own, "Four numbers need no memory of their own"),
    TEST(numbers_ascend_whoever_comes_and_goes, "numbers ascend, whoever comes and goes"),
    TEST(a_list_takes_every_number_there_is, "A list takes every number that it has room for"),
    TEST(a_list_without_room_is_incomplete, "A list that finds no room is incomplete"),
    TEST(a_list_promises_places, "A list promises places, each once"),
    TEST(trimming_returns_what_is_not_needed, "Trimming returns what is not needed"),
    TEST(a_reserve_without_memory_changes_nothing, "A reserve that fails changes nothing"),
    TEST(faults_are_noticed, "Planted faults are noticed"),
};
int main(void) { return RUN(tests); }
