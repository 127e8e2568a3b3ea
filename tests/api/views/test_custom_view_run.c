// SPDX-License-Identifier: MIT
// Custom views in runs: the scheduler knows what they declare, split systems share them, memory
// runs out, and when it does not a warmed-up run asks for none.
#include "support/custom_views.h"

#include <stdatomic.h>

static const uint32_t worker_counts[] = { 1, 2, 4, 8 };

static void begin_with_workers(api_fixture *f, uint32_t count, uint32_t numbers) {
    memset(&seen, 0, sizeof seen);
    api_begin_workers(f, count);
    assert_int_equal(keel_set_unique(f->world, Time, { 1, 2 }), KEEL_OK);
    for (uint32_t i = 0; i < numbers; ++i)
        (void)keel_add_entity(f->world, KEEL_INIT(Number, { i }), KEEL_INIT(Other, { 1 }));
}

// ------------------------------------------------------------------ the order of systems
// What all numbers were when the view was made, and what is written when it is dropped.
typedef struct Total {
    Time *time;
    uint64_t of_numbers;
} Total;
static keel_result total_init(void *view, keel_context *context) {
    Total *total = view;
    KEEL_EACH(context, KEEL_READ(Number, n))
        total->of_numbers += n->value;
    return KEEL_OK;
}
static void total_drop(void *view, keel_context *context) {
    const Total *total = view;
    (void)context;
    total->time->now = (double)total->of_numbers;
}
KEEL_CUSTOM_VIEW(Total, KEEL_UNIQUE_WRITE(Time, time), KEEL_MAY_READ(Number), .init = total_init,
                 .drop = total_drop);

KEEL_SYSTEM(count_up, KEEL_WRITE(Number, n)) { ++n->value; }
KEEL_SYSTEM_ONCE(add_up, KEEL_CUSTOM_WRITE(Total, total)) { total->of_numbers *= 2; }
KEEL_SYSTEM(spread, KEEL_UNIQUE_READ(Time, time), KEEL_WRITE(Other, o)) {
    o->value = (uint32_t)time->now;
}
KEEL_WORKLOAD(ordered, KEEL_STEP(count_up), KEEL_STEP(add_up), KEEL_STEP(count_up),
              KEEL_STEP(spread), KEEL_STEP(add_up));

static void the_order_heeds_what_is_inside(void **state) {
    (void)state;
    for (uint32_t w = 0; w < 4; ++w) {
        api_fixture f;
        begin_with_workers(&f, worker_counts[w], 1000);
        uint64_t sum = 1000 * 999 / 2;
        for (uint32_t i = 0; i < 50; ++i) {
            assert_int_equal(keel_run_workload(f.world, ordered), KEEL_OK);
            const Other *o = keel_get(f.world, keel_next_entity(f.world, keel_null()), Other);
            assert_int_equal(o->value, 2 * (sum + 1000));
            sum += 2000;
            assert_true(keel_get_unique(f.world, Time)->now == (double)(2 * sum));
        }
        api_end(&f);
    }
}

// ------------------------------------------------------------------ many at once
static atomic_uint made, dropped;
typedef struct Work {
    keel_view numbers;
    uint32_t *sums;
} Work;
static keel_result work_init(void *view, keel_context *context) {
    Work *work = view;
    atomic_fetch_add(&made, 1);
    work->sums = (uint32_t *)keel_context_scratch(context, 1000 * sizeof *work->sums, 64);
    if (!work->sums) return KEEL_ERROR_MEMORY;
    for (uint32_t i = 0; i < 1000; ++i)
        work->sums[i] = i;
    return KEEL_OK;
}
static void work_drop(void *view, keel_context *context) {
    (void)context;
    atomic_fetch_add(&dropped, ((Work *)view)->sums[999] == 999);
}
KEEL_CUSTOM_VIEW(Work, KEEL_VIEW(numbers, KEEL_READ(Number, n)), .init = work_init,
                 .drop = work_drop);

#define WORKER(name, Mine)                                                                         \
    KEEL_SYSTEM(name, KEEL_WRITE(Mine, mine), KEEL_CUSTOM_WRITE(Work, work)) {                     \
        mine->value += work->sums[mine->value % 1000] + keel_view_count(&work->numbers);           \
    }
WORKER(work_on_other, Other)
WORKER(work_on_third, Third)
KEEL_SYSTEM(work_on_health, KEEL_WRITE(Health, h), KEEL_CUSTOM_WRITE(Work, work)) {
    h->points += (int32_t)work->sums[7];
}
KEEL_SYSTEM_ONCE(just_work, KEEL_CUSTOM_WRITE(Work, a), KEEL_CUSTOM_WRITE(Work, b)) {
    a->sums[0] = b->sums[0];
}
KEEL_WORKLOAD(busy, KEEL_STEP(work_on_other), KEEL_STEP(work_on_third), KEEL_STEP(just_work),
              KEEL_STEP(work_on_health), KEEL_STEP(just_work), KEEL_STEP(work_on_third),
              KEEL_STEP(just_work));

