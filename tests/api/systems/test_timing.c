// SPDX-License-Identifier: MIT
// Timings of systems: what is recorded, reading the ring, and the trace file.
#include "support/api_types.h"
#include "support/job_watch.h"

#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

KEEL_SYSTEM(count_up, KEEL_WRITE(Number, n)) { ++n->value; }
KEEL_SYSTEM(count_other, KEEL_WRITE(Other, o)) { ++o->value; }
KEEL_SYSTEM(count_third, KEEL_WRITE(Third, t)) { ++t->value; }
KEEL_SYSTEM(for_nobody, KEEL_WRITE(Health, h)) { ++h->points; }
KEEL_SYSTEM_ONCE(look, KEEL_MAY_READ(Number)) {}
KEEL_CONDITION(never) { return false; }
KEEL_CONDITION(always) { return true; }

KEEL_WORKLOAD(inner, KEEL_STEP(look), KEEL_STEP(count_other));
KEEL_WORKLOAD(frame, KEEL_STEP(count_up, .run_if = KEEL_IF(always)),
              KEEL_STEP(count_third, .run_if = KEEL_IF(never)), KEEL_STEP(for_nobody),
              KEEL_NESTED(inner));

static void begin(api_fixture *f, uint32_t workers) {
    api_begin_workers(f, workers);
    for (uint32_t i = 0; i < 10; ++i)
        keel_add_entity(f->world, KEEL_INIT(Number), KEEL_INIT(Other), KEEL_INIT(Third));
}

static void assert_next(keel_world *world, keel_timings_cursor *cursor, const char *workload,
                        const char *system, uint64_t frame) {
    keel_timing t;
    assert_true(keel_timings_next(world, cursor, &t));
    assert_string_equal(t.workload, workload);
    assert_string_equal(t.system, system);
    assert_int_equal(t.frame, frame);
    assert_true(t.begin <= t.end);
    assert_true(t.thread > 0);
}

static void assert_no_more(keel_world *world, keel_timings_cursor *cursor) {
    keel_timing t;
    assert_false(keel_timings_next(world, cursor, &t));
}

// ------------------------------------------------------------------ what is recorded
typedef struct Unheard {
    int value;
} Unheard;
KEEL_COMPONENT(Unheard);
KEEL_SYSTEM(loop_over_unheard, KEEL_READ(Unheard, u)) { (void)u; }
KEEL_WORKLOAD(unheard, KEEL_STEP(loop_over_unheard),
              KEEL_STEP(loop_over_unheard, .parallel = true));

static void run_in_piece(uint32_t begin, uint32_t end, const keel_piece *piece, void *data) {
    (void)begin, (void)end, (void)piece;
    assert_int_equal(keel_run((keel_world *)data, loop_over_unheard), KEEL_OK);
}

// Nothing becomes known in shared mode and in pieces of loops.
static void loops_over_an_unknown_component_are_loops_over_nothing(void **state) {
    (void)state;
    for (uint32_t workers = 1; workers <= 2; ++workers) {
        api_fixture f;
        begin(&f, workers);
        keel_timings_cursor cursor = { 0 };
        assert_int_equal(keel_timings_begin(f.world, 0), KEEL_OK);
        assert_int_equal(keel_share_begin(f.world), KEEL_OK);
        assert_int_equal(keel_run(f.world, loop_over_unheard), KEEL_OK);
        assert_int_equal(keel_run_parallel(f.world, loop_over_unheard), KEEL_OK);
        assert_int_equal(keel_run_workload(f.world, unheard), KEEL_OK);
        assert_int_equal(keel_share_end(f.world), KEEL_OK);
        assert_int_equal(keel_parallel_for(f.world, 10, 5, run_in_piece, f.world), KEEL_OK);
        assert_no_more(f.world, &cursor);
        assert_no_error(f.world);
        api_end(&f);
    }
}

static void nothing_is_kept_unless_asked_for(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 1);
    keel_timings_cursor cursor = { 0 };
    assert_int_equal(keel_run_workload(f.world, frame), KEEL_OK);
    assert_no_more(f.world, &cursor);
    assert_int_equal(keel_timings_write_trace(f.world, "never.json"), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "keel_timings_begin");
    assert_int_equal(keel_timings_end(f.world), KEEL_OK);
    api_end(&f);
}

