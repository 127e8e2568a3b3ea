// SPDX-License-Identifier: MIT
// One helper for ordinary code, views, commands and systems; and what a scope cannot do, it says.
#include "support/api_types.h"

static api_fixture f;

// ------------------------------------------------------------------ one helper, any scope
static float speed_of(const keel_scope *scope, keel_entity e) {
    const Velocity *v = keel_get(scope, e, Velocity);
    return v ? v->x : -1;
}
static keel_result hit(keel_scope *scope, keel_entity e) {
    KEEL_TRY(keel_add(scope, e, Number, { 7 }));
    return keel_delete(scope, e, Velocity);
}

static keel_entity target;
static keel_result results[4];
static float speeds[4];
KEEL_SYSTEM_ONCE(in_a_system, KEEL_MAY_EDIT(Number, Velocity), KEEL_CONTEXT(context)) {
    speeds[0] = speed_of(KEEL_SCOPE(context), target);
    results[0] = hit(KEEL_SCOPE(context), target);
}
KEEL_SYSTEM_ONCE(by_commands, KEEL_COMMANDS(commands)) {
    results[1] = hit(KEEL_SCOPE(commands), target);
}

static void begin(void) {
    api_begin(&f);
    target = keel_add_entity(f.world, KEEL_INIT(Velocity, { 3, 4 }));
}
static void end(void) {
    assert_int_equal(keel_get(f.world, target, Number)->value, 7);
    assert_false(keel_has(f.world, target, Velocity));
    assert_no_error(f.world);
    api_end(&f);
}

static void a_world_is_one(void **state) {
    (void)state;
    begin();
    assert_true(speed_of(KEEL_SCOPE(f.world), target) == 3);
    assert_int_equal(hit(KEEL_SCOPE(f.world), target), KEEL_OK);
    end();
}

static void a_view_is_one(void **state) {
    (void)state;
    begin();
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world,
                                     KEEL_TERMS(KEEL_EDIT(Velocity, v), KEEL_MAY_EDIT(Number)),
                                     "view"),
                     KEEL_OK);
    assert_true(speed_of(KEEL_SCOPE(&view), target) == 3);
    assert_int_equal(hit(KEEL_SCOPE(&view), target), KEEL_OK);
    keel_view_end(&view);
    end();
}

static void a_context_is_one(void **state) {
    (void)state;
    begin();
    assert_int_equal(keel_run(f.world, in_a_system), KEEL_OK);
    assert_true(speeds[0] == 3);
    assert_int_equal(results[0], KEEL_OK);
    end();
}

static void commands_are_one(void **state) {
    (void)state;
    begin();
    assert_int_equal(hit(KEEL_SCOPE(keel_world_commands(f.world)), target), KEEL_OK);
    assert_true(keel_has(f.world, target, Velocity));
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    end();
    begin();
    assert_int_equal(keel_run(f.world, by_commands), KEEL_OK);
    assert_int_equal(results[1], KEEL_OK);
    end();
}

// ------------------------------------------------------------------ what one cannot do
static void what_a_scope_never_does_is_an_error(void **state) {
    (void)state;
    begin();
    keel_scope *commands = KEEL_SCOPE(keel_world_commands(f.world));
    keel_reader *reader = keel_reader_create(f.world, "reader");
    Velocity out = { 0 };
    assert_true(speed_of(commands, target) == -1);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "commands record edits");
    assert_int_equal(keel_remove_component(commands, target, KEEL_OF(Velocity), &out),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "commands cannot return a value");
    assert_int_equal(hit(KEEL_SCOPE(reader), target), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "a reader looks at changes");
    keel_scope *only_looks = KEEL_SCOPE(reader);
    assert_null(keel_get_mut(only_looks, target, Velocity));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "a reader looks at changes and edits nothing");
    assert_int_equal(keel_mark(only_looks, target, Velocity), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_replace(only_looks, target, Velocity, { 8, 8 }), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_set_unique(f.world, Time, { 1, 2 }), KEEL_OK);
    assert_null(keel_get_unique_mut(only_looks, Time));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "a reader looks at changes and edits nothing");
    assert_non_null(keel_get_unique(only_looks, Time));
    assert_true(speed_of(only_looks, target) == 3);
    keel_view view;
    assert_int_equal(keel_view_begin(&view, commands, KEEL_TERMS(KEEL_READ(Velocity, v)), "view"),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "through a world, a context or a reader");
    keel_reader_destroy(reader);
    assert_true(speed_of(KEEL_SCOPE(f.world), target) == 3);
    api_end(&f);
}

