// SPDX-License-Identifier: MIT
// Copies of edges that are made again copy only the blocks that changed since. Two copies are made
// at different times, between random edits, and are the same as the edges after each copying.
#include "data/edges.h"

#include "support/data_fixture.h"
#include "support/test.h"

#include <string.h>

enum { ENTITIES = 400, STRIDE = 7, COPIES = 3, ROUNDS = 300 };

typedef struct edge_copy {
    keeli_edges edges;
    uint32_t since; // epoch of the last copying; 0: never
} edge_copy;

static test_heap memory;
static keeli_edges edges;
static edge_copy copies[COPIES];
static uint32_t epoch, seed;
static bool has_values; // of 8 bytes

static uint32_t roll(uint32_t below) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static void begin(bool is_exclusive, bool is_symmetric) {
    test_heap_init(&memory);
    if (has_values) keeli_edges_init_valued(&edges, is_exclusive, is_symmetric, 8, 4);
    else keeli_edges_init(&edges, is_exclusive, is_symmetric);
    for (uint32_t i = 0; i < COPIES; ++i) {
        copies[i].since = 0;
        keeli_edges_init_like(&copies[i].edges, &edges);
    }
    epoch = 1;
    seed = 3;
}

static void end(void) {
    for (uint32_t i = 0; i < COPIES; ++i)
        keeli_edges_deinit(&copies[i].edges, &memory.heap);
    keeli_edges_deinit(&edges, &memory.heap);
    test_heap_deinit(&memory);
}

// ------------------------------------------------------------------ edits
static void leave(uint32_t source) {
    const uint32_t place = keeli_edge_first(&edges, KEELI_TARGETS, source);
    if (place != KEELI_NO_EDGE) keeli_edges_remove(&edges, &memory.heap, source, place);
}

static void relate(uint32_t a, uint32_t b) {
    if (keeli_edges_find(&edges, a, b) != KEELI_NO_EDGE) return;
    assert_true(keeli_edges_reserve(&edges, &memory.heap, a, b));
    edges.keeps_room = has_values;
    if (edges.is_exclusive) leave(a);
    if (edges.is_exclusive && edges.is_symmetric) leave(b);
    edges.keeps_room = false;
    const uint64_t value = ++seed;
    void *at = keeli_edges_add(&edges, (keel_entity){ a }, (keel_entity){ b });
    if (at) memcpy(at, &value, sizeof value);
}

static void write_value(uint32_t a, uint32_t b) {
    const uint32_t place = keeli_edges_find(&edges, a, b);
    const uint64_t value = ++seed;
    if (place == KEELI_NO_EDGE) return;
    memcpy(keeli_edge_value(&edges, a, place), &value, sizeof value);
    keeli_edges_mark_value(&edges, a, place);
}

static void unrelate(uint32_t a, uint32_t b) {
    const uint32_t place = keeli_edges_find(&edges, a, b);
    if (place != KEELI_NO_EDGE) keeli_edges_remove(&edges, &memory.heap, a, place);
}

// Turns the order of the sources of a target.
static void turn(uint32_t target) {
    uint32_t places[ENTITIES], scratch[ENTITIES * 4], count = 0;
    KEELI_EACH_EDGE(place, &edges, KEELI_SOURCES, target)
        places[count++] = place;
    if (count < 2) return;
    if (edges.is_chained) {
        for (uint32_t i = 0; i < count; ++i)
            keeli_link_at(&edges.chains, places[i])->previous = i ? places[i - 1] : KEELI_NO_EDGE;
        keeli_edges_relink(&edges, target, places[count - 1]);
        return;
    }
    for (uint32_t i = 0; i < count / 2; ++i) {
        const uint32_t place = places[i];
        places[i] = places[count - 1 - i];
        places[count - 1 - i] = place;
    }
    keeli_edges_order_sources(&edges, target, places, scratch);
}

// Removes edges while a loop is open, so that holes remain, and makes room afterwards.
static void leave_holes(uint32_t target) {
    ++edges.walks;
    for (uint32_t i = 0; i < 8; ++i)
        if (keeli_edge_count(&edges, KEELI_SOURCES, target)) {
            const uint32_t at = keeli_edge_last(&edges, KEELI_SOURCES, target, KEELI_NO_EDGE);
            const uint32_t source = keeli_edge_other(&edges, KEELI_SOURCES, target, at);
            const uint32_t place = keeli_edge_twin(&edges, KEELI_SOURCES, target, at);
            keeli_edges_remove(&edges, &memory.heap, source, place);
        }
    --edges.walks;
    if (roll(2)) assert_true(keeli_edges_reserve(&edges, &memory.heap, 1, target));
}

static void edit(uint32_t few) {
    const uint32_t a = roll(ENTITIES) * STRIDE, b = roll(few) * STRIDE, what = roll(40);
    if (what < 20) relate(a, b);
    else if (what < 26 && has_values) write_value(a, b);
    else if (what < 34) unrelate(a, b);
    else if (what == 34) turn(b);
    else if (what == 35) leave_holes(b);
    else if (what == 36 && edges.is_chained && keeli_edge_count(&edges, KEELI_SOURCES, b))
        keeli_edges_remove_sources(&edges, b);
    else if (what == 37 && edges.is_chained && keeli_edge_count(&edges, KEELI_TARGETS, a))
        keeli_edges_move_last(&edges, a);
    else if (what == 38 && !roll(20)) keeli_edges_trim(&edges, &memory.heap);
    else if (what == 39 && !roll(50)) keeli_edges_clear(&edges, &memory.heap);
}

