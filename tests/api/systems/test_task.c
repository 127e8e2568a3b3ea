// SPDX-License-Identifier: MIT
// Tasks and conditions: every kind of parameter they take, what their context can do, and what it
// refuses because it was not declared.
#include "support/api_types.h"

#include <string.h>

typedef struct Result {
    keel_entity e[4];
    keel_result results[16];
    uint32_t count;
    bool flags[16];
} Result;
KEEL_UNIQUE(Result);

// Four entities with Number and Position; e[1] and e[2] are children of e[0].
static void begin(api_fixture *f, Result *r) {
    api_begin(f);
    memset(r, 0, sizeof *r);
    for (uint32_t i = 0; i < 4; ++i)
        r->e[i] = keel_add_entity(f->world, KEEL_INIT(Number, { i }), KEEL_INIT(Position));
    assert_int_equal(keel_attach(f->world, r->e[1], r->e[0]), KEEL_OK);
    assert_int_equal(keel_attach(f->world, r->e[2], r->e[0]), KEEL_OK);
    assert_int_equal(keel_set_unique(f->world, Time, { 1, 2 }), KEEL_OK);
}

// ------------------------------------------------------------------ a task within itself
KEEL_SYSTEM_DECLARE(endless);
KEEL_SYSTEM_ONCE(endless, KEEL_WORLD(world), KEEL_DATA(Result, r)) {
    ++r->count;
    (void)keel_run_with(world, endless, r);
}

static void a_task_that_runs_itself_is_stopped(void **state) {
    (void)state;
    api_fixture f;
    Result r = { 0 };
    api_begin(&f);
    assert_int_equal(keel_run_with(f.world, endless, &r), KEEL_OK);
    assert_int_equal(r.count, 64);
    assert_error(f.world, KEEL_ERROR_CYCLE, "endless");
    api_end(&f);
}

// ------------------------------------------------------------------ everything a task may ask for
KEEL_SYSTEM_ONCE(every_kind, KEEL_UNIQUE_WRITE(Time, time), KEEL_MAY_READ(Number, Position),
                 KEEL_MAY_WRITE(Health), KEEL_MAY_EDIT(Other, Third, Owned),
                 KEEL_MAY_READ(keel_child), KEEL_COMMANDS(commands), KEEL_CONTEXT(context),
                 KEEL_DATA(Result, r)) {
    time->now += time->step;
    KEEL_EACH(context, KEEL_READ(Number, n))
        r->count += n->value;
    keel_get_mut(context, r->e[0], Health)->points = 9;
    assert_true(keel_has(context, r->e[0], Position));
    assert_int_equal(keel_get(context, r->e[3], Number)->value, 3);
    assert_int_equal(keel_add(context, r->e[1], Other, { 5 }), KEEL_OK);
    assert_int_equal(
        keel_add_values(context, r->e[2], KEEL_INIT(Other, { 6 }), KEEL_INIT(Third, { 7 })),
        KEEL_OK);
    Other out = { 0 };
    assert_int_equal(keel_remove(context, r->e[2], Other, &out), KEEL_OK);
    assert_int_equal(out.value, 6);
    assert_int_equal(keel_remove(context, r->e[2], Third), KEEL_OK);
    assert_int_equal(keel_delete(context, r->e[2], Other, Third), KEEL_ABSENT);
    assert_int_equal(keel_add(context, r->e[3], Owned, owned_make()), KEEL_OK);
    assert_int_equal(keel_delete_entity(commands, r->e[3]), KEEL_OK);
    assert_ptr_equal(keel_context_commands(context), commands);
    assert_ptr_equal(keel_context_info(context, &(keel_run_info){ 0 })->data, r);
    assert_int_equal(keel_context_info(context, &(keel_run_info){ 0 })->data_size, sizeof *r);
}

static void a_task_takes_every_kind_of_parameter(void **state) {
    (void)state;
    api_fixture f;
    Result r;
    owned_begin();
    begin(&f, &r);
    assert_int_equal(keel_add(f.world, r.e[0], Health, { 1 }), KEEL_OK);
    assert_int_equal(keel_run_with(f.world, every_kind, &r), KEEL_OK);
    assert_no_error(f.world);
    assert_int_equal(r.count, 0 + 1 + 2 + 3);
    assert_true(keel_get_unique(f.world, Time)->now == 3);
    assert_int_equal(keel_get(f.world, r.e[0], Health)->points, 9);
    assert_int_equal(keel_get(f.world, r.e[1], Other)->value, 5);
    assert_false(keel_has(f.world, r.e[2], Other) || keel_has(f.world, r.e[2], Third));
    assert_false(keel_is_alive(f.world, r.e[3]));
    api_end(&f);
    assert_owned_end();
}

