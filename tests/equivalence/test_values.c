// SPDX-License-Identifier: MIT
// Values of every size, where they lie, and hooks that see every move, over every storage.
#include "equivalence/everywhere.h"

#include <stdlib.h>
#include <string.h>

// How many values of a component a test can afford.
static uint32_t affordable(const keel_component *c) {
    return c->size > 4096 ? 40 : c->size > 1024 ? 150 : 700;
}

static void values_of_every_size_stay_right(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COMPONENTS; ++i) {
        const keel_component *c = every_component[i];
        api_fixture f;
        numbers n = { i };
        const uint32_t count = affordable(c), salt = 3;
        keel_entity *e = calloc(count, sizeof *e);
        bool *has = calloc(count, sizeof *has);
        owned_begin();
        api_begin(&f);
        keel_add_entity_columns(f.world, count, e, NULL);
        for (uint32_t step = 0; step < count * 3; ++step) {
            const uint32_t at = next_below(&n, count);
            if (has[at]) assert_int_equal(keel_delete_component(f.world, e[at], c), KEEL_OK);
            else give(f.world, e[at], c, salt);
            has[at] = !has[at];
        }
        for (uint32_t at = 0; at < count; ++at)
            if (has[at]) assert_given(f.world, e[at], c, salt);
            else assert_false(keel_has_component(f.world, e[at], c));
        api_end(&f);
        assert_owned_end();
        free(has);
        free(e);
    }
}

// Others come and go around it, the world is trimmed: an indexed value stays where it is.
static void indexed_values_never_move(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COMPONENTS; ++i) {
        const keel_component *c = every_component[i];
        if (c->storage != KEEL_INDEXED || !c->size) continue;
        api_fixture f;
        numbers n = { i };
        enum { COUNT = 300 };
        keel_entity e[COUNT];
        const void *places[COUNT / 10];
        owned_begin();
        api_begin(&f);
        keel_add_entity_columns(f.world, COUNT, e, NULL);
        const uint32_t count = affordable(c) < COUNT ? affordable(c) : COUNT;
        for (uint32_t at = 0; at < count; at += 10) {
            give(f.world, e[at], c, 1);
            places[at / 10] = keel_get_component(f.world, e[at], c);
        }
        for (uint32_t step = 0; step < 600; ++step) {
            const uint32_t at = next_below(&n, count);
            if (at % 10 == 0) keel_add(f.world, e[at], Number, { step }); // may change its row
            else if (keel_delete_component(f.world, e[at], c) != KEEL_OK)
                give(f.world, e[at], c, 2);
            if (step % 97 == 0) keel_world_trim(f.world);
        }
        for (uint32_t at = 0; at < count; at += 10) {
            assert_ptr_equal(keel_get_component(f.world, e[at], c), places[at / 10]);
            if (c != KEEL_OF(Number)) assert_given(f.world, e[at], c, 1);
        }
        api_end(&f);
        assert_owned_end();
    }
}

static void places_are_aligned(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[70];
    owned_begin();
    api_begin(&f);
    keel_add_entity_columns(f.world, 70, e, NULL);
    for (uint32_t at = 0; at < 70; ++at)
        for (uint32_t i = 0; i < COMPONENTS; ++i)
            if (every_component[i]->size <= 4096) give(f.world, e[at], every_component[i], 4);
    for (uint32_t at = 0; at < 70; ++at)
        for (uint32_t i = 0; i < COMPONENTS; ++i)
            if (every_component[i]->size <= 4096)
                assert_given(f.world, e[at], every_component[i], 4); // and aligned
    KEEL_EACH_SPAN(f.world, KEEL_SPAN_COUNT(count), KEEL_READ(Sheet, sheet), KEEL_READ(Line, line),
                   KEEL_READ(Matrix, matrix)) {
        assert_true(count > 0);
        assert_int_equal((uintptr_t)sheet % 4096, 0);
        assert_int_equal((uintptr_t)line % 64, 0);
        assert_int_equal((uintptr_t)matrix % _Alignof(Matrix), 0);
    }
    api_end(&f);
    assert_owned_end();
}

// Placed is right only if each move went through the hook; its copies too.
static void every_move_goes_through_the_hook(void **state) {
    (void)state;
    api_fixture f;
    numbers n = { 5 };
    enum { COUNT = 500 };
    keel_entity e[COUNT], copies[COUNT];
    owned_begin();
    api_begin(&f);
    keel_add_entity_columns(f.world, COUNT, e, NULL);
    for (uint32_t i = 0; i < COUNT; ++i) {
        give(f.world, e[i], KEEL_OF(Placed), 1);
        keel_add(f.world, e[i], Number, { i });
    }
    for (uint32_t step = 0; step < 3000; ++step) {
        const uint32_t i = next_below(&n, COUNT);
        static const keel_component *const others[] = { KEEL_OF(Frozen), KEEL_OF(Byte),
                                                        KEEL_OF(N1) };
        const keel_component *c = others[next_below(&n, 3)];
        if (keel_delete_component(f.world, e[i], c) != KEEL_OK) give(f.world, e[i], c, 0);
        if (step % 5 == 0) {
            keel_delete(f.world, e[i], Placed);
            give(f.world, e[i], KEEL_OF(Placed), 1);
        }
    }
    for (uint32_t i = 0; i < COUNT; ++i) {
        assert_given(f.world, e[i], KEEL_OF(Placed), 1);
        assert_int_equal(keel_get(f.world, e[i], Number)->value, i);
    }
    assert_int_equal(keel_clone_entities(f.world, e[3], COUNT, copies), KEEL_OK);
    for (uint32_t i = 0; i < COUNT; ++i) {
        const Placed *p = keel_get(f.world, copies[i], Placed);
        assert_ptr_equal(p->self, p);
        assert_int_equal(p->value, keel_get(f.world, e[3], Placed)->value);
    }
    api_end(&f);
    assert_owned_end();
}

