// SPDX-License-Identifier: MIT
// What tests below the world stand on: a heap, an entity index and a sparse set over the counting
// allocator. None of them may move after its init.
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
// The running test fails when anything is still live, by either count.
void test_heap_deinit(test_heap *t);

// ------------------------------------------------------------------ an entity index
typedef struct test_index {
    test_heap memory;
    keeli_entity_index ix;
} test_index;

void test_index_init(test_index *t);
// The running test fails when the index is not valid or does not give all its memory back.
void test_index_deinit(test_index *t);

// Reserve one, then add or hold it.
keel_entity test_index_add(test_index *t);
keel_entity test_index_hold(test_index *t);
void test_index_add_many(test_index *t, uint32_t count);
keel_result test_index_add_at(test_index *t, uint32_t index, uint32_t version);
// Delete the living entity of an index.
void test_index_delete(test_index *t, uint32_t index);

// The seed writes a slot as a pair (version, id): a living one has its own index as id, a dead one
// the next version and the next free index, or STAR. These read Keel's two arrays as such pairs.
#define STAR UINT32_MAX
uint32_t test_slot_version(const keeli_entity_index *ix, uint32_t index);
uint32_t test_slot_id(const keeli_entity_index *ix, uint32_t index);

#define ASSERT_ENTITY(e, version, index)                                                           \
    test_assert_entity((e), (version), (index), __FILE__, __LINE__)
void test_assert_entity(keel_entity e, uint32_t version, uint32_t index, const char *file,
                        int line);

// The next adds give exactly these (version, index) pairs.
#define ASSERT_NEXT_ADDS(t, ...)                                                                   \
    test_assert_next_adds((t), (const uint32_t[][2]){ __VA_ARGS__ },                               \
                          sizeof((const uint32_t[][2]){ __VA_ARGS__ }) / sizeof(uint32_t[2]),      \
                          __FILE__, __LINE__)
void test_assert_next_adds(test_index *t, const uint32_t (*pairs)[2], size_t count,
                           const char *file, int line);

// Everything that can be observed of an index, to compare before and after.
typedef struct test_index_state {
    keeli_entity_index counts; // pages and bytes in it do not count
    uint32_t *cells;           // version and where of each index below size
} test_index_state;

test_index_state test_index_state_take(const keeli_entity_index *ix);
// Compares, and frees the state.
#define ASSERT_INDEX_UNCHANGED(ix, state) test_assert_index((ix), (state), __FILE__, __LINE__)
void test_assert_index(const keeli_entity_index *ix, test_index_state state, const char *file,
                       int line);

// ------------------------------------------------------------------ a sparse set
typedef struct test_set {
    test_heap memory;
    keeli_sparse_set set;
} test_set;

void test_set_init(test_set *t, const keel_component *component);
// The running test fails when the set is not valid or does not give all its memory back.
void test_set_deinit(test_set *t);

// Fill a slot that holds no value (NULL: zeros), and move its value out, as those who use a set do.
void test_set_put(test_set *t, uint32_t slot, const void *value);
void test_set_move_out(test_set *t, uint32_t slot, void *to);
// Both reserves, a push and a put; the entity has version 0. The slot.
uint32_t test_set_add(test_set *t, uint32_t index, const void *value);
// Indices 0 to count - 1, with zero values.
void test_set_add_many(test_set *t, uint32_t count);
// Drop the value of an index and take it out.
void test_set_remove(test_set *t, uint32_t index);
bool test_set_contains(const test_set *t, uint32_t index);

// The packed indices are exactly these. None: ASSERT_DENSE_EMPTY.
#define ASSERT_DENSE(t, ...)                                                                       \
    test_assert_dense((t), (const uint32_t[]){ __VA_ARGS__ },                                      \
                      sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), __FILE__,      \
                      __LINE__)
#define ASSERT_DENSE_EMPTY(t) test_assert_dense((t), NULL, 0, __FILE__, __LINE__)
void test_assert_dense(const test_set *t, const uint32_t *indices, size_t count, const char *file,
                       int line);

// The cells from index 0 on; KEELI_NO_SLOT for what the seeds print as U or a dot.
#define ASSERT_SPARSE(t, ...)                                                                      \
    test_assert_sparse((t), (const uint32_t[]){ __VA_ARGS__ },                                     \
                       sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), __FILE__,     \
                       __LINE__)
void test_assert_sparse(const test_set *t, const uint32_t *slots, size_t count, const char *file,
                        int line);

// The packed values of a set of uint32_t are exactly these.
#define ASSERT_VALUES(t, ...)                                                                      \
    test_assert_values((t), (const uint32_t[]){ __VA_ARGS__ },                                     \
                       sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), __FILE__,     \
                       __LINE__)
void test_assert_values(const test_set *t, const uint32_t *values, size_t count, const char *file,
                        int line);

// Exchange two slots, with a place in between for values of up to 64 KiB.
void test_set_swap(test_set *t, uint32_t a, uint32_t b);
