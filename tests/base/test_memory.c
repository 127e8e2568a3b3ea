// SPDX-License-Identifier: MIT
// A world's memory: alignment, what is live, failure, and the lock while a world is shared.
#include "base/memory.h"

#include "support/data_fixture.h"
#include "support/test.h"

#include <pthread.h>
#include <string.h>

static bool is_aligned(const void *block, size_t align) {
    return block && ((uintptr_t)block & (align - 1)) == 0;
}

static void fill(unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; ++i)
        bytes[i] = (unsigned char)(i * 31u + 7u);
}

static bool is_filled(const unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; ++i)
        if (bytes[i] != (unsigned char)(i * 31u + 7u)) return false;
    return true;
}

// ------------------------------------------------------------------ alignment and contents
// A block of each alignment grows and shrinks, keeps its bytes and stays aligned.
static void resize_a_block(keeli_heap *heap, size_t align) {
    const size_t sizes[] = { 1, 100, 5000, 65536, 300, 7 };
    unsigned char *block = NULL;
    size_t have = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        block = keeli_resize(heap, block, have, sizes[i], align);
        assert_true(is_aligned(block, align));
        assert_true(is_filled(block, have < sizes[i] ? have : sizes[i]));
        have = sizes[i];
        fill(block, have);
        assert_int_equal(heap->live, have);
    }
    keeli_free(heap, block, have, align);
    assert_int_equal(heap->live, 0);
}

static void blocks_keep_alignment_and_bytes(void **state) {
    (void)state;
    test_heap t;
    test_heap_init(&t);
    for (size_t align = 1; align <= 4096; align *= 2)
        resize_a_block(&t.heap, align);
    test_heap_deinit(&t);
}

static void the_system_allocator_does_the_same(void **state) {
    (void)state;
    keeli_heap heap;
    keeli_heap_init(&heap, (keel_allocator){ 0 });
    for (size_t align = 1; align <= 4096; align *= 2)
        resize_a_block(&heap, align);
    assert_int_equal(heap.live, 0);
    keeli_heap_deinit(&heap);
}

static void zeroed_blocks_are_zero(void **state) {
    (void)state;
    test_heap t;
    test_heap_init(&t);
    unsigned char *block = keeli_new_zeroed(&t.heap, 3000, 64);
    for (size_t i = 0; i < 3000; ++i)
        assert_int_equal(block[i], 0);
    keeli_free(&t.heap, block, 3000, 64);
    uint64_t *number = KEELI_NEW(&t.heap, uint64_t);
    assert_true(*number == 0);
    KEELI_FREE(&t.heap, uint64_t, number);
    test_heap_deinit(&t);
}

// ------------------------------------------------------------------ what is live
static void nothing_is_asked_for_no_bytes(void **state) {
    (void)state;
    test_heap t;
    test_heap_init(&t);
    assert_null(keeli_new(&t.heap, 0, 8));
    assert_null(keeli_new_zeroed(&t.heap, 0, 8));
    assert_null(keeli_resize(&t.heap, NULL, 0, 0, 8));
    keeli_free(&t.heap, NULL, 0, 8);
    keeli_free(&t.heap, NULL, 100, 8);
    keeli_free_text(&t.heap, NULL);
    assert_int_equal(t.memory.calls, 0);
    test_heap_deinit(&t);
}

static void live_is_the_sum_of_all_blocks(void **state) {
    (void)state;
    test_heap t;
    test_heap_init(&t);
    void *a = keeli_new(&t.heap, 10, 1), *b = keeli_new(&t.heap, 100, 64);
    assert_int_equal(t.heap.live, 110);
    a = keeli_resize(&t.heap, a, 10, 1000, 1);
    assert_int_equal(t.heap.live, 1100);
    a = keeli_resize(&t.heap, a, 1000, 1, 1);
    assert_int_equal(t.heap.live, 101);
    assert_null(keeli_resize(&t.heap, a, 1, 0, 1));
    assert_int_equal(t.heap.live, 100);
    assert_int_equal(t.memory.live_bytes, 100);
    keeli_free(&t.heap, b, 100, 64);
    test_heap_deinit(&t);
}

static void texts_are_copies(void **state) {
    (void)state;
    test_heap t;
    test_heap_init(&t);
    char text[] = "position";
    char *copy = keeli_new_text(&t.heap, text), *empty = keeli_new_text(&t.heap, "");
    text[0] = 'x';
    assert_string_equal(copy, "position");
    assert_string_equal(empty, "");
    assert_int_equal(t.heap.live, sizeof text + 1);
    keeli_free_text(&t.heap, copy);
    keeli_free_text(&t.heap, empty);
    test_heap_deinit(&t);
}

