// SPDX-License-Identifier: MIT
// Loops and reductions over ranges and views, on 1, 2, 4 and 8 workers: each index once, the same
// pieces and the same bits for every number of workers.
#include "support/api_types.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 4, MOST = 30000 };
static const uint32_t worker_counts[WORKERS] = { 1, 2, 4, 8 };

// ------------------------------------------------------------------ ranges
typedef struct visits {
    atomic_uchar of[MOST];
    uint32_t ends[KEEL_MAX_PIECES], begins[KEEL_MAX_PIECES]; // by piece
    atomic_uint pieces, bad;
} visits;
static visits *seen;

static void visit(uint32_t begin, uint32_t end, const keel_piece *piece, void *data) {
    visits *v = data;
    v->begins[piece->number] = begin;
    v->ends[piece->number] = end;
    atomic_fetch_add(&v->pieces, 1);
    if (begin >= end || piece->partial) atomic_fetch_add(&v->bad, 1);
    for (uint32_t i = begin; i < end && end <= MOST; ++i)
        atomic_fetch_add(&v->of[i], 1);
}

static void assert_visited(uint32_t count, uint32_t grain) {
    const uint32_t pieces = atomic_load(&seen->pieces);
    assert_int_equal(atomic_load(&seen->bad), 0);
    assert_int_equal(pieces, count / grain + (count % grain != 0));
    for (uint32_t p = 0; p < pieces; ++p) {
        assert_int_equal(seen->begins[p], p * grain);
        assert_int_equal(seen->ends[p], count - p * grain < grain ? count : (p + 1) * grain);
    }
    for (uint32_t i = 0; i < MOST; ++i)
        assert_int_equal(atomic_load(&seen->of[i]), i < count);
    memset(seen, 0, sizeof *seen);
}

static void each_index_is_visited_once(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    static const uint32_t counts[] = { 0, 1, 63, 64, 1000, MOST };
    static const uint32_t grains[] = { 1, 7, 64, 1000, 50000 };
    for (uint32_t w = 0; w < WORKERS; ++w) {
        api_fixture f;
        api_begin_workers(&f, worker_counts[w]);
        for (uint32_t c = 0; c < 6; ++c)
            for (uint32_t g = 0; g < 5; ++g) {
                assert_int_equal(keel_parallel_for(f.world, counts[c], grains[g], visit, seen),
                                 KEEL_OK);
                assert_visited(counts[c], grains[g]);
            }
        assert_int_equal(keel_parallel_for(f.world, MOST, 0, visit, seen), KEEL_OK);
        assert_visited(MOST, 128); // 256 pieces, in whole words of bits
        api_end(&f);
    }
}

static void count_piece(uint32_t begin, uint32_t end, const keel_piece *piece, void *data) {
    atomic_uint *pieces = data;
    (void)begin, (void)end, (void)piece;
    atomic_fetch_add(pieces, 1);
}

static void there_are_not_too_many_pieces(void **state) {
    (void)state;
    api_fixture f;
    atomic_uint pieces = 0;
    api_begin_workers(&f, 2);
    assert_int_equal(keel_parallel_for(f.world, UINT32_MAX, 1, count_piece, &pieces), KEEL_OK);
    assert_true(pieces > KEEL_MAX_PIECES / 2 && pieces <= KEEL_MAX_PIECES);
    pieces = 0;
    assert_int_equal(keel_parallel_for(f.world, KEEL_MAX_PIECES, 1, count_piece, &pieces), KEEL_OK);
    assert_true(pieces > KEEL_MAX_PIECES / 4 && pieces <= KEEL_MAX_PIECES);
    api_end(&f);
}

// ------------------------------------------------------------------ reductions
static float float_at(uint32_t i) { return 1.0f / (float)(i * 7919 % 10007 + 1); }

static void sum_floats(uint32_t begin, uint32_t end, const keel_piece *piece, void *data) {
    float *sum = piece->partial;
    (void)data;
    for (uint32_t i = begin; i < end; ++i)
        *sum += float_at(i);
}
static void add_floats(void *total, const void *partial, void *data) {
    (void)data;
    *(float *)total += *(const float *)partial;
}

// Text that shows the order in which partial results were combined.
typedef struct line {
    uint32_t length;
    char text[100];
} line;
static void write_number(uint32_t begin, uint32_t end, const keel_piece *piece, void *data) {
    line *l = piece->partial;
    (void)begin, (void)end, (void)data;
    l->text[l->length++] = (char)('a' + piece->number);
}
static void append(void *total, const void *partial, void *data) {
    line *to = total;
    const line *from = partial;
    (void)data;
    memcpy(to->text + to->length, from->text, from->length);
    to->length += from->length;
}

