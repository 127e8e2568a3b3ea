// SPDX-License-Identifier: MIT
// The functions of data_fixture.h: a heap, an entity index and a sparse set for tests below the
// world. It contains no tests; programs of tests/data link it.
#include "support/data_fixture.h"

#include "support/test.h"

#include <stdlib.h>

// assert_int_equal that reports the line of the caller.
#define EQUAL_AT(a, b, file, line) _assert_int_equal((a), (b), (file), (line))

// ------------------------------------------------------------------ a heap
void test_heap_init(test_heap *t) {
    counting_allocator_init(&t->memory);
    keeli_heap_init(&t->heap, t->memory.allocator);
}

void test_heap_deinit(test_heap *t) {
    assert_int_equal(t->heap.live, 0);
    assert_int_equal(t->memory.live_bytes, 0);
    assert_int_equal(t->memory.live_blocks, 0);
    keeli_heap_deinit(&t->heap);
}

// ------------------------------------------------------------------ an entity index
void test_index_init(test_index *t) {
    test_heap_init(&t->memory);
    keeli_entity_index_init(&t->ix);
}

void test_index_deinit(test_index *t) {
    assert_true(keeli_entity_index_is_valid(&t->ix));
    assert_int_equal(t->ix.bytes, t->memory.heap.live);
    keeli_entity_index_deinit(&t->ix, &t->memory.heap);
    test_heap_deinit(&t->memory);
}

keel_entity test_index_add(test_index *t) {
    assert_int_equal(keeli_entity_index_reserve(&t->ix, &t->memory.heap, 1), KEEL_OK);
    return keeli_entity_index_add(&t->ix);
}

keel_entity test_index_hold(test_index *t) {
    assert_int_equal(keeli_entity_index_reserve(&t->ix, &t->memory.heap, 1), KEEL_OK);
    return keeli_entity_index_hold(&t->ix);
}

void test_index_add_many(test_index *t, uint32_t count) {
    assert_int_equal(keeli_entity_index_reserve(&t->ix, &t->memory.heap, count), KEEL_OK);
    while (count--)
        (void)keeli_entity_index_add(&t->ix);
}

keel_result test_index_add_at(test_index *t, uint32_t index, uint32_t version) {
    return keeli_entity_index_add_at(&t->ix, &t->memory.heap, keel_entity_make(index, version));
}

void test_index_delete(test_index *t, uint32_t index) {
    const keel_entity e = keeli_entity_index_next(&t->ix, index);
    assert_int_equal(keel_entity_index(e), index);
    keeli_entity_index_delete(&t->ix, e);
}

static uint32_t version_cell(const keeli_entity_index *ix, uint32_t index) {
    return ix->root.versions[index / KEELI_PAGE][index % KEELI_PAGE];
}

static uint32_t where_cell(const keeli_entity_index *ix, uint32_t index) {
    return ix->root.where[index / KEELI_PAGE][index % KEELI_PAGE];
}

uint32_t test_slot_version(const keeli_entity_index *ix, uint32_t index) {
    return (version_cell(ix, index) & ~KEELI_DEAD) - 1;
}

uint32_t test_slot_id(const keeli_entity_index *ix, uint32_t index) {
    if (!(version_cell(ix, index) & KEELI_DEAD)) return index;
    const uint32_t next = where_cell(ix, index);
    return next == KEELI_FREE_END ? STAR : next;
}

void test_assert_entity(keel_entity e, uint32_t version, uint32_t index, const char *file,
                        int line) {
    EQUAL_AT(keel_entity_index(e), index, file, line);
    EQUAL_AT(keel_entity_version(e), version, file, line);
}

void test_assert_next_adds(test_index *t, const uint32_t (*pairs)[2], size_t count,
                           const char *file, int line) {
    for (size_t i = 0; i < count; ++i)
        test_assert_entity(test_index_add(t), pairs[i][0], pairs[i][1], file, line);
}

// ------------------------------------------------------------------ states of an index
test_index_state test_index_state_take(const keeli_entity_index *ix) {
    const size_t bytes = (size_t)ix->size * 2 * sizeof(uint32_t);
    const test_index_state state = { *ix, malloc(bytes ? bytes : 1) };
    assert_non_null(state.cells);
    for (uint32_t i = 0; i < ix->size; ++i) {
        state.cells[2 * i] = version_cell(ix, i);
        state.cells[2 * i + 1] = where_cell(ix, i);
    }
    return state;
}

