// SPDX-License-Identifier: MIT
// The reference model itself: a model that is wrong would hide what is wrong in Keel.
#include "world_model.h"

#include "support/test.h"

#include <stdlib.h>
#include <string.h>

static keel_entity make(uint32_t version, uint32_t index) {
    return keel_entity_make(index, version);
}

static void assert_entity(keel_entity e, uint32_t version, uint32_t index) {
    assert_int_equal(keel_entity_version(e), version);
    assert_int_equal(keel_entity_index(e), index);
}

static void assert_added(model_world *world, uint32_t version, uint32_t index) {
    assert_entity(model_add_entity(world), version, index);
}

static void add_entities(model_world *world, keel_entity *out, size_t count) {
    for (size_t i = 0; i < count; i++)
        out[i] = model_add_entity(world);
}

static void add_u32(model_world *world, keel_entity e, uint32_t kind, uint32_t value) {
    assert_int_equal(model_add(world, e, kind, &value), KEEL_OK);
}

static void assert_u32(const model_world *world, keel_entity e, uint32_t kind, uint32_t expected) {
    const uint32_t *value = model_get(world, e, kind);
    assert_non_null(value);
    assert_int_equal(*value, expected);
}

static void assert_same_list(const keel_entity *list, size_t count, const keel_entity *expected,
                             size_t expected_count) {
    assert_int_equal(count, expected_count);
    for (size_t i = 0; i < count; i++)
        assert_true(keel_is_same(list[i], expected[i]));
}

// Room for the lists of all tests.
enum { LIST_SIZE = 16 };

static void assert_children(const model_world *world, keel_entity parent,
                            const keel_entity *expected, size_t expected_count) {
    keel_entity list[LIST_SIZE];
    const size_t count = model_child_count(world, parent);
    for (size_t i = 0; i < count; i++)
        list[i] = model_child(world, parent, i);
    assert_same_list(list, count, expected, expected_count);
}

static void assert_descendants(const model_world *world, keel_entity root,
                               const keel_entity *expected, size_t expected_count) {
    keel_entity list[LIST_SIZE];
    const size_t count = model_list_descendants(world, root, list);
    assert_same_list(list, count, expected, expected_count);
}

static void assert_query(const model_world *world, const model_query *query,
                         const keel_entity *expected, size_t expected_count) {
    keel_entity list[LIST_SIZE];
    const size_t count = model_list(world, query, list);
    assert_same_list(list, count, expected, expected_count);
}

static void assert_parent(const model_world *world, keel_entity e, keel_entity parent) {
    assert_true(keel_is_same(model_parent_of(world, e), parent));
}

static void end_world(model_world *world) {
    assert_true(model_is_valid(world));
    model_deinit(world);
}

// The two arguments for a list of handles: the array and its length.
#define LIST(...) ARRAY(__VA_ARGS__), sizeof(ARRAY(__VA_ARGS__)) / sizeof(keel_entity)
#define ARRAY(...) ((const keel_entity[]){ __VA_ARGS__ })
#define EMPTY NULL, 0

// Entities

static void new_indices_ascend(void **state) {
    (void)state;
    model_world world = { 0 };
    for (uint32_t i = 0; i < 5; i++)
        assert_added(&world, 0, i);
    assert_int_equal(model_entity_count(&world), 5);
    end_world(&world);
}

static void the_last_freed_index_is_used_first(void **state) {
    (void)state;
    model_world world = { 0 };
    keel_entity e[5];
    add_entities(&world, e, 5);
    assert_int_equal(model_delete_entity(&world, e[0]), KEEL_OK);
    assert_int_equal(model_delete_entity(&world, e[2]), KEEL_OK);
    assert_false(model_is_alive(&world, make(1, 0)));
    assert_false(model_is_alive(&world, make(1, 2)));
    assert_added(&world, 1, 2);
    assert_added(&world, 1, 0);
    assert_added(&world, 0, 5);
    assert_false(model_is_alive(&world, e[0]));
    assert_false(model_is_alive(&world, e[2]));
    assert_true(model_is_alive(&world, make(1, 0)));
    assert_true(model_is_alive(&world, make(1, 2)));
    end_world(&world);
}

static void a_second_delete_finds_nothing(void **state) {
    (void)state;
    model_world world = { 0 };
    const keel_entity e = model_add_entity(&world);
    assert_int_equal(model_delete_entity(&world, e), KEEL_OK);
    assert_int_equal(model_delete_entity(&world, e), KEEL_ABSENT);
    assert_int_equal(model_delete_entity(&world, make(1, 0)), KEEL_ABSENT);
    assert_int_equal(model_entity_count(&world), 0);
    assert_added(&world, 1, 0);
    assert_int_equal(model_delete_entity(&world, e), KEEL_ABSENT);
    assert_int_equal(model_entity_count(&world), 1);
    end_world(&world);
}

static void null_and_invented_handles_are_not_alive(void **state) {
    (void)state;
    model_world world = { 0 };
    assert_false(model_is_alive(&world, keel_null()));
    assert_false(model_is_alive(&world, make(0, 0)));
    model_add_entity(&world);
    assert_false(model_is_alive(&world, keel_null()));
    assert_false(model_is_alive(&world, make(1, 0)));
    assert_false(model_is_alive(&world, make(0, 1)));
    assert_int_equal(model_delete_entity(&world, keel_null()), KEEL_ABSENT);
    end_world(&world);
}

static void after_clear_indices_ascend_with_higher_versions(void **state) {
    (void)state;
    model_world world = { 0 };
    keel_entity e[4];
    add_entities(&world, e, 4);
    model_delete_entity(&world, e[3]);
    model_delete_entity(&world, e[1]);
    model_clear_entities(&world);
    assert_int_equal(model_entity_count(&world), 0);
    for (uint32_t i = 0; i < 4; i++)
        assert_added(&world, 1, i);
    assert_added(&world, 0, 4);
    end_world(&world);
}