static void sums_have_the_same_bits(void **state) {
    (void)state;
    float by_hand = 0;
    for (uint32_t p = 0; p < MOST; p += 100) {
        float part = 0;
        for (uint32_t i = p; i < p + 100; ++i)
            part += float_at(i);
        by_hand += part;
    }
    for (uint32_t w = 0; w < WORKERS; ++w) {
        api_fixture f;
        api_begin_workers(&f, worker_counts[w]);
        for (uint32_t i = 0; i < 20; ++i) {
            float sum = 0;
            line l = { 0 };
            const keel_reduction sums = { &sum, sizeof sum, add_floats };
            const keel_reduction lines = { &l, sizeof l, append };
            assert_int_equal(keel_parallel_reduce(f.world, MOST, 100, sum_floats, NULL, &sums),
                             KEEL_OK);
            assert_memory_equal(&sum, &by_hand, sizeof sum);
            assert_int_equal(keel_parallel_reduce(f.world, 26, 1, write_number, NULL, &lines),
                             KEEL_OK);
            assert_string_equal(l.text, "abcdefghijklmnopqrstuvwxyz");
            assert_int_equal(keel_parallel_reduce(f.world, 0, 1, write_number, NULL, &lines),
                             KEEL_OK);
            assert_int_equal(l.length, 26); // nothing was added
        }
        api_end(&f);
    }
}

// ------------------------------------------------------------------ loops in loops, scratch
typedef struct rows {
    keel_world *world;
    uint64_t sums[200];
} rows;
static void add_row(uint32_t begin, uint32_t end, const keel_piece *piece, void *data) {
    uint32_t *copy = keel_piece_scratch(piece, (end - begin) * sizeof *copy, 64);
    (void)data;
    for (uint32_t i = begin; i < end; ++i)
        copy[i - begin] = i;
    for (uint32_t i = begin; i < end; ++i)
        *(uint64_t *)piece->partial += copy[i - begin];
}
static void add_numbers(void *total, const void *partial, void *data) {
    (void)data;
    *(uint64_t *)total += *(const uint64_t *)partial;
}
static void rows_of_rows(uint32_t begin, uint32_t end, const keel_piece *piece, void *data) {
    rows *r = data;
    uint32_t *kept = keel_piece_scratch(piece, 1000 * sizeof *kept, 16);
    memset(kept, (int)begin, 1000 * sizeof *kept);
    for (uint32_t i = begin; i < end; ++i) {
        const keel_reduction sum = { &r->sums[i], sizeof r->sums[i], add_numbers };
        (void)keel_parallel_reduce(r->world, 1000 + i, 50, add_row, NULL, &sum);
    }
    for (uint32_t i = 0; i < 4000; ++i) // nobody else had that memory
        if (((const unsigned char *)kept)[i] != (unsigned char)begin) abort();
}

static void loops_contain_loops(void **state) {
    (void)state;
    for (uint32_t w = 0; w < WORKERS; ++w) {
        api_fixture f;
        api_begin_workers(&f, worker_counts[w]);
        rows *r = calloc(1, sizeof *r);
        r->world = f.world;
        assert_int_equal(keel_parallel_for(f.world, 200, 3, rows_of_rows, r), KEEL_OK);
        for (uint64_t i = 0; i < 200; ++i)
            assert_true(r->sums[i] == (1000 + i) * (999 + i) / 2);
        free(r);
        assert_no_error(f.world);
        api_end(&f);
    }
}

// ------------------------------------------------------------------ views
typedef struct InTable {
    float value;
} InTable;
typedef struct ByIndex {
    float value;
} ByIndex;
KEEL_COMPONENT(InTable, .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(ByIndex, .storage = KEEL_INDEXED);

static void fill(keel_world *world, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        const keel_entity e = keel_add_entity(world, KEEL_INIT(Number, { i }));
        if (i % 3) (void)keel_add(world, e, InTable, { float_at(i) });
        if (i % 5) (void)keel_add(world, e, ByIndex, { float_at(i) });
        if (i % 7 < 3) (void)keel_add(world, e, Other, { i });
        if (i % 11 == 0) (void)keel_add(world, e, Frozen);
    }
}

