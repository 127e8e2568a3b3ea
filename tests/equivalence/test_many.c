// SPDX-License-Identifier: MIT
// One component on many entities, and whole trees, over every storage.
#include "equivalence/everywhere.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 700 };
static keel_entity e[COUNT], list[COUNT];

// Entities with neighbours, with holes, and far away; some have a few components already.
static void begin(api_fixture *f) {
    owned_begin();
    api_begin(f);
    for (uint32_t i = 0; i < COUNT; ++i) {
        e[i] = handle_at(i < 400 ? i : i < 500 ? i * 3 : 8192 + (i - 500) * 100, 0);
        assert_int_equal(keel_add_entity_at(f->world, e[i]), KEEL_OK);
        if (i % 2) give(f->world, e[i], KEEL_OF(Number), i);
        if (i % 5 == 0) give(f->world, e[i], KEEL_OF(Position), i);
        if (i % 7 == 0) give(f->world, e[i], KEEL_OF(Owned), i);
    }
}
static void end(api_fixture *f) {
    keel_error error;
    assert_true(keel_world_check(f->world, &error));
    api_end(f);
    assert_owned_end();
}

static bool is_plain(const keel_component *c) {
    return c != KEEL_OF(Owned) && c != KEEL_OF(Placed);
}

// The first `count` in an order of this number: as they are, backwards, in steps.
static void choose(uint32_t way, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        list[i] = e[way == 0 ? i : way == 1 ? count - 1 - i : i * 11 % count];
}

static void many_get_and_lose(const keel_component *c, uint32_t way) {
    api_fixture f;
    const uint32_t count = c->size > 4096 ? 13 : COUNT; // 11 does not divide them
    const size_t size = c->size ? c->size : 1;
    unsigned char *values = malloc(count * size);
    begin(&f);
    choose(way, count);
    for (uint32_t i = 0; i < count; ++i)
        fill_value(values + i * c->size, c, list[i], 2);
    assert_int_equal(keel_add_component_to_many(f.world, list, count, c, values, c->size), KEEL_OK);
    for (uint32_t i = 0; i < count; ++i)
        assert_given(f.world, e[i], c, 2);
    const uint32_t third = count / 3;
    assert_int_equal(keel_delete_component_from_many(f.world, list, third, c), KEEL_OK);
    assert_int_equal(keel_delete_component_from_many(f.world, list, third, c), KEEL_ABSENT);
    for (uint32_t i = 0; i < count; ++i) {
        if (i < third) assert_false(keel_has_component(f.world, list[i], c));
        else assert_given(f.world, list[i], c, 2);
    }
    for (uint32_t i = 0; i < COUNT; ++i)
        if (i % 5 == 0 && c != KEEL_OF(Position)) assert_given(f.world, e[i], KEEL_OF(Position), i);
    end(&f);
    free(values);
}

static void many_get_and_lose_each_component(void **state) {
    (void)state;
    for (uint32_t k = 0; k < COMPONENTS; ++k)
        if (is_plain(every_component[k])) many_get_and_lose(every_component[k], k % 3);
}

static void all_that_match_get_and_lose_each_component(void **state) {
    (void)state;
    const keel_term terms[] = { { .kind = KEEL_TERM_WITH, .component = KEEL_OF(Number) },
                                { .kind = KEEL_TERM_WITHOUT, .component = KEEL_OF(Position) },
                                { .kind = KEEL_TERM_END } };
    for (uint32_t k = 0; k < COMPONENTS; ++k) {
        const keel_component *c = every_component[k];
        if (!is_plain(c) || c->size > 1024) continue;
        unsigned char value[1024];
        bool matches[COUNT];
        api_fixture f;
        begin(&f);
        fill_value(value, c, e[3], 9);
        for (uint32_t i = 0; i < COUNT; ++i)
            matches[i] = matches_naively(f.world, e[i], terms);
        assert_int_equal(keel_add_component_to_matching(f.world, terms, c, value), KEEL_OK);
        for (uint32_t i = 0; i < COUNT; ++i)
            if (matches[i])
                assert_memory_equal(keel_get_component(f.world, e[i], c), value, c->size);
            else if (c != KEEL_OF(Number) && c != KEEL_OF(Position))
                assert_false(keel_has_component(f.world, e[i], c));
        // with Position some do not match any more
        const bool still = c != KEEL_OF(Position);
        assert_int_equal(keel_delete_component_from_matching(f.world, terms, c),
                         still ? KEEL_OK : KEEL_ABSENT);
        for (uint32_t i = 0; still && i < COUNT; ++i)
            if (matches[i]) assert_false(keel_has_component(f.world, e[i], c));
        end(&f);
    }
}

// Everything below goes; all else stays what it was.
static void trees_go_with_all_they_have(void **state) {
    (void)state;
    for (uint32_t seed = 0; seed < 6; ++seed) {
        api_fixture f;
        numbers n = { seed };
        bool below[COUNT] = { false };
        begin(&f);
        for (uint32_t i = 0; i < 200; ++i) { // few, for some are large
            const keel_component *c = every_component[i % COMPONENTS];
            if (c != KEEL_OF(Position)) give(f.world, e[next_below(&n, COUNT)], c, i);
        }
        for (uint32_t i = 1; i < COUNT; ++i) {
            const uint32_t span = seed % 2 ? i : i < 10 ? i : 10;
            const uint32_t parent = i - 1 - next_below(&n, span);
            assert_int_equal(keel_attach(f.world, e[i], e[parent]), KEEL_OK);
            below[i] = parent == 3 || below[parent];
        }
        uint32_t counts[COMPONENTS] = { 0 };
        for (uint32_t i = 0; i < COUNT; ++i)
            for (uint32_t k = 0; k < COMPONENTS && i != 3 && !below[i]; ++k)
                counts[k] += keel_has_component(f.world, e[i], every_component[k]);
        assert_int_equal(keel_delete_tree(f.world, e[3]), KEEL_OK);
        for (uint32_t i = 0; i < COUNT; ++i) {
            assert_int_equal(keel_is_alive(f.world, e[i]), i != 3 && !below[i]);
            if (keel_is_alive(f.world, e[i]) && i % 5 == 0)
                assert_given(f.world, e[i], KEEL_OF(Position), i);
        }
        for (uint32_t k = 0; k < COMPONENTS; ++k)
            assert_int_equal(keel_component_count(f.world, every_component[k]), counts[k]);
        // the root was deleted last, so it comes first
        assert_int_equal(keel_entity_index(keel_add_entity(f.world)), keel_entity_index(e[3]));
        end(&f);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(many_get_and_lose_each_component, "many get and lose each component"),
    TEST(all_that_match_get_and_lose_each_component, "all that match get and lose each component"),
    TEST(trees_go_with_all_they_have, "trees go with all they have"),
};

EVERYWHERE(tests)
