// SPDX-License-Identifier: MIT
// Commands: what each kind does, in which order and when; handles of entities to come; commands for
// the dead; what a system may record. test_commands_memory.c is about memory and values.
#include "support/api_types.h"

#include <stdlib.h>

static keel_entity add_number(keel_world *world, uint32_t value) {
    const keel_entity e = keel_add_entity(world, KEEL_INIT(Number, { value }));
    assert_false(keel_is_null(e));
    return e;
}

static uint32_t number_of(const keel_world *world, keel_entity e) {
    const Number *n = keel_get(world, e, Number);
    assert_non_null(n);
    return n->value;
}

// ------------------------------------------------------------------ every kind
enum { FAMILY = 16 };

// Sixteen entities: 8 > 9 > 10 and 12 > 13 > 14 are chains in the hierarchy; 7 is a child of 6.
static void add_family(keel_world *world, keel_entity *e) {
    for (uint32_t i = 0; i < FAMILY; ++i)
        e[i] = keel_add_entity(world, KEEL_INIT(Position, { (float)i, 1 }),
                               KEEL_INIT(Number, { i }), KEEL_INIT(Dead));
    static const uint32_t pairs[][2] = { { 9, 8 }, { 10, 9 }, { 13, 12 }, { 14, 13 }, { 7, 6 } };
    for (uint32_t i = 0; i < 5; ++i)
        assert_int_equal(keel_attach(world, e[pairs[i][0]], e[pairs[i][1]]), KEEL_OK);
}

// The same edits, now or later: the scope is a world or its commands.
#define EDIT(scope, e)                                                                             \
    do {                                                                                           \
        const keel_entity n = keel_add_entity((scope), KEEL_INIT(Number, { 1 }), KEEL_INIT(Dead)); \
        const keel_entity c = keel_add_child((scope), (e)[0], KEEL_INIT(Owned, owned_make()));     \
        assert_false(keel_is_null(n) || keel_is_null(c));                                          \
        assert_int_equal(keel_add((scope), n, Other, { 3 }), KEEL_OK);                             \
        assert_int_equal(keel_add((scope), (e)[1], Number, { 77 }), KEEL_OK);                      \
        assert_int_equal(keel_add((scope), (e)[1], Frozen), KEEL_OK);                              \
        assert_int_equal(keel_add_values((scope), (e)[2], KEEL_INIT(Third, { 4 }),                 \
                                         KEEL_INIT(Large), KEEL_INIT(Owned, owned_make())),        \
                         KEEL_OK);                                                                 \
        assert_int_equal(keel_remove((scope), (e)[1], Position), KEEL_OK);                         \
        assert_int_equal(keel_delete((scope), (e)[3], Position, Velocity, Dead), KEEL_OK);         \
        assert_int_equal(keel_strip((scope), (e)[4]), KEEL_OK);                                    \
        assert_int_equal(keel_attach((scope), (e)[5], (e)[6]), KEEL_OK);                           \
        assert_int_equal(keel_attach((scope), n, (e)[5]), KEEL_OK);                                \
        assert_int_equal(keel_detach((scope), (e)[7]), KEEL_OK);                                   \
        assert_int_equal(keel_unlink((scope), (e)[9]), KEEL_OK);                                   \
        assert_int_equal(keel_attach((scope), (e)[11], (e)[12]), KEEL_OK);                         \
        assert_int_equal(keel_unlink_tree((scope), (e)[13]), KEEL_OK);                             \
        assert_int_equal(keel_delete_tree((scope), (e)[12]), KEEL_OK);                             \
        assert_int_equal(keel_delete_entity((scope), (e)[15]), KEEL_OK);                           \
    } while (0)
