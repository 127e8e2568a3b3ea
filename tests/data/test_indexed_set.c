// SPDX-License-Identifier: MIT
#include "data/indexed_set.h"

#include "data/presence.h"

#include "support/data_fixture.h"
#include "support/test.h"

#include <string.h>

static test_heap memory, owners_memory;
static keeli_indexed_set set;
static keeli_presence owners_bits; // who has a value: the owner tells which blocks begin and end

static void begin(uint32_t size, uint32_t align) {
    test_heap_init(&memory);
    test_heap_init(&owners_memory);
    keeli_indexed_set_init(&set, size, align);
}

static void end(void) {
    assert_true(keeli_indexed_set_is_valid(&set));
    assert_int_equal(set.bytes, memory.heap.live);
    keeli_indexed_set_deinit(&set, &memory.heap);
    keeli_presence_deinit(&owners_bits, &owners_memory.heap);
    test_heap_deinit(&memory);
    test_heap_deinit(&owners_memory);
}

static void *add_reserved(uint32_t index) {
    assert_true(keeli_presence_reserve(&owners_bits, &owners_memory.heap, index));
    if (keeli_presence_set(&owners_bits, index)) keeli_indexed_set_block_began(&set, index);
    return keeli_indexed_set_add(&set, index);
}

static void *add(uint32_t index) {
    assert_true(keeli_indexed_set_reserve(&set, &memory.heap, index));
    return add_reserved(index);
}

static void remove_at(uint32_t index) {
    if (keeli_presence_clear(&owners_bits, index)) keeli_indexed_set_block_ended(&set, index);
    keeli_indexed_set_remove(&set, index);
}

static uint32_t per_page(void) { return (uint32_t)1 << set.root.shift; }

static uint32_t pages_with_memory(void) {
    uint32_t count = 0;
    for (uint32_t page = 0; page < set.page_count; ++page)
        count += set.pages[page] != NULL;
    return count;
}

static void pages_hold_32_kib_or_more(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    const uint32_t sizes[] = { 1, 2, 3, 4, 8, 12, 24, 64, 100, 512, 1000, 1024 };
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        begin(sizes[i], 1);
        assert_true((size_t)per_page() * sizes[i] >= 32768);
        assert_true(per_page() >= 64); // whole words of the bitmap
        end();
    }
}

static void values_lie_side_by_side_at_their_index(void **state) {
    (void)state;
    begin(12, 4);
    const uint32_t last = per_page() - 1;
    const char *first = add(0);
    assert_ptr_equal(add(1), first + 12);
    assert_ptr_equal(add(last), first + (size_t)last * 12);
    const char *next = add(last + 1); // the next page
    assert_ptr_equal(keeli_indexed_set_value(&set, last + 2), next + 12);
    assert_int_equal(pages_with_memory(), 2);
    end();
}

static void values_above_1_kib_have_a_page_each(void **state) {
    (void)state;
    begin(1028, 4);
    assert_int_equal(set.root.shift, 0);
    memset(add(0), 1, 1028);
    memset(add(5), 2, 1028);
    assert_int_equal(pages_with_memory(), 2);
    const size_t two = set.bytes;
    remove_at(0);
    remove_at(5);
    assert_int_equal(set.bytes, two); // spare ones
    keeli_indexed_set_trim(&set, &memory.heap);
    assert_int_equal(pages_with_memory(), 0);
    end();
}

static void a_page_is_spare_after_the_last_value_of_its_last_block(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    begin(8, 8);
    for (uint32_t i = 0; i < 128; ++i)
        (void)add(i);
    assert_int_equal(set.page_counts[0], 2);
    for (uint32_t i = 0; i < 127; ++i)
        remove_at(i);
    assert_int_equal(set.page_counts[0], 1);
    assert_int_equal(set.spare_count, 0);
    remove_at(127);
    assert_int_equal(set.spare_count, 1);
    assert_int_equal(set.page_counts[0], KEELI_SPARE_PAGE);
    end();
}

