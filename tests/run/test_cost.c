// SPDX-License-Identifier: MIT
// When a workload goes to several threads, and that these are at rest afterwards.
#include "run/schedule.h"
#include "support/api_types.h"
#include "support/job_watch.h"
#include "support/test.h"

KEEL_SYSTEM(count_number, KEEL_WRITE(Number, n)) { ++n->value; }
KEEL_SYSTEM(count_other, KEEL_WRITE(Other, o)) { ++o->value; }
KEEL_SYSTEM(count_both, KEEL_WRITE(Number, n), KEEL_WRITE(Other, o)) { n->value += o->value; }
KEEL_SYSTEM(look_at_nobody, KEEL_READ(Health, h)) { (void)h; }
KEEL_SYSTEM(look_again, KEEL_READ(Health, h)) { (void)h; }
KEEL_SYSTEM(nap_number, KEEL_WRITE(Number, n)) {
    ++n->value;
    wait_some_us(3000);
}
KEEL_SYSTEM(nap_other, KEEL_WRITE(Other, o)) {
    ++o->value;
    wait_some_us(3000);
}

KEEL_WORKLOAD(two, KEEL_STEP(count_number), KEEL_STEP(count_other));
KEEL_WORKLOAD(fork, KEEL_STEP(count_both), KEEL_STEP(count_number), KEEL_STEP(count_other));
KEEL_WORKLOAD(nobody, KEEL_STEP(look_at_nobody), KEEL_STEP(look_again));
KEEL_WORKLOAD(naps, KEEL_STEP(nap_number), KEEL_STEP(nap_other));

static void begin(api_fixture *f, uint32_t workers) {
    api_begin_with(f, (keel_world_desc){ .worker_count = workers });
    keel_add_entity(f->world, KEEL_INIT(Number), KEEL_INIT(Other));
}

// The schedule of the workload that ran last.
static keeli_schedule *latest(const api_fixture *f) { return f->world->workloads.schedules; }

// As if its nodes had been found to take so many microseconds; does the next run go to several
// threads? No worker is waiting for it.
static bool goes_wide(api_fixture *f, const uint64_t *us) {
    keeli_schedule *s = latest(f);
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        s->nodes.items[i].cost = us[i] * 1000;
        s->nodes.items[i].is_measured = true;
    }
    s->runs = 10; // none that is timed in any case
    s->costs.is_timed = s->costs.is_open = false;
    s->costs.run = (keeli_cost){ 0 };
    s->costs.news = 1;
    keeli_costs_end(s);
    wait_some_us(2000); // until workers sleep
    keeli_costs_begin(s, true);
    return s->costs.is_wide;
}

static void it_depends_on_what_is_gained(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 2);
    assert_int_equal(keel_run_workload(f.world, two), KEEL_OK);
    assert_true(goes_wide(&f, (const uint64_t[]){ 50, 50 }));
    assert_false(goes_wide(&f, (const uint64_t[]){ 10, 10 }));  // less than waking somebody takes
    assert_false(goes_wide(&f, (const uint64_t[]){ 500, 10 })); // one waits for the other
    assert_true(goes_wide(&f, (const uint64_t[]){ 500, 100 }));
    assert_int_equal(keel_run_workload(f.world, fork), KEEL_OK);
    assert_true(goes_wide(&f, (const uint64_t[]){ 100, 100, 100 }));
    assert_false(goes_wide(&f, (const uint64_t[]){ 1000, 10, 10 })); // the first has to end first
    api_end(&f);
}

static void one_worker_and_one_chain_are_not_measured(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 1);
    assert_int_equal(keel_run_workload(f.world, two), KEEL_OK);
    assert_false(goes_wide(&f, (const uint64_t[]){ 500, 500 }));
    assert_false(latest(&f)->costs.are_wanted);
    api_end(&f);
}