static void what_is_no_scope_is_an_error(void **state) {
    (void)state;
    begin();
    keel_set_assert_handler(api_go_on);
    keel_scope invented = { 77 }, ended = { 0 };
    keel_scope *const wrong[] = { &invented, &ended, NULL };
    for (uint32_t i = 0; i < 3; ++i) {
        assert_int_equal(hit(wrong[i], target), KEEL_ERROR_ARGUMENT);
        assert_true(speed_of(wrong[i], target) == -1);
        assert_false(keel_is_alive(wrong[i], target));
        assert_int_equal(keel_attach(wrong[i], target, target), KEEL_ERROR_ARGUMENT);
        assert_int_equal(keel_delete_entity(wrong[i], target), KEEL_ERROR_ARGUMENT);
    }
    keel_set_assert_handler(NULL);
    assert_true(speed_of(KEEL_SCOPE(f.world), target) == 3);
    api_end(&f);
}

// ------------------------------------------------------------------ cells that were empty
static void views_attach_where_they_hold_the_links(void **state) {
    (void)state;
    begin();
    const keel_entity parent = keel_add_entity(f.world);
    keel_view reads, edits;
    assert_int_equal(keel_view_begin(&reads, f.world,
                                     KEEL_TERMS(KEEL_WITH(keel_child), KEEL_TARGETED(keel_child)),
                                     "reads"),
                     KEEL_OK);
    assert_true(keel_is_null(keel_parent_of(&reads, target)));
    assert_int_equal(keel_attach(&reads, target, parent), KEEL_ERROR_ACCESS);
    keel_clear_errors(f.world);
    keel_view_end(&reads);
    assert_int_equal(keel_view_begin(&edits, f.world, KEEL_TERMS(KEEL_MAY_EDIT_WORLD), "edits"),
                     KEEL_OK);
    assert_int_equal(keel_attach(&edits, target, parent), KEEL_OK);
    assert_true(keel_is_same(keel_parent_of(&edits, target), parent));
    assert_int_equal(keel_child_count(&edits, parent), 1);
    assert_int_equal(keel_count(&edits, Velocity), 1);
    assert_true(keel_is_alive(&edits, target));
    assert_int_equal(keel_detach(&edits, target), KEEL_OK);
    keel_view_end(&edits);
    assert_no_error(f.world);
    api_end(&f);
}

static void marks_are_recorded(void **state) {
    (void)state;
    begin();
    assert_int_equal(keel_track(f.world, Velocity, KEEL_TRACK_ALL), KEEL_OK);
    assert_int_equal(keel_clear_changes(f.world, Velocity, KEEL_TRACK_ALL, KEEL_NOW), KEEL_OK);
    assert_int_equal(keel_mark(keel_world_commands(f.world), target, Velocity), KEEL_OK);
    assert_int_equal(keel_changes_of(f.world, target, Velocity), 0);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(keel_changes_of(f.world, target, Velocity), KEEL_TRACK_MODIFICATION);
    api_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_world_is_one, "a helper with a scope: called with a world"),
        TEST(a_view_is_one, "a helper with a scope: called with a view"),
        TEST(a_context_is_one, "a helper with a scope: called in a system"),
        TEST(commands_are_one, "a helper with a scope: recorded"),
        TEST(what_a_scope_never_does_is_an_error,
             "what a scope never does is an error that says so"),
        TEST(what_is_no_scope_is_an_error, "what is no scope is an error"),
        TEST(views_attach_where_they_hold_the_links, "views and counts: cells that were empty"),
        TEST(marks_are_recorded, "marking through commands"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
