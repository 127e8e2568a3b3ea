// SPDX-License-Identifier: MIT
// Components, and all that an entity has, put out of sight with their values. Each test runs with
// each kind of storage.
#include "support/api_types.h"

typedef struct Speed {
    uint32_t value;
} Speed;
typedef struct Engine {
    Owned owned;
} Engine;
typedef struct Row {
    uint32_t value;
} Row;

KEEL_COMPONENT(Speed);
KEEL_COMPONENT(Engine, .drop = owned_drop, .copy = owned_copy, .move = owned_move);
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE);

static api_fixture f;
static keel_storage storage;

static void know_as(const keel_component *component) {
    keel_component as = *component;
    as.storage = storage;
    assert_non_null(keel_register_component(f.world, &as));
}
static void begin(void) {
    owned_begin();
    api_begin(&f);
    know_as(KEEL_OF(Speed));
    know_as(KEEL_OF(Engine));
}
static void end(void) {
    api_end(&f);
    assert_owned_end();
}
static void check(void) {
    keel_error error;
    if (!keel_world_check(f.world, &error)) fail_msg("%s", error.message);
}
static keel_entity with_engine(void) {
    return keel_add_entity(f.world, KEEL_INIT(Engine, { owned_make() }));
}

static uint32_t visited(const keel_component *component, keel_term_kind kind) {
    const keel_term terms[] = { { .kind = kind, .component = component },
                                { .kind = KEEL_TERM_ENTITY },
                                { .kind = KEEL_TERM_END } };
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, terms, "visited"), KEEL_OK);
    const uint32_t count = keel_view_count(&view);
    keel_view_end(&view);
    return count;
}

static void a_disabled_component_is_out_of_sight(void **state) {
    (void)state;
    begin();
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Speed, { 5 }));
    const keel_entity other = keel_add_entity(f.world, KEEL_INIT(Speed, { 6 }));
    const Speed *place = keel_get(f.world, e, Speed);
    assert_int_equal(keel_disable(f.world, e, Speed), KEEL_OK);
    assert_false(keel_has(f.world, e, Speed));
    assert_null(keel_get(f.world, e, Speed));
    assert_null(keel_get_mut(f.world, e, Speed));
    assert_int_equal(keel_count(f.world, Speed), 1);
    assert_int_equal(visited(KEEL_OF(Speed), KEEL_TERM_READ), 1);
    assert_int_equal(visited(KEEL_OF(Speed), KEEL_TERM_WITHOUT), 1);
    assert_null(keel_next_component_of(f.world, e, NULL));
    assert_true(keel_is_disabled(f.world, e, Speed));
    assert_false(keel_has_component(f.world, e, KEEL_OF(Speed)));
    assert_false(keel_is_disabled(f.world, other, Speed));
    assert_true(keel_has_component(f.world, other, KEEL_OF(Speed)));
    const keel_lookup column = keel_lookup_of_component(f.world, KEEL_OF(Speed));
    assert_null(keel_column_get_value(&column, e));
    check();
    assert_int_equal(keel_enable(f.world, e, Speed), KEEL_OK);
    if (storage == KEEL_INDEXED) assert_ptr_equal(keel_get(f.world, e, Speed), place);
    assert_int_equal(keel_get(f.world, e, Speed)->value, 5);
    assert_int_equal(keel_count(f.world, Speed), 2);
    assert_no_error(f.world);
    end();
}

static void doing_it_twice_is_absent(void **state) {
    (void)state;
    begin();
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_disable(f.world, e, Third), KEEL_ABSENT); // unknown to the world
    assert_int_equal(keel_enable(f.world, e, Third), KEEL_ABSENT);
    keel_add(f.world, e, Speed, { 1 });
    assert_int_equal(keel_enable(f.world, e, Speed), KEEL_ABSENT);
    assert_int_equal(keel_disable(f.world, e, Speed), KEEL_OK);
    assert_int_equal(keel_disable(f.world, e, Speed), KEEL_ABSENT);
    assert_int_equal(keel_enable(f.world, e, Speed), KEEL_OK);
    assert_no_error(f.world);
    end();
}