static void systems_that_ran_are_recorded(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 1);
    keel_timings_cursor cursor = { 0 };
    assert_int_equal(keel_timings_begin(f.world, 0), KEEL_OK);
    for (uint64_t n = 1; n <= 3; ++n) {
        assert_int_equal(keel_run(f.world, count_up), KEEL_OK);
        assert_int_equal(keel_run_workload(f.world, frame), KEEL_OK);
        assert_next(f.world, &cursor, "", "count_up", n - 1);
        assert_next(f.world, &cursor, "frame", "count_up", n);
        assert_next(f.world, &cursor, "inner", "look", n);
        assert_next(f.world, &cursor, "inner", "count_other", n);
        assert_no_more(f.world, &cursor);
    }
    assert_int_equal(cursor.missed, 0);
    assert_int_equal(keel_timings_begin(f.world, 10), KEEL_OK); // anew
    assert_no_more(f.world, &cursor);
    assert_int_equal(keel_run(f.world, count_up), KEEL_OK);
    assert_next(f.world, &cursor, "", "count_up", 0);
    assert_int_equal(keel_timings_end(f.world), KEEL_OK);
    assert_no_more(f.world, &cursor);
    api_end(&f);
}

// ------------------------------------------------------------------ facts of an entry
typedef struct Spark {
    int value;
} Spark;
KEEL_COMPONENT(Spark, .tracking = KEEL_TRACK_INSERTION | KEEL_TRACK_MODIFICATION);
KEEL_SYSTEM(kindle, KEEL_WITH(Number), KEEL_ENTITY(e), KEEL_COMMANDS(c, Spark)) {
    keel_add(c, e, Spark, { 1 });
}
KEEL_SYSTEM(glow, KEEL_WRITE(Spark, s)) { ++s->value; }
KEEL_SYSTEM_SPAN(glow_more, KEEL_WRITE(Spark, s), KEEL_SPAN_COUNT(count)) {
    for (uint32_t i = 0; i < count; ++i)
        ++s[i].value;
}
KEEL_WORKLOAD(fire, KEEL_STEP(kindle, .startup = true), KEEL_STEP(glow), KEEL_STEP(look),
              KEEL_STEP(glow_more));
KEEL_WORKLOAD(only_kindle, KEEL_STEP(kindle));

static keel_timing next_timing(keel_world *world, keel_timings_cursor *cursor) {
    keel_timing t = { .end = 0 };
    assert_true(keel_timings_next(world, cursor, &t));
    assert_true(t.ready <= t.begin);
    assert_true(t.begin <= t.end);
    return t;
}

static void an_entry_has_the_entities_the_commands_and_the_step(void **state) {
    (void)state;
    for (uint32_t workers = 1; workers <= 4; workers *= 2) {
        api_fixture f;
        begin(&f, workers);
        keel_timings_cursor cursor = { 0 };
        assert_int_equal(keel_timings_begin(f.world, 0), KEEL_OK);
        assert_int_equal(keel_run_workload(f.world, fire), KEEL_OK);

        uint32_t seen = 0; // `look` may run before all others
        for (keel_timing t; keel_timings_next(f.world, &cursor, &t); ++seen) {
            const bool is_look = strcmp(t.system, "look") == 0;
            static const char *const names[] = { "kindle", "glow", "look", "glow_more" };
            assert_true(t.position < 4);
            assert_string_equal(t.system, names[t.position]);
            assert_int_equal(t.entities, is_look || t.is_commands ? 0 : 10);
            assert_int_equal(t.commands, t.is_commands ? 10 : 0);
            assert_true(t.ready <= t.begin);
        }
        assert_int_equal(seen, 5); // the commands have an entry

        assert_int_equal(keel_run(f.world, count_up), KEEL_OK);
        const keel_timing t = next_timing(f.world, &cursor);
        assert_int_equal(t.position, KEEL_NO_STEP);
        assert_int_equal(t.entities, 10);
        assert_int_equal(t.ready, t.begin);
        assert_no_more(f.world, &cursor);
        api_end(&f);
    }
}

