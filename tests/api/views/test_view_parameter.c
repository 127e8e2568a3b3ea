// SPDX-License-Identifier: MIT
// Views that are parameters of systems: open while the body runs, declared for the scheduler,
// shared by the threads of a system that is split.
#include "support/schedule_fixture.h"

typedef struct Place {
    int32_t at;
} Place;
typedef struct Target {
    keel_entity whom;
    int32_t seen;
} Target;
KEEL_COMPONENT(Place, .no_padding = true);
KEEL_COMPONENT(Target, .no_padding = true);
KEEL_TAG(Wall);
enum { WALKERS = 3000 };

KEEL_SYSTEM(aim, KEEL_WRITE(Target, target), KEEL_VIEW(places, KEEL_READ(Place, place))) {
    const Place *place = keel_get(places, target->whom, Place);
    target->seen = place ? place->at : -1;
}
KEEL_SYSTEM_ONCE(push, KEEL_VIEW(free_ones, KEEL_WRITE(Place, place), KEEL_WITHOUT(Wall)),
                 KEEL_VIEW(walls, KEEL_WITH(Wall))) {
    keel_iterator it;
    keel_span span;
    assert_int_equal(keel_iterator_begin(&it, free_ones), KEEL_OK);
    while (keel_iterator_next_span(&it, &span))
        for (uint32_t i = 0; i < span.count; ++i)
            ++keel_span_write(&span, Place)[i].at;
    keel_iterator_end(&it);
    (void)walls;
}
KEEL_SYSTEM_SPAN(sum_up, KEEL_SPAN_COUNT(n), KEEL_WRITE(Target, target),
                 KEEL_VIEW(places, KEEL_READ(Place, place))) {
    for (uint32_t i = 0; i < n; ++i)
        target[i].seen += keel_get(places, target[i].whom, Place)->at;
}
KEEL_CONDITION(is_there, KEEL_VIEW(walls, KEEL_WITH(Wall))) { return keel_view_count(walls) > 0; }
KEEL_SYSTEM(move_others, KEEL_READ(Target, target), KEEL_VIEW(places, KEEL_WRITE(Place, place))) {
    ++keel_get_mut(places, target->whom, Place)->at;
}
KEEL_SYSTEM(both, KEEL_WRITE(Place, place), KEEL_VIEW(places, KEEL_READ(Place, other))) {
    place->at += keel_view_count(places) > 0;
}
static keel_entity somebody;
KEEL_SYSTEM_ONCE(beyond, KEEL_VIEW(places, KEEL_READ(Place, place))) {
    assert_null(keel_get_mut(places, somebody, Place));
}
KEEL_WORKLOAD(turn, KEEL_STEP(push), KEEL_STEP(aim, .parallel = true), KEEL_STEP(sum_up),
              KEEL_STEP(push, .run_if = KEEL_IF(is_there)));

static void fill(keel_world *w) {
    keel_entity last = somebody = keel_add_entity(w, KEEL_INIT(Place, { 7 }));
    for (int32_t i = 0; i < WALKERS; ++i)
        last = keel_add_entity(w, KEEL_INIT(Place, { i }), KEEL_INIT(Target, { last, 0 }));
}

static void look_around(api_fixture *f) {
    keel_world *w = f->world;
    fill(w);
    for (int k = 0; k < 3; ++k)
        assert_int_equal(keel_run_workload(w, turn), KEEL_OK);
    KEEL_EACH(w, KEEL_READ(Target, target), KEEL_READ(Place, place)) {
        const int32_t at = keel_get(w, target->whom, Place)->at;
        assert_int_equal(target->seen, 2 * at);
        (void)place;
    }
    keel_add_entity(w, KEEL_INIT(Wall), KEEL_INIT(Place));
    assert_int_equal(keel_run_workload(w, turn), KEEL_OK); // both are pushed twice
    KEEL_EACH(w, KEEL_READ(Target, target), KEEL_READ(Place, place)) {
        assert_int_equal(target->seen, 2 * (keel_get(w, target->whom, Place)->at - 1));
        (void)place;
    }
    keel_view view; // all was given back
    assert_int_equal(keel_view_begin(&view, w, KEEL_TERMS(KEEL_WRITE(Place, p)), "all"), KEEL_OK);
    keel_view_end(&view);
}

static void systems_look_through_their_views(void **state) {
    (void)state;
    with_workers(look_around);
}

static void views_say_what_is_touched(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    assert_batches(f.world, &KEEL_WORKLOAD_turn, "{0} {1} {2} {3}");
    const keel_step steps[] = { KEEL_STEP(aim), KEEL_STEP(beyond) };
    const keel_workload readers = WORKLOAD("readers", steps);
    assert_batches(f.world, &readers, "{0 1}");
    api_end(&f);
}

static void views_borrow_as_others_do(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    fill(f.world);
    assert_int_equal(keel_run(f.world, beyond), KEEL_ERROR_ACCESS);
    assert_error(f.world, KEEL_ERROR_ACCESS, "view 'beyond.places' does not write 'Place'");
    assert_int_equal(keel_run(f.world, move_others), KEEL_OK);
    assert_int_equal(keel_run_parallel(f.world, move_others), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "its custom view may write");
    assert_true(keel_run(f.world, both) < 0);
    keel_clear_errors(f.world);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(systems_look_through_their_views, "systems look through the views that they take"),
    TEST(views_say_what_is_touched, "views of systems say what is touched"),
    TEST(views_borrow_as_others_do, "views of systems borrow as others do"),
};

int main(void) { return RUN(tests); }