// The same for verbs about many entities, about all, about uniques, and for those that ask first.
#define EDIT_MANY(scope, e)                                                                        \
    do {                                                                                           \
        const keel_entity some[] = { (e)[0], (e)[1], (e)[2] };                                     \
        Number numbers[] = { { 21 }, { 22 }, { 23 } };                                             \
        const Third thirds[] = { { 31 }, { 32 }, { 33 } };                                         \
        assert_int_equal(keel_add((scope), (e)[0], Velocity, { 1, 1 }), KEEL_OK);                  \
        assert_int_equal(keel_add((scope), (e)[9], Doomed), KEEL_OK);                              \
        keel_entity made[3], clones[2];                                                            \
        assert_int_equal(keel_add_entities((scope), 3, made, KEEL_COLUMN(Number, numbers),         \
                                           KEEL_FILL(Position, { 5, 6 }), KEEL_FILL(Frozen)),      \
                         KEEL_OK);                                                                 \
        assert_int_equal(keel_add((scope), made[1], Other, { 9 }), KEEL_OK);                       \
        assert_int_equal(keel_clone_entities((scope), made[1], 2, clones), KEEL_OK);               \
        assert_int_equal(keel_add((scope), clones[1], Third, { 9 }), KEEL_OK);                     \
        assert_false(keel_is_null(keel_clone_entity((scope), (e)[2])));                            \
        assert_int_equal(keel_add_if_missing((scope), made[0], Number, { 50 }), KEEL_OK);          \
        assert_int_equal(keel_add_if_missing((scope), made[0], Third, { 50 }), KEEL_OK);           \
        assert_int_equal(keel_add((scope), made[2], Number), KEEL_OK);                             \
        assert_int_equal(keel_replace((scope), made[2], Position, { 1, 1 }), KEEL_OK);             \
        assert_int_equal(keel_add_many((scope), some, 3, Other, { 12 }), KEEL_OK);                 \
        assert_int_equal(keel_add_column_many((scope), some, 3, Third, thirds), KEEL_OK);          \
        assert_int_equal(keel_delete_many((scope), some + 1, 2, Dead), KEEL_OK);                   \
        assert_int_equal(keel_add_matching((scope), KEEL_TERMS(KEEL_WITH(Frozen)), Health, { 4 }), \
                         KEEL_OK);                                                                 \
        assert_int_equal(                                                                          \
            keel_delete_matching((scope), KEEL_TERMS(KEEL_ANY_OF(Other, Third)), Position),        \
            KEEL_OK);                                                                              \
        assert_int_equal(keel_delete_entities_matching((scope), KEEL_TERMS(KEEL_READ(Number, n),   \
                                                                           KEEL_WITHOUT(Dead),     \
                                                                           KEEL_WITHOUT(Frozen))), \
                         KEEL_OK);                                                                 \
        assert_int_equal(keel_delete_entities((scope), (e) + 7, 2), KEEL_OK);                      \
        assert_int_equal(keel_add((scope), (e)[6], Hidden, { 3 }), KEEL_OK);                       \
        assert_int_equal(keel_disable((scope), (e)[6], Hidden), KEEL_OK);                          \
        assert_int_equal(keel_add((scope), (e)[5], Hidden, { 4 }), KEEL_OK);                       \
        assert_int_equal(keel_disable((scope), (e)[5], Hidden), KEEL_OK);                          \
        assert_int_equal(keel_enable((scope), (e)[5], Hidden), KEEL_OK);                           \
        assert_int_equal(keel_clear((scope), Velocity), KEEL_OK);                                  \
        assert_int_equal(keel_set_unique((scope), Time, { 1, 2 }), KEEL_OK);                       \
        assert_int_equal(keel_set_unique((scope), Score, { 7 }), KEEL_OK);                         \
        assert_int_equal(keel_remove_unique((scope), Score), KEEL_OK);                             \
        assert_int_equal(keel_delete_entities_having((scope), Doomed), KEEL_OK);                   \
    } while (0)

typedef struct Hidden {
    int value;
} Hidden;
typedef struct Score {
    int value;
} Score;
KEEL_COMPONENT(Hidden, .storage = KEEL_INDEXED);
KEEL_UNIQUE(Score);
KEEL_TAG(Doomed);

static void recorded_edits_do_what_immediate_ones_do(void **state) {
    (void)state;
    api_fixture now, later;
    keel_entity e[FAMILY], same[FAMILY];
    owned_begin();
    api_begin(&now);
    api_begin(&later);
    add_family(now.world, e);
    add_family(later.world, same);
    char *before = world_text(later.world, NULL);
    EDIT(keel_world_commands(later.world), same);
    assert_same_text(world_text(later.world, NULL), before); // nothing yet
    owned_begin();                                           // both worlds get the same tokens
    EDIT(now.world, e);
    assert_int_equal(keel_apply_commands(later.world), KEEL_OK);
    assert_int_equal(keel_world_statistics(later.world).dropped_commands, 0);
    assert_same_text(world_text(later.world, NULL), world_text(now.world, NULL));
    assert_false(keel_is_alive(later.world, same[11])); // a child of 12 by then
    assert_true(keel_is_alive(later.world, same[14]));
    api_end(&now);
    assert_owned_end();
    owned_begin();
    (void)owned_make(); // what the second world still owns
    (void)owned_make();
    api_end(&later);
    assert_owned_end();
}

