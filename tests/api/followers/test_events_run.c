// SPDX-License-Identifier: MIT
// Events in workloads: order, cursors of steps, failures, several threads.
#include "support/schedule_fixture.h"

#include <string.h>

typedef struct Hit {
    uint32_t value;
} Hit;
typedef struct Loot {
    uint32_t value;
} Loot;
KEEL_EVENT(Hit, .no_padding = true);
KEEL_EVENT(Loot, .no_padding = true);
typedef struct Sum {
    uint64_t hash;
    uint32_t count, missed;
} Sum;
typedef struct Total {
    uint64_t hash;
    uint32_t count, missed;
} Total;
KEEL_UNIQUE(Sum);
KEEL_UNIQUE(Total);

static void begin_sums(keel_world *world) {
    assert_int_equal(keel_set_unique(world, Sum, { 0 }), KEEL_OK);
    assert_int_equal(keel_set_unique(world, Total, { 0 }), KEEL_OK);
}

// ------------------------------------------------------------------ order
KEEL_SYSTEM_ONCE(one, KEEL_SEND(Hit, hits)) { keel_send(hits, Hit, { 1 }); }
KEEL_SYSTEM_ONCE(two, KEEL_SEND(Hit, hits)) { keel_send(hits, Hit, { 2 }); }
KEEL_SYSTEM_ONCE(early, KEEL_RECEIVE(Hit, hits), KEEL_UNIQUE_WRITE(Sum, sum)) {
    KEEL_EACH_EVENT(hits, Hit, hit)
        sum->hash = sum->hash * 10 + hit->value;
}
KEEL_SYSTEM_ONCE(late, KEEL_RECEIVE(Hit, hits), KEEL_UNIQUE_WRITE(Total, total)) {
    KEEL_EACH_EVENT(hits, Hit, hit)
        total->hash = total->hash * 10 + hit->value;
}
KEEL_SYSTEM_ONCE(by_hand, KEEL_CONTEXT(c), KEEL_RECEIVE(Hit, hits), KEEL_UNIQUE_WRITE(Sum, sum)) {
    (void)hits;
    keel_event_walk walk = keel_events_of(c, KEEL_EVENT_OF(Hit));
    while (keel_event_next(&walk))
        sum->hash = sum->hash * 10 + ((const Hit *)walk.value)->value;
}
static void a_walk_by_hand_shows_each(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    begin_sums(f.world);
    for (uint32_t i = 1; i < 8; ++i)
        assert_int_equal(keel_send(f.world, Hit, { i }), KEEL_OK);
    assert_int_equal(keel_run(f.world, by_hand), KEEL_OK);
    assert_int_equal(keel_get_unique(f.world, Sum)->hash, 1234567);
    api_end(&f);
}

KEEL_WORKLOAD(turn, KEEL_STEP(one), KEEL_STEP(early), KEEL_STEP(two), KEEL_STEP(late),
              KEEL_STEP(early));

static void order(api_fixture *f) {
    begin_sums(f->world);
    // before the first run; each step has a cursor of its own
    assert_int_equal(keel_send(f->world, Hit, { 9 }), KEEL_OK);
    assert_int_equal(keel_run_workload(f->world, turn), KEEL_OK);
    assert_int_equal(keel_get_unique(f->world, Sum)->hash, 91912);
    assert_int_equal(keel_get_unique(f->world, Total)->hash, 912);
    assert_int_equal(keel_event_count(f->world, Hit), 1); // the first step has not seen the last
    assert_int_equal(keel_run_workload(f->world, turn), KEEL_OK);
    assert_int_equal(keel_get_unique(f->world, Sum)->hash, 919122112);
    assert_int_equal(keel_get_unique(f->world, Total)->hash, 91212);
    assert_no_error(f->world);
}
static void events_come_in_the_order_of_the_list(void **state) {
    (void)state;
    with_workers(order);
}