static void a_value_never_moves_while_it_lives(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    begin(8, 8);
    uint64_t *first = add(3);
    *first = 0x1234567890ABCDEFu;
    for (uint32_t i = 4; i < 300000; i += 61)
        *(uint64_t *)add(i) = i;
    (void)add(20000000);
    for (uint32_t i = 4; i < 300000; i += 61)
        remove_at(i);
    keeli_indexed_set_trim(&set, &memory.heap);
    assert_ptr_equal(keeli_indexed_set_value(&set, 3), first);
    assert_true(*first == 0x1234567890ABCDEFu);
    end();
}

static void alignments_to_4096_are_honoured(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    for (uint32_t align = 1; align <= 4096; align *= 2) {
        begin(align * 2, align);
        for (uint32_t i = 0; i < 3 * per_page(); i += 1 + per_page() / 3)
            assert_int_equal((uintptr_t)add(i) % align, 0);
        end();
    }
}

static void page_starts_are_coloured(void **state) {
    (void)state;
    begin(8, 8);
    uint32_t seen[64] = { 0 }, colours = 0;
    for (uint32_t page = 0; page < 64; ++page) {
        const uintptr_t start = (uintptr_t)add(page * per_page());
        assert_int_equal(start % 64, 0); // whole cache lines
        ++seen[start % 4096 / 64];
    }
    for (uint32_t c = 0; c < 64; ++c)
        colours += seen[c] != 0;
    assert_true(colours >= 16); // a page in 4 KiB has 64 lines to start at
    end();
    // two sets start at different lines for the same index, wherever the allocator puts pages
    static keeli_indexed_set sets[8];
    test_heap heap;
    test_heap_init(&heap);
    uint32_t offsets[8];
    for (uint32_t i = 0; i < 8; ++i) {
        keeli_indexed_set_init(&sets[i], 8, 8);
        assert_true(keeli_indexed_set_reserve(&sets[i], &heap.heap, 0));
        offsets[i] = (uint32_t)((uintptr_t)sets[i].pages[0] % 4096);
    }
    uint32_t different = 0;
    for (uint32_t i = 1; i < 8; ++i)
        different += offsets[i] != offsets[0];
    for (uint32_t i = 0; i < 8; ++i)
        keeli_indexed_set_deinit(&sets[i], &heap.heap);
    test_heap_deinit(&heap);
    assert_true(different > 0);
}

static void tags_take_no_memory(void **state) {
    (void)state;
    begin(0, 1);
    assert_non_null(add(0));
    assert_non_null(add(KEEL_MAX_ENTITY_INDEX));
    assert_non_null(keeli_indexed_set_value(&set, KEEL_MAX_ENTITY_INDEX));
    remove_at(0);
    assert_int_equal(memory.memory.calls, 0);
    end();
}

static void empty_pages_serve_those_that_are_needed(void **state) {
    (void)state;
    begin(8, 8);
    for (uint32_t page = 0; page < 10; ++page)
        (void)add(page * per_page());
    for (uint32_t page = 0; page < 10; ++page)
        remove_at((page * 7 % 10) * per_page());
    assert_int_equal(pages_with_memory(), 10);
    assert_int_equal(set.spare_count, 10);
    counting_allocator_fail_after(&memory.memory, 0);
    (void)add(3 * per_page()); // its own again
    for (uint32_t page = 10; page < set.capacity; ++page)
        (void)add(page * per_page()); // those of others
    counting_allocator_never_fail(&memory.memory);
    assert_true(keeli_indexed_set_is_valid(&set));
    assert_int_equal(pages_with_memory(), 10);
    keeli_indexed_set_trim(&set, &memory.heap);
    assert_int_equal(pages_with_memory(), set.capacity - 10 + 1);
    assert_int_equal(set.spare_count, 0);
    end();
}

