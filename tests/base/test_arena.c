// SPDX-License-Identifier: MIT
// Memory that is given back all at once.
#include "base/arena.h"

#include "support/data_fixture.h"
#include "support/test.h"

#include <string.h>

typedef struct request {
    size_t size, align;
} request;

// Commands record such a mix: small ones, aligned ones, the largest value there is.
static const request mix[] = {
    { 1, 1 },      { 24, 8 }, { 3, 1 },       { 64, 64 },    { 4096, 4096 }, { 17, 16 },
    { 65536, 16 }, { 1, 1 },  { 16384, 1 },   { 16383, 8 },  { 8, 8 },       { 65536, 4096 },
    { 0, 1 },      { 40, 8 }, { 16385, 256 }, { 1000, 128 },
};
enum { mix_count = sizeof mix / sizeof *mix };

static unsigned char mark(size_t i) { return (unsigned char)(i * 37 + 1); }

static void take_mix(test_heap *t, keeli_arena *arena, unsigned char *out[mix_count]) {
    for (size_t i = 0; i < mix_count; ++i) {
        out[i] = keeli_arena_new(arena, &t->heap, mix[i].size, mix[i].align);
        assert_non_null(out[i]);
        assert_int_equal((uintptr_t)out[i] % mix[i].align, 0);
        memset(out[i], mark(i), mix[i].size);
    }
}

// No later value was written over an earlier one.
static void check_mix(unsigned char *const values[mix_count]) {
    for (size_t i = 0; i < mix_count; ++i)
        for (size_t at = 0; at < mix[i].size; ++at)
            assert_int_equal(values[i][at], mark(i));
}

static void values_are_aligned_and_apart(void **state) {
    (void)state;
    test_heap t;
    test_heap_init(&t);
    keeli_arena arena = { 0 };
    unsigned char *first[mix_count], *second[mix_count];
    take_mix(&t, &arena, first);
    take_mix(&t, &arena, second);
    check_mix(first);
    check_mix(second);
    assert_int_equal(arena.bytes, t.heap.live);
    keeli_arena_deinit(&arena, &t.heap);
    test_heap_deinit(&t);
}

static void small_values_share_a_block(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    test_heap t;
    test_heap_init(&t);
    keeli_arena arena = { 0 };
    for (int i = 0; i < 1000; ++i)
        assert_non_null(keeli_arena_new(&arena, &t.heap, 16, 8));
    assert_int_equal(t.memory.live_blocks, 1);
    keeli_arena_deinit(&arena, &t.heap);
    test_heap_deinit(&t);
}

static void a_warmed_up_arena_does_not_allocate(void **state) {
    (void)state;
    test_heap t;
    test_heap_init(&t);
    keeli_arena arena = { 0 };
    unsigned char *first[mix_count], *again[mix_count];
    take_mix(&t, &arena, first);
    const size_t calls = t.memory.calls;
    for (int round = 0; round < 3; ++round) {
        keeli_arena_reset(&arena);
        take_mix(&t, &arena, again);
        check_mix(again);
    }
    assert_int_equal(t.memory.calls, calls);
    for (size_t i = 0; i < mix_count; ++i)
        assert_ptr_equal(again[i], first[i]);
    keeli_arena_deinit(&arena, &t.heap);
    test_heap_deinit(&t);
}

// Rounds with other sizes reuse what is there; the arena does not grow for ever.
static void changing_rounds_settle(void **state) {
    (void)state;
    test_heap t;
    test_heap_init(&t);
    keeli_arena arena = { 0 };
    size_t settled = 0;
    for (uint32_t round = 0; round < 200; ++round) {
        keeli_arena_reset(&arena);
        for (uint32_t i = 0; i < 40; ++i)
            assert_non_null(
                keeli_arena_new(&arena, &t.heap, (round * 7919u + i * 104729u) % 30000u, 16));
        if (round == 99) settled = arena.bytes;
    }
    assert_true(arena.bytes <= settled + settled / 2);
    keeli_arena_deinit(&arena, &t.heap);
    test_heap_deinit(&t);
}

static void an_empty_arena_has_nothing_to_give_back(void **state) {
    (void)state;
    test_heap t;
    test_heap_init(&t);
    keeli_arena arena = { 0 };
    keeli_arena_reset(&arena);
    keeli_arena_deinit(&arena, &t.heap);
    assert_int_equal(t.memory.calls, 0);
    assert_non_null(keeli_arena_new(&arena, &t.heap, 0, 1));
    keeli_arena_deinit(&arena, &t.heap);
    assert_int_equal(arena.bytes, 0);
    assert_non_null(keeli_arena_new(&arena, &t.heap, 5, 1));
    keeli_arena_deinit(&arena, &t.heap);
    test_heap_deinit(&t);
}

static void failure_leaves_the_arena(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    test_heap t;
    test_heap_init(&t);
    keeli_arena arena = { 0 };
    counting_allocator_fail_after(&t.memory, 0);
    assert_null(keeli_arena_new(&arena, &t.heap, 1, 1));
    counting_allocator_never_fail(&t.memory);
    unsigned char *value = keeli_arena_new(&arena, &t.heap, 100, 4);
    memset(value, 9, 100);
    counting_allocator_fail_after(&t.memory, 0);
    assert_null(keeli_arena_new(&arena, &t.heap, 60000, 4));
    assert_non_null(keeli_arena_new(&arena, &t.heap, 100, 4)); // still fits
    for (int i = 0; i < 100; ++i)
        assert_int_equal(value[i], 9);
    counting_allocator_never_fail(&t.memory);
    assert_non_null(keeli_arena_new(&arena, &t.heap, 60000, 4));
    keeli_arena_deinit(&arena, &t.heap);
    test_heap_deinit(&t);
}

// Sums of such sizes would begin again at 0.
static void nothing_is_too_large_to_be_refused(void **state) {
    (void)state;
    test_heap t;
    test_heap_init(&t);
    keeli_arena arena = { 0 };
    for (int round = 0; round < 2; ++round) {
        counting_allocator_fail_after(&t.memory, 0); // sanitizers do not like to be asked so much
        for (size_t less = 0; less < 100; ++less) {
            assert_null(keeli_arena_new(&arena, &t.heap, SIZE_MAX - less, 16));
            assert_null(keeli_arena_new(&arena, &t.heap, less, SIZE_MAX / 2 + 1));
        }
        counting_allocator_never_fail(&t.memory);
        assert_non_null(keeli_arena_new(&arena, &t.heap, 100, 16)); // then with a block
    }
    keeli_arena_deinit(&arena, &t.heap);
    test_heap_deinit(&t);
}

static const struct CMUnitTest tests[] = {
    TEST(values_are_aligned_and_apart, "values are aligned to 4096 at most and do not overlap"),
    TEST(small_values_share_a_block, "small values share one block"),
    TEST(a_warmed_up_arena_does_not_allocate,
         "after a reset the same requests get the same places, without the allocator"),
    TEST(changing_rounds_settle, "rounds of other sizes settle on what is there"),
    TEST(an_empty_arena_has_nothing_to_give_back, "an empty arena can be reset and given back"),
    TEST(nothing_is_too_large_to_be_refused, "sizes and alignments beyond all memory are refused"),
    TEST(failure_leaves_the_arena, "a failed request leaves the arena usable"),
};

int main(void) { return RUN(tests); }
