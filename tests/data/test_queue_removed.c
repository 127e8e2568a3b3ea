// SPDX-License-Identifier: MIT
// The log of what is gone against a plain list.
#include "data/queue.h"

#include "support/data_fixture.h"
#include "support/test.h"

#include <string.h>

static test_heap memory;
static keeli_queue gone;
static uint32_t alive; // values with an owner
static void drop(void *value, void *data) {
    (void)value, (void)data;
    --alive;
}

static void begin(uint32_t limit) {
    test_heap_init(&memory);
    const keel_component type = { .size = sizeof(uint32_t), .align = 4, .drop = drop };
    keeli_queue_init(&gone, &type, true);
    gone.limit = limit;
    alive = 0;
}

static void end(void) {
    assert_true(keeli_queue_is_valid(&gone));
    keeli_queue_deinit(&gone, &memory.heap);
    assert_int_equal(alive, 0);
    test_heap_deinit(&memory);
}

// The name of who holds the queue up, when that is news.
static const char *append(uint64_t tick, uint32_t value, bool deleted) {
    assert_true(keeli_queue_reserve(&gone, &memory.heap, 1, NULL));
    alive += deleted;
    const keeli_removed removed = { keel_entity_make(value, 0), tick, deleted };
    const char *late;
    const bool is_news = keeli_queue_push_removed(&gone, &removed, &value, &late);
    assert_int_equal(is_news, late != NULL);
    return late;
}

static uint32_t value_at(uint32_t i) {
    uint32_t value;
    memcpy(&value, keeli_queue_at(&gone, gone.begin + i), sizeof value);
    return value;
}

static uint64_t missed(const keeli_reader *reader) {
    return keeli_queue_missed(&gone, keeli_queue_next(&gone, reader));
}

static void nobody_passes(void **state) {
    (void)state;
    begin(8);
    for (uint32_t i = 0; i < 30; ++i)
        assert_null(append(i + 1, i, true));
    assert_int_equal(gone.count, 8);
    assert_int_equal(gone.capacity, 8);
    for (uint32_t i = 0; i < 8; ++i)
        assert_int_equal(value_at(i), 22 + i);
    assert_int_equal(missed(NULL), 22);
    const keeli_reader late = { .last = 0, .name = "late" },
                       later = { .last = 22, .name = "later" };
    assert_int_equal(missed(&late), 22);
    assert_int_equal(missed(&later), 0);
    end();
}

static void all_pass(void **state) {
    (void)state;
    begin(1000);
    keeli_reader a = { .last = 0, .name = "a" }, b = { .last = 0, .name = "b" };
    assert_non_null(keeli_queue_join(&gone, &memory.heap, &a, false));
    assert_non_null(keeli_queue_join(&gone, &memory.heap, &a, false)); // once is enough
    assert_non_null(keeli_queue_join(&gone, &memory.heap, &b, false));
    for (uint32_t i = 0; i < 10; ++i)
        (void)append(i + 1, i, i % 2);
    a.last = 4;
    keeli_queue_drop_passed(&gone);
    assert_int_equal(gone.count, 10); // b has not
    b.last = 6;
    keeli_queue_drop_passed(&gone);
    assert_int_equal(gone.count, 6);
    assert_int_equal(alive, 3);
    gone.world_reads = true; // from now on the world counts too
    a.last = b.last = 10;
    keeli_queue_drop_passed(&gone);
    assert_int_equal(gone.count, 6);
    gone.cleared[true] = 10;
    keeli_queue_drop_passed(&gone);
    assert_int_equal(gone.count, 6); // the first is a removal
    gone.cleared[false] = 8;
    keeli_queue_drop_passed(&gone);
    assert_int_equal(gone.count, 2);
    keeli_queue_leave(&gone, &a);
    keeli_queue_leave(&gone, &b);
    keeli_queue_leave(&gone, &b);
    end();
}

static void who_holds_it_up_is_told_once(void **state) {
    (void)state;
    begin(4);
    keeli_reader sleeper = { .last = 0, .name = "sleeper" }, quick = { .last = 0, .name = "quick" };
    assert_non_null(keeli_queue_join(&gone, &memory.heap, &sleeper, false));
    assert_non_null(keeli_queue_join(&gone, &memory.heap, &quick, false));
    uint32_t told = 0;
    for (uint32_t i = 0; i < 20; ++i) {
        const char *late = append(i + 1, i, true);
        if (late) assert_ptr_equal(late, sleeper.name);
        told += late != NULL;
        quick.last = i + 1;
    }
    assert_int_equal(told, 1);
    assert_int_equal(missed(&sleeper), 16);
    assert_int_equal(missed(&quick), 0);
    sleeper.last = 20; // it woke up
    assert_int_equal(missed(&sleeper), 0);
    end();
}

static void values_survive_growth(void **state) {
    (void)state;
    begin(10000);
    keeli_reader reader = { .last = 0, .name = "reader" };
    assert_non_null(keeli_queue_join(&gone, &memory.heap, &reader, false));
    uint32_t first = 0, next = 0;
    for (uint32_t round = 0; round < 60; ++round) { // the ring turns while it grows
        for (uint32_t i = 0; i < round * 3; ++i, ++next)
            (void)append(next + 1, next, true);
        first += (next - first) / 2;
        reader.last = first;
        keeli_queue_drop_passed(&gone);
        assert_int_equal(gone.count, next - first);
        for (uint32_t i = 0; i < gone.count; ++i)
            assert_int_equal(value_at(i), first + i);
    }
    keeli_queue_set_limit(&gone, 5);
    assert_int_equal(gone.count, 5);
    assert_int_equal(value_at(4), next - 1);
    end();
}

static void room_is_made_before(void **state) {
    (void)state;
    begin(100);
    counting_allocator_fail_after(&memory.memory, 1);
    assert_false(keeli_queue_reserve(&gone, &memory.heap, 20, NULL));
    counting_allocator_never_fail(&memory.memory);
    assert_true(keeli_queue_reserve(&gone, &memory.heap, 20, NULL));
    counting_allocator_fail_after(&memory.memory, 0);
    for (uint32_t i = 0; i < 20; ++i) {
        ++alive;
        const char *late;
        (void)keeli_queue_push_removed(&gone, &(keeli_removed){ keel_null(), i + 1, true }, &i,
                                       &late);
    }
    counting_allocator_never_fail(&memory.memory);
    assert_int_equal(gone.count, 20);
    end();
}

static const struct CMUnitTest tests[] = {
    TEST(nobody_passes, "a full log drops the oldest and counts what was missed"),
    TEST(all_pass, "an entry goes when every reader has passed it"),
    TEST(who_holds_it_up_is_told_once, "who holds the log up is told once"),
    TEST(values_survive_growth, "values stay what they are while the log grows and turns"),
    TEST(room_is_made_before, "appending needs no memory after a reserve"),
};

int main(void) { return RUN(tests); }