static void misuse_is_an_error(void **state) {
    (void)state;
    begin();
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Speed, { 3 }));
    assert_int_equal(keel_enable_component(f.world, e, KEEL_OF(keel_child), false),
                     KEEL_ERROR_ARGUMENT);
    keel_clear_errors(f.world);
    assert_int_equal(keel_enable_component(f.world, e, KEEL_UNIQUE_OF(Time), false),
                     KEEL_ERROR_ARGUMENT);
    keel_clear_errors(f.world);
    assert_int_equal(keel_enable_component(f.world, e, NULL, false), KEEL_ERROR_ARGUMENT);
    keel_clear_errors(f.world);
    const keel_entity stale = keel_add_entity(f.world, KEEL_INIT(Speed, { 1 }));
    keel_delete_entity(f.world, stale);
    (void)keel_add_entity(f.world, KEEL_INIT(Speed, { 2 }));
    const keel_entity bad[] = { stale, keel_null(), handle_at(77, 5) };
    for (uint32_t i = 0; i < 3; ++i) {
        assert_int_equal(keel_disable(f.world, bad[i], Speed), KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel_enable(f.world, bad[i], Speed), KEEL_ERROR_DEAD_ENTITY);
        assert_false(keel_is_disabled(f.world, bad[i], Speed));
    }
    assert_false(keel_is_component_disabled(NULL, e, KEEL_OF(Speed)));
    assert_false(keel_is_component_disabled(f.world, e, NULL));
    assert_no_error(f.world);
    end();
}

static void adding_again_overwrites_and_enables(void **state) {
    (void)state;
    begin();
    const keel_entity e = with_engine();
    keel_disable(f.world, e, Engine);
    const uint32_t drops = owned.drops;
    assert_int_equal(keel_add(f.world, e, Engine, { owned_make() }), KEEL_OK);
    assert_int_equal(owned.drops, drops + 1);
    assert_int_equal(owned.living, 1);
    assert_false(keel_is_disabled(f.world, e, Engine));
    assert_int_equal(keel_get(f.world, e, Engine)->owned.token, 2);
    keel_disable(f.world, e, Engine); // through the other ways to add
    assert_non_null(keel_get_or_add(f.world, e, Engine));
    assert_int_equal(owned.living, 0);
    keel_disable(f.world, e, Engine);
    assert_int_equal(
        keel_add_values(f.world, e, KEEL_INIT(Engine, { owned_make() }), KEEL_INIT(Speed, { 1 })),
        KEEL_OK);
    keel_disable(f.world, e, Engine);
    assert_non_null(keel_get_or_add(f.world, e, Engine));
    assert_int_equal(owned.living, 0);
    check();
    end();
}

