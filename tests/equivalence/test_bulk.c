// SPDX-License-Identifier: MIT
// Many entities at once over every storage, with hierarchy and uniques beside.
#include "equivalence/everywhere.h"

#include <stdlib.h>
#include <string.h>

typedef struct Score {
    uint32_t value;
} Score;
KEEL_UNIQUE(Score);

enum { COUNT = 4096 * 2 + 300 };
static keel_entity e[COUNT], more[COUNT];
static Number values[COUNT];
static struct mixed {
    uint8_t before;
    Position position;
    Velocity velocity;
} rows[COUNT];

static void begin(api_fixture *f) {
    owned_begin();
    api_begin(f);
    for (uint32_t i = 0; i < COUNT; ++i) {
        values[i] = (Number){ i * 3 };
        rows[i] = (struct mixed){ 1, { (float)i, 2 }, { 3, (float)i } };
    }
}
static void end(api_fixture *f) {
    api_end(f);
    assert_owned_end();
}

// ------------------------------------------------------------------ adding
static void add_columns(api_fixture *f, uint32_t count) {
    assert_int_equal(keel_add_entities(f->world, count, e, KEEL_COLUMN(Number, values),
                                       KEEL_COLUMN_IN(Position, &rows[0].position, sizeof rows[0]),
                                       KEEL_FILL(Byte, { 9 }), KEEL_FILL(Vector),
                                       KEEL_FILL(Frozen)),
                     KEEL_OK);
}

static void assert_columns(api_fixture *f, uint32_t i) {
    assert_int_equal(keel_get(f->world, e[i], Number)->value, i * 3);
    assert_int_equal((uint32_t)keel_get(f->world, e[i], Position)->x, i);
    assert_int_equal(keel_get(f->world, e[i], Byte)->value, 9);
    assert_true(keel_get(f->world, e[i], Vector)->z == 0);
    assert_true(keel_has(f->world, e[i], Frozen));
    assert_false(keel_has(f->world, e[i], Velocity));
}

static void columns_become_values(void **state) {
    (void)state;
    static const uint32_t counts[] = { 0, 1, 2, 63, 64, 65, 4095, 4096, 4097, COUNT };
    for (uint32_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
        api_fixture f;
        begin(&f);
        add_columns(&f, counts[c]);
        assert_int_equal(keel_entity_count(f.world), counts[c]);
        assert_int_equal(keel_count(f.world, Frozen), counts[c]);
        for (uint32_t i = 0; i < counts[c]; ++i)
            assert_columns(&f, i);
        end(&f);
    }
}

// Free indices are used first, so the new entities lie in pieces.
static void columns_fill_holes(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    assert_int_equal(keel_add_entities(f.world, 600, more, KEEL_COLUMN(N1, (N1 *)values)), KEEL_OK);
    for (uint32_t i = 0; i < 600; ++i)
        if (i % 7 < 3 || (i > 200 && i < 340)) keel_delete_entity(f.world, more[i]);
    add_columns(&f, 1500);
    for (uint32_t i = 0; i < 1500; ++i)
        assert_columns(&f, i);
    for (uint32_t i = 0; i < 600; ++i)
        if (keel_is_alive(f.world, more[i]))
            assert_int_equal(keel_get(f.world, more[i], N1)->value, i * 3);
    const keel_term terms[] = { { .kind = KEEL_TERM_READ, .component = KEEL_OF(Number) },
                                { .kind = KEEL_TERM_OPTIONAL_READ, .component = KEEL_OF(N1) },
                                { .kind = KEEL_TERM_WRITE, .component = KEEL_OF(Position) },
                                { .kind = KEEL_TERM_END } };
    assert_view(f.world, terms);
    end(&f);
}

// All sizes, as a column of values and as copies of one.
static void columns_of_every_component(void **state) {
    (void)state;
    for (uint32_t k = 0; k < COMPONENTS; ++k) {
        const keel_component *c = every_component[k];
        if (c == KEEL_OF(Owned) || c == KEEL_OF(Placed)) continue; // below
        api_fixture f;
        const uint32_t count = c->size > 4096 ? 20 : 300;
        unsigned char *column = malloc((size_t)count * c->size + 1);
        begin(&f);
        for (uint32_t i = 0; i < count; ++i)
            fill_value(column + (size_t)i * c->size, c, handle_at(i, 0), 1);
        const keel_value_column each[] = { { c, column, c->size }, { NULL, NULL, 0 } };
        const keel_value_column one[] = { { c, column, 0 }, { NULL, NULL, 0 } };
        if (c->size) assert_int_equal(keel_add_entity_columns(f.world, count, e, each), KEEL_OK);
        else assert_int_equal(keel_add_entity_columns(f.world, count, e, one), KEEL_OK);
        assert_int_equal(keel_add_entity_columns(f.world, count, more, one), KEEL_OK);
        for (uint32_t i = 0; i < count; ++i) {
            assert_given(f.world, e[i], c, 1);
            assert_memory_equal(keel_get_component(f.world, more[i], c), column, c->size);
        }
        end(&f);
        free(column);
    }
}

