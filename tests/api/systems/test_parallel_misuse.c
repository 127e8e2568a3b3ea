// SPDX-License-Identifier: MIT
// What loops in pieces must not do, and loops where nobody expects one: on 1, 2, 4 and 8 workers.
#include "support/api_types.h"

#include <stdatomic.h>

enum { WORKERS = 4 };
static const uint32_t worker_counts[WORKERS] = { 1, 2, 4, 8 };

static void count_piece(uint32_t begin, uint32_t end, const keel_piece *piece, void *data) {
    (void)begin, (void)end, (void)piece;
    atomic_fetch_add((atomic_uint *)data, 1);
}

// ------------------------------------------------------------------ the world in pieces
static atomic_uint accepted, written;
static keel_world *edited;
static keel_entity numbered[1000];

static void try_edits(uint32_t begin, uint32_t end, const keel_piece *piece, void *data) {
    (void)data;
    for (uint32_t i = begin; i < end; ++i) {
        Number *n = keel_get_mut(edited, numbered[i], Number);
        if (n && n->value == i) atomic_fetch_add(&written, 1);
        if (n) n->value = i + 1;
        const bool done[] = { !keel_is_null(keel_add_entity(edited, KEEL_INIT(Number, { i }))),
                              keel_delete_entity(edited, numbered[i]) == KEEL_OK,
                              keel_add(edited, numbered[i], Other, { i }) == KEEL_OK,
                              keel_delete(edited, numbered[i], Number) == KEEL_OK,
                              keel_share_begin(edited) == KEEL_OK,
                              keel_apply_commands(edited) == KEEL_OK };
        for (uint32_t k = 0; k < 6; ++k)
            accepted += done[k];
    }
    if (piece->number % 2) return;
    accepted += keel_parallel_for(edited, 10, 1, count_piece, &written) != KEEL_OK;
}

KEEL_SYSTEM(try_in_system, KEEL_WRITE(Number, n)) {
    ++n->value;
    if (!keel_is_null(keel_add_entity(edited, KEEL_INIT(Other, { 1 })))) ++accepted;
}

// Also with one worker: what is allowed does not depend on how many there are.
static void the_world_is_not_edited_in_pieces(void **state) {
    (void)state;
    for (uint32_t w = 0; w < WORKERS; ++w) {
        api_fixture f;
        api_begin_workers(&f, worker_counts[w]);
        edited = f.world;
        accepted = written = 0;
        assert_int_equal(keel_register(f.world, Other), KEEL_OK);
        for (uint32_t i = 0; i < 1000; ++i)
            numbered[i] = keel_add_entity(f.world, KEEL_INIT(Number, { i }));
        assert_int_equal(keel_parallel_for(f.world, 1000, 10, try_edits, NULL), KEEL_OK);
        assert_int_equal(accepted, 0);
        assert_int_equal(written, 1000 + 50 * 10);
        assert_error(f.world, KEEL_ERROR_SHARED, "collect what is to be done");
        assert_int_equal(keel_run_parallel(f.world, try_in_system), KEEL_OK);
        assert_int_equal(accepted, 0);
        assert_int_equal(keel_get(f.world, numbered[7], Number)->value, 9);
        assert_error(f.world, KEEL_ERROR_SHARED, "collect what is to be done");
        assert_int_equal(keel_delete_entity(f.world, numbered[0]), KEEL_OK); // as before
        assert_int_equal(keel_share_begin(f.world), KEEL_OK);
        assert_int_equal(keel_share_end(f.world), KEEL_OK);
        api_end(&f);
    }
}

// ------------------------------------------------------------------ views
static void end_view(const keel_span *span, const keel_piece *piece, void *data) {
    for (uint32_t i = 0; i < span->count; ++i)
        ++keel_span_write(span, Number)[i].value;
    if (piece->number % 8 == 3) keel_view_end(data);
}

static void a_view_outlives_the_loops_over_it(void **state) {
    (void)state;
    for (uint32_t w = 0; w < WORKERS; ++w) {
        api_fixture f;
        api_begin_workers(&f, worker_counts[w]);
        for (uint32_t i = 0; i < 5000; ++i)
            numbered[i % 1000] = keel_add_entity(f.world, KEEL_INIT(Number, { i }));
        keel_view view;
        assert_int_equal(
            keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_EDIT(Number, n)), "my view"), KEEL_OK);
        assert_int_equal(keel_view_parallel_for(&view, end_view, &view), KEEL_OK);
        assert_error(f.world, KEEL_ERROR_BORROWED, "view 'my view' is ended in a parallel loop");
        for (uint32_t i = 0; i < 1000; ++i)
            assert_int_equal(keel_get(f.world, numbered[i], Number)->value, 4001 + i);
        assert_int_equal(keel_delete(&view, numbered[0], Number), KEEL_OK); // no loop is left
        keel_view_end(&view);
        assert_false(keel_is_null(keel_add_entity(f.world, KEEL_INIT(Number, { 1 }))));
        assert_no_error(f.world);
        api_end(&f);
    }
}

// Other threads begin their walks over the view while one counts.
typedef struct Noted {
    uint32_t value;
} Noted;
KEEL_COMPONENT(Noted, .tracking = KEEL_TRACK_MODIFICATION);

static void count_and_write(const keel_span *span, const keel_piece *piece, void *data) {
    const keel_view *view = data;
    if (keel_view_count(view) != 3000 || keel_is_null(keel_view_first(view))) ++accepted;
    for (uint32_t i = 0; i < span->count; ++i)
        keel_span_write(span, Noted)[i].value = piece->number;
}

