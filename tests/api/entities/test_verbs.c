// SPDX-License-Identifier: MIT
// Verbs about several components or all of them: has_all and has_any, drain, deleting all that
// match and how many there were, uniques that are set when first asked for.
#include "support/api_types.h"

typedef struct Plain {
    uint32_t value;
} Plain;
typedef struct Row {
    uint32_t value;
} Row;
KEEL_COMPONENT(Plain, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE);
KEEL_UNIQUE(Owned, .drop = owned_drop, .copy = owned_copy, .move = owned_move);

static api_fixture f;

static void several_are_asked_for(void **state) {
    (void)state;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }), KEEL_INIT(Row, { 2 }),
                                          KEEL_INIT(Frozen)),
                      gone = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    assert_int_equal(keel_delete_entity(f.world, gone), KEEL_OK);
    assert_true(keel_has_all(f.world, e, Number, Row, Frozen));
    assert_false(keel_has_all(f.world, e, Number, Plain));
    assert_true(keel_has_any(f.world, e, Plain, Row));
    assert_false(keel_has_any(f.world, e, Plain, Other));
    assert_false(keel_has_all(f.world, gone, Number) || keel_has_any(f.world, gone, Number));
    const keel_component *const none[] = { NULL };
    assert_true(keel_has_all_components(f.world, e, none)); // it is alive
    assert_false(keel_has_all_components(f.world, gone, none));
    keel_view view;
    assert_int_equal(
        keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_READ(Number, n), KEEL_READ(Row, r)), "v"),
        KEEL_OK);
    assert_true(keel_has_all(&view, e, Number, Row));
    assert_false(keel_has_any(&view, e, Plain));
    assert_no_error(f.world); // the world does not know Plain
    keel_view_end(&view);
    api_end(&f);
}

#define DRAINS(T)                                                                                  \
    do {                                                                                           \
        keel_entity made[5], e;                                                                    \
        const T values[5] = { { 1 }, { 2 }, { 3 }, { 4 }, { 5 } };                                 \
        T value;                                                                                   \
        uint32_t sum = 0, last = 0;                                                                \
        assert_int_equal(keel_add_entities(f.world, 5, made, KEEL_COLUMN(T, values)), KEEL_OK);    \
        while (keel_drain(f.world, T, &e, &value)) {                                               \
            assert_true(!sum || keel_entity_index(e) > last); /* the same order everywhere */      \
            last = keel_entity_index(e);                                                           \
            sum += value.value;                                                                    \
        }                                                                                          \
        assert_int_equal(sum, 15);                                                                 \
        assert_int_equal(keel_count(f.world, T), 0);                                               \
        assert_true(keel_is_alive(f.world, made[0]));                                              \
    } while (0)

static void drain_hands_all_values_out(void **state) {
    (void)state;
    api_begin(&f);
    DRAINS(Number);
    DRAINS(Plain);
    DRAINS(Row);
    (void)keel_add_entity(f.world, KEEL_INIT(Number, { 7 }));
    keel_view view;
    Number out;
    assert_int_equal(
        keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_READ(Number, n)), "only reads"), KEEL_OK);
    assert_false(keel_drain_component(&view, KEEL_OF(Number), NULL, &out));
    assert_error(f.world, KEEL_ERROR_ACCESS, "Number");
    assert_int_equal(keel_count(f.world, Number), 1);
    keel_view_end(&view);
    api_end(&f);
}

static void what_matches_is_deleted_and_counted(void **state) {
    (void)state;
    api_begin(&f);
    keel_entity many[20];
    assert_int_equal(keel_add_entities(f.world, 20, many, KEEL_FILL(Number, { 1 })), KEEL_OK);
    assert_int_equal(keel_add_many(f.world, many, 5, Frozen), KEEL_OK);
    assert_int_equal(keel_add_many(f.world, many + 3, 4, Row, { 3 }), KEEL_OK);
    assert_int_equal(
        keel_delete_entities_matching(f.world, KEEL_TERMS(KEEL_WITH(Frozen), KEEL_WITHOUT(Row))),
        KEEL_OK);
    assert_int_equal(keel_last_count(f.world), 3);
    assert_int_equal(keel_entity_count(f.world), 17);
    (void)keel_add_entity(f.world);
    (void)keel_add_entity(f.world);
    assert_int_equal(keel_delete_entities_matching(f.world, KEEL_TERMS(KEEL_WITH(Other))),
                     KEEL_ABSENT);
    assert_int_equal(keel_delete_many(f.world, many, 20, Row), KEEL_OK);
    assert_int_equal(keel_last_count(f.world), 4);
    assert_int_equal(keel_clear(f.world, Frozen), KEEL_OK);
    assert_int_equal(keel_last_count(f.world), 2);
    assert_int_equal(keel_delete_entities(f.world, many, 10), KEEL_OK);
    assert_int_equal(keel_last_count(f.world), 7); // three were not alive
    assert_int_equal(keel_delete_entities_having(f.world, Number), KEEL_OK);
    assert_int_equal(keel_last_count(f.world), 10);
    assert_int_equal(keel_clear_entities(f.world), KEEL_OK);
    assert_int_equal(keel_last_count(f.world), 2);
    // while a view is open nothing is deleted, and memory may run out first
    assert_int_equal(keel_add_entities(f.world, 20, many, KEEL_FILL(Number, { 1 })), KEEL_OK);
    for (size_t n = 0;; ++n) {
        counting_allocator_fail_after(&f.memory, n);
        const keel_result result =
            keel_delete_entities_matching(f.world, KEEL_TERMS(KEEL_WITH(Number)));
        counting_allocator_never_fail(&f.memory);
        if (result == KEEL_OK) break;
        assert_int_equal(result, KEEL_ERROR_MEMORY);
        assert_int_equal(keel_entity_count(f.world), 20);
    }
    assert_int_equal(keel_entity_count(f.world), 0);
    api_end(&f);
}