static void clear_keeps_kinds_and_uniques(void **state) {
    (void)state;
    model_world world = { 0 };
    const uint32_t kind = model_add_kind(&world, sizeof(uint32_t));
    add_u32(&world, model_add_entity(&world), kind, 1);
    model_set_unique(&world, kind, &(uint32_t){ 7 });
    model_clear_entities(&world);
    assert_int_equal(model_component_count(&world, kind), 0);
    assert_int_equal(*(const uint32_t *)model_get_unique(&world, kind), 7);
    add_u32(&world, model_add_entity(&world), kind, 2);
    end_world(&world);
}

static void skipped_indices_come_after_the_free_list(void **state) {
    (void)state;
    model_world world = { 0 };
    const keel_entity first = model_add_entity(&world);
    assert_int_equal(model_add_entity_at(&world, make(7, 4)), KEEL_OK);
    assert_int_equal(model_add_entity_at(&world, make(0, 2)), KEEL_OK);
    assert_true(model_is_alive(&world, make(7, 4)));
    model_delete_entity(&world, make(7, 4));
    model_delete_entity(&world, first);
    assert_added(&world, 1, 0);
    assert_added(&world, 8, 4);
    assert_added(&world, 0, 1);
    assert_added(&world, 0, 3);
    assert_added(&world, 0, 5);
    end_world(&world);
}

static void after_clear_skipped_indices_come_last(void **state) {
    (void)state;
    model_world world = { 0 };
    model_add_entity_at(&world, make(0, 3));
    model_add_entity_at(&world, make(0, 1));
    model_clear_entities(&world);
    assert_added(&world, 1, 1);
    assert_added(&world, 1, 3);
    assert_added(&world, 0, 0);
    assert_added(&world, 0, 2);
    assert_added(&world, 0, 4);
    end_world(&world);
}

static void add_at_takes_a_freed_index_out_of_the_free_list(void **state) {
    (void)state;
    model_world world = { 0 };
    keel_entity e[3];
    add_entities(&world, e, 3);
    for (size_t i = 0; i < 3; i++)
        model_delete_entity(&world, e[i]);
    assert_int_equal(model_add_entity_at(&world, make(9, 1)), KEEL_OK);
    assert_true(model_is_alive(&world, make(9, 1)));
    assert_added(&world, 1, 2);
    assert_added(&world, 1, 0);
    assert_added(&world, 0, 3);
    model_delete_entity(&world, make(9, 1));
    assert_added(&world, 10, 1);
    end_world(&world);
}

static void add_at_refuses_an_index_in_use(void **state) {
    (void)state;
    model_world world = { 0 };
    const keel_entity e = model_add_entity(&world);
    assert_int_equal(model_add_entity_at(&world, e), KEEL_ERROR_OCCUPIED);
    assert_int_equal(model_add_entity_at(&world, make(5, 0)), KEEL_ERROR_OCCUPIED);
    assert_true(model_is_alive(&world, e));
    assert_int_equal(model_entity_count(&world), 1);
    end_world(&world);
}

static void assert_refused_at(model_world *world, keel_entity_bits bits) {
    const keel_entity e = { bits };
    assert_int_equal(model_add_entity_at(world, e), KEEL_ERROR_DEAD_ENTITY);
}

static void add_at_refuses_impossible_handles(void **state) {
    (void)state;
    model_world world = { 0 };
    const keel_entity_bits index_bits = ((keel_entity_bits)1 << KEEL_ENTITY_INDEX_BITS) - 1;
    assert_refused_at(&world, 0);
    assert_refused_at(&world, 5);
    if (index_bits > KEEL_MAX_ENTITY_INDEX) { // 32-bit handles have no bits to spare
        assert_refused_at(&world, make(0, 0).bits | index_bits);
        assert_refused_at(&world, ~index_bits);
    }
    assert_int_equal(model_entity_count(&world), 0);
    end_world(&world);
}

static void the_highest_index_can_be_used(void **state) {
    (void)state;
    model_world world = { 0 };
    const keel_entity e = make(3, KEEL_MAX_ENTITY_INDEX);
    assert_int_equal(model_add_entity_at(&world, e), KEEL_OK);
    assert_added(&world, 0, 0);
    model_delete_entity(&world, e);
    assert_added(&world, 4, KEEL_MAX_ENTITY_INDEX);
    assert_added(&world, 0, 1);
    end_world(&world);
}

static void without_an_index_left_add_gives_null(void **state) {
    (void)state;
    if (KEEL_ENTITY_INDEX_BITS > 20) skip(); // too many to try
    const size_t count = (size_t)KEEL_MAX_ENTITY_INDEX + 1;
    model_world world = { .slots = calloc(count, sizeof(model_slot)), .slot_count = count - 1 };
    for (size_t i = 0; i < world.slot_count; i++) {
        world.slots[i].handle = make(0, (uint32_t)i);
        world.slots[i].is_alive = true;
    }
    assert_added(&world, 0, KEEL_MAX_ENTITY_INDEX);
    assert_true(keel_is_null(model_add_entity(&world)));
    assert_int_equal(model_entity_count(&world), count);
    end_world(&world);
}

static void an_index_without_versions_left_is_retired(void **state) {
    (void)state;
    model_world world = { 0 };
    const keel_entity last = make(KEEL_MAX_ENTITY_VERSION, 0);
    assert_int_equal(model_add_entity_at(&world, make(KEEL_MAX_ENTITY_VERSION - 1, 0)), KEEL_OK);
    model_delete_entity(&world, make(KEEL_MAX_ENTITY_VERSION - 1, 0));
    assert_added(&world, KEEL_MAX_ENTITY_VERSION, 0);
    assert_int_equal(model_delete_entity(&world, last), KEEL_OK);
    assert_false(model_is_alive(&world, last));
    assert_added(&world, 0, 1);
    assert_int_equal(model_add_entity_at(&world, make(0, 0)), KEEL_ERROR_FULL);
    model_clear_entities(&world);
    assert_added(&world, 1, 1);
    assert_added(&world, 0, 2);
    end_world(&world);
}

