// SPDX-License-Identifier: MIT
// Fixtures for tests below the world: a heap, an entity index and a sparse set with the counting
// allocator. A fixture must not move after its init. They create no world; tests/data includes
// them.
#pragma once
#include "data/entity_index.h"
#include "data/sparse_set.h"
#include "support/counting_allocator.h"

// ------------------------------------------------------------------ a heap
typedef struct test_heap {
    counting_allocator memory;
    keeli_heap heap;
} test_heap;

void test_heap_init(test_heap *t);
// Asserts that all memory is freed, by the counts of the heap and of the allocator.
void test_heap_deinit(test_heap *t);

// ------------------------------------------------------------------ an entity index
typedef struct test_index {
    test_heap memory;
    keeli_entity_index ix;
} test_index;

void test_index_init(test_index *t);
// Asserts that the index is valid and that it frees all its memory.
void test_index_deinit(test_index *t);

// Reserve memory for an entity, and then add or hold it.
keel_entity test_index_add(test_index *t);
keel_entity test_index_hold(test_index *t);
void test_index_add_many(test_index *t, uint32_t count);
keel_result test_index_add_at(test_index *t, uint32_t index, uint32_t version);
// Deletes the living entity of an index.
void test_index_delete(test_index *t, uint32_t index);

// Read Keel's two arrays as pairs (version, id), the notation of the tests of indices. A living
// slot has its own index as id. A dead slot has the next version, and the next free index or STAR
// as id.
#define STAR UINT32_MAX
uint32_t test_slot_version(const keeli_entity_index *ix, uint32_t index);
uint32_t test_slot_id(const keeli_entity_index *ix, uint32_t index);

#define ASSERT_ENTITY(e, version, index)                                                           \
    test_assert_entity((e), (version), (index), __FILE__, __LINE__)
void test_assert_entity(keel_entity e, uint32_t version, uint32_t index, const char *file,
                        int line);

// Asserts that the next added entities have exactly these (version, index) pairs.
#define ASSERT_NEXT_ADDS(t, ...)                                                                   \
    test_assert_next_adds((t), (const uint32_t[][2]){ __VA_ARGS__ },                               \
                          sizeof((const uint32_t[][2]){ __VA_ARGS__ }) / sizeof(uint32_t[2]),      \
                          __FILE__, __LINE__)
void test_assert_next_adds(test_index *t, const uint32_t (*pairs)[2], size_t count,
                           const char *file, int line);

// The visible state of an index, to compare before and after an operation.
typedef struct test_index_state {
    keeli_entity_index counts; // compared without its pages and bytes
    uint32_t *cells;           // version and place of each index below size
} test_index_state;

test_index_state test_index_state_take(const keeli_entity_index *ix);
// Asserts that the index is in the state, and frees the state.
#define ASSERT_INDEX_UNCHANGED(ix, state) test_assert_index((ix), (state), __FILE__, __LINE__)
void test_assert_index(const keeli_entity_index *ix, test_index_state state, const char *file,
                       int line);

// ------------------------------------------------------------------ a sparse set
typedef struct test_set {
    test_heap memory;
    keeli_sparse_set set;
} test_set;

void test_set_init(test_set *t, const keel_component *component);
// Asserts that the set is valid and that it frees all its memory.
void test_set_deinit(test_set *t);

// Moves a value into an empty slot; NULL fills it with zeros.
void test_set_put(test_set *t, uint32_t slot, const void *value);
// Moves the value of a slot to `to`.
void test_set_move_out(test_set *t, uint32_t slot, void *to);
// Adds an entity of version 0 with a value: both reserves, a push and a put. Returns the slot.
uint32_t test_set_add(test_set *t, uint32_t index, const void *value);
// Adds the indices 0 to count - 1, with zero values.
void test_set_add_many(test_set *t, uint32_t count);
// Drops the value of an index and removes the index.
void test_set_remove(test_set *t, uint32_t index);
bool test_set_contains(const test_set *t, uint32_t index);

// Asserts that the packed indices are exactly these. For none, use ASSERT_DENSE_EMPTY.
#define ASSERT_DENSE(t, ...)                                                                       \
    test_assert_dense((t), (const uint32_t[]){ __VA_ARGS__ },                                      \
                      sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), __FILE__,      \
                      __LINE__)
#define ASSERT_DENSE_EMPTY(t) test_assert_dense((t), NULL, 0, __FILE__, __LINE__)
void test_assert_dense(const test_set *t, const uint32_t *indices, size_t count, const char *file,
                       int line);

// Asserts that the cells from index 0 on are these; KEELI_NO_SLOT is an empty cell.
#define ASSERT_SPARSE(t, ...)                                                                      \
    test_assert_sparse((t), (const uint32_t[]){ __VA_ARGS__ },                                     \
                       sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), __FILE__,     \
                       __LINE__)
void test_assert_sparse(const test_set *t, const uint32_t *slots, size_t count, const char *file,
                        int line);

// Asserts that the packed values of a set of uint32_t are exactly these.
#define ASSERT_VALUES(t, ...)                                                                      \
    test_assert_values((t), (const uint32_t[]){ __VA_ARGS__ },                                     \
                       sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), __FILE__,     \
                       __LINE__)
void test_assert_values(const test_set *t, const uint32_t *values, size_t count, const char *file,
                        int line);

// Exchanges two slots. Values may have up to 64 KiB.
void test_set_swap(test_set *t, uint32_t a, uint32_t b);