// Who receives for the first time in this run gets all that was sent in it, although everybody who
// received before has passed some of it, and the queue is full: of large events it begins with one.
typedef struct Crate {
    uint32_t value;
    char bulk[300];
} Crate;
KEEL_EVENT(Crate);
KEEL_SYSTEM_ONCE(load_crates, KEEL_SEND(Crate, crates)) {
    for (uint32_t i = 1; i < 4; ++i)
        keel_send(crates, Crate, { i, "" });
}
KEEL_SYSTEM_ONCE(weigh, KEEL_RECEIVE(Crate, crates), KEEL_UNIQUE_WRITE(Sum, sum)) {
    KEEL_EACH_EVENT(crates, Crate, crate)
        sum->hash = sum->hash * 10 + crate->value;
}
KEEL_SYSTEM_ONCE(stack, KEEL_RECEIVE(Crate, crates), KEEL_UNIQUE_WRITE(Total, total)) {
    KEEL_EACH_EVENT(crates, Crate, crate)
        total->hash = total->hash * 10 + crate->value;
}
KEEL_WORKLOAD(dock, KEEL_STEP(load_crates), KEEL_STEP(weigh), KEEL_STEP(load_crates),
              KEEL_STEP(stack));
static void a_full_queue(api_fixture *f) {
    begin_sums(f->world);
    assert_int_equal(keel_run_workload(f->world, dock), KEEL_OK);
    assert_int_equal(keel_get_unique(f->world, Sum)->hash, 123);
    assert_int_equal(keel_get_unique(f->world, Total)->hash, 123123);
    assert_int_equal(keel_run_workload(f->world, dock), KEEL_OK);
    assert_int_equal(keel_get_unique(f->world, Total)->hash, 123123123123);
    assert_no_error(f->world);
}
static void a_first_look_is_at_all_of_the_run(void **state) {
    (void)state;
    with_workers(a_full_queue);
}

// ------------------------------------------------------------------ the graph
static char text[4000];
static void senders_are_alone(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    begin_sums(f.world);
    assert_batches(f.world, &KEEL_WORKLOAD_turn, "{0} {1} {2} {3 4}");
    (void)keel_explain_workload(f.world, turn, KEEL_EXPLAIN_TEXT, text, sizeof text);
    assert_non_null(strstr(text, "'one': sends Hit"));
    assert_non_null(strstr(text, "'early': receives Hit, writes Sum"));
    assert_non_null(strstr(text, "'one' sends Hit, this one receives it"));
    assert_no_error(f.world);
    api_end(&f);
}

// ------------------------------------------------------------------ conditions
KEEL_CONDITION(any_hits, KEEL_RECEIVE(Hit, hits)) { return keel_event_count(hits, Hit) > 0; }
KEEL_WORKLOAD(on_hits, KEEL_STEP(late, .run_if = KEEL_IF(any_hits)));
static void condition(api_fixture *f) {
    begin_sums(f->world);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_int_equal(keel_send(f->world, Hit, { i }), KEEL_OK);
        for (uint32_t k = 0; k < 2; ++k)
            assert_int_equal(keel_run_workload(f->world, on_hits), KEEL_OK);
    }
    assert_int_equal(keel_get_unique(f->world, Total)->hash, 12);
    assert_no_error(f->world);
}
static void a_condition_has_a_cursor(void **state) {
    (void)state;
    with_workers(condition);
}

KEEL_WORKLOAD(once, KEEL_STEP(late, .startup = true), KEEL_STEP(early));
static void startup(api_fixture *f) {
    begin_sums(f->world);
    assert_int_equal(keel_set_event_limit(f->world, Hit, 2), KEEL_OK);
    for (uint32_t i = 1; i < 8; ++i) {
        assert_int_equal(keel_send(f->world, Hit, { i }), KEEL_OK);
        assert_int_equal(keel_run_workload(f->world, once), KEEL_OK);
    }
    assert_int_equal(keel_get_unique(f->world, Total)->hash, 1);
    assert_int_equal(keel_get_unique(f->world, Sum)->hash, 1234567);
    assert_int_equal(f->log.warnings, 0);
    assert_no_error(f->world);
}
static void a_startup_system_holds_nothing_up(void **state) {
    (void)state;
    with_workers(startup);
}

