// SPDX-License-Identifier: MIT
// Systems that are split over workers: every entity once, the same cuts, the same commands and the
// same handles for any number of workers; and what cannot be split.
#include "support/api_types.h"
#include "support/job_watch.h"
#include "support/view_fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct Sparse {
    uint32_t visits;
} Sparse;
typedef struct Index {
    uint32_t visits;
} Index;
typedef struct Row {
    uint32_t visits;
} Row;
typedef struct RowTwo {
    uint32_t visits;
} RowTwo;
typedef struct Origin {
    uint32_t index;
} Origin;
KEEL_COMPONENT(Sparse);
KEEL_COMPONENT(Index, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(RowTwo, .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(Origin);
KEEL_TAG(Tagged);

enum { MOST = 100000 };
static const uint32_t sizes[] = { 0, 1, 63, 64, 65, 1000, MOST };
static const uint32_t worker_counts[] = { 1, 2, 3, 4, 8 };
enum { SIZES = sizeof sizes / sizeof *sizes, WORKERS = sizeof worker_counts / sizeof(uint32_t) };

// Half of the entities have everything, the others some of it, and there are holes.
static void begin(api_fixture *f, uint32_t workers, uint32_t count) {
    api_begin_workers(f, workers);
    const uint32_t half = count - count / 2, some = count / 2;
    keel_entity *e = calloc(count + 1, sizeof *e);
    assert_non_null(e);
    assert_int_equal(keel_add_entities(f->world, half, e, KEEL_FILL(Sparse), KEEL_FILL(Index),
                                       KEEL_FILL(Row), KEEL_FILL(Number), KEEL_FILL(RowTwo)),
                     KEEL_OK);
    assert_int_equal(keel_add_entities(f->world, some, e + half, KEEL_FILL(Index), KEEL_FILL(Row)),
                     KEEL_OK);
    (void)keel_add_component_to_many(f->world, e, count / 3, KEEL_OF(Tagged), NULL, 0);
    (void)keel_add_component_to_many(f->world, e + count / 4, count / 2, KEEL_OF(Other), NULL, 0);
    (void)keel_delete_component_from_many(f->world, e + count / 5, count / 7, KEEL_OF(Sparse));
    (void)keel_delete_entities(f->world, e + count / 2, count / 50);
    free(e);
}

// ------------------------------------------------------------------ who was visited, in which cuts
static atomic_uchar visits[MOST]; // by index
static atomic_ulong cuts;         // a sum over all chunks: which entity is first, how many
static atomic_ulong seen;         // all visits
static atomic_uint lanes, strays;
static uint32_t limit; // of lanes
static bool slow;

static void note_lane(const keel_context *context) {
    const uint32_t lane = keel_context_info(context, &(keel_run_info){ 0 })->worker;
    if (lane >= limit) ++strays;
    else lanes |= 1u << lane;
}

static void note_cut(uint32_t first, uint32_t count, uint32_t form) {
    uint64_t x = ((uint64_t)first << 34) + ((uint64_t)count << 2) + form;
    x = (x ^ x >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    cuts += x ^ x >> 32;
    if (slow) wait_some_us(20); // others come to help
}

// The code that KEEL_SYSTEM writes, with a look at the chunk.
static void visit(const keel_chunk *chunk, keel_context *context) {
    note_lane(context);
    uint32_t first = UINT32_MAX, count = 0;
    for (uint32_t i = 0; i < chunk->count; ++i) {
        if (!chunk_has(chunk, i)) continue;
        ++count;
        const uint32_t index = keel_entity_index(chunk->entities[i]);
        if (first == UINT32_MAX) first = index;
        ++visits[index];
        uint32_t *value = (uint32_t *)(uintptr_t)chunk_value(chunk, 0, i, sizeof *value);
        if (value) ++*value;
    }
    seen += count;
    note_cut(first, chunk->count, (uint32_t)chunk->form);
}

#define TERMS(name, ...)                                                                           \
    static const keel_term name[] = { __VA_ARGS__,                                                 \
                                      { .kind = KEEL_TERM_ENTITY },                                \
                                      { .kind = KEEL_TERM_CONTEXT },                               \
                                      { .kind = KEEL_TERM_END } }
#define TERM(k, T)                                                                                 \
    { .kind = KEEL_TERM_##k, .component = KEEL_OF(T) }
static const keel_component *const or_number[] = { KEEL_OF(Number), NULL };
TERMS(sparse_terms, TERM(WRITE, Sparse));
TERMS(two_sparse_terms, TERM(WRITE, Sparse), TERM(READ, Number));
TERMS(bits_terms, TERM(WRITE, Index));
TERMS(bits_without_terms, TERM(WRITE, Index), TERM(WITHOUT, Other), TERM(OPTIONAL_READ, Sparse));
TERMS(rows_terms, TERM(WRITE, Row));
TERMS(two_rows_terms, TERM(WRITE, Row), TERM(READ, RowTwo));
TERMS(mixed_terms, TERM(WRITE, Row), TERM(READ, Index), TERM(READ, Sparse));
TERMS(mixed_bits_terms, TERM(WRITE, Index), TERM(READ, RowTwo), TERM(WITH, Tagged));
TERMS(tag_terms, { .kind = KEEL_TERM_NONE }, TERM(WITH, Tagged));
TERMS(maybe_terms, TERM(OPTIONAL_WRITE, Sparse), TERM(OPTIONAL_READ, Row));
TERMS(without_terms, { .kind = KEEL_TERM_NONE }, TERM(WITHOUT, Index));
TERMS(no_terms, { .kind = KEEL_TERM_NONE });
TERMS(any_of_terms, { .kind = KEEL_TERM_NONE },
      { .kind = KEEL_TERM_ANY_OF, .component = KEEL_OF(Other), .others = or_number });
TERMS(any_of_bits_terms, TERM(WRITE, Index),
      { .kind = KEEL_TERM_ANY_OF, .component = KEEL_OF(Other), .others = or_number });

static const keel_term *const term_lists[] = {
    sparse_terms,   two_sparse_terms, bits_terms,       bits_without_terms, rows_terms,
    two_rows_terms, mixed_terms,      mixed_bits_terms, tag_terms,          maybe_terms,
    without_terms,  no_terms,         any_of_terms,     any_of_bits_terms,
};
enum { LISTS = sizeof term_lists / sizeof *term_lists };

// What a split run of the system visits is what a plain loop visits.
static void check_visits(keel_world *world, const keel_term *terms) {
    keel_term plain[8];
    uint32_t n = 0;
    for (; terms[n].kind != KEEL_TERM_CONTEXT; ++n)
        plain[n] = terms[n];
    plain[n] = (keel_term){ .kind = KEEL_TERM_END };
    keel_view view = open_view(world, plain);
    keel_iterator walk;
    uint64_t expected = 0;
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
    for (const keel_chunk *c; (c = keel_iterator_next(&walk)) != NULL;)
        for (uint32_t i = 0; i < c->count; ++i) {
            if (!chunk_has(c, i)) continue;
            ++expected;
            if (visits[keel_entity_index(c->entities[i])] != 1) fail_msg("not visited once");
        }
    keel_view_end(&view);
    assert_int_equal(seen, expected);
}

static uint64_t run_and_check(api_fixture *f, const keel_term *terms, keel_system_kind kind) {
    const keel_system system = { .name = "visit", .kind = kind, .run = visit, .terms = terms };
    memset(visits, 0, sizeof visits);
    cuts = seen = 0;
    strays = 0;
    assert_int_equal(keel_run_system(f->world, &system, &(keel_run_desc){ .parallel = true }),
                     KEEL_OK);
    check_visits(f->world, terms);
    assert_int_equal(strays, 0);
    assert_no_error(f->world);
    return cuts;
}

static void visit_all(uint32_t size, bool with_group) {
    uint64_t first[LISTS][2];
    for (uint32_t w = 0; w < WORKERS; ++w) {
        api_fixture f;
        limit = worker_counts[w];
        begin(&f, limit, size);
        if (with_group)
            assert_non_null(
                keel_group_create(f.world, KEEL_OWNED(Sparse, Number), KEEL_GET(Other)));
        for (uint32_t t = 0; t < LISTS; ++t)
            for (uint32_t spans = 0; spans < 2; ++spans) {
                const uint64_t sum = run_and_check(
                    &f, term_lists[t], spans ? KEEL_SYSTEM_PER_SPAN : KEEL_SYSTEM_PER_ENTITY);
                if (w == 0) first[t][spans] = sum;
                if (sum != first[t][spans])
                    fail_msg("list %u of %u entities: other cuts with %u workers", (unsigned)t,
                             (unsigned)size, (unsigned)limit);
            }
        api_end(&f);
    }
}

static void every_entity_is_visited_once(void **state) {
    (void)state;
    lanes = 0;
    for (uint32_t s = 0; s < SIZES; ++s) {
        slow = sizes[s] <= 1000;
        visit_all(sizes[s] == MOST ? test_rounds(MOST) : sizes[s], false);
    }
    assert_int_not_equal(lanes & ~1u, 0); // not only the calling thread was at work
}

static void groups_lead_split_loops_too(void **state) {
    (void)state;
    for (uint32_t s = 0; s < SIZES; ++s) {
        slow = sizes[s] <= 1000;
        visit_all(sizes[s] == MOST ? test_rounds(MOST) : sizes[s], true);
    }
}

// ------------------------------------------------------------------ commands
enum { CREATORS = 3000 };
static uint64_t handles[CREATORS];

KEEL_SYSTEM(create, KEEL_READ(Index, x), KEEL_ENTITY(e), KEEL_COMMANDS(commands, Origin, Third)) {
    (void)x;
    const uint32_t i = keel_entity_index(e);
    if (i % 64 == 9) wait_some_us(30);
    if (i % 3) return;
    const keel_entity fresh = keel_add_entity(commands, KEEL_INIT(Origin, { i }));
    handles[i] = fresh.bits;
    (void)keel_add(commands, e, Third, { i });
    if (i % 2) (void)keel_add(commands, fresh, Third, { i });
}
KEEL_WORKLOAD(creates, KEEL_STEP(create, .parallel = true));

// The components that were added, in packed order, say in which order that was.
static void assert_entity_order(keel_world *world) {
    uint32_t last = 0, count = 0;
    keel_view view = open_view(world, KEEL_TERMS(KEEL_READ(Origin, o)));
    keel_iterator walk;
    keel_span span;
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
    while (keel_iterator_next_span(&walk, &span))
        for (uint32_t i = 0; i < span.count; ++i, ++count) {
            const Origin *o = keel_span_read(&span, Origin);
            if (count) assert_in_range(o[i].index, last + 1, CREATORS);
            last = o[i].index;
        }
    keel_view_end(&view);
    assert_in_range(count, CREATORS / 4, CREATORS);
}

// How the system is run.
typedef enum way { BY_STEP, BY_STEP_TWICE, DIRECTLY, WAYS } way;

static char *create_all(uint32_t workers, way how) {
    api_fixture f;
    begin(&f, workers, CREATORS);
    memset(handles, 0, sizeof handles);
    if (how == DIRECTLY) assert_int_equal(keel_run_parallel(f.world, create), KEEL_OK);
    else assert_int_equal(keel_run_workload(f.world, creates), KEEL_OK);
    assert_entity_order(f.world);
    if (how == BY_STEP_TWICE) { // now handles are promised before
        assert_int_equal(keel_clear(f.world, Origin), KEEL_OK);
        assert_int_equal(keel_run_workload(f.world, creates), KEEL_OK);
        assert_entity_order(f.world);
    }
    (void)keel_add_entity(f.world, KEEL_INIT(Velocity, { 0, 0 })); // the next handle, too
    char *text = world_text(f.world, NULL);
    assert_no_error(f.world);
    api_end(&f);
    return text;
}

static void commands_come_in_the_order_of_entities(void **state) {
    (void)state;
    static uint64_t kept[CREATORS];
    for (way how = BY_STEP; how < WAYS; ++how) {
        char *expected = create_all(1, how);
        memcpy(kept, handles, sizeof kept);
        for (uint32_t w = 1; w < WORKERS; ++w) {
            char *actual = create_all(worker_counts[w], how);
            assert_memory_equal(kept, handles, sizeof kept);
            assert_string_equal(actual, expected);
            free(actual);
        }
        free(expected);
    }
}

// ------------------------------------------------------------------ what a body has
typedef struct Totals {
    uint32_t by_lane[8];
} Totals;
KEEL_SYSTEM(sum_up, KEEL_READ(Index, x), KEEL_DATA(Totals, totals), KEEL_MAY_READ(Sparse),
            KEEL_ENTITY(e), KEEL_CONTEXT(context)) {
    uint64_t *scratch = keel_context_scratch(context, 32 * sizeof *scratch, 256);
    if (!scratch || (uintptr_t)scratch % 256) ++strays;
    for (uint32_t i = 0; scratch && i < 32; ++i)
        scratch[i] = e.bits;
    if (keel_entity_index(e) % 128 == 1) wait_some_us(20);
    for (uint32_t i = 0; scratch && i < 32; ++i)
        strays += scratch[i] != e.bits; // somebody else has the same
    const Sparse *other = keel_get(context, e, Sparse);
    if (other) strays += other->visits != 0;
    totals->by_lane[keel_context_info(context, &(keel_run_info){ 0 })->worker] += 1 + x->visits;
}

static void bodies_have_scratch_lanes_and_look_ups(void **state) {
    (void)state;
    for (uint32_t w = 0; w < WORKERS; ++w) {
        api_fixture f;
        begin(&f, worker_counts[w], 2000);
        strays = 0;
        Totals totals = { { 0 } };
        assert_int_equal(
            keel_run_system(
                f.world, &KEEL_SYSTEM_sum_up,
                &(keel_run_desc){ .data = &totals, .data_size = sizeof totals, .parallel = true }),
            KEEL_OK);
        uint32_t sum = 0;
        for (uint32_t i = 0; i < 8; ++i) {
            if (i >= worker_counts[w]) assert_int_equal(totals.by_lane[i], 0);
            sum += totals.by_lane[i];
        }
        assert_int_equal(sum, keel_count(f.world, Index));
        assert_int_equal(strays, 0);
        assert_no_error(f.world);
        api_end(&f);
    }
}

KEEL_SYSTEM(asks_oddly, KEEL_READ(Index, x), KEEL_CONTEXT(context)) {
    (void)x;
    strays += keel_context_scratch(context, 8, 3) != NULL;
    strays += keel_context_scratch(context, 8, 0) != NULL;
}

static void odd_alignments_are_refused(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 2, 100);
    strays = 0;
    assert_int_equal(keel_run_parallel(f.world, asks_oddly), KEEL_OK);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "power of two");
    assert_int_equal(strays, 0);
    assert_null(keel_context_scratch(NULL, 8, 8));
    assert_int_equal(keel_context_info(NULL, &(keel_run_info){ 0 })->worker, 0);
    api_end(&f);
}

// ------------------------------------------------------------------ what cannot be split
KEEL_SYSTEM(writes_unique, KEEL_READ(Index, x), KEEL_UNIQUE_WRITE(Time, t)) { (void)x, (void)t; }
KEEL_SYSTEM(may_write, KEEL_READ(Index, x), KEEL_MAY_WRITE(Sparse)) { (void)x; }
KEEL_SYSTEM(may_edit, KEEL_READ(Index, x), KEEL_MAY_EDIT(Sparse)) { (void)x; }
KEEL_SYSTEM_ONCE(once, KEEL_MAY_READ(Sparse)) {}
KEEL_SYSTEM_ONCE(world_task, KEEL_WORLD(world)) { (void)world; }
KEEL_SYSTEM(plain, KEEL_WRITE(Index, x)) { ++x->visits; }
KEEL_WORKLOAD(in_main, KEEL_STEP(plain, .parallel = true, .main_thread = true));

static void assert_not_split(keel_world *world, const keel_system *system, const char *why) {
    const keel_step step = { .system = system, .parallel = true };
    const keel_workload table = { .name = "table", .steps = &step, .step_count = 1 };
    for (uint32_t i = 0; i < 2; ++i) {
        assert_int_equal(i ? keel_run_workload_of(world, &table, NULL)
                           : keel_run_system(world, system, &(keel_run_desc){ .parallel = true }),
                         KEEL_ERROR_ARGUMENT);
        assert_non_null(strstr(keel_last_error(world)->message, system->name));
        assert_error(world, KEEL_ERROR_ARGUMENT, why);
    }
}

static void what_threads_would_share_is_refused(void **state) {
    (void)state;
    for (uint32_t w = 0; w < 2; ++w) {
        api_fixture f;
        begin(&f, worker_counts[w], 100);
        assert_int_equal(keel_set_unique(f.world, Time, { 0 }), KEEL_OK);
        assert_not_split(f.world, &KEEL_SYSTEM_writes_unique, "writes a unique");
        assert_not_split(f.world, &KEEL_SYSTEM_may_write, "may change components of any entity");
        assert_not_split(f.world, &KEEL_SYSTEM_may_edit, "may change components of any entity");
        assert_not_split(f.world, &KEEL_SYSTEM_once, "runs once");
        assert_not_split(f.world, &KEEL_SYSTEM_world_task, "runs once");
        assert_int_equal(keel_run_workload(f.world, in_main), KEEL_ERROR_ARGUMENT);
        assert_error(f.world, KEEL_ERROR_ARGUMENT, "both .parallel and .main_thread");
        assert_int_equal(keel_run_system(f.world, NULL, &(keel_run_desc){ .parallel = true }),
                         KEEL_ERROR_ARGUMENT);
        keel_clear_errors(f.world);
        api_end(&f);
    }
}

// Other entities' values of what the pieces write are being written.
KEEL_SYSTEM(looks_at_what_it_writes, KEEL_WRITE(Index, x), KEEL_ENTITY(e), KEEL_CONTEXT(context)) {
    (void)x;
    strays += keel_get(context, e, Index) != NULL;
}
KEEL_SYSTEM(loops_over_what_it_writes, KEEL_WRITE(Index, x), KEEL_CONTEXT(context)) {
    (void)x;
    KEEL_EACH(context, KEEL_READ(Index, other)) {
        strays += other->visits > 0;
    }
}

static void what_is_written_cannot_be_looked_up(void **state) {
    (void)state;
    for (uint32_t w = 0; w < 2; ++w) {
        api_fixture f;
        begin(&f, worker_counts[w], 100);
        strays = 0;
        (void)keel_run_parallel(f.world, looks_at_what_it_writes);
        assert_error(f.world, KEEL_ERROR_ACCESS, "run the step without .parallel");
        (void)keel_run_parallel(f.world, loops_over_what_it_writes);
        assert_error(f.world, KEEL_ERROR_ACCESS, "'loops_over_what_it_writes' is split");
        assert_int_equal(strays, 0);
        assert_int_equal(keel_run(f.world, looks_at_what_it_writes), KEEL_OK); // one by one
        assert_int_equal(strays, keel_count(f.world, Index));
        api_end(&f);
    }
}

// ------------------------------------------------------------------ never unasked
static void nothing_is_split_unasked(void **state) {
    (void)state;
    api_fixture f;
    limit = 4;
    begin(&f, limit, 20000);
    const keel_system system = {
        .name = "visit", .kind = KEEL_SYSTEM_PER_ENTITY, .run = visit, .terms = rows_terms
    };
    const keel_step step = { .system = &system };
    const keel_workload table = { .name = "table", .steps = &step, .step_count = 1 };
    slow = true;
    lanes = 0;
    assert_int_equal(keel_run_system(f.world, &system, NULL), KEEL_OK);
    assert_int_equal(keel_run_workload_of(f.world, &table, NULL), KEEL_OK);
    assert_int_equal(lanes, 1);
    api_end(&f);
}

// One worker: no thread is started, and pieces run in order.
static pthread_t caller;
static uint32_t last_index;
KEEL_SYSTEM(in_order, KEEL_READ(Index, x), KEEL_ENTITY(e)) {
    (void)x;
    strays += !pthread_equal(pthread_self(), caller) || keel_entity_index(e) < last_index;
    last_index = keel_entity_index(e);
}

static void with_one_worker_everything_runs_first_to_last(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 1, 5000);
    caller = pthread_self();
    strays = last_index = 0;
    assert_int_equal(keel_run_parallel(f.world, in_order), KEEL_OK);
    assert_int_equal(strays, 0);
    assert_in_range(last_index, 4000, 5000);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    // proves S-48
    TEST(every_entity_is_visited_once,
         "split loops visit each entity once, in the same cuts for any number of workers"),
    // proves S-48
    TEST(groups_lead_split_loops_too, "groups lead split loops, too"),
    TEST(commands_come_in_the_order_of_entities,
         "commands of split loops come in the order of entities, with the same handles"),
    TEST(bodies_have_scratch_lanes_and_look_ups,
         "bodies of split loops have scratch memory, lanes, data and look-ups"),
    TEST(odd_alignments_are_refused, "scratch memory with an odd alignment is refused"),
    TEST(what_threads_would_share_is_refused, "what threads would share is refused"),
    TEST(what_is_written_cannot_be_looked_up, "what a split loop writes cannot be looked up"),
    // proves S-76
    TEST(nothing_is_split_unasked, "nothing is split unasked"),
    // proves S-75
    TEST(with_one_worker_everything_runs_first_to_last,
         "with one worker everything runs in the calling thread, first to last"),
};

int main(void) { return RUN(tests); }