static void many_are_made_at_the_same_time(void **state) {
    (void)state;
    uint32_t first = 0;
    for (uint32_t w = 0; w < 4; ++w) {
        api_fixture f;
        begin_with_workers(&f, worker_counts[w], 300);
        atomic_store(&made, 0);
        atomic_store(&dropped, 0);
        const keel_entity e = keel_next_entity(f.world, keel_null());
        assert_int_equal(keel_add_values(f.world, e, KEEL_INIT(Third), KEEL_INIT(Health)), KEEL_OK);
        for (uint32_t i = 0; i < 50; ++i)
            assert_int_equal(keel_run_workload(f.world, busy), KEEL_OK);
        assert_int_equal(atomic_load(&made), 50 * 10);
        assert_int_equal(atomic_load(&dropped), 50 * 10);
        const uint32_t value = keel_get(f.world, e, Third)->value;
        if (w == 0) first = value;
        assert_int_equal(value, first);
        assert_no_error(f.world);
        api_end(&f);
    }
}

// ------------------------------------------------------------------ split systems
typedef struct Table {
    const Time *time;
    uint32_t squares[100];
} Table;
static keel_result table_init(void *view, keel_context *context) {
    (void)context;
    ++seen.runs; // one thread at a time
    for (uint32_t i = 0; i < 100; ++i)
        ((Table *)view)->squares[i] = i * i;
    return KEEL_OK;
}
KEEL_CUSTOM_VIEW(Table, KEEL_UNIQUE_READ(Time, time), KEEL_MAY_READ(Other), .init = table_init);

KEEL_SYSTEM(square, KEEL_WRITE(Number, n), KEEL_CUSTOM_READ(Table, table)) {
    n->value = table->squares[n->value % 100];
}
KEEL_SYSTEM(square_alone, KEEL_WRITE(Number, n), KEEL_CUSTOM_WRITE(Table, table)) {
    n->value = table->squares[n->value % 100];
}
KEEL_SYSTEM(writes_inside, KEEL_READ(Other, o), KEEL_CUSTOM_READ(Total, total)) {
    (void)o, (void)total;
}
KEEL_SYSTEM(begins_inside, KEEL_READ(Other, o), KEEL_CONTEXT(context)) {
    X x;
    (void)o;
    const keel_result result = keel_custom_begin(context, X, &x);
    if (result < 0) keel_fail(context, NULL, "%s", keel_result_text(result));
}
KEEL_WORKLOAD(split, KEEL_STEP(square, .parallel = true), KEEL_STEP(square, .parallel = true));
KEEL_WORKLOAD(split_alone, KEEL_STEP(square_alone, .parallel = true));

static void split_systems_share_them_to_read(void **state) {
    (void)state;
    uint64_t hashes[4];
    for (uint32_t w = 0; w < 4; ++w) {
        api_fixture f;
        begin_with_workers(&f, worker_counts[w], 20000);
        assert_int_equal(keel_run_parallel(f.world, square), KEEL_OK);
        assert_int_equal(seen.runs, 1); // made once, whoever helps
        assert_int_equal(keel_run_workload(f.world, split), KEEL_OK);
        assert_int_equal(seen.runs, 3);
        hashes[w] = 0;
        KEEL_EACH(f.world, KEEL_READ(Number, n))
            hashes[w] = hashes[w] * 31 + n->value;
        assert_true(hashes[w] == hashes[0]);
        assert_no_error(f.world);
        api_end(&f);
    }
}

static void split_systems_do_not_share_what_changes(void **state) {
    (void)state;
    api_fixture f;
    begin_with_workers(&f, 4, 1000);
    assert_int_equal(keel_run_parallel(f.world, square_alone), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "take it with KEEL_CUSTOM_READ");
    assert_int_equal(keel_run_workload(f.world, split_alone), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "take it with KEEL_CUSTOM_READ");
    assert_int_equal(keel_run_parallel(f.world, writes_inside), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "its custom view may write");
    assert_int_equal(keel_run_parallel(f.world, begins_inside), KEEL_ERROR_ACCESS);
    assert_error(f.world, KEEL_ERROR_ACCESS, "make it a parameter");
    api_end(&f);
}

