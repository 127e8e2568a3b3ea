// SPDX-License-Identifier: MIT
// The functions of row_fixture.h: archetypes and their rows for tests below the world. It contains
// no tests; programs of tests/data link it.
#include "support/row_fixture.h"

#include <string.h>

static const struct {
    uint32_t size, align;
} layouts[ROW_COMPONENTS] = {
    [ROW_U32] = { 4, 4 },
    [ROW_U64] = { 8, 8 },
    [ROW_BOOL] = { 1, 1 },
    [ROW_TAG] = { 0, 1 },
    [ROW_OWNED] = { sizeof(Owned), 4 },
    [ROW_WIDE] = { 4096, 4096 },
    [ROW_LARGE] = { 1500, 4 },
};

void test_rows_init(test_rows *t) {
    test_heap_init(&t->memory);
    keeli_entity_index_init(&t->ix);
    for (uint32_t i = 0; i < ROW_COMPONENTS; ++i)
        t->c[i] = (keeli_row_component){ .number = 10 + i * 3,
                                         .size = layouts[i].size,
                                         .align = layouts[i].align };
    t->c[ROW_OWNED].drop = owned_drop;
    t->c[ROW_OWNED].move = owned_move;
    assert_true(keeli_archetypes_init(&t->a, &t->memory.heap));
}

bool test_rows_are_valid(const test_rows *t) {
    return keeli_archetypes_are_valid(&t->a, &t->ix) && keeli_entity_index_is_valid(&t->ix);
}

void test_rows_deinit(test_rows *t) {
    keeli_heap *heap = &t->memory.heap;
    size_t bytes = t->a.bytes + t->ix.bytes;
    assert_true(test_rows_are_valid(t));
    for (uint32_t i = 0; i < ROW_COMPONENTS; ++i)
        bytes += t->c[i].base_capacity * sizeof(void *);
    assert_int_equal(bytes, heap->live);
    keeli_archetypes_deinit(&t->a, heap);
    for (uint32_t i = 0; i < ROW_COMPONENTS; ++i)
        keeli_free(heap, t->c[i].bases, t->c[i].base_capacity * sizeof(void *), sizeof(void *));
    keeli_entity_index_deinit(&t->ix, heap);
    test_heap_deinit(&t->memory);
}

keeli_archetype *test_rows_find(test_rows *t, uint32_t set) {
    keeli_row_component *columns[ROW_COMPONENTS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < ROW_COMPONENTS; ++i)
        if (set >> i & 1) columns[count++] = &t->c[i];
    return keeli_archetypes_find(&t->a, &t->memory.heap, columns, count);
}

uint32_t test_rows_set(const test_rows *t, const keeli_archetype *archetype) {
    uint32_t set = 0;
    for (uint32_t c = 0; c < archetype->column_count; ++c)
        set |= 1u << (archetype->columns[c] - t->c);
    return set;
}

static uint32_t *where_of(const test_rows *t, keel_entity e) {
    const uint32_t i = keel_entity_index(e);
    return &t->ix.root.where[i / KEELI_PAGE][i % KEELI_PAGE];
}
uint32_t test_rows_place(const test_rows *t, keel_entity e) { return *where_of(t, e); }

keeli_archetype *test_rows_of(const test_rows *t, keel_entity e) {
    const uint32_t place = test_rows_place(t, e);
    return place == KEELI_NO_ROW ? t->a.all[0] : keeli_block_of(&t->a, place)->archetype;
}

static unsigned char pattern(keel_entity e, const keeli_row_component *c) {
    return (unsigned char)(keel_entity_index(e) * 7 + c->number);
}
static void fill(const keeli_row_component *c, keel_entity e, uint32_t place) {
    memset(keeli_row_value(c, place), c->drop ? 0 : pattern(e, c), c->size);
}

keel_entity test_rows_add(test_rows *t, keeli_archetype *archetype) {
    assert_int_equal(keeli_entity_index_reserve(&t->ix, &t->memory.heap, 1), KEEL_OK);
    assert_true(keeli_archetype_reserve(&t->a, &t->memory.heap, archetype, 1));
    const keel_entity e = keeli_entity_index_add(&t->ix);
    *where_of(t, e) = keeli_archetype_push(&t->a, archetype, e);
    for (uint32_t c = 0; c < archetype->column_count; ++c)
        fill(archetype->columns[c], e, *where_of(t, e));
    return e;
}

// Drops the values of components that `to` does not have; with NULL, all values.
static void drop_values(const test_rows *t, keel_entity e, const keeli_archetype *to) {
    const keeli_archetype *from = test_rows_of(t, e);
    for (uint32_t c = 0; c < from->column_count; ++c) {
        const keeli_row_component *column = from->columns[c];
        if (!column->drop || (to && keeli_archetype_column(to, column->number) != UINT32_MAX))
            continue;
        column->drop(keeli_row_value(column, *where_of(t, e)), column->hook_data);
    }
}

void test_rows_move(test_rows *t, keel_entity e, keeli_archetype *to) {
    if (to->column_count) assert_true(keeli_archetype_reserve(&t->a, &t->memory.heap, to, 1));
    const keeli_archetype *from = test_rows_of(t, e);
    const uint32_t old = *where_of(t, e);
    drop_values(t, e, to);
    if (!to->column_count) *where_of(t, e) = KEELI_NO_ROW;
    else if (old == KEELI_NO_ROW) *where_of(t, e) = keeli_archetype_push(&t->a, to, e);
    else *where_of(t, e) = keeli_archetype_copy_row(&t->a, old, to);
    for (uint32_t c = 0; c < to->column_count; ++c)
        if (keeli_archetype_column(from, to->columns[c]->number) == UINT32_MAX)
            fill(to->columns[c], e, *where_of(t, e));
    if (old != KEELI_NO_ROW) keeli_archetype_remove(&t->a, &t->ix, old);
    keeli_archetypes_free_old(&t->a, &t->memory.heap);
}

void test_rows_delete(test_rows *t, keel_entity e) {
    drop_values(t, e, NULL);
    if (test_rows_place(t, e) != KEELI_NO_ROW)
        keeli_archetype_remove(&t->a, &t->ix, test_rows_place(t, e));
    keeli_entity_index_delete(&t->ix, e);
}

bool test_rows_has_values(const test_rows *t, keel_entity e) {
    const keeli_archetype *archetype = test_rows_of(t, e);
    for (uint32_t c = 0; c < archetype->column_count; ++c) {
        const keeli_row_component *column = archetype->columns[c];
        const unsigned char *value = keeli_row_value(column, test_rows_place(t, e));
        if ((uintptr_t)value % column->align && column->size) return false;
        if (column->drop) continue; // values with hooks are not compared
        for (uint32_t i = 0; i < column->size; ++i)
            if (value[i] != pattern(e, column)) return false;
    }
    return true;
}