static void double_table(const keel_span *span, const keel_piece *piece, void *data) {
    (void)piece, (void)data;
    InTable *values = keel_span_write(span, InTable);
    for (uint32_t i = 0; i < span->count; ++i)
        values[i].value *= 2;
}
static void sum_spans(const keel_span *span, const keel_piece *piece, void *data) {
    const keel_component *component = data;
    const float *values = keel_span_read_component(span, component);
    float *sum = piece->partial;
    for (uint32_t i = 0; i < span->count; ++i)
        *sum += values[i];
}

static float sum_of(keel_world *world, const keel_term *terms, const keel_component *component) {
    keel_view view;
    float sum = 0;
    const keel_reduction sums = { &sum, sizeof sum, add_floats };
    assert_int_equal(keel_view_begin(&view, world, terms, "sum"), KEEL_OK);
    assert_int_equal(
        keel_view_parallel_reduce(&view, sum_spans, (void *)(uintptr_t)component, &sums), KEEL_OK);
    keel_view_end(&view);
    return sum;
}

static void views_are_looped_over_in_pieces(void **state) {
    (void)state;
    float first[4];
    for (uint32_t w = 0; w < WORKERS; ++w) {
        api_fixture f;
        keel_view view;
        api_begin_workers(&f, worker_counts[w]);
        fill(f.world, 20000);
        assert_int_equal(
            keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_WRITE(InTable, t)), "double"), KEEL_OK);
        assert_int_equal(keel_view_parallel_for(&view, double_table, NULL), KEEL_OK);
        keel_view_end(&view);
        KEEL_EACH(f.world, KEEL_READ(InTable, t), KEEL_READ(Number, n))
            assert_true(t->value == 2 * float_at(n->value));
        const float sums[4] = {
            sum_of(f.world, KEEL_TERMS(KEEL_READ(InTable, t)), KEEL_OF(InTable)),
            sum_of(f.world, KEEL_TERMS(KEEL_READ(ByIndex, t), KEEL_WITHOUT(Frozen)),
                   KEEL_OF(ByIndex)),
            sum_of(f.world, KEEL_TERMS(KEEL_READ(ByIndex, t), KEEL_WITH(Other)), KEEL_OF(ByIndex)),
            sum_of(f.world, KEEL_TERMS(KEEL_READ(InTable, t), KEEL_READ(Other, o)),
                   KEEL_OF(InTable)),
        };
        if (w == 0) memcpy(first, sums, sizeof first);
        assert_true(sums[0] > 0 && sums[1] > 0 && sums[2] > 0 && sums[3] > 0);
        assert_memory_equal(sums, first, sizeof first);
        assert_no_error(f.world);
        api_end(&f);
    }
}

// ------------------------------------------------------------------ in systems
typedef struct Result {
    float sum;
    uint32_t calls, lane;
    keel_result result;
} Result;
KEEL_UNIQUE(Result);

static float loop_in_system(keel_context *context) {
    float sum = 0, spans = 0;
    keel_view view;
    const keel_reduction sums = { &sum, sizeof sum, add_floats };
    const keel_reduction span_sums = { &spans, sizeof spans, add_floats };
    assert_int_equal(keel_parallel_reduce(context, 5000, 10, sum_floats, NULL, &sums), KEEL_OK);
    assert_int_equal(
        keel_view_begin(&view, context, KEEL_TERMS(KEEL_READ(ByIndex, b)), "in a system"), KEEL_OK);
    assert_int_equal(keel_view_parallel_reduce(&view, sum_spans,
                                               (void *)(uintptr_t)KEEL_OF(ByIndex), &span_sums),
                     KEEL_OK);
    keel_view_end(&view);
    return sum + spans;
}
KEEL_SYSTEM_ONCE(loop_a, KEEL_UNIQUE_WRITE(Result, r), KEEL_MAY_READ(ByIndex),
                 KEEL_CONTEXT(context)) {
    r->sum += loop_in_system(context);
    ++r->calls;
}
KEEL_SYSTEM_ONCE(loop_b, KEEL_MAY_READ(ByIndex), KEEL_MAY_WRITE(Third), KEEL_CONTEXT(context)) {
    KEEL_EACH(context, KEEL_WRITE(Third, t))
        t->value += (uint32_t)loop_in_system(context);
}
KEEL_SYSTEM_ONCE(loop_world, KEEL_WORLD(world), KEEL_CONTEXT(context)) {
    Result *r = keel_get_unique_mut(world, Result);
    r->sum += loop_in_system(context);
    (void)keel_run(world, loop_a);
    (void)keel_add_entity(world, KEEL_INIT(Frozen)); // it is alone as before
}
KEEL_SYSTEM(loop_in_split, KEEL_READ(Number, n), KEEL_WRITE(Other, o), KEEL_CONTEXT(context)) {
    float sum = 0;
    const keel_reduction sums = { &sum, sizeof sum, add_floats };
    if (n->value % 100 == 0) (void)keel_parallel_reduce(context, 300, 10, sum_floats, NULL, &sums);
    o->value = (uint32_t)(sum * 1000);
}
KEEL_WORKLOAD(in_order, KEEL_STEP(loop_a), KEEL_STEP(loop_a));
KEEL_WORKLOAD(at_once, KEEL_STEP(loop_a), KEEL_STEP(loop_b), KEEL_STEP(loop_world),
              KEEL_STEP(loop_in_split, .parallel = true), KEEL_STEP(loop_b), KEEL_STEP(loop_a));