static void uniques_are_set_when_asked_for(void **state) {
    (void)state;
    owned_begin();
    api_begin(&f);
    const Owned a = owned_make(), b = owned_make();
    assert_int_equal(keel_get_or_set_unique(f.world, Owned, a)->token, a.token);
    assert_int_equal(keel_get_or_set_unique(f.world, Owned, b)->token, a.token);
    owned_release(b); // was not handed over
    keel_get_or_set_unique(f.world, Time, { 1, 2 })->now = 5;
    assert_true(keel_get_unique(f.world, Time)->now == 5);
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_UNIQUE_READ(Time, t)), "v"),
                     KEEL_OK);
    assert_null(keel_get_or_set_unique(f.world, Time));
    assert_int_equal(keel_clear_uniques(f.world), KEEL_ERROR_BORROWED);
    assert_int_equal(owned.living, 1);
    assert_int_equal(keel_set_unique(KEEL_SCOPE(&view), Time), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_BORROWED, "Time");
    keel_view_end(&view);
    assert_int_equal(keel_clear_uniques(f.world), KEEL_OK);
    assert_int_equal(keel_last_count(f.world), 2);
    assert_int_equal(owned.living, 0);
    assert_int_equal(keel_clear_uniques(f.world), KEEL_ABSENT);
    counting_allocator_fail_after(&f.memory, 0);
    assert_null(keel_get_or_set_unique(f.world, Time));
    counting_allocator_never_fail(&f.memory);
    api_end(&f);
    assert_owned_end();
}

// Within a view or system, of what it holds.
KEEL_SYSTEM_ONCE(edits_within, KEEL_CONTEXT(context), KEEL_MAY_EDIT(Number), KEEL_MAY_WRITE(Other),
                 KEEL_DATA(keel_entity, e)) {
    const keel_entity some[] = { e[0], e[1] };
    if (keel_replace(context, e[0], Other, { 8 }) != KEEL_OK ||
        keel_replace(context, e[1], Other, { 8 }) != KEEL_ABSENT ||
        keel_add_many(context, some, 2, Number, { 6 }) != KEEL_OK ||
        keel_add_if_missing(context, e[0], Number, { 7 }) != KEEL_OK)
        keel_fail(context, NULL, "an edit failed");
    if (keel_clear(context, Other) != KEEL_ERROR_ACCESS) keel_fail(context, NULL, "no right");
}
KEEL_SYSTEM_ONCE(clears, KEEL_CONTEXT(context), KEEL_MAY_EDIT(Number)) {
    if (keel_clear(context, Number) != KEEL_OK) keel_fail(context, NULL, "cannot clear");
}

static void within_a_system_of_what_it_holds(void **state) {
    (void)state;
    api_begin(&f);
    keel_entity e[2];
    assert_int_equal(keel_add_entities(f.world, 2, e), KEEL_OK);
    assert_int_equal(keel_add(f.world, e[0], Other, { 1 }), KEEL_OK);
    (void)keel_run_with(f.world, edits_within, e);
    assert_error(f.world, KEEL_ERROR_ACCESS, "Other");
    assert_int_equal(keel_get(f.world, e[0], Other)->value, 8);
    assert_int_equal(keel_get(f.world, e[1], Number)->value, 6);
    assert_int_equal(keel_run(f.world, clears), KEEL_OK);
    assert_int_equal(keel_count(f.world, Number), 0);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(several_are_asked_for, "has_all and has_any ask for several components"),
    TEST(drain_hands_all_values_out, "drain hands all values out, lowest index first"),
    TEST(what_matches_is_deleted_and_counted, "what matches is deleted; how many is asked later"),
    TEST(uniques_are_set_when_asked_for, "uniques are set when first asked for, and cleared"),
    TEST(within_a_system_of_what_it_holds, "systems edit so within what they declared"),
};
int main(void) { return RUN(tests); }
