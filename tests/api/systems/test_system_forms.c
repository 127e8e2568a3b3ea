// SPDX-License-Identifier: MIT
// The loops that KEEL_SYSTEM makes: over spans, masks of every pattern of bits, and lists.
#include "support/api_types.h"

enum { SLOTS = 64 * 24 };

typedef struct Place {
    uint32_t index, visits;
} Place;
typedef struct Chosen {
    uint32_t index;
} Chosen;
typedef struct Extra {
    uint32_t index;
} Extra;
KEEL_COMPONENT(Place, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Chosen, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Extra, .storage = KEEL_INDEXED);

// What the systems saw.
typedef struct seen {
    uint32_t visits, last, stop_after;
} seen;

KEEL_SYSTEM(visit, KEEL_WRITE(Place, p), KEEL_READ(Chosen, c), KEEL_OPTIONAL_READ(Extra, x),
            KEEL_ENTITY(e), KEEL_DATA(seen, data)) {
    assert_int_equal(p->index, keel_entity_index(e));
    assert_int_equal(c->index, p->index);
    if (x) assert_int_equal(x->index, p->index);
    assert_true(data->visits == 0 || p->index > data->last); // by ascending index
    data->last = p->index;
    ++data->visits;
    ++p->visits;
}
KEEL_SYSTEM(visit_some, KEEL_READ(Chosen, c), KEEL_DATA(seen, data), KEEL_CONTEXT(context)) {
    data->last = c->index;
    if (++data->visits == data->stop_after) keel_fail(context, NULL, "enough");
}

// Words of many sorts: empty, full, alternating, single bits, few and many runs, at both ends.
static uint64_t word_of(uint32_t w) {
    static const uint64_t words[] = { 0,
                                      UINT64_MAX,
                                      0x5555555555555555,
                                      1,
                                      (uint64_t)1 << 63,
                                      0xFFFFFFFF,
                                      0xFFFFFFFF00000000,
                                      0x00FFFF0000FFFF00,
                                      UINT64_MAX,
                                      UINT64_MAX,
                                      UINT64_MAX,
                                      UINT64_MAX,
                                      UINT64_MAX,
                                      0xF0F0F0F0F0F0F0F0,
                                      UINT64_MAX - 1,
                                      UINT64_MAX >> 1,
                                      0x8000000000000001,
                                      0xFF,
                                      0xFF0000000000FF01,
                                      UINT64_MAX,
                                      UINT64_MAX,
                                      0x123456789ABCDEF0,
                                      UINT64_MAX,
                                      0x7FFFFFFFFFFFFFFE };
    return words[w % (sizeof words / sizeof *words)];
}
static bool is_chosen(uint32_t i) { return word_of(i / 64) >> (i % 64) & 1; }

// How many are chosen.
static uint32_t begin(api_fixture *f, bool extras) {
    uint32_t chosen = 0;
    api_begin(f);
    for (uint32_t i = 0; i < SLOTS; ++i) {
        const keel_entity e = keel_add_entity(f->world, KEEL_INIT(Place, { i, 0 }));
        assert_int_equal(keel_entity_index(e), i);
        if (!is_chosen(i)) continue;
        ++chosen;
        assert_int_equal(keel_add(f->world, e, Chosen, { i }), KEEL_OK);
        if (extras) assert_int_equal(keel_add(f->world, e, Extra, { i }), KEEL_OK);
    }
    return chosen;
}

static void each_set_bit_is_visited_once_and_in_order(void **state) {
    (void)state;
    for (int extras = 0; extras < 2; ++extras) {
        api_fixture f;
        const uint32_t chosen = begin(&f, extras);
        seen data = { 0 };
        assert_int_equal(keel_run_with(f.world, visit, &data), KEEL_OK);
        assert_int_equal(data.visits, chosen);
        KEEL_EACH(f.world, KEEL_READ(Place, p)) {
            assert_int_equal(p->visits, is_chosen(p->index));
        }
        api_end(&f);
    }
}

static void a_system_that_failed_stops_within_a_mask(void **state) {
    (void)state;
    api_fixture f;
    const uint32_t chosen = begin(&f, false);
    for (uint32_t after = 1; after < chosen; after += 37) {
        seen data = { .stop_after = after };
        assert_int_equal(keel_run_with(f.world, visit_some, &data), KEEL_ERROR_SYSTEM);
        assert_int_equal(data.visits, after);
        assert_error(f.world, KEEL_ERROR_SYSTEM, "enough");
    }
    api_end(&f);
}

// ------------------------------------------------------------------ lists
KEEL_SYSTEM(check_list, KEEL_READ(Number, n), KEEL_READ(Other, o), KEEL_OPTIONAL_READ(Large, l),
            KEEL_ENTITY(e), KEEL_DATA(seen, data)) {
    assert_int_equal(n->value, keel_entity_index(e));
    assert_int_equal(o->value, keel_entity_index(e));
    if (l) assert_int_equal(l->word[0], keel_entity_index(e));
    data->visits += l ? 2 : 1;
}

// Sets of which one has its values on one page and another on many; at each number of entities the
// block that is the last has another length.
static void values_of_lists_are_on_one_page_or_on_many(void **state) {
    (void)state;
    enum { most = 40000 };
    const uint32_t counts[] = { 1, 2, 3, 5, 255, 256, 257, 700, most };
    static keel_entity e[most];
    for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k) {
        api_fixture f;
        api_begin(&f);
        uint32_t expected = 0;
        for (uint32_t i = 0; i < counts[k]; ++i)
            e[i] = keel_add_entity(f.world, KEEL_INIT(Number, { i }));
        for (uint32_t i = counts[k]; i-- > 0;) {
            if (i % 3 == 1) continue;
            assert_int_equal(keel_add(f.world, e[i], Other, { i }), KEEL_OK);
            ++expected;
            if (i % 64) continue;
            assert_int_equal(keel_add(f.world, e[i], Large, { .word = { i } }), KEEL_OK);
            ++expected;
        }
        seen data = { 0 };
        assert_int_equal(keel_run_with(f.world, check_list, &data), KEEL_OK);
        assert_int_equal(data.visits, expected);
        api_end(&f);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(each_set_bit_is_visited_once_and_in_order, "each set bit is visited once, in order"),
    TEST(a_system_that_failed_stops_within_a_mask, "a system that failed stops within a mask"),
    TEST(values_of_lists_are_on_one_page_or_on_many, "values of lists are on one page or on many"),
};

int main(void) { return RUN(tests); }