static void a_page_that_comes_and_goes_costs_no_allocation(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    begin(8, 8);
    (void)add(0);
    (void)add(per_page());
    (void)add(2 * per_page());
    remove_at(per_page());
    remove_at(2 * per_page());
    const size_t calls = memory.memory.calls;
    for (uint32_t i = 0; i < 100; ++i) { // also when pages take turns
        *(uint64_t *)add((1 + i % 7) * per_page() / 2 + per_page()) = i;
        remove_at((1 + i % 7) * per_page() / 2 + per_page());
    }
    assert_int_equal(memory.memory.calls, calls);
    end();
}

static void a_page_that_was_promised_is_not_given_away(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    begin(8, 8);
    (void)add(0);
    (void)add(per_page());
    remove_at(per_page());
    assert_int_equal(set.spare_count, 1);
    assert_true(keeli_indexed_set_reserve(&set, &memory.heap, per_page())); // promised
    assert_true(keeli_indexed_set_reserve(&set, &memory.heap, 5 * per_page()));
    remove_at(0);
    assert_int_equal(set.spare_count, 1); // a new one: the promised page stays
    assert_true(keeli_indexed_set_reserve(&set, &memory.heap, 6 * per_page()));
    counting_allocator_fail_after(&memory.memory, 0);
    *(uint64_t *)add_reserved(per_page()) = 1;
    *(uint64_t *)add_reserved(5 * per_page()) = 2;
    assert_true(keeli_indexed_set_is_valid(&set));
    end();
}

static void clearing_keeps_pages(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    begin(8, 8);
    for (uint32_t i = 0; i < 10 * per_page(); i += 3)
        *(uint64_t *)add(i) = i;
    keeli_indexed_set_clear(&set);
    keeli_presence_reset(&owners_bits);
    assert_int_equal(pages_with_memory(), 10);
    assert_int_equal(set.spare_count, 10);
    assert_true(keeli_indexed_set_is_valid(&set));
    (void)add(5);
    assert_int_equal(set.spare_count, 9);
    end();
}

// Of one block: all on one page, or a page each.
static void values_of_a_block_go_together(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    const uint32_t sizes[] = { 0, 8, 1024, 2000 };
    for (uint32_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        begin(sizes[k], 8);
        for (uint32_t i = 0; i < 4; ++i)
            (void)add(64 + i * 3);
        keeli_indexed_set_remove_bits(&set, 64, 1u | 1u << 6 | 1u << 9);
        assert_true(keeli_indexed_set_is_valid(&set));
        keeli_indexed_set_remove_bits(&set, 64, 1u << 3);
        keeli_indexed_set_block_ended(&set, 64);
        assert_int_equal(set.spare_count, pages_with_memory());
        end();
    }
}

static void blocks_of_64_are_copied(void **state) {
    (void)state;
    const uint32_t sizes[] = { 8, 1200, 0 }; // 1200: a page each
    for (uint32_t k = 0; k < 3; ++k) {
        begin(sizes[k], sizes[k] ? 4 : 1);
        keeli_indexed_set copy;
        keeli_indexed_set_init(&copy, sizes[k], set.align);
        const uint64_t bits[] = { UINT64_MAX, 0, 0x8000000000000001u, 0xF0F0 };
        for (uint32_t i = 0; i < 256; ++i)
            if (bits[i / 64] >> (i % 64) & 1) {
                memset(add(i), (int)(i + 1), sizes[k]);
                assert_true(keeli_indexed_set_reserve(&copy, &memory.heap, i));
            }
        for (uint32_t w = 0; w < 4; ++w) {
            keeli_indexed_set_copy(&copy, &set, w * 64, bits[w]);
            if (bits[w]) keeli_indexed_set_block_began(&copy, w * 64);
        }
        assert_true(keeli_indexed_set_is_valid(&copy));
        for (uint32_t i = 0; i < 256; ++i)
            if (bits[i / 64] >> (i % 64) & 1)
                assert_memory_equal(keeli_indexed_set_value(&copy, i),
                                    keeli_indexed_set_value(&set, i), sizes[k]);
        for (uint32_t page = 0; page < copy.page_count; ++page)
            assert_int_equal(copy.page_counts[page], set.page_counts[page]);
        if (sizes[k]) keeli_indexed_set_deinit(&copy, &memory.heap);
        end();
    }
}

