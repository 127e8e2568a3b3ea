// SPDX-License-Identifier: MIT
#include "data/presence.h"

#include "support/data_fixture.h"
#include "support/test.h"

#include <string.h>

static test_heap memory;
static keeli_presence bits;

static void begin(void) {
    test_heap_init(&memory);
    bits = (keeli_presence){ 0 };
}

static void end(void) {
    assert_true(keeli_presence_is_valid(&bits));
    assert_int_equal(bits.bytes, memory.heap.live);
    keeli_presence_deinit(&bits, &memory.heap);
    test_heap_deinit(&memory);
}

static bool set(uint32_t index) {
    assert_true(keeli_presence_reserve(&bits, &memory.heap, index));
    return keeli_presence_set(&bits, index);
}

// Indices around every boundary: words, pages, words of the summary, the last index there is.
static const uint32_t edges[] = { 0,
                                  1,
                                  62,
                                  63,
                                  64,
                                  65,
                                  4094,
                                  4095,
                                  4096,
                                  4097,
                                  262142,
                                  262143,
                                  262144,
                                  262145,
                                  524288,
                                  16777215,
                                  16777216,
                                  KEEL_MAX_ENTITY_INDEX - 1,
                                  KEEL_MAX_ENTITY_INDEX };
enum { edge_count = sizeof edges / sizeof *edges };

static uint32_t used_edges(void) { // handles of 32 bits have fewer indices
    uint32_t count = 0;
    while (count < edge_count && edges[count] <= KEEL_MAX_ENTITY_INDEX &&
           (count == 0 || edges[count] > edges[count - 1]))
        ++count;
    return count;
}

static void an_empty_bitmap_has_nothing(void **state) {
    (void)state;
    begin();
    assert_false(keeli_presence_has(&bits, 0));
    assert_false(keeli_presence_has(&bits, UINT32_MAX));
    assert_true(keeli_presence_word(&bits, UINT32_MAX / 64) == 0);
    assert_int_equal(keeli_presence_next(&bits, 0), UINT32_MAX);
    assert_int_equal(keeli_presence_next_page(&bits, 0), UINT32_MAX);
    assert_int_equal(keeli_presence_last(&bits), UINT32_MAX);
    keeli_presence_reset(&bits);
    keeli_presence_trim(&bits, &memory.heap);
    assert_int_equal(memory.memory.calls, 0);
    end();
}

static void boundaries_are_kept_apart(void **state) {
    (void)state;
    begin();
    const uint32_t count = used_edges();
    for (uint32_t i = 0; i < count; ++i) {
        (void)set(edges[i]);
        assert_true(keeli_presence_is_valid(&bits));
        assert_int_equal(bits.count, i + 1);
        assert_int_equal(keeli_presence_last(&bits), edges[i]);
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; ++i) {
        assert_true(keeli_presence_has(&bits, edges[i]));
        at = keeli_presence_next(&bits, at);
        assert_int_equal(at, edges[i]);
        ++at;
    }
    assert_int_equal(keeli_presence_next(&bits, at), UINT32_MAX);
    for (uint32_t i = count; i--;) {
        assert_int_equal(keeli_presence_last(&bits), edges[i]);
        (void)keeli_presence_clear(&bits, edges[i]);
        assert_false(keeli_presence_has(&bits, edges[i]));
        assert_true(keeli_presence_is_valid(&bits));
    }
    assert_int_equal(bits.count, 0);
    end();
}

static void set_and_clear_tell_first_and_last_of_a_word(void **state) {
    (void)state;
    begin();
    assert_true(set(64));
    assert_false(set(127));
    assert_true(set(128));
    assert_true(set(63));
    assert_false(keeli_presence_clear(&bits, 64));
    assert_true(keeli_presence_clear(&bits, 127));
    assert_true(keeli_presence_clear(&bits, 63));
    assert_true(keeli_presence_clear(&bits, 128));
    end();
}

