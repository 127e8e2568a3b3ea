// SPDX-License-Identifier: MIT
// Edges against a plain model: two lists per entity, in the order of relating.
#include "data/edges.h"

#include "support/data_fixture.h"
#include "support/test.h"

#include <string.h>

enum { ENTITIES = 40, MOST = 256, STEPS = 10000 };

static test_heap memory;
static keeli_edges edges;

typedef struct model_list {
    uint32_t items[MOST];
    uint32_t count;
} model_list;
static model_list targets_of[ENTITIES], sources_of[ENTITIES];
static uint32_t seed;

static uint32_t roll(uint32_t below) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static void begin(bool is_exclusive, uint32_t from) {
    test_heap_init(&memory);
    keeli_edges_init(&edges, is_exclusive, false);
    memset(targets_of, 0, sizeof targets_of);
    memset(sources_of, 0, sizeof sources_of);
    seed = from;
}

static void end(void) {
    assert_true(keeli_edges_are_valid(&edges));
    keeli_edges_deinit(&edges, &memory.heap);
    assert_int_equal(keeli_edges_bytes(&edges), 0);
    test_heap_deinit(&memory);
}

static uint32_t model_find(const model_list *list, uint32_t item) {
    uint32_t i = 0;
    while (i < list->count && list->items[i] != item)
        ++i;
    return i < list->count ? i : UINT32_MAX;
}
static void model_take(model_list *list, uint32_t item) {
    const uint32_t at = model_find(list, item);
    memmove(&list->items[at], &list->items[at + 1], (--list->count - at) * sizeof *list->items);
}

static void assert_list(keeli_end at, uint32_t index, const model_list *list) {
    uint32_t i = 0;
    assert_int_equal(keeli_edge_count(&edges, at, index), list->count);
    KEELI_EACH_EDGE(place, &edges, at, index) {
        assert_true(i < list->count);
        assert_int_equal(keeli_edge_other(&edges, at, index, place), list->items[i++]);
    }
    assert_int_equal(i, list->count);
}

static void assert_as_model(void) {
    assert_true(keeli_edges_are_valid(&edges));
    for (uint32_t i = 0; i < ENTITIES; ++i) {
        assert_list(KEELI_TARGETS, i * 700, &targets_of[i]); // on several pages
        assert_list(KEELI_SOURCES, i * 700, &sources_of[i]);
    }
}

// The model's lists hold indices times 700 as the edges do.
static void relate(uint32_t a, uint32_t b) {
    const uint32_t place = keeli_edges_find(&edges, a * 700, b * 700);
    assert_int_equal(place == KEELI_NO_EDGE, model_find(&targets_of[a], b * 700) == UINT32_MAX);
    const bool beside =
        !edges.is_chained && roll(2) && keeli_edges_add_beside(&edges, a * 700, b * 700);
    if (beside) assert_true(place == KEELI_NO_EDGE);
    if (place != KEELI_NO_EDGE) return;
    assert_true(beside || keeli_edges_reserve(&edges, &memory.heap, a * 700, b * 700));
    if (!beside && edges.is_exclusive && targets_of[a].count) {
        model_take(&sources_of[targets_of[a].items[0] / 700], a * 700);
        targets_of[a].count = 0;
        keeli_edges_remove(&edges, &memory.heap, a * 700, 0);
    }
    if (!beside) keeli_edges_add(&edges, (keel_entity){ a * 700 }, (keel_entity){ b * 700 });
    targets_of[a].items[targets_of[a].count++] = b * 700;
    sources_of[b].items[sources_of[b].count++] = a * 700;
}

static void unrelate(uint32_t a, uint32_t b) {
    const uint32_t place = keeli_edges_find(&edges, a * 700, b * 700);
    assert_int_equal(place == KEELI_NO_EDGE, model_find(&targets_of[a], b * 700) == UINT32_MAX);
    if (place == KEELI_NO_EDGE) return;
    model_take(&targets_of[a], b * 700);
    model_take(&sources_of[b], a * 700);
    keeli_edges_remove(&edges, &memory.heap, a * 700, place);
}

