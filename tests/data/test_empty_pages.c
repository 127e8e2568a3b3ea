// SPDX-License-Identifier: MIT
// Pages that were never written are shared by all structures of the process, so nobody may be able
// to write to them: the system is asked to put a byte there, and refuses.
#include "data/presence.h"
#include "data/sparse_set.h"
#include "data/ticks.h"

#include "support/data_fixture.h"
#include "support/test.h"

#include <errno.h>
#include <unistd.h>

static void assert_constant(void *page) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    errno = 0;
    assert_int_equal(read(ends[0], page, 1), -1);
    assert_int_equal(errno, EFAULT);
    close(ends[0]);
    close(ends[1]);
}

enum { FAR = 3 * 4096 }; // pages before it are not written

static void entity_index(void **state) {
    (void)state;
    test_index t;
    test_index_init(&t);
    assert_int_equal(test_index_add_at(&t, FAR, 0), KEEL_OK);
    assert_constant(t.ix.root.versions[0]);
    assert_constant(t.ix.root.where[0]);
    test_index_deinit(&t);
}

static void presence(void **state) {
    (void)state;
    test_heap memory;
    test_heap_init(&memory);
    keeli_presence bits = { 0 };
    assert_true(keeli_presence_reserve(&bits, &memory.heap, FAR));
    assert_constant(bits.root.pages[0]);
    keeli_presence_deinit(&bits, &memory.heap);
    test_heap_deinit(&memory);
}

static void sparse_set(void **state) {
    (void)state;
    test_heap memory;
    test_heap_init(&memory);
    keeli_sparse_set set;
    keeli_sparse_set_init(&set, &(keel_component){ .size = 4, .align = 4 });
    assert_true(keeli_sparse_set_reserve_cell(&set, &memory.heap, FAR));
    assert_constant(set.root.sparse[0]);
    keeli_sparse_set_deinit(&set, &memory.heap);
    test_heap_deinit(&memory);
}

static void ticks(void **state) {
    (void)state;
    test_heap memory;
    test_heap_init(&memory);
    keeli_ticks t = { 0 };
    assert_true(keeli_ticks_reserve(&t, &memory.heap, FAR));
    assert_constant(t.pages[0]);
    keeli_ticks_deinit(&t, &memory.heap);
    test_heap_deinit(&memory);
}

static const struct CMUnitTest tests[] = {
    TEST(entity_index, "the empty page of the entity index is constant"),
    TEST(presence, "the empty page of presence bits is constant"),
    TEST(sparse_set, "the empty page of a sparse set's cells is constant"),
    TEST(ticks, "the empty page of ticks is constant"),
};

int main(void) { return RUN(tests); }
