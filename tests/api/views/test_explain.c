// SPDX-License-Identifier: MIT
// What keel_view_explain says of each kind of plan.
#include "support/api_types.h"

#include <string.h>

typedef struct Near {
    uint32_t value;
} Near;
typedef struct Row {
    uint32_t value;
} Row;
KEEL_COMPONENT(Near, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE);

static api_fixture f;

#define TERM(k, T)                                                                                 \
    { .kind = KEEL_TERM_##k, .component = KEEL_OF(T) }

static void explain(const keel_term *terms, char *text, size_t size) {
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, terms, "here"), KEEL_OK);
    const size_t length = keel_view_explain(&view, text, size);
    assert_true(length < size);
    assert_int_equal(strlen(text), length);
    keel_view_end(&view);
}

static void fill(void) {
    for (uint32_t i = 0; i < 1000; ++i) {
        const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Near, { i }));
        if (i % 10 == 0) keel_add(f.world, e, Number, { i });
        if (i % 4 == 0) keel_add(f.world, e, Other, { i });
        if (i % 2 == 0) keel_add(f.world, e, Row, { i });
        if (i % 100 == 0) keel_add(f.world, e, Frozen);
    }
}

static void assert_plan(const keel_term *terms, const char *expected) {
    char text[1024];
    explain(terms, text, sizeof text);
    assert_string_equal(text, expected);
}

static void sparse_sets_lead_by_the_smallest(void **state) {
    (void)state;
    api_begin(&f);
    fill();
    assert_plan((const keel_term[]){ TERM(READ, Number), { .kind = KEEL_TERM_END } },
                "view: here\n"
                "leader: sparse set Number, in packed order\n"
                "touches: 100\n"
                "column: read Number (sparse set)\n"
                "chunks: spans\n");
    assert_plan(
        (const keel_term[]){ TERM(READ, Other), TERM(WRITE, Number), { .kind = KEEL_TERM_END } },
        "view: here\n"
        "leader: sparse set Number, in packed order\n"
        "touches: 100\n"
        "filter: has Other (sparse set)\n"
        "column: read Other (sparse set)\n"
        "column: write Number (sparse set)\n"
        "chunks: spans where the sets have the same order, lists elsewhere\n");
    assert_plan((const keel_term[]){ TERM(READ, Number),
                                     TERM(WITHOUT, Frozen),
                                     TERM(OPTIONAL_READ, Other),
                                     { .kind = KEEL_TERM_END } },
                "view: here\n"
                "leader: sparse set Number, in packed order\n"
                "touches: 100\n"
                "filter: without Frozen (sparse set)\n"
                "column: read Number (sparse set)\n"
                "column: maybe read Other (sparse set)\n"
                "chunks: lists\n");
    api_end(&f);
}

static void indexed_components_lead_by_their_bits(void **state) {
    (void)state;
    api_begin(&f);
    fill();
    assert_plan((const keel_term[]){ TERM(WRITE, Near), { .kind = KEEL_TERM_END } },
                "view: here\n"
                "leader: presence bits of Near, by ascending index\n"
                "touches: 1000\n"
                "column: write Near (indexed)\n"
                "chunks: spans where no entity is left out, masks elsewhere\n");
    api_end(&f);
}

static void archetypes_lead_row_by_row(void **state) {
    (void)state;
    api_begin(&f);
    fill();
    assert_plan((const keel_term[]){ TERM(READ, Row), { .kind = KEEL_TERM_END } },
                "view: here\n"
                "leader: archetypes with Row (1 of them have rows), row by row\n"
                "touches: 500\n"
                "column: read Row (archetype)\n"
                "chunks: spans\n");
    assert_plan(
        (const keel_term[]){ TERM(READ, Row),
                             { .kind = KEEL_TERM_ANY_OF,
                               .component = KEEL_OF(Number),
                               .others = (const keel_component *const[]){ KEEL_OF(Frozen), NULL } },
                             { .kind = KEEL_TERM_END } },
        "view: here\n"
        "leader: archetypes with Row (1 of them have rows), row by row\n"
        "touches: 500\n"
        "filter: any of Number, Frozen\n"
        "column: read Row (archetype)\n"
        "chunks: lists\n");
    api_end(&f);
}

static void the_rest_walks_entities_or_nothing(void **state) {
    (void)state;
    api_begin(&f);
    fill();
    assert_plan((const keel_term[]){ TERM(WITHOUT, Number), { .kind = KEEL_TERM_END } },
                "view: here\n"
                "leader: living entities, by ascending index\n"
                "touches: 1000\n"
                "filter: without Number (sparse set)\n"
                "chunks: spans where no entity is left out, masks elsewhere\n");
    assert_int_equal(keel_share_begin(f.world), KEEL_OK); // nothing becomes known now
    assert_plan(
        (const keel_term[]){ TERM(READ, Third), TERM(READ, Number), { .kind = KEEL_TERM_END } },
        "view: here\n"
        "leader: none, because nothing can match\n"
        "touches: 0\n"
        "chunks: none\n");
    assert_int_equal(keel_share_end(f.world), KEEL_OK);
    api_end(&f);
}

static void a_small_buffer_gets_what_fits(void **state) {
    (void)state;
    api_begin(&f);
    fill();
    const keel_term terms[] = { TERM(READ, Number), TERM(READ, Near), { .kind = KEEL_TERM_END } };
    char whole[1024], part[1024];
    keel_view view;
    explain(terms, whole, sizeof whole);
    const size_t length = strlen(whole);
    assert_int_equal(keel_view_begin(&view, f.world, terms, "here"), KEEL_OK);
    assert_int_equal(keel_view_explain(&view, NULL, 0), length);
    for (size_t size = 0; size <= length + 1; ++size) {
        memset(part, '#', sizeof part);
        assert_int_equal(keel_view_explain(&view, part, size), length);
        assert_int_equal(part[size], '#');
        if (!size) continue;
        assert_int_equal(strlen(part), size - 1);
        assert_memory_equal(part, whole, size - 1);
    }
    keel_view_end(&view);
    part[0] = '#';
    assert_int_equal(keel_view_explain(&view, part, sizeof part), 0); // closed
    assert_int_equal(part[0], '\0');
    assert_int_equal(keel_view_explain(NULL, NULL, 0), 0);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(sparse_sets_lead_by_the_smallest, "Sparse sets lead by the smallest"),
    TEST(indexed_components_lead_by_their_bits, "Indexed components lead by their presence bits"),
    TEST(archetypes_lead_row_by_row, "Archetypes lead row by row"),
    TEST(the_rest_walks_entities_or_nothing, "The rest walks entities, or nothing"),
    TEST(a_small_buffer_gets_what_fits, "A small buffer gets what fits, as with snprintf"),
};
int main(void) { return RUN(tests); }