static void a_list_is_deleted_from_first_to_last(void **state) {
    (void)state;
    model_world world = { 0 };
    keel_entity e[4];
    add_entities(&world, e, 4);
    const keel_entity list[] = { e[2], keel_null(), e[0], e[2] };
    assert_int_equal(model_delete_entities(&world, list, 4), KEEL_OK);
    assert_int_equal(model_delete_entities(&world, list, 4), KEEL_ABSENT);
    assert_int_equal(model_delete_entities(&world, EMPTY), KEEL_ABSENT);
    assert_query(&world, NULL, LIST(e[1], e[3]));
    assert_added(&world, 1, 0);
    assert_added(&world, 1, 2);
    end_world(&world);
}

static void delete_with_deletes_whole_entities(void **state) {
    (void)state;
    model_world world = { 0 };
    const uint32_t a = model_add_kind(&world, sizeof(uint32_t));
    const uint32_t b = model_add_kind(&world, 0);
    keel_entity e[4];
    add_entities(&world, e, 4);
    add_u32(&world, e[3], a, 3);
    add_u32(&world, e[1], a, 1);
    model_add(&world, e[1], b, NULL);
    model_add(&world, e[2], b, NULL);
    assert_int_equal(model_delete_with(&world, a), KEEL_OK);
    assert_int_equal(model_delete_with(&world, a), KEEL_ABSENT);
    assert_query(&world, NULL, LIST(e[0], e[2]));
    assert_int_equal(model_component_count(&world, b), 1);
    assert_added(&world, 1, 1);
    assert_added(&world, 1, 3);
    end_world(&world);
}

static void a_world_can_be_used_again_after_deinit(void **state) {
    (void)state;
    model_world world = { 0 };
    const uint32_t kind = model_add_kind(&world, sizeof(uint32_t));
    add_u32(&world, model_add_entity(&world), kind, 1);
    model_set_unique(&world, kind, NULL);
    model_delete_entity(&world, model_add_entity(&world));
    model_deinit(&world);
    assert_int_equal(model_entity_count(&world), 0);
    assert_int_equal(model_add_kind(&world, 8), 0);
    assert_null(model_get_unique(&world, 0));
    assert_added(&world, 0, 0);
    assert_added(&world, 0, 1);
    end_world(&world);
}

// Components

static void a_component_is_added_and_overwritten(void **state) {
    (void)state;
    model_world world = { 0 };
    const uint32_t kind = model_add_kind(&world, sizeof(uint32_t));
    keel_entity e[2];
    add_entities(&world, e, 2);
    assert_false(model_has(&world, e[0], kind));
    assert_null(model_get(&world, e[0], kind));
    add_u32(&world, e[0], kind, 1);
    add_u32(&world, e[1], kind, 9);
    add_u32(&world, e[0], kind, 2);
    assert_true(model_has(&world, e[0], kind));
    assert_u32(&world, e[0], kind, 2);
    assert_u32(&world, e[1], kind, 9);
    assert_int_equal(model_component_count(&world, kind), 2);
    end_world(&world);
}

static void a_value_changes_in_place(void **state) {
    (void)state;
    model_world world = { 0 };
    const uint32_t kind = model_add_kind(&world, sizeof(uint32_t));
    const keel_entity e = model_add_entity(&world);
    assert_null(model_get_mut(&world, e, kind));
    assert_int_equal(model_add(&world, e, kind, NULL), KEEL_OK);
    assert_u32(&world, e, kind, 0);
    *(uint32_t *)model_get_mut(&world, e, kind) = 5;
    assert_u32(&world, e, kind, 5);
    end_world(&world);
}

static void kinds_come_at_run_time_in_any_size(void **state) {
    (void)state;
    model_world world = { 0 };
    const keel_entity e = model_add_entity(&world);
    unsigned char bytes[300];
    for (uint32_t size = 0; size < 300; size++) {
        assert_int_equal(model_add_kind(&world, size), size);
        memset(bytes, (int)(size % 251), sizeof bytes);
        assert_int_equal(model_add(&world, e, size, bytes), KEEL_OK);
    }
    for (uint32_t size = 0; size < 300; size++) {
        memset(bytes, (int)(size % 251), sizeof bytes);
        assert_memory_equal(model_get(&world, e, size), bytes, size);
    }
    end_world(&world);
}

static void remove_hands_the_value_out(void **state) {
    (void)state;
    model_world world = { 0 };
    const uint32_t kind = model_add_kind(&world, sizeof(uint32_t));
    const keel_entity e = model_add_entity(&world);
    uint32_t out = 77;
    assert_int_equal(model_remove(&world, e, kind, &out), KEEL_ABSENT);
    assert_int_equal(out, 77);
    add_u32(&world, e, kind, 3);
    assert_int_equal(model_remove(&world, e, kind, &out), KEEL_OK);
    assert_int_equal(out, 3);
    assert_false(model_has(&world, e, kind));
    assert_true(model_is_alive(&world, e));
    end_world(&world);
}

static void delete_takes_one_component(void **state) {
    (void)state;
    model_world world = { 0 };
    const uint32_t a = model_add_kind(&world, sizeof(uint32_t));
    const uint32_t tag = model_add_kind(&world, 0);
    const keel_entity e = model_add_entity(&world);
    add_u32(&world, e, a, 1);
    model_add(&world, e, tag, NULL);
    assert_int_equal(model_delete(&world, e, tag), KEEL_OK);
    assert_int_equal(model_delete(&world, e, tag), KEEL_ABSENT);
    assert_false(model_has(&world, e, tag));
    assert_u32(&world, e, a, 1);
    end_world(&world);
}