static void bits_of_a_word_are_cleared_together(void **state) {
    (void)state;
    begin();
    for (uint32_t i = 4096; i < 4096 + 64; i += 9)
        (void)set(i);
    assert_false(keeli_presence_clear_bits(&bits, 4096, 1u | 1u << 18));
    assert_int_equal(bits.count, 6);
    assert_false(keeli_presence_has(&bits, 4096 + 18));
    assert_true(keeli_presence_has(&bits, 4096 + 9));
    assert_true(keeli_presence_is_valid(&bits));
    assert_true(keeli_presence_clear_bits(&bits, 4096, keeli_presence_word(&bits, 64)));
    assert_int_equal(keeli_presence_next(&bits, 0), UINT32_MAX);
    end();
}

static void a_walk_skips_what_is_empty(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    begin();
    (void)set(5);
    (void)set(4096 * 70 + 9);
    (void)set(4096 * 130);
    assert_int_equal(keeli_presence_next_page(&bits, 0), 0);
    assert_int_equal(keeli_presence_next_page(&bits, 1), 70);
    assert_int_equal(keeli_presence_next_page(&bits, 70), 70);
    assert_int_equal(keeli_presence_next_page(&bits, 71), 130);
    assert_int_equal(keeli_presence_next_page(&bits, 131), UINT32_MAX);
    assert_int_equal(keeli_presence_next(&bits, 6), 4096 * 70 + 9);
    assert_int_equal(keeli_presence_next(&bits, 4096 * 70 + 10), 4096 * 130);
    end();
}

static void pages_come_when_used_and_go_when_trimmed(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    begin();
    (void)set(4096 * 9);
    const size_t one = bits.bytes;
    assert_ptr_equal(bits.root.pages[3], keeli_no_bits);
    (void)set(4096 * 3);
    assert_true(bits.bytes > one);
    (void)keeli_presence_clear(&bits, 4096 * 3);
    assert_ptr_not_equal(bits.root.pages[3], keeli_no_bits);
    keeli_presence_trim(&bits, &memory.heap);
    assert_ptr_equal(bits.root.pages[3], keeli_no_bits);
    assert_int_equal(bits.bytes, one);
    assert_true(keeli_presence_has(&bits, 4096 * 9));
    (void)set(4096 * 3 + 1); // a page that went can come back
    assert_int_equal(keeli_presence_next(&bits, 0), 4096 * 3 + 1);
    end();
}

static void growing_keeps_all_bits(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    begin();
    for (uint32_t page = 0; page < 200; ++page) // the tables grow
        (void)set(page * 4096 + page);
    for (uint32_t page = 0; page < 200; ++page)
        assert_true(keeli_presence_has(&bits, page * 4096 + page));
    assert_int_equal(bits.count, 200);
    assert_int_equal(bits.root.page_count, 200);
    assert_ptr_equal(bits.root.pages, bits.pages.table);
    end();
}

static void a_reset_keeps_the_memory(void **state) {
    (void)state;
    begin();
    for (uint32_t i = 0; i < 100000; i += 7)
        (void)set(i);
    const size_t bytes = bits.bytes, calls = memory.memory.calls;
    keeli_presence_reset(&bits);
    assert_int_equal(bits.count, 0);
    assert_int_equal(bits.bytes, bytes);
    assert_int_equal(keeli_presence_next(&bits, 0), UINT32_MAX);
    for (uint32_t i = 0; i < 100000; i += 3)
        (void)set(i);
    assert_int_equal(memory.memory.calls, calls);
    end();
}

static void a_copy_has_the_same_bits(void **state) {
    (void)state;
    begin();
    keeli_presence copy = { 0 };
    for (uint32_t i = 0; i < 900000; i += 1 + i / 3)
        (void)set(i);
    for (uint32_t i = 0; (i = keeli_presence_next(&bits, i)) != UINT32_MAX; ++i)
        assert_true(keeli_presence_reserve(&copy, &memory.heap, i));
    keeli_presence_assign(&copy, &bits);
    assert_true(keeli_presence_is_valid(&copy));
    assert_int_equal(copy.count, bits.count);
    for (uint32_t i = 0; i < 900000; ++i)
        assert_int_equal(keeli_presence_has(&copy, i), keeli_presence_has(&bits, i));
    keeli_presence_deinit(&copy, &memory.heap);
    end();
}

