// SPDX-License-Identifier: MIT
// Ticks against an array of numbers.
#include "data/ticks.h"

#include "support/data_fixture.h"
#include "support/test.h"

#include <stdlib.h>

enum { INDICES = 9000, BLOCKS = INDICES / 64 };

static test_heap memory;
static keeli_ticks ticks;
static uint32_t naive[INDICES]; // the tick of each; 0: never
static bool present[INDICES];

static void begin(void) {
    test_heap_init(&memory);
    ticks = (keeli_ticks){ 0 };
    for (uint32_t i = 0; i < INDICES; ++i) {
        naive[i] = 0;
        present[i] = false;
    }
    for (uint32_t i = 0; i < INDICES; i += KEELI_PAGE)
        assert_true(keeli_ticks_reserve(&ticks, &memory.heap, i));
    assert_true(keeli_ticks_reserve(&ticks, &memory.heap, INDICES - 1));
    assert_true(keeli_ticks_reserve_log(&ticks, &memory.heap, 1000));
}

static void end(void) {
    assert_true(keeli_ticks_are_valid(&ticks));
    assert_int_equal(ticks.bytes, memory.heap.live);
    keeli_ticks_deinit(&ticks, &memory.heap);
    test_heap_deinit(&memory);
}

static void windows(void **state) {
    (void)state;
    assert_true(keeli_is_within(keeli_tick_range_of(0, 10), 5));
    assert_false(keeli_is_within(keeli_tick_range_of(0, 10), 11));
    assert_false(keeli_is_within(keeli_tick_range_of(2, 0), 1));
    assert_false(keeli_is_within(keeli_tick_range_of(1, 0), 1));
    assert_true(keeli_is_within(keeli_tick_range_of(0, 1), 1));
    assert_false(keeli_is_within(keeli_tick_range_of(0, UINT32_MAX), 0)); // never
    assert_true(keeli_is_within(keeli_tick_range_of(0, UINT32_MAX), UINT32_MAX));
    assert_false(keeli_is_within(keeli_tick_range_of(7, 7), 7));
}

static uint64_t seed;
static uint32_t next_random(uint32_t limit) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % limit;
}

// Each index that is there has the tick it should have, in both ways of asking; the log has each
// change once.
static void compare(uint32_t last, uint32_t now) {
    const keeli_tick_range w = keeli_tick_range_of(last, now);
    static bool logged[INDICES];
    uint32_t count, changed = 0;
    for (uint32_t i = 0; i < INDICES; ++i) {
        if (present[i]) assert_int_equal(keeli_ticks_get(&ticks, i), naive[i]);
        logged[i] = false;
    }
    for (uint32_t b = 0; b < BLOCKS; ++b) {
        uint64_t there = 0, expected = 0;
        for (uint32_t i = 0; i < 64; ++i) {
            const uint32_t index = b * 64 + i;
            there |= (uint64_t)present[index] << i;
            expected |= (uint64_t)(present[index] && naive[index] > last) << i;
        }
        assert_int_equal(keeli_ticks_bits(&ticks, b, w, there), expected);
        if (expected) assert_true(keeli_ticks_page_may_match(&ticks, b / 64, w));
    }
    if (!keeli_ticks_log_since(&ticks, last, &count)) return;
    for (uint32_t i = 0; i < count; ++i) {
        const keeli_change c = ticks.log[ticks.log_count - count + i];
        if (!present[c.index] || keeli_ticks_get(&ticks, c.index) != c.tick) continue;
        assert_false(logged[c.index]);
        logged[c.index] = true;
    }
    for (uint32_t i = 0; i < INDICES; ++i)
        if (present[i]) changed += (naive[i] > last) != logged[i];
    assert_int_equal(changed, 0);
}

static void add(uint32_t from, uint32_t count) {
    if (count == 1) keeli_ticks_reset(&ticks, from);
    else keeli_ticks_reset_range(&ticks, from, count);
    for (uint32_t i = from; i < from + count; ++i) {
        present[i] = true;
        naive[i] = 0;
    }
}

static void mark(uint32_t index, uint32_t tick, bool quietly) {
    if (!present[index]) return;
    if (quietly) keeli_ticks_mark_unlogged(&ticks, index, tick);
    else keeli_ticks_mark(&ticks, index, tick);
    naive[index] = tick;
}

