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
    keeli_cost gains = { 0 }, loses = { 0 }, equal = { 0 };
    assert_in_range(count_many(&gains, 10000, 100000, 55000), 9700, 10000);
    assert_in_range(count_many(&loses, 10000, 100000, 200000), 0, 300);
    assert_in_range(count_many(&equal, 10000, 100000, 98000), 0, 300); // less than 5 %
    // it changes its mind when things change
    assert_in_range(count_many(&gains, 10000, 100000, 130000), 0, 600);
    assert_in_range(count_many(&loses, 10000, 100000, 60000), 8500, 10000);
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
    assert_in_range(used, 0, 30000000); // a worker that looks for work would use 100 ms
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
    TEST(workers_are_at_rest_after_a_run, "no processor is used 1 ms after a run"),
};

int main(void) { return RUN(tests); }