static void a_reserve_without_memory_changes_nothing(void **state) {
    (void)state;
    begin(16, 16);
    memset(add(1), 0x5A, 16);
    const uint32_t target = 30 * per_page(); // the tables grow too
    for (size_t allowed = 0;; ++allowed) {
        counting_allocator_fail_after(&memory.memory, allowed);
        const bool ok = keeli_indexed_set_reserve(&set, &memory.heap, target);
        counting_allocator_never_fail(&memory.memory);
        assert_true(keeli_indexed_set_is_valid(&set));
        assert_int_equal(set.bytes, memory.heap.live);
        assert_int_equal(*(const unsigned char *)keeli_indexed_set_value(&set, 1), 0x5A);
        if (ok) break;
        assert_true(allowed < 10);
    }
    end();
}

static void faults_are_noticed(void **state) {
    (void)state;
    begin(8, 8);
    (void)add(0);
    (void)add(per_page());
    remove_at(per_page());
    assert_true(keeli_indexed_set_is_valid(&set));
    set.spare_count = 2;
    assert_false(keeli_indexed_set_is_valid(&set));
    set.spare_count = 1;
    set.first_spare = 2; // the spare page is before it
    assert_false(keeli_indexed_set_is_valid(&set));
    set.first_spare = 0;
    set.page_counts[0] = per_page() + 1;
    assert_false(keeli_indexed_set_is_valid(&set));
    set.page_counts[0] = 1;
    void *page = set.pages[0];
    set.pages[0] = NULL; // counted, but not there
    assert_false(keeli_indexed_set_is_valid(&set));
    set.pages[0] = (char *)page + 4; // not aligned
    assert_false(keeli_indexed_set_is_valid(&set));
    set.pages[0] = page;
    set.root.pages = NULL;
    assert_false(keeli_indexed_set_is_valid(&set));
    set.root.pages = set.pages;
    ++set.bytes;
    assert_false(keeli_indexed_set_is_valid(&set));
    --set.bytes;
    end();
}

static const struct CMUnitTest tests[] = {
    TEST(pages_hold_32_kib_or_more, "Pages hold 32 KiB or more, and whole words of bits"),
    TEST(values_lie_side_by_side_at_their_index, "Values lie side by side at their index"),
    TEST(values_above_1_kib_have_a_page_each, "Values above 1 KiB have a page each"),
    TEST(a_page_is_spare_after_the_last_value_of_its_last_block,
         "A page is spare after the last value of its last block"),
    TEST(a_value_never_moves_while_it_lives, "A value never moves while it lives"),
    TEST(alignments_to_4096_are_honoured, "Alignments to 4096 are honoured"),
    TEST(page_starts_are_coloured, "Page starts are coloured"),
    TEST(tags_take_no_memory, "Tags take no memory"),
    TEST(empty_pages_serve_those_that_are_needed, "Empty pages serve those that are needed"),
    TEST(a_page_that_comes_and_goes_costs_no_allocation,
         "A page that comes and goes costs no allocation"),
    TEST(a_page_that_was_promised_is_not_given_away, "A page that was promised is not given away"),
    TEST(clearing_keeps_pages, "Clearing keeps pages for what comes next"),
    TEST(values_of_a_block_go_together, "Values of a block of 64 go together"),
    TEST(blocks_of_64_are_copied, "Blocks of 64 values are copied"),
    TEST(a_reserve_without_memory_changes_nothing, "A reserve that fails changes nothing"),
    TEST(faults_are_noticed, "Planted faults are noticed"),
};
int main(void) { return RUN(tests); }
