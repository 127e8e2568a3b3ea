// SPDX-License-Identifier: MIT
// Which archetypes there are, and the edges between them; EC-Scrapyard's archetype tests.
#include "data/archetype.h"

#include "support/row_fixture.h"

static test_rows t;

static void begin(void) {
    owned_begin();
    test_rows_init(&t);
}
static void end(void) {
    test_rows_deinit(&t);
    assert_owned_end();
}

enum {
    U32 = 1 << ROW_U32,
    U64 = 1 << ROW_U64,
    BOOL = 1 << ROW_BOOL,
    TAG = 1 << ROW_TAG,
    OWNED = 1 << ROW_OWNED
};

static keeli_archetype *with(keeli_archetype *from, uint32_t component) {
    return keeli_archetype_with(&t.a, &t.memory.heap, from, &t.c[component]);
}
static keeli_archetype *without(keeli_archetype *from, uint32_t component) {
    return keeli_archetype_without(&t.a, &t.memory.heap, from, &t.c[component]);
}
static bool has(const keeli_archetype *archetype, uint32_t component) {
    return keeli_archetype_column(archetype, t.c[component].number) != UINT32_MAX;
}

// ------------------------------------------------------------------ the seed's six tests
static void adding_and_removing_one_component(void **state) {
    (void)state;
    begin();
    keeli_archetype *empty = t.a.all[0];
    assert_int_equal(empty->column_count, 0);
    keeli_archetype *one = with(empty, ROW_U32);
    assert_int_equal(one->column_count, 1);
    assert_true(has(one, ROW_U32));
    assert_int_equal(one->row_count, 0);
    keeli_archetype *two = with(one, ROW_U64);
    assert_int_equal(two->column_count, 2);
    assert_true(has(two, ROW_U32) && has(two, ROW_U64));
    keeli_archetype *other = without(two, ROW_U32);
    assert_int_equal(other->column_count, 1);
    assert_true(has(other, ROW_U64));
    assert_false(has(other, ROW_U32));
    assert_int_equal(other->row_count, 0);
    end();
}

// What the seed refuses with a panic the callers ask about before.
static void whether_a_component_is_there_is_asked_before(void **state) {
    (void)state;
    begin();
    assert_false(has(t.a.all[0], ROW_U32)); // remove_unpresent
    keeli_archetype *u64 = test_rows_find(&t, U64);
    assert_false(has(u64, ROW_U32)); // remove_unpresent_2
    keeli_archetype *u32 = with(t.a.all[0], ROW_U32);
    assert_true(has(u32, ROW_U32)); // add_preexisting
    end();
}

static void columns_of_a_list_are_all_there(void **state) {
    (void)state;
    begin();
    keeli_archetype *three = test_rows_find(&t, U32 | U64 | BOOL);
    assert_int_equal(three->column_count, 3);
    assert_true(has(three, ROW_U32) && has(three, ROW_U64) && has(three, ROW_BOOL));
    assert_ptr_equal(three->columns[0], &t.c[ROW_U32]); // in order
    assert_ptr_equal(three->columns[1], &t.c[ROW_U64]);
    assert_ptr_equal(three->columns[2], &t.c[ROW_BOOL]);
    end();
}

// A list with a duplicate is no set: it never is a valid archetype.
static void a_duplicate_is_not_valid(void **state) {
    (void)state;
    begin();
    keeli_archetype *two = test_rows_find(&t, U32 | U64);
    keeli_row_component *column = two->columns[1];
    two->columns[1] = two->columns[0];
    assert_false(keeli_archetype_graph_is_valid(&t.a));
    two->columns[1] = column;
    end();
}

static void a_new_column_is_empty_and_of_its_type(void **state) {
    (void)state;
    begin();
    keeli_archetype *one = test_rows_find(&t, U64);
    (void)test_rows_add(&t, one);
    keeli_archetype *two = with(one, ROW_OWNED);
    assert_int_equal(two->row_count, 0);
    assert_int_equal(two->block_count, 0); // no memory before the first row
    assert_ptr_equal(two->columns[0], one->columns[0]);
    assert_int_equal(two->columns[0]->size, 8);
    end();
}

// ------------------------------------------------------------------ one archetype for each set
static void every_way_to_a_set_leads_to_one_archetype(void **state) {
    (void)state;
    begin();
    for (uint32_t set = 0; set < 128; ++set) {
        keeli_archetype *found = test_rows_find(&t, set);
        assert_int_equal(test_rows_set(&t, found), set);
        for (uint32_t c = 0; c < ROW_COMPONENTS; ++c) {
            keeli_archetype *next = set >> c & 1 ? without(found, c) : with(found, c);
            assert_ptr_equal(next, test_rows_find(&t, set ^ 1u << c));
        }
    }
    assert_int_equal(t.a.count, 128);
    assert_true(keeli_archetype_graph_is_valid(&t.a));
    end();
}

