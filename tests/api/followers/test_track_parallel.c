// SPDX-License-Identifier: MIT
// Changes that several threads make, and what is seen of them: the same for any number of workers.
#include "support/api_types.h"

#include <string.h>

enum { COUNT = 20000, RUNS = 6 };

typedef struct Heat {
    uint32_t value;
} Heat;
typedef struct Cold {
    uint32_t value;
} Cold;
typedef struct Mark {
    uint32_t value;
} Mark;
KEEL_COMPONENT(Heat, .tracking = KEEL_TRACK_ALL);
KEEL_COMPONENT(Cold, .tracking = KEEL_TRACK_ALL, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Mark, .tracking = KEEL_TRACK_ALL, .storage = KEEL_ARCHETYPE);

typedef struct Sum {
    uint64_t hash;
    uint32_t seen, gone, born;
} Sum;
KEEL_UNIQUE(Sum);

static void mix(Sum *sum, uint32_t a, uint32_t b) {
    sum->hash = (sum->hash ^ a) * 0x9E3779B97F4A7C15u + b;
    ++sum->seen;
}

KEEL_SYSTEM(heat_all, KEEL_WRITE(Heat, h), KEEL_READ(Cold, c)) { h->value += c->value; }
KEEL_SYSTEM(cool_some, KEEL_WRITE_MARKED(Cold, c, changed), KEEL_ENTITY(e)) {
    if (keel_entity_index(e) % 7) return;
    ++c->value;
    *changed = true;
}
KEEL_SYSTEM(mark_cooled, KEEL_WRITE(Mark, m), KEEL_MODIFIED(Cold), KEEL_ENTITY(e)) {
    m->value = keel_entity_index(e);
}
KEEL_SYSTEM(kill_few, KEEL_READ(Heat, h), KEEL_NOT_INSERTED(Heat), KEEL_ENTITY(e),
            KEEL_COMMANDS(commands)) {
    if ((h->value + keel_entity_index(e)) % 501 == 0) keel_delete_entity(commands, e);
}
KEEL_SYSTEM(see_heat, KEEL_READ(Heat, h), KEEL_MODIFIED(Heat), KEEL_ENTITY(e),
            KEEL_UNIQUE_WRITE(Sum, sum)) {
    mix(sum, keel_entity_index(e), h->value);
}
KEEL_SYSTEM(see_marks, KEEL_READ(Mark, m), KEEL_CHANGED(Mark), KEEL_ENTITY(e),
            KEEL_UNIQUE_WRITE(Sum, sum)) {
    mix(sum, keel_entity_index(e), m->value);
}
KEEL_SYSTEM_ONCE(see_removals, KEEL_MAY_READ(Heat), KEEL_CONTEXT(context),
                 KEEL_UNIQUE_WRITE(Sum, sum)) {
    KEEL_EACH_REMOVED(context, Heat, gone)
        if (gone.deleted) {
            mix(sum, keel_entity_index(gone.entity), ((const Heat *)gone.value)->value);
            ++sum->gone;
        }
}
KEEL_SYSTEM(bear, KEEL_READ(Cold, c), KEEL_MODIFIED(Cold), KEEL_ENTITY(e),
            KEEL_COMMANDS(commands, Heat, Cold)) {
    if (keel_entity_index(e) % 1400 == 0)
        keel_add_entity(commands, KEEL_INIT(Heat, { c->value }), KEEL_INIT(Cold, { 1 }));
}
KEEL_SYSTEM(see_born, KEEL_WITH(Heat), KEEL_INSERTED(Heat), KEEL_UNIQUE_WRITE(Sum, sum)) {
    ++sum->born;
}
KEEL_WORKLOAD(turn, KEEL_STEP(heat_all, .parallel = true), KEEL_STEP(cool_some, .parallel = true),
              KEEL_STEP(see_heat), KEEL_STEP(mark_cooled, .parallel = true), KEEL_STEP(see_marks),
              KEEL_STEP(kill_few, .parallel = true), KEEL_STEP(bear), KEEL_STEP(see_removals),
              KEEL_STEP(see_born));

static uint32_t calls;
static void on_heat(const keel_change *event, void *data) {
    (void)data;
    ++calls;
    if (event->kind == KEEL_ON_DELETED) keel_add_entity(event->commands, KEEL_INIT(Mark, { 5 }));
}