// The entries of all workers of a loop that is split have all its entities, together.
static void the_entities_of_a_split_loop_are_counted_by_worker(void **state) {
    (void)state;
    api_fixture f;
    api_begin_workers(&f, 4);
    for (uint32_t i = 0; i < 20000; ++i)
        keel_add_entity(f.world, KEEL_INIT(Number));
    keel_timings_cursor cursor = { 0 };
    assert_int_equal(keel_timings_begin(f.world, 0), KEEL_OK);
    for (uint32_t run = 1; run <= 20; ++run) {
        assert_int_equal(keel_run_parallel(f.world, count_up), KEEL_OK);
        uint64_t entities = 0;
        for (keel_timing t; keel_timings_next(f.world, &cursor, &t);)
            entities += t.entities;
        assert_int_equal(entities, 20000);
    }
    api_end(&f);
}

// Returns the entry whose tick is that of a value, or one of zeros.
static keel_timing writer_of(keel_world *world, uint64_t tick) {
    keel_timings_cursor cursor = { 0 };
    keel_timing found = { .end = 0 };
    for (keel_timing t; keel_timings_next(world, &cursor, &t);)
        if (t.tick == tick) found = t;
    return found;
}

static void the_tick_of_a_value_is_that_of_its_writer(void **state) {
    (void)state;
    for (uint32_t workers = 1; workers <= 4; workers *= 2) {
        api_fixture f;
        begin(&f, workers);
        const keel_entity e = keel_next_entity(f.world, keel_null());
        assert_int_equal(keel_timings_begin(f.world, 0), KEEL_OK);
        assert_int_equal(keel_change_tick(f.world, e, Spark), 0);
        assert_int_equal(keel_change_tick(f.world, e, Number), 0); // not tracked
        assert_int_equal(keel_run_workload(f.world, fire), KEEL_OK);
        const uint64_t by_last = keel_change_tick(f.world, e, Spark);
        assert_string_equal(writer_of(f.world, by_last).system, "glow_more");

        assert_true(keel_tick(f.world) > by_last); // a change by hand has a tick of its own
        keel_get_mut(f.world, e, Spark)->value = 7;
        const uint64_t by_hand = keel_change_tick(f.world, e, Spark);
        assert_true(by_hand > by_last);
        assert_string_equal(writer_of(f.world, by_hand).system, "");

        assert_int_equal(keel_delete(f.world, e, Spark), KEEL_OK);
        assert_int_equal(keel_change_tick(f.world, e, Spark), 0);
        assert_int_equal(keel_delete_entity(f.world, e), KEEL_OK);
        assert_int_equal(keel_change_tick(f.world, e, Spark), 0);
        assert_int_equal(keel_change_tick_of_component(NULL, e, NULL), 0);
        api_end(&f);
    }
}

static void the_tick_of_an_added_value_is_that_of_the_commands(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 2);
    const keel_entity e = keel_next_entity(f.world, keel_null());
    assert_int_equal(keel_timings_begin(f.world, 0), KEEL_OK);
    assert_int_equal(keel_run_workload(f.world, only_kindle), KEEL_OK);
    const keel_timing t = writer_of(f.world, keel_change_tick(f.world, e, Spark));
    assert_string_equal(t.system, "kindle");
    assert_true(t.is_commands);
    api_end(&f);
}

static void the_time_now_is_that_of_entries(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 1);
    uint64_t before = 1, after = 1;
    keel_timings_cursor cursor = { 0 };
    assert_false(keel_timings_now(f.world, &before));
    assert_int_equal(before, 0);
    assert_int_equal(keel_timings_begin(f.world, 0), KEEL_OK);
    assert_true(keel_timings_now(f.world, &before));
    assert_int_equal(keel_run(f.world, count_up), KEEL_OK);
    assert_true(keel_timings_now(f.world, &after));
    const keel_timing t = next_timing(f.world, &cursor);
    assert_true(before <= t.begin);
    assert_true(t.end <= after);
    assert_false(keel_timings_now(f.world, NULL));
    api_end(&f);
}

static void assert_cursor(keel_timings_cursor cursor, uint64_t missed) {
    assert_int_equal(cursor.missed, missed);
}