static void an_edge_is_looked_for_once(void **state) {
    (void)state;
    begin();
    keeli_archetype *one = with(t.a.all[0], ROW_U32);
    assert_ptr_equal(keeli_archetype_edge(t.a.all[0], t.c[ROW_U32].number)->with, one);
    assert_null(keeli_archetype_edge(t.a.all[0], t.c[ROW_U64].number));
    const size_t calls = t.memory.memory.calls;
    for (uint32_t i = 0; i < 10; ++i)
        assert_ptr_equal(with(t.a.all[0], ROW_U32), one);
    assert_int_equal(t.memory.memory.calls, calls);
    end();
}

// ------------------------------------------------------------------ very many of them
enum { many_components = 40, many_sets = 1024 };

typedef struct many {
    test_heap memory;
    keeli_entity_index ix;
    keeli_archetypes a;
    keeli_row_component c[many_components];
} many;
static many m;

static void many_begin(void) {
    test_heap_init(&m.memory);
    keeli_entity_index_init(&m.ix);
    for (uint32_t i = 0; i < many_components; ++i)
        m.c[i] = (keeli_row_component){ .number = 1 + i, .size = 4, .align = 4 };
    assert_true(keeli_archetypes_init(&m.a, &m.memory.heap));
}
static void many_end(void) {
    assert_true(keeli_archetypes_are_valid(&m.a, &m.ix));
    keeli_archetypes_deinit(&m.a, &m.memory.heap);
    for (uint32_t i = 0; i < many_components; ++i)
        keeli_free(&m.memory.heap, m.c[i].bases, m.c[i].base_capacity * sizeof(void *),
                   sizeof(void *));
    keeli_entity_index_deinit(&m.ix, &m.memory.heap);
    test_heap_deinit(&m.memory);
}
// Set number n: the bits of n choose among ten components, n % 30 one more.
static keeli_archetype *many_find(uint32_t n) {
    keeli_archetype *at = m.a.all[0];
    for (uint32_t b = 0; b < 10; ++b)
        if (n >> b & 1) at = keeli_archetype_with(&m.a, &m.memory.heap, at, &m.c[b]);
    return keeli_archetype_with(&m.a, &m.memory.heap, at, &m.c[10 + n % 30]);
}

static void a_thousand_sets_are_found_filled_and_trimmed(void **state) {
    (void)state;
    many_begin();
    static keel_entity e[many_sets];
    for (uint32_t n = 0; n < many_sets; ++n) {
        keeli_archetype *archetype = many_find(n);
        assert_non_null(archetype);
        assert_ptr_equal(many_find(n), archetype);
        assert_int_equal(keeli_entity_index_reserve(&m.ix, &m.memory.heap, 1), KEEL_OK);
        assert_true(keeli_archetype_reserve(&m.a, &m.memory.heap, archetype, 1));
        e[n] = keeli_entity_index_add(&m.ix);
        const uint32_t place = keeli_archetype_push(&m.a, archetype, e[n]),
                       i = keel_entity_index(e[n]);
        m.ix.root.where[i / KEELI_PAGE][i % KEELI_PAGE] = place;
    }
    assert_true(keeli_archetypes_are_valid(&m.a, &m.ix));
    for (uint32_t n = 0; n < many_sets; ++n) { // every second one is empty again
        const uint32_t i = keel_entity_index(e[n]);
        if (n % 2) continue;
        keeli_archetype_remove(&m.a, &m.ix, m.ix.root.where[i / KEELI_PAGE][i % KEELI_PAGE]);
        keeli_entity_index_delete(&m.ix, e[n]);
    }
    const size_t before = m.a.bytes;
    const uint32_t generation = m.a.generation;
    keeli_archetypes_trim(&m.a, &m.memory.heap);
    assert_int_equal(m.a.count, many_sets / 2 + 1);
    assert_int_not_equal(m.a.generation, generation);
    assert_true(m.a.bytes < before);
    assert_true(keeli_archetypes_are_valid(&m.a, &m.ix));
    for (uint32_t n = 0; n < many_sets; ++n) // all ways can be gone again
        assert_non_null(many_find(n));
    many_end();
}

// ------------------------------------------------------------------ trimming
static void edges_to_archetypes_that_went_are_forgotten(void **state) {
    (void)state;
    begin();
    keeli_archetype *one = with(t.a.all[0], ROW_U32);
    const keel_entity e = test_rows_add(&t, one);
    keeli_archetype *two = with(one, ROW_U64), *three = with(two, ROW_BOOL);
    assert_ptr_equal(without(three, ROW_U64), test_rows_find(&t, U32 | BOOL));
    assert_ptr_equal(without(one, ROW_U32), t.a.all[0]);
    keeli_archetypes_trim(&t.a, &t.memory.heap);
    assert_int_equal(t.a.count, 2);
    assert_true(keeli_archetype_graph_is_valid(&t.a));
    assert_null(keeli_archetype_edge(one, t.c[ROW_U64].number)->with);
    assert_ptr_equal(keeli_archetype_edge(t.a.all[0], t.c[ROW_U32].number)->with, one);
    test_rows_move(&t, e, with(one, ROW_U64)); // a new one comes
    assert_int_equal(test_rows_set(&t, test_rows_of(&t, e)), U32 | U64);
    assert_true(test_rows_has_values(&t, e));
    end();
}