static void systems_loop_in_pieces(void **state) {
    (void)state;
    uint64_t first = 0;
    float first_sum = 0;
    for (uint32_t w = 0; w < WORKERS; ++w) {
        api_fixture f;
        api_begin_workers(&f, worker_counts[w]);
        fill(f.world, 5000);
        (void)keel_add(f.world, keel_next_entity(f.world, keel_null()), Third);
        assert_int_equal(keel_set_unique(f.world, Result, { 0 }), KEEL_OK);
        assert_int_equal(keel_run(f.world, loop_a), KEEL_OK);
        for (uint32_t i = 0; i < 10; ++i) {
            assert_int_equal(keel_run_workload(f.world, in_order), KEEL_OK);
            assert_int_equal(keel_run_workload(f.world, at_once), KEEL_OK);
        }
        uint64_t hash = keel_get(f.world, keel_next_entity(f.world, keel_null()), Third)->value;
        KEEL_EACH(f.world, KEEL_READ(Other, o))
            hash = hash * 31 + o->value;
        const Result *r = keel_get_unique(f.world, Result);
        assert_int_equal(r->calls, 1 + 10 * 5);
        if (w == 0) first = hash, first_sum = r->sum;
        assert_true(hash == first && hash > 0);
        assert_memory_equal(&r->sum, &first_sum, sizeof first_sum);
        assert_no_error(f.world);
        api_end(&f);
    }
}

// ------------------------------------------------------------------ errors
static void misuse_is_refused(void **state) {
    (void)state;
    api_fixture f;
    api_begin_workers(&f, 2);
    float sum = 0;
    keel_view view = { 0 };
    keel_reduction r = { &sum, sizeof sum, NULL };
    assert_int_equal(keel_parallel_for(f.world, 10, 1, NULL, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "needs a function");
    assert_int_equal(keel_parallel_reduce(f.world, 10, 1, sum_floats, NULL, &r),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "a reduction needs");
    assert_int_equal(keel_parallel_reduce(f.world, 10, 1, sum_floats, NULL, NULL),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "a reduction needs");
    assert_int_equal(keel_view_parallel_for(&view, double_table, NULL), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_view_parallel_reduce(&view, double_table, NULL, &r), KEEL_ERROR_ARGUMENT);
    keel_set_assert_handler(api_go_on);
    assert_int_equal(keel_parallel_for((keel_context *)NULL, 1, 1, visit, seen),
                     KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_parallel_reduce((keel_context *)NULL, 1, 1, visit, seen, &r),
                     KEEL_ERROR_ARGUMENT);
    keel_set_assert_handler(NULL);
    assert_int_equal(keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_READ(Number, n)), "my view"),
                     KEEL_OK);
    assert_int_equal(keel_view_parallel_for(&view, NULL, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "needs a function");
    assert_int_equal(keel_view_parallel_reduce(&view, sum_spans, NULL, &r), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "a reduction needs");
    keel_view_end(&view);
    assert_null(keel_piece_scratch(NULL, 8, 8));
    api_end(&f);
}

static void ask_for_odd_memory(uint32_t begin, uint32_t end, const keel_piece *piece, void *data) {
    (void)begin, (void)end;
    if (!keel_piece_scratch(piece, 8, 3)) atomic_fetch_add((atomic_uint *)data, 1);
}
KEEL_SYSTEM_ONCE(odd, KEEL_CONTEXT(context), KEEL_DATA(atomic_uint, count)) {
    (void)keel_parallel_for(context, 1, 1, ask_for_odd_memory, count);
}

