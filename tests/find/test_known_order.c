// SPDX-License-Identifier: MIT
// What walks note about the order of sparse sets, and that no edit makes it wrong.
#include "find/iterate.h"
#include "world/registry.h"

#include "support/api_types.h"

enum { COUNT = 300 };

typedef struct sets {
    api_fixture f;
    keel_entity e[COUNT];
} sets;

// Number leads, being first of equals; Other has the same values in the same order.
static void begin(sets *s) {
    api_begin(&s->f);
    for (uint32_t i = 0; i < COUNT; ++i)
        s->e[i] = keel_add_entity(s->f.world, KEEL_INIT(Number, { i }), KEEL_INIT(Other, { i }));
}

// How many first slots of Number have the entities of Other, and where those begin.
static keeli_same_order same(const sets *s) {
    const keeli_storage *leader = keeli_storage_find(s->f.world, KEEL_OF(Number));
    const keeli_storage *other = keeli_storage_find(s->f.world, KEEL_OF(Other));
    for (uint32_t i = 0; i < 2; ++i) {
        const keeli_same_order *known = &other->known.same[i];
        if (known->leader == leader && known->moves == other->set.moves &&
            known->leader_moves == leader->set.moves)
            return *known;
    }
    return (keeli_same_order){ 0 };
}
static uint32_t run_of(const sets *s, const keel_component *c) {
    return keeli_storage_find(s->f.world, c)->known.range;
}

KEEL_SYSTEM(check_pairs, KEEL_READ(Number, n), KEEL_READ(Other, o), KEEL_DATA(uint32_t, visited)) {
    assert_int_equal(n->value, o->value);
    ++*visited;
}
KEEL_SYSTEM(check_awake, KEEL_READ(Number, n), KEEL_READ(Other, o), KEEL_WITHOUT(Frozen),
            KEEL_DATA(uint32_t, visited)) {
    assert_int_equal(n->value, o->value);
    ++*visited;
}

KEEL_SYSTEM(check_thirds, KEEL_READ(Third, t), KEEL_READ(Other, o), KEEL_DATA(uint32_t, visited)) {
    assert_int_equal(t->value, o->value);
    ++*visited;
}

static void assert_pairs(sets *s, uint32_t count) {
    for (int again = 0; again < 2; ++again) {
        uint32_t visited = 0, awake = 0;
        assert_int_equal(keel_run_with(s->f.world, check_pairs, &visited), KEEL_OK);
        assert_int_equal(visited, count);
        assert_int_equal(keel_run_with(s->f.world, check_awake, &awake), KEEL_OK);
        assert_true(awake <= count);
    }
}

static int descending(const void *a, const void *b, void *data) {
    (void)data;
    const Number *first = a, *second = b;
    return first->value < second->value ? 1 : first->value > second->value ? -1 : 0;
}

static void a_walk_notes_how_far_orders_are_the_same(void **state) {
    (void)state;
    sets s;
    begin(&s);
    assert_int_equal(keel_register(s.f.world, Frozen), KEEL_OK);
    assert_int_equal(keel_add(s.f.world, s.e[7], Frozen), KEEL_OK);
    assert_pairs(&s, COUNT);
    assert_int_equal(same(&s).count, COUNT);
    assert_int_equal(run_of(&s, KEEL_OF(Number)), COUNT);
    // what is appended is compared by the next walk
    for (uint32_t i = 0; i < 50; ++i)
        (void)keel_add_entity(s.f.world, KEEL_INIT(Number, { i }), KEEL_INIT(Other, { i }));
    assert_pairs(&s, COUNT + 50);
    assert_int_equal(same(&s).count, COUNT + 50);
    assert_int_equal(run_of(&s, KEEL_OF(Number)), COUNT + 50);
    api_end(&s.f);
}

static void edits_of_slots_make_walks_compare_again(void **state) {
    (void)state;
    sets s;
    begin(&s);
    assert_pairs(&s, COUNT);
    assert_int_equal(keel_remove(s.f.world, s.e[100], Other), KEEL_OK); // the last moves there
    assert_pairs(&s, COUNT - 1);
    assert_int_equal(keel_add(s.f.world, s.e[100], Other, { 100 }), KEEL_OK);
    assert_pairs(&s, COUNT);
    assert_true(same(&s).count <= 100);
    assert_int_equal(keel_delete_entity(s.f.world, s.e[10]), KEEL_OK);
    assert_pairs(&s, COUNT - 1);
    assert_int_equal(keel_sort(s.f.world, Number, descending, NULL), KEEL_OK);
    assert_pairs(&s, COUNT - 1);
    assert_int_equal(keel_sort_as(s.f.world, Other, Number), KEEL_OK);
    assert_pairs(&s, COUNT - 1);
    assert_int_equal(same(&s).count, COUNT - 1);
    api_end(&s.f);
}

static void handles_that_are_used_again_are_told_apart(void **state) {
    (void)state;
    sets s;
    begin(&s);
    assert_pairs(&s, COUNT);
    assert_int_equal(keel_delete_entity(s.f.world, s.e[COUNT - 1]), KEEL_OK); // last of both
    (void)keel_add_entity(s.f.world, KEEL_INIT(Number, { 1 }));
    (void)keel_add_entity(s.f.world, KEEL_INIT(Other, { 2 }));
    assert_pairs(&s, COUNT - 1);
    api_end(&s.f);
}