static void the_empty_set_stays(void **state) {
    (void)state;
    begin();
    (void)test_rows_find(&t, U32 | TAG);
    keeli_archetypes_trim(&t.a, &t.memory.heap);
    assert_int_equal(t.a.count, 1);
    assert_int_equal(t.a.all[0]->column_count, 0);
    keeli_archetypes_trim(&t.a, &t.memory.heap);
    end();
}

// ------------------------------------------------------------------ out of memory and faults
static void finding_without_memory_changes_nothing(void **state) {
    (void)state;
    begin();
    for (uint32_t set = 0; set < 7; ++set) // one more makes the tables grow
        (void)test_rows_find(&t, set);
    keeli_archetype *from = test_rows_find(&t, 6);
    for (size_t allowed = 0;; ++allowed) {
        counting_allocator_fail_after(&t.memory.memory, allowed);
        const keeli_archetype *found = with(from, ROW_U32);
        const keeli_archetype *other = found ? with(from, ROW_TAG) : NULL;
        const keeli_archetype *back = other ? without(from, ROW_U64) : NULL;
        counting_allocator_never_fail(&t.memory.memory);
        assert_true(keeli_archetype_graph_is_valid(&t.a));
        if (back) break;
        assert_true(allowed < 50);
    }
    assert_int_equal(test_rows_set(&t, with(from, ROW_TAG)), 6 | TAG);
    end();
}

static void making_them_without_memory_leaves_nothing(void **state) {
    (void)state;
    test_heap heap;
    keeli_archetypes a;
    for (size_t allowed = 0;; ++allowed) {
        test_heap_init(&heap);
        counting_allocator_fail_after(&heap.memory, allowed);
        const bool ok = keeli_archetypes_init(&a, &heap.heap);
        keeli_archetypes_deinit(&a, &heap.heap);
        test_heap_deinit(&heap);
        if (ok) break;
        assert_true(allowed < 20);
    }
}

static void faults_are_noticed(void **state) {
    (void)state;
    begin();
    keeli_archetype *one = with(t.a.all[0], ROW_U32), *two = with(one, ROW_U64);
    keeli_edge *edge = one->edges;
    while (edge->number != t.c[ROW_U64].number)
        ++edge;
    assert_true(keeli_archetype_graph_is_valid(&t.a));
    edge->with = one; // leads elsewhere
    assert_false(keeli_archetype_graph_is_valid(&t.a));
    edge->with = two;
    edge->without = two;
    assert_false(keeli_archetype_graph_is_valid(&t.a));
    edge->without = NULL;
    edge->number += 1;
    assert_false(keeli_archetype_graph_is_valid(&t.a));
    edge->number -= 1;
    one->position = 2;
    assert_false(keeli_archetype_graph_is_valid(&t.a));
    one->position = 1;
    keeli_archetype **filed = t.a.by_set;
    while (*filed != two)
        ++filed;
    *filed = NULL; // cannot be found
    assert_false(keeli_archetype_graph_is_valid(&t.a));
    *filed = two;
    end();
}

static const struct CMUnitTest tests[] = {
    // proves S-146 S-147
    TEST(adding_and_removing_one_component,
         "one component more or less gives the archetype of the other set"),
    // proves S-146 S-147
    TEST(whether_a_component_is_there_is_asked_before,
         "whether a component is there is known before it is added or removed"),
    // proves S-148
    TEST(columns_of_a_list_are_all_there, "an archetype has the listed columns, in order"),
    // proves S-148
    TEST(a_duplicate_is_not_valid, "a column that is there twice is not valid"),
    // proves S-145
    TEST(a_new_column_is_empty_and_of_its_type, "a new column is empty and of its type"),
    // proves S-144
    TEST(every_way_to_a_set_leads_to_one_archetype, "every way to a set leads to one archetype"),
    TEST(an_edge_is_looked_for_once, "An edge is looked for once"),
    TEST(a_thousand_sets_are_found_filled_and_trimmed,
         "A thousand sets are found, filled and trimmed"),
    TEST(edges_to_archetypes_that_went_are_forgotten,
         "Edges to archetypes that went are forgotten"),
    TEST(the_empty_set_stays, "The empty set stays"),
    TEST(finding_without_memory_changes_nothing, "Finding without memory changes nothing"),
    TEST(making_them_without_memory_leaves_nothing, "Making them without memory leaves nothing"),
    TEST(faults_are_noticed, "Planted faults are noticed"),
};
int main(void) { return RUN(tests); }
