// SPDX-License-Identifier: MIT
// The AnyMap of the crude ECS.
#include "anymap.h"

#include "support/test.h"

enum { U32, U64, TEXT, TAG };

static void insert_u32(anymap *map, uint32_t value) {
    anymap_insert(map, U32, &value, sizeof value);
}

static void insert_u64(anymap *map, uint64_t value) {
    anymap_insert(map, U64, &value, sizeof value);
}

static uint32_t get_u32(const anymap *map) {
    const uint32_t *value = anymap_get(map, U32);
    assert_non_null(value);
    return *value;
}

static uint64_t get_u64(const anymap *map) {
    const uint64_t *value = anymap_get(map, U64);
    assert_non_null(value);
    return *value;
}

static void an_inserted_value_is_found(void **state) {
    (void)state;
    anymap map = { 0 };
    insert_u32(&map, 0);
    assert_int_equal(get_u32(&map), 0);
    assert_ptr_equal(anymap_get(&map, U32), anymap_get_mut(&map, U32));
    anymap_deinit(&map);
}

static void an_absent_value_is_null(void **state) {
    (void)state;
    anymap map = { 0 };
    assert_null(anymap_get(&map, U32));
    assert_null(anymap_get_mut(&map, U32));
    insert_u64(&map, 1);
    assert_null(anymap_get(&map, U32));
    assert_null(anymap_get_mut(&map, U32));
    anymap_deinit(&map);
}

static void a_second_value_of_a_type_replaces_the_first(void **state) {
    (void)state;
    anymap map = { 0 };
    insert_u32(&map, 1);
    insert_u32(&map, 2);
    assert_int_equal(get_u32(&map), 2);
    assert_int_equal(map.count, 1);
    assert_true(anymap_remove(&map, U32));
    assert_null(anymap_get(&map, U32));
    anymap_deinit(&map);
}

static void a_value_changed_in_place_stays_changed(void **state) {
    (void)state;
    anymap map = { 0 };
    insert_u32(&map, 1);
    uint32_t *value = anymap_get_mut(&map, U32);
    *value = 9;
    assert_int_equal(get_u32(&map), 9);
    anymap_deinit(&map);
}

static void a_removed_value_is_gone(void **state) {
    (void)state;
    anymap map = { 0 };
    insert_u32(&map, 1);
    assert_true(anymap_remove(&map, U32));
    assert_null(anymap_get(&map, U32));
    assert_null(anymap_get_mut(&map, U32));
    assert_false(anymap_remove(&map, U32));
    insert_u32(&map, 3);
    assert_int_equal(get_u32(&map), 3);
    anymap_deinit(&map);
}

static void types_are_independent(void **state) {
    (void)state;
    anymap map = { 0 };
    insert_u32(&map, 1);
    insert_u64(&map, UINT64_MAX);
    anymap_insert(&map, TEXT, "text", 5);
    insert_u32(&map, 2);
    assert_int_equal(get_u32(&map), 2);
    assert_true(get_u64(&map) == UINT64_MAX);
    anymap_remove(&map, U32);
    assert_null(anymap_get(&map, U32));
    assert_true(get_u64(&map) == UINT64_MAX);
    assert_string_equal(anymap_get(&map, TEXT), "text");
    anymap_deinit(&map);
}

static void the_map_keeps_a_copy(void **state) {
    (void)state;
    anymap map = { 0 };
    uint32_t value = 1;
    anymap_insert(&map, U32, &value, sizeof value);
    value = 2;
    assert_int_equal(get_u32(&map), 1);
    anymap_deinit(&map);
}

static void a_value_can_replace_itself(void **state) {
    (void)state;
    anymap map = { 0 };
    insert_u32(&map, 5);
    anymap_insert(&map, U32, anymap_get(&map, U32), sizeof(uint32_t));
    assert_int_equal(get_u32(&map), 5);
    anymap_deinit(&map);
}

static void no_value_given_means_zeros(void **state) {
    (void)state;
    anymap map = { 0 };
    insert_u64(&map, 7);
    anymap_insert(&map, U64, NULL, sizeof(uint64_t));
    assert_true(get_u64(&map) == 0);
    anymap_deinit(&map);
}

static void a_tag_is_there_without_bytes(void **state) {
    (void)state;
    anymap map = { 0 };
    assert_null(anymap_get(&map, TAG));
    anymap_insert(&map, TAG, NULL, 0);
    assert_non_null(anymap_get(&map, TAG));
    assert_true(anymap_remove(&map, TAG));
    assert_null(anymap_get(&map, TAG));
    anymap_deinit(&map);
}

static void a_map_can_be_used_again_after_deinit(void **state) {
    (void)state;
    anymap map = { 0 };
    insert_u32(&map, 1);
    anymap_deinit(&map);
    assert_null(anymap_get(&map, U32));
    insert_u32(&map, 2);
    assert_int_equal(get_u32(&map), 2);
    anymap_deinit(&map);
    anymap_deinit(&map);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        // proves S-155
        TEST(an_inserted_value_is_found, "an inserted value is found by its type"),
        // proves S-155
        TEST(an_absent_value_is_null, "a type without a value gives NULL"),
        // proves S-155
        TEST(a_second_value_of_a_type_replaces_the_first,
             "a map holds at most one value for each type"),
        // proves S-155
        TEST(a_value_changed_in_place_stays_changed, "a value can be changed in place"),
        // proves S-155
        TEST(a_removed_value_is_gone, "a removed value is gone"),
        // proves S-155
        TEST(types_are_independent, "different types are independent of each other"),
        TEST(the_map_keeps_a_copy, "the map keeps a copy of the value"),
        TEST(a_value_can_replace_itself, "a value can be inserted over itself"),
        TEST(no_value_given_means_zeros, "a NULL value means zeros"),
        TEST(a_tag_is_there_without_bytes, "a value without bytes is present or absent"),
        TEST(a_map_can_be_used_again_after_deinit, "a map can be used again after deinit"),
    };
    return RUN(tests);
}
