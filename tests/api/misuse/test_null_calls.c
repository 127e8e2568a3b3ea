// SPDX-License-Identifier: MIT
// Calls with NULL arguments: the answer is an error, in places that other tests leave out.
#include "support/api_types.h"

static void test_lists_of_components(void **state) {
    api_fixture f;
    (void)state;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    assert_false((keel_has_all_components)(KEEL_SCOPE(f.world), e, NULL));
    assert_false((keel_has_any_component)(KEEL_SCOPE(f.world), e, NULL));
    api_end(&f);
}

static void test_scratch_of_no_piece(void **state) {
    const keel_piece none = { 0 };
    (void)state;
    assert_null(keel_piece_scratch(&none, 16, 16));
    assert_null(keel_piece_scratch(NULL, 16, 16));
}

static void test_span_of_nobody(void **state) {
    api_fixture f;
    (void)state;
    api_begin(&f);
    (void)keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    keel_view view;
    keel_iterator it;
    assert_int_equal(keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_READ(Number, n)), "a test"),
                     KEEL_OK);
    assert_int_equal(keel_iterator_begin(&it, &view), KEEL_OK);
    assert_false(keel_iterator_next_span(&it, NULL));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "a span to write to");
    keel_span span;
    assert_true(keel_iterator_next_span(&it, &span)); // it is where it was
    keel_view_end(&view);
    api_end(&f);
}

static keel_result nothing(keel_world *world, void *data) {
    (void)world, (void)data;
    return KEEL_OK;
}

static void test_commands(void **state) {
    api_fixture f;
    (void)state;
    api_begin(&f);
    keel_commands *commands = keel_world_commands(f.world);
    keel_entity e = keel_add_entity(f.world);
    const Number n = { 1 };
    assert_int_equal(keel_commands_call(commands, nothing, NULL, 4), KEEL_ERROR_ARGUMENT);
    assert_int_equal((keel_add_component_to_many)(KEEL_SCOPE(commands), &e, 1, NULL, &n, 0),
                     KEEL_ERROR_ARGUMENT);
    // the value of a marker that is no component is nobody's
    (void)(keel_add_component)(KEEL_SCOPE(commands), e, keel_if_missing(), &n);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    keel_clear_errors(f.world);
    api_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_of_components),
        cmocka_unit_test(test_scratch_of_no_piece),
        cmocka_unit_test(test_span_of_nobody),
        cmocka_unit_test(test_commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
