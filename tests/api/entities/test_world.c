// SPDX-License-Identifier: MIT
// Worlds: made, independent, measured, checked, destroyed.
#include "support/api_types.h"

#include <stdio.h>
#include <string.h>

static void a_new_world_is_empty(void **state) {
    (void)state;
    api_fixture f;
    keel_world *plain = keel_world_create(NULL);
    assert_non_null(plain);
    api_begin(&f);
    keel_world *const worlds[] = { plain, f.world };
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(keel_entity_count(worlds[i]), 0);
        assert_true(keel_is_null(keel_next_entity(worlds[i], keel_null())));
        assert_int_equal(keel_count(worlds[i], Position), 0);
        assert_null(keel_get_unique(worlds[i], Time));
        assert_no_error(worlds[i]);
        assert_true(keel_world_check(worlds[i], NULL));
    }
    keel_world_destroy(plain);
    api_end(&f);
}

// Entity, component and unique storages, each with reading and writing access.
static void a_world_holds_entities_components_and_uniques(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Position, { 1, 2 }));
    assert_int_equal(keel_set_unique(f.world, Time, { .now = 3 }), KEEL_OK);
    assert_int_equal(keel_entity_count(f.world), 1);
    assert_same_entity(keel_next_entity(f.world, keel_null()), e);
    assert_true(keel_get(f.world, e, Position)->y == 2);
    keel_get_mut(f.world, e, Position)->y = 5;
    assert_true(keel_get(f.world, e, Position)->y == 5);
    assert_true(keel_get_unique(f.world, Time)->now == 3);
    keel_get_unique_mut(f.world, Time)->now = 4;
    assert_true(keel_get_unique(f.world, Time)->now == 4);
    api_end(&f);
}

static void two_worlds_are_independent(void **state) {
    (void)state;
    api_fixture a, b;
    api_begin(&a);
    api_begin(&b);
    const keel_entity in_a = keel_add_entity(a.world, KEEL_INIT(Position, { 1, 1 }));
    assert_int_equal(keel_set_unique(a.world, Time, { .now = 1 }), KEEL_OK);
    assert_int_equal(keel_entity_count(b.world), 0);
    assert_false(keel_is_alive(b.world, in_a));
    assert_int_equal(keel_count(b.world, Position), 0);
    assert_null(keel_get_unique(b.world, Time));

    const keel_entity in_b = keel_add_entity(b.world, KEEL_INIT(Position, { 2, 2 }));
    assert_int_equal(keel_delete_entity(b.world, in_b), KEEL_OK);
    assert_true(keel_get(a.world, in_a, Position)->x == 1);
    // an error in one is not an error in the other, and a view in one does not block the other
    keel_view view;
    assert_int_equal(
        keel_view_begin(&view, a.world, KEEL_TERMS(KEEL_WRITE(Position, p)), "a view of a"),
        KEEL_OK);
    assert_int_equal(keel_add(a.world, in_a, Position, { 0, 0 }), KEEL_ERROR_BORROWED);
    assert_no_error(b.world);
    assert_false(keel_is_null(keel_add_entity(b.world, KEEL_INIT(Position, { 3, 3 }))));
    keel_view_end(&view);
    assert_error(a.world, KEEL_ERROR_BORROWED, NULL);
    api_end(&a);
    assert_int_equal(keel_count(b.world, Position), 1);
    api_end(&b);
}

static void destroying_nothing_is_allowed(void **state) {
    (void)state;
    keel_world_destroy(NULL);
}

static keel_world *doomed;
KEEL_SYSTEM(destroys, KEEL_READ(Position, p)) {
    (void)p;
    keel_world_destroy(doomed);
}
KEEL_SYSTEM_ONCE(destroys_all, KEEL_WORLD(world)) {
    (void)world;
    keel_world_destroy(doomed);
}
KEEL_CONDITION(destroys_first, KEEL_CONTEXT(context)) {
    (void)context;
    keel_world_destroy(doomed);
    return true;
}
KEEL_WORKLOAD(destruction, KEEL_STEP(destroys, .run_if = KEEL_IF(destroys_first)),
              KEEL_STEP(destroys_all));
static void destroy_observed(const keel_change *event, void *data) {
    (void)event, (void)data;
    keel_world_destroy(doomed);
}
static keel_result destroy_recorded(keel_world *world, void *data) {
    (void)world, (void)data;
    keel_world_destroy(doomed);
    return KEEL_OK;
}
static void destroy_piece(uint32_t begin, uint32_t end, const keel_piece *piece, void *data) {
    (void)begin, (void)end, (void)piece, (void)data;
    keel_world_destroy(doomed);
}

