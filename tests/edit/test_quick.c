// SPDX-License-Identifier: MIT
// The common edits: whatever the storage, the size of the value, and who else is in the block of 64
// indices, the same comes out.
#include "support/api_types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Level {
    uint32_t value;
} Level;
KEEL_COMPONENT(Level, .storage = KEEL_INDEXED);

enum { entities = 200, kinds = 3, sizes = 9, components = kinds * sizes };
static const uint32_t value_sizes[sizes] = { 0, 2, 4, 8, 12, 16, 24, 40, 2048 };

// Every size in every storage, and what each entity should have: 0: nothing.
typedef struct crowd {
    api_fixture f;
    const keel_component *known[components];
    keel_entity e[entities];
    unsigned char has[entities][components];
    unsigned char stamp;
} crowd;

static void crowd_begin(crowd *c) {
    memset(c, 0, sizeof *c);
    api_begin(&c->f);
    for (uint32_t k = 0; k < components; ++k) {
        char name[16];
        snprintf(name, sizeof name, "C%u", (unsigned)k);
        const uint32_t size = value_sizes[k % sizes];
        const keel_storage storage = (keel_storage)(k / sizes);
        const keel_component made = {
            .name = name, .size = size, .align = size % 4 ? 2 : 4, .storage = storage
        };
        c->known[k] = keel_register_component(c->f.world, &made);
        assert_non_null(c->known[k]);
    }
    for (uint32_t i = 0; i < entities; ++i)
        c->e[i] = keel_add_entity(c->f.world);
}

static unsigned char next_stamp(crowd *c) {
    c->stamp = (unsigned char)(c->stamp % 250 + 1);
    return c->stamp;
}

static const void *filled(unsigned char stamp) {
    static unsigned char bytes[2048];
    memset(bytes, stamp, sizeof bytes);
    return bytes;
}

static void check(const crowd *c, uint32_t i, uint32_t k) {
    const unsigned char *value = keel_get_component(c->f.world, c->e[i], c->known[k]);
    assert_int_equal(value != NULL, c->has[i][k] != 0);
    for (uint32_t b = 0; value && b < value_sizes[k % sizes]; ++b)
        assert_int_equal(value[b], c->has[i][k]);
}
static void check_all(const crowd *c) {
    for (uint32_t i = 0; i < entities; ++i)
        for (uint32_t k = 0; k < components; ++k)
            check(c, i, k);
}

static void add(crowd *c, uint32_t i, uint32_t k) {
    c->has[i][k] = next_stamp(c);
    assert_int_equal(keel_add_component(c->f.world, c->e[i], c->known[k], filled(c->has[i][k])),
                     KEEL_OK);
    check(c, i, k);
}

static void take_away(crowd *c, uint32_t i, uint32_t k, bool hand_out) {
    unsigned char out[2048] = { 0 };
    const keel_result expected = c->has[i][k] ? KEEL_OK : KEEL_ABSENT;
    assert_int_equal(keel_remove_component(c->f.world, c->e[i], c->known[k], hand_out ? out : NULL),
                     expected);
    for (uint32_t b = 0; hand_out && b < value_sizes[k % sizes]; ++b)
        assert_int_equal(out[b], c->has[i][k]);
    c->has[i][k] = 0;
    check(c, i, k);
}

// The entity is made anew with some components at once.
static void make_anew(crowd *c, uint32_t i, uint32_t first, uint32_t step) {
    keel_value values[components + 1] = { { 0 } };
    static unsigned char bytes[components][2048];
    uint32_t count = 0;
    assert_int_equal(keel_delete_entity(c->f.world, c->e[i]), KEEL_OK);
    assert_int_equal(keel_delete_entity(c->f.world, c->e[i]), KEEL_ABSENT);
    memset(c->has[i], 0, sizeof c->has[i]);
    for (uint32_t k = first; k < components; k += step) {
        c->has[i][k] = next_stamp(c);
        memset(bytes[count], c->has[i][k], sizeof bytes[count]);
        values[count] = (keel_value){ c->known[k], bytes[count] };
        ++count;
    }
    c->e[i] = keel_add_entity_values(c->f.world, values);
    assert_true(keel_is_alive(c->f.world, c->e[i]));
    for (uint32_t k = 0; k < components; ++k)
        check(c, i, k);
}

static void one_by_one_around_the_borders_of_blocks(void **state) {
    (void)state;
    static crowd c;
    crowd_begin(&c);
    static const uint32_t places[] = { 5, 63, 64, 6, 65, 127, 128, 191, 192, 199 };
    enum { count = sizeof places / sizeof *places };
    for (uint32_t k = 0; k < components; ++k) {
        for (uint32_t i = 0; i < count; ++i)
            add(&c, places[i], k);
        add(&c, places[3], k); // overwritten
        for (uint32_t i = 0; i < count; i += 2)
            take_away(&c, places[i], k, k % 2);
        take_away(&c, places[0], k, false); // absent
    }
    check_all(&c);
    api_end(&c.f);
}