static void recorded_bulk_edits_do_what_immediate_ones_do(void **state) {
    (void)state;
    api_fixture now, later;
    keel_entity e[FAMILY], same[FAMILY];
    api_begin(&now);
    api_begin(&later);
    add_family(now.world, e);
    add_family(later.world, same);
    char *before = world_text(later.world, NULL);
    EDIT_MANY(keel_world_commands(later.world), same);
    assert_same_text(world_text(later.world, NULL), before); // nothing yet
    EDIT_MANY(now.world, e);
    assert_int_equal(keel_apply_commands(later.world), KEEL_OK);
    assert_int_equal(keel_world_statistics(later.world).dropped_commands, 0);
    assert_same_text(world_text(later.world, NULL), world_text(now.world, NULL));
    assert_true(keel_get_unique(later.world, Time)->step == 2);
    assert_null(keel_get_unique(later.world, Score));
    assert_true(keel_is_disabled(later.world, same[6], Hidden));
    assert_int_equal(keel_get(later.world, same[5], Hidden)->value, 4);
    api_end(&now);
    api_end(&later);
}

static void recorded_lists_skip_the_dead(void **state) {
    (void)state;
    api_fixture f;
    owned_begin();
    api_begin(&f);
    keel_commands *commands = keel_world_commands(f.world);
    keel_entity e[4], clone;
    assert_int_equal(keel_add_entities(f.world, 4, e), KEEL_OK);
    Owned values[4];
    for (uint32_t i = 0; i < 4; ++i)
        values[i] = owned_make();
    const uint32_t token = values[3].token;
    assert_int_equal(keel_delete_entities(commands, e, 2), KEEL_OK);
    assert_int_equal(keel_add_column_many(commands, e, 4, Owned, values), KEEL_OK);
    assert_int_equal(keel_add_many(commands, e, 4, Number, { 5 }), KEEL_OK);
    assert_int_equal(keel_add_many(commands, e, 2, Number, { 5 }), KEEL_OK); // all are dead
    clone = keel_clone_entity(commands, e[1]);                               // so is this one
    assert_int_equal(keel_add(commands, clone, Number, { 6 }), KEEL_OK);
    assert_int_equal(keel_replace(commands, e[2], Other, { 6 }), KEEL_OK); // there is none
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(keel_world_statistics(f.world).dropped_commands, 3);
    assert_false(keel_is_alive(f.world, clone));
    assert_int_equal(keel_count(f.world, Owned), 2);
    assert_int_equal(keel_get(f.world, e[3], Owned)->token, token);
    assert_int_equal(keel_count(f.world, Number), 2);
    assert_int_equal(keel_count(f.world, Other), 0);
    assert_int_equal(owned.living, 2);
    api_end(&f);
    assert_owned_end();
}

static void what_terms_name_may_become_unknown(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_commands *commands = keel_world_commands(f.world);
    (void)keel_add_entity(f.world, KEEL_INIT(Number, { 1 }), KEEL_INIT(Other, { 1 }));
    assert_int_equal(keel_add_matching(commands, KEEL_TERMS(KEEL_WITH(Other)), Third, { 1 }),
                     KEEL_OK);
    assert_int_equal(keel_delete_entities_matching(commands, KEEL_TERMS(KEEL_WITH(Number))),
                     KEEL_OK);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Other)), KEEL_OK);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(keel_count(f.world, Third), 0);
    assert_int_equal(keel_count(f.world, Number), 0);
    assert_int_equal(keel_delete_entities_matching(commands, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "the terms are NULL");
    api_end(&f);
}

KEEL_SYSTEM_ONCE(records_some, KEEL_COMMANDS(commands, Number)) {
    keel_entity made[2];
    if (keel_add_entities(commands, 2, made, KEEL_FILL(Number, { 3 })) < 0 ||
        keel_add_many(commands, made, 2, Number, { 4 }) < 0 ||
        keel_clear(commands, Other) == KEEL_OK ||
        keel_delete_entities(commands, made, 2) == KEEL_OK ||
        keel_set_unique(commands, Time, { 1, 2 }) == KEEL_OK ||
        !keel_is_null(keel_clone_entity(commands, made[0])) ||
        keel_delete_matching(commands, KEEL_TERMS(KEEL_WITH(Number)), Number) == KEEL_OK)
        abort();
}
KEEL_WORKLOAD(some_twice, KEEL_STEP(records_some), KEEL_STEP(records_some));