static Sum run(uint32_t workers) {
    api_fixture f;
    api_begin_with(&f, (keel_world_desc){ .worker_count = workers });
    calls = 0;
    assert_int_equal(keel_set_unique(f.world, Sum, { 0 }), KEEL_OK);
    assert_int_equal(keel_observe(f.world, Heat, KEEL_ON_INSERTED | KEEL_ON_DELETED, on_heat, NULL),
                     KEEL_OK);
    static keel_entity e[COUNT];
    assert_int_equal(keel_add_entities(f.world, COUNT, e, KEEL_FILL(Heat, { 1 }),
                                       KEEL_FILL(Cold, { 2 }), KEEL_FILL(Mark)),
                     KEEL_OK);
    for (uint32_t i = 0; i < COUNT; i += 3) // so that packed order is not that of indices
        assert_int_equal(keel_delete(f.world, e[i], Heat), KEEL_OK);
    for (uint32_t i = 0; i < RUNS; ++i)
        assert_int_equal(keel_run_workload(f.world, turn), KEEL_OK);
    assert_no_error(f.world);
    Sum sum = *keel_get_unique(f.world, Sum);
    mix(&sum, calls, keel_entity_count(f.world));
    api_end(&f);
    return sum;
}

// ------------------------------------------------------------------ marks by hand
KEEL_SYSTEM(mark_heat, KEEL_WRITE_MARKED(Heat, h, changed), KEEL_ENTITY(e)) {
    *changed = keel_entity_index(e) % 7 == 0;
    h->value += *changed;
}
KEEL_SYSTEM(mark_cold, KEEL_WRITE_MARKED(Cold, c, changed), KEEL_ENTITY(e)) {
    *changed = keel_entity_index(e) % 7 == 0;
    c->value += *changed;
}
KEEL_SYSTEM(mark_mark, KEEL_WRITE_MARKED(Mark, m, changed), KEEL_ENTITY(e)) {
    *changed = keel_entity_index(e) % 7 == 0;
    m->value += *changed;
}
KEEL_SYSTEM(mark_both, KEEL_READ(Mark, m), KEEL_WRITE_MARKED(Cold, c, changed), KEEL_ENTITY(e)) {
    *changed = keel_entity_index(e) % 7 == 0;
    c->value += *changed + 0 * m->value;
}
KEEL_WORKLOAD(marks, KEEL_STEP(mark_heat), KEEL_STEP(mark_cold), KEEL_STEP(mark_mark));
KEEL_WORKLOAD(split_marks, KEEL_STEP(mark_heat, .parallel = true),
              KEEL_STEP(mark_cold, .parallel = true), KEEL_STEP(mark_mark, .parallel = true));
KEEL_WORKLOAD(mixed_marks, KEEL_STEP(mark_both));

static void exactly_what_is_marked_counts(void **state) {
    (void)state;
    const keel_workload *const all[] = { &KEEL_WORKLOAD_marks, &KEEL_WORKLOAD_split_marks,
                                         &KEEL_WORKLOAD_mixed_marks };
    for (uint32_t w = 0; w < 3; ++w) {
        api_fixture f;
        api_begin_with(&f, (keel_world_desc){ .worker_count = 2 });
        static keel_entity e[COUNT];
        assert_int_equal(
            keel_add_entities(f.world, COUNT, e, KEEL_FILL(Heat), KEEL_FILL(Cold), KEEL_FILL(Mark)),
            KEEL_OK);
        for (uint32_t i = 0; i < COUNT; i += 501) // holes: masks with long runs, and others
            assert_int_equal(keel_delete_entity(f.world, e[i]), KEEL_OK);
        assert_int_equal(keel_clear_all_changes(f.world, KEEL_TRACK_ALL, KEEL_NOW), KEEL_OK);
        assert_int_equal(keel_run_workload_of(f.world, all[w], NULL), KEEL_OK);
        for (uint32_t i = 0; i < COUNT; ++i) {
            if (!keel_is_alive(f.world, e[i])) continue;
            const uint32_t asked = keel_entity_index(e[i]) % 7 ? 0 : KEEL_TRACK_MODIFICATION;
            assert_int_equal(keel_changes_of(f.world, e[i], Cold), asked);
            if (w == 2) continue;
            assert_int_equal(keel_changes_of(f.world, e[i], Heat), asked);
            assert_int_equal(keel_changes_of(f.world, e[i], Mark), asked);
        }
        api_end(&f);
    }
}

static void any_number_of_workers(void **state) {
    (void)state;
    const Sum one = run(1);
    assert_true(one.seen > COUNT);
    assert_true(one.gone > 0 && one.born > 0);
    for (uint32_t workers = 2; workers <= 8; workers *= 2) {
        const Sum many = run(workers);
        assert_int_equal(many.seen, one.seen);
        assert_int_equal(many.gone, one.gone);
        assert_int_equal(many.born, one.born);
        assert_int_equal(many.hash, one.hash);
    }
}

// ------------------------------------------------------------------ asked for in a workload
typedef struct Quiet {
    uint32_t value;
} Quiet;
KEEL_COMPONENT(Quiet);
typedef struct Silent {
    uint32_t value;
} Silent;
KEEL_COMPONENT(Silent, .storage = KEEL_ARCHETYPE);
typedef struct Seen {
    uint32_t quiet, again, silent;
} Seen;
static Seen noticed; // by systems one after the other, or each its own member