static void a_world_in_use_is_not_destroyed(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    doomed = f.world;
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Position));
    keel_run(f.world, destroys);
    assert_error(f.world, KEEL_ERROR_BORROWED, "destroyed by code");
    keel_run_workload(f.world, destruction);
    assert_error(f.world, KEEL_ERROR_BORROWED, "destroyed by code");
    keel_parallel_for(f.world, 1, 0, destroy_piece, NULL);
    assert_error(f.world, KEEL_ERROR_BORROWED, "destroyed by code");
    keel_observe(f.world, Position, KEEL_ON_DELETED, destroy_observed, NULL);
    assert_int_equal(keel_delete_entity(f.world, e), KEEL_OK);
    assert_error(f.world, KEEL_ERROR_BORROWED, "destroyed by code");
    keel_unobserve(f.world, Position, destroy_observed, NULL);
    keel_commands_call(keel_world_commands(f.world), destroy_recorded, NULL, 0);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_error(f.world, KEEL_ERROR_BORROWED, "destroyed by code");
    api_end(&f);
}

// Every allocation of a world's making fails once.
static void creation_fails_cleanly_without_memory(void **state) {
    (void)state;
    counting_allocator memory;
    counting_allocator_init(&memory);
    const keel_world_desc desc = { .name = "small",
                                   .allocator = memory.allocator,
                                   .log = keel_log_none,
                                   .entity_capacity = 10000 };
    keel_world *world = NULL;
    size_t attempts = 0;
    for (; !world; ++attempts) {
        counting_allocator_fail_after(&memory, attempts);
        world = keel_world_create(&desc);
        if (!world) assert_int_equal(memory.live_blocks, 0);
    }
    assert_true(attempts > 3);
    assert_int_equal(memory.live_bytes, keel_world_statistics(world).memory.total);
    keel_world_destroy(world);
    assert_int_equal(memory.live_bytes, 0);
}

static void entity_capacity_is_room_for_entities(void **state) {
    (void)state;
    api_fixture f;
    api_begin_with(&f, (keel_world_desc){ .entity_capacity = 10000 });
    counting_allocator_fail_after(&f.memory, 0);
    for (int i = 0; i < 10000; ++i)
        assert_false(keel_is_null(keel_add_entity(f.world)));
    assert_int_equal(f.memory.failures, 0);
    assert_int_equal(keel_entity_count(f.world), 10000);
    api_end(&f);
}

static void the_report_accounts_for_every_byte(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    assert_int_equal(keel_world_statistics(f.world).memory.uniques, 0);
    for (uint32_t i = 0; i < 5000; ++i)
        (void)keel_add_entity(f.world, KEEL_INIT(Position, { 1, 2 }), KEEL_INIT(Large),
                              KEEL_INIT(Frozen));
    assert_int_equal(keel_set_unique(f.world, Time, { .now = 1 }), KEEL_OK);
    const keel_memory m = keel_world_statistics(f.world).memory;
    assert_int_equal(m.total, f.memory.live_bytes);
    assert_int_equal(m.total, m.entities + m.components + m.uniques + m.commands + m.other);
    assert_int_equal(m.uniques, sizeof(Time));
    assert_true(m.entities >= 5000 * sizeof(uint32_t));
    assert_true(keel_component_memory(f.world, KEEL_OF(Position)) >= 5000 * sizeof(Position));
    assert_true(keel_component_memory(f.world, KEEL_OF(Large)) >= 5000 * sizeof(Large));
    // what a component is said to hold is what goes when it goes
    const size_t large = keel_component_memory(f.world, KEEL_OF(Large));
    const size_t before = f.memory.live_bytes;
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Large)), KEEL_OK);
    assert_true(before - f.memory.live_bytes >= large);
    assert_true(before - f.memory.live_bytes < large + 2048); // and its descriptor
    assert_int_equal(keel_component_memory(f.world, KEEL_OF(Large)), 0);
    assert_int_equal(keel_world_statistics(NULL).memory.total, 0);
    api_end(&f);
}