static void columns_of_values_with_owners(void **state) {
    (void)state;
    api_fixture f;
    enum { FEW = 500 };
    static Owned given[FEW];
    begin(&f);
    for (uint32_t i = 0; i < FEW; ++i)
        given[i] = owned_make();
    assert_int_equal(
        keel_add_entities(f.world, FEW, e, KEEL_COLUMN(Owned, given), KEEL_FILL(Placed)), KEEL_OK);
    const Owned one = owned_make();
    assert_int_equal(
        keel_add_entities(f.world, FEW, more, KEEL_FILL(Number), KEEL_FILL(Owned, one)), KEEL_OK);
    owned_release(one); // was copied, not handed over
    assert_int_equal(owned.living, 2 * FEW);
    assert_int_equal(owned.drops, 0);
    owned.copies_left = 100;
    const Owned two = owned_make();
    assert_int_equal(keel_add_entities(f.world, FEW, NULL, KEEL_FILL(Byte), KEEL_FILL(Owned, two)),
                     KEEL_ERROR_COPY);
    keel_clear_errors(f.world);
    owned_release(two);
    owned.copies_left = UINT32_MAX;
    assert_int_equal(owned.living, 2 * FEW);
    assert_int_equal(keel_entity_count(f.world), 2 * FEW);
    assert_int_equal(keel_count(f.world, Byte), 0);
    assert_int_equal(keel_delete_entities(f.world, e, FEW), KEEL_OK);
    assert_int_equal(owned.living, FEW);
    end(&f);
}

// ------------------------------------------------------------------ copies
static void clones_have_all_components(void **state) {
    (void)state;
    api_fixture f;
    keel_entity copies[70];
    begin(&f);
    add_columns(&f, 100);
    for (uint32_t k = 0; k < COMPONENTS; ++k)
        give(f.world, e[33], every_component[k], 6);
    assert_int_equal(keel_clone_entities(f.world, e[33], 70, copies), KEEL_OK);
    for (uint32_t i = 0; i < 70; ++i)
        for (uint32_t k = 0; k < COMPONENTS; ++k) {
            const keel_component *c = every_component[k];
            const void *copy = keel_get_component(f.world, copies[i], c);
            assert_non_null(copy);
            if (c == KEEL_OF(Placed)) assert_ptr_equal(((const Placed *)copy)->self, copy);
            else if (c != KEEL_OF(Owned))
                assert_memory_equal(copy, keel_get_component(f.world, e[33], c), c->size);
        }
    assert_int_equal(owned.living, 71);
    const keel_entity bare = keel_add_entity(f.world);
    assert_null(keel_next_component_of(f.world, keel_clone_entity(f.world, bare), NULL));
    end(&f);
}

// ------------------------------------------------------------------ deleting
static void many_are_deleted_in_any_order(void **state) {
    (void)state;
    for (uint32_t way = 0; way < 4; ++way) {
        api_fixture f;
        numbers n = { way };
        begin(&f);
        add_columns(&f, COUNT);
        for (uint32_t i = 0; i < COUNT; i += 5)
            give(f.world, e[i], KEEL_OF(Owned), 0);
        for (uint32_t i = 0; i < COUNT; ++i) // which ones go
            more[i] = way == 0 ? e[i] : way == 1 ? e[COUNT - 1 - i] : e[next_below(&n, COUNT)];
        const uint32_t part = way == 3 ? COUNT / 3 : COUNT;
        assert_int_equal(keel_delete_entities(f.world, more, part), KEEL_OK);
        uint32_t living = 0, owners = 0;
        for (uint32_t i = 0; i < COUNT; ++i) {
            if (!keel_is_alive(f.world, e[i])) continue;
            ++living;
            owners += i % 5 == 0;
            assert_columns(&f, i);
        }
        assert_int_equal(keel_entity_count(f.world), living);
        assert_int_equal(keel_count(f.world, Number), living);
        assert_int_equal(owned.living, owners);
        keel_error error;
        assert_true(keel_world_check(f.world, &error));
        assert_int_equal(keel_clear_entities(f.world), KEEL_OK);
        assert_int_equal(keel_count(f.world, Position), 0);
        add_columns(&f, 300); // and again
        for (uint32_t i = 0; i < 300; ++i) {
            assert_int_equal(keel_entity_index(e[i]), i);
            assert_columns(&f, i);
        }
        end(&f);
    }
}