static void strip_leaves_an_entity_with_nothing(void **state) {
    (void)state;
    model_world world = { 0 };
    const uint32_t kind = model_add_kind(&world, sizeof(uint32_t));
    keel_entity e[3];
    add_entities(&world, e, 3);
    add_u32(&world, e[1], kind, 1);
    model_attach(&world, e[1], e[0]);
    model_attach(&world, e[2], e[1]);
    assert_int_equal(model_strip(&world, e[1]), KEEL_OK);
    assert_int_equal(model_strip(&world, e[1]), KEEL_ABSENT);
    assert_true(model_is_alive(&world, e[1]));
    assert_false(model_has(&world, e[1], kind));
    assert_parent(&world, e[1], keel_null());
    assert_parent(&world, e[2], keel_null());
    assert_children(&world, e[0], EMPTY);
    assert_int_equal(model_strip(&world, e[0]), KEEL_ABSENT);
    end_world(&world);
}

static void strip_counts_links_as_components(void **state) {
    (void)state;
    model_world world = { 0 };
    keel_entity e[2];
    add_entities(&world, e, 2);
    model_attach(&world, e[1], e[0]);
    assert_int_equal(model_strip(&world, e[0]), KEEL_OK);
    assert_parent(&world, e[1], keel_null());
    end_world(&world);
}

static void clear_takes_a_component_from_all(void **state) {
    (void)state;
    model_world world = { 0 };
    const uint32_t a = model_add_kind(&world, sizeof(uint32_t));
    const uint32_t b = model_add_kind(&world, sizeof(uint32_t));
    keel_entity e[3];
    add_entities(&world, e, 3);
    add_u32(&world, e[0], a, 1);
    add_u32(&world, e[2], a, 2);
    add_u32(&world, e[2], b, 3);
    assert_int_equal(model_clear(&world, a), KEEL_OK);
    assert_int_equal(model_clear(&world, a), KEEL_ABSENT);
    assert_int_equal(model_component_count(&world, a), 0);
    assert_u32(&world, e[2], b, 3);
    assert_int_equal(model_entity_count(&world), 3);
    end_world(&world);
}

