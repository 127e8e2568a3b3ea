// SPDX-License-Identifier: MIT
// A queue of events: what goes when, and what growing, cutting and limits do to it.
#include "data/queue.h"

#include "support/data_fixture.h"
#include "support/test.h"

static test_heap memory;
static keeli_queue queue;
static uint32_t alive; // values with an owner
static void drop(void *value, void *data) {
    (void)value, (void)data;
    --alive;
}
static keel_component type;

static void begin(uint32_t limit) {
    test_heap_init(&memory);
    type = (keel_component){ .size = 4, .align = 4, .limit = limit, .drop = drop };
    keeli_queue_init(&queue, &type, false);
    alive = 0;
}

static void end(void) {
    assert_true(keeli_queue_is_valid(&queue));
    keeli_queue_deinit(&queue, &memory.heap);
    assert_int_equal(alive, 0);
    test_heap_deinit(&memory);
}

static const char *late;
static bool push(uint32_t value) {
    const void *at = &value;
    assert_true(keeli_queue_reserve(&queue, &memory.heap, 1, &at));
    ++alive;
    const bool is_news = keeli_queue_push(&queue, at, &late);
    assert_true(keeli_queue_is_valid(&queue));
    assert_int_equal(alive, queue.count);
    return is_news;
}

static void assert_values(uint32_t first, uint32_t count) {
    assert_int_equal(queue.count, count);
    for (uint32_t i = 0; i < count; ++i)
        assert_int_equal(*(uint32_t *)keeli_queue_at(&queue, queue.begin + i), first + i);
}

static void values_survive_growth_at_any_place(void **state) {
    (void)state;
    for (uint32_t offset = 0; offset < 20; ++offset) {
        const keeli_reader me = { 0 };
        begin(0);
        keeli_queue_reader *reader = keeli_queue_join(&queue, &memory.heap, &me, true);
        uint32_t next = 0;
        for (; next < offset; ++next) {
            (void)push(next);
            reader->next = keeli_queue_end(&queue);
            keeli_queue_drop_passed(&queue);
        }
        for (; next < offset + 100; ++next) {
            (void)push(next);
            assert_values(offset, next + 1 - offset);
        }
        uint32_t seen = 0; // in runs of values side by side
        for (uint64_t at = queue.begin; at < keeli_queue_end(&queue);) {
            const uint32_t *values = keeli_queue_at(&queue, at);
            const uint32_t run = keeli_queue_range(&queue, at);
            for (uint32_t i = 0; i < run && at < keeli_queue_end(&queue); ++i, ++at, ++seen)
                assert_int_equal(values[i], offset + seen);
        }
        assert_int_equal(seen, 100);
        end();
    }
}

static void room_is_made_of_what_all_have_passed(void **state) {
    (void)state;
    const keeli_reader a = { .last = 0, .name = "a" }, b = { .last = 0, .name = "b" };
    begin(0);
    (void)keeli_queue_join(&queue, &memory.heap, &a, true);
    (void)keeli_queue_join(&queue, &memory.heap, &b, false);
    for (uint32_t i = 0; i < 1000; ++i) {
        assert_false(push(i));
        keeli_queue_find(&queue, &a)->next = i + 1;
        if (i % 10 != 9) continue;
        keeli_queue_find(&queue, &b)->next = i + 1;
        keeli_queue_drop_passed(&queue); // the end of a run
    }
    assert_int_equal(queue.capacity, 16);
    for (uint32_t i = 1000; i < 1020; ++i) // within one nothing goes
        assert_false(push(i));
    keeli_queue_find(&queue, &a)->next = keeli_queue_find(&queue, &b)->next = 1020;
    assert_false(push(1020));
    assert_int_equal(queue.count, 21);
    keeli_queue_find(&queue, &a)->next = 1021;
    keeli_queue_leave(&queue, &b);
    keeli_queue_drop_passed(&queue);
    assert_int_equal(queue.count, 0);
    assert_int_equal(queue.fresh, 1021);
    assert_null(keeli_queue_find(&queue, &b));
    assert_int_equal(keeli_queue_next(&queue, &b), 1021);
    keeli_queue_trim(&queue, &memory.heap, 0);
    assert_int_equal(queue.capacity, 0);
    end();
}

static void the_limit_names_each_once(void **state) {
    (void)state;
    const keeli_reader a = { .last = 0, .name = "a" }, b = { .last = 0, .name = "b" };
    begin(3);
    for (uint32_t i = 0; i < 3; ++i)
        assert_false(push(i));
    assert_true(push(3)); // nobody
    assert_null(late);
    assert_false(push(4));
    assert_values(2, 3);
    (void)keeli_queue_join(&queue, &memory.heap, &a, true);
    assert_int_equal(keeli_queue_next(&queue, &a), 0); // it has missed two
    (void)keeli_queue_join(&queue, &memory.heap, &b, true);
    keeli_queue_find(&queue, &b)->next = 4;
    assert_true(push(5));
    assert_string_equal(late, "a");
    assert_false(push(6)); // b had passed 3
    assert_true(push(7));
    assert_string_equal(late, "b");
    assert_false(push(8));
    (void)keeli_queue_join(&queue, &memory.heap, NULL, false);
    assert_true(push(9));
    assert_string_equal(late, "the world");
    assert_values(7, 3);
    keeli_queue_set_limit(&queue, 1);
    assert_values(9, 1);
    end();
}