// ------------------------------------------------------------------ failures
static bool fails;
KEEL_SYSTEM_ONCE(three, KEEL_SEND(Hit, hits), KEEL_CONTEXT(context)) {
    for (uint32_t i = 0; i < 30; ++i)
        keel_send(hits, Hit, { 3 });
    if (fails) keel_fail(context, NULL, "three fails");
}
KEEL_WORKLOAD(risky, KEEL_STEP(one), KEEL_STEP(three), KEEL_STEP(late));
KEEL_SYSTEM(split, KEEL_READ(Number, n), KEEL_SEND(Hit, hits), KEEL_CONTEXT(context)) {
    keel_send(hits, Hit, { n->value });
    if (fails && n->value == 5000) keel_fail(context, NULL, "a piece fails");
}
KEEL_WORKLOAD(risky_split, KEEL_STEP(one), KEEL_STEP(split, .parallel = true), KEEL_STEP(late));
static void failure(api_fixture *f) {
    begin_sums(f->world);
    for (uint32_t i = 0; i < 9000; ++i)
        (void)keel_add_entity(f->world, KEEL_INIT(Number, { i }));
    fails = true;
    assert_int_equal(keel_run_workload(f->world, risky), KEEL_ERROR_SYSTEM);
    assert_error(f->world, KEEL_ERROR_SYSTEM, "three fails");
    assert_int_equal(keel_event_count(f->world, Hit), 1);
    assert_int_equal(keel_run_workload(f->world, risky_split), KEEL_ERROR_SYSTEM);
    assert_error(f->world, KEEL_ERROR_SYSTEM, "a piece fails");
    assert_int_equal(keel_event_count(f->world, Hit), 2);
    fails = false;
    assert_int_equal(keel_run_parallel(f->world, split), KEEL_OK);
    assert_int_equal(keel_event_count(f->world, Hit), 9002);
    uint32_t expected = 0, at = 0;
    KEEL_EACH_EVENT(f->world, Hit, hit)
        if (at++ >= 2) assert_int_equal(hit->value, expected++);
    fails = true;
    assert_int_equal(keel_run_parallel(f->world, split), KEEL_ERROR_SYSTEM);
    assert_error(f->world, KEEL_ERROR_SYSTEM, "a piece fails");
    assert_int_equal(keel_event_count(f->world, Hit), 9002);
    fails = false;
    assert_no_error(f->world);
}
static void a_failed_system_sent_nothing(void **state) {
    (void)state;
    with_workers(failure);
}

// ------------------------------------------------------------------ any number of workers
enum { COUNT = 20000, RUNS = 6 };
static void mix(uint64_t *hash, uint64_t value) {
    *hash = (*hash ^ value) * 0x9E3779B97F4A7C15u + 1;
}
KEEL_SYSTEM(hit_some, KEEL_READ(Number, n), KEEL_ENTITY(e), KEEL_SEND(Hit, hits),
            KEEL_SEND(Loot, loot)) {
    if (n->value % 3 == 0) keel_send(hits, Hit, { keel_entity_index(e) });
    if (n->value % 7 == 0) keel_send(loot, Loot, { n->value });
}
KEEL_SYSTEM(hurt, KEEL_WRITE(Number, n), KEEL_ENTITY(e), KEEL_RECEIVE(Hit, hits)) {
    KEEL_EACH_EVENT(hits, Hit, hit) {
        if (hit->value > 60) break;
        if (hit->value == keel_entity_index(e) % 61) n->value += 5;
    }
}
KEEL_SYSTEM(bear, KEEL_READ(Number, n), KEEL_COMMANDS(commands, Number, Other),
            KEEL_SEND(Loot, loot)) {
    if (n->value % 1009) return;
    keel_add_entity(commands, KEEL_INIT(Number, { n->value + 1 }), KEEL_INIT(Other));
    keel_send(loot, Loot, { 77 });
}
KEEL_SYSTEM(record, KEEL_READ(Other, o), KEEL_ENTITY(e), KEEL_COMMANDS(commands)) {
    if (keel_entity_index(e) % 31 == 0) keel_send(commands, Hit, { o->value + 900 });
}
KEEL_SYSTEM_ONCE(split_up, KEEL_RECEIVE(Loot, in), KEEL_SEND(Loot, out),
                 KEEL_UNIQUE_READ(Sum, sum)) {
    KEEL_EACH_EVENT(in, Loot, loot)
        if (loot->value > 1000) keel_send(out, Loot, { loot->value / 10 + (sum->count & 1) });
}
KEEL_SYSTEM_ONCE(add_up, KEEL_RECEIVE(Hit, hits), KEEL_UNIQUE_WRITE(Sum, sum)) {
    KEEL_EACH_EVENT(hits, Hit, hit) {
        mix(&sum->hash, hit->value);
        ++sum->count;
    }
    sum->missed += (uint32_t)keel_missed_events(hits, Hit);
}
KEEL_SYSTEM_ONCE(add_up_loot, KEEL_RECEIVE(Loot, loot), KEEL_UNIQUE_WRITE(Total, total)) {
    KEEL_EACH_EVENT(loot, Loot, piece) {
        mix(&total->hash, piece->value);
        ++total->count;
    }
    total->missed += (uint32_t)keel_missed_events(loot, Loot);
}
KEEL_WORKLOAD(battle, KEEL_STEP(hit_some, .parallel = true), KEEL_STEP(hurt, .parallel = true),
              KEEL_STEP(add_up), KEEL_STEP(bear, .parallel = true), KEEL_STEP(split_up),
              KEEL_STEP(record, .parallel = true), KEEL_STEP(add_up_loot), KEEL_STEP(add_up));