static void systems_without_entities_are_not_worth_it(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 2);
    for (int i = 0; i < 5; ++i)
        assert_int_equal(keel_run_workload(f.world, nobody), KEEL_OK);
    const keeli_costs *c = &latest(&f)->costs;
    assert_true(c->are_known);
    assert_int_equal(c->nodes, 0);
    assert_int_equal(c->sum, 0);
    assert_false(c->is_wide);
    keel_add_entity(f.world, KEEL_INIT(Health)); // now they are measured at once
    latest(&f)->runs = 10;
    assert_int_equal(keel_run_workload(f.world, nobody), KEEL_OK);
    assert_int_equal(c->nodes, 2);
    assert_true(c->are_known && c->sum > 0);
    api_end(&f);
}

static void what_gains_nothing_is_tried_alone(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 2);
    assert_int_equal(keel_run_workload(f.world, naps), KEEL_OK);
    keeli_schedule *s = latest(&f);
    s->costs.run = (keeli_cost){ .many_ns = 1 }; // several threads were tried, one was not
    s->nodes.items[0].is_measured = s->nodes.items[1].is_measured = true;
    s->nodes.items[0].cost = s->nodes.items[1].cost = 3000000;
    assert_int_equal(keel_run_workload(f.world, naps), KEEL_OK);
    assert_true(s->costs.is_timed && !s->costs.is_wide);
    assert_int_equal(s->costs.nodes, 2);
    assert_true(s->nodes.items[0].cost >= 3000000 && s->nodes.items[1].cost >= 3000000);
    assert_true(s->costs.run.one_ns >= 6000000);
    s->costs.run.many_ns = 3000000;
    s->costs.run.wait = 0; // both were looked at
    assert_int_equal(keel_run_workload(f.world, naps), KEEL_OK);
    assert_true(s->costs.is_wide);
    s->costs.run = (keeli_cost){ .one_ns = 6000000, .many_ns = 7000000, .wait = 2 };
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(keel_run_workload(f.world, naps), KEEL_OK);
        assert_false(s->costs.is_wide);
    }
    assert_int_equal(keel_run_workload(f.world, naps), KEEL_OK);
    assert_true(s->costs.is_wide); // now and then it is looked at again
    api_end(&f);
}

// ------------------------------------------------------------------ the faster way
// Runs of something that takes so long on one thread and on several: how many go to several.
static uint32_t count_many(keeli_cost *cost, uint32_t runs, uint64_t one_ns, uint64_t many_ns) {
    uint32_t many = 0;
    while (runs--) {
        const bool is_many = keeli_cost_decide(cost);
        many += is_many;
        // each 50th run is disturbed
        keeli_cost_note(cost, is_many, (is_many ? many_ns : one_ns) * (runs % 50 ? 1 : 9));
    }
    return many;
}

static void the_faster_way_is_taken(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    keeli_cost gains = { 0 }, loses = { 0 }, equal = { 0 };
    assert_in_range(count_many(&gains, 10000, 100000, 55000), 9700, 10000);
    assert_in_range(count_many(&loses, 10000, 100000, 200000), 0, 300);
    assert_in_range(count_many(&equal, 10000, 100000, 98000), 0, 300); // less than 5 %
    // it changes its mind when things change
    assert_in_range(count_many(&gains, 10000, 100000, 130000), 0, 600);
    assert_in_range(count_many(&loses, 10000, 100000, 60000), 8500, 10000);
}

// ------------------------------------------------------------------ loops
// Decide, and note that a loop over so many items took `ns` for 1,024 of them.
static keeli_loop_way run_of(keeli_cost *cost, uint32_t items, uint64_t ns) {
    const keeli_loop_way way = keeli_cost_decide_loop(cost, items, 40000);
    if (way.is_timed) keeli_cost_note_loop(cost, items, false, ns * items / 1024);
    return way;
}

static uint32_t count_small(keeli_cost *cost, uint32_t runs, uint32_t items, uint64_t ns) {
    uint32_t small = 0;
    while (runs--)
        small += !run_of(cost, items, ns).is_many;
    return small;
}