static void the_ring_overwrites_the_oldest_and_says_so(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 1);
    keel_timings_cursor cursor = { 0 }, late = { 0 };
    assert_int_equal(keel_timings_begin(f.world, 4), KEEL_OK);
    for (int i = 0; i < 3; ++i)
        keel_run(f.world, count_up);
    assert_next(f.world, &cursor, "", "count_up", 0);
    for (int i = 0; i < 4; ++i)
        keel_run(f.world, count_other);
    assert_next(f.world, &cursor, "", "count_other", 0);
    assert_cursor(cursor, 2);
    for (int i = 0; i < 3; ++i)
        assert_next(f.world, &cursor, "", "count_other", 0);
    assert_no_more(f.world, &cursor);
    assert_next(f.world, &late, "", "count_other", 0);
    assert_cursor(late, 3);
    api_end(&f);
}

KEEL_SYSTEM_ONCE(outer_task, KEEL_WORLD(world)) {
    keel_timings_cursor cursor = { 0 };
    keel_timing t;
    for (int i = 0; i < 10; ++i)
        keel_run(world, count_up);
    // itself began before and still runs, unless it was overwritten
    if (keel_timings_next(world, &cursor, &t) && !cursor.missed) abort();
    if (keel_timings_begin(world, 5) != KEEL_ERROR_BORROWED) abort();
    if (keel_timings_end(world) != KEEL_ERROR_BORROWED) abort();
    keel_clear_errors(world);
}
KEEL_WORKLOAD(with_inner_runs, KEEL_STEP(outer_task));

static void systems_inside_of_systems_are_recorded(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 1);
    keel_timings_cursor cursor = { 0 };
    assert_int_equal(keel_timings_begin(f.world, 100), KEEL_OK);
    assert_int_equal(keel_run_workload(f.world, with_inner_runs), KEEL_OK);
    keel_timing outer, t;
    assert_true(keel_timings_next(f.world, &cursor, &outer));
    assert_string_equal(outer.system, "outer_task");
    for (int i = 0; i < 10; ++i) {
        assert_true(keel_timings_next(f.world, &cursor, &t));
        assert_string_equal(t.system, "count_up");
        assert_true(outer.begin <= t.begin && t.end <= outer.end);
    }
    assert_no_more(f.world, &cursor);
    assert_int_equal(keel_timings_begin(f.world, 3), KEEL_OK);
    cursor = (keel_timings_cursor){ 0 };
    assert_int_equal(keel_run_workload(f.world, with_inner_runs), KEEL_OK); // itself overwritten
    for (int i = 0; i < 3; ++i)
        assert_next(f.world, &cursor, "", "count_up", 1);
    assert_no_more(f.world, &cursor);
    api_end(&f);
}

// ------------------------------------------------------------------ several threads
KEEL_SYSTEM(slow_number, KEEL_WRITE(Number, n)) {
    ++n->value;
    wait_some_us(20);
}
KEEL_SYSTEM(slow_other, KEEL_WRITE(Other, o)) {
    ++o->value;
    wait_some_us(20);
}
KEEL_SYSTEM(slow_third, KEEL_WRITE(Third, t)) {
    ++t->value;
    wait_some_us(20);
}
KEEL_WORKLOAD(wide, KEEL_STEP(slow_number), KEEL_STEP(slow_other, .parallel = true),
              KEEL_STEP(slow_third), KEEL_STEP(look));

// All entries of one frame; workers that took part.
static uint32_t check_frame(keel_world *world, keel_timings_cursor *cursor, uint64_t number) {
    keel_timing entries[100];
    uint32_t count = 0, workers = 0, systems[4] = { 0 };
    static const char *const names[] = { "slow_number", "slow_other", "slow_third", "look" };
    while (count < 100 && keel_timings_next(world, cursor, &entries[count])) {
        const keel_timing *t = &entries[count++];
        assert_int_equal(t->frame, number);
        assert_string_equal(t->workload, "wide");
        assert_true(t->worker < 4 && t->begin < t->end);
        workers |= 1u << t->worker;
        for (uint32_t k = 0; k < 4; ++k)
            systems[k] += strcmp(names[k], t->system) == 0;
        if (count > 1) assert_true(entries[count - 2].begin <= t->begin);
        for (uint32_t k = 0; k + 1 < count; ++k) // a thread does one thing after the other
            assert_true(entries[k].thread != t->thread || entries[k].end <= t->begin);
    }
    assert_int_equal(systems[0] + systems[2] + systems[3], 3);
    assert_in_range(systems[1], 1, 4);
    return workers;
}