static void far_entities_have_values(void **state) {
    (void)state;
    static const uint32_t indices[] = { 63, 64, 4095, 4096, 12287, 65536, 262143, 262144, 1000000 };
    enum { FAR = sizeof indices / sizeof *indices };
    api_fixture f;
    begin(&f);
    for (uint32_t i = 0; i < FAR; ++i) {
        const keel_entity far = handle_at(indices[i], i);
        assert_int_equal(keel_add_entity_at(f.world, far), KEEL_OK);
        for (uint32_t k = 0; k < COMPONENTS; ++k)
            give(f.world, far, every_component[k], i);
    }
    for (uint32_t i = 0; i < FAR; ++i)
        for (uint32_t k = 0; k < COMPONENTS; ++k)
            assert_given(f.world, handle_at(indices[i], i), every_component[k], i);
    for (uint32_t k = 0; k < COMPONENTS; ++k) {
        const keel_term terms[] = { { .kind = KEEL_TERM_WITH, .component = every_component[k] },
                                    { .kind = KEEL_TERM_OPTIONAL_READ,
                                      .component = KEEL_OF(Number) },
                                    { .kind = KEEL_TERM_END } };
        if (every_component[k] != KEEL_OF(Number)) assert_view(f.world, terms);
    }
    for (uint32_t i = 0; i < FAR; i += 2)
        keel_delete_entity(f.world, handle_at(indices[i], i));
    assert_int_equal(keel_count(f.world, Huge), FAR / 2);
    end(&f);
}

// ------------------------------------------------------------------ beside
static void links_and_uniques_are_beside(void **state) {
    (void)state;
    api_fixture f;
    enum { TREE = 120 };
    begin(&f);
    keel_set_unique(f.world, Score, { 11 });
    add_columns(&f, TREE);
    for (uint32_t i = 1; i < TREE; ++i)
        assert_int_equal(keel_attach(f.world, e[i], e[(i - 1) / 3]), KEEL_OK);
    for (uint32_t i = 0; i < TREE; ++i) // rows move, links stay
        if (i % 2) keel_delete(f.world, e[i], Position, Byte);
        else keel_add(f.world, e[i], Velocity, { 1, 1 });
    for (uint32_t i = 1; i < TREE; ++i)
        assert_same_entity(keel_parent_of(f.world, e[i]), e[(i - 1) / 3]);
    const keel_term terms[] = { { .kind = KEEL_TERM_WITH, .component = KEEL_OF(keel_child) },
                                { .kind = KEEL_TERM_WRITE, .component = KEEL_OF(Number) },
                                { .kind = KEEL_TERM_WITHOUT, .component = KEEL_OF(Velocity) },
                                { .kind = KEEL_TERM_END } };
    assert_view(f.world, terms);
    const keel_entity child =
        keel_add_child(f.world, e[50], KEEL_INIT(Number, { 5 }), KEEL_INIT(N8));
    assert_same_entity(keel_parent_of(f.world, child), e[50]);
    assert_int_equal(keel_delete_tree(f.world, e[1]), KEEL_OK);
    assert_false(keel_is_alive(f.world, e[13]));
    assert_true(keel_is_alive(f.world, e[2]));
    assert_int_equal(keel_strip(f.world, e[0]), KEEL_OK);
    assert_true(keel_is_null(keel_parent_of(f.world, e[2])));
    assert_int_equal(keel_get_unique(f.world, Score)->value, 11);
    assert_int_equal(keel_clear_entities(f.world), KEEL_OK);
    assert_int_equal(keel_get_unique(f.world, Score)->value, 11);
    end(&f);
}

static void unregistered_components_are_gone(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    add_columns(&f, 200);
    for (uint32_t i = 0; i < 200; i += 2)
        give(f.world, e[i], KEEL_OF(Owned), 0);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Owned)), KEEL_OK);
    assert_int_equal(owned.living, 0);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Number)), KEEL_OK);
    for (uint32_t i = 0; i < 200; ++i) {
        assert_false(keel_has(f.world, e[i], Number));
        assert_int_equal((uint32_t)keel_get(f.world, e[i], Position)->x, i);
    }
    keel_add(f.world, e[7], Number, { 7 }); // known again
    assert_int_equal(keel_count(f.world, Number), 1);
    end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(columns_become_values, "columns become values, to pages and beyond"),
    TEST(columns_fill_holes, "columns fill holes"),
    TEST(columns_of_every_component, "columns and copies of every component"),
    TEST(columns_of_values_with_owners, "columns of values with owners"),
    TEST(clones_have_all_components, "clones have all components"),
    TEST(many_are_deleted_in_any_order, "many are deleted in any order"),
    TEST(far_entities_have_values, "far entities have values"),
    TEST(links_and_uniques_are_beside, "the hierarchy and uniques are beside all storages"),
    TEST(unregistered_components_are_gone, "unregistered components are gone"),
};

EVERYWHERE(tests)