static void a_loop_shorter_than_a_helper_costs_is_not_split(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    keeli_cost cost = { 0 };
    const keeli_loop_way first = run_of(&cost, 1024, 10000);
    assert_true(first.is_many && first.is_timed && first.one_ns == 0); // nothing is known
    uint32_t timed = 0;
    for (int i = 0; i < 160; ++i) {
        const keeli_loop_way way = run_of(&cost, 1024, 10000);
        assert_false(way.is_many);
        assert_in_range(way.one_ns, 9000, 11000);
        timed += way.is_timed;
    }
    assert_int_equal(timed, 10);
    // one run that others disturbed changes nothing, nor do two
    for (int i = 0; i < 100; ++i) {
        cost.untimed = 0;
        assert_false(run_of(&cost, 1024, i % 3 ? 1000000 : 10000).is_many);
    }
}

static void work_that_grows_is_split_again(void **state) {
    (void)state;
    keeli_cost cost = { 0 };
    (void)run_of(&cost, 1024, 10000);
    assert_int_equal(count_small(&cost, 100, 1024, 10000), 100);
    assert_true(run_of(&cost, 8192, 10000).is_many); // more entities: at once
    cost.many_ns = 9900;                             // that gained nothing
    cost.is_many = false;
    cost.wait = 1000000;
    assert_false(run_of(&cost, 8192, 10000).is_many);
    assert_true(run_of(&cost, 20000, 10000).is_many); // with so many more it may
    // more work for each entity: noticed after a few measurements
    cost = (keeli_cost){ 0 };
    (void)run_of(&cost, 1024, 1000);
    assert_int_equal(count_small(&cost, 100, 1024, 1000), 100);
    assert_in_range(count_small(&cost, 100, 1024, 90000), 2, 18);
    // and less of it
    assert_in_range(count_small(&cost, 100, 1024, 1000), 90, 99);
}

typedef struct Sown {
    uint32_t value;
} Sown;
typedef struct Grown {
    uint32_t value;
} Grown;
KEEL_COMPONENT(Sown, .no_padding = true);
KEEL_COMPONENT(Grown, .storage = KEEL_INDEXED, .tracking = KEEL_TRACK_ALL, .no_padding = true);

// The code that KEEL_SYSTEM writes, with a count of its calls: one, or one for each piece.
static uint32_t calls;
static void grow(const keel_chunk *chunk, keel_context *context) {
    (void)context;
    ++calls;
    for (uint32_t i = 0; i < chunk->count; ++i)
        ++((Grown *)chunk->columns[0].base)[i].value;
}
static const keel_term grow_terms[] = { { .kind = KEEL_TERM_WRITE, .component = KEEL_OF(Grown) },
                                        { .kind = KEEL_TERM_END } };
static const keel_system grow_system = {
    .name = "grow", .kind = KEEL_SYSTEM_PER_ENTITY, .run = grow, .terms = grow_terms
};
static const keel_step grow_step = { .system = &grow_system, .parallel = true };
static const keel_workload grow_all = { .name = "grow_all", .steps = &grow_step, .step_count = 1 };

// An executor that counts who is called, and sends nobody.
static bool send_nobody(void *context, keel_job *job, void *data) {
    (void)job, (void)data;
    ++*(uint32_t *)context;
    return false;
}

static void fill(keel_world *world, uint32_t count) {
    assert_int_equal(keel_add_entities(world, count, NULL, KEEL_FILL(Sown), KEEL_FILL(Grown)),
                     KEEL_OK);
}

// As if 1,024 entities were known to take so long.
static void run_as_if(api_fixture *f, uint64_t ns) {
    latest(f)->nodes.items[0].bound[KEELI_STEP_SYSTEM]->loop_cost = (keeli_cost){ .one_ns = ns };
    calls = 0;
    assert_int_equal(keel_run_workload_of(f->world, &grow_all, NULL), KEEL_OK);
}