static void a_reserve_without_memory_changes_nothing(void **state) {
    (void)state;
    begin();
    (void)set(100);
    const uint32_t target = 4096 * 100;
    for (size_t allowed = 0;; ++allowed) {
        counting_allocator_fail_after(&memory.memory, allowed);
        const bool ok = keeli_presence_reserve(&bits, &memory.heap, target);
        counting_allocator_never_fail(&memory.memory);
        assert_true(keeli_presence_is_valid(&bits));
        assert_int_equal(bits.count, 1);
        assert_int_equal(bits.bytes, memory.heap.live);
        if (ok) break;
        assert_true(allowed < 10);
    }
    assert_true(set(target));
    end();
}

static void faults_are_noticed(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    begin();
    (void)set(10);
    (void)set(4096 * 65);
    assert_true(keeli_presence_is_valid(&bits));
    bits.root.pages[0][3] ^= 1; // a bit that nobody counted
    assert_false(keeli_presence_is_valid(&bits));
    bits.root.pages[0][3] ^= 1;
    ++bits.count;
    assert_false(keeli_presence_is_valid(&bits));
    --bits.count;
    bits.summary.items[0] ^= 1; // a page that is not empty is hidden
    assert_false(keeli_presence_is_valid(&bits));
    bits.summary.items[0] ^= 1 | 2; // an empty one is announced
    assert_false(keeli_presence_is_valid(&bits));
    bits.summary.items[0] ^= 2;
    bits.summary.items[1] ^= (uint64_t)1 << 63; // beyond the last page
    assert_false(keeli_presence_is_valid(&bits));
    bits.summary.items[1] ^= (uint64_t)1 << 63;
    uint64_t *const *pages = bits.root.pages;
    bits.root.pages = NULL;
    assert_false(keeli_presence_is_valid(&bits));
    bits.root.pages = pages;
    end();
}

static void random_bits_agree_with_a_plain_array(void **state) {
    (void)state;
    enum { size = 300000 };
    static bool plain[size];
    memset(plain, 0, sizeof plain);
    uint32_t seed = 1, count = 0;
    begin();
    for (uint32_t step = 0; step < 40000; ++step) {
        seed = seed * 1664525u + 1013904223u;
        const uint32_t i = (seed >> 4) % 97 ? (seed >> 8) % 5000 : (seed >> 8) % size;
        if (plain[i]) (void)keeli_presence_clear(&bits, i);
        else (void)set(i);
        plain[i] = !plain[i];
        count += plain[i] ? 1u : UINT32_MAX;
    }
    uint32_t at = keeli_presence_next(&bits, 0);
    for (uint32_t i = 0; i < size; ++i) {
        assert_int_equal(keeli_presence_has(&bits, i), plain[i]);
        if (!plain[i]) continue;
        assert_int_equal(at, i);
        at = keeli_presence_next(&bits, at + 1);
    }
    assert_int_equal(at, UINT32_MAX);
    assert_int_equal(bits.count, count);
    end();
}

static const struct CMUnitTest tests[] = {
    TEST(an_empty_bitmap_has_nothing, "An empty bitmap has nothing and no memory"),
    TEST(boundaries_are_kept_apart, "Indices at 64, 4096, 262144 and the last one are kept apart"),
    TEST(set_and_clear_tell_first_and_last_of_a_word,
         "Setting and clearing tell the first and the last bit of a word"),
    TEST(bits_of_a_word_are_cleared_together, "Bits of a word are cleared together"),
    TEST(a_walk_skips_what_is_empty, "A walk skips pages that are empty"),
    TEST(pages_come_when_used_and_go_when_trimmed, "Pages come when used and go when trimmed"),
    TEST(growing_keeps_all_bits, "Growing keeps all bits"),
    TEST(a_reset_keeps_the_memory, "A reset keeps the memory"),
    TEST(a_copy_has_the_same_bits, "A copy has the same bits"),
    TEST(a_reserve_without_memory_changes_nothing, "A reserve that fails changes nothing"),
    TEST(faults_are_noticed, "Planted faults are noticed"),
    TEST(random_bits_agree_with_a_plain_array, "Random bits agree with a plain array"),
};
int main(void) { return RUN(tests); }
