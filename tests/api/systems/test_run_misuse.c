// SPDX-License-Identifier: MIT
// What code that a world runs must not do with it: destroy it, or take observers away that others
// may be calling. It says so, and goes on.
#include "support/schedule_fixture.h"

#include <string.h>

// ------------------------------------------------------------------ the end of the world
static keel_world *doomed;
static uint32_t tries;
static void destroy_it(void) {
    ++tries;
    keel_world_destroy(doomed);
}

KEEL_SYSTEM_ONCE(destroying) { destroy_it(); }
KEEL_SYSTEM(destroying_each, KEEL_READ(Number, n)) {
    (void)n;
    destroy_it();
}
KEEL_WORKLOAD(destroying_all, KEEL_STEP(destroying), KEEL_STEP(destroying_each));
static void destroying_observer(const keel_change *event, void *data) {
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
static void count_call(const keel_change *event, void *data) {
    (void)event, (void)data;
    ++calls;
}
static void take_away(const keel_change *event, void *data) {
    ++calls;
    *(keel_result *)data = keel_unobserve(event->world, Number, take_away, data);
}
static keel_result taken[3];
KEEL_SYSTEM_ONCE(take_away_in_system) {
    taken[0] = keel_unobserve(doomed, Number, count_call, NULL);
    taken[1] = keel_unobserve_component(doomed, &keel_entities, count_call, NULL);
}
KEEL_SYSTEM_ONCE(make_numbers, KEEL_COMMANDS(commands, Number)) {
    (void)keel_add_entity(commands, KEEL_INIT(Number, { 1 }));
}
KEEL_WORKLOAD(taking, KEEL_STEP(make_numbers), KEEL_STEP(take_away_in_system));

static void take_away_while_running(api_fixture *f) {
    keel_world *w = doomed = f->world;
    calls = 0;
    assert_int_equal(keel_observe(w, Number, KEEL_ON_INSERTED, count_call, NULL), KEEL_OK);
    assert_int_equal(keel_observe_component(w, &keel_entities, KEEL_ON_CREATED, count_call, NULL),
                     KEEL_OK);
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
    assert_int_equal(keel_unobserve_component(w, &keel_entities, count_call, NULL), KEEL_OK);
    (void)keel_add_entity(w, KEEL_INIT(Number, { 1 }));
    assert_int_equal(calls, 6);
}

static void observers_stay_while_a_workload_runs(void **state) {
    (void)state;
    with_workers(take_away_while_running);
}

// ------------------------------------------------------------------ runs inside of runs
static uint32_t inner_runs[3];
static keel_result inner_results[3][2];
KEEL_SYSTEM_ONCE(make_ten, KEEL_COMMANDS(commands, Other)) {
    for (uint32_t i = 0; i < 10; ++i)
        (void)keel_add_entity(commands, KEEL_INIT(Other, { i }));
}
KEEL_SYSTEM(make_one_each, KEEL_READ(Number, n), KEEL_COMMANDS(commands, Other)) {
    (void)keel_add_entity(commands, KEEL_INIT(Other, { n->value }));
}
KEEL_SYSTEM_ONCE(have_world, KEEL_WORLD(world)) { keel_clear_entities(world); }
KEEL_WORKLOAD(inner, KEEL_STEP(make_ten), KEEL_STEP(make_one_each, .parallel = true));
KEEL_WORKLOAD(inner_alone, KEEL_STEP(have_world));
static void run_inside(uint32_t which) {
    for (uint32_t i = 0; i < 5; ++i) {
        inner_runs[which] += keel_run_workload(doomed, inner) == KEEL_OK;
        inner_runs[which] += keel_run_parallel(doomed, make_one_each) == KEEL_OK;
    }
    inner_results[which][0] = keel_run_workload(doomed, inner_alone);
    inner_results[which][1] = keel_run(doomed, have_world);
}
KEEL_SYSTEM_ONCE(outer_a) { run_inside(0); }
KEEL_SYSTEM_ONCE(outer_b) { run_inside(1); }
KEEL_SYSTEM_ONCE(outer_c, KEEL_COMMANDS(commands, Third)) {
    (void)keel_add_entity(commands, KEEL_INIT(Third, { 1 }));
    run_inside(2);
}
KEEL_WORKLOAD(outer, KEEL_STEP(outer_a), KEEL_STEP(outer_b), KEEL_STEP(outer_c),
              KEEL_STEP(make_one_each));

static void run_inside_of_runs(api_fixture *f) {
    keel_world *w = doomed = f->world;
    enum { NUMBERS = 300, INNER = 3 * 5 * (10 + 2 * NUMBERS) };
    for (uint32_t i = 0; i < NUMBERS; ++i)
        (void)keel_add_entity(w, KEEL_INIT(Number, { i }));
    assert_int_equal(keel_register(w, Other, Third), KEEL_OK);
    for (uint32_t i = 1; i < 4; ++i) {
        memset(inner_runs, 0, sizeof inner_runs);
        assert_int_equal(keel_reserve_component(w, &keel_entities, (i + 1) * 2 * INNER), KEEL_OK);
        assert_int_equal(keel_run_workload(w, outer), KEEL_OK);
        for (uint32_t k = 0; k < 3; ++k) {
            assert_int_equal(inner_runs[k], 10);
            assert_int_equal(inner_results[k][0], KEEL_ERROR_SHARED);
            assert_int_equal(inner_results[k][1], KEEL_ERROR_SHARED);
        }
        assert_error(w, KEEL_ERROR_SHARED, "shared between threads");
        assert_int_equal(keel_count(w, Number), NUMBERS);
        assert_int_equal(keel_count(w, Other), i * (INNER + NUMBERS));
        assert_int_equal(keel_count(w, Third), i);
    }
}

static void runs_inside_of_runs_are_guests(void **state) {
    (void)state;
    with_workers(run_inside_of_runs);
}

static void observing_run(const keel_change *event, void *data) {
    keel_result *results = data;
    results[0] = keel_run_workload(event->world, inner_alone);
    results[1] = keel_run(event->world, have_world);
    results[2] = keel_run_workload(event->world, inner);
}

static void runs_in_observers_edit_nothing(void **state) {
    (void)state;
    api_fixture f;
    keel_result results[3];
    api_begin(&f);
    assert_int_equal(keel_register(f.world, Other), KEEL_OK);
    assert_int_equal(keel_observe(f.world, Number, KEEL_ON_INSERTED, observing_run, results),
                     KEEL_OK);
    assert_false(keel_is_null(keel_add_entity(f.world, KEEL_INIT(Number, { 1 }))));
    assert_int_equal(results[0], KEEL_ERROR_SHARED);
    assert_int_equal(results[1], KEEL_ERROR_SHARED);
    assert_int_equal(results[2], KEEL_OK);
    assert_error(f.world, KEEL_ERROR_SHARED, "an observer cannot edit the world");
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(keel_count(f.world, Number), 1);
    assert_int_equal(keel_count(f.world, Other), 11);
    api_end(&f);
}

// ------------------------------------------------------------------ what observers may run
typedef struct Told {
    uint32_t count;
} Told;
KEEL_EVENT(Told);
typedef struct Sum {
    uint32_t value;
} Sum;
KEEL_UNIQUE(Sum);
KEEL_SYSTEM(write_it, KEEL_WRITE(Number, n)) { ++n->value; }
KEEL_SYSTEM_ONCE(may_write_it, KEEL_MAY_WRITE(Number)) {}
KEEL_SYSTEM_ONCE(may_edit_it, KEEL_MAY_EDIT(Other)) {}
KEEL_SYSTEM_ONCE(write_sum, KEEL_UNIQUE_WRITE(Sum, sum)) { ++sum->value; }
KEEL_SYSTEM_ONCE(send_it, KEEL_SEND(Told, told)) { (void)keel_send(told, Told, { 1 }); }
KEEL_SYSTEM(read_it, KEEL_READ(Third, n), KEEL_UNIQUE_READ(Sum, sum)) { (void)n, (void)sum; }
KEEL_SYSTEM_ONCE(record_it, KEEL_COMMANDS(commands, Other)) {
    (void)keel_add_entity(commands, KEEL_INIT(Other, { 7 }));
}
KEEL_WORKLOAD(writing, KEEL_STEP(read_it), KEEL_STEP(write_sum), KEEL_STEP(write_it));

enum { REFUSED = 8, GRANTED = 3 };
static keel_result refused[REFUSED], granted[GRANTED];
static keel_view *open_before;
static void runs_all_sorts(const keel_change *event, void *data) {
    keel_world *w = event->world;
    uint32_t *times = data, i = 0;
    keel_view view;
    refused[i++] = keel_run(w, write_it);
    refused[i++] = keel_run(w, may_write_it);
    refused[i++] = keel_run(w, may_edit_it);
    refused[i++] = keel_run(w, write_sum);
    refused[i++] = keel_run(w, send_it);
    refused[i++] = keel_run_parallel(w, write_it);
    refused[i++] = keel_run_workload(w, writing);
    refused[i++] = keel_view_begin(&view, w, KEEL_TERMS(KEEL_MAY_EDIT(Other)), "in an observer");
    i = 0;
    granted[i++] = keel_run(w, read_it);
    granted[i++] = keel_run(w, record_it);
    granted[i++] = keel_view_begin(&view, w, KEEL_TERMS(KEEL_READ(Third, n)), "in an observer");
    keel_view_end(&view);
    if (open_before)
        assert_int_equal(keel_delete(open_before, event->entity, Number), KEEL_ERROR_SHARED);
    ++*times;
}

static void assert_looked(keel_world *w, uint32_t *times, const char *message) {
    assert_true(*times > 0);
    for (uint32_t i = 0; i < REFUSED; ++i)
        if (refused[i] != KEEL_ERROR_SHARED) fail_msg("%u is %d", i, (int)refused[i]);
    for (uint32_t i = 0; i < GRANTED; ++i)
        assert_int_equal(granted[i], KEEL_OK);
    assert_error(w, KEEL_ERROR_SHARED, message);
    assert_int_equal(keel_get_unique(w, Sum)->value, 0);
    assert_int_equal(keel_event_count(w, Told), 0);
    memset(refused, 0, sizeof refused);
    *times = 0;
}

KEEL_SYSTEM_ONCE(edits_itself, KEEL_MAY_EDIT(Number), KEEL_MAY_READ(Third), KEEL_CONTEXT(context)) {
    KEEL_EACH(context, KEEL_WITH(Third), KEEL_ENTITY(e))
        (void)keel_add(context, e, Number, { 2 });
}
KEEL_SYSTEM(bystander, KEEL_WRITE(Velocity, v)) { v->x += 1; }
KEEL_WORKLOAD(observed, KEEL_STEP(make_numbers), KEEL_STEP(bystander), KEEL_STEP(edits_itself));

static void observers_run_readers(api_fixture *f) {
    keel_world *w = f->world;
    uint32_t times = 0;
    assert_int_equal(keel_register(w, Number, Other, Third), KEEL_OK);
    assert_int_equal(keel_set_unique(w, Sum, { 0 }), KEEL_OK);
    assert_int_equal(keel_event_count(w, Told), 0);
    (void)keel_add_entity(w, KEEL_INIT(Number, { 1 }));
    keel_entity e = keel_add_entity(w, KEEL_INIT(Third, { 1 }), KEEL_INIT(Velocity, { 1, 0 }));
    assert_false(keel_is_null(e));
    assert_int_equal(keel_observe(w, Number, KEEL_ON_INSERTED, runs_all_sorts, &times), KEEL_OK);
    const char *message = "write_it wants to write 'Number' inside of an observer";
    (void)keel_add_entity(w, KEEL_INIT(Number, { 1 })); // an edit of the owner
    assert_looked(w, &times, message);
    assert_int_equal(keel_run_workload(w, observed), KEEL_OK); // commands, and in a system
    assert_int_equal(times, 2);
    assert_looked(w, &times, message);
    keel_view view; // an edit through a view
    assert_int_equal(keel_view_begin(&view, w, KEEL_TERMS(KEEL_MAY_EDIT(Number)), "outside"),
                     KEEL_OK);
    open_before = &view;
    e = keel_add_entity(w, KEEL_INIT(Third, { 1 }));
    assert_int_equal(keel_add(&view, e, Number, { 3 }), KEEL_OK);
    open_before = NULL;
    keel_view_end(&view);
    assert_int_equal(times, 1);
    keel_clear_errors(w);
}

static void observers_run_what_only_looks(void **state) {
    (void)state;
    with_workers(observers_run_readers);
}

static const struct CMUnitTest tests[] = {
    TEST(its_own_code_does_not_destroy_a_world, "code that a world runs does not destroy it"),
    TEST(runs_inside_of_runs_are_guests, "runs inside of runs disturb nobody"),
    TEST(runs_in_observers_edit_nothing, "runs in observers edit nothing"),
    TEST(observers_run_what_only_looks, "observers run what looks; what writes is refused"),
    TEST(observers_stay_while_a_workload_runs, "observers stay while a workload runs"),
};

int main(void) { return RUN(tests); }