static void a_short_step_runs_whole_and_calls_nobody(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    uint32_t called = 0;
    const keel_executor executor = { &called, 4, send_nobody };
    api_fixture f;
    api_begin_with(&f, (keel_world_desc){ .executor = &executor });
    fill(f.world, 64);
    calls = 0;
    assert_int_equal(keel_run_workload_of(f.world, &grow_all, NULL), KEEL_OK);
    assert_int_equal(calls, 64); // in pieces, as long as nothing is known
    called = 0;
    run_as_if(&f, 1000);
    assert_int_equal(calls, 1);
    run_as_if(&f, 500000); // 31 us
    assert_int_equal(calls, 1);
    assert_int_equal(called, 0);
    fill(f.world, 960); // half a millisecond, even if the run before was much faster
    calls = 0;
    assert_int_equal(keel_run_workload_of(f.world, &grow_all, NULL), KEEL_OK);
    assert_int_equal(calls, 64);
    assert_int_not_equal(called, 0);
    run_as_if(&f, 1000);
    assert_int_equal(calls, 1);
    KEEL_EACH(f.world, KEEL_READ(Grown, g), KEEL_ENTITY(e))
        assert_int_equal(g->value, keel_entity_index(e) < 64 ? 5 : 2);
    api_end(&f);
}

// One worker has nobody to split with, and need not know what that would cost.
static void one_worker_runs_steps_whole(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    api_fixture f;
    api_begin_workers(&f, 1);
    fill(f.world, 1000);
    calls = 0;
    assert_int_equal(keel_run_workload_of(f.world, &grow_all, NULL), KEEL_OK);
    assert_int_equal(keel_run_system(f.world, &grow_system, &(keel_run_desc){ .parallel = true }),
                     KEEL_OK); // binds it
    assert_int_equal(keel_run_system(f.world, &grow_system, &(keel_run_desc){ .parallel = true }),
                     KEEL_OK);
    assert_in_range(calls, 3, 2 + 64);
    api_end(&f);
}

KEEL_SYSTEM(sow, KEEL_WRITE(Sown, s), KEEL_OPTIONAL_READ(Grown, g)) {
    s->value = s->value * 31 + (g ? g->value : 7);
}
KEEL_SYSTEM(mark_some, KEEL_READ(Sown, s), KEEL_WRITE_MARKED(Grown, g, changed)) {
    if (s->value % 3 == 0) return;
    g->value += s->value;
    *changed = true;
}
KEEL_SYSTEM(follow, KEEL_READ(Grown, g), KEEL_MODIFIED(Grown), KEEL_WRITE(Sown, s)) {
    s->value ^= g->value;
}
KEEL_SYSTEM(stop, KEEL_WRITE(Sown, s), KEEL_ENTITY(e), KEEL_CONTEXT(context)) {
    if (keel_entity_index(e) % 100 == 50) keel_fail(context, NULL, "%u", (unsigned)s->value);
    s->value += 5;
}
KEEL_SYSTEM(breed, KEEL_READ(Sown, s), KEEL_ENTITY(e), KEEL_COMMANDS(commands)) {
    if (keel_entity_index(e) % 50 == 7) keel_add_entity(commands, KEEL_INIT(Sown, { s->value }));
}
KEEL_WORKLOAD(field, KEEL_STEP(sow, .parallel = true), KEEL_STEP(mark_some, .parallel = true),
              KEEL_STEP(follow, .parallel = true), KEEL_STEP(breed, .parallel = true),
              KEEL_STEP(stop, .parallel = true));

// Ten runs, each step as if it was known to be short, long, or now this and now that.
static uint64_t hash_after_runs(uint32_t workers, const uint64_t *ns, uint32_t count) {
    api_fixture f;
    api_begin_workers(&f, workers);
    fill(f.world, 700);
    for (uint32_t run = 0; run < 10; ++run) {
        const keel_result result = keel_run_workload(f.world, field);
        assert_error(f.world, KEEL_ERROR_SYSTEM, "stop");
        assert_int_equal(result, KEEL_ERROR_SYSTEM);
        keeli_schedule *s = latest(&f);
        for (uint32_t i = 0, step = 0; i < s->nodes.count; ++i) {
            keeli_bound *bound = s->nodes.items[i].bound[KEELI_STEP_SYSTEM];
            if (bound) bound->loop_cost = (keeli_cost){ .one_ns = ns[(run + step++) % count] };
        }
    }
    uint64_t hash = 0;
    assert_int_equal(keel_world_hash(f.world, &hash), KEEL_OK);
    api_end(&f);
    return hash;
}