// The storage of a component that comes later may be where the old one was.
static void a_leader_that_is_unregistered_is_forgotten(void **state) {
    (void)state;
    sets s;
    begin(&s);
    assert_pairs(&s, COUNT);
    assert_int_equal(same(&s).count, COUNT);
    const keeli_storage *other = keeli_storage_find(s.f.world, KEEL_OF(Other));
    assert_int_equal(keel_unregister_component(s.f.world, KEEL_OF(Number)), KEEL_OK);
    for (uint32_t i = 0; i < 2; ++i)
        assert_null(other->known.same[i].leader);
    for (uint32_t i = COUNT; i-- > 0;)
        assert_int_equal(keel_add(s.f.world, s.e[i], Number, { i }), KEEL_OK);
    assert_pairs(&s, COUNT);
    api_end(&s.f);
}

// Number and Third begin somewhere in Other, which follows both.
static void orders_may_be_the_same_further_on(void **state) {
    (void)state;
    sets s;
    begin(&s);
    for (uint32_t i = 0; i < 100; ++i)
        assert_int_equal(keel_remove(s.f.world, s.e[i], Number), KEEL_OK);
    assert_int_equal(keel_sort_as(s.f.world, Number, Other), KEEL_OK);
    for (uint32_t i = 200; i < 250; ++i)
        assert_int_equal(keel_add(s.f.world, s.e[i], Third, { i }), KEEL_OK);
    for (int again = 0; again < 3; ++again) {
        assert_pairs(&s, COUNT - 100);
        uint32_t thirds = 0;
        assert_int_equal(keel_run_with(s.f.world, check_thirds, &thirds), KEEL_OK);
        assert_int_equal(thirds, 50);
        assert_int_equal(same(&s).count, COUNT - 100);
        assert_int_equal(same(&s).from, 100);
    }
    assert_int_equal(keel_remove(s.f.world, s.e[150], Other), KEEL_OK);
    assert_int_equal(same(&s).count, 0);
    assert_pairs(&s, COUNT - 101);
    api_end(&s.f);
}

// Number is looked up: where its slots are in the order of indices that is a subtraction.
static void places_in_the_order_of_indices_are_learnt(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    sets s;
    begin(&s);
    for (uint32_t i = COUNT; i > 0; i -= 3) // no run of equal order
        assert_int_equal(keel_add(s.f.world, s.e[i - 1], Third, { i - 1 }), KEEL_OK);
    for (uint32_t gone = 0; gone < 3; ++gone) {
        for (int again = 0; again < 2; ++again) {
            uint32_t visited = 0;
            assert_int_equal(keel_run_with(s.f.world, check_thirds, &visited), KEEL_OK);
            assert_int_equal(visited, COUNT / 3 - gone);
            assert_int_equal(run_of(&s, KEEL_OF(Other)), gone ? 5 : COUNT);
        }
        // the last goes into its slot; the next time a slot behind that
        assert_int_equal(keel_remove(s.f.world, s.e[5 + 3 * gone], Other), KEEL_OK);
    }
    api_end(&s.f);
}

KEEL_SYSTEM(check_all_three, KEEL_READ(Number, n), KEEL_READ(Other, o), KEEL_READ(Third, t),
            KEEL_DATA(uint32_t, visited)) {
    assert_int_equal(n->value, o->value);
    assert_int_equal(n->value, t->value);
    ++*visited;
}

// The group leads; its first entity lacks Third, so Other, which is beside, is not to be followed.
static void a_group_whose_first_entity_does_not_match(void **state) {
    (void)state;
    sets s;
    begin(&s);
    assert_non_null(keel_group_create(s.f.world, KEEL_OWNED(Number), KEEL_GET(Other)));
    for (uint32_t i = 1; i < COUNT; ++i)
        assert_int_equal(keel_add(s.f.world, s.e[i], Third, { i }), KEEL_OK);
    for (uint32_t i = 0; i < 2 * COUNT; ++i) // the group is the smallest
        (void)keel_add_entity(s.f.world, KEEL_INIT(Third, { i }));
    for (int again = 0; again < 2; ++again) {
        uint32_t visited = 0;
        assert_int_equal(keel_run_with(s.f.world, check_all_three, &visited), KEEL_OK);
        assert_int_equal(visited, COUNT - 1);
    }
    api_end(&s.f);
}

// Two runs of consecutive indices with a gap between: slots are not indices behind it.
KEEL_SYSTEM(sum_awake, KEEL_READ(Number, n), KEEL_WITHOUT(Frozen), KEEL_DATA(uint32_t, sum)) {
    *sum += n->value;
}

static void a_run_behind_a_gap_does_not_go_on(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    uint32_t expected = 0;
    for (uint32_t i = 0; i < 250; ++i) {
        const keel_entity e = keel_add_entity(f.world);
        if (i < 100 || i >= 150) assert_int_equal(keel_add(f.world, e, Number, { i }), KEEL_OK);
        if (i % 40 == 0) assert_int_equal(keel_add(f.world, e, Frozen), KEEL_OK);
        else if (i < 100 || i >= 150) expected += i;
    }
    for (int again = 0; again < 3; ++again) {
        uint32_t sum = 0;
        assert_int_equal(keel_run_with(f.world, sum_awake, &sum), KEEL_OK);
        assert_int_equal(sum, expected);
    }
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(a_walk_notes_how_far_orders_are_the_same, "a walk notes how far orders are the same"),
    TEST(edits_of_slots_make_walks_compare_again, "edits of slots make walks compare again"),
    TEST(handles_that_are_used_again_are_told_apart, "handles that are used again are told apart"),
    TEST(a_leader_that_is_unregistered_is_forgotten, "a leader that is unregistered is forgotten"),
    TEST(orders_may_be_the_same_further_on, "orders may be the same from different slots on"),
    TEST(a_group_whose_first_entity_does_not_match, "a group's first entity need not match"),
    TEST(a_run_behind_a_gap_does_not_go_on,
         "a run of indices behind a gap does not go on the one before"),
    TEST(places_in_the_order_of_indices_are_learnt, "places in the order of indices are learnt"),
};

int main(void) { return RUN(tests); }