// ------------------------------------------------------------------ failure
static void failed_growth_leaves_the_block(void **state) {
    (void)state;
    test_heap t;
    test_heap_init(&t);
    unsigned char *block = keeli_new(&t.heap, 100, 64);
    fill(block, 100);
    counting_allocator_fail_after(&t.memory, 0);
    assert_null(keeli_resize(&t.heap, block, 100, 200, 64));
    assert_null(keeli_new(&t.heap, 1, 1));
    assert_null(keeli_new_zeroed(&t.heap, 1, 1));
    assert_null(keeli_new_text(&t.heap, "text"));
    assert_int_equal(t.heap.live, 100);
    assert_true(is_filled(block, 100));
    keeli_free(&t.heap, block, 100, 64);
    test_heap_deinit(&t);
}

static void freeing_and_shrinking_never_fail(void **state) {
    (void)state;
    test_heap t;
    test_heap_init(&t);
    void *block = keeli_new(&t.heap, 100, 64);
    counting_allocator_fail_after(&t.memory, 0);
    block = keeli_resize(&t.heap, block, 100, 50, 64);
    assert_non_null(block);
    keeli_free(&t.heap, block, 50, 64);
    test_heap_deinit(&t);
}

// Sanitizers stop the program at a request that no machine can serve.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { is_sanitized = true };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { is_sanitized = true };
#else
enum { is_sanitized = false };
#endif
#else
enum { is_sanitized = false };
#endif

static void the_system_allocator_fails_by_null(void **state) {
    (void)state;
    if (is_sanitized) skip();
    // More than any machine gives; with 64-bit sizes still positive, which valgrind asks for.
    const size_t too_much = sizeof(size_t) > 4 ? SIZE_MAX / 4 : SIZE_MAX / 2 + 1;
    keeli_heap heap;
    keeli_heap_init(&heap, (keel_allocator){ 0 });
    for (size_t align = 8; align <= 64; align *= 8) {
        unsigned char *block = keeli_new(&heap, 100, align);
        fill(block, 100);
        assert_null(keeli_resize(&heap, block, 100, too_much, align));
        assert_null(keeli_new(&heap, too_much, align));
        assert_int_equal(heap.live, 100);
        assert_true(is_filled(block, 100));
        keeli_free(&heap, block, 100, align);
    }
    keeli_heap_deinit(&heap);
}

// ------------------------------------------------------------------ several threads
// The counting allocator has no lock of its own, so the heap must take turns.
static void *allocate_and_free(void *data) {
    keeli_heap *heap = data;
    void *blocks[16] = { NULL };
    for (int round = 0; round < 500; ++round)
        for (size_t i = 0; i < 16; ++i) {
            if (blocks[i]) keeli_free(heap, blocks[i], i + 1, 8);
            blocks[i] = keeli_new(heap, i + 1, 8);
        }
    for (size_t i = 0; i < 16; ++i)
        keeli_free(heap, blocks[i], i + 1, 8);
    return NULL;
}

static void a_shared_heap_serialises_its_calls(void **state) {
    (void)state;
    test_heap t;
    test_heap_init(&t);
    t.heap.shared = true;
    pthread_t threads[4];
    for (size_t i = 0; i < 4; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, allocate_and_free, &t.heap), 0);
    for (size_t i = 0; i < 4; ++i)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(t.memory.calls, 4 * 500 * 16 * 2);
    test_heap_deinit(&t);
}

static const struct CMUnitTest tests[] = {
    TEST(blocks_keep_alignment_and_bytes,
         "a resized block keeps its bytes and every alignment to 4096"),
    TEST(the_system_allocator_does_the_same,
         "without an allocator of the user's, malloc's blocks are aligned and counted too"),
    TEST(zeroed_blocks_are_zero, "a zeroed block is zero"),
    TEST(nothing_is_asked_for_no_bytes, "no bytes: NULL, and the allocator is not called"),
    TEST(live_is_the_sum_of_all_blocks, "live is the sum of all blocks"),
    TEST(texts_are_copies, "a text is a copy of its own"),
    TEST(failed_growth_leaves_the_block, "a failed growth leaves the block and the count alone"),
    TEST(freeing_and_shrinking_never_fail, "freeing and shrinking work while memory is out"),
    TEST(the_system_allocator_fails_by_null, "malloc's failure is NULL, the block stays"),
    TEST(a_shared_heap_serialises_its_calls, "a shared heap calls its allocator from one thread "
                                             "at a time"),
};

int main(void) { return RUN(tests); }