static void a_dead_entity_has_and_takes_nothing(void **state) {
    (void)state;
    model_world world = { 0 };
    const uint32_t kind = model_add_kind(&world, sizeof(uint32_t));
    const keel_entity e = model_add_entity(&world);
    add_u32(&world, e, kind, 1);
    model_delete_entity(&world, e);
    assert_false(model_has(&world, e, kind));
    assert_null(model_get(&world, e, kind));
    assert_null(model_get_mut(&world, e, kind));
    assert_int_equal(model_add(&world, e, kind, NULL), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(model_remove(&world, e, kind, NULL), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(model_delete(&world, e, kind), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(model_strip(&world, e), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(model_component_count(&world, kind), 0);
    end_world(&world);
}

static void an_index_used_again_starts_with_nothing(void **state) {
    (void)state;
    model_world world = { 0 };
    const uint32_t kind = model_add_kind(&world, sizeof(uint32_t));
    keel_entity e[2];
    add_entities(&world, e, 2);
    add_u32(&world, e[0], kind, 1);
    model_attach(&world, e[1], e[0]);
    model_delete_entity(&world, e[0]);
    const keel_entity again = model_add_entity(&world);
    assert_entity(again, 1, 0);
    assert_false(model_has(&world, again, kind));
    assert_children(&world, again, EMPTY);
    end_world(&world);
}

// Queries

static void a_query_lists_entities_that_have_and_lack(void **state) {
    (void)state;
    model_world world = { 0 };
    const uint32_t a = model_add_kind(&world, 0), b = model_add_kind(&world, 0);
    keel_entity e[5];
    add_entities(&world, e, 5);
    model_add(&world, e[4], a, NULL);
    model_add(&world, e[1], a, NULL);
    model_add(&world, e[3], a, NULL);
    model_add(&world, e[1], b, NULL);
    model_add(&world, e[2], b, NULL);
    model_delete_entity(&world, e[3]);
    const uint32_t both[] = { a, b };
    assert_query(&world, NULL, LIST(e[0], e[1], e[2], e[4]));
    assert_query(&world, &(model_query){ 0 }, LIST(e[0], e[1], e[2], e[4]));
    assert_query(&world, &(model_query){ .with = &a, .with_count = 1 }, LIST(e[1], e[4]));
    assert_query(&world, &(model_query){ .with = both, .with_count = 2 }, LIST(e[1]));
    assert_query(&world, &(model_query){ .without = both, .without_count = 2 }, LIST(e[0]));
    assert_query(&world, &(model_query){ &a, 1, &b, 1 }, LIST(e[4]));
    assert_query(&world, &(model_query){ &a, 1, &a, 1 }, EMPTY);
    end_world(&world);
}

static void lists_ascend_by_index(void **state) {
    (void)state;
    model_world world = { 0 };
    const keel_entity high = make(0, 100), middle = make(4, 50);
    model_add_entity_at(&world, high);
    model_add_entity_at(&world, middle);
    const keel_entity low = model_add_entity(&world);
    assert_query(&world, NULL, LIST(low, middle, high));
    end_world(&world);
}

// Uniques

static void what_is_required_comes_along_and_stays(void **state) {
    (void)state;
    model_world world = { 0 };
    keel_entity e[2];
    static const uint32_t begins = 7;
    enum { ROOT, STEM, LEAF };
    for (uint32_t kind = ROOT; kind <= LEAF; kind++)
        assert_int_equal(model_add_kind(&world, sizeof(uint32_t)), kind);
    model_require(&world, LEAF, STEM);
    model_require(&world, STEM, ROOT);
    model_set_initial(&world, ROOT, &begins);
    assert_int_equal(model_required_of(&world, LEAF), 1 << STEM | 1 << ROOT);
    assert_int_equal(model_required_of(&world, ROOT), 0);
    add_entities(&world, e, 2);
    add_u32(&world, e[0], LEAF, 3);
    assert_u32(&world, e[0], STEM, 0);
    assert_u32(&world, e[0], ROOT, 7);
    add_u32(&world, e[1], ROOT, 1);
    add_u32(&world, e[1], STEM, 2);
    assert_u32(&world, e[1], ROOT, 1); // whoever has it keeps it
    assert_int_equal(model_may_take(&world, e[0], 1 << ROOT), KEEL_ERROR_REQUIRED);
    assert_int_equal(model_may_take(&world, e[0], 1 << ROOT | 1 << STEM), KEEL_ERROR_REQUIRED);
    assert_int_equal(model_may_take(&world, e[0], 1 << ROOT | 1 << STEM | 1 << LEAF), KEEL_OK);
    assert_int_equal(model_may_take(&world, e[0], 1 << LEAF), KEEL_OK);
    assert_int_equal(model_may_clear(&world, STEM), KEEL_ERROR_REQUIRED);
    assert_int_equal(model_delete(&world, e[0], LEAF), KEEL_OK);
    assert_true(model_has(&world, e[0], STEM));
    assert_int_equal(model_may_clear(&world, STEM), KEEL_OK);
    model_deinit(&world);
}

static void a_unique_is_set_replaced_and_removed(void **state) {
    (void)state;
    model_world world = { 0 };
    const uint32_t kind = model_add_kind(&world, sizeof(uint32_t));
    uint32_t out = 77;
    assert_null(model_get_unique(&world, kind));
    assert_null(model_get_unique_mut(&world, kind));
    assert_int_equal(model_remove_unique(&world, kind, &out), KEEL_ABSENT);
    assert_int_equal(out, 77);
    model_set_unique(&world, kind, &(uint32_t){ 1 });
    model_set_unique(&world, kind, &(uint32_t){ 2 });
    *(uint32_t *)model_get_unique_mut(&world, kind) += 1;
    assert_int_equal(*(const uint32_t *)model_get_unique(&world, kind), 3);
    assert_int_equal(model_remove_unique(&world, kind, &out), KEEL_OK);
    assert_int_equal(out, 3);
    assert_null(model_get_unique(&world, kind));
    end_world(&world);
}

static void uniques_and_components_of_a_kind_are_apart(void **state) {
    (void)state;
    model_world world = { 0 };
    const uint32_t kind = model_add_kind(&world, sizeof(uint32_t));
    const keel_entity e = model_add_entity(&world);
    model_set_unique(&world, kind, &(uint32_t){ 1 });
    assert_false(model_has(&world, e, kind));
    add_u32(&world, e, kind, 2);
    assert_int_equal(*(const uint32_t *)model_get_unique(&world, kind), 1);
    model_clear(&world, kind);
    assert_non_null(model_get_unique(&world, kind));
    end_world(&world);
}

// Hierarchy

// Two trees: root1 > e1 > e2, and root2 > e3 > (e4, e5).
typedef struct two_trees {
    model_world world;
    keel_entity root1, root2, e1, e2, e3, e4, e5;
} two_trees;

static keel_entity add_child(model_world *world, keel_entity parent) {
    const keel_entity e = model_add_entity(world);
    assert_int_equal(model_attach(world, e, parent), KEEL_OK);
    return e;
}

static two_trees plant_two_trees(void) {
    two_trees t = { 0 };
    t.root1 = model_add_entity(&t.world);
    t.root2 = model_add_entity(&t.world);
    t.e1 = add_child(&t.world, t.root1);
    t.e2 = add_child(&t.world, t.e1);
    t.e3 = add_child(&t.world, t.e1);
    t.e4 = add_child(&t.world, t.e3);
    assert_int_equal(model_attach(&t.world, t.e3, t.root2), KEEL_OK);
    t.e5 = add_child(&t.world, t.e3);
    return t;
}

static int by_value(const model_world *world, keel_entity a, keel_entity b, void *data) {
    const uint32_t kind = *(const uint32_t *)data;
    const uint32_t *x = model_get(world, a, kind);
    const uint32_t *y = model_get(world, b, kind);
    return (*x > *y) - (*x < *y);
}

static void attach_moves_a_tree_to_the_end(void **state) {
    (void)state;
    two_trees t = plant_two_trees();
    assert_children(&t.world, t.e3, LIST(t.e4, t.e5));
    assert_parent(&t.world, t.e4, t.e3);
    assert_parent(&t.world, t.e3, t.root2);
    assert_parent(&t.world, t.root2, keel_null());
    assert_descendants(&t.world, t.root1, LIST(t.e1, t.e2));
    assert_descendants(&t.world, t.root2, LIST(t.e3, t.e4, t.e5));
    end_world(&t.world);
}

static void attach_to_the_same_parent_moves_to_the_end(void **state) {
    (void)state;
    two_trees t = plant_two_trees();
    assert_int_equal(model_attach(&t.world, t.e4, t.e3), KEEL_OK);
    assert_children(&t.world, t.e3, LIST(t.e5, t.e4));
    assert_int_equal(model_attach(&t.world, t.e2, t.e3), KEEL_OK);
    assert_children(&t.world, t.e3, LIST(t.e5, t.e4, t.e2));
    assert_children(&t.world, t.e1, EMPTY);
    end_world(&t.world);
}

static void attach_refuses_cycles(void **state) {
    (void)state;
    two_trees t = plant_two_trees();
    assert_int_equal(model_attach(&t.world, t.e1, t.e1), KEEL_ERROR_CYCLE);
    assert_int_equal(model_attach(&t.world, t.root1, t.e1), KEEL_ERROR_CYCLE);
    assert_int_equal(model_attach(&t.world, t.root2, t.e5), KEEL_ERROR_CYCLE);
    assert_descendants(&t.world, t.root1, LIST(t.e1, t.e2));
    assert_descendants(&t.world, t.root2, LIST(t.e3, t.e4, t.e5));
    end_world(&t.world);
}

static void the_dead_take_no_place_in_the_hierarchy(void **state) {
    (void)state;
    two_trees t = plant_two_trees();
    const keel_entity dead = model_add_entity(&t.world);
    model_delete_entity(&t.world, dead);
    assert_int_equal(model_attach(&t.world, dead, t.e1), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(model_attach(&t.world, t.e2, dead), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(model_attach(&t.world, dead, dead), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(model_attach(&t.world, t.e2, keel_null()), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(model_detach(&t.world, dead), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(model_unlink(&t.world, dead), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(model_unlink_tree(&t.world, dead), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(model_sort_children(&t.world, dead, by_value, NULL), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(model_delete_tree(&t.world, dead), KEEL_ABSENT);
    assert_parent(&t.world, dead, keel_null());
    assert_children(&t.world, dead, EMPTY);
    assert_descendants(&t.world, dead, EMPTY);
    assert_children(&t.world, t.e1, LIST(t.e2));
    end_world(&t.world);
}

static void detach_keeps_the_own_children(void **state) {
    (void)state;
    two_trees t = plant_two_trees();
    assert_int_equal(model_detach(&t.world, t.e1), KEEL_OK);
    assert_int_equal(model_detach(&t.world, t.e1), KEEL_ABSENT);
    assert_descendants(&t.world, t.root1, EMPTY);
    assert_parent(&t.world, t.e1, keel_null());
    assert_children(&t.world, t.e1, LIST(t.e2));
    end_world(&t.world);
}

static void unlink_frees_one_entity(void **state) {
    (void)state;
    two_trees t = plant_two_trees();
    assert_int_equal(model_unlink(&t.world, t.e3), KEEL_OK);
    assert_int_equal(model_unlink(&t.world, t.e3), KEEL_ABSENT);
    assert_children(&t.world, t.root2, EMPTY);
    assert_parent(&t.world, t.e4, keel_null());
    assert_parent(&t.world, t.e5, keel_null());
    assert_int_equal(model_unlink(&t.world, t.root1), KEEL_OK);
    assert_children(&t.world, t.e1, LIST(t.e2));
    assert_int_equal(model_entity_count(&t.world), 7);
    end_world(&t.world);
}

static void unlink_tree_frees_all_below(void **state) {
    (void)state;
    two_trees t = plant_two_trees();
    assert_int_equal(model_unlink_tree(&t.world, t.root2), KEEL_OK);
    assert_int_equal(model_unlink_tree(&t.world, t.root2), KEEL_ABSENT);
    assert_descendants(&t.world, t.root2, EMPTY);
    assert_descendants(&t.world, t.e3, EMPTY);
    assert_parent(&t.world, t.e5, keel_null());
    assert_descendants(&t.world, t.root1, LIST(t.e1, t.e2));
    assert_int_equal(model_entity_count(&t.world), 7);
    end_world(&t.world);
}

static void unlink_tree_of_an_inner_entity_leaves_its_siblings(void **state) {
    (void)state;
    two_trees t = plant_two_trees();
    model_attach(&t.world, t.e1, t.root2);
    assert_int_equal(model_unlink_tree(&t.world, t.e3), KEEL_OK);
    assert_descendants(&t.world, t.root2, LIST(t.e1, t.e2));
    assert_parent(&t.world, t.e4, keel_null());
    end_world(&t.world);
}

static void delete_tree_deletes_all_below(void **state) {
    (void)state;
    two_trees t = plant_two_trees();
    assert_int_equal(model_delete_tree(&t.world, t.e3), KEEL_OK);
    assert_int_equal(model_delete_tree(&t.world, t.e3), KEEL_ABSENT);
    assert_query(&t.world, NULL, LIST(t.root1, t.root2, t.e1, t.e2));
    assert_children(&t.world, t.root2, EMPTY);
    assert_int_equal(keel_entity_index(model_add_entity(&t.world)), keel_entity_index(t.e3));
    assert_int_equal(keel_entity_index(model_add_entity(&t.world)), keel_entity_index(t.e4));
    assert_int_equal(keel_entity_index(model_add_entity(&t.world)), keel_entity_index(t.e5));
    end_world(&t.world);
}

static void delete_repairs_the_links(void **state) {
    (void)state;
    two_trees t = plant_two_trees();
    assert_int_equal(model_delete_entity(&t.world, t.e4), KEEL_OK);
    assert_children(&t.world, t.e3, LIST(t.e5));
    assert_int_equal(model_delete_entity(&t.world, t.e3), KEEL_OK);
    assert_children(&t.world, t.root2, EMPTY);
    assert_parent(&t.world, t.e5, keel_null());
    assert_true(model_is_alive(&t.world, t.e5));
    end_world(&t.world);
}

static void clear_entities_ends_the_hierarchy(void **state) {
    (void)state;
    two_trees t = plant_two_trees();
    model_clear_entities(&t.world);
    assert_true(model_is_valid(&t.world));
    const keel_entity e = model_add_entity(&t.world);
    assert_children(&t.world, e, EMPTY);
    end_world(&t.world);
}

static void descendants_come_in_both_orders(void **state) {
    (void)state;
    model_world world = { 0 };
    keel_entity out[LIST_SIZE];
    const keel_entity root = model_add_entity(&world);
    const keel_entity a = add_child(&world, root), b = add_child(&world, root);
    const keel_entity a1 = add_child(&world, a), b1 = add_child(&world, b);
    const keel_entity a2 = add_child(&world, a), a11 = add_child(&world, a1);
    assert_descendants(&world, root, LIST(a, a1, a11, a2, b, b1));
    const size_t count = model_list_descendants_breadth(&world, root, out);
    assert_same_list(out, count, LIST(a, b, a1, a2, b1, a11));
    assert_int_equal(model_list_descendants_breadth(&world, a11, out), 0);
    end_world(&world);
}

static void children_are_sorted(void **state) {
    (void)state;
    model_world world = { 0 };
    uint32_t kind = model_add_kind(&world, sizeof(uint32_t));
    const uint32_t values[] = { 7, 5, 6, 1, 3 };
    const keel_entity root = model_add_entity(&world);
    keel_entity e[5];
    for (size_t i = 0; i < 5; i++) {
        e[i] = add_child(&world, root);
        add_u32(&world, e[i], kind, values[i]);
    }
    assert_children(&world, root, LIST(e[0], e[1], e[2], e[3], e[4]));
    assert_int_equal(model_sort_children(&world, root, by_value, &kind), KEEL_OK);
    assert_children(&world, root, LIST(e[3], e[4], e[1], e[2], e[0]));
    end_world(&world);
}

static void equal_children_keep_their_order(void **state) {
    (void)state;
    model_world world = { 0 };
    uint32_t kind = model_add_kind(&world, sizeof(uint32_t));
    const uint32_t values[] = { 2, 1, 2, 1, 0, 2 };
    const keel_entity root = model_add_entity(&world);
    keel_entity e[6];
    for (size_t i = 0; i < 6; i++) {
        e[i] = add_child(&world, root);
        add_u32(&world, e[i], kind, values[i]);
    }
    assert_int_equal(model_sort_children(&world, root, by_value, &kind), KEEL_OK);
    assert_children(&world, root, LIST(e[4], e[1], e[3], e[0], e[2], e[5]));
    end_world(&world);
}

static void two_children_are_sorted(void **state) {
    (void)state;
    two_trees t = plant_two_trees();
    uint32_t kind = model_add_kind(&t.world, sizeof(uint32_t));
    add_u32(&t.world, t.e4, kind, 2);
    add_u32(&t.world, t.e5, kind, 1);
    assert_int_equal(model_sort_children(&t.world, t.e3, by_value, &kind), KEEL_OK);
    assert_children(&t.world, t.e3, LIST(t.e5, t.e4));
    end_world(&t.world);
}

static void fewer_than_two_children_are_not_sorted(void **state) {
    (void)state;
    two_trees t = plant_two_trees();
    assert_int_equal(model_sort_children(&t.world, t.e5, by_value, NULL), KEEL_ABSENT);
    assert_int_equal(model_sort_children(&t.world, t.e1, by_value, NULL), KEEL_ABSENT);
    end_world(&t.world);
}

// Validation

static model_slot *slot_at(model_world *world, keel_entity e) {
    return &world->slots[keel_entity_index(e)]; // right while no index was skipped
}

static void the_walker_finds_a_wrong_free_list(void **state) {
    (void)state;
    two_trees t = plant_two_trees();
    model_delete_entity(&t.world, t.e5);
    t.world.free_list[0] = 0;
    assert_false(model_is_valid(&t.world));
    t.world.free_list[0] = keel_entity_index(t.e5);
    t.world.free_count = 0;
    assert_false(model_is_valid(&t.world));
    t.world.free_list = realloc(t.world.free_list, 2 * sizeof *t.world.free_list);
    t.world.free_list[1] = 1000;
    t.world.free_count = 2;
    assert_false(model_is_valid(&t.world));
    t.world.free_count = 1;
    end_world(&t.world);
}

static void the_walker_finds_one_sided_links(void **state) {
    (void)state;
    two_trees t = plant_two_trees();
    model_slot *e2 = slot_at(&t.world, t.e2);
    e2->parent = keel_null(); // e1 still lists it
    assert_false(model_is_valid(&t.world));
    e2->parent = t.e1;
    slot_at(&t.world, t.e1)->child_count = 0;
    assert_false(model_is_valid(&t.world));
    slot_at(&t.world, t.e1)->child_count = 1;
    slot_at(&t.world, t.e3)->children[1] = t.e4; // twice
    slot_at(&t.world, t.e5)->parent = keel_null();
    assert_false(model_is_valid(&t.world));
    slot_at(&t.world, t.e3)->children[1] = t.e5;
    slot_at(&t.world, t.e5)->parent = t.e3;
    end_world(&t.world);
}

static void the_walker_finds_what_the_dead_keep(void **state) {
    (void)state;
    two_trees t = plant_two_trees();
    const uint32_t kind = model_add_kind(&t.world, 0);
    model_delete_entity(&t.world, t.e5);
    model_slot *e5 = slot_at(&t.world, t.e5);
    e5->parent = t.e3;
    assert_false(model_is_valid(&t.world));
    e5->parent = keel_null();
    anymap_insert(&e5->components, kind, NULL, 0);
    assert_false(model_is_valid(&t.world));
    anymap_deinit(&e5->components);
    slot_at(&t.world, t.e2)->parent = e5->handle;
    assert_false(model_is_valid(&t.world));
    slot_at(&t.world, t.e2)->parent = t.e1;
    end_world(&t.world);
}

static void the_walker_finds_slots_out_of_order(void **state) {
    (void)state;
    model_world world = { 0 };
    keel_entity e[2];
    add_entities(&world, e, 2);
    world.slots[0].handle = e[1];
    assert_false(model_is_valid(&world));
    world.slots[1].handle = e[0];
    assert_false(model_is_valid(&world));
    world.slots[0].handle = e[0];
    world.slots[1].handle = e[1];
    end_world(&world);
}

static void the_walker_finds_values_of_wrong_kinds(void **state) {
    (void)state;
    model_world world = { 0 };
    const uint32_t kind = model_add_kind(&world, 4);
    model_add_entity(&world);
    anymap *maps[] = { &world.uniques, &world.slots[0].components };
    for (size_t i = 0; i < 2; i++) {
        anymap_insert(maps[i], kind, NULL, 8);
        assert_false(model_is_valid(&world));
        anymap_remove(maps[i], kind);
        anymap_insert(maps[i], kind + 1, NULL, 4);
        assert_false(model_is_valid(&world));
        anymap_remove(maps[i], kind + 1);
        anymap_insert(maps[i], kind, NULL, 4);
        assert_true(model_is_valid(&world));
    }
    end_world(&world);
}

static void the_walker_finds_cycles(void **state) {
    (void)state;
    two_trees t = plant_two_trees();
    model_slot *e1 = slot_at(&t.world, t.e1);
    model_slot *e2 = slot_at(&t.world, t.e2);
    model_detach(&t.world, t.e1);
    e1->parent = t.e2;
    e2->children = malloc(sizeof *e2->children);
    e2->children[0] = t.e1;
    e2->child_count = 1;
    assert_false(model_is_valid(&t.world));
    model_deinit(&t.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(new_indices_ascend, "new indices ascend from 0"),
        TEST(the_last_freed_index_is_used_first, "the index freed last is used first"),
        TEST(a_second_delete_finds_nothing, "a second delete finds nothing"),
        TEST(null_and_invented_handles_are_not_alive, "null and invented handles are not alive"),
        TEST(after_clear_indices_ascend_with_higher_versions,
             "after clear indices ascend, with higher versions"),
        TEST(clear_keeps_kinds_and_uniques, "clear keeps kinds and uniques"),
        TEST(skipped_indices_come_after_the_free_list,
             "skipped indices come after the free list, lowest first"),
        TEST(after_clear_skipped_indices_come_last, "after clear skipped indices come last"),
        TEST(add_at_takes_a_freed_index_out_of_the_free_list,
             "add at a handle takes its index out of the free list"),
        TEST(add_at_refuses_an_index_in_use, "add at a handle refuses an index in use"),
        TEST(add_at_refuses_impossible_handles, "add at a handle refuses impossible handles"),
        TEST(the_highest_index_can_be_used, "the highest index can be used"),
        TEST(without_an_index_left_add_gives_null, "without an index left add gives null"),
        TEST(an_index_without_versions_left_is_retired, "an index without versions is retired"),
        TEST(a_list_is_deleted_from_first_to_last, "a list is deleted from first to last"),
        TEST(delete_with_deletes_whole_entities, "delete-with deletes whole entities"),
        TEST(a_world_can_be_used_again_after_deinit, "a world can be used again after deinit"),
        TEST(a_component_is_added_and_overwritten, "a component is added and overwritten"),
        TEST(a_value_changes_in_place, "a value changes in place"),
        TEST(kinds_come_at_run_time_in_any_size, "kinds come at run time, in any size"),
        TEST(remove_hands_the_value_out, "remove hands the value out"),
        TEST(delete_takes_one_component, "delete takes one component"),
        TEST(strip_leaves_an_entity_with_nothing, "strip leaves an entity with nothing"),
        TEST(strip_counts_links_as_components, "strip counts links as components"),
        TEST(clear_takes_a_component_from_all, "clear takes a component from all entities"),
        TEST(a_dead_entity_has_and_takes_nothing, "a dead entity has and takes nothing"),
        TEST(an_index_used_again_starts_with_nothing, "an index used again starts with nothing"),
        TEST(a_query_lists_entities_that_have_and_lack,
             "a query lists entities that have some kinds and lack others"),
        TEST(lists_ascend_by_index, "lists ascend by index"),
        TEST(what_is_required_comes_along_and_stays, "what is required comes along, and stays"),
        TEST(a_unique_is_set_replaced_and_removed, "a unique is set, replaced and removed"),
        TEST(uniques_and_components_of_a_kind_are_apart,
             "uniques and components of a kind are apart"),
        TEST(attach_moves_a_tree_to_the_end, "attach moves a tree to the end"),
        TEST(attach_to_the_same_parent_moves_to_the_end,
             "attach to the same parent moves to the end"),
        TEST(attach_refuses_cycles, "attach refuses cycles"),
        TEST(the_dead_take_no_place_in_the_hierarchy, "the dead take no place in the hierarchy"),
        TEST(detach_keeps_the_own_children, "detach keeps the entity's own children"),
        TEST(unlink_frees_one_entity, "unlink frees one entity"),
        TEST(unlink_tree_frees_all_below, "unlink tree frees all below"),
        TEST(unlink_tree_of_an_inner_entity_leaves_its_siblings,
             "unlink tree of an inner entity leaves its siblings"),
        TEST(delete_tree_deletes_all_below, "delete tree deletes all below"),
        TEST(delete_repairs_the_links, "delete repairs the links"),
        TEST(clear_entities_ends_the_hierarchy, "clear ends the hierarchy"),
        TEST(descendants_come_in_both_orders, "descendants come in pre-order and level by level"),
        TEST(children_are_sorted, "children are sorted"),
        TEST(equal_children_keep_their_order, "equal children keep their order"),
        TEST(two_children_are_sorted, "two children are sorted"),
        TEST(fewer_than_two_children_are_not_sorted, "fewer than two children are not sorted"),
        TEST(the_walker_finds_a_wrong_free_list, "the walker finds a wrong free list"),
        TEST(the_walker_finds_one_sided_links, "the walker finds one-sided links"),
        TEST(the_walker_finds_what_the_dead_keep, "the walker finds what the dead keep"),
        TEST(the_walker_finds_slots_out_of_order, "the walker finds slots out of order"),
        TEST(the_walker_finds_values_of_wrong_kinds, "the walker finds values of wrong kinds"),
        TEST(the_walker_finds_cycles, "the walker finds cycles"),
    };
    return RUN(tests);
}