KEEL_SYSTEM_ONCE(whole_world, KEEL_WORLD(world), KEEL_CONTEXT(context), KEEL_DATA(Result, r)) {
    assert_ptr_equal(keel_context_world(context), world);
    r->e[3] = keel_add_entity(world, KEEL_INIT(Third, { 8 }));
    assert_int_equal(keel_delete_entity(world, r->e[0]), KEEL_OK);
    keel_get_unique_mut(world, Time)->now = 50;
    assert_true(keel_get_unique(context, Time)->now == 50);
    assert_int_equal(keel_get(context, r->e[3], Third)->value, 8); // not declared: has everything
    assert_int_equal(keel_add(context, r->e[1], Large), KEEL_OK);
    KEEL_EACH(context, KEEL_WRITE(Number, n))
        n->value += 10;
    KEEL_EACH(world, KEEL_WRITE(Number, n))
        n->value += 10;
}

static void a_task_with_the_world_may_do_everything(void **state) {
    (void)state;
    api_fixture f;
    Result r;
    begin(&f, &r);
    assert_int_equal(keel_run_with(f.world, whole_world, &r), KEEL_OK);
    assert_no_error(f.world);
    assert_int_equal(keel_entity_count(f.world), 4);
    assert_int_equal(keel_get(f.world, r.e[1], Number)->value, 21);
    assert_true(keel_has(f.world, r.e[1], Large));
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_READ(Number, n)), "a reader"),
                     KEEL_OK);
    assert_int_equal(keel_run_with(f.world, whole_world, &r), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "a reader");
    keel_view_end(&view);
    api_end(&f);
}

// ------------------------------------------------------------------ the hierarchy
KEEL_SYSTEM_ONCE(walk, KEEL_MAY_READ(keel_child), KEEL_CONTEXT(context), KEEL_DATA(Result, r)) {
    const keel_entity *e = r->e;
    r->flags[0] = keel_is_same(keel_parent_of(context, e[1]), e[0]);
    r->flags[1] = keel_is_same(keel_first_child(context, e[0]), e[1]);
    r->flags[2] = keel_is_same(keel_next_child(context, e[0], e[1]), e[2]);
    r->flags[3] = keel_is_same(keel_next_descendant(context, e[0], e[0], KEEL_DEPTH_FIRST), e[1]);
    r->flags[4] = keel_is_same(keel_next_descendant(context, e[0], e[1], KEEL_BREADTH_FIRST), e[2]);
    r->flags[5] = keel_is_null(keel_parent_of(context, e[0]));
    KEEL_EACH_CHILD(context, e[0], child)
        r->count += keel_entity_index(child);
    KEEL_EACH_DESCENDANT(context, e[0], child)
        r->count += keel_entity_index(child);
    KEEL_EACH_DESCENDANT_BREADTH(context, e[0], child)
        r->count += keel_entity_index(child);
    KEEL_EACH_ANCESTOR(context, e[2], parent)
        r->count += 100 + keel_entity_index(parent);
}
KEEL_SYSTEM_ONCE(walk_undeclared, KEEL_CONTEXT(context), KEEL_DATA(Result, r)) {
    const keel_entity *e = r->e;
    r->flags[0] = keel_is_null(keel_parent_of(context, e[1]));
    r->flags[1] = keel_is_null(keel_first_child(context, e[0]));
    r->flags[2] = keel_is_null(keel_next_child(context, e[0], e[1]));
    r->flags[3] = keel_is_null(keel_next_descendant(context, e[0], e[0], KEEL_DEPTH_FIRST));
    r->flags[4] = keel_is_null(keel_next_descendant(context, e[0], e[1], KEEL_BREADTH_FIRST));
    r->flags[5] = keel_is_alive(context, e[0]); // needs no declaration
}

static void a_task_walks_the_hierarchy_that_it_declared(void **state) {
    (void)state;
    api_fixture f;
    Result r;
    begin(&f, &r);
    assert_int_equal(keel_run_with(f.world, walk, &r), KEEL_OK);
    assert_int_equal(r.count, 3 * (1 + 2) + 100);
    assert_no_error(f.world);
    for (int i = 0; i < 6; ++i)
        assert_true(r.flags[i]);
    memset(r.flags, 0, sizeof r.flags);
    assert_int_equal(keel_run_with(f.world, walk_undeclared, &r), KEEL_ERROR_ACCESS);
    for (int i = 0; i < 6; ++i)
        assert_true(r.flags[i]);
    assert_error(f.world, KEEL_ERROR_ACCESS, "'walk_undeclared'");
    api_end(&f);
}