static void what_takes_it_away_drops_the_kept_value(void **state) {
    (void)state;
    begin();
    keel_entity e = with_engine();
    keel_disable(f.world, e, Engine);
    Engine out = { { 99, 0 } };
    assert_int_equal(keel_remove(f.world, e, Engine, &out), KEEL_ABSENT);
    assert_int_equal(out.owned.token, 99); // untouched
    assert_int_equal(owned.living, 0);
    assert_int_equal(keel_enable(f.world, e, Engine), KEEL_ABSENT);
    e = with_engine();
    keel_disable(f.world, e, Engine);
    assert_int_equal(keel_delete(f.world, e, Engine), KEEL_ABSENT);
    assert_int_equal(owned.living, 0);
    e = with_engine();
    keel_disable(f.world, e, Engine);
    assert_int_equal(keel_strip(f.world, e), KEEL_ABSENT);
    assert_int_equal(owned.living, 0);
    e = with_engine();
    keel_disable(f.world, e, Engine);
    assert_int_equal(keel_clear(f.world, Engine), KEEL_ABSENT);
    assert_int_equal(owned.living, 0);
    e = with_engine();
    keel_disable(f.world, e, Engine);
    (void)with_engine();
    assert_int_equal(keel_clear(f.world, Engine), KEEL_OK);
    assert_int_equal(owned.living, 0);
    e = with_engine();
    keel_disable(f.world, e, Engine);
    assert_int_equal(keel_delete_entity(f.world, e), KEEL_OK);
    assert_int_equal(owned.living, 0);
    e = with_engine();
    keel_disable(f.world, e, Engine);
    assert_int_equal(keel_clear_entities(f.world), KEEL_OK);
    assert_int_equal(owned.living, 0);
    check();
    e = with_engine();
    keel_disable(f.world, e, Engine);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Engine)), KEEL_OK);
    assert_int_equal(owned.living, 0);
    e = with_engine();
    keel_disable(f.world, e, Engine);
    end(); // the world drops the last
}

static void a_new_entity_does_not_find_an_old_value(void **state) {
    (void)state;
    begin();
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Speed, { 5 }));
    keel_disable(f.world, e, Speed);
    keel_delete_entity(f.world, e);
    const keel_entity next = keel_add_entity(f.world);
    assert_int_equal(keel_entity_index(next), keel_entity_index(e));
    assert_false(keel_is_disabled(f.world, next, Speed));
    assert_int_equal(keel_enable(f.world, next, Speed), KEEL_ABSENT);
    end();
}

static void clones_and_retain_pass_it_by(void **state) {
    (void)state;
    begin();
    const keel_entity e = with_engine();
    keel_add(f.world, e, Speed, { 4 });
    keel_disable(f.world, e, Engine);
    const keel_entity copy = keel_clone_entity(f.world, e);
    assert_false(keel_has(f.world, copy, Engine));
    assert_false(keel_is_disabled(f.world, copy, Engine));
    assert_int_equal(keel_get(f.world, copy, Speed)->value, 4);
    assert_int_equal(owned.living, 1);
    end();
}

// All of a block of 64 indices disabled: its entities are still found when they are deleted.
static void whole_blocks_can_be_disabled(void **state) {
    (void)state;
    begin();
    static keel_entity e[20000];
    for (uint32_t i = 0; i < 20000; ++i)
        e[i] = keel_add_entity(f.world, KEEL_INIT(Engine, { 0 }), KEEL_INIT(Speed, { i }));
    for (uint32_t i = 0; i < 20000; ++i)
        if (i / 640 % 2 || i % 3 == 0)
            assert_int_equal(keel_disable(f.world, e[i], Speed), KEEL_OK);
    check();
    keel_world_trim(f.world);
    check();
    for (uint32_t i = 0; i < 20000; i += 5)
        keel_delete_entity(f.world, e[i]);
    check();
    if (storage == KEEL_INDEXED) // enabling needs no memory, even after a trim
        counting_allocator_fail_after(&f.memory, 0);
    for (uint32_t i = 0; i < 20000; ++i) {
        const bool alive = i % 5, disabled = i / 640 % 2 || i % 3 == 0;
        assert_int_equal(keel_is_disabled(f.world, e[i], Speed), alive && disabled);
        if (!alive || !disabled) continue;
        assert_int_equal(keel_enable(f.world, e[i], Speed), KEEL_OK);
        assert_int_equal(keel_get(f.world, e[i], Speed)->value, i);
    }
    assert_int_equal(keel_count(f.world, Speed), 16000);
    end();
}