static void unrelate_sources(uint32_t b) {
    for (uint32_t i = 0; i < sources_of[b].count; ++i)
        targets_of[sources_of[b].items[i] / 700].count = 0;
    if (sources_of[b].count) keeli_edges_remove_sources(&edges, b * 700);
    sources_of[b].count = 0;
}

// Targets are few, so that their lists grow long.
static void random_edits(bool is_exclusive, uint32_t targets) {
    for (uint32_t from = 1; from <= 4; ++from) {
        begin(is_exclusive, from);
        for (uint32_t i = 0; i < STEPS; ++i) {
            const uint32_t a = roll(ENTITIES), b = roll(targets), likely = 2 + i / 2000 % 2;
            if (roll(5) < likely) relate(a, b);
            else unrelate(a, b);
            if (is_exclusive && roll(200) == 0) unrelate_sources(b);
            if (i % 64 == 0) assert_as_model();
            if (i % 5000 == 0) keeli_edges_trim(&edges, &memory.heap);
        }
        assert_as_model();
        end();
    }
}

static void one_target_each(void **state) {
    (void)state;
    random_edits(true, ENTITIES);
    random_edits(true, 3);
}
static void many_targets_each(void **state) {
    (void)state;
    random_edits(false, ENTITIES);
    random_edits(false, 6);
}

// More sources than fit into one page of a list; and they go in another order.
static void long_lists_keep_their_order(void **state) {
    enum { COUNT = 20000 };
    (void)state;
    for (uint32_t exclusive = 0; exclusive < 2; ++exclusive) {
        begin(exclusive, 1);
        for (uint32_t i = 0; i < COUNT; ++i) {
            assert_true(keeli_edges_reserve(&edges, &memory.heap, i, 7));
            keeli_edges_add(&edges, (keel_entity){ i }, (keel_entity){ 7 });
        }
        assert_true(keeli_edges_are_valid(&edges));
        for (uint32_t i = 0; i < COUNT; ++i)
            if (i % 7) {
                keeli_edges_remove(&edges, &memory.heap, i, keeli_edges_find(&edges, i, 7));
            }
        assert_true(keeli_edges_are_valid(&edges));
        assert_int_equal(keeli_edge_count(&edges, KEELI_SOURCES, 7), (COUNT + 6) / 7);
        uint32_t expected = 0;
        KEELI_EACH_EDGE(p, &edges, KEELI_SOURCES, 7) {
            assert_int_equal(keeli_edge_other(&edges, KEELI_SOURCES, 7, p), expected);
            expected += 7;
        }
        keeli_edges copy;
        keeli_edges_init(&copy, exclusive, false);
        assert_true(keeli_edges_copy(&copy, &edges, &memory.heap));
        assert_true(keeli_edges_are_valid(&copy));
        assert_int_equal(copy.count, edges.count);
        keeli_edges_deinit(&copy, &memory.heap);
        end();
    }
}

// Each allocation fails once: nothing has changed then.
static void exhausted_memory_changes_nothing(void **state) {
    (void)state;
    for (uint32_t exclusive = 0; exclusive < 2; ++exclusive)
        for (uint32_t left = 0; left < 60; ++left) {
            begin(exclusive, 1);
            counting_allocator_fail_after(&memory.memory, left);
            for (uint32_t i = 0; i < 9000; ++i) {
                if (!keeli_edges_reserve(&edges, &memory.heap, i, i % 3)) break;
                keeli_edges_add(&edges, (keel_entity){ i }, (keel_entity){ i % 3 });
                if (exclusive) continue;
                if (!keeli_edges_reserve(&edges, &memory.heap, 5, 10000 + i)) break;
                keeli_edges_add(&edges, (keel_entity){ 5 }, (keel_entity){ 10000 + i });
            }
            keeli_edges copy;
            keeli_edges_init(&copy, exclusive, false);
            if (!keeli_edges_copy(&copy, &edges, &memory.heap))
                assert_int_equal(keeli_edges_bytes(&copy), 0);
            keeli_edges_deinit(&copy, &memory.heap);
            end();
        }
}

