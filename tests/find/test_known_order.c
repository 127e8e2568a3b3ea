// SPDX-License-Identifier: MIT
// What walks note about the order of sparse sets, and that no edit makes it wrong.
#include "edit/registry.h"
#include "find/iterate.h"

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

static const keeli_known_order *known(const sets *s, const keel_component *c) {
    return &keeli_storage_find(s->f.world, c)->known;
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
    assert_int_equal(known(&s, KEEL_OF(Other))->same, COUNT);
    assert_int_equal(known(&s, KEEL_OF(Number))->run, COUNT);
    // what is appended is compared by the next walk
    for (uint32_t i = 0; i < 50; ++i)
        (void)keel_add_entity(s.f.world, KEEL_INIT(Number, { i }), KEEL_INIT(Other, { i }));
    assert_pairs(&s, COUNT + 50);
    assert_int_equal(known(&s, KEEL_OF(Other))->same, COUNT + 50);
    assert_int_equal(known(&s, KEEL_OF(Number))->run, COUNT + 50);
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
    assert_true(known(&s, KEEL_OF(Other))->same <= 100);
    assert_int_equal(keel_delete_entity(s.f.world, s.e[10]), KEEL_OK);
    assert_pairs(&s, COUNT - 1);
    assert_int_equal(keel_sort(s.f.world, Number, descending, NULL), KEEL_OK);
    assert_pairs(&s, COUNT - 1);
    assert_int_equal(keel_sort_as(s.f.world, Other, Number), KEEL_OK);
    assert_pairs(&s, COUNT - 1);
    assert_int_equal(known(&s, KEEL_OF(Other))->same, COUNT - 1);
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
    assert_non_null(known(&s, KEEL_OF(Other))->leader);
    assert_int_equal(keel_unregister_component(s.f.world, KEEL_OF(Number)), KEEL_OK);
    assert_null(known(&s, KEEL_OF(Other))->leader);
    for (uint32_t i = COUNT; i-- > 0;)
        assert_int_equal(keel_add(s.f.world, s.e[i], Number, { i }), KEEL_OK);
    assert_pairs(&s, COUNT);
    api_end(&s.f);
}

static const struct CMUnitTest tests[] = {
    TEST(a_walk_notes_how_far_orders_are_the_same, "a walk notes how far orders are the same"),
    TEST(edits_of_slots_make_walks_compare_again, "edits of slots make walks compare again"),
    TEST(handles_that_are_used_again_are_told_apart, "handles that are used again are told apart"),
    TEST(a_leader_that_is_unregistered_is_forgotten, "a leader that is unregistered is forgotten"),
};

int main(void) { return RUN(tests); }
