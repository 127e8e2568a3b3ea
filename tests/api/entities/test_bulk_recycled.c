// SPDX-License-Identifier: MIT
// Bulk edits on indices that were used before: they come back descending. And lists that name
// entities twice, or dead ones.
#include "support/api_types.h"

#include <stdlib.h>
#include <string.h>

typedef struct Wide {
    uint32_t part[3];
} Wide;
typedef struct Huge { // each value has a page of its own
    uint32_t first, rest[511];
} Huge;
typedef struct Row {
    uint32_t value;
} Row;
typedef struct Second {
    uint32_t value, twice;
} Second;
KEEL_COMPONENT(Wide, .storage = KEEL_INDEXED, .no_padding = true);
KEEL_COMPONENT(Huge, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE, .no_padding = true);
KEEL_COMPONENT(Second, .no_padding = true);

enum { COUNT = 10000, FEW = 70 };
static keel_entity e[COUNT], again[COUNT];
static Wide wide[COUNT];
static Row row[COUNT];
static Second second[COUNT];
static Huge huge[FEW];

static void fill_columns(void) {
    for (uint32_t i = 0; i < COUNT; ++i) {
        wide[i] = (Wide){ { i, i + 1, i + 2 } };
        row[i] = (Row){ i * 3 };
        second[i] = (Second){ i, i * 2 };
    }
    for (uint32_t i = 0; i < FEW; ++i)
        huge[i] = (Huge){ .first = i * 5 };
}

static keel_result add_many(keel_world *world, keel_entity *out) {
    return keel_add_entities(world, COUNT, out, KEEL_COLUMN(Wide, wide), KEEL_COLUMN(Row, row),
                             KEEL_COLUMN(Second, second));
}

static void check_values(keel_world *world, const keel_entity *list) {
    for (uint32_t i = 0; i < COUNT; ++i) {
        assert_int_equal(keel_get(world, list[i], Wide)->part[2], i + 2);
        assert_int_equal(keel_get(world, list[i], Row)->value, i * 3);
        assert_int_equal(keel_get(world, list[i], Second)->twice, i * 2);
    }
}

// Every value finds its entity although the range is filled backwards, over pages and blocks.
static void descending_indices_get_their_values(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    fill_columns();
    assert_int_equal(add_many(f.world, e), KEEL_OK);
    check_values(f.world, e);
    assert_int_equal(keel_delete_entities(f.world, e, COUNT), KEEL_OK);
    assert_int_equal(keel_entity_count(f.world), 0);
    assert_int_equal(add_many(f.world, again), KEEL_OK);
    assert_int_equal(keel_entity_index(again[0]), COUNT - 1); // the last deleted comes first
    check_values(f.world, again);
    api_end(&f);
}

// As many single adds: the same handles in the same order, the same world.
static void bulk_on_recycled_indices_is_as_many_single_adds(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    fill_columns();
    keel_world *other = keel_world_create(NULL);
    keel_world *worlds[] = { f.world, other };
    for (uint32_t w = 0; w < 2; ++w) {
        assert_int_equal(add_many(worlds[w], e), KEEL_OK);
        for (uint32_t i = 0; i < COUNT; i += i % 97 ? 1 : 2) // ranges of many lengths stay
            assert_int_equal(keel_delete_entity(worlds[w], e[i]), KEEL_OK);
    }
    assert_int_equal(add_many(f.world, again), KEEL_OK);
    for (uint32_t i = 0; i < COUNT; ++i) {
        const keel_entity one = keel_add_entity(
            other, KEEL_INIT(Wide, wide[i]), KEEL_INIT(Row, row[i]), KEEL_INIT(Second, second[i]));
        assert_true(keel_is_same(one, again[i]));
    }
    check_values(f.world, again);
    uint64_t hashes[2];
    for (uint32_t w = 0; w < 2; ++w)
        assert_int_equal(keel_world_hash(worlds[w], &hashes[w]), KEEL_OK);
    assert_true(hashes[0] == hashes[1]);
    keel_world_destroy(other);
    api_end(&f);
}

static void values_with_pages_of_their_own_descend_too(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    fill_columns();
    assert_int_equal(keel_add_entities(f.world, FEW, e, KEEL_COLUMN(Huge, huge)), KEEL_OK);
    assert_int_equal(keel_delete_entities(f.world, e, FEW), KEEL_OK);
    assert_int_equal(keel_add_entities(f.world, FEW, again, KEEL_COLUMN(Huge, huge)), KEEL_OK);
    for (uint32_t i = 0; i < FEW; ++i)
        assert_int_equal(keel_get(f.world, again[i], Huge)->first, i * 5);
    api_end(&f);
}

// Twice in the list, near and far, dead, null and invented: each living entity goes once.
static void lists_may_name_entities_twice(void **state) {
    (void)state;
    api_fixture f;
    static keel_entity list[2 * COUNT + 4];
    api_begin(&f);
    fill_columns();
    assert_int_equal(add_many(f.world, e), KEEL_OK);
    const keel_entity dead = e[5];
    assert_int_equal(keel_delete_entity(f.world, dead), KEEL_OK);
    const keel_entity alive = keel_add_entity(f.world, KEEL_INIT(Row, { 7 })); // on its index
    uint32_t n = 0;
    list[n++] = dead;
    list[n++] = keel_null();
    for (uint32_t i = 0; i < COUNT; i += 2) {
        list[n++] = e[i];
        if (i % 3 == 0) list[n++] = e[i];
    }
    for (uint32_t i = 0; i < COUNT; i += 128)
        list[n++] = e[i];
    list[n++] = keel_entity_make(COUNT + 5, 3);
    assert_int_equal(keel_delete_entities(f.world, list, n), KEEL_OK);
    assert_int_equal(keel_entity_count(f.world), COUNT / 2);
    assert_int_equal(keel_count(f.world, Row), COUNT / 2);
    assert_int_equal(keel_count(f.world, Wide), COUNT / 2 - 1);
    assert_int_equal(keel_count(f.world, Second), COUNT / 2 - 1);
    assert_int_equal(keel_get(f.world, alive, Row)->value, 7);
    for (uint32_t i = 1; i < COUNT; i += 2)
        if (i != 5) assert_int_equal(keel_get(f.world, e[i], Second)->value, i);
    assert_int_equal(keel_delete_entities(f.world, list, n), KEEL_ABSENT);
    api_end(&f);
}

// Relatives that are not in the list live on without their links.
static void lists_of_relatives_leave_whole_trees(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity root = keel_add_entity(f.world, KEEL_INIT(Row, { 1 }));
    const keel_entity child = keel_add_child(f.world, root, KEEL_INIT(Row, { 2 }));
    const keel_entity other = keel_add_child(f.world, root, KEEL_INIT(Row, { 3 }));
    const keel_entity grandchild = keel_add_child(f.world, child, KEEL_INIT(Row, { 4 }));
    const keel_entity list[] = { child, child };
    assert_int_equal(keel_delete_entities(f.world, list, 2), KEEL_OK);
    assert_int_equal(keel_child_count(f.world, root), 1);
    assert_true(keel_is_same(keel_first_child(f.world, root), other));
    assert_true(keel_is_null(keel_parent_of(f.world, grandchild)));
    assert_int_equal(keel_entity_count(f.world), 3);
    api_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descending_indices_get_their_values),
        cmocka_unit_test(bulk_on_recycled_indices_is_as_many_single_adds),
        cmocka_unit_test(values_with_pages_of_their_own_descend_too),
        cmocka_unit_test(lists_may_name_entities_twice),
        cmocka_unit_test(lists_of_relatives_leave_whole_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