static void nobody_has_no_edges(void **state) {
    (void)state;
    for (uint32_t exclusive = 0; exclusive < 2; ++exclusive) {
        begin(exclusive, 1);
        assert_int_equal(keeli_edge_first(&edges, KEELI_SOURCES, 3), KEELI_NO_EDGE);
        assert_int_equal(keeli_edge_last(&edges, KEELI_SOURCES, 3, 9), KEELI_NO_EDGE);
        assert_int_equal(keeli_edge_last(&edges, KEELI_TARGETS, 3, KEELI_NO_EDGE), KEELI_NO_EDGE);
        end();
    }
}

// A loop has handed out the sources up to a stamp; some of them left meanwhile.
static void loops_find_their_place_in_a_chain(void **state) {
    const keeli_chains *chains = &edges.chains;
    (void)state;
    begin(true, 1);
    for (uint32_t i = 0; i < 6; ++i) {
        assert_true(keeli_edges_reserve(&edges, &memory.heap, i, 9));
        keeli_edges_add(&edges, (keel_entity){ i }, (keel_entity){ 9 });
    }
    const uint32_t stamp = keeli_link_at(chains, 2)->stamp;
    assert_int_equal(keeli_chains_behind(chains, 9, 2, stamp), 3);
    assert_int_equal(keeli_chains_behind(chains, 9, KEELI_NO_EDGE, stamp), 3);
    keeli_edges_remove(&edges, &memory.heap, 2, 0);
    assert_int_equal(keeli_chains_behind(chains, 9, 2, stamp), 3);
    keeli_edges_remove(&edges, &memory.heap, 3, 0);
    assert_int_equal(keeli_chains_behind(chains, 9, 1, stamp), 4);
    keeli_edges_add(&edges, (keel_entity){ 2 },
                    (keel_entity){ 9 }); // it is the last one now, behind the place
    assert_int_equal(keeli_chains_behind(chains, 9, 2, stamp), 4);
    assert_int_equal(keeli_chains_behind(chains, 9, 2, UINT32_MAX), KEELI_NO_EDGE);
    end();
}

static void chains_are_sorted_and_renumbered(void **state) {
    const uint32_t order[] = { 4, 0, 3, 2, 1 };
    (void)state;
    begin(true, 1);
    for (uint32_t i = 0; i < 5; ++i) {
        assert_true(keeli_edges_reserve(&edges, &memory.heap, i, 9));
        keeli_edges_add(&edges, (keel_entity){ i }, (keel_entity){ 9 });
    }
    for (uint32_t i = 0; i < 5; ++i)
        keeli_link_at(&edges.chains, order[i])->previous = i < 4 ? order[i + 1] : KEELI_NO_EDGE;
    keeli_edges_relink(&edges, 9, order[0]);
    keeli_chain_at(&edges.chains, 9)->stamp = UINT32_MAX; // the next one finds none left
    assert_true(keeli_edges_reserve(&edges, &memory.heap, 5, 9));
    keeli_edges_add(&edges, (keel_entity){ 5 }, (keel_entity){ 9 });
    assert_int_equal(keeli_link_at(&edges.chains, 5)->stamp, 6);
    uint32_t i = 0;
    KEELI_EACH_EDGE(place, &edges, KEELI_SOURCES, 9) {
        assert_int_equal(keeli_edge_other(&edges, KEELI_SOURCES, 9, place), i < 5 ? order[i] : 5);
        ++i;
    }
    assert_int_equal(i, 6);
    end();
}

static const struct CMUnitTest tests[] = {
    TEST(nobody_has_no_edges, "who is related to nobody has no edges before or behind any place"),
    TEST(one_target_each, "exclusive edges are as a plain model of lists, in the same order"),
    TEST(many_targets_each, "many edges are as a plain model of lists, in the same order"),
    TEST(long_lists_keep_their_order,
         "lists of thousands keep their order while holes come and go"),
    TEST(loops_find_their_place_in_a_chain,
         "a loop over a chain goes on behind the last source it handed out, also where that left"),
    TEST(chains_are_sorted_and_renumbered,
         "a sorted chain keeps its order, and so does one whose stamps are used up"),
    TEST(exhausted_memory_changes_nothing, "a failed allocation leaves all edges as they were"),
};
int main(void) { return RUN(tests); }
