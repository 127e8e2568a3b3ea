// SPDX-License-Identifier: MIT
// Which storage leads a walk, seen in the iterator itself.
#include "find/iterate.h"

#include "support/api_types.h"

typedef struct First {
    uint32_t value;
} First;
typedef struct Second {
    uint32_t value;
} Second;
KEEL_COMPONENT(First);
KEEL_COMPONENT(Second);
typedef struct Row {
    uint32_t value;
} Row;
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE);
typedef struct Tail {
    char value;
} Tail;
KEEL_COMPONENT(Tail, .storage = KEEL_ARCHETYPE);

static const keel_component *driver_of(const keel_iterator *it) {
    assert_non_null(it->state->plan->leader);
    return &it->state->plan->leader->component;
}

// e1 = Second only, e2 = both, e0 and e3 = First only.
static void add_four(keel_world *world) {
    (void)keel_add_entity(world, KEEL_INIT(First, { 322 }));
    (void)keel_add_entity(world, KEEL_INIT(Second, { 17 }));
    (void)keel_add_entity(world, KEEL_INIT(First, { 5050 }), KEEL_INIT(Second, { 3154 }));
    (void)keel_add_entity(world, KEEL_INIT(First, { 958 }));
}

static keel_view open_both(keel_world *world, bool swapped) {
    const keel_component *const first = swapped ? KEEL_OF(Second) : KEEL_OF(First);
    const keel_component *const second = swapped ? KEEL_OF(First) : KEEL_OF(Second);
    const keel_term terms[] = { { .kind = KEEL_TERM_READ, .component = first },
                                { .kind = KEEL_TERM_READ, .component = second },
                                { .kind = KEEL_TERM_END } };
    keel_view view;
    assert_int_equal(keel_view_begin(&view, world, terms, "test"), KEEL_OK);
    return view;
}

// Whichever comes first in the list: Second has 2 and leads, First has 3 and is asked.
static void the_shorter_storage_leads(void **state) {
    (void)state;
    for (int swapped = 0; swapped < 2; ++swapped) {
        api_fixture f;
        api_begin(&f);
        add_four(f.world);
        keel_view view = open_both(f.world, swapped);
        keel_iterator it;
        assert_int_equal(keel_iterator_begin(&it, &view), KEEL_OK);
        assert_string_equal(driver_of(&it)->name, "Second");
        assert_int_equal(it.state->end, 2); // two candidates
        keel_span span;
        assert_true(keel_iterator_next_span(&it, &span));
        assert_int_equal(span.count, 1); // e1 was passed over
        const First *first = keel_span_read_component(&span, KEEL_OF(First));
        const Second *second = keel_span_read_component(&span, KEEL_OF(Second));
        assert_int_equal(first->value, 5050);
        assert_int_equal(second->value, 3154);
        assert_false(keel_iterator_next_span(&it, &span));
        keel_view_end(&view);
        api_end(&f);
    }
}

static void the_first_of_equals_leads(void **state) {
    (void)state;
    for (int swapped = 0; swapped < 2; ++swapped) {
        api_fixture f;
        api_begin(&f);
        add_four(f.world);
        (void)keel_add_entity(f.world, KEEL_INIT(Second, { 5 })); // three of each
        keel_view view = open_both(f.world, swapped);
        keel_iterator it;
        assert_int_equal(keel_iterator_begin(&it, &view), KEEL_OK);
        assert_string_equal(driver_of(&it)->name, swapped ? "Second" : "First");
        keel_iterator_end(&it);
        keel_view_end(&view);
        api_end(&f);
    }
}

// The choice is made anew for each walk, not when the view is opened.
static void each_walk_chooses_anew(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    add_four(f.world);
    const keel_term terms[] = { { .kind = KEEL_TERM_EDIT, .component = KEEL_OF(First) },
                                { .kind = KEEL_TERM_EDIT, .component = KEEL_OF(Second) },
                                { .kind = KEEL_TERM_MAY_EDIT_ENTITIES },
                                { .kind = KEEL_TERM_END } };
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, terms, "test"), KEEL_OK);
    for (uint32_t i = 0; i < 2; ++i)
        (void)keel_add_entity_values(&view,
                                     (const keel_value[]){ KEEL_INIT(Second, { i }), { 0 } });
    keel_iterator it; // 3 First, 4 Second
    assert_int_equal(keel_iterator_begin(&it, &view), KEEL_OK);
    assert_string_equal(driver_of(&it)->name, "First");
    keel_view_end(&view);
    api_end(&f);
}

static void only_required_storages_lead(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    add_four(f.world);
    const keel_term_kind kinds[] = { KEEL_TERM_OPTIONAL_READ, KEEL_TERM_WITHOUT, KEEL_TERM_ANY_OF };
    for (size_t i = 0; i < 3; ++i) {
        const keel_term terms[] = { { .kind = kinds[i], .component = KEEL_OF(Second) },
                                    { .kind = KEEL_TERM_READ, .component = KEEL_OF(First) },
                                    { .kind = KEEL_TERM_END } };
        keel_view view;
        assert_int_equal(keel_view_begin(&view, f.world, terms, "test"), KEEL_OK);
        keel_iterator it;
        assert_int_equal(keel_iterator_begin(&it, &view), KEEL_OK);
        assert_string_equal(driver_of(&it)->name, "First"); // though it is longer
        keel_view_end(&view);
    }
    api_end(&f);
}

// How many archetypes a walk over Row goes through.
static uint32_t archetypes_of(keel_world *world) {
    const keel_term terms[] = { { .kind = KEEL_TERM_READ, .component = KEEL_OF(Row) },
                                { .kind = KEEL_TERM_END } };
    keel_view view;
    keel_iterator it;
    assert_int_equal(keel_view_begin(&view, world, terms, "test"), KEEL_OK);
    assert_int_equal(keel_iterator_begin(&it, &view), KEEL_OK);
    const uint32_t count = it.state->plan->match->list.count;
    assert_int_equal(it.state->plan->match->fitting, 2);
    keel_view_end(&view);
    return count;
}

static void sets_that_nobody_has_are_not_walked(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity a = keel_add_entity(f.world, KEEL_INIT(Row, { 1 }));
    const keel_entity b = keel_add_entity(f.world, KEEL_INIT(Row, { 2 }));
    assert_int_equal(keel_add(f.world, a, Tail, { 0 }), KEEL_OK);
    assert_int_equal(archetypes_of(f.world), 2);
    assert_int_equal(keel_add(f.world, b, Tail, { 0 }), KEEL_OK);
    assert_int_equal(archetypes_of(f.world), 1);
    keel_delete(f.world, a, Tail);
    assert_int_equal(archetypes_of(f.world), 2);
    keel_clear_entities(f.world);
    assert_int_equal(archetypes_of(f.world), 0);
    (void)keel_add_entity(f.world, KEEL_INIT(Row, { 3 }));
    assert_int_equal(archetypes_of(f.world), 1);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    // proves S-119 E-V2
    TEST(the_shorter_storage_leads, "the shorter storage leads, one item matches"),
    TEST(the_first_of_equals_leads, "the first of equals leads"),
    TEST(each_walk_chooses_anew, "each walk chooses anew"),
    // proves E-V3
    TEST(only_required_storages_lead, "only storages that must be there lead"),
    TEST(sets_that_nobody_has_are_not_walked, "sets that nobody has are not walked"),
};

int main(void) { return RUN(tests); }