static void commands_that_may_edit_some_record_no_more(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    for (uint32_t i = 0; i < 2; ++i) {
        assert_int_equal(keel_run_workload(f.world, some_twice), KEEL_ERROR_ACCESS);
        assert_error(f.world, KEEL_ERROR_ACCESS, "may not edit");
        assert_int_equal(keel_count(f.world, Number), 0); // it failed: nothing of it is applied
    }
    api_end(&f);
}

static keel_result add_number_now(keel_world *world, void *data) {
    const uint32_t value = *(const uint32_t *)data;
    return keel_is_null(keel_add_entity(world, KEEL_INIT(Number, { value }))) ? KEEL_ERROR_FULL
                                                                              : KEEL_OK;
}
static keel_result fail_now(keel_world *world, void *data) {
    (void)world;
    assert_null(data);
    return KEEL_ERROR_UNKNOWN;
}

static void a_recorded_call_gets_a_copy_of_its_data(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_commands *commands = keel_world_commands(f.world);
    uint32_t value = 5;
    assert_int_equal(keel_commands_call(commands, add_number_now, &value, sizeof value), KEEL_OK);
    value = 6;
    assert_int_equal(keel_commands_call(commands, fail_now, NULL, 0), KEEL_OK);
    assert_int_equal(keel_commands_call(commands, add_number_now, &value, sizeof value), KEEL_OK);
    assert_int_equal(keel_commands_call(commands, NULL, NULL, 0), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "needs a function");
    assert_int_equal(keel_count(f.world, Number), 0);
    assert_int_equal(keel_apply_commands(f.world),
                     KEEL_ERROR_UNKNOWN); // the first error; the rest is done
    assert_int_equal(keel_count(f.world, Number), 2);
    const keel_entity first = keel_next_entity(f.world, keel_null());
    assert_int_equal(number_of(f.world, first), 5);
    assert_int_equal(number_of(f.world, keel_next_entity(f.world, first)), 6);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK); // nothing is left
    assert_int_equal(keel_count(f.world, Number), 2);
    api_end(&f);
}

// ------------------------------------------------------------------ order and time
static void commands_are_applied_in_the_order_of_recording(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = add_number(f.world, 0);
    keel_commands *commands = keel_world_commands(f.world);
    for (uint32_t i = 1; i <= 1000; ++i) {
        assert_int_equal(keel_add(commands, e, Number, { i }), KEEL_OK);
        if (i % 3 == 0) assert_int_equal(keel_delete(commands, e, Number), KEEL_OK);
        assert_int_equal(keel_add(commands, e, Other, { i }), KEEL_OK);
        assert_int_equal(keel_remove(commands, e, Other), KEEL_OK);
    }
    assert_int_equal(number_of(f.world, e), 0);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(number_of(f.world, e), 1000);
    assert_false(keel_has(f.world, e, Other));
    api_end(&f);
}

KEEL_SYSTEM_ONCE(add_five, KEEL_MAY_READ(Number), KEEL_CONTEXT(context), KEEL_COMMANDS(commands),
                 KEEL_DATA(keel_entity, e)) {
    const Number *n = keel_get(context, *e, Number);
    (void)keel_add(commands, *e, Number, { (n ? n->value : 1000) * 10 + 5 });
}

static void a_run_applies_what_was_recorded_before_it(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_entity e = add_number(f.world, 1);
    for (int i = 0; i < 2; ++i) {
        const uint32_t value = number_of(f.world, e) * 10 + 2;
        assert_int_equal(keel_add(keel_world_commands(f.world), e, Number, { value }), KEEL_OK);
        assert_int_equal(keel_run_with(f.world, add_five, &e), KEEL_OK);
    }
    assert_int_equal(number_of(f.world, e), 12525);
    api_end(&f);
}

static void the_end_of_a_loop_applies_nothing(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    for (uint32_t i = 0; i < 10; ++i)
        (void)add_number(f.world, i);
    keel_commands *commands = keel_world_commands(f.world);
    KEEL_EACH(f.world, KEEL_READ(Number, n), KEEL_ENTITY(e)) {
        if (n->value % 2) assert_int_equal(keel_delete_entity(commands, e), KEEL_OK);
        assert_int_equal(keel_apply_commands(f.world), KEEL_ERROR_BORROWED);
    }
    assert_error(f.world, KEEL_ERROR_BORROWED, "cannot apply commands");
    assert_int_equal(keel_entity_count(f.world), 10);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(keel_entity_count(f.world), 5);
    api_end(&f);
}

