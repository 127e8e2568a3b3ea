// SPDX-License-Identifier: MIT
// Where values lie: sizes from 0 to 64 KiB, alignments to 4096, pages of 64 KiB, and values above
// 1 KiB, each in memory of its own.
#include "data/sparse_set.h"

#include "support/data_fixture.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

typedef struct shape {
    uint32_t size, align;
    uint32_t per_page; // the largest power of two that fits into 64 KiB, to 16,384
} shape;

static const shape shapes[] = {
    { 1, 1, 16384 },   { 2, 2, 16384 },   { 3, 1, 16384 },  { 4, 4, 16384 },    { 5, 1, 8192 },
    { 8, 8, 8192 },    { 12, 4, 4096 },   { 16, 16, 4096 }, { 17, 1, 2048 },    { 64, 64, 1024 },
    { 100, 4, 512 },   { 128, 128, 512 }, { 1000, 8, 64 },  { 1023, 1, 64 },    { 1024, 1024, 64 },
    { 1024, 1, 64 },   { 1025, 1, 1 },    { 1028, 4, 1 },   { 2048, 2048, 1 },  { 4096, 4096, 1 },
    { 8192, 4096, 1 }, { 65535, 1, 1 },   { 65536, 64, 1 }, { 65536, 4096, 1 },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static uint32_t amount(const shape *s) { return s->per_page == 1 ? 20 : 2 * s->per_page + 3; }

static void begin(test_set *t, const shape *s) {
    const keel_component c = { .name = "Bytes", .size = s->size, .align = s->align };
    test_set_init(t, &c);
}

// Bytes that depend on the entity.
static unsigned char byte_of(uint32_t index, uint32_t i) {
    return (unsigned char)(index * 31 + i * 7 + (i >> 8));
}
static void *make(uint32_t size, uint32_t index) {
    unsigned char *value = malloc(size ? size : 1);
    assert_non_null(value);
    for (uint32_t i = 0; i < size; ++i)
        value[i] = byte_of(index, i);
    return value;
}

static void add(test_set *t, uint32_t index) {
    void *value = make(t->set.size, index);
    (void)test_set_add(t, index, value);
    free(value);
}

static void begin_full(test_set *t, const shape *s) {
    begin(t, s);
    for (uint32_t i = 0; i < amount(s); ++i)
        add(t, i);
}

static void assert_value(const test_set *t, uint32_t slot) {
    const uint32_t index = keel_entity_index(*keeli_sparse_set_entity(&t->set, slot));
    const unsigned char *value = keeli_sparse_set_value(&t->set, slot);
    for (uint32_t i = 0; i < t->set.size; ++i)
        if (value[i] != byte_of(index, i)) fail_msg("slot %u, byte %u", slot, i);
}

static void assert_all_values(const test_set *t) {
    for (uint32_t slot = 0; slot < t->set.count; ++slot)
        assert_value(t, slot);
}

// ------------------------------------------------------------------ every size and alignment
static void values_keep_their_bytes(void **state) {
    (void)state;
    for (size_t i = 0; i < SHAPES; ++i) {
        test_set t;
        begin_full(&t, &shapes[i]);
        assert_all_values(&t);
        for (uint32_t index = 0; index < amount(&shapes[i]); index += 3)
            test_set_remove(&t, index);
        assert_all_values(&t);
        for (uint32_t index = 0; index < amount(&shapes[i]); index += 3)
            add(&t, index);
        assert_all_values(&t);
        assert_int_equal(t.set.count, amount(&shapes[i]));
        test_set_deinit(&t);
    }
}

static void values_are_aligned(void **state) {
    (void)state;
    for (size_t i = 0; i < SHAPES; ++i) {
        test_set t;
        begin(&t, &shapes[i]);
        for (uint32_t k = 0; k < 70; ++k) { // while the first page grows
            add(&t, k);
            for (uint32_t slot = 0; slot <= k; ++slot) {
                const uintptr_t at = (uintptr_t)keeli_sparse_set_value(&t.set, slot);
                assert_int_equal(at % shapes[i].align, 0);
            }
        }
        for (uint32_t page = 0; page < t.set.values.page_count;
             ++page) // no page shares a cache line
            assert_int_equal((uintptr_t)t.set.values.pages[page] % 64, 0);
        test_set_deinit(&t);
    }
}

// An alignment of 0 means 1.
static void no_alignment_is_one(void **state) {
    (void)state;
    test_set t;
    begin(&t, &(shape){ 7, 0, 8192 });
    assert_int_equal(t.set.values.align, 1);
    add(&t, 0);
    add(&t, 1);
    assert_all_values(&t);
    test_set_deinit(&t);
}

static void a_missing_value_is_zeros(void **state) {
    (void)state;
    static const unsigned char zeros[65536];
    for (size_t i = 0; i < SHAPES; ++i) {
        test_set t;
        begin(&t, &shapes[i]);
        add(&t, 1);
        test_set_remove(&t, 1); // its bytes are still there
        test_set_add_many(&t, 9);
        for (uint32_t slot = 0; slot < 9; ++slot)
            assert_memory_equal(keeli_sparse_set_value(&t.set, slot), zeros, shapes[i].size);
        test_set_deinit(&t);
    }
}

static void a_value_can_be_overwritten_and_moved_out(void **state) {
    (void)state;
    for (size_t i = 0; i < SHAPES; ++i) {
        test_set t;
        begin(&t, &shapes[i]);
        for (uint32_t k = 0; k < 3; ++k)
            add(&t, k);
        void *value = make(shapes[i].size, 1), *out = make(shapes[i].size, 50);
        test_set_put(&t, 1, out);
        test_set_move_out(&t, 1, out);
        test_set_put(&t, 1, value);
        assert_all_values(&t);
        test_set_move_out(&t, 1, out);
        assert_memory_equal(out, value, shapes[i].size);
        free(value);
        free(out);
        test_set_deinit(&t);
    }
}

static void swapping_every_size(void **state) {
    (void)state;
    for (size_t i = 0; i < SHAPES; ++i) {
        test_set t;
        begin_full(&t, &shapes[i]);
        const uint32_t last = t.set.count - 1;
        const size_t live = t.memory.heap.live;
        test_set_swap(&t, 0, last);
        test_set_swap(&t, last / 2, last / 2 + 1);
        assert_int_equal(t.memory.heap.live, live);
        assert_int_equal(keeli_sparse_set_find(&t.set, 0), last);
        assert_int_equal(keeli_sparse_set_find(&t.set, last), 0);
        assert_all_values(&t);
        test_set_deinit(&t);
    }
}

// ------------------------------------------------------------------ pages
static void pages_hold_what_fits_into_64_kib(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    for (size_t i = 0; i < SHAPES; ++i) {
        const shape *s = &shapes[i];
        test_set t;
        begin_full(&t, s);
        assert_int_equal((uint32_t)1 << t.set.root.shift, s->per_page);
        assert_int_equal(t.set.values.page_count, s->per_page == 1 ? 20 : 3);
        assert_true((size_t)s->per_page * s->size <= 65536);
        for (uint32_t slot = 0; slot < t.set.count; ++slot) {
            const char *page = t.set.values.pages[slot / s->per_page];
            assert_ptr_equal(keeli_sparse_set_value(&t.set, slot),
                             page + (size_t)(slot % s->per_page) * s->size);
        }
        test_set_deinit(&t);
    }
}

// The public fast path reads the same tables.
static void the_root_leads_to_the_values(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    for (size_t i = 0; i < SHAPES; ++i) {
        test_set t;
        begin_full(&t, &shapes[i]);
        const struct keeli_set_root *root = &t.set.root;
        for (uint32_t index = 0; index < t.set.count; ++index) {
            const uint32_t slot = root->sparse[index >> 12][index & 4095];
            const char *page = root->pages[slot >> root->shift];
            assert_ptr_equal(page + (size_t)(slot & ((1u << root->shift) - 1)) * shapes[i].size,
                             keeli_sparse_set_value(&t.set, slot));
        }
        test_set_deinit(&t);
    }
}

static void entities_lie_on_pages_of_4096(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    test_set t;
    begin(&t, &(shape){ 4, 4, 16384 });
    const uint32_t counts[] = { 4095, 4096, 4097, 8192, 8193 };
    const uint32_t pages[] = { 1, 1, 2, 2, 3 };
    for (size_t i = 0; i < 5; ++i) {
        for (uint32_t index = t.set.count; index < counts[i]; ++index)
            add(&t, index);
        assert_int_equal(t.set.dense.page_count, pages[i]);
        assert_int_equal(t.set.root.page_count, pages[i]); // of cells, too
    }
    assert_int_equal(keel_entity_index(((keel_entity *)t.set.dense.pages[1])[0]), 4096);
    assert_int_equal(keel_entity_index(((keel_entity *)t.set.dense.pages[0])[4095]), 4095);
    assert_int_equal(keel_entity_index(((keel_entity *)t.set.dense.pages[2])[0]), 8192);
    test_set_remove(&t, 4095); // filled from the third page
    assert_int_equal(keel_entity_index(((keel_entity *)t.set.dense.pages[0])[4095]), 8192);
    assert_int_equal(t.set.root.sparse[2][0], 4095);
    assert_all_values(&t);
    test_set_deinit(&t);
}

// ------------------------------------------------------------------ growth
static void a_small_set_takes_little(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    test_set t;
    begin(&t, &(shape){ 8, 8, 8192 });
    add(&t, 0);
    assert_int_equal(t.set.dense.first, 8);
    assert_int_equal(t.set.values.first, 8);
    const size_t cells = 4096 * 4, tables = 3 * 4 * sizeof(void *);
    assert_int_equal(t.memory.memory.live_bytes, cells + tables + 8 * (sizeof(keel_entity) + 8));
    test_set_deinit(&t);
}

static void the_first_page_doubles(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    test_set t;
    begin(&t, &(shape){ 12, 4, 4096 });
    for (uint32_t i = 0, size = 8; i < 5000; ++i) {
        if (i == size && size < 4096) size *= 2;
        add(&t, i);
        assert_int_equal(t.set.values.first, size);
        assert_int_equal(t.set.dense.first, size);
    }
    assert_all_values(&t);
    test_set_deinit(&t);
}

// Only the first page moves, and only while it grows.
static void values_do_not_move_when_one_is_added(void **state) {
    (void)state;
    for (size_t i = 0; i < SHAPES; ++i) {
        test_set t;
        begin(&t, &shapes[i]);
        const uint32_t count = amount(&shapes[i]);
        void **places = calloc(count, sizeof *places);
        assert_non_null(places);
        for (uint32_t k = 0; k < count; ++k) {
            const uint32_t first = t.set.values.first;
            add(&t, k);
            if (t.set.values.first != first)
                for (uint32_t slot = 0; slot < k; ++slot)
                    places[slot] = keeli_sparse_set_value(&t.set, slot);
            places[k] = keeli_sparse_set_value(&t.set, k);
            assert_ptr_equal(keeli_sparse_set_value(&t.set, 0), places[0]);
            assert_ptr_equal(keeli_sparse_set_value(&t.set, k / 2), places[k / 2]);
        }
        for (uint32_t slot = 0; slot < count; ++slot)
            assert_ptr_equal(keeli_sparse_set_value(&t.set, slot), places[slot]);
        free(places);
        test_set_deinit(&t);
    }
}

// ------------------------------------------------------------------ large values
static size_t blocks_for_one_more(const shape *s) {
    test_set t;
    begin(&t, s);
    for (uint32_t i = 0; i < 5; ++i)
        add(&t, i); // the tables have room for 8 now
    const size_t before = t.memory.memory.live_blocks, bytes = t.memory.memory.live_bytes;
    add(&t, 5);
    const size_t blocks = t.memory.memory.live_blocks - before;
    if (blocks) assert_int_equal(t.memory.memory.live_bytes - bytes, s->size); // and no more
    test_set_deinit(&t);
    return blocks;
}

static void a_value_above_1_kib_has_memory_of_its_own(void **state) {
    (void)state;
    assert_int_equal(blocks_for_one_more(&(shape){ 1024, 8, 64 }), 0);
    assert_int_equal(blocks_for_one_more(&(shape){ 1025, 1, 1 }), 1);
    assert_int_equal(blocks_for_one_more(&(shape){ 65536, 4096, 1 }), 1);
}

static void a_large_value_stays_while_others_come(void **state) {
    (void)state;
    test_set t;
    begin(&t, &(shape){ 2048, 8, 1 });
    add(&t, 0);
    const void *place = keeli_sparse_set_value(&t.set, 0);
    for (uint32_t i = 1; i < 300; ++i)
        add(&t, i);
    assert_ptr_equal(keeli_sparse_set_value(&t.set, 0), place);
    assert_all_values(&t);
    test_set_remove(&t, 0); // the last one's bytes move, not its memory
    assert_ptr_equal(keeli_sparse_set_value(&t.set, 0), place);
    assert_all_values(&t);
    test_set_deinit(&t);
}

// ------------------------------------------------------------------ tags
static void tags_take_no_memory_for_values(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    test_set t;
    begin(&t, &(shape){ 0, 1, 1 });
    test_set_add_many(&t, 10000);
    assert_int_equal(t.set.values.page_count, 0);
    const size_t tables =
        (t.set.cells.capacity + t.set.dense.capacity + t.set.values.capacity) * sizeof(void *);
    const size_t pages = 3 * 4096 * (4 + sizeof(keel_entity));
    assert_int_equal(t.memory.memory.live_bytes, tables + pages);
    for (uint32_t slot = 0; slot < 10000; ++slot)
        assert_ptr_equal(keeli_sparse_set_value(&t.set, slot), keeli_sparse_set_value(&t.set, 0));
    assert_non_null(keeli_sparse_set_value(&t.set, 0)); // there, which NULL would deny
    test_set_remove(&t, 4096);
    test_set_swap(&t, 0, 9998);
    assert_int_equal(keeli_sparse_set_find(&t.set, 9999), 4096);
    assert_int_equal(keeli_sparse_set_find(&t.set, 0), 9998);
    test_set_deinit(&t);
}

static const struct CMUnitTest tests[] = {
    TEST(values_keep_their_bytes, "values of every size keep their bytes"),
    TEST(values_are_aligned, "values are aligned, also while the first page grows"),
    TEST(no_alignment_is_one, "an alignment of 0 is 1"),
    TEST(a_missing_value_is_zeros, "a missing value is zeros"),
    TEST(a_value_can_be_overwritten_and_moved_out, "values are overwritten and moved out"),
    // proves E-P7
    TEST(swapping_every_size, "two members of every size can be swapped"),
    TEST(pages_hold_what_fits_into_64_kib, "pages of values hold what fits into 64 KiB"),
    TEST(the_root_leads_to_the_values, "the root that columns read leads to the values"),
    TEST(entities_lie_on_pages_of_4096, "entities lie on pages of 4096"),
    TEST(a_small_set_takes_little, "a set of one takes room for eight and one page of cells"),
    TEST(the_first_page_doubles, "the first page doubles until it is full"),
    TEST(values_do_not_move_when_one_is_added, "values do not move when one is added"),
    TEST(a_value_above_1_kib_has_memory_of_its_own, "a value above 1 KiB has memory of its own"),
    TEST(a_large_value_stays_while_others_come, "a large value stays while others come"),
    TEST(tags_take_no_memory_for_values, "tags take no memory for values"),
};

int main(void) { return RUN(tests); }