typedef struct outcome {
    Sum sum;
    Total total;
    uint64_t hash;
} outcome;
static outcome fight(uint32_t workers) {
    api_fixture f;
    api_begin_with(&f, (keel_world_desc){ .worker_count = workers });
    begin_sums(f.world);
    assert_int_equal(keel_set_event_limit(f.world, Loot, 4000), KEEL_OK);
    static keel_entity e[COUNT];
    static Number numbers[COUNT];
    for (uint32_t i = 0; i < COUNT; ++i)
        numbers[i].value = i * 2654435761u >> 16;
    assert_int_equal(
        keel_add_entities(f.world, COUNT, e, KEEL_COLUMN(Number, numbers), KEEL_FILL(Other, { 4 })),
        KEEL_OK);
    for (uint32_t i = 0; i < COUNT; i += 3) // so that packed order is not that of indices
        assert_int_equal(keel_delete(f.world, e[i], Number), KEEL_OK);
    for (uint32_t i = 0; i < RUNS; ++i)
        assert_int_equal(keel_run_workload(f.world, battle), KEEL_OK);
    assert_no_error(f.world);
    outcome result = { *keel_get_unique(f.world, Sum), *keel_get_unique(f.world, Total), 0 };
    KEEL_EACH_EVENT(f.world, Loot, loot)
        mix(&result.hash, loot->value);
    api_end(&f);
    return result;
}

static void any_number_of_workers(void **state) {
    (void)state;
    const outcome one = fight(1);
    assert_true(one.sum.count > COUNT && one.total.count > 1000);
    for (uint32_t workers = 2; workers <= 8; workers *= 2) {
        const outcome many = fight(workers);
        assert_memory_equal(&many, &one, sizeof one);
    }
}

// ------------------------------------------------------------------ no memory when warm
KEEL_WORKLOAD(warm, KEEL_STEP(hit_some, .parallel = true), KEEL_STEP(add_up), KEEL_STEP(split_up),
              KEEL_STEP(add_up_loot), KEEL_STEP(one));
static void a_warm_frame(api_fixture *f) {
    begin_sums(f->world);
    for (uint32_t i = 0; i < 9000; ++i)
        (void)keel_add_entity(f->world, KEEL_INIT(Number, { i }));
    for (uint32_t i = 0; i < 8; ++i)
        assert_int_equal(keel_run_workload(f->world, warm), KEEL_OK);
    const size_t calls = f->memory.growing_calls;
    for (uint32_t i = 0; i < 8; ++i)
        assert_int_equal(keel_run_workload(f->world, warm), KEEL_OK);
    assert_int_equal(f->memory.growing_calls, calls);
    assert_no_error(f->world);
}
static void a_warm_frame_takes_no_memory(void **state) {
    (void)state;
    with_workers(a_warm_frame);
}

static const struct CMUnitTest tests[] = {
    TEST(events_come_in_the_order_of_the_list, "events come in the order of the list"),
    TEST(a_first_look_is_at_all_of_the_run, "who looks for the first time sees all of the run"),
    TEST(a_walk_by_hand_shows_each, "keel_event_next shows each event, in systems too"),
    TEST(senders_are_alone, "a sender has the queue alone, receivers share it, and both are named"),
    TEST(a_condition_has_a_cursor, "a condition has a cursor of its own"),
    TEST(a_startup_system_holds_nothing_up, "a startup system that has run holds no event up"),
    TEST(a_failed_system_sent_nothing, "what a failed system sent is dropped, all pieces of it"),
    TEST(any_number_of_workers, "events are the same for any number of workers"),
    TEST(a_warm_frame_takes_no_memory, "a frame with events takes no memory when warm"),
};

int main(void) { return RUN(tests); }