// ------------------------------------------------------------------ what was not declared
KEEL_SYSTEM_ONCE(declares_little, KEEL_MAY_READ(Number), KEEL_MAY_WRITE(Health),
                 KEEL_CONTEXT(context), KEEL_UNIQUE_READ(Time, time), KEEL_DATA(Result, r)) {
    keel_result *result = r->results;
    bool *flag = r->flags;
    (void)time;
    *flag++ = keel_get(context, r->e[0], Position) == NULL;
    *flag++ = keel_get_mut(context, r->e[0], Number) == NULL;
    *flag++ = !keel_has(context, r->e[0], Position);
    *flag++ = keel_get_unique_mut(context, Time) == NULL;
    *flag++ = keel_get_unique(context, Result) == NULL;
    *flag++ = keel_context_world(context) == NULL;
    *flag++ = keel_context_commands(context) == NULL;
    *flag++ = keel_get_unique(context, Time) == time;
    *flag++ = keel_get(context, keel_null(), Number) == NULL;
    *result++ = keel_add(context, r->e[0], Number);
    *result++ = keel_add(context, r->e[0], Health);
    *result++ = keel_add_values(context, r->e[0], KEEL_INIT(Position));
    *result++ = keel_remove(context, r->e[0], Number);
    *result++ = keel_delete(context, r->e[0], Number);
    KEEL_EACH(context, KEEL_READ(Position, p))
        ++r->count, (void)p;
    KEEL_EACH(context, KEEL_WRITE(Number, n))
        r->count += n->value;
}

static void what_was_not_declared_is_refused(void **state) {
    (void)state;
    api_fixture f;
    Result r;
    begin(&f, &r);
    assert_int_equal(keel_set_unique(f.world, Result, r), KEEL_OK);
    char *before = world_text(f.world, NULL);
    assert_int_equal(keel_run_with(f.world, declares_little, &r), KEEL_ERROR_ACCESS);
    for (int i = 0; i < 9; ++i)
        assert_true(r.flags[i]);
    for (int i = 0; i < 5; ++i)
        assert_int_equal(r.results[i], KEEL_ERROR_ACCESS);
    assert_int_equal(r.count, 0);
    assert_error(f.world, KEEL_ERROR_ACCESS, "add KEEL_MAY_READ(Position)");
    assert_same_text(world_text(f.world, NULL), before);
    api_end(&f);
}

static void a_null_context_is_refused(void **state) {
    (void)state;
    keel_context *none = NULL;
    keel_set_assert_handler(api_go_on);
    const keel_entity e = handle_at(0, 0);
    keel_view view;
    assert_false(keel_is_alive(none, e));
    assert_null(keel_context_info(none, &(keel_run_info){ 0 })->data);
    assert_null(keel_context_info(none, NULL));
    assert_null(keel_context_world(none));
    assert_null(keel_get(none, e, Number));
    assert_null(keel_get_mut(none, e, Number));
    assert_null(keel_get_unique(none, Time));
    assert_false(keel_has(none, e, Number));
    assert_int_equal(keel_add(none, e, Number), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_remove(none, e, Number), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_delete(none, e, Number), KEEL_ERROR_ARGUMENT);
    assert_true(keel_is_null(keel_parent_of(none, e)));
    assert_int_equal(keel_view_begin(&view, none, KEEL_TERMS(KEEL_READ(Number, n)), "none"),
                     KEEL_ERROR_ARGUMENT);
    keel_fail(none, NULL, "nothing");
    keel_set_assert_handler(NULL);
}

// ------------------------------------------------------------------ views inside
KEEL_SYSTEM_ONCE(two_views, KEEL_MAY_WRITE(Number), KEEL_CONTEXT(context), KEEL_DATA(Result, r)) {
    keel_view a, b, c;
    r->results[0] = keel_view_begin(&a, context, KEEL_TERMS(KEEL_READ(Number, n)), "a");
    r->results[1] = keel_view_begin(&b, context, KEEL_TERMS(KEEL_READ(Number, n)), "b");
    r->results[2] = keel_view_begin(&c, context, KEEL_TERMS(KEEL_WRITE(Number, n)), "c");
    keel_view_end(&a);
    keel_view_end(&b);
    keel_view_end(&c); // was never open
    r->results[3] = keel_view_begin(&c, context, KEEL_TERMS(KEEL_WRITE(Number, n)), "c");
    keel_view_end(&c);
}

static void views_of_one_system_borrow_against_each_other(void **state) {
    (void)state;
    api_fixture f;
    Result r;
    begin(&f, &r);
    assert_int_equal(keel_run_with(f.world, two_views, &r), KEEL_OK);
    assert_int_equal(r.results[0], KEEL_OK);
    assert_int_equal(r.results[1], KEEL_OK);
    assert_int_equal(r.results[2], KEEL_ERROR_BORROWED);
    assert_int_equal(r.results[3], KEEL_OK);
    assert_error(f.world, KEEL_ERROR_BORROWED, "'Number'");
    api_end(&f);
}