KEEL_SYSTEM_ONCE(look_at_quiet, KEEL_MAY_READ(Quiet), KEEL_CONTEXT(context)) {
    KEEL_EACH(context, KEEL_WITH(Quiet), KEEL_INSERTED(Quiet))
        ++noticed.quiet;
}
KEEL_SYSTEM_ONCE(look_again, KEEL_MAY_READ(Quiet), KEEL_CONTEXT(context)) {
    KEEL_EACH(context, KEEL_WITH(Quiet), KEEL_CHANGED(Quiet))
        ++noticed.again;
}
KEEL_SYSTEM(look_beside, KEEL_READ(Cold, c), KEEL_MAY_READ(Silent), KEEL_CONTEXT(context)) {
    KEEL_EACH(context, KEEL_WITH(Silent), KEEL_INSERTED(Silent)) {
        (void)c;
        ++noticed.silent;
    }
}
KEEL_SYSTEM(read_quiet, KEEL_READ(Quiet, q)) { (void)q; }
KEEL_SYSTEM(change_quiet, KEEL_WRITE(Quiet, q)) { ++q->value; }
KEEL_WORKLOAD(looks, KEEL_STEP(read_quiet, .parallel = true), KEEL_STEP(look_at_quiet),
              KEEL_STEP(look_beside), KEEL_STEP(look_again), KEEL_STEP(change_quiet),
              KEEL_STEP(read_quiet));

static void who_asks_in_a_workload_has_changes_tracked(void **state) {
    (void)state;
    for (uint32_t workers = 1; workers <= 4; workers *= 2) {
        api_fixture f;
        api_begin_with(&f, (keel_world_desc){ .worker_count = workers });
        keel_add_entity(f.world, KEEL_INIT(Cold));
        keel_add_entity(f.world, KEEL_INIT(Quiet), KEEL_INIT(Silent));
        for (uint32_t i = 0; i < 4; ++i) {
            keel_add_entity(f.world, KEEL_INIT(Quiet), KEEL_INIT(Silent));
            noticed = (Seen){ 0 };
            assert_int_equal(keel_run_workload(f.world, looks), KEEL_OK);
            assert_no_error(f.world);
            assert_int_equal(noticed.quiet, i ? 1 : 2); // at first all that are there
            assert_int_equal(noticed.silent, i ? 1 : 2);
            assert_int_equal(noticed.again, i + 2); // all were modified since
        }
        api_end(&f);
    }
}

static void in_shared_mode_asking_is_refused(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_add_entity(f.world, KEEL_INIT(Quiet), KEEL_INIT(Silent));
    assert_int_equal(keel_share_begin(f.world), KEEL_OK);
    assert_int_equal(keel_run(f.world, look_at_quiet), KEEL_OK);
    assert_error(f.world, KEEL_ERROR_SHARED, "'Quiet', which is not tracked");
    assert_int_equal(keel_share_end(f.world), KEEL_OK);
    api_end(&f);
}

// ------------------------------------------------------------------ steps come and go
static uint32_t seen;
KEEL_SYSTEM(count_changed, KEEL_WITH(Heat), KEEL_CHANGED(Heat), KEEL_CONTEXT(context)) {
    (void)context;
    ++seen;
}

static void what_was_seen_survives_new_steps(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    for (uint32_t i = 0; i < 10; ++i)
        (void)keel_add_entity(f.world, KEEL_INIT(Heat, { i }), KEEL_INIT(Cold));
    assert_int_equal(keel_add_step(f.world, "frame", KEEL_STEP(count_changed)), KEEL_OK);
    seen = 0;
    assert_int_equal(keel_run_named(f.world, "frame"), KEEL_OK);
    assert_int_equal(seen, 10);
    assert_int_equal(keel_add_step(f.world, "frame", KEEL_STEP(heat_all)), KEEL_OK);
    assert_int_equal(keel_run_named(f.world, "frame"), KEEL_OK);
    assert_int_equal(seen, 10);
    assert_int_equal(keel_run_named(f.world, "frame"), KEEL_OK);
    assert_int_equal(seen, 20);
    assert_int_equal(keel_remove_workload(f.world, "frame"), KEEL_OK);
    api_end(&f);
}

// ------------------------------------------------------------------ one component, written and
// asked
static void bump_some(const keel_span *span, const keel_piece *piece, void *data) {
    (void)data;
    Cold *c = keel_span_write(span, Cold);
    for (uint32_t i = 0; i < span->count; ++i)
        c[i].value += piece->number % 2 + 1;
}
KEEL_SYSTEM_SPAN(bump_changed, KEEL_SPAN_COUNT(n), KEEL_WRITE(Cold, c), KEEL_CHANGED(Cold)) {
    for (uint32_t i = 0; i < n; ++i)
        ++c[i].value;
}
KEEL_WORKLOAD(bump, KEEL_STEP(bump_changed, .parallel = true));