// ------------------------------------------------------------------ copying
// Makes `to` the same as `from` in the blocks that changed since both were the same.
static void copy_changed(keeli_edges *to, const keeli_edges *from, uint32_t since) {
    const keeli_edge_changes changes = { since ? edges.stamps : NULL, since };
    assert_true(keeli_edges_reserve_like(to, from, &memory.heap, &changes));
    keeli_edges_assign(to, from, &memory.heap, &changes);
    assert_true(keeli_edges_are_same(to, from, has_values));
    assert_true(keeli_edges_are_valid(to));
}

static void take_or_restore(void) {
    edge_copy *copy = &copies[roll(COPIES)];
    if (copy->since && !roll(3)) {
        copy_changed(&edges, &copy->edges, copy->since);
    } else {
        assert_true(keeli_edges_reserve_stamps(&edges, &memory.heap, &epoch));
        copy_changed(&copy->edges, &edges, copy->since);
    }
    copy->since = ++epoch;
}

static void random_copies(bool is_exclusive, bool is_symmetric) {
    for (uint32_t few = 5; few <= ENTITIES; few *= 4) {
        begin(is_exclusive, is_symmetric);
        for (uint32_t i = 0, rounds = test_rounds(ROUNDS); i < rounds; ++i) {
            for (uint32_t left = roll(3) ? roll(6) : roll(200); left; --left)
                edit(few);
            take_or_restore();
        }
        end();
    }
}

static void many(void **state) {
    (void)state;
    random_copies(false, false);
}
static void chains(void **state) {
    (void)state;
    random_copies(true, false);
}
static void symmetric(void **state) {
    (void)state;
    random_copies(false, true);
}
static void pairs(void **state) {
    (void)state;
    random_copies(true, true);
}

static void valued(void **state) {
    (void)state;
    has_values = true;
    random_copies(false, false);
    random_copies(false, true);
    random_copies(true, true);
    has_values = false;
}

// ------------------------------------------------------------------ what is left alone
// Changes a copy at one index, as no caller does, so that copying this block would be seen.
static uint32_t *mark_of(const keeli_edges *copy, uint32_t index) {
    return copy->is_chained ? &keeli_link_of(&copy->chains, index)->version
                            : keeli_edge_entry(keeli_edge_list_of(&copy->sources, index), 2, 0);
}

static void lists_that_did_not_change_are_left_alone(void **state) {
    (void)state;
    for (uint32_t exclusive = 0; exclusive < 2; ++exclusive) {
        begin(exclusive, false);
        for (uint32_t i = 0; i < ENTITIES; ++i)
            relate(i * STRIDE, i / 4 * STRIDE);
        assert_true(keeli_edges_reserve_stamps(&edges, &memory.heap, &epoch));
        keeli_edges *copy = &copies[0].edges;
        copy_changed(copy, &edges, 0);
        ++epoch;

        const uint32_t changed = 40 * STRIDE, far = 300 * STRIDE;
        unrelate(changed, 10 * STRIDE);
        relate(changed, 11 * STRIDE);
        const uint32_t before = *mark_of(copy, far);
        *mark_of(copy, far) = 12345;
        const keeli_edge_changes changes = { edges.stamps, epoch };
        const size_t bytes = keeli_edges_bytes(copy);
        assert_true(keeli_edges_reserve_like(copy, &edges, &memory.heap, &changes));
        keeli_edges_assign(copy, &edges, &memory.heap, &changes);
        assert_int_equal(*mark_of(copy, far), 12345);
        *mark_of(copy, far) = before;
        assert_true(keeli_edges_are_same(copy, &edges, false));
        assert_true(keeli_edges_bytes(copy) <= bytes + 64);
        end();
    }
}

// Nothing has changed when memory runs out, and the next copying succeeds.
static void exhausted_memory_changes_nothing(void **state) {
    (void)state;
    for (uint32_t exclusive = 0; exclusive < 2; ++exclusive)
        for (uint32_t left = 0; left < 40; ++left) {
            begin(exclusive, false);
            for (uint32_t i = 0; i < ENTITIES; ++i)
                relate(i * STRIDE, i / 4 * STRIDE);
            counting_allocator_fail_after(&memory.memory, left);
            bool has_room = keeli_edges_reserve_stamps(&edges, &memory.heap, &epoch);
            counting_allocator_fail_after(&memory.memory, UINT32_MAX);
            if (!has_room) assert_null(edges.stamps);
            assert_true(keeli_edges_reserve_stamps(&edges, &memory.heap, &epoch));
            keeli_edges *copy = &copies[0].edges;
            copy_changed(copy, &edges, 0);
            ++epoch;

            for (uint32_t i = 0; i < 100; ++i)
                relate((i * 11 % ENTITIES + ENTITIES) * STRIDE, i / 50 * STRIDE);
            const keeli_edge_changes changes = { edges.stamps, epoch };
            const uint32_t count = copy->count;
            counting_allocator_fail_after(&memory.memory, left);
            has_room = keeli_edges_reserve_like(copy, &edges, &memory.heap, &changes);
            counting_allocator_fail_after(&memory.memory, UINT32_MAX);
            if (!has_room) {
                assert_int_equal(copy->count, count);
                assert_true(keeli_edges_are_valid(copy));
            }
            copy_changed(copy, &edges, epoch);
            end();
        }
}

static const struct CMUnitTest tests[] = {
    TEST(many, "copies of edges to many are the same after random edits"),
    TEST(chains, "so are copies of chains"),
    TEST(symmetric, "so are copies of symmetric edges"),
    TEST(pairs, "so are copies of pairs"),
    TEST(valued, "so are copies of edges with values, and the values"),
    TEST(lists_that_did_not_change_are_left_alone, "lists that did not change are left alone"),
    TEST(exhausted_memory_changes_nothing, "a failed allocation leaves a copy as it was"),
};
int main(void) { return RUN(tests); }
