// SPDX-License-Identifier: MIT
// Rows and blocks. The sets and the edges between them: test_archetype_graph.c.
#include "data/archetype.h"

#include "support/row_fixture.h"

#include <string.h>

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
    OWNED = 1 << ROW_OWNED,
    WIDE = 1 << ROW_WIDE,
    LARGE = 1 << ROW_LARGE
};

// ------------------------------------------------------------------ EC-Scrapyard's entities
static void entities_are_numbered_from_zero(void **state) {
    (void)state;
    test_index ix;
    test_index_init(&ix);
    ASSERT_NEXT_ADDS(&ix, { 0, 0 }, { 0, 1 }, { 0, 2 }, { 0, 3 });
    test_index_deinit(&ix);
}

// Where the seed panics there is a result, before anything is done.
static void running_out_of_indices_is_a_result(void **state) {
    (void)state;
    test_index ix;
    test_index_init(&ix);
    test_index_add_many(&ix, 3);
    const test_index_state before = test_index_state_take(&ix.ix);
    assert_int_equal(keeli_entity_index_reserve(&ix.ix, &ix.memory.heap, UINT32_MAX),
                     KEEL_ERROR_FULL);
    assert_int_equal(
        keeli_entity_index_reserve(&ix.ix, &ix.memory.heap, KEEL_MAX_ENTITY_INDEX + 1u - 2),
        KEEL_ERROR_FULL);
    ASSERT_INDEX_UNCHANGED(&ix.ix, before);
    assert_int_equal(test_index_add_at(&ix, KEEL_MAX_ENTITY_INDEX, 0), KEEL_OK); // the last one
    assert_true(keel_is_null(keel_entity_make(UINT32_MAX, 0)));
    test_index_deinit(&ix);
}

static void a_deleted_entity_is_dead_for_all_copies_of_its_handle(void **state) {
    (void)state;
    test_index ix;
    test_index_init(&ix);
    const keel_entity e = test_index_add(&ix), copy = e;
    assert_true(keeli_entity_is_alive(&ix.ix, copy));
    keeli_entity_index_delete(&ix.ix, e);
    assert_false(keeli_entity_is_alive(&ix.ix, e));
    assert_false(keeli_entity_is_alive(&ix.ix, copy));
    test_index_deinit(&ix);
}

// The seed never uses an id again; Keel uses the index again, with another version.
static void a_handle_is_never_used_again(void **state) {
    (void)state;
    test_index ix;
    test_index_init(&ix);
    const keel_entity old = test_index_add(&ix);
    keeli_entity_index_delete(&ix.ix, old);
    const keel_entity next = test_index_add(&ix);
    assert_int_equal(keel_entity_index(next), keel_entity_index(old));
    assert_false(keel_is_same(next, old));
    assert_false(keeli_entity_is_alive(&ix.ix, old));
    test_index_deinit(&ix);
}

// The seed panics and says that returning false would be fine too.
static void a_handle_of_another_index_is_not_alive(void **state) {
    (void)state;
    test_index gen_1, gen_2;
    test_index_init(&gen_1);
    test_index_init(&gen_2);
    const keel_entity e1_1 = test_index_add(&gen_1);
    assert_false(keeli_entity_is_alive(&gen_2.ix, e1_1));
    test_index_deinit(&gen_1);
    test_index_deinit(&gen_2);
}

// ------------------------------------------------------------------ rows
static void row_i_of_every_column_belongs_to_entity_i(void **state) {
    (void)state;
    begin();
    keeli_archetype *both = test_rows_find(&t, U32 | U64), *one = test_rows_find(&t, U32);
    keel_entity e[100];
    for (uint32_t i = 0; i < 100; ++i)
        e[i] = test_rows_add(&t, i % 3 ? both : one);
    assert_int_equal(both->row_count, 66);
    assert_int_equal(one->row_count, 34);
    for (uint32_t i = 0; i < 100; ++i) {
        const uint32_t place = test_rows_place(&t, e[i]);
        const keeli_block *block = keeli_block_of(&t.a, place);
        assert_same_entity(block->entities[place & KEELI_ROW_MASK], e[i]);
        assert_ptr_equal(test_rows_of(&t, e[i]), i % 3 ? both : one);
        assert_true(test_rows_has_values(&t, e[i]));
    }
    end();
}