static void trim_returns_what_is_not_needed(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[9000];
    api_begin(&f);
    for (uint32_t i = 0; i < 9000; ++i)
        e[i] = keel_add_entity(f.world, KEEL_INIT(Position, { (float)i, 0 }), KEEL_INIT(Large));
    for (uint32_t i = 1; i < 9000; ++i)
        assert_int_equal(keel_delete(f.world, e[i], Position, Large), KEEL_OK);
    const size_t before = f.memory.live_bytes;
    assert_int_equal(keel_world_trim(f.world), KEEL_OK);
    assert_true(before - f.memory.live_bytes >= 8999 * sizeof(Large) + 4000 * sizeof(Position));
    assert_true(keel_get(f.world, e[0], Position)->x == 0);
    // and all of it can be used again
    assert_int_equal(keel_clear(f.world, Position), KEEL_OK);
    assert_int_equal(keel_world_trim(f.world), KEEL_OK);
    for (uint32_t i = 0; i < 9000; ++i)
        assert_int_equal(keel_add(f.world, e[i], Position, { (float)i, 1 }), KEEL_OK);
    for (uint32_t i = 0; i < 9000; ++i)
        assert_true(keel_get(f.world, e[i], Position)->x == (float)i);
    api_end(&f);
}

static void an_open_view_is_named_when_its_world_goes(void **state) {
    (void)state;
    api_fixture f;
    log_record log = { 0 };
    api_begin_with(&f, (keel_world_desc){ .log = log_to(&log) });
    keel_view view;
    keel_iterator walk;
    (void)keel_add_entity(f.world, KEEL_INIT(Position, { 1, 2 }));
    assert_int_equal(
        keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_READ(Position, p)), "the forgotten one"),
        KEEL_OK);
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
    assert_non_null(keel_iterator_next(&walk));
    api_end(&f);
    assert_int_equal(log.warnings, 1);
    assert_non_null(strstr(log.last, "the forgotten one"));
}

static void recorded_commands_go_with_their_world(void **state) {
    (void)state;
    api_fixture f;
    owned_begin();
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    keel_commands *commands = keel_world_commands(f.world);
    const Owned value = owned_make(), other = owned_make();
    assert_int_equal(keel_add(commands, e, Owned, value), KEEL_OK);
    assert_false(keel_is_null(keel_add_entity(commands, KEEL_INIT(Owned, other))));
    api_end(&f);
    assert_owned_end();
}

static void the_check_says_what_it_looked_at(void **state) {
    (void)state;
    keel_error error;
    assert_false(keel_world_check(NULL, &error));
    assert_int_equal(error.result, KEEL_ERROR_ARGUMENT);
    assert_false(keel_world_check(NULL, NULL));
    api_fixture f;
    api_begin(&f);
    assert_true(keel_world_check(f.world, &error));
    assert_int_equal(error.result, KEEL_OK);
    assert_string_equal(error.message, "");
    api_end(&f);
}

static void the_version_is_the_header_s(void **state) {
    (void)state;
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", KEEL_VERSION_MAJOR, KEEL_VERSION_MINOR,
             KEEL_VERSION_PATCH);
    assert_string_equal(keel_version(), expected);
}

static const struct CMUnitTest tests[] = {
    // proves S-1
    TEST(a_new_world_is_empty, "a world made from nothing or from a description is empty"),
    // proves S-2 E-R1
    TEST(a_world_holds_entities_components_and_uniques,
         "a world has entities, components and uniques, to read and to write"),
    // proves S-2
    TEST(two_worlds_are_independent, "two worlds know nothing of each other"),
    TEST(destroying_nothing_is_allowed, "destroying NULL does nothing"),
    TEST(a_world_in_use_is_not_destroyed, "a world is not destroyed while something in it runs"),
    TEST(creation_fails_cleanly_without_memory,
         "a world that cannot be made returns NULL and leaves nothing behind"),
    TEST(entity_capacity_is_room_for_entities,
         "entities within the capacity of the description need no memory"),
    TEST(the_report_accounts_for_every_byte,
         "the memory report adds up to what the allocator handed out"),
    TEST(trim_returns_what_is_not_needed, "trimming gives memory back, which grows again"),
    TEST(an_open_view_is_named_when_its_world_goes,
         "a view that is open when its world is destroyed is named in the log"),
    TEST(recorded_commands_go_with_their_world,
         "values in commands that were never applied are released with the world"),
    TEST(the_check_says_what_it_looked_at, "the check of a sound world says so"),
    TEST(the_version_is_the_header_s, "the linked version is that of the headers"),
};

int main(void) { return RUN(tests); }