static void errors_name_the_system(void **state) {
    (void)state;
    api_fixture f;
    atomic_uint count = 0;
    api_begin_workers(&f, 2);
    assert_int_equal(keel_run_with(f.world, odd, &count), KEEL_OK);
    assert_int_equal(count, 1);
    assert_string_equal(keel_last_error(f.world)->system, "odd");
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "an alignment of 3");
    api_end(&f);
}

// ------------------------------------------------------------------ threads
typedef struct Bound {
    float value;
} Bound;
KEEL_COMPONENT(Bound, .threads = KEEL_THREADS_OWNER_ONLY);

static void note_lane(const keel_span *span, const keel_piece *piece, void *data) {
    (void)span;
    if (piece->worker) atomic_fetch_add((atomic_uint *)data, 1);
    for (volatile uint32_t i = 0; i < 20000; ++i) {}
}

static void what_is_bound_stays_on_its_thread(void **state) {
    (void)state;
    api_fixture f;
    keel_view view;
    atomic_uint elsewhere = 0;
    api_begin_workers(&f, 4);
    for (uint32_t i = 0; i < 5000; ++i)
        (void)keel_add_entity(f.world, KEEL_INIT(Bound));
    assert_int_equal(keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_READ(Bound, b)), "bound"),
                     KEEL_OK);
    assert_int_equal(keel_view_parallel_for(&view, note_lane, &elsewhere), KEEL_OK);
    keel_view_end(&view);
    assert_int_equal(elsewhere, 0);
    api_end(&f);
}

// ------------------------------------------------------------------ memory
static keel_result loop_everything(keel_world *world) {
    float sum = 0;
    keel_view view;
    const keel_reduction sums = { &sum, sizeof sum, add_floats };
    KEEL_TRY(keel_parallel_reduce(world, 1000, 10, sum_floats, NULL, &sums));
    if (sum == 0) return KEEL_ABSENT;
    KEEL_TRY(keel_view_begin(&view, world, KEEL_TERMS(KEEL_READ(Bound, b)), "bound"));
    const keel_result result =
        keel_view_parallel_reduce(&view, sum_spans, (void *)(uintptr_t)KEEL_OF(Bound), &sums);
    keel_view_end(&view);
    return result;
}

static void memory_may_run_out(void **state) {
    (void)state;
    for (size_t n = 0;; ++n) {
        api_fixture f;
        api_begin_workers(&f, 1);
        (void)keel_add_entity(f.world, KEEL_INIT(Bound));
        counting_allocator_fail_after(&f.memory, n);
        const keel_result result = loop_everything(f.world);
        const bool done = f.memory.failures == 0;
        counting_allocator_never_fail(&f.memory);
        assert_int_equal(result, done ? KEEL_OK : KEEL_ERROR_MEMORY);
        if (!done) assert_error(f.world, KEEL_ERROR_MEMORY, "out of memory");
        assert_int_equal(loop_everything(f.world), KEEL_OK);
        const size_t before = f.memory.growing_calls;
        assert_int_equal(loop_everything(f.world), KEEL_OK);
        assert_int_equal(f.memory.growing_calls, before); // a warmed-up loop asks for none
        api_end(&f);
        if (done) break;
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        TEST(each_index_is_visited_once, "each index is visited once, in the same pieces"),
        TEST(there_are_not_too_many_pieces, "a loop has at most KEEL_MAX_PIECES pieces"),
        TEST(sums_have_the_same_bits, "sums of floats have the same bits for all workers"),
        TEST(loops_contain_loops, "loops contain loops; scratch memory is a piece's own"),
        TEST(views_are_looped_over_in_pieces, "views of all storages are looped over in pieces"),
        TEST(systems_loop_in_pieces, "systems loop in pieces, alone, in order and at once"),
        TEST(misuse_is_refused, "misuse is refused"),
        TEST(errors_name_the_system, "errors in pieces name the system around them"),
        TEST(what_is_bound_stays_on_its_thread, "what is bound to a thread stays there"),
        TEST(memory_may_run_out, "memory may run out; a warmed-up loop asks for none"),
    };
    seen = calloc(1, sizeof *seen);
    const int failed = RUN(tests);
    free(seen);
    return failed;
}