static void taking_a_row_moves_the_last_one_into_the_hole(void **state) {
    (void)state;
    begin();
    keeli_archetype *archetype = test_rows_find(&t, U32 | U64 | BOOL | TAG);
    keel_entity e[5];
    for (uint32_t i = 0; i < 5; ++i)
        e[i] = test_rows_add(&t, archetype);
    const uint32_t hole = test_rows_place(&t, e[1]);
    test_rows_delete(&t, e[1]);
    assert_int_equal(test_rows_place(&t, e[4]), hole);
    assert_int_equal(archetype->row_count, 4);
    assert_true(test_rows_has_values(&t, e[4]));
    test_rows_delete(&t, e[3]); // the last: nothing moves
    assert_true(test_rows_are_valid(&t));
    assert_int_equal(test_rows_place(&t, e[4]), hole);
    end();
}

// In whatever order they left, the rows that stay are packed.
static void rows_that_left_are_taken_together(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    enum { COUNT = 5000, RUN = 70 };
    static keel_entity e[COUNT];
    static uint32_t places[COUNT];
    for (uint32_t way = 0; way < 4; ++way) {
        begin();
        keeli_archetype *from = test_rows_find(&t, U32 | U64), *to = test_rows_find(&t, U32);
        keeli_archetype *none = test_rows_find(&t, 0), *target = way == 3 ? none : to;
        uint32_t count = 0;
        for (uint32_t i = 0; i < COUNT; ++i)
            e[i] = test_rows_add(&t, from);
        assert_true(keeli_archetype_reserve(&t.a, &t.memory.heap, to, COUNT));
        for (uint32_t k = 0; k + RUN < 4096; k += way == 2 ? 3 * RUN : RUN) {
            const uint32_t first = way == 1 ? 4096 - RUN - k : k;
            const uint32_t place = test_rows_place(&t, e[first]);
            for (uint32_t i = 0; i < RUN; ++i)
                places[count++] = place + i;
            keeli_archetype_copy_rows(&t.a, &t.ix, place, RUN, target);
        }
        keeli_archetype_remove_left(&t.a, &t.ix, places, count);
        assert_int_equal(from->row_count, COUNT - count);
        assert_int_equal(to->row_count, target == to ? count : 0);
        assert_true(test_rows_are_valid(&t));
        for (uint32_t i = 0; i < COUNT; ++i)
            assert_true(test_rows_has_values(&t, e[i]));
        end();
    }
}

static void a_row_keeps_its_values_along_the_edges(void **state) {
    (void)state;
    begin();
    const uint32_t sets[] = { U32,         U32 | U64, U32 | U64 | BOOL | LARGE,
                              U64 | LARGE, TAG,       TAG | U32,
                              WIDE | U32,  WIDE,      U64 };
    keel_entity e[20];
    for (uint32_t i = 0; i < 20; ++i)
        e[i] = test_rows_add(&t, test_rows_find(&t, U32 | U64));
    for (uint32_t step = 0; step < 9; ++step)
        for (uint32_t i = 0; i < 20; ++i) {
            test_rows_move(&t, e[i], test_rows_find(&t, sets[(step + i) % 9]));
            for (uint32_t k = 0; k < 20; ++k)
                assert_true(test_rows_has_values(&t, e[k]));
            assert_true(test_rows_are_valid(&t));
        }
    end();
}

static void the_empty_set_has_no_rows(void **state) {
    (void)state;
    begin();
    const keel_entity e = test_rows_add(&t, test_rows_find(&t, U32));
    test_rows_move(&t, e, t.a.all[0]);
    assert_int_equal(test_rows_place(&t, e), KEELI_NO_ROW);
    assert_int_equal(t.a.all[0]->row_count, 0);
    assert_int_equal(t.a.all[0]->block_count, 0);
    test_rows_move(&t, e, test_rows_find(&t, U64));
    assert_true(test_rows_has_values(&t, e));
    end();
}

// ------------------------------------------------------------------ blocks
static void many_rows_take_many_blocks(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    begin();
    keeli_archetype *archetype = test_rows_find(&t, U64);
    static keel_entity e[3 * 4096 + 10];
    const uint32_t count = sizeof e / sizeof *e;
    for (uint32_t i = 0; i < count; ++i)
        e[i] = test_rows_add(&t, archetype);
    assert_int_equal(archetype->rows_per_block, 4096);
    assert_int_equal(archetype->block_count, 4);
    assert_int_equal(archetype->blocks[3]->count, 10);
    assert_true(test_rows_are_valid(&t));
    for (uint32_t i = 0; i < count; i += 2)
        test_rows_delete(&t, e[i]);
    assert_true(test_rows_are_valid(&t));
    for (uint32_t i = 1; i < count; i += 2)
        assert_true(test_rows_has_values(&t, e[i]));
    end();
}