static void counting_in_pieces_disturbs_nobody(void **state) {
    (void)state;
    for (uint32_t w = 0; w < WORKERS; ++w) {
        api_fixture f;
        api_begin_workers(&f, worker_counts[w]);
        accepted = 0;
        for (uint32_t i = 0; i < 3000; ++i)
            (void)keel_add_entity(f.world, KEEL_INIT(Noted), KEEL_INIT(Number));
        for (uint32_t round = 0; round < 10; ++round) {
            keel_view view;
            (void)keel_clear_all_changes(f.world, KEEL_TRACK_ALL, UINT64_MAX);
            assert_int_equal(keel_view_begin(&view, f.world,
                                             KEEL_TERMS(KEEL_WRITE(Noted, m), KEEL_READ(Number, n)),
                                             "mine"),
                             KEEL_OK);
            assert_int_equal(keel_view_parallel_for(&view, count_and_write, &view), KEEL_OK);
            keel_view_end(&view);
            uint32_t marked = 0;
            KEEL_EACH(f.world, KEEL_MODIFIED(Noted)) {
                ++marked;
            }
            assert_int_equal(marked, 3000);
        }
        assert_int_equal(accepted, 0);
        api_end(&f);
    }
}

// ------------------------------------------------------------------ what is the system's own
typedef struct Sent {
    uint32_t value;
} Sent;
KEEL_EVENT(Sent);
typedef struct helped {
    keel_context *context;
    atomic_uint sent;
    atomic_uint refused, here;
} helped;
static void use_the_context(uint32_t begin, uint32_t end, const keel_piece *piece, void *data) {
    helped *h = data;
    (void)begin, (void)end;
    for (volatile uint32_t i = 0; i < 20000; ++i) {}
    const bool has = keel_context_scratch(h->context, 64, 8) != NULL;
    if (piece->worker == 0 && has) ++h->here;
    if (piece->worker && !has) ++h->refused;
    if (piece->worker) keel_fail(h->context, NULL, "from elsewhere");
    if (keel_send_event(h->context, KEEL_EVENT_OF(Sent), &(Sent){ begin }) == KEEL_OK) ++h->sent;
}
KEEL_SYSTEM_ONCE(loops_over_itself, KEEL_CONTEXT(context), KEEL_DATA(helped, h),
                 KEEL_SEND(Sent, sent)) {
    (void)sent;
    h->context = context;
    if (keel_parallel_for(context, 200, 1, use_the_context, h) != KEEL_OK) ++accepted;
}

static void pieces_do_not_take_the_systems_own(void **state) {
    (void)state;
    for (uint32_t w = 0; w < WORKERS; ++w) {
        api_fixture f;
        api_begin_workers(&f, worker_counts[w]);
        helped h = { .refused = 0 };
        accepted = 0;
        for (uint32_t round = 0; round < 10; ++round)
            assert_int_equal(keel_run_with(f.world, loops_over_itself, &h), KEEL_OK);
        assert_int_equal(accepted, 0);
        assert_int_equal(h.here + h.refused, 2000);
        assert_int_equal(h.sent, h.here); // those of the system's own thread
        if (h.refused) assert_error(f.world, KEEL_ERROR_THREAD, "'loops_over_itself'");
        assert_no_error(f.world);
        api_end(&f);
    }
}

// ------------------------------------------------------------------ at the world's end
typedef struct Last {
    uint32_t sum;
} Last;
static uint32_t last_sum;
static void work_hard(uint32_t begin, uint32_t end, const keel_piece *piece, void *data) {
    (void)data;
    for (volatile uint32_t i = 0; i < 20000; ++i) {}
    *(uint32_t *)piece->partial += end - begin;
}
static void add_counts(void *total, const void *partial, void *data) {
    (void)data;
    *(uint32_t *)total += *(const uint32_t *)partial;
}
static void last_drop(void *view, keel_context *context) {
    const keel_reduction r = { &last_sum, sizeof last_sum, add_counts };
    last_sum = 0;
    (void)keel_parallel_reduce(context, ((Last *)view)->sum, 1, work_hard, NULL, &r);
}
KEEL_CUSTOM_VIEW(Last, KEEL_MAY_READ(Number), .drop = last_drop);

static void what_the_world_drops_may_loop(void **state) {
    (void)state;
    for (uint32_t w = 0; w < WORKERS; ++w) {
        api_fixture f;
        api_begin_workers(&f, worker_counts[w]);
        Last last;
        const keel_reduction r = { &last.sum, sizeof last.sum, add_counts };
        assert_int_equal(keel_custom_begin(f.world, Last, &last), KEEL_OK);
        assert_int_equal(keel_parallel_reduce(f.world, 200, 1, work_hard, NULL, &r), KEEL_OK);
        assert_int_equal(last.sum, 200);
        keel_world_destroy(f.world); // the threads are gone when it is dropped
        assert_int_equal(last_sum, 200);
        assert_int_equal(f.memory.live_bytes, 0);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(the_world_is_not_edited_in_pieces, "edits in pieces are refused, values written"),
    TEST(a_view_outlives_the_loops_over_it, "a view is not ended in a loop over it"),
    TEST(counting_in_pieces_disturbs_nobody, "counting in pieces disturbs nobody"),
    TEST(pieces_do_not_take_the_systems_own, "pieces do not take what is the system's own"),
    TEST(what_the_world_drops_may_loop, "what the world's end drops may loop in pieces"),
};

int main(void) { return RUN(tests); }