static void mark_whole(uint32_t how, uint32_t tick) {
    const uint32_t b = next_random(BLOCKS), n = how ? 1 + next_random(4) : BLOCKS;
    const uint32_t first = how ? b : 0, last = first + n < BLOCKS ? first + n : BLOCKS;
    if (how == 0) keeli_ticks_mark_all(&ticks, tick);
    else if (how == 1) keeli_ticks_mark_range(&ticks, first * 64, (last - first) * 64, tick);
    else
        for (uint32_t k = first; k < last; ++k) {
            uint64_t bits = 0;
            for (uint32_t i = 0; i < 64; ++i)
                bits |= (uint64_t)present[k * 64 + i] << i;
            keeli_ticks_mark_bits(&ticks, k, bits, tick);
        }
    const uint32_t end_index = how ? last * 64 : INDICES;
    for (uint32_t i = first * 64; i < end_index; ++i)
        if (present[i]) naive[i] = tick;
}

static void any_marks(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    for (seed = 1; seed <= test_rounds(18) + 1; ++seed) {
        const uint64_t from = seed;
        begin();
        uint32_t now = from % 2 ? 1 : UINT32_MAX - 200000; // near the end of what 32 bits hold
        uint32_t readers[3] = { 0, 0, 0 };
        for (uint32_t i = 0; i < 4000; ++i) {
            const uint32_t roll = next_random(100), index = next_random(INDICES);
            if (roll < 20) add(index, 1);
            else if (roll < 22) add(index, 1 + next_random(INDICES - index < 300 ? 1 : 300));
            else if (roll < 27) present[index] = false;
            else if (roll < 80) mark(index, now, false);
            else if (roll < 84) mark(index, now, true);
            else if (roll < 86) mark_whole(next_random(3), now);
            else if (roll < 97) ++now;
            else {
                const uint32_t r = next_random(3);
                compare(readers[r], now);
                readers[r] = now++;
            }
        }
        seed = from;
        end();
    }
}

// The base rises: who was seen stays seen, who was not stays unseen, by readers in the upper half.
// Blocks that were marked as a whole sink with the base, too.
static void whole_blocks_are_rebased(void **state) {
    (void)state;
    begin();
    keeli_ticks_mark_range(&ticks, 0, 128, 1000);
    keeli_ticks_rebase(&ticks, 600);
    assert_true(keeli_ticks_are_valid(&ticks));
    for (uint32_t i = 0; i < 128; ++i)
        assert_int_equal(keeli_ticks_get(&ticks, i), 400);
    assert_int_equal(keeli_ticks_bits(&ticks, 0, keeli_tick_range_of(500, 1200), UINT64_MAX), 0);
    end();
}

static void rebased(void **state) {
    (void)state;
    begin();
    add(0, 200);
    const uint32_t half = 0x80000000u;
    mark(0, 5, false);
    mark(1, half - 1, false);
    mark(2, half, false);
    mark(3, half + 1, false);
    mark(4, half + 2, false);
    mark(5, UINT32_MAX - 1, false);
    keeli_ticks_rebase(&ticks, half);
    const uint32_t after[] = { 1, 1, 1, 1, 2, UINT32_MAX - 1 - half };
    for (uint32_t i = 0; i < 6; ++i)
        naive[i] = after[i];
    compare(0, UINT32_MAX);
    compare(1, UINT32_MAX);
    compare(2, UINT32_MAX);
    mark(6, half, false);
    mark(0, half, false);
    compare(2, half);
    end();
}

static void out_of_memory(void **state) {
    (void)state;
    test_heap_init(&memory);
    ticks = (keeli_ticks){ 0 };
    counting_allocator_fail_after(&memory.memory, 0);
    assert_false(keeli_ticks_reserve(&ticks, &memory.heap, 70000));
    assert_false(keeli_ticks_reserve_log(&ticks, &memory.heap, 1));
    counting_allocator_fail_after(&memory.memory, 1);
    assert_false(keeli_ticks_reserve(&ticks, &memory.heap, 70000));
    assert_int_equal(keeli_ticks_get(&ticks, 70000), 0);
    counting_allocator_never_fail(&memory.memory);
    assert_true(keeli_ticks_reserve(&ticks, &memory.heap, 70000));
    keeli_ticks_mark(&ticks, 70000, 3); // without a log
    assert_int_equal(keeli_ticks_get(&ticks, 70000), 3);
    uint32_t count;
    assert_false(keeli_ticks_log_since(&ticks, 2, &count));
    assert_true(keeli_ticks_log_since(&ticks, 3, &count));
    end();
}

static const struct CMUnitTest tests[] = {
    // proves S-81
    TEST(windows, "the port kit's windows: (last, now]"),
    TEST(any_marks, "ticks are those of an array of numbers, whatever is marked and how"),
    TEST(whole_blocks_are_rebased, "what was marked as a whole block sinks with the base"),
    TEST(rebased, "the base rises without losing or inventing a change"),
    TEST(out_of_memory, "out of memory: nothing is changed"),
};

int main(void) { return RUN(tests); }