static void a_small_archetype_takes_little_memory(void **state) {
    (void)state;
    begin();
    const size_t before = t.a.bytes;
    (void)test_rows_add(&t, test_rows_find(&t, U32 | U64));
    assert_true(t.a.bytes - before < 2048);
    end();
}

static void wide_rows_make_small_blocks(void **state) {
    (void)state;
    begin();
    keeli_archetype *archetype = test_rows_find(&t, WIDE | LARGE);
    for (uint32_t i = 0; i < 300; ++i)
        assert_true(test_rows_has_values(&t, test_rows_add(&t, archetype)));
    assert_true(archetype->rows_per_block < 128);
    assert_true(archetype->rows_per_block >= 64);
    assert_true(archetype->block_count >= 3);
    end();
}

static void free_block_numbers_come_again(void **state) {
    (void)state;
    begin();
    keeli_archetype *archetype = test_rows_find(&t, WIDE);
    for (uint32_t round = 0; round < 5; ++round) {
        static keel_entity e[2000];
        for (uint32_t i = 0; i < 2000; ++i)
            e[i] = test_rows_add(&t, archetype);
        for (uint32_t i = 2000; i--;)
            test_rows_delete(&t, e[i]);
        const uint32_t blocks = archetype->block_count;
        assert_int_equal(t.a.block_count, blocks); // the same numbers each time
        keeli_archetype_trim(&t.a, &t.memory.heap, archetype);
        assert_int_equal(archetype->block_count, 0);
        assert_true(test_rows_are_valid(&t));
    }
    end();
}

static void trimming_frees_blocks_without_rows(void **state) {
    (void)state;
    begin();
    keeli_archetype *archetype = test_rows_find(&t, U64);
    static keel_entity e[3 * 4096];
    for (uint32_t i = 0; i < 3 * 4096; ++i)
        e[i] = test_rows_add(&t, archetype);
    for (uint32_t i = 5; i < 3 * 4096; ++i)
        test_rows_delete(&t, e[i]);
    const size_t before = t.a.bytes;
    keeli_archetypes_trim(&t.a, &t.memory.heap);
    assert_int_equal(archetype->block_count, 1);
    assert_true(t.a.bytes < before / 2);
    for (uint32_t i = 0; i < 5; ++i)
        assert_true(test_rows_has_values(&t, e[i]));
    for (uint32_t i = 0; i < 5000; ++i)
        (void)test_rows_add(&t, archetype);
    end();
}

// ------------------------------------------------------------------ hooks
static void values_are_moved_and_dropped_with_their_hooks(void **state) {
    (void)state;
    begin();
    keeli_archetype *with = test_rows_find(&t, OWNED | U32),
                    *more = test_rows_find(&t, OWNED | U64);
    keel_entity e[50];
    for (uint32_t i = 0; i < 50; ++i) { // the block grows on the way: values move with their hook
        e[i] = test_rows_add(&t, with);
        *(Owned *)keeli_row_value(&t.c[ROW_OWNED], test_rows_place(&t, e[i])) = owned_make();
    }
    assert_true(owned.moves > 0);
    for (uint32_t i = 0; i < 50; i += 2)
        test_rows_move(&t, e[i], more);
    assert_int_equal(owned.drops, 0);
    assert_int_equal(owned.living, 50);
    for (uint32_t i = 0; i < 50; i += 5)
        test_rows_delete(&t, e[i]);
    assert_int_equal(owned.living, 40);
    test_rows_move(&t, e[1], test_rows_find(&t, U32));
    assert_int_equal(owned.living, 39);
    keeli_archetype_clear(&t.a, &t.ix, with);
    assert_int_equal(with->row_count, 0);
    assert_int_equal(test_rows_place(&t, e[3]), KEELI_NO_ROW);
    assert_int_equal(owned.living, 20);
    assert_true(test_rows_are_valid(&t));
    end(); // the rest is dropped with the archetypes
}