static void borrowed_storages_are_left_alone(void **state) {
    (void)state;
    begin();
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Speed, { 5 }));
    const keel_entity hidden = keel_add_entity(f.world, KEEL_INIT(Speed, { 6 }));
    keel_disable(f.world, hidden, Speed);
    const keel_term terms[] = { { .kind = KEEL_TERM_READ, .component = KEEL_OF(Speed) },
                                { .kind = KEEL_TERM_END } };
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, terms, "a reader"), KEEL_OK);
    assert_int_equal(keel_disable(f.world, e, Speed), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "cannot disable");
    assert_int_equal(keel_enable(f.world, hidden, Speed), KEEL_ERROR_BORROWED);
    keel_clear_errors(f.world);
    assert_int_equal(keel_delete_entity(f.world, hidden), KEEL_ERROR_BORROWED); // it has a value
    keel_clear_errors(f.world);
    keel_view_end(&view);
    assert_int_equal(keel_share_begin(f.world), KEEL_OK);
    assert_int_equal(keel_disable(f.world, e, Speed), KEEL_ERROR_SHARED);
    assert_int_equal(keel_share_end(f.world), KEEL_OK);
    assert_true(keel_has(f.world, e, Speed));
    assert_true(keel_is_disabled(f.world, hidden, Speed));
    end();
}

static void disabling_survives_a_lack_of_memory(void **state) {
    (void)state;
    begin();
    const keel_entity e = with_engine();
    for (size_t allowed = 0;; ++allowed) {
        counting_allocator_fail_after(&f.memory, allowed);
        const keel_result result = keel_disable(f.world, e, Engine);
        counting_allocator_never_fail(&f.memory);
        check();
        if (result == KEEL_OK) break;
        assert_error(f.world, KEEL_ERROR_MEMORY, NULL);
        assert_true(keel_has(f.world, e, Engine));
        assert_true(allowed < 20);
    }
    keel_world_trim(f.world);
    for (size_t allowed = 0;; ++allowed) {
        counting_allocator_fail_after(&f.memory, allowed);
        const keel_result result = keel_enable(f.world, e, Engine);
        counting_allocator_never_fail(&f.memory);
        check();
        if (result == KEEL_OK) break;
        assert_error(f.world, KEEL_ERROR_MEMORY, NULL);
        assert_true(keel_is_disabled(f.world, e, Engine));
        assert_true(allowed < 20);
    }
    assert_int_equal(owned.living, 1);
    end();
}

static void what_is_disabled_goes_along(void **state) {
    (void)state;
    begin();
    const keel_entity e = with_engine();
    keel_add_values(f.world, e, KEEL_INIT(Speed, { 4 }), KEEL_INIT(Row, { 9 }));
    assert_int_equal(keel_disable(f.world, e, Engine), KEEL_OK);
    assert_int_equal(keel_disable(f.world, e, Speed), KEEL_OK);
    assert_int_equal(keel_get(f.world, e, Row)->value, 9);
    api_fixture other;
    api_begin(&other);
    assert_int_equal(keel_copy_world(f.world, other.world), KEEL_OK);
    assert_true(keel_world_check(other.world, NULL));
    assert_int_equal(owned.living, 2);
    assert_int_equal(keel_enable(other.world, e, Speed), KEEL_OK);
    assert_int_equal(keel_get(other.world, e, Speed)->value, 4);
    const keel_entity moved = keel_move_entity(f.world, e, other.world);
    assert_true(keel_is_disabled(other.world, moved, Engine));
    assert_true(keel_is_disabled(other.world, moved, Speed));
    assert_true(keel_world_check(other.world, NULL));
    check();
    assert_int_equal(owned.living, 2);
    assert_int_equal(keel_enable(other.world, moved, Engine), KEEL_OK);
    assert_int_equal(keel_enable(other.world, moved, Speed), KEEL_OK);
    assert_int_equal(keel_get(other.world, moved, Speed)->value, 4);
    assert_true(keel_world_check(other.world, NULL));
    api_end(&other);
    end();
}