static void workers_record_in_order_of_time(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 4);
    for (uint32_t i = 0; i < 190; ++i)
        keel_add_entity(f.world, KEEL_INIT(Number), KEEL_INIT(Other), KEEL_INIT(Third));
    keel_timings_cursor cursor = { 0 };
    assert_int_equal(keel_timings_begin(f.world, 100), KEEL_OK);
    uint32_t workers = 0;
    for (uint64_t n = 1; n <= 20; ++n) {
        assert_int_equal(keel_run_workload(f.world, wide), KEEL_OK);
        workers |= check_frame(f.world, &cursor, n);
    }
    assert_true(workers > 1); // others came to help
    assert_int_equal(cursor.missed, 0);
    api_end(&f);
}

static void *run_often(void *data) {
    keel_world *world = data;
    for (int i = 0; i < 100; ++i)
        keel_run(world, look);
    return NULL;
}

static void guests_of_a_shared_world_are_recorded(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 2);
    keel_timings_cursor cursor = { 0 };
    assert_int_equal(keel_timings_begin(f.world, 1000), KEEL_OK);
    assert_int_equal(keel_share_begin(f.world), KEEL_OK);
    assert_int_equal(keel_timings_begin(f.world, 10), KEEL_ERROR_SHARED);
    assert_int_equal(keel_timings_end(f.world), KEEL_ERROR_SHARED);
    assert_error(f.world, KEEL_ERROR_SHARED, NULL);
    pthread_t threads[3];
    for (int i = 0; i < 3; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, run_often, f.world), 0);
    uint32_t count = 0;
    uint64_t last = 0;
    while (count < 300) {
        keel_timing t;
        if (!keel_timings_next(f.world, &cursor, &t)) continue;
        ++count;
        assert_true(last <= t.begin && t.begin <= t.end);
        last = t.begin;
    }
    for (int i = 0; i < 3; ++i)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_no_more(f.world, &cursor);
    assert_int_equal(keel_share_end(f.world), KEEL_OK);
    api_end(&f);
}

// ------------------------------------------------------------------ the trace
static const char *trace_path(void) {
    static char path[64];
    snprintf(path, sizeof path, "keel_trace_%ld.json", (long)getpid());
    return path;
}

static const char *text_of(json_t *event, const char *key) {
    const char *text = json_string_value(json_object_get(event, key));
    return text ? text : "";
}

// The slices of the trace; checks each against the ring.
static void check_trace(keel_world *world, uint32_t slices) {
    json_error_t error;
    json_t *trace = json_load_file(trace_path(), JSON_REJECT_DUPLICATES, &error);
    if (!trace) fail_msg("line %d: %s", error.line, error.text);
    json_t *events = json_object_get(trace, "traceEvents"), *event;
    keel_timings_cursor cursor = { 0 };
    size_t i;
    uint32_t found = 0;
    json_array_foreach(events, i, event) {
        assert_true(json_is_integer(json_object_get(event, "pid")));
        if (strcmp(text_of(event, "ph"), "X") != 0) continue;
        keel_timing t;
        assert_true(keel_timings_next(world, &cursor, &t));
        ++found;
        const double ts = json_number_value(json_object_get(event, "ts"));
        const double dur = json_number_value(json_object_get(event, "dur"));
        assert_float_equal(ts, (double)t.begin / 1000, 0.0011);
        assert_float_equal(dur, (double)(t.end - t.begin) / 1000, 0.0011);
        assert_int_equal(json_integer_value(json_object_get(event, "tid")), t.thread);
        json_t *args = json_object_get(event, "args");
        assert_int_equal(json_integer_value(json_object_get(args, "frame")), t.frame);
        assert_int_equal(json_integer_value(json_object_get(args, "worker")), t.worker);
    }
    assert_no_more(world, &cursor);
    assert_int_equal(found, slices);
    json_decref(trace);
}

static keel_result do_nothing(keel_context *context) {
    (void)context;
    return KEEL_OK;
}

