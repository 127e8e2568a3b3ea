// SPDX-License-Identifier: MIT
// Values of every size and alignment, over the boundaries of pages.
#include "support/api_types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_PAGE_GROWS_TO = 65536 }; // bytes of a page of values

// Byte k of the value of entity i.
static unsigned char pattern(uint32_t i, uint32_t k) { return (unsigned char)(i * 31 + k * 7 + 1); }

static void fill(unsigned char *value, uint32_t i, uint32_t size) {
    for (uint32_t k = 0; k < size; ++k)
        value[k] = pattern(i, k);
}

static void assert_value(const void *value, uint32_t i, const keel_component *c) {
    const unsigned char *byte = value;
    assert_non_null(value);
    assert_int_equal((uintptr_t)value % c->align, 0);
    for (uint32_t k = 0; k < c->size; ++k)
        assert_int_equal(byte[k], pattern(i, k));
}

// Add to `count` entities, remove from every third, add again, look at all.
static void use(uint32_t size, uint32_t align, uint32_t count) {
    api_fixture f;
    char name[30];
    unsigned char *value = malloc(size + 1);
    snprintf(name, sizeof name, "V%u_%u", (unsigned)size, (unsigned)align);
    const keel_component c = { .name = name, .size = size, .align = align };
    api_begin(&f);
    assert_int_equal(keel_add_entity_columns(f.world, count, NULL, NULL), KEEL_OK);
    for (uint32_t i = 0; i < count; ++i) {
        fill(value, i, size);
        assert_int_equal(keel_add_component(f.world, handle_at(i, 0), &c, value), KEEL_OK);
    }
    for (uint32_t i = 0; i < count; i += 3) {
        assert_int_equal(keel_remove_component(f.world, handle_at(i, 0), &c, value), KEEL_OK);
        for (uint32_t k = 0; k < size; ++k)
            assert_int_equal(value[k], pattern(i, k));
    }
    for (uint32_t i = 0; i < count; i += 6) {
        fill(value, i + 1000, size);
        assert_int_equal(keel_add_component(f.world, handle_at(i, 0), &c, value), KEEL_OK);
    }
    for (uint32_t i = 0; i < count; ++i) {
        const void *found = keel_get_component(f.world, handle_at(i, 0), &c);
        if (i % 6 == 3) assert_null(found);
        else assert_value(found, i % 6 ? i : i + 1000, &c);
    }
    free(value);
    api_end(&f);
}

static void every_size_keeps_its_bytes(void **state) {
    (void)state;
    static const uint32_t sizes[] = { 0,  1,  2,   3,   4,   5,    7,    8,    12,   16,   17,
                                      24, 63, 100, 255, 256, 1000, 1023, 1024, 1025, 4097, 65536 };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        const uint32_t size = sizes[i], one = FIRST_PAGE_GROWS_TO / (size ? size : 64);
        use(size, 1, one < 40 ? 40 : one > 2000 ? 2000 : one + 3);
    }
}

static void every_alignment_is_kept(void **state) {
    (void)state;
    for (uint32_t align = 1; align <= KEEL_MAX_COMPONENT_ALIGN; align *= 2) {
        use(align, align, 70);
        use(3 * align, align, 40);
        if (align < 4096) use(KEEL_MAX_COMPONENT_SIZE, align, 5);
    }
    use(KEEL_MAX_COMPONENT_SIZE, 4096, 5);
}

// As many as pages hold, one less and one more: packed entities (4,096) and values (64 KiB).
static void page_boundaries_lose_nothing(void **state) {
    (void)state;
    static const uint32_t counts[] = { 4095, 4096, 4097, 8191, 8192, 8193 };
    for (int i = 0; i < 6; ++i) {
        use(16, 4, counts[i]); // 4,096 values a page
        use(8, 8, counts[i]);  // 8,192 values a page
        use(0, 1, counts[i]);
    }
}

static void spans_do_not_cross_pages(void **state) {
    (void)state;
    enum { COUNT = 20000 };
    typedef struct cell {
        uint32_t number, more[5]; // 24 bytes: 2,048 values in a page
    } cell;
    static const keel_component c = { .name = "cell", .size = sizeof(cell), .align = 4 };
    api_fixture f;
    api_begin(&f);
    const keel_value_column columns[] = { { &c, NULL, 0 }, { NULL, NULL, 0 } };
    assert_int_equal(keel_add_entity_columns(f.world, COUNT, NULL, columns), KEEL_OK);
    const keel_term terms[] = { { .kind = KEEL_TERM_WRITE, .component = &c },
                                { .kind = KEEL_TERM_ENTITY },
                                { .kind = KEEL_TERM_END } };
    keel_view view;
    keel_iterator walk;
    keel_span span;
    uint32_t seen = 0;
    assert_int_equal(keel_view_begin(&view, f.world, terms, "cells"), KEEL_OK);
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
    while (keel_iterator_next_span(&walk, &span)) {
        cell *cells = keel_span_write_component(&span, &c);
        assert_in_range(span.count, 1, 2048);
        for (uint32_t i = 0; i < span.count; ++i) {
            assert_int_equal(keel_entity_index(span.entities[i]), seen);
            cells[i].number = seen++;
        }
    }
    keel_view_end(&view);
    assert_int_equal(seen, COUNT);
    for (uint32_t i = 0; i < COUNT; ++i) {
        const cell *found = keel_get_component(f.world, handle_at(i, 0), &c);
        assert_int_equal(found->number, i);
    }
    api_end(&f);
}

// "Pointers to values stay valid until the next edit of their component": also while others grow.
static void pointers_outlive_edits_of_other_components(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 5 }));
    const Number *n = keel_get(f.world, e, Number);
    for (uint32_t i = 0; i < 10000; ++i)
        (void)keel_add_entity(f.world, KEEL_INIT(Position, { 1, 1 }), KEEL_INIT(Large));
    assert_ptr_equal(keel_get(f.world, e, Number), n);
    assert_int_equal(n->value, 5);
    api_end(&f);
}

static void tags_have_a_place_but_no_value(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Frozen));
    assert_non_null(keel_get_component(f.world, e, KEEL_OF(Frozen)));
    assert_non_null(keel_get_or_add_component(f.world, e, KEEL_OF(Frozen), NULL));
    assert_int_equal(keel_remove_component(f.world, e, KEEL_OF(Frozen), NULL), KEEL_OK);
    assert_null(keel_get_component(f.world, e, KEEL_OF(Frozen)));
    // tags cost their table only: 4 bytes each for the look-up, 8 for the handle
    assert_int_equal(keel_add_entities(f.world, 100000, NULL, KEEL_FILL(Frozen)), KEEL_OK);
    assert_true(keel_component_memory(f.world, KEEL_OF(Frozen)) < 100000 * 13 + 100000);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(every_size_keeps_its_bytes, "values of 0 bytes to 64 KiB keep their bytes"),
    TEST(every_alignment_is_kept, "every alignment to 4,096 is kept"),
    TEST(page_boundaries_lose_nothing, "nothing is lost at the boundaries of pages"),
    TEST(spans_do_not_cross_pages, "a span lies within one page, and all spans cover everything"),
    TEST(pointers_outlive_edits_of_other_components, "pointers outlive edits of other components"),
    TEST(tags_have_a_place_but_no_value, "tags are there or not, and cost no values"),
};

int main(void) { return RUN(tests); }