static void a_shared_world_applies_nothing(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = add_number(f.world, 1);
    assert_int_equal(keel_delete_entity(keel_world_commands(f.world), e), KEEL_OK);
    assert_int_equal(keel_share_begin(f.world), KEEL_OK);
    assert_int_equal(keel_apply_commands(f.world), KEEL_ERROR_SHARED);
    assert_true(keel_is_alive(f.world, e));
    assert_int_equal(keel_share_end(f.world), KEEL_OK);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_false(keel_is_alive(f.world, e));
    api_end(&f);
}

// ------------------------------------------------------------------ applying inside applying
static keel_result inner_apply, inner_run;
static keel_result record_more(keel_world *world, void *data) {
    keel_entity e = *(const keel_entity *)data;
    (void)keel_add(keel_world_commands(world), e, Other, { 1 });
    inner_apply = keel_apply_commands(world);
    inner_run = keel_run_with(world, add_five, &e);
    return KEEL_OK;
}

static void what_is_recorded_while_applying_waits_for_the_next_time(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = add_number(f.world, 1);
    keel_commands *commands = keel_world_commands(f.world);
    assert_int_equal(keel_commands_call(commands, record_more, &e, sizeof e), KEEL_OK);
    assert_int_equal(keel_add(commands, e, Number, { 2 }), KEEL_OK);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(inner_apply, KEEL_ERROR_BORROWED);
    assert_int_equal(inner_run, KEEL_OK);
    assert_error(f.world, KEEL_ERROR_BORROWED, "being applied");
    assert_int_equal(number_of(f.world, e), 2); // that of the call waits
    assert_false(keel_has(f.world, e, Other));
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(number_of(f.world, e), 15);
    assert_true(keel_has(f.world, e, Other));
    api_end(&f);
}

KEEL_SYSTEM_ONCE(apply_inside, KEEL_WORLD(world), KEEL_DATA(keel_entity, e)) {
    (void)keel_delete_entity(keel_world_commands(world), *e);
    assert_true(keel_is_alive(world, *e));
    assert_int_equal(keel_apply_commands(world), KEEL_OK);
    assert_false(keel_is_alive(world, *e));
}

static void a_task_with_the_world_may_apply(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_entity e = add_number(f.world, 1);
    assert_int_equal(keel_run_with(f.world, apply_inside, &e), KEEL_OK);
    assert_int_equal(keel_entity_count(f.world), 0);
    api_end(&f);
}

// ------------------------------------------------------------------ entities to come
static void assert_not_alive_yet(keel_world *world, keel_entity e) {
    assert_false(keel_is_alive(world, e));
    assert_null(keel_get(world, e, Number));
    assert_int_equal(keel_add(world, e, Number, { 1 }), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_delete_entity(world, e), KEEL_ABSENT);
    assert_int_equal(keel_attach(world, e, e), KEEL_ERROR_DEAD_ENTITY);
    assert_int_not_equal(keel_add_entity_at(world, e), KEEL_OK);
    keel_clear_errors(world);
    assert_int_equal(keel_entity_count(world), 1);
}

static void a_handle_works_in_commands_before_it_is_alive(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity root = add_number(f.world, 0);
    keel_commands *commands = keel_world_commands(f.world);
    const keel_entity a = keel_add_entity(commands, KEEL_INIT(Number, { 1 }));
    const keel_entity b = keel_add_child(commands, a, KEEL_INIT(Number, { 2 }));
    const keel_entity gone = keel_add_entity(commands, KEEL_INIT(Number, { 3 }));
    assert_false(keel_is_same(a, b) || keel_is_same(b, gone) || keel_is_same(a, root));
    assert_int_equal(keel_attach(commands, a, root), KEEL_OK);
    assert_int_equal(keel_delete_entity(commands, gone), KEEL_OK);
    assert_not_alive_yet(f.world, a);
    assert_not_alive_yet(f.world, b);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(number_of(f.world, a), 1);
    assert_same_entity(keel_parent_of(f.world, b), a);
    assert_same_entity(keel_parent_of(f.world, a), root);
    assert_false(keel_is_alive(f.world, gone));
    assert_int_equal(keel_entity_count(f.world), 3);
    assert_int_equal(keel_world_statistics(f.world).dropped_commands, 0);
    api_end(&f);
}

