// SPDX-License-Identifier: MIT
// Workloads as batches, and what kept each system out of the batch before. The cases are those of
// the seed's own tests; each workload is run, too.
#include "support/schedule_fixture.h"

#include <string.h>

typedef struct Usize {
    uint64_t value;
} Usize;
typedef struct U32 {
    uint32_t value;
} U32;
typedef struct U16 {
    uint16_t value;
} U16;
KEEL_COMPONENT(Usize);
KEEL_COMPONENT(U32);
KEEL_COMPONENT(U16);
KEEL_UNIQUE(U32);

// Shows the batches, and runs it.
#define ASSERT_PLAN(w, expected)                                                                   \
    do {                                                                                           \
        assert_batches(f->world, &KEEL_WORKLOAD_##w, expected);                                    \
        assert_int_equal(keel_run_workload(f->world, w), KEEL_OK);                                 \
        assert_batches(f->world, &KEEL_WORKLOAD_##w, expected);                                    \
    } while (0)

// ------------------------------------------------------------------ readers and writers
KEEL_SYSTEM(view, KEEL_READ(Usize, u)) { (void)u; }
KEEL_SYSTEM(view_mut, KEEL_WRITE(Usize, u)) { ++u->value; }
KEEL_SYSTEM_ONCE(task_view, KEEL_MAY_READ(Usize)) {}
KEEL_SYSTEM_ONCE(task_view_mut, KEEL_MAY_WRITE(Usize)) {}

KEEL_WORKLOAD(shared_shared, KEEL_STEP(view), KEEL_STEP(view));
KEEL_WORKLOAD(mut_mut, KEEL_STEP(view_mut), KEEL_STEP(view_mut));
KEEL_WORKLOAD(mut_shared, KEEL_STEP(view_mut), KEEL_STEP(view));
KEEL_WORKLOAD(shared_mut, KEEL_STEP(view), KEEL_STEP(view_mut));
KEEL_WORKLOAD(tasks, KEEL_STEP(task_view), KEEL_STEP(view), KEEL_STEP(task_view),
              KEEL_STEP(task_view_mut), KEEL_STEP(task_view), KEEL_STEP(view_mut));

static void in_pairs(api_fixture *f) {
    for (uint64_t i = 0; i < 100; ++i)
        (void)keel_add_entity(f->world, KEEL_INIT(Usize, { i }));
    ASSERT_PLAN(shared_shared, "{0 1}");
    ASSERT_PLAN(mut_mut, "{0} {1}");
    ASSERT_PLAN(mut_shared, "{0} {1}");
    ASSERT_PLAN(shared_mut, "{0} {1}");
    ASSERT_PLAN(tasks, "{0 1 2} {3} {4} {5}");
}

static void readers_share_a_batch_and_writers_do_not(void **state) {
    (void)state;
    with_workers(in_pairs);
}

KEEL_SYSTEM(usize_mut_u32, KEEL_READ(Usize, u), KEEL_WRITE(U32, v)) {
    v->value += (uint32_t)u->value;
}
KEEL_SYSTEM(mut_usize_mut_u32, KEEL_WRITE(Usize, u), KEEL_WRITE(U32, v)) {
    v->value += (uint32_t)++u->value;
}
KEEL_SYSTEM(view_usize, KEEL_READ(Usize, u)) { (void)u; }
KEEL_SYSTEM(view_u16, KEEL_READ(U16, u)) { (void)u; }
KEEL_WORKLOAD(two_and_one, KEEL_STEP(usize_mut_u32), KEEL_STEP(usize_mut_u32),
              KEEL_STEP(view_usize));
KEEL_WORKLOAD(one_and_three, KEEL_STEP(mut_usize_mut_u32), KEEL_STEP(usize_mut_u32),
              KEEL_STEP(view_usize), KEEL_STEP(view_u16));

static void in_lists(api_fixture *f) {
    ASSERT_PLAN(two_and_one, "{0} {1 2}");
    ASSERT_PLAN(one_and_three, "{0} {1 2 3}"); // the last one is not moved up to the first batch
    keel_workload_node node;
    assert_null(kept_out_by(f->world, &KEEL_WORKLOAD_one_and_three, 3, &node));
    assert_waits_for(f->world, &KEEL_WORKLOAD_one_and_three, 3, ""); // and yet may start at once
}

static void a_system_joins_the_last_batch(void **state) {
    (void)state;
    with_workers(in_lists);
}

KEEL_SYSTEM_ONCE(all_storages, KEEL_WORLD(world)) { assert_non_null(world); }
KEEL_WORKLOAD(alone_twice, KEEL_STEP(all_storages), KEEL_STEP(all_storages));
KEEL_WORKLOAD(alone_between, KEEL_STEP(view), KEEL_STEP(view_u16), KEEL_STEP(all_storages),
              KEEL_STEP(view), KEEL_STEP(view_u16));

static void in_the_world(api_fixture *f) {
    keel_workload_node node;
    ASSERT_PLAN(alone_twice, "{0} {1}");
    ASSERT_PLAN(alone_between, "{0 1} {2} {3 4}");
    for (uint32_t i = 2; i < 5; ++i) {
        const keel_workload_node *other =
            kept_out_by(f->world, &KEEL_WORKLOAD_alone_between, i, &node);
        assert_non_null(other);
        assert_int_equal(other->position, i == 2 ? 0 : 2);
        assert_int_equal(node.why.kind, KEEL_WAIT_WORLD);
        assert_null(node.why.storage);
        assert_int_equal(node.alone, i == 2);
        assert_int_equal(node.main_thread, i == 2);
    }
    assert_waits_for(f->world, &KEEL_WORKLOAD_alone_between, 2, "0 1");
    assert_waits_for(f->world, &KEEL_WORKLOAD_alone_between, 4, "2");
}

static void a_system_with_the_world_is_alone_in_its_batch(void **state) {
    (void)state;
    with_workers(in_the_world);
}

KEEL_SYSTEM_ONCE(unique_mut, KEEL_UNIQUE_WRITE(U32, u)) { ++u->value; }
KEEL_SYSTEM_ONCE(unique_view, KEEL_UNIQUE_READ(U32, u)) { (void)u; }
KEEL_SYSTEM(component_mut, KEEL_WRITE(U32, u)) { ++u->value; }
KEEL_WORKLOAD(unique_and_component, KEEL_STEP(unique_mut), KEEL_STEP(component_mut));
KEEL_WORKLOAD(uniques, KEEL_STEP(unique_view), KEEL_STEP(unique_view), KEEL_STEP(unique_mut),
              KEEL_STEP(unique_view));

static void in_uniques(api_fixture *f) {
    assert_int_equal(keel_set_unique(f->world, U32, { 0 }), KEEL_OK);
    ASSERT_PLAN(unique_and_component, "{0 1}");
    ASSERT_PLAN(uniques, "{0 1} {2} {3}");
}

static void a_unique_and_a_component_of_one_type_do_not_conflict(void **state) {
    (void)state;
    with_workers(in_uniques);
}

// ------------------------------------------------------------------ barriers
static void assert_steps(keel_world *world, const keel_step *steps, uint32_t count,
                         const char *expected) {
    const keel_workload w = { .name = "steps", .steps = steps, .step_count = count };
    assert_batches(world, &w, expected);
    assert_int_equal(keel_run_workload_of(world, &w, NULL), KEEL_OK);
}
#define ASSERT_STEPS(expected, ...)                                                                \
    assert_steps(f->world, (const keel_step[]){ __VA_ARGS__ },                                     \
                 sizeof((const keel_step[]){ __VA_ARGS__ }) / sizeof(keel_step), expected)
#define A                                                                                          \
    { MARK(a) }
#define B                                                                                          \
    { MARK(b) }

static void with_barriers(api_fixture *f) {
    ASSERT_STEPS("{0 1} {2 3} {4 5}", A, B, KEEL_BARRIER, A, B, KEEL_BARRIER, A, B);
    ASSERT_STEPS("{0 1} {2 3}", KEEL_BARRIER, A, B, KEEL_BARRIER, A, B);
    ASSERT_STEPS("{0 1} {2 3}", A, B, KEEL_BARRIER, A, B, KEEL_BARRIER);
    ASSERT_STEPS("{0 1} {2}", KEEL_BARRIER, KEEL_BARRIER, A, B, KEEL_BARRIER, KEEL_BARRIER,
                 KEEL_BARRIER, A, KEEL_BARRIER, KEEL_BARRIER);
    ASSERT_STEPS("", KEEL_BARRIER);
    ASSERT_STEPS("{0}", KEEL_BARRIER, A);
    const keel_step steps[] = { A, KEEL_BARRIER, B };
    const keel_workload w = WORKLOAD("steps", steps);
    keel_workload_node node;
    const keel_workload_node *other = kept_out_by(f->world, &w, 1, &node);
    assert_non_null(other);
    assert_string_equal(other->name, "a");
    assert_int_equal(node.why.kind, KEEL_WAIT_BARRIER);
    assert_runs(f->world, &w, "ab", "ab");
}

static void a_barrier_begins_a_batch(void **state) {
    (void)state;
    with_workers(with_barriers);
}

// ------------------------------------------------------------------ order that was asked for
static void with_order(api_fixture *f) {
    const keel_step chain[] = {
        { MARK(d), .after = "b" }, { MARK(c), .after = "b" }, { MARK(b), .after = "a" }, { MARK(a) }
    };
    const keel_workload w = WORKLOAD("chain", chain);
    assert_batches(f->world, &w, "{3} {2} {0 1}");
    assert_runs(f->world, &w, "abcd", "ab bc bd");
    keel_workload_node node;
    const keel_workload_node *other = kept_out_by(f->world, &w, 1, &node);
    assert_non_null(other);
    assert_int_equal(other->position, 2);
    assert_int_equal(node.why.kind, KEEL_WAIT_ORDER);
    assert_waits_for(f->world, &w, 0, "2");
    assert_waits_for(f->world, &w, 3, "");

    const keel_step circle[] = {
        { MARK(a), .after = "c" }, { MARK(b), .after = "a" }, { MARK(c), .after = "b" }, { MARK(d) }
    };
    const keel_workload odd = WORKLOAD("odd", circle);
    assert_int_equal(keel_world_workload_nodes(f->world, &odd, NULL, 0), 0);
    assert_error(f->world, KEEL_ERROR_CYCLE, "'a' must run after 'c'");
    assert_int_equal(keel_world_workload_edges(f->world, &odd, NULL, 0), 0);
    assert_error(f->world, KEEL_ERROR_CYCLE, "'b' must run after 'a'");
    assert_int_equal(keel_run_workload_of(f->world, &odd, NULL), KEEL_ERROR_CYCLE);
    assert_error(f->world, KEEL_ERROR_CYCLE, "'c' must run after 'b'");
    assert_marks("", "");
}

static void order_makes_batches_and_circles_are_errors(void **state) {
    (void)state;
    with_workers(with_order);
}

// ------------------------------------------------------------------ why
typedef struct X {
    int value;
} X;
typedef struct Y {
    int value;
} Y;
KEEL_COMPONENT(X);
KEEL_COMPONENT(Y);
KEEL_SYSTEM(info_a, KEEL_READ(X, x), KEEL_READ(Y, y)) { (void)x, (void)y; }
KEEL_SYSTEM(info_b, KEEL_WRITE(X, x), KEEL_READ(Y, y)) { x->value += y->value; }
KEEL_SYSTEM(info_c, KEEL_READ(X, x)) { (void)x; }
KEEL_SYSTEM(info_d, KEEL_READ(X, x)) { (void)x; }
KEEL_WORKLOAD(borrow, KEEL_STEP(info_a), KEEL_STEP(info_b), KEEL_STEP(info_c), KEEL_STEP(info_d));

static void assert_conflict(api_fixture *f, uint32_t position, const char *other_name,
                            keel_access access, keel_access other_access) {
    keel_workload_node node;
    const keel_workload_node *other = kept_out_by(f->world, &KEEL_WORKLOAD_borrow, position, &node);
    assert_non_null(other);
    assert_string_equal(other->name, other_name);
    assert_int_equal(node.why.kind, KEEL_WAIT_STORAGE);
    assert_string_equal(node.why.storage, "X");
    assert_int_equal(node.why.access, access);
    assert_int_equal(node.why.other_access, other_access);
}

static void with_conflicts(api_fixture *f) {
    keel_workload_node node;
    ASSERT_PLAN(borrow, "{0} {1} {2 3}");
    assert_null(kept_out_by(f->world, &KEEL_WORKLOAD_borrow, 0, &node));
    assert_ptr_equal(node.system, &KEEL_SYSTEM_info_a);
    assert_string_equal(node.workload, "borrow");
    assert_conflict(f, 1, "info_a", KEEL_ACCESS_WRITE, KEEL_ACCESS_READ);
    assert_conflict(f, 2, "info_b", KEEL_ACCESS_READ, KEEL_ACCESS_WRITE);
    assert_conflict(f, 3, "info_b", KEEL_ACCESS_READ, KEEL_ACCESS_WRITE);
    assert_waits_for(f->world, &KEEL_WORKLOAD_borrow, 0, "");
    assert_waits_for(f->world, &KEEL_WORKLOAD_borrow, 1, "0");
    assert_waits_for(f->world, &KEEL_WORKLOAD_borrow, 2, "1");
    assert_waits_for(f->world, &KEEL_WORKLOAD_borrow, 3, "1");
    assert_int_equal(keel_add_workload(f->world, borrow), KEEL_OK);
    assert_int_equal(
        keel_world_workload_nodes(f->world, keel_find_workload(f->world, "borrow"), NULL, 0), 4);
    assert_int_equal(
        keel_world_workload_edges(f->world, keel_find_workload(f->world, "borrow"), NULL, 0), 3);
}

static void each_system_tells_what_kept_it_out(void **state) {
    (void)state;
    with_workers(with_conflicts);
}

// ------------------------------------------------------------------ what a system touches
typedef struct RowA {
    int value;
} RowA;
typedef struct RowB {
    int value;
} RowB;
KEEL_COMPONENT(RowA, .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(RowB, .storage = KEEL_ARCHETYPE);
KEEL_SYSTEM_ONCE(edit_row_a, KEEL_MAY_EDIT(RowA)) {}
KEEL_SYSTEM(read_row_b, KEEL_READ(RowB, b)) { (void)b; }
KEEL_SYSTEM_ONCE(edit_x, KEEL_MAY_EDIT(X)) {}
KEEL_SYSTEM(read_y, KEEL_READ(Y, y)) { (void)y; }
KEEL_WORKLOAD(rows, KEEL_STEP(edit_row_a), KEEL_STEP(read_row_b), KEEL_STEP(edit_x),
              KEEL_STEP(read_y));

static void with_closures(api_fixture *f) {
    ASSERT_PLAN(rows, "{0} {1 2 3}"); // rows of one component move those of the other
    keel_workload_node node;
    assert_non_null(kept_out_by(f->world, &KEEL_WORKLOAD_rows, 1, &node));
    assert_string_equal(node.why.storage, "archetype components");
    assert_null(kept_out_by(f->world, &KEEL_WORKLOAD_rows, 3, &node));
    keel_group *group;
    const keel_group_desc desc = {
        .name = "xy", .owned = (const keel_component *const[]){ KEEL_OF(X), KEEL_OF(Y), NULL }
    };
    assert_int_equal(keel_group_create_of(f->world, &desc, &group), KEEL_OK);
    ASSERT_PLAN(rows, "{0} {1 2} {3}"); // an edit of X moves values of Y, too
    assert_non_null(kept_out_by(f->world, &KEEL_WORKLOAD_rows, 3, &node));
    assert_string_equal(node.why.storage, "group xy");
    assert_int_equal(node.why.other_access, KEEL_ACCESS_EDIT);
    keel_group_destroy(f->world, group);
    ASSERT_PLAN(rows, "{0} {1 2 3}");
}

static void an_edit_counts_with_all_that_it_moves(void **state) {
    (void)state;
    with_workers(with_closures);
}

KEEL_SYSTEM(spawns, KEEL_READ(U16, u), KEEL_COMMANDS(c, X)) {
    (void)keel_add_entity(c, KEEL_INIT(X, { u->value }));
}
KEEL_SYSTEM(may_do_all, KEEL_READ(U16, u), KEEL_COMMANDS(c)) { (void)u, (void)c; }
KEEL_WORKLOAD(commanding, KEEL_STEP(spawns), KEEL_STEP(info_c), KEEL_STEP(read_y),
              KEEL_STEP(may_do_all), KEEL_STEP(read_y));

static void with_commands(api_fixture *f) {
    ASSERT_PLAN(commanding, "{0} {c0} {1 2 3} {c3} {4}");
    keel_workload_node node;
    const keel_workload_node *other = kept_out_by(f->world, &KEEL_WORKLOAD_commanding, 1, &node);
    assert_non_null(other);
    assert_int_equal(other->kind, KEEL_NODE_COMMANDS);
    assert_int_equal(other->why.kind, KEEL_WAIT_COMMANDS);
    assert_ptr_equal(other->system, &KEEL_SYSTEM_spawns);
    assert_string_equal(node.why.storage, "X");
    assert_int_equal(node.why.other_access, KEEL_ACCESS_EDIT);
    assert_waits_for(f->world, &KEEL_WORKLOAD_commanding, 2,
                     ""); // only who conflicts waits for them
    assert_non_null(kept_out_by(f->world, &KEEL_WORKLOAD_commanding, 4, &node));
    assert_int_equal(node.why.kind, KEEL_WAIT_WORLD);
}

static void commands_are_a_part_of_their_own(void **state) {
    (void)state;
    with_workers(with_commands);
}

// ------------------------------------------------------------------ the calling thread
static void with_main_thread(api_fixture *f) {
    const keel_step steps[] = {
        { MARK(a), .main_thread = true }, { MARK(b) }, { MARK(c), .main_thread = true }, { MARK(d) }
    };
    const keel_workload w = WORKLOAD("threads", steps);
    assert_batches(f->world, &w, "{0 1} {2 3}");
    assert_runs(f->world, &w, "abcd", "ac");
    keel_workload_node node;
    const keel_workload_node *other = kept_out_by(f->world, &w, 2, &node);
    assert_non_null(other);
    assert_int_equal(other->position, 0);
    assert_int_equal(node.why.kind, KEEL_WAIT_THREAD);
    assert_true(node.main_thread);
}

static void two_systems_of_the_calling_thread_never_share_a_batch(void **state) {
    (void)state;
    with_workers(with_main_thread);
}

// ------------------------------------------------------------------ impossible systems
static bool never_ran;
static void run_never(const keel_chunk *chunk, keel_context *context) {
    (void)chunk, (void)context;
    never_ran = true;
}

static void assert_impossible(api_fixture *f, keel_system_kind kind, keel_term first,
                              keel_term second, const char *part) {
    const keel_term terms[] = { first, second, { .kind = KEEL_TERM_END } };
    const keel_system system = { .name = "odd", .kind = kind, .run = run_never, .terms = terms };
    const keel_step steps[] = { A, { .system = &system } };
    const keel_workload w = WORKLOAD("impossible", steps);
    assert_int_equal(keel_world_workload_nodes(f->world, &w, NULL, 0), 0);
    assert_error(f->world, KEEL_ERROR_ARGUMENT, part);
    assert_int_equal(keel_run_workload_of(f->world, &w, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f->world, KEEL_ERROR_ARGUMENT, "odd");
    assert_marks("", ""); // nothing runs before all is in order
}

static void with_impossible_systems(api_fixture *f) {
    const keel_term view = { .kind = KEEL_TERM_READ, .component = KEEL_OF(X) },
                    view_mut = { .kind = KEEL_TERM_WRITE, .component = KEEL_OF(X) },
                    world = { .kind = KEEL_TERM_MAY_EDIT_WORLD };
    assert_impossible(f, KEEL_SYSTEM_PER_ENTITY, view, view_mut, "'X'");
    assert_impossible(f, KEEL_SYSTEM_PER_ENTITY, view_mut, view, "'X'");
    assert_impossible(f, KEEL_SYSTEM_PER_SPAN, view_mut, view_mut, "'X'");
    assert_impossible(f, KEEL_SYSTEM_PER_ENTITY, view, world, "whole world");
    assert_false(never_ran);
}

static void impossible_systems_are_named(void **state) {
    (void)state;
    with_workers(with_impossible_systems);
}

static const struct CMUnitTest tests[] = {
    // proves S-70 S-72 S-73
    TEST(readers_share_a_batch_and_writers_do_not, "readers share a batch, a writer does not"),
    // proves S-70
    TEST(a_system_joins_the_last_batch, "a system joins the last batch, or begins a new one"),
    // proves S-71
    TEST(a_system_with_the_world_is_alone_in_its_batch,
         "a system that has the world is alone in its batch"),
    // proves S-70
    TEST(a_unique_and_a_component_of_one_type_do_not_conflict,
         "a unique and a component of one type do not conflict"),
    TEST(a_barrier_begins_a_batch, "a barrier begins a batch, but not the first or the last"),
    // proves S-70
    TEST(order_makes_batches_and_circles_are_errors,
         "order that was asked for makes batches, a circle is an error"),
    // proves S-74
    TEST(each_system_tells_what_kept_it_out,
         "each system tells what kept it out of the batch before"),
    // proves S-70
    TEST(an_edit_counts_with_all_that_it_moves, "an edit counts with all that it moves"),
    TEST(commands_are_a_part_of_their_own, "commands are a part of their own, after their system"),
    TEST(two_systems_of_the_calling_thread_never_share_a_batch,
         "two systems of the calling thread never share a batch"),
    TEST(impossible_systems_are_named, "impossible systems are refused before anything runs"),
};

int main(void) { return RUN(tests); }
