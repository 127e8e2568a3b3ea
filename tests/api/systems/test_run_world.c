// SPDX-License-Identifier: MIT
// The world itself, as a global, in code that a workload runs: systems are refused what others may
// be writing, with any number of workers; who runs alone, and observers, may look at everything.
#include "support/schedule_fixture.h"

static keel_world *global;
static keel_entity somebody;
static uint32_t seen; // what a global world gave away

static void look(void) {
    seen += keel_get(global, somebody, Number) != NULL;
    seen += keel_has(global, somebody, Number);
    seen += keel_get_mut(global, somebody, Number) != NULL;
    seen += keel_count(global, Number) > 0;
    seen += keel_is_alive(global, somebody);
    seen += keel_entity_count(global) > 0;
    seen += !keel_is_null(keel_parent_of(global, somebody));
    seen += keel_get_unique(global, Time) != NULL;
    seen += keel_name_of(global, somebody) != NULL;
    keel_view view;
    if (keel_view_begin(&view, global, KEEL_TERMS(KEEL_WITH(Number)), "of a global") < 0) return;
    ++seen;
    keel_view_end(&view);
}
enum { LOOKS = 10 };

KEEL_SYSTEM_ONCE(looks) { look(); }
KEEL_SYSTEM_ONCE(edits, KEEL_CONTEXT(context)) {
    (void)context;
    seen += keel_add(global, somebody, Third, { 1 }) >= 0;
    seen += keel_delete(global, somebody, Number) >= 0;
    seen += keel_delete_entity(global, somebody) >= 0;
    seen += keel_mark(global, somebody, Number) >= 0;
}
KEEL_SYSTEM_ONCE(alone, KEEL_WORLD(world)) {
    (void)world;
    look();
}
KEEL_SYSTEM(writes, KEEL_WRITE(Number, n)) { n->value += 1; }
KEEL_SYSTEM_ONCE(does_nothing) {}

KEEL_WORKLOAD(looking, KEEL_STEP(looks), KEEL_STEP(writes));
KEEL_WORKLOAD(editing, KEEL_STEP(edits));
KEEL_WORKLOAD(looking_alone, KEEL_STEP(writes), KEEL_STEP(alone), KEEL_STEP(does_nothing));

static void fill(keel_world *w) {
    global = w;
    seen = 0;
    keel_entity parent = keel_add_entity(w, KEEL_INIT(Number, { 1 }));
    somebody = keel_add_child(w, parent, KEEL_INIT(Number, { 1 }));
    assert_int_equal(keel_set_name(w, somebody, "somebody"), KEEL_OK);
    assert_int_equal(keel_set_unique(w, Time, { 0, 0 }), KEEL_OK);
    assert_int_equal(keel_register(w, Third), KEEL_OK);
}

static void refused(api_fixture *f) {
    fill(f->world);
    assert_int_equal(keel_run_workload(f->world, looking), KEEL_ERROR_ACCESS);
    assert_int_equal(seen, 0);
    assert_string_equal(keel_first_error(f->world)->system, "looks");
    assert_error(f->world, KEEL_ERROR_ACCESS, "uses the world itself");
    assert_int_equal(keel_run_workload(f->world, editing), KEEL_OK); // it has their results
    assert_error(f->world, KEEL_ERROR_SHARED, "a workload runs, the world is shared");
    assert_int_equal(seen, 0);
    look(); // and between runs as ever
    assert_int_equal(seen, LOOKS);
}
static void systems_are_refused(void **state) {
    (void)state;
    with_workers(refused);
}

static void allowed(api_fixture *f) {
    fill(f->world);
    assert_int_equal(keel_run_workload(f->world, looking_alone), KEEL_OK);
    assert_int_equal(seen, LOOKS);
}
static void who_is_alone_may(void **state) {
    (void)state;
    with_workers(allowed);
}

// ------------------------------------------------------------------ observers
KEEL_SYSTEM_ONCE(adds, KEEL_COMMANDS(commands, Third)) {
    (void)keel_add(commands, somebody, Third, { 1 });
}
KEEL_SYSTEM_ONCE(adds_now, KEEL_MAY_EDIT(Other), KEEL_CONTEXT(context)) {
    (void)keel_add(context, somebody, Other, { 1 });
}
KEEL_WORKLOAD(observed, KEEL_STEP(writes), KEEL_STEP(adds), KEEL_STEP(adds_now),
              KEEL_STEP(does_nothing));

static void on_change(const keel_change *change, void *data) {
    (void)change;
    ++*(uint32_t *)data;
    look();
}

static void looked(api_fixture *f) {
    keel_world *w = f->world;
    uint32_t times = 0;
    fill(w);
    assert_int_equal(keel_register(w, Other), KEEL_OK);
    assert_batches(w, &KEEL_WORKLOAD_observed, "{0 1} {c1} {2 3}");
    assert_int_equal(keel_observe(w, Third, KEEL_ON_INSERTED, on_change, &times), KEEL_OK);
    assert_int_equal(keel_observe_view(w, KEEL_TERMS(KEEL_WITH(Other), KEEL_WITH(Number)),
                                       KEEL_ON_ENTERED, on_change, &times),
                     KEEL_OK);
    assert_batches(w, &KEEL_WORKLOAD_observed, "{0 1} {c1} {2} {3}");
    assert_int_equal(keel_run_workload(w, observed), KEEL_OK);
    assert_int_equal(times, 2);
    assert_int_equal(seen, 2 * (LOOKS - 1)); // who looks gets nothing to write
}
static void observers_may(void **state) {
    (void)state;
    with_workers(looked);
}

static const struct CMUnitTest tests[] = {
    TEST(systems_are_refused, "a system that uses the world itself fails the run"),
    TEST(who_is_alone_may, "a system that runs alone may look at all of it"),
    TEST(observers_may, "nobody runs beside observers, who may look at all of it"),
};

int main(void) { return RUN(tests); }