static void handles_to_come_stay_apart_from_all_others(void **state) {
    (void)state;
    api_fixture f;
    keel_entity held[300], now[300];
    api_begin(&f);
    for (uint32_t i = 0; i < 300; ++i) {
        if (i % 4 == 3) assert_int_equal(keel_delete_entity(f.world, now[i - 2]), KEEL_OK);
        held[i] = keel_add_entity(keel_world_commands(f.world), KEEL_INIT(Number, { i }));
        now[i] = add_number(f.world, 1000 + i);
    }
    assert_int_equal(keel_clear_entities(f.world), KEEL_OK); // not those to come
    const keel_entity after = add_number(f.world, 5000);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(keel_entity_count(f.world), 301);
    for (uint32_t i = 0; i < 300; ++i) {
        assert_int_equal(number_of(f.world, held[i]), i);
        assert_false(keel_is_alive(f.world, now[i]));
    }
    assert_int_equal(number_of(f.world, after), 5000);
    api_end(&f);
}

// ------------------------------------------------------------------ commands for the dead
// Fourteen commands, each of which names `e`.
static void record_for(keel_commands *commands, keel_entity e, keel_entity alive) {
    assert_int_equal(keel_add(commands, e, Owned, owned_make()), KEEL_OK);
    assert_int_equal(keel_add(commands, e, Dead), KEEL_OK);
    assert_int_equal(keel_add_values(commands, e, KEEL_INIT(Owned, owned_make()),
                                     KEEL_INIT(Owned, owned_make()), KEEL_INIT(Number)),
                     KEEL_OK);
    assert_int_equal(keel_remove(commands, e, Number), KEEL_OK);
    assert_int_equal(keel_delete(commands, e, Number, Other), KEEL_OK);
    assert_int_equal(keel_delete_entity(commands, e), KEEL_OK);
    assert_int_equal(keel_strip(commands, e), KEEL_OK);
    assert_int_equal(keel_attach(commands, e, alive), KEEL_OK);
    assert_int_equal(keel_attach(commands, alive, e), KEEL_OK);
    assert_int_equal(keel_detach(commands, e), KEEL_OK);
    assert_int_equal(keel_unlink(commands, e), KEEL_OK);
    assert_int_equal(keel_unlink_tree(commands, e), KEEL_OK);
    assert_int_equal(keel_delete_tree(commands, e), KEEL_OK);
    assert_int_equal(keel_add(commands, e, Large), KEEL_OK);
}

static void commands_for_the_dead_are_dropped_and_counted(void **state) {
    (void)state;
    api_fixture f;
    owned_begin();
    api_begin(&f);
    const keel_entity alive = add_number(f.world, 1), dead = add_number(f.world, 2);
    (void)keel_register(f.world, Owned, Other, Large, Dead);
    assert_int_equal(keel_delete_entity(f.world, dead), KEEL_OK);
    const keel_entity handles[] = { dead, keel_null(), handle_at(1000, 0), handle_at(0, 7),
                                    handle_at(KEEL_MAX_ENTITY_INDEX, KEEL_MAX_ENTITY_VERSION) };
    const keel_entity next = add_number(f.world, 3); // at the index of the dead one
    assert_int_equal(keel_entity_index(next), keel_entity_index(dead));
    for (uint64_t i = 0; i < 5; ++i) {
        char *before = world_text(f.world, NULL);
        record_for(keel_world_commands(f.world), handles[i], alive);
        assert_int_equal(owned.living, 3);
        assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
        assert_int_equal(keel_world_statistics(f.world).dropped_commands, 14 * (i + 1));
        assert_int_equal(owned.drops, 3 * (i + 1));
        assert_same_text(world_text(f.world, NULL), before);
    }
    assert_no_error(f.world); // this is no error
    api_end(&f);
    assert_owned_end();
}

static void what_does_nothing_to_the_living_is_not_counted(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = add_number(f.world, 1);
    keel_commands *commands = keel_world_commands(f.world);
    assert_int_equal(keel_remove(commands, e, Other), KEEL_OK);
    assert_int_equal(keel_delete(commands, e, Other, Third), KEEL_OK);
    assert_int_equal(keel_detach(commands, e), KEEL_OK);
    assert_int_equal(keel_unlink(commands, e), KEEL_OK);
    assert_int_equal(keel_unlink_tree(commands, e), KEEL_OK);
    assert_int_equal(keel_strip(commands, e), KEEL_OK);
    assert_int_equal(keel_strip(commands, e), KEEL_OK);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(keel_world_statistics(f.world).dropped_commands, 0);
    assert_true(keel_is_alive(f.world, e));
    api_end(&f);
}

