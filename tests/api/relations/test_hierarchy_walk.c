// SPDX-License-Identifier: MIT
// The loops over the hierarchy go where the functions go, whatever happens between two steps.
#include "support/api_types.h"
#include "support/tree_fixture.h"

enum { NODES = 300, STEPS = 2000 };

static uint64_t random_state;
static uint32_t random_below(uint32_t limit) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

// Far apart, so that new pages and longer tables come while a loop runs.
static keel_entity node_at(keel_world *world, uint32_t n) {
    const keel_entity e = keel_entity_make(n % 3 ? n : n * 37, 0);
    return keel_add_entity_at(world, e) == KEEL_OK ? e : keel_add_entity(world);
}

static void plant(keel_world *world, keel_entity *e) {
    for (uint32_t n = 0; n < NODES; ++n) {
        e[n] = node_at(world, n);
        if (n) (void)keel_attach(world, e[n], e[random_below(n)]);
    }
}

static void change(keel_world *world, keel_entity *e) {
    const keel_entity one = e[random_below(NODES)], other = e[random_below(NODES)];
    switch (random_below(12)) {
    case 0:
        (void)keel_delete_entity(world, one);
        break;
    case 1:
        (void)keel_detach(world, one);
        break;
    case 2:
    case 3:
        (void)keel_attach(world, one, other);
        break;
    case 4:
        (void)keel_unlink(world, one);
        break;
    case 5:
        e[random_below(NODES)] = keel_add_child(world, other);
        break;
    case 6:
        if (!random_below(4)) (void)keel_delete_tree(world, one);
        break;
    case 7:
        if (!random_below(8)) (void)keel_delete_entities_having(world, keel_child);
        break;
    case 8:
        if (!random_below(8)) (void)keel_clear_entities(world);
        break;
    case 9:
        (void)keel_add(world, one, Position, { 1, 2 });
        break; // no link changes
    default:
        break;
    }
    if (!random_below(6)) (void)keel_world_trim(world);
}

static void loops_step_as_the_functions(bool changes) {
    api_fixture f;
    keel_entity e[NODES], expected = keel_null();
    api_begin(&f);
    plant(f.world, e);
    uint32_t steps = 0;
    const keel_entity root = e[random_below(5)];
    KEEL_EACH_DESCENDANT(f.world, root, it) {
        assert_same_entity(it, steps ? expected : keel_first_child(f.world, root));
        if (changes) change(f.world, e);
        expected = keel_next_descendant(f.world, root, it, KEEL_DEPTH_FIRST);
        if (++steps == STEPS) break;
    }
    if (steps < STEPS) assert_true(keel_is_null(expected));
    const keel_entity parent = e[random_below(5)];
    expected = keel_first_child(f.world, parent);
    steps = 0;
    KEEL_EACH_CHILD(f.world, parent, it) {
        assert_same_entity(it, expected);
        expected = keel_next_child(f.world, parent, it);
        if (changes) change(f.world, e);
        if (++steps == STEPS) break;
    }
    if (steps < STEPS) assert_true(keel_is_null(expected));
    api_end(&f);
}

static void loops_go_where_the_functions_go(void **state) {
    (void)state;
    for (random_state = 1; random_state <= test_rounds(40); ++random_state) {
        const uint64_t seed = random_state;
        loops_step_as_the_functions(false);
        loops_step_as_the_functions(true);
        random_state = seed;
    }
}

static void loops_may_be_left_and_be_nested(void **state) {
    (void)state;
    api_fixture f;
    uint32_t visited = 0;
    api_begin(&f);
    const keel_entity root = keel_add_entity(f.world);
    for (uint32_t i = 0; i < 3; ++i) {
        const keel_entity child = keel_add_child(f.world, root);
        for (uint32_t k = 0; k < 3; ++k)
            (void)keel_add_child(f.world, child);
    }
    KEEL_EACH_DESCENDANT(f.world, root, it) {
        if (keel_child_count(f.world, it)) continue;
        if (++visited == 5) break;
    }
    assert_int_equal(visited, 5);
    KEEL_EACH_CHILD(f.world, root, child) {
        KEEL_EACH_CHILD(f.world, child, below) {
            KEEL_EACH_DESCENDANT(f.world, root, it)
                visited += keel_is_same(it, below);
        }
    }
    assert_int_equal(visited, 5 + 9);
    api_end(&f);
}

static void a_loop_over_nothing_has_no_steps(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity dead = keel_add_entity(f.world), alone = keel_add_entity(f.world);
    (void)keel_delete_entity(f.world, dead);
    const keel_entity none[] = { dead, alone, keel_null(), { UINT32_MAX } };
    for (uint32_t i = 0; i < 4; ++i) {
        KEEL_EACH_DESCENDANT(f.world, none[i], it)
            fail();
        KEEL_EACH_CHILD(f.world, none[i], it)
            fail();
    }
    KEEL_EACH_DESCENDANT((keel_world *)NULL, alone, it)
        fail();
    api_end(&f);
}

// Only below the entity, though it has siblings and a parent itself.
static void a_loop_does_not_leave_its_tree(void **state) {
    (void)state;
    api_fixture f;
    uint32_t count = 0;
    api_begin(&f);
    const keel_entity root = keel_add_entity(f.world), a = keel_add_child(f.world, root);
    const keel_entity middle = keel_add_child(f.world, root), b = keel_add_child(f.world, root);
    const keel_entity below = keel_add_child(f.world, middle);
    (void)keel_add_child(f.world, below);
    (void)keel_add_child(f.world, a);
    (void)keel_add_child(f.world, b);
    KEEL_EACH_DESCENDANT(f.world, middle, it)
        ++count;
    assert_int_equal(count, 2);
    KEEL_EACH_DESCENDANT(f.world, below, it)
        ++count;
    assert_int_equal(count, 3);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(loops_go_where_the_functions_go, "loops go where the functions go, edits between or not"),
    TEST(loops_may_be_left_and_be_nested, "loops may be left and be nested"),
    TEST(a_loop_over_nothing_has_no_steps, "a loop over nothing has no steps"),
    TEST(a_loop_does_not_leave_its_tree, "a loop does not leave its tree"),
};

int main(void) { return RUN(tests); }
