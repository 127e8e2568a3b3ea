// SPDX-License-Identifier: MIT
// Answers at the edges of functions that other tests pass by: found by tools/mutate.
#include "support/api_types.h"

static api_fixture f;

// ------------------------------------------------------------------ no world
static void values_for_no_world(void **state) {
    (void)state;
    keel_world *none = NULL;
    const keel_value values[] = { { KEEL_OF(Number), NULL }, { NULL, NULL } };
    keel_set_assert_handler(api_go_on);
    assert_true(keel_add_component_values(none, keel_null(), values) < 0);
    assert_true(keel_unlink(none, keel_null()) < 0);
    assert_true(keel_is_null(keel_add_child_values(none, keel_null(), values)));
    keel_set_assert_handler(NULL);
}

// ------------------------------------------------------------------ nothing to do
static void sorting_nothing(void **state) {
    (void)state;
    api_begin(&f);
    keel_add_entity(f.world, KEEL_INIT(Other, { 1 }));
    assert_int_equal(keel_register(f.world, Number), KEEL_OK);
    assert_int_equal(keel_sort_by(f.world, &(keel_sort_desc){ .component = KEEL_OF(Number),
                                                              .as = KEEL_OF(Other) }),
                     KEEL_OK);
    assert_no_error(f.world);
    api_end(&f);
}

static void kinds_of_no_set(void **state) {
    (void)state;
    api_begin(&f);
    assert_int_equal(keel_collect(f.world, Dead, Number, KEEL_ON_INSERTED), KEEL_OK);
    assert_int_equal(keel_collected_kinds(f.world, NULL, KEEL_OF(Number)), 0);
    assert_int_equal(keel_collected_kinds(f.world, KEEL_OF(Dead), KEEL_OF(Other)), 0);
    assert_int_equal(keel_collected_kinds(f.world, KEEL_OF(Dead), KEEL_OF(Number)),
                     KEEL_ON_INSERTED);
    api_end(&f);
}

// ------------------------------------------------------------------ what an observer answers
static void mark_root(const keel_change *event, void *data) {
    (void)data;
    keel_add(event->commands, event->entity, Frozen);
}
static void answers_come_with_the_edit(void **state) {
    (void)state;
    api_begin(&f);
    const keel_entity root = keel_add_entity(f.world), child = keel_add_child(f.world, root);
    const keel_entity below = keel_add_child(f.world, child);
    assert_int_equal(keel_observe(f.world, keel_child, KEEL_ON_DELETED, mark_root, NULL), KEEL_OK);
    assert_int_equal(keel_unlink(f.world, child), KEEL_OK);
    assert_true(keel_has(f.world, child, Frozen));
    assert_true(keel_has(f.world, below, Frozen));
    keel_delete(f.world, child, Frozen);
    assert_int_equal(keel_attach(f.world, child, root), KEEL_OK);
    assert_int_equal(keel_detach(f.world, child), KEEL_OK);
    assert_true(keel_has(f.world, child, Frozen));
    api_end(&f);
}

// The one observer of a component, called in place.
static void of_one_value(void **state) {
    (void)state;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(
        keel_observe(f.world, Number, KEEL_ON_INSERTED | KEEL_ON_MODIFIED, mark_root, NULL),
        KEEL_OK);
    keel_add(f.world, e, Number, { 1 });
    assert_true(keel_has(f.world, e, Frozen));
    keel_delete(f.world, e, Frozen);
    keel_add(f.world, e, Number, { 2 });
    assert_true(keel_has(f.world, e, Frozen));
    keel_delete(f.world, e, Frozen);
    keel_replace(f.world, e, Number, { 3 });
    assert_true(keel_has(f.world, e, Frozen));
    api_end(&f);
}

static void mark_by_the_world(const keel_change *event, void *data) {
    keel_commands *list = keel_world_commands(event->world);
    *(keel_result *)data = keel_add(list, event->entity, Frozen);
}
static void into_the_commands_of_the_world(void **state) {
    (void)state;
    keel_result result = KEEL_ABSENT;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_observe(f.world, Number, KEEL_ON_INSERTED, mark_by_the_world, &result),
                     KEEL_OK);
    keel_add(f.world, e, Number, { 1 });
    assert_int_equal(result, KEEL_OK);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_true(keel_has(f.world, e, Frozen));
    api_end(&f);
}

// ------------------------------------------------------------------ values that are handed over
static void values_of_recorded_spawns(void **state) {
    (void)state;
    api_begin(&f);
    owned_begin();
    const keel_prefab box = { keel_add_entity(keel_templates(f.world)) };
    keel_commands *list = keel_world_commands(f.world);
    keel_entity e[3];
    const Owned mine = owned_make();
    assert_int_equal(keel_spawn_many(list, box, 3, e, KEEL_FILL(Owned, mine)), KEEL_OK);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(owned.living, 4); // mine and theirs: the one that was recorded is dropped
    owned_release(mine);
    const uint32_t moves = owned.moves;
    (void)keel_spawn(f.world, box, KEEL_INIT(Owned, owned_make()));
    assert_true(owned.moves > moves);
    assert_int_equal(owned.living, 4); // it was handed over
    api_end(&f);
    assert_owned_end();
}

KEEL_SYSTEM_ONCE(look_at_the_dead, KEEL_MAY_WRITE(Number), KEEL_UNIQUE_READ(Time, time),
                 KEEL_CONTEXT(context)) {
    (void)time;
    (void)keel_get(context, keel_null(), Number);
}
KEEL_WORKLOAD(looks, KEEL_STEP(look_at_the_dead));
static void looking_at_the_dead_says_nothing(void **state) {
    (void)state;
    api_begin(&f);
    keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    keel_set_unique(f.world, Time, { 0, 0 });
    assert_int_equal(keel_run_workload(f.world, looks), KEEL_OK);
    assert_int_equal(f.log.warnings, 0);
    api_end(&f);
}

// ------------------------------------------------------------------ what a relation cannot have
static uint64_t hash_any(const void *value, void *data) {
    (void)value, (void)data;
    return 0;
}
static void hooks_without_values(void **state) {
    (void)state;
    api_begin(&f);
    const keel_component wrong[] = {
        { .name = "a", .is_relation = true, .drop = owned_drop },
        { .name = "b", .is_relation = true, .copy = owned_copy },
        { .name = "c", .is_relation = true, .move = owned_move },
        { .name = "d", .is_relation = true, .hash = hash_any },
    };
    for (uint32_t i = 0; i < 4; ++i) {
        assert_null(keel_register_component(f.world, &wrong[i]));
        assert_error(f.world, KEEL_ERROR_ARGUMENT, "is a relation and has hooks");
    }
    api_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_for_no_world),
        cmocka_unit_test(sorting_nothing),
        cmocka_unit_test(kinds_of_no_set),
        cmocka_unit_test(answers_come_with_the_edit),
        cmocka_unit_test(of_one_value),
        cmocka_unit_test(into_the_commands_of_the_world),
        cmocka_unit_test(values_of_recorded_spawns),
        cmocka_unit_test(looking_at_the_dead_says_nothing),
        cmocka_unit_test(hooks_without_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
