// SPDX-License-Identifier: MIT
// What code that a world runs must not do with it: destroy it, or take observers away that others
// may be calling. It says so, and goes on.
#include "support/schedule_fixture.h"

// ------------------------------------------------------------------ the end of the world
static keel_world *doomed;
static uint32_t tries;
static void destroy_it(void) {
    ++tries;
    keel_world_destroy(doomed);
}

KEEL_TASK(destroying) { destroy_it(); }
KEEL_SYSTEM(destroying_each, KEEL_READ(Number, n)) {
    (void)n;
    destroy_it();
}
KEEL_WORKLOAD(destroying_all, KEEL_STEP(destroying), KEEL_STEP(destroying_each));
static void destroying_observer(const keel_event *event, void *data) {
    (void)event, (void)data;
    destroy_it();
}
static void destroying_piece(uint32_t begin, uint32_t end, const keel_piece *piece, void *data) {
    (void)begin, (void)end, (void)data;
    if (piece->number == 0) destroy_it();
}
typedef struct Doom {
    int unused;
} Doom;
static keel_result doom_init(void *view, keel_context *context) {
    (void)view, (void)context;
    destroy_it();
    return KEEL_OK;
}
static void doom_drop(void *view, keel_context *context) {
    (void)view, (void)context;
    destroy_it();
}
KEEL_CUSTOM_VIEW(Doom, KEEL_MAY_READ(Number), .init = doom_init, .drop = doom_drop);

static void assert_refused(keel_world *world, uint32_t times) {
    assert_int_equal(tries, times);
    assert_error(world, KEEL_ERROR_BORROWED, "destroyed by code that it runs");
    tries = 0;
}

static void destroy_while_running(api_fixture *f) {
    keel_world *w = doomed = f->world;
    tries = 0;
    (void)keel_add_entity(w, KEEL_INIT(Number, { 1 }));
    assert_int_equal(keel_run(w, destroying), KEEL_OK);
    assert_refused(w, 1);
    assert_int_equal(keel_run_workload(w, destroying_all), KEEL_OK);
    assert_refused(w, 2);
    assert_int_equal(keel_parallel_for(w, 100, 1, destroying_piece, NULL), KEEL_OK);
    assert_refused(w, 1);
    Doom doom;
    assert_int_equal(keel_custom_begin(w, Doom, &doom), KEEL_OK);
    assert_refused(w, 1);
    assert_int_equal(keel_custom_end(w, &doom), KEEL_OK);
    assert_refused(w, 1);
    assert_int_equal(
        keel_observe(w, Number, KEEL_ON_INSERTED | KEEL_ON_DELETED, destroying_observer, NULL),
        KEEL_OK);
    (void)keel_add_entity(w, KEEL_INIT(Number, { 1 }));
    assert_refused(w, 1);
    assert_int_equal(keel_custom_begin(w, Doom, &doom), KEEL_OK);
    tries = 0; // and those that are called at its end
    f->log.errors = 0;
    keel_world_destroy(w);
    assert_int_equal(tries, 3);
    assert_int_equal(f->log.errors, 3);
    assert_int_equal(f->memory.live_bytes, 0);
    api_begin(f);
}

static void its_own_code_does_not_destroy_a_world(void **state) {
    (void)state;
    with_workers(destroy_while_running);
}

// ------------------------------------------------------------------ observers
static uint32_t calls;
static void count_call(const keel_event *event, void *data) {
    (void)event, (void)data;
    ++calls;
}
static void take_away(const keel_event *event, void *data) {
    ++calls;
    *(keel_result *)data = keel_unobserve(event->world, Number, take_away, data);
}
static keel_result taken[3];
KEEL_TASK(take_away_in_system) {
    taken[0] = keel_unobserve(doomed, Number, count_call, NULL);
    taken[1] = keel_unobserve_entities(doomed, count_call, NULL);
}
KEEL_TASK(make_numbers, KEEL_COMMANDS(commands, Number)) {
    (void)keel_add_entity(commands, KEEL_INIT(Number, { 1 }));
}
KEEL_WORKLOAD(taking, KEEL_STEP(make_numbers), KEEL_STEP(take_away_in_system));

static void take_away_while_running(api_fixture *f) {
    keel_world *w = doomed = f->world;
    calls = 0;
    assert_int_equal(keel_observe(w, Number, KEEL_ON_INSERTED, count_call, NULL), KEEL_OK);
    assert_int_equal(keel_observe_entities(w, KEEL_ON_CREATED, count_call, NULL), KEEL_OK);
    assert_int_equal(keel_observe(w, Number, KEEL_ON_INSERTED, take_away, &taken[2]), KEEL_OK);
    assert_int_equal(keel_run_workload(w, taking), KEEL_OK);
    for (uint32_t i = 0; i < 3; ++i)
        assert_int_equal(taken[i], KEEL_ERROR_SHARED);
    assert_error(w, KEEL_ERROR_SHARED, NULL);
    assert_int_equal(calls, 3);
    (void)keel_add_entity(w, KEEL_INIT(Number, { 1 })); // the owner's edit: now it may
    assert_int_equal(taken[2], KEEL_OK);
    assert_int_equal(calls, 6);
    assert_int_equal(keel_unobserve(w, Number, count_call, NULL), KEEL_OK);
    assert_int_equal(keel_unobserve_entities(w, count_call, NULL), KEEL_OK);
    (void)keel_add_entity(w, KEEL_INIT(Number, { 1 }));
    assert_int_equal(calls, 6);
}

static void observers_stay_while_a_workload_runs(void **state) {
    (void)state;
    with_workers(take_away_while_running);
}

static const struct CMUnitTest tests[] = {
    TEST(its_own_code_does_not_destroy_a_world, "code that a world runs does not destroy it"),
    TEST(observers_stay_while_a_workload_runs, "observers stay while a workload runs"),
};

int main(void) { return RUN(tests); }