void test_assert_index(const keeli_entity_index *ix, test_index_state state, const char *file,
                       int line) {
    EQUAL_AT(ix->size, state.counts.size, file, line);
    EQUAL_AT(keeli_entity_count(ix), keeli_entity_count(&state.counts), file, line);
    EQUAL_AT(ix->held, state.counts.held, file, line);
    EQUAL_AT(ix->retired, state.counts.retired, file, line);
    EQUAL_AT(ix->free_head, state.counts.free_head, file, line);
    EQUAL_AT(ix->free_count, state.counts.free_count, file, line);
    EQUAL_AT(ix->gap_first, state.counts.gap_first, file, line);
    EQUAL_AT(ix->gap_count, state.counts.gap_count, file, line);
    for (uint32_t i = 0; i < ix->size; ++i) {
        EQUAL_AT(version_cell(ix, i), state.cells[2 * i], file, line);
        EQUAL_AT(where_cell(ix, i), state.cells[2 * i + 1], file, line);
    }
    EQUAL_AT(keeli_entity_index_is_valid(ix), true, file, line);
    free(state.cells);
}

// ------------------------------------------------------------------ a sparse set
void test_set_init(test_set *t, const keel_component *component) {
    test_heap_init(&t->memory);
    keeli_sparse_set_init(&t->set, component);
}

void test_set_deinit(test_set *t) {
    assert_true(keeli_sparse_set_is_valid(&t->set));
    assert_int_equal(t->set.bytes, t->memory.heap.live);
    keeli_sparse_set_deinit(&t->set, &t->memory.heap);
    test_heap_deinit(&t->memory);
}

static void move_value(const keeli_sparse_set *set, void *to, void *from) {
    if (set->move) set->move(to, from, set->hook_data);
    else memcpy(to, from, set->size);
}

void test_set_put(test_set *t, uint32_t slot, const void *value) {
    void *to = keeli_sparse_set_value(&t->set, slot);
    if (value && t->set.size)
        move_value(&t->set, to, (void *)(uintptr_t)value); // the caller gives it up
    else memset(to, 0, t->set.size);
}

void test_set_move_out(test_set *t, uint32_t slot, void *to) {
    if (t->set.size) move_value(&t->set, to, keeli_sparse_set_value(&t->set, slot));
}

uint32_t test_set_add(test_set *t, uint32_t index, const void *value) {
    assert_true(keeli_sparse_set_reserve(&t->set, &t->memory.heap, 1));
    assert_true(keeli_sparse_set_reserve_cell(&t->set, &t->memory.heap, index));
    const uint32_t slot = keeli_sparse_set_push(&t->set, keel_entity_make(index, 0));
    test_set_put(t, slot, value);
    return slot;
}

void test_set_add_many(test_set *t, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        (void)test_set_add(t, i, NULL);
}

void test_set_remove(test_set *t, uint32_t index) {
    const uint32_t slot = keeli_sparse_set_find(&t->set, index);
    assert_int_not_equal(slot, KEELI_NO_SLOT);
    keeli_sparse_set_drop(&t->set, slot);
    keeli_sparse_set_remove(&t->set, slot);
}

bool test_set_contains(const test_set *t, uint32_t index) {
    return keeli_sparse_set_find(&t->set, index) != KEELI_NO_SLOT;
}

void test_assert_dense(const test_set *t, const uint32_t *indices, size_t count, const char *file,
                       int line) {
    EQUAL_AT(t->set.count, count, file, line);
    for (uint32_t slot = 0; slot < count; ++slot)
        EQUAL_AT(keel_entity_index(*keeli_sparse_set_entity(&t->set, slot)), indices[slot], file,
                 line);
}

void test_assert_sparse(const test_set *t, const uint32_t *slots, size_t count, const char *file,
                        int line) {
    for (uint32_t index = 0; index < count; ++index)
        EQUAL_AT(keeli_sparse_set_find(&t->set, index), slots[index], file, line);
}

void test_assert_values(const test_set *t, const uint32_t *values, size_t count, const char *file,
                        int line) {
    EQUAL_AT(t->set.count, count, file, line);
    for (uint32_t slot = 0; slot < count; ++slot)
        EQUAL_AT(*(const uint32_t *)keeli_sparse_set_value(&t->set, slot), values[slot], file,
                 line);
}

void test_set_swap(test_set *t, uint32_t a, uint32_t b) {
    static _Alignas(4096) char between[65536];
    keeli_sparse_set_swap(&t->set, a, b, between);
}