// ------------------------------------------------------------------ all of an entity
static keel_entity child_with_all(keel_entity parent) {
    const keel_entity e =
        keel_add_entity(f.world, KEEL_INIT(Speed, { 1 }), KEEL_INIT(Engine, { owned_make() }),
                        KEEL_INIT(Row, { 2 }), KEEL_INIT(Health, { 3 }));
    assert_int_equal(keel_add(f.world, e, Frozen), KEEL_OK);
    assert_int_equal(keel_attach(f.world, e, parent), KEEL_OK);
    assert_int_equal(keel_set_name(f.world, e, "ship"), KEEL_OK);
    return e;
}
static void assert_is_there(keel_entity e, bool there) {
    assert_int_equal(keel_has_all(f.world, e, Speed, Engine, Row, Health, Frozen), there);
    assert_int_equal(keel_has_any(f.world, e, Speed, Engine, Row, Health, Frozen), there);
    check();
}

static void an_entity_is_disabled_as_a_whole(void **state) {
    (void)state;
    begin();
    const keel_entity parent = keel_add_entity(f.world);
    const keel_entity e = child_with_all(parent);
    assert_int_equal(keel_enable_entity(f.world, e, true), KEEL_ABSENT);
    assert_int_equal(keel_enable_entity(f.world, e, false), KEEL_OK);
    assert_is_there(e, false);
    assert_true(keel_is_alive(f.world, e));
    assert_true(keel_is_same(keel_parent_of(f.world, e), parent));
    assert_string_equal(keel_name_of(f.world, e), "ship");
    assert_int_equal(visited(KEEL_OF(Row), KEEL_TERM_READ), 0);
    assert_int_equal(keel_enable_entity(f.world, e, false), KEEL_ABSENT);
    assert_int_equal(keel_enable(f.world, e, Row), KEEL_OK);
    assert_int_equal(keel_get(f.world, e, Row)->value, 2);
    assert_int_equal(keel_enable_entity(f.world, e, true), KEEL_OK);
    assert_is_there(e, true);
    assert_int_equal(keel_get(f.world, e, Speed)->value, 1);
    assert_int_equal(keel_get(f.world, e, Row)->value, 2);
    assert_int_equal(keel_get(f.world, e, Health)->points, 3);
    keel_commands *later = keel_world_commands(f.world);
    assert_int_equal(keel_enable_entity(later, e, false), KEEL_OK);
    assert_is_there(e, true);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_is_there(e, false);
    assert_int_equal(keel_delete_entity(f.world, e), KEEL_OK);
    assert_int_equal(keel_enable_entity(f.world, e, true), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(owned.living, 0);
    assert_no_error(f.world);
    end();
}

static void it_is_all_or_nothing(void **state) {
    (void)state;
    begin();
    const keel_entity e = child_with_all(keel_add_entity(f.world));
    for (uint32_t shows = 0; shows < 2; ++shows)
        for (size_t allowed = 0;; ++allowed) {
            keel_world_trim(f.world);
            counting_allocator_fail_after(&f.memory, allowed);
            const keel_result result = keel_enable_entity(f.world, e, shows);
            counting_allocator_never_fail(&f.memory);
            assert_is_there(e, (result == KEEL_OK) == shows);
            if (result == KEEL_OK) break;
            assert_error(f.world, KEEL_ERROR_MEMORY, "abling components");
            assert_true(allowed < 40);
        }
    const keel_term terms[] = { { .kind = KEEL_TERM_READ, .component = KEEL_OF(Row) },
                                { .kind = KEEL_TERM_END } };
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, terms, "a reader"), KEEL_OK);
    assert_int_equal(keel_enable_entity(f.world, e, false), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "cannot disable");
    keel_view_end(&view);
    assert_is_there(e, true);
    assert_int_equal(owned.living, 1);
    end();
}