// Run once under this name; its name in the trace.
static void check_name(const char *name, const char *in_json) {
    api_fixture f;
    begin(&f, 1);
    const keel_term terms[] = { { .kind = KEEL_TERM_END } };
    const keel_system odd = {
        .name = name, .kind = KEEL_SYSTEM_PER_RUN, .function = do_nothing, .terms = terms
    };
    assert_int_equal(keel_timings_begin(f.world, 10), KEEL_OK);
    assert_int_equal(keel_run_system(f.world, &odd, NULL), KEEL_OK);
    assert_int_equal(keel_timings_write_trace(f.world, trace_path()), KEEL_OK);
    check_trace(f.world, 1);
    json_t *trace = json_load_file(trace_path(), 0, NULL);
    json_t *events = json_object_get(trace, "traceEvents");
    assert_string_equal(text_of(json_array_get(events, 1), "name"), in_json);
    assert_string_equal(text_of(json_array_get(events, 1), "cat"), "keel_run");
    json_decref(trace);
    api_end(&f);
}

static void a_trace_is_json_whatever_names_are(void **state) {
    (void)state;
    check_name("plain", "plain");
    check_name("", "");
    check_name("say \"C:\\new\"\n\t\x01\x7f", "say \"C:\\new\"\n\t\x01\x7f");
    check_name("\xC3\xA9t\xC3\xA9 \xE2\x82\xAC", "\xC3\xA9t\xC3\xA9 \xE2\x82\xAC");
    check_name("\xFF\xC3(\xE2\x82", "\xEF\xBF\xBD\xEF\xBF\xBD(\xEF\xBF\xBD\xEF\xBF\xBD");
    check_name("\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"); // half of a pair
    check_name("01234567890123456789012345678901234567890123456789",
               "01234567890123456789012345678901234567890123456");
    check_name("0123456789012345678901234567890123456789012345\xC3\xA9",
               "0123456789012345678901234567890123456789012345\xEF\xBF\xBD"); // cut in two
    remove(trace_path());
}

static void a_trace_has_what_is_in_the_ring(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 4);
    assert_int_equal(keel_timings_begin(f.world, 30), KEEL_OK);
    assert_int_equal(keel_timings_write_trace(f.world, trace_path()), KEEL_OK);
    check_trace(f.world, 0);
    for (int i = 0; i < 20; ++i) {
        assert_int_equal(keel_run_workload(f.world, frame), KEEL_OK);
        assert_int_equal(keel_run_workload(f.world, wide), KEEL_OK);
    }
    assert_int_equal(keel_timings_write_trace(f.world, trace_path()), KEEL_OK);
    check_trace(f.world, 30);
    remove(trace_path());
    api_end(&f);
}

static void files_that_cannot_be_written_are_errors(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 1);
    assert_int_equal(keel_timings_begin(f.world, 30), KEEL_OK);
    keel_run(f.world, count_up);
    assert_int_equal(keel_timings_write_trace(f.world, "no/such/folder.json"), KEEL_ERROR_FILE);
    assert_error(f.world, KEEL_ERROR_FILE, "no/such/folder.json");
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(keel_timings_write_trace(f.world, "/dev/full"), KEEL_ERROR_FILE);
        assert_error(f.world, KEEL_ERROR_FILE, "/dev/full");
        assert_int_equal(access("/dev/full", W_OK), 0);
    }
    assert_int_equal(keel_timings_write_trace(f.world, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "path");
    api_end(&f);
}

// ------------------------------------------------------------------ memory and misuse
static void memory_is_taken_when_it_is_switched_on(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 1);
    for (int i = 0; i < 3; ++i)
        keel_run_workload(f.world, frame);
    const size_t before = f.memory.live_bytes;
    counting_allocator_fail_after(&f.memory, 0);
    assert_int_equal(keel_timings_begin(f.world, 30), KEEL_ERROR_MEMORY);
    counting_allocator_never_fail(&f.memory);
    assert_error(f.world, KEEL_ERROR_MEMORY, "timings");
    assert_int_equal(keel_timings_begin(f.world, 30), KEEL_OK);
    const size_t calls = f.memory.calls;
    for (int i = 0; i < 30; ++i)
        assert_int_equal(keel_run_workload(f.world, frame), KEEL_OK);
    assert_int_equal(f.memory.calls, calls);
    counting_allocator_fail_after(&f.memory, 0);
    assert_int_equal(keel_timings_begin(f.world, 40), KEEL_ERROR_MEMORY);
    assert_int_equal(keel_timings_write_trace(f.world, trace_path()), KEEL_ERROR_MEMORY);
    counting_allocator_never_fail(&f.memory);
    remove(trace_path());
    keel_timings_cursor cursor = { 0 };
    keel_timing t;
    assert_true(keel_timings_next(f.world, &cursor, &t)); // the old ones are still there
    assert_int_equal(keel_timings_end(f.world), KEEL_OK);
    assert_int_equal(f.memory.live_bytes, before);
    api_end(&f);
}