static void results_do_not_depend_on_what_is_known(void **state) {
    (void)state;
    const uint64_t shorter[] = { 1 }, longer[] = { 1000000000 };
    const uint64_t both[] = { 1, 1000000000, 1000000000, 1, 0, 30000 };
    const uint64_t hash = hash_after_runs(1, shorter, 1);
    for (uint32_t workers = 1; workers <= 8; workers *= 2) {
        assert_int_equal(hash_after_runs(workers, shorter, 1), hash);
        assert_int_equal(hash_after_runs(workers, longer, 1), hash);
        assert_int_equal(hash_after_runs(workers, both, 6), hash);
    }
}

// ------------------------------------------------------------------ rest
KEEL_SYSTEM(work_on_number, KEEL_WRITE(Number, n)) {
    for (uint32_t i = 0; i < 2000; ++i)
        n->value = n->value * 31 + i;
}
KEEL_SYSTEM(work_on_other, KEEL_WRITE(Other, o)) {
    for (uint32_t i = 0; i < 2000; ++i)
        o->value = o->value * 31 + i;
}
KEEL_WORKLOAD(busy, KEEL_STEP(work_on_number), KEEL_STEP(work_on_other, .parallel = true));

static void assert_at_rest(void) {
    wait_some_us(1000);
    const uint64_t before = processor_time_ns();
    wait_some_us(100000);
    const uint64_t used = processor_time_ns() - before;
#ifndef __EMSCRIPTEN__                  // where that is the time of the wall
    assert_in_range(used, 0, 30000000); // a worker that looks for work would use 100 ms
#else
    (void)used;
#endif
}

static void workers_are_at_rest_after_a_run(void **state) {
    (void)state;
    for (uint32_t workers = 2; workers <= 8; workers *= 2) {
        api_fixture f;
        begin(&f, workers);
        for (uint32_t i = 0; i < 500; ++i)
            keel_add_entity(f.world, KEEL_INIT(Number), KEEL_INIT(Other));
        for (int round = 0; round < 3; ++round) {
            for (int i = 0; i < 10; ++i)
                assert_int_equal(keel_run_workload(f.world, busy), KEEL_OK);
            assert_int_equal(keel_run_parallel(f.world, work_on_number), KEEL_OK);
            assert_at_rest();
        }
        api_end(&f);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(it_depends_on_what_is_gained, "several threads have to gain more than they cost"),
    TEST(one_worker_and_one_chain_are_not_measured, "nothing is measured where one thread works"),
    TEST(systems_without_entities_are_not_worth_it, "systems that match nothing wake nobody"),
    TEST(what_gains_nothing_is_tried_alone, "what gains nothing is tried on one thread"),
    TEST(the_faster_way_is_taken, "of one thread and several the faster way is taken"),
    TEST(a_loop_shorter_than_a_helper_costs_is_not_split,
         "a loop that is shorter than a helper costs stays on one thread, whatever disturbs it"),
    TEST(work_that_grows_is_split_again, "a loop whose work grows goes to several threads again"),
    TEST(a_short_step_runs_whole_and_calls_nobody,
         "a step that is short runs whole, and is split when there are more entities"),
    TEST(one_worker_runs_steps_whole, "one worker runs a split step whole"),
    TEST(results_do_not_depend_on_what_is_known,
         "results do not depend on workers or on what steps are known to take"),
    TEST(workers_are_at_rest_after_a_run, "no processor is used 1 ms after a run"),
};

int main(void) { return RUN(tests); }