static void an_error_while_applying_does_not_stop_the_rest(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity a = add_number(f.world, 1), b = add_number(f.world, 2);
    keel_commands *commands = keel_world_commands(f.world);
    assert_int_equal(keel_attach(commands, a, b), KEEL_OK);
    assert_int_equal(keel_attach(commands, b, a), KEEL_OK); // a cycle
    assert_int_equal(keel_add(commands, b, Other, { 3 }), KEEL_OK);
    assert_int_equal(keel_apply_commands(f.world), KEEL_ERROR_CYCLE);
    assert_same_entity(keel_parent_of(f.world, a), b);
    assert_true(keel_is_null(keel_parent_of(f.world, b)));
    assert_true(keel_has(f.world, b, Other));
    assert_int_equal(keel_world_statistics(f.world).dropped_commands, 0);
    api_end(&f);
}

// ------------------------------------------------------------------ what a system may record
typedef struct outcome {
    keel_entity e, made;
    bool is_declared; // records no more than what was declared
    keel_result results[12];
} outcome;

KEEL_SYSTEM_ONCE(record_declared, KEEL_COMMANDS(commands, Number, Other, Frozen),
                 KEEL_DATA(outcome, o)) {
    keel_result *r = o->results;
    o->made = keel_add_entity(commands, KEEL_INIT(Number, { 9 }), KEEL_INIT(Frozen));
    *r++ = keel_add(commands, o->e, Other, { 8 });
    *r++ = keel_delete(commands, o->e, Number, Frozen);
    if (o->is_declared) return;
    *r++ = keel_is_null(keel_add_entity(commands, KEEL_INIT(Number), KEEL_INIT(Third)))
               ? KEEL_ERROR_ACCESS
               : KEEL_OK;
    *r++ = keel_add(commands, o->e, Third, { 7 });
    *r++ = keel_delete(commands, o->e, Other, Third);
    *r++ = keel_remove(commands, o->e, Third);
    *r++ = keel_delete_entity(commands, o->e);
    *r++ = keel_strip(commands, o->e);
    *r++ = keel_attach(commands, o->e, o->made);
    *r++ = keel_delete_tree(commands, o->e);
    *r++ = keel_commands_call(commands, fail_now, NULL, 0);
    *r++ = keel_is_null(keel_add_child(commands, o->e, KEEL_INIT(Number))) ? KEEL_ERROR_ACCESS
                                                                           : KEEL_OK;
}

static void commands_edit_only_what_they_declare(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    outcome o = { .e = add_number(f.world, 1) };
    assert_int_equal(keel_run_with(f.world, record_declared, &o), KEEL_ERROR_ACCESS);
    for (uint32_t i = 0; i < 12; ++i)
        assert_int_equal(o.results[i], i < 2 ? KEEL_OK : KEEL_ERROR_ACCESS);
    assert_error(f.world, KEEL_ERROR_ACCESS, "may not edit 'Third'");
    assert_false(keel_is_alive(f.world, o.made)); // the system has failed: nothing is applied
    assert_true(keel_has(f.world, o.e, Number));
    assert_int_equal(keel_entity_count(f.world), 1);
    o.is_declared = true;
    assert_int_equal(keel_run_with(f.world, record_declared, &o), KEEL_OK);
    assert_int_equal(number_of(f.world, o.made), 9);
    assert_true(keel_has(f.world, o.e, Other));
    assert_false(keel_has(f.world, o.e, Number));
    assert_int_equal(keel_entity_count(f.world), 2);
    // the list is used again by a system that declares nothing: everything is allowed
    assert_int_equal(keel_run_with(f.world, add_five, &o.e), KEEL_OK);
    assert_no_error(f.world);
    api_end(&f);
}

KEEL_SYSTEM_ONCE(record_and_fail, KEEL_COMMANDS(commands), KEEL_CONTEXT(context),
                 KEEL_DATA(outcome, o)) {
    o->made = keel_add_entity(commands, KEEL_INIT(Owned, owned_make()));
    (void)keel_add(commands, o->made, Number, { 1 });
    (void)keel_add(commands, o->e, Owned, owned_make());
    (void)keel_delete_entity(commands, o->e);
    keel_fail(context, NULL, "on purpose");
}

static void a_failed_system_leaves_no_commands(void **state) {
    (void)state;
    api_fixture f;
    owned_begin();
    api_begin(&f);
    outcome o = { .e = add_number(f.world, 1) };
    for (uint32_t i = 1; i <= 3; ++i) {
        assert_int_equal(keel_run_with(f.world, record_and_fail, &o), KEEL_ERROR_SYSTEM);
        assert_int_equal(owned.drops, 2 * i);
        assert_int_equal(owned.living, 0);
        assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
        assert_int_equal(number_of(f.world, o.e), 1);
        assert_false(keel_is_alive(f.world, o.made));
        const keel_entity next = add_number(f.world, 2); // takes the index, not the handle
        assert_false(keel_is_same(next, o.made));
        assert_false(keel_is_alive(f.world, o.made));
    }
    assert_int_equal(keel_world_statistics(f.world).dropped_commands, 0);
    api_end(&f);
    assert_owned_end();
}