static void the_latest_can_be_taken_back(void **state) {
    (void)state;
    begin(20);
    for (uint32_t i = 0; i < 15; ++i)
        (void)push(i);
    const uint64_t mark = keeli_queue_end(&queue);
    for (uint32_t i = 15; i < 19; ++i)
        (void)push(i);
    keeli_queue_cut(&queue, mark);
    assert_values(0, 15);
    assert_int_equal(alive, 15);
    for (uint32_t i = 0; i < 100; ++i) // all before it are pushed out
        (void)push(i);
    keeli_queue_cut(&queue, mark);
    assert_int_equal(queue.count, 0);
    assert_int_equal(alive, 0);
    end();
}

static void what_waits_is_what_systems_have_not_passed(void **state) {
    (void)state;
    const keeli_reader game = { 0 }, sound = { 0 };
    begin(0);
    (void)push(0);
    (void)push(1);
    assert_int_equal(keeli_queue_waiting(&queue), 0);
    (void)keeli_queue_join(&queue, &memory.heap, &sound, false);
    assert_int_equal(keeli_queue_waiting(&queue), 2);
    keeli_queue_join(&queue, &memory.heap, &game, true)->next = 1;
    assert_int_equal(keeli_queue_waiting(&queue), 1);
    keeli_queue_clear(&queue);
    assert_int_equal(alive, 0);
    assert_int_equal(keeli_queue_waiting(&queue), keeli_queue_end(&queue));
    end();
}

static void trimming_keeps_what_is_needed(void **state) {
    (void)state;
    begin(0);
    for (uint32_t i = 0; i < 100; ++i)
        (void)push(i);
    assert_int_equal(queue.capacity, 128);
    keeli_queue_cut(&queue, 20);
    counting_allocator_fail_after(&memory.memory, 0);
    keeli_queue_trim(&queue, &memory.heap, 10); // it takes memory to give some back
    counting_allocator_never_fail(&memory.memory);
    assert_int_equal(queue.capacity, 128);
    keeli_queue_trim(&queue, &memory.heap, 10);
    assert_int_equal(queue.capacity, 32);
    assert_values(0, 20);
    end();
}

static void queues_that_hold_nothing_are_compared(void **state) {
    (void)state;
    begin(0);
    keeli_queue other;
    keeli_queue_init(&other, &type, false);
    assert_true(keeli_queue_is_same(&queue, &other));
    other.dropped_tick = 1;
    assert_false(keeli_queue_is_same(&queue, &other));
    other.dropped_tick = 0;
    assert_true(keeli_queue_is_same(&queue, &other));
    uint64_t *figures[] = { &other.begin, &other.fresh };
    for (int i = 0; i < 2; ++i) {
        ++*figures[i];
        assert_false(keeli_queue_is_same(&queue, &other));
        --*figures[i];
    }
    keeli_reader reader = { .name = "a reader" };
    assert_non_null(keeli_queue_join(&queue, &memory.heap, &reader, false));
    keeli_queue_reader *joined = keeli_queue_join(&other, &memory.heap, &reader, false);
    assert_true(joined && keeli_queue_is_same(&queue, &other));
    ++joined->next;
    assert_false(keeli_queue_is_same(&queue, &other));
    --joined->next;
    ++joined->shown;
    assert_false(keeli_queue_is_same(&queue, &other));
    --joined->shown;
    push(1);
    assert_false(keeli_queue_is_same(&queue, &other)); // what is held is not looked at
    keeli_queue_deinit(&other, &memory.heap);
    end();
}

static const struct CMUnitTest tests[] = {
    TEST(values_survive_growth_at_any_place, "values survive growth, wherever the ring begins"),
    TEST(room_is_made_of_what_all_have_passed, "room is made of what all have passed first"),
    TEST(the_limit_names_each_once, "at the limit each that is late is named once"),
    TEST(the_latest_can_be_taken_back, "the latest events can be taken back"),
    TEST(trimming_keeps_what_is_needed, "trimming leaves room for what is held and to come"),
    TEST(what_waits_is_what_systems_have_not_passed, "what waits is what systems have not passed"),
    TEST(queues_that_hold_nothing_are_compared,
         "queues are the same that hold nothing and know as much"),
};

int main(void) { return RUN(tests); }