static void groups_see_it_go_and_come(void **state) {
    (void)state;
    begin();
    keel_group *got = NULL, *excluding = NULL, *listing = NULL;
    const keel_component *const number[] = { KEEL_OF(Number), NULL };
    const keel_component *const other[] = { KEEL_OF(Other), NULL };
    const keel_component *const speed[] = { KEEL_OF(Speed), NULL };
    const keel_component *const speed_number[] = { KEEL_OF(Speed), KEEL_OF(Number), NULL };
    const keel_group_desc descs[] = { { .name = "got", .owned = number, .get = speed },
                                      { .name = "without", .owned = other, .exclude = speed },
                                      { .name = "list", .get = speed_number } };
    assert_int_equal(keel_group_create_of(f.world, &descs[0], &got), KEEL_OK);
    assert_int_equal(keel_group_create_of(f.world, &descs[1], &excluding), KEEL_OK);
    assert_int_equal(keel_group_create_of(f.world, &descs[2], &listing), KEEL_OK);
    keel_entity e[20];
    for (uint32_t i = 0; i < 20; ++i)
        e[i] = keel_add_entity(f.world, KEEL_INIT(Number, { i }), KEEL_INIT(Other, { i }),
                               KEEL_INIT(Speed, { i }));
    assert_int_equal(keel_group_count(f.world, got), 20);
    assert_int_equal(keel_group_count(f.world, excluding), 0);
    for (uint32_t i = 0; i < 20; i += 2)
        assert_int_equal(keel_disable(f.world, e[i], Speed), KEEL_OK);
    check();
    assert_int_equal(keel_group_count(f.world, got), 10);
    assert_int_equal(keel_group_count(f.world, listing), 10);
    assert_int_equal(keel_group_count(f.world, excluding), 10);
    keel_delete(f.world, e[0], Speed); // the kept value
    keel_add(f.world, e[2], Speed, { 7 });
    keel_delete_entity(f.world, e[4]);
    check();
    if (storage == KEEL_INDEXED) counting_allocator_fail_after(&f.memory, 0);
    for (uint32_t i = 6; i < 20; i += 2)
        assert_int_equal(keel_enable(f.world, e[i], Speed), KEEL_OK);
    counting_allocator_never_fail(&f.memory);
    check();
    assert_int_equal(keel_group_count(f.world, got), 18);
    assert_int_equal(keel_group_count(f.world, listing), 18);
    assert_int_equal(keel_group_count(f.world, excluding), 1);
    end();
}

static const struct CMUnitTest tests[] = {
    TEST(a_disabled_component_is_out_of_sight, "A disabled component is out of sight and stays"),
    TEST(doing_it_twice_is_absent, "Disabling or enabling twice is absent"),
    TEST(misuse_is_an_error, "Dead entities and wrong components are errors"),
    TEST(adding_again_overwrites_and_enables, "Adding again drops the kept value and enables"),
    TEST(what_takes_it_away_drops_the_kept_value, "What takes it away drops the kept value"),
    TEST(a_new_entity_does_not_find_an_old_value, "A new entity does not find an old value"),
    TEST(clones_and_retain_pass_it_by, "Clones do not get it"),
    TEST(whole_blocks_can_be_disabled, "Whole blocks can be disabled, trimmed and enabled"),
    TEST(borrowed_storages_are_left_alone, "Borrowed storages are left alone"),
    TEST(groups_see_it_go_and_come, "Groups see it go and come, without needing memory"),
    TEST(disabling_survives_a_lack_of_memory, "Disabling survives a lack of memory"),
    TEST(what_is_disabled_goes_along, "Copies of worlds and other worlds get it disabled"),
    TEST(an_entity_is_disabled_as_a_whole, "An entity is disabled and enabled as a whole"),
    TEST(it_is_all_or_nothing, "All of it or nothing, also without memory"),
};
int main(void) {
    static const keel_storage kinds[] = { KEEL_INDEXED, KEEL_SPARSE_SET, KEEL_ARCHETYPE };
    int failed = 0;
    for (uint32_t i = 0; i < 3; ++i) {
        storage = kinds[i];
        failed += RUN(tests);
    }
    return failed;
}