static void the_hierarchy_is_not_edited_by_hand(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = add_number(f.world, 1);
    keel_commands *commands = keel_world_commands(f.world);
    assert_int_equal(keel_add(commands, e, keel_child), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "keel_attach");
    assert_int_equal(keel_delete(commands, e, Number, keel_child), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(number_of(f.world, e), 1);
    api_end(&f);
}

// ------------------------------------------------------------------ no commands
static uint32_t assertions;
static bool count_assertion(const char *condition, const char *message, const char *file,
                            int line) {
    (void)condition;
    (void)message;
    (void)file;
    (void)line;
    ++assertions;
    return false;
}

static void a_null_component_is_an_error(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_commands *commands = keel_world_commands(f.world);
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_add_component(commands, e, NULL, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "component is NULL");
    assert_int_equal(keel_remove_component(commands, e, NULL, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "component is NULL");
    api_end(&f);
}

static void null_commands_are_an_error(void **state) {
    (void)state;
    keel_commands *none = NULL;
    const keel_entity e = handle_at(1, 1);
    keel_set_assert_handler(count_assertion);
    assert_null(keel_world_commands(NULL));
    assert_null(keel_context_commands(NULL));
    assert_int_equal(keel_world_statistics(NULL).dropped_commands, 0);
    assert_int_equal(keel_apply_commands(NULL), KEEL_ERROR_ARGUMENT);
    assert_true(keel_is_null(keel_add_entity(none, KEEL_INIT(Number))));
    assert_true(keel_is_null(keel_add_child(none, e, KEEL_INIT(Number))));
    assert_int_equal(keel_add(none, e, Number), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_remove(none, e, Number), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_delete(none, e, Number), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_delete_entity(none, e), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_strip(none, e), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_attach(none, e, e), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_commands_call(none, fail_now, NULL, 0), KEEL_ERROR_ARGUMENT);
    keel_set_assert_handler(NULL);
    (void)assertions; // none in builds without assertions
}

static const struct CMUnitTest tests[] = {
    TEST(recorded_edits_do_what_immediate_ones_do, "every command does what the same edit does"),
    TEST(recorded_bulk_edits_do_what_immediate_ones_do,
         "bulk edits, matching ones and uniques, too"),
    TEST(recorded_lists_skip_the_dead, "recorded lists skip who is dead by then"),
    TEST(what_terms_name_may_become_unknown, "what recorded terms name may become unknown"),
    TEST(commands_that_may_edit_some_record_no_more,
         "commands that may edit some components record no more than that"),
    TEST(a_recorded_call_gets_a_copy_of_its_data, "a recorded call gets a copy of its data"),
    TEST(commands_are_applied_in_the_order_of_recording,
         "commands are applied in the order of recording"),
    TEST(a_run_applies_what_was_recorded_before_it, "a run applies what was recorded before it"),
    TEST(the_end_of_a_loop_applies_nothing, "the end of a loop applies nothing"),
    TEST(a_shared_world_applies_nothing, "a shared world applies nothing"),
    TEST(what_is_recorded_while_applying_waits_for_the_next_time,
         "what is recorded while applying waits for the next time"),
    TEST(a_task_with_the_world_may_apply, "a task with the world may apply commands"),
    TEST(a_handle_works_in_commands_before_it_is_alive,
         "the handle of a recorded entity works in later commands"),
    TEST(handles_to_come_stay_apart_from_all_others,
         "handles of recorded entities stay apart from all others"),
    TEST(commands_for_the_dead_are_dropped_and_counted,
         "commands for the dead are dropped and counted"),
    TEST(what_does_nothing_to_the_living_is_not_counted,
         "what does nothing to the living is not counted"),
    TEST(an_error_while_applying_does_not_stop_the_rest,
         "an error while applying does not stop the rest"),
    TEST(commands_edit_only_what_they_declare, "commands edit only what they declare"),
    TEST(a_failed_system_leaves_no_commands, "a failed system leaves no commands"),
    TEST(the_hierarchy_is_not_edited_by_hand, "the hierarchy is not edited by hand"),
    TEST(a_null_component_is_an_error, "a NULL component is an error"),
    TEST(null_commands_are_an_error, "NULL commands are an error"),
};

int main(void) { return RUN(tests); }