static void edits_in_any_order(void **state) {
    (void)state;
    static crowd c;
    crowd_begin(&c);
    srand(7);
    for (uint32_t step = 0; step < 6000; ++step) {
        const uint32_t i = (uint32_t)rand() % entities, k = (uint32_t)rand() % components;
        switch (rand() % 8) {
        case 0:
            take_away(&c, i, k, true);
            break;
        case 1:
            take_away(&c, i, k, false);
            break;
        case 2:
            make_anew(&c, i, k, 1 + (uint32_t)rand() % 12);
            break;
        default:
            add(&c, i, k);
        }
    }
    check_all(&c);
    api_end(&c.f);
}

static void deleting_goes_on_the_long_way_where_it_must(void **state) {
    (void)state;
    api_fixture f;
    owned_begin();
    api_begin(&f);
    keel_entity e[3]; // neighbours, so that no block becomes empty before the last one
    for (uint32_t i = 0; i < 3; ++i) {
        e[i] = keel_add_entity(f.world, KEEL_INIT(Position, { 1, 1 }), KEEL_INIT(Level, { 2 }),
                               KEEL_INIT(Velocity, { 3, 3 }));
        assert_int_equal(keel_add(f.world, e[i], Owned, owned_make()), KEEL_OK);
        assert_int_equal(keel_add(f.world, e[i], Health, { 4 }), KEEL_OK);
    }
    assert_int_equal(keel_attach(f.world, e[1], e[0]), KEEL_OK);
    assert_int_equal(keel_disable(f.world, e[2], Level), KEEL_OK);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_int_equal(owned.living, 3 - i);
        assert_int_equal(keel_delete_entity(f.world, e[i]), KEEL_OK);
        assert_int_equal(keel_delete_entity(f.world, e[i]), KEEL_ABSENT);
        assert_int_equal(keel_count(f.world, Position), 2 - i);
        assert_int_equal(keel_count(f.world, Health), 2 - i);
        assert_int_equal(keel_entity_count(f.world), 2 - i);
    }
    assert_true(keel_is_null(keel_parent_of(f.world, e[1])));
    api_end(&f);
    assert_owned_end();
}

static void refused_edits_change_nothing(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity a = keel_add_entity(f.world, KEEL_INIT(Position, { 1, 1 }));
    const keel_entity b = keel_add_entity(f.world, KEEL_INIT(Level, { 1 }));
    assert_int_equal(keel_share_begin(f.world), KEEL_OK);
    assert_int_equal(keel_add(f.world, b, Position, { 2, 2 }), KEEL_ERROR_SHARED);
    assert_int_equal(keel_remove(f.world, a, Position), KEEL_ERROR_SHARED);
    assert_int_equal(keel_delete_entity(f.world, a), KEEL_ERROR_SHARED);
    assert_true(keel_is_null(keel_add_entity(f.world, KEEL_INIT(Position, { 2, 2 }))));
    assert_int_equal(keel_share_end(f.world), KEEL_OK);
    assert_error(f.world, KEEL_ERROR_SHARED, NULL);

    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_READ(Position, p)), "reader"),
                     KEEL_OK);
    assert_int_equal(keel_add(f.world, b, Position, { 2, 2 }), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_remove(f.world, a, Position), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_delete_entity(f.world, a), KEEL_ERROR_BORROWED);
    assert_true(keel_is_null(keel_add_entity(f.world, KEEL_INIT(Position, { 2, 2 }))));
    assert_int_equal(keel_delete(f.world, a, Position), KEEL_ERROR_BORROWED);
    keel_view_end(&view);
    assert_error(f.world, KEEL_ERROR_BORROWED, "reader");
    assert_int_equal(keel_entity_count(f.world), 2);
    assert_int_equal(keel_count(f.world, Position), 1);

    assert_int_equal(keel_add_component(f.world, a, NULL, NULL), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_remove_component(f.world, a, NULL, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, NULL);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(one_by_one_around_the_borders_of_blocks,
         "adding, overwriting and removing: every storage and size, next to others or alone"),
    TEST(edits_in_any_order, "single edits and entities with many components, in any order"),
    TEST(deleting_goes_on_the_long_way_where_it_must,
         "an entity with plain, owning and disabled components and a parent is deleted whole"),
    TEST(refused_edits_change_nothing, "edits in shared mode, of borrowed storages, of nothing"),
};

int main(void) { return RUN(tests); }