// A value may be taken from the world itself, although the edit moves what is there.
static void values_may_come_from_the_world(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity first =
        keel_add_entity(f.world, KEEL_INIT(Number, { 42 }), KEEL_INIT(Matrix, { { 1, 2, 3 } }));
    for (uint32_t i = 0; i < 3000; ++i) {
        const keel_entity e = keel_add_entity(f.world);
        assert_int_equal(
            keel_add_component(f.world, e, KEEL_OF(Number), keel_get(f.world, first, Number)),
            KEEL_OK);
        const keel_value both[] = { { KEEL_OF(N2), keel_get(f.world, e, Number) },
                                    { KEEL_OF(Matrix), keel_get(f.world, first, Matrix) },
                                    { NULL, NULL } };
        assert_int_equal(keel_add_component_values(f.world, e, both), KEEL_OK);
        assert_int_equal(keel_get(f.world, e, Number)->value, 42);
        assert_int_equal(keel_get(f.world, e, N2)->value, 42);
        assert_true(keel_get(f.world, e, Matrix)->cell[2] > 2.5f);
    }
    api_end(&f);
}

static void columns_follow_every_edit(void **state) {
    (void)state;
    api_fixture f;
    numbers n = { 8 };
    enum { COUNT = 400 };
    keel_entity e[COUNT];
    api_begin(&f);
    keel_add_entity_columns(f.world, COUNT, e, NULL);
    const keel_lookup number = keel_lookup_of(f.world, Number);
    const keel_lookup huge = keel_lookup_of(f.world, Apart);
    for (uint32_t step = 0; step < 4000; ++step) {
        const uint32_t i = next_below(&n, COUNT), k = next_below(&n, COUNT);
        if (step % 3 && keel_delete(f.world, e[i], Number) != KEEL_OK)
            keel_add(f.world, e[i], Number, { step });
        if (step % 3 == 0 && keel_delete(f.world, e[i], Apart) != KEEL_OK)
            keel_add(f.world, e[i], Apart);
        assert_ptr_equal(keel_lookup_get(&number, e[k], Number), keel_get(f.world, e[k], Number));
        assert_ptr_equal(keel_lookup_get(&huge, e[k], Apart), keel_get(f.world, e[k], Apart));
        if (step % 7 == 0) {
            keel_delete_entity(f.world, e[i]);
            assert_null(keel_lookup_get(&number, e[i], Number));
            e[i] = keel_add_entity(f.world);
            assert_null(keel_lookup_get(&number, e[i], Number));
        }
    }
    api_end(&f);
}

static void memory_is_told_and_given_back(void **state) {
    (void)state;
    api_fixture f;
    keel_entity *e = calloc(5000, sizeof *e);
    owned_begin();
    api_begin(&f);
    keel_register(f.world, Number, Matrix, Owned);
    const keel_component *const used[] = { KEEL_OF(Number), KEEL_OF(Matrix), KEEL_OF(Owned) };
    keel_add_entity_columns(f.world, 5000, e, NULL);
    for (uint32_t i = 0; i < 5000; ++i)
        for (uint32_t k = 0; k < 3; ++k)
            give(f.world, e[i], used[k], 1);
    assert_int_equal(keel_world_statistics(f.world).memory.total, f.memory.live_bytes);
    const size_t full = f.memory.live_bytes;
    keel_clear(f.world, Matrix);
    keel_clear(f.world, Number);
    keel_clear(f.world, Owned);
    keel_world_trim(f.world);
    assert_true(f.memory.live_bytes < full / 2);
    assert_int_equal(keel_world_statistics(f.world).memory.total, f.memory.live_bytes);
    for (uint32_t i = 0; i < 5000; ++i)
        give(f.world, e[i], KEEL_OF(Number), 2);
    for (uint32_t i = 0; i < 5000; ++i)
        assert_given(f.world, e[i], KEEL_OF(Number), 2);
    api_end(&f);
    assert_owned_end();
    free(e);
}

static const struct CMUnitTest tests[] = {
    TEST(values_of_every_size_stay_right, "values of 0 bytes to 64 KiB stay right"),
    TEST(indexed_values_never_move, "indexed values never move"),
    TEST(places_are_aligned, "places are aligned, to 4096 bytes"),
    TEST(every_move_goes_through_the_hook, "every move goes through the hook"),
    TEST(values_may_come_from_the_world, "a value may come from the world itself"),
    TEST(columns_follow_every_edit, "columns follow every edit"),
    TEST(memory_is_told_and_given_back, "memory is told exactly and given back"),
};

EVERYWHERE(tests)