static uint64_t sum_of_cold(keel_world *world) {
    uint64_t sum = 0;
    KEEL_EACH(world, KEEL_READ(Cold, c))
        sum = sum * 31 + c->value;
    return sum;
}

// Each thread marks what it has visited, and asks for changes in its own piece only.
static uint64_t write_and_ask(uint32_t workers, uint32_t count) {
    api_fixture f;
    api_begin_workers(&f, workers);
    for (uint32_t i = 0; i < count; ++i)
        (void)keel_add_entity(f.world, KEEL_INIT(Cold, { i }));
    for (uint32_t round = 0; round < 5; ++round) {
        keel_view view;
        assert_int_equal(keel_view_begin(&view, f.world,
                                         KEEL_TERMS(KEEL_WRITE(Cold, c), KEEL_CHANGED(Cold)),
                                         "write and ask"),
                         KEEL_OK);
        assert_int_equal(keel_view_parallel_for(&view, bump_some, NULL), KEEL_OK);
        keel_view_end(&view);
        assert_int_equal(keel_run_workload(f.world, bump), KEEL_OK);
    }
    const uint64_t sum = sum_of_cold(f.world);
    api_end(&f);
    return sum;
}

static void pieces_ask_for_their_own_changes(void **state) {
    (void)state;
    const uint32_t counts[] = { 3000, COUNT };
    for (uint32_t i = 0; i < 2; ++i) {
        const uint64_t one = write_and_ask(1, counts[i]);
        for (uint32_t workers = 2; workers <= 4; workers += 2)
            assert_int_equal(write_and_ask(workers, counts[i]), one);
    }
}

// Whose piece ends early has written what it was handed out so far, whether or not its thread goes
// on with another piece.
KEEL_SYSTEM_SPAN(ends_early, KEEL_SPAN_COUNT(n), KEEL_WRITE(Heat, h), KEEL_READ(Cold, c),
                 KEEL_CONTEXT(context)) {
    for (uint32_t i = 0; i < n; ++i)
        h[i].value += c[i].value;
    if (c[0].value % 3 == 0) keel_fail(context, NULL, "early");
}
KEEL_WORKLOAD(ends, KEEL_STEP(ends_early, .parallel = true));

static uint64_t modified_by_pieces(uint32_t workers) {
    api_fixture f;
    Sum sum = { 0 };
    api_begin_workers(&f, workers);
    for (uint32_t i = 0; i < 3000; ++i)
        keel_add_entity(f.world, KEEL_INIT(Cold, { i }));
    for (uint32_t i = 0; i < 3000; ++i) // no two values lie side by side
        keel_add(f.world, keel_entity_at(f.world, i * 7 % 3000), Heat, { 1 });
    keel_reader *reader = keel_reader_create(f.world, "reader");
    keel_reader_advance(reader);
    assert_int_equal(keel_run_workload(f.world, ends), KEEL_ERROR_SYSTEM);
    KEEL_EACH(reader, KEEL_MODIFIED(Heat), KEEL_READ(Heat, h), KEEL_ENTITY(e))
        mix(&sum, keel_entity_index(e), h->value);
    assert_true(sum.seen > 0);
    keel_reader_destroy(reader);
    api_end(&f);
    return sum.hash + sum.seen;
}

static void pieces_that_end_early(void **state) {
    (void)state;
    const uint64_t one = modified_by_pieces(1);
    for (uint32_t i = 0; i < 20; ++i)
        assert_int_equal(modified_by_pieces(2 + i % 3), one);
}

static const struct CMUnitTest tests[] = {
    // proves S-79 S-89
    TEST(pieces_ask_for_their_own_changes,
         "pieces ask for changes of what they write, each of its own entities"),
    TEST(pieces_that_end_early, "a piece that ends early has written what it was handed out"),
    TEST(exactly_what_is_marked_counts,
         "KEEL_WRITE_MARKED: what is marked counts as modified, and nothing else"),
    // proves S-79 S-89
    TEST(any_number_of_workers, "what is seen is the same for any number of workers"),
    TEST(who_asks_in_a_workload_has_changes_tracked,
         "changes that a task of a workload asks for are tracked from then on"),
    TEST(in_shared_mode_asking_is_refused, "in shared mode nobody can have changes tracked"),
    // proves S-79
    TEST(what_was_seen_survives_new_steps, "a workload that gets a step has seen what it saw"),
};

int main(void) { return RUN(tests); }