static keel_view left_open[2];
static keel_iterator left_running;
KEEL_SYSTEM_ONCE(forgets_to_end, KEEL_MAY_WRITE(Number), KEEL_MAY_READ(Position),
                 KEEL_CONTEXT(context)) {
    assert_int_equal(
        keel_view_begin(&left_open[0], context, KEEL_TERMS(KEEL_WRITE(Number, n)), "forgotten"),
        KEEL_OK);
    assert_int_equal(keel_view_begin(&left_open[1], context, KEEL_TERMS(KEEL_READ(Position, p)),
                                     "forgotten too"),
                     KEEL_OK);
    assert_int_equal(keel_iterator_begin(&left_running, &left_open[0]), KEEL_OK);
    assert_non_null(keel_iterator_next(&left_running));
}

static void views_that_a_system_left_open_end_with_it(void **state) {
    (void)state;
    api_fixture f;
    Result r;
    begin(&f, &r);
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(keel_run(f.world, forgets_to_end), KEEL_OK);
        assert_int_equal(f.log.warnings, 2 * (i + 1));
        assert_non_null(strstr(f.log.last, "'forgets_to_end' returned while forgotten"));
        assert_int_equal(keel_add(f.world, r.e[0], Number, { 3 }), KEEL_OK);
        assert_int_equal(keel_run_with(f.world, two_views, &r), KEEL_OK); // uses the states anew
        keel_clear_errors(f.world);
        assert_int_equal(keel_view_count(&left_open[0]), 0);
        keel_iterator_end(&left_running);
        keel_view_end(&left_open[0]);
        keel_view_end(&left_open[1]);
    }
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK); // nothing is open
    keel_clear_errors(f.world);
    api_end(&f);
}

// ------------------------------------------------------------------ conditions
KEEL_CONDITION(all_answered, KEEL_UNIQUE_WRITE(Time, time), KEEL_MAY_READ(Number),
               KEEL_MAY_EDIT(Third), KEEL_CONTEXT(context), KEEL_COMMANDS(commands)) {
    uint32_t sum = 0;
    ++time->now;
    KEEL_EACH(context, KEEL_READ(Number, n), KEEL_ENTITY(e)) {
        sum += n->value;
        assert_int_equal(keel_add(context, e, Third, { n->value }), KEEL_OK);
    }
    assert_false(keel_is_null(keel_add_entity(commands, KEEL_INIT(Other))));
    return sum == 6;
}
KEEL_CONDITION(with_data, KEEL_DATA(uint32_t, data)) { return *data != 0; }
KEEL_CONDITION(with_world, KEEL_WORLD(world)) { return keel_entity_count(world) > 0; }
KEEL_SYSTEM_ONCE(nothing) {}
KEEL_SYSTEM_ONCE(count_up, KEEL_UNIQUE_WRITE(Time, time)) { time->now += 100; }
KEEL_WORKLOAD(asking, KEEL_STEP(count_up, .run_if = KEEL_IF(all_answered)),
              KEEL_STEP(nothing, .run_if = KEEL_IF(with_world)));
KEEL_WORKLOAD(wrong, KEEL_STEP(nothing, .run_if = KEEL_IF(with_data)));

static void a_condition_takes_every_kind_of_parameter(void **state) {
    (void)state;
    api_fixture f;
    Result r;
    begin(&f, &r);
    assert_int_equal(keel_run_workload(f.world, asking), KEEL_OK);
    assert_true(keel_get_unique(f.world, Time)->now == 102);
    assert_int_equal(keel_count(f.world, Third), 4);
    assert_int_equal(keel_count(f.world, Other), 1); // its commands are applied
    assert_int_equal(keel_add(f.world, r.e[0], Number, { 1 }), KEEL_OK);
    assert_int_equal(keel_run_workload(f.world, asking), KEEL_OK);
    assert_true(keel_get_unique(f.world, Time)->now == 103);
    assert_int_equal(keel_run_workload(f.world, wrong), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "'with_data'");
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    // proves S-59
    TEST(a_task_takes_every_kind_of_parameter,
         "a task takes every kind of parameter that is not about one entity"),
    // proves S-59
    TEST(a_task_with_the_world_may_do_everything, "a task with the world may do everything, alone"),
    TEST(a_task_walks_the_hierarchy_that_it_declared,
         "a task walks the hierarchy when it declared it"),
    TEST(a_task_that_runs_itself_is_stopped, "a task that runs itself is stopped"),
    TEST(what_was_not_declared_is_refused, "what a system did not declare is refused"),
    TEST(a_null_context_is_refused, "a NULL context is refused"),
    TEST(views_of_one_system_borrow_against_each_other,
         "views of one system borrow against each other"),
    TEST(views_that_a_system_left_open_end_with_it, "views that a system left open end with it"),
    // proves S-59
    TEST(a_condition_takes_every_kind_of_parameter,
         "a condition takes every kind of parameter of a task"),
};

int main(void) { return RUN(tests); }