// ------------------------------------------------------------------ out of memory
static void a_reserve_without_memory_changes_nothing(void **state) {
    (void)state;
    const uint32_t extras[] = { 1, 8, 100, 10000 };
    for (uint32_t k = 0; k < 4; ++k) {
        begin();
        keeli_archetype *archetype = test_rows_find(&t, U32 | OWNED | TAG);
        keel_entity e[9];
        for (uint32_t i = 0; i < 8; ++i)
            e[i] = test_rows_add(&t, archetype);
        for (size_t allowed = 0;; ++allowed) {
            counting_allocator_fail_after(&t.memory.memory, allowed);
            const bool ok = keeli_archetype_reserve(&t.a, &t.memory.heap, archetype, extras[k]);
            counting_allocator_never_fail(&t.memory.memory);
            assert_true(test_rows_are_valid(&t));
            assert_int_equal(archetype->row_count, 8);
            for (uint32_t i = 0; i < 8; ++i)
                assert_true(test_rows_has_values(&t, e[i]));
            if (ok) break;
            assert_true(allowed < 100);
        }
        counting_allocator_fail_after(&t.memory.memory, 0);
        for (uint32_t i = 0; i < extras[k]; ++i) { // as promised
            assert_true(keeli_archetype_has_room(archetype));
            counting_allocator_never_fail(&t.memory.memory);
            assert_int_equal(keeli_entity_index_reserve(&t.ix, &t.memory.heap, 1), KEEL_OK);
            counting_allocator_fail_after(&t.memory.memory, 0);
            (void)test_rows_add(&t, archetype);
        }
        end();
    }
}

// ------------------------------------------------------------------ faults
static void faults_are_noticed(void **state) {
    (void)state;
    begin();
    keeli_archetype *archetype = test_rows_find(&t, U32 | U64);
    const keel_entity a = test_rows_add(&t, archetype), b = test_rows_add(&t, archetype);
    keeli_block *block = archetype->blocks[0];
    assert_true(test_rows_are_valid(&t));
    block->entities[0] = b; // twice in the rows
    assert_false(test_rows_are_valid(&t));
    block->entities[0] = keel_entity_make(keel_entity_index(a), 7); // stale
    assert_false(test_rows_are_valid(&t));
    block->entities[0] = a;
    ++archetype->row_count;
    assert_false(test_rows_are_valid(&t));
    --archetype->row_count;
    --block->count; // a row that its entity still points to
    --archetype->row_count;
    assert_false(test_rows_are_valid(&t));
    ++block->count;
    ++archetype->row_count;
    void *base = t.c[ROW_U64].bases[block->number];
    t.c[ROW_U64].bases[block->number] = (char *)base + 8;
    assert_false(test_rows_are_valid(&t));
    t.c[ROW_U64].bases[block->number] = base;
    block->archetype = t.a.all[0];
    assert_false(test_rows_are_valid(&t));
    block->archetype = archetype;
    t.a.free = block; // in use and free
    assert_false(test_rows_are_valid(&t));
    t.a.free = NULL;
    end();
}

static const struct CMUnitTest tests[] = {
    // proves S-139
    TEST(entities_are_numbered_from_zero, "entities are numbered 0, 1, 2 in order"),
    // proves S-140
    TEST(running_out_of_indices_is_a_result,
         "running out of indices is a result; the last index is the last"),
    // proves S-141
    TEST(a_deleted_entity_is_dead_for_all_copies_of_its_handle,
         "a deleted entity is dead for all copies of its handle"),
    // proves S-142
    TEST(a_handle_is_never_used_again, "a handle is never used again"),
    // proves S-143
    TEST(a_handle_of_another_index_is_not_alive, "a handle of another index is not alive"),
    // proves S-144
    TEST(row_i_of_every_column_belongs_to_entity_i,
         "row i of every column belongs to entity i, of exactly that set"),
    TEST(rows_that_left_are_taken_together, "rows that left are taken together"),
    // proves S-144
    TEST(taking_a_row_moves_the_last_one_into_the_hole,
         "taking a row moves the last one into the hole"),
    // proves S-144
    TEST(a_row_keeps_its_values_along_the_edges, "a row keeps its values along the edges"),
    TEST(the_empty_set_has_no_rows, "The empty set has no rows"),
    TEST(many_rows_take_many_blocks, "Many rows take many blocks, full but for the last"),
    TEST(a_small_archetype_takes_little_memory, "A small archetype takes little memory"),
    TEST(wide_rows_make_small_blocks, "Wide rows make small blocks"),
    TEST(free_block_numbers_come_again, "Free block numbers come again"),
    TEST(trimming_frees_blocks_without_rows, "Trimming frees blocks without rows"),
    TEST(values_are_moved_and_dropped_with_their_hooks,
         "Values are moved and dropped with their hooks"),
    TEST(a_reserve_without_memory_changes_nothing, "A reserve that fails changes nothing"),
    TEST(faults_are_noticed, "Planted faults are noticed"),
};
int main(void) { return RUN(tests); }