// ------------------------------------------------------------------ tables that change
static void changed_tables_are_noticed(void **state) {
    (void)state;
    api_fixture f;
    begin_with_workers(&f, 1, 10);
    keel_term inside[] = { { .kind = KEEL_TERM_MAY_READ, .component = KEEL_OF(Number) },
                           { .kind = KEEL_TERM_END } };
    const keel_custom_view kind = { .name = "Table", .size = 1, .align = 1, .terms = inside };
    const keel_term terms[] = { { .kind = KEEL_TERM_CUSTOM, .custom = &kind },
                                { .kind = KEEL_TERM_WRITE, .component = KEEL_OF(Other) },
                                { .kind = KEEL_TERM_END } };
    const keel_system system = { .name = "table",
                                 .kind = KEEL_SYSTEM_PER_ENTITY,
                                 .terms = terms,
                                 .run = KEEL_SYSTEM_for_nobody.run };
    const keel_step steps[] = { { .system = &system } };
    const keel_workload workload = { "tables", steps, 1, NULL };
    for (uint32_t i = 0; i < 2; ++i) {
        inside[0].component = KEEL_OF(Third);
        assert_int_equal(keel_run_system(f.world, &system, NULL), KEEL_OK);
        assert_int_equal(keel_run_workload_of(f.world, &workload, NULL), KEEL_OK);
        inside[0].component = KEEL_OF(Other); // written by the system
        assert_int_equal(keel_run_system(f.world, &system, NULL), KEEL_ERROR_ARGUMENT);
        assert_int_equal(keel_run_workload_of(f.world, &workload, NULL), KEEL_ERROR_ARGUMENT);
        assert_error(f.world, KEEL_ERROR_ARGUMENT, "writes 'Other' and names it again");
    }
    api_end(&f);
}

// ------------------------------------------------------------------ memory
static uint32_t letters(char which) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < seen.length; ++i)
        count += seen.text[i] == which;
    return count;
}

static keel_result run_both(keel_world *world) { return keel_run(world, both); }
static keel_result run_two_steps(keel_world *world) { return keel_run_workload(world, both_twice); }
static keel_result run_whole(keel_world *world) { return keel_run(world, with_whole); }
static keel_result begin_look(keel_world *world) {
    Look look;
    KEEL_TRY(keel_custom_begin(world, Look, &look));
    return keel_custom_end(world, &look);
}

static void assert_memory_may_run_out(keel_result (*call)(keel_world *world)) {
    bool once = false;
    do {
        for (size_t n = 0;; ++n) {
            api_fixture f;
            begin_with_workers(&f, 1, 10);
            if (once) counting_allocator_fail_once(&f.memory, n);
            else counting_allocator_fail_after(&f.memory, n);
            const keel_result result = call(f.world);
            const bool done = f.memory.failures == 0;
            counting_allocator_never_fail(&f.memory);
            assert_true(done == (result == KEEL_OK));
            if (!done) assert_true(result == KEEL_ERROR_MEMORY || result == KEEL_ERROR_VIEW);
            if (!done) assert_error(f.world, KEEL_ERROR_MEMORY, "out of memory");
            assert_int_equal(letters('x'), letters('X'));
            assert_int_equal(letters('y'), letters('Y'));
            assert_int_equal(letters('l'), letters('L'));
            memset(&seen, 0, sizeof seen);
            assert_int_equal(call(f.world), KEEL_OK); // nothing is still borrowed
            api_end(&f);
            if (done) break;
        }
        once = !once;
    } while (once);
}

static void memory_may_run_out(void **state) {
    (void)state;
    assert_memory_may_run_out(run_both);
    assert_memory_may_run_out(run_two_steps);
    assert_memory_may_run_out(run_whole);
    assert_memory_may_run_out(begin_look);
}

static void assert_no_memory_is_asked_for(api_fixture *f, keel_result (*call)(keel_world *world)) {
    for (uint32_t i = 0; i < 3; ++i)
        assert_int_equal(call(f->world), KEEL_OK);
    const size_t before = f->memory.growing_calls;
    for (uint32_t i = 0; i < 3; ++i) {
        memset(&seen, 0, sizeof seen);
        assert_int_equal(call(f->world), KEEL_OK);
    }
    assert_int_equal(f->memory.growing_calls, before);
    memset(&seen, 0, sizeof seen);
}

static keel_result run_split_steps(keel_world *world) { return keel_run_workload(world, split); }

static void a_warmed_up_run_asks_for_no_memory(void **state) {
    (void)state;
    api_fixture f;
    begin_with_workers(&f, 1, 10);
    assert_no_memory_is_asked_for(&f, run_both);
    assert_no_memory_is_asked_for(&f, run_two_steps);
    assert_no_memory_is_asked_for(&f, run_whole);
    assert_no_memory_is_asked_for(&f, begin_look);
    assert_no_memory_is_asked_for(&f, run_split_steps);
    api_end(&f);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        // proves S-98
        TEST(the_order_heeds_what_is_inside, "systems are ordered by what is inside"),
        TEST(many_are_made_at_the_same_time, "custom views are made on all workers at once"),
        TEST(split_systems_share_them_to_read, "a split system makes them once and shares them"),
        TEST(split_systems_do_not_share_what_changes, "a split system does not share changes"),
        // proves S-98
        TEST(changed_tables_are_noticed, "a change of a table is noticed"),
        // proves S-97
        TEST(memory_may_run_out, "what was made is dropped when memory runs out"),
        TEST(a_warmed_up_run_asks_for_no_memory, "a warmed-up run asks for no memory"),
    };
    return RUN(tests);
}