static void misuse_is_refused(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 1);
    keel_timings_cursor cursor = { 0 };
    keel_timing t;
    assert_int_equal(keel_timings_begin(f.world, KEEL_MAX_TIMINGS + 1), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "16777217");
    assert_int_equal(keel_timings_begin(f.world, 1), KEEL_OK);
    keel_run(f.world, count_up);
    assert_false(keel_timings_next(f.world, NULL, &t));
    assert_false(keel_timings_next(f.world, &cursor, NULL));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "cursor");
    cursor.next = UINT64_MAX; // of other timings
    assert_next(f.world, &cursor, "", "count_up", 0);
    api_end(&f);
}

// What does not fit into the buffer of a line is written from memory of its own.
static void a_trace_has_the_whole_name_of_a_world(void **state) {
    (void)state;
    static char name[3000];
    memset(name, '\x01', sizeof name - 1); // six characters each
    for (int has_memory = 0; has_memory < 2; ++has_memory) {
        api_fixture f;
        api_begin_with(&f, (keel_world_desc){ .name = name });
        assert_int_equal(keel_timings_begin(f.world, 10), KEEL_OK);
        if (!has_memory) counting_allocator_fail_after(&f.memory, 0);
        const keel_result result = keel_timings_write_trace(f.world, trace_path());
        counting_allocator_never_fail(&f.memory);
        assert_int_equal(result, has_memory ? KEEL_OK : KEEL_ERROR_MEMORY);
        if (has_memory) {
            json_t *trace = json_load_file(trace_path(), 0, NULL);
            json_t *first = json_array_get(json_object_get(trace, "traceEvents"), 0);
            assert_string_equal(text_of(json_object_get(first, "args"), "name"), name);
            json_decref(trace);
        }
        remove(trace_path());
        keel_clear_errors(f.world);
        api_end(&f);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(nothing_is_kept_unless_asked_for, "timings are off by default"),
    TEST(systems_that_ran_are_recorded, "only systems that ran are recorded, in order"),
    TEST(an_entry_has_the_entities_the_commands_and_the_step,
         "an entry has the entities, the commands and the step"),
    TEST(the_entities_of_a_split_loop_are_counted_by_worker,
         "the entries of the workers of a split loop add up to its entities"),
    TEST(the_tick_of_a_value_is_that_of_its_writer, "the tick of a value tells its writer"),
    TEST(the_tick_of_an_added_value_is_that_of_the_commands,
         "the tick of a value that commands added is that of the commands"),
    TEST(the_time_now_is_that_of_entries, "the time now is counted as entries count it"),
    TEST(loops_over_an_unknown_component_are_loops_over_nothing,
         "a loop over a component that the world does not know is not recorded"),
    TEST(the_ring_overwrites_the_oldest_and_says_so, "a reader is told what it missed"),
    TEST(systems_inside_of_systems_are_recorded, "a system that runs others encloses them"),
    TEST(workers_record_in_order_of_time, "several workers, one order"),
    TEST(guests_of_a_shared_world_are_recorded, "several threads run systems and one reads"),
    TEST(a_trace_is_json_whatever_names_are, "any name can be in a trace"),
    TEST(a_trace_has_what_is_in_the_ring, "a trace says what the ring says"),
    TEST(files_that_cannot_be_written_are_errors, "a file that cannot be written is an error"),
    TEST(memory_is_taken_when_it_is_switched_on, "recording allocates nothing"),
    TEST(misuse_is_refused, "misuse is refused"),
    TEST(a_trace_has_the_whole_name_of_a_world,
         "a trace has the whole name of a world, however long"),
};

int main(void) { return RUN(tests); }
