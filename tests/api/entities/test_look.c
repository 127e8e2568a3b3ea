// SPDX-License-Identifier: MIT
// keel_get, keel_has and columns are looked up where they stand: they find exactly what the
// exported functions find, for each storage and size, in worlds that know the components or do not.
#include "support/view_fixture.h"

typedef struct Byte {
    uint8_t value;
} Byte;
typedef struct Odd {
    uint32_t value[3];
} Odd;
typedef struct Page {
    uint32_t value[500];
} Page;
typedef Byte ByteInSet, ByteAtIndex, ByteInRow;
typedef Odd OddInSet, OddAtIndex, OddInRow;
typedef Page PageInSet, PageAtIndex, PageInRow;

KEEL_COMPONENT(ByteInSet);
KEEL_COMPONENT(ByteAtIndex, .storage = KEEL_INDEXED);
KEEL_COMPONENT(ByteInRow, .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(OddInSet);
KEEL_COMPONENT(OddAtIndex, .storage = KEEL_INDEXED);
KEEL_COMPONENT(OddInRow, .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(PageInSet);
KEEL_COMPONENT(PageAtIndex, .storage = KEEL_INDEXED);
KEEL_COMPONENT(PageInRow, .storage = KEEL_ARCHETYPE);
KEEL_TAG(Marked); // tags are sparse sets

#define FOR_ALL(X, ...)                                                                            \
    X(ByteInSet, __VA_ARGS__)                                                                      \
    X(ByteAtIndex, __VA_ARGS__)                                                                    \
    X(ByteInRow, __VA_ARGS__)                                                                      \
    X(OddInSet, __VA_ARGS__)                                                                       \
    X(OddAtIndex, __VA_ARGS__)                                                                     \
    X(OddInRow, __VA_ARGS__)                                                                       \
    X(PageInSet, __VA_ARGS__)                                                                      \
    X(PageAtIndex, __VA_ARGS__)                                                                    \
    X(PageInRow, __VA_ARGS__)

// ------------------------------------------------------------------ the same is found
#define ASSERT_SAME(T, world, e)                                                                   \
    {                                                                                              \
        const void *const there = keel_get_component((world), (e), KEEL_OF(T));                    \
        const keel_lookup column = keel_lookup_of((world), T);                                     \
        assert_ptr_equal(keel_get((world), (e), T), there);                                        \
        assert_ptr_equal(keel_get_mut((world), (e), T), there);                                    \
        assert_int_equal(keel_has((world), (e), T), there != NULL);                                \
        assert_int_equal(keel_has_component((world), (e), KEEL_OF(T)), there != NULL);             \
        assert_ptr_equal(keel_lookup_get(&column, (e), T), there);                                 \
        assert_ptr_equal(keel_column_get_value(&column, (e)), there);                              \
    }

static void assert_same(keel_world *world, keel_entity e) {
    FOR_ALL(ASSERT_SAME, world, e)
    assert_ptr_equal(keel_get(world, e, Marked), keel_get_component(world, e, KEEL_OF(Marked)));
    assert_int_equal(keel_has(world, e, Marked), keel_has_component(world, e, KEEL_OF(Marked)));
}

// The entity itself, and what could be taken for it.
static void assert_same_around(keel_world *world, keel_entity e) {
    const uint32_t index = keel_entity_index(e);
    const keel_entity_bits top = (keel_entity_bits)1 << (sizeof e.bits * 8 - 1);
    assert_same(world, e);
    assert_same(world, (keel_entity){ e.bits | top }); // as dead indices are marked
    assert_same(world, (keel_entity){ index });        // null
    assert_same(world, handle_at(index, keel_entity_version(e) + 1));
    assert_same(world, handle_at(index, KEEL_MAX_ENTITY_VERSION));
}

// ------------------------------------------------------------------ worlds
enum { ENTITIES = 9000, STEP = 61 }; // on three pages

#define ADD(T, world, e, i, number)                                                                \
    if ((i) % ++number) assert_int_equal(keel_add_component(world, e, KEEL_OF(T), NULL), KEEL_OK);

static void fill(keel_world *world, keel_entity *e) {
    for (uint32_t i = 0; i < ENTITIES; ++i) {
        e[i] = keel_add_entity(world);
        if (i % STEP) continue; // the others have none
        uint32_t number = 1;
        FOR_ALL(ADD, world, e[i], i / STEP, number)
        if (i % 2) assert_int_equal(keel_add_component(world, e[i], KEEL_OF(Marked), NULL), 0);
    }
}

static void what_is_there_is_found(void **state) {
    (void)state;
    static keel_entity e[ENTITIES];
    api_fixture f;
    api_begin(&f);
    fill(f.world, e);
    for (uint32_t i = 0; i < ENTITIES; i += STEP)
        assert_same_around(f.world, e[i]);
    assert_same_around(f.world, e[1]);
    for (uint32_t i = 0; i < ENTITIES; i += 2 * STEP)
        (void)keel_delete_entity(f.world, e[i]);
    for (uint32_t i = 0; i < ENTITIES; i += STEP)
        assert_same_around(f.world, e[i]);
    for (uint32_t i = 0; i < 40; ++i) { // old handles of indices that others have now
        const keel_entity new = keel_add_entity(f.world, KEEL_INIT(OddInSet), KEEL_INIT(OddInRow));
        assert_same_around(f.world, new);
        assert_non_null(keel_get(f.world, new, OddInRow));
    }
    for (uint32_t i = 0; i < ENTITIES; i += STEP)
        assert_same_around(f.world, e[i]);
    assert_same_around(f.world, handle_at(3 * 4096, 0)); // on a page that is not there
    assert_same_around(f.world, handle_at(KEEL_MAX_ENTITY_INDEX, 0));
    assert_no_error(f.world);
    api_end(&f);
}

#define ASSERT_NOTHING(T, world, e)                                                                \
    assert_null(keel_get((world), (e), T));                                                        \
    assert_false(keel_has((world), (e), T));

// Here its components have no numbers yet, or those of another world; then they lose them again.
static void what_is_unknown_is_not_found(void **state) {
    (void)state;
    api_fixture f, other;
    api_begin(&f);
    api_begin(&other);
    const keel_entity e = keel_add_entity(f.world);
    FOR_ALL(ASSERT_NOTHING, f.world, e)
    (void)keel_add_entity(other.world, KEEL_INIT(OddInSet), KEEL_INIT(OddAtIndex));
    FOR_ALL(ASSERT_NOTHING, f.world, e)
    assert_int_equal(keel_add(f.world, e, OddAtIndex, { { 1, 2, 3 } }), KEEL_OK);
    assert_int_equal(keel_get(f.world, e, OddAtIndex)->value[2], 3);
    assert_int_equal(keel_delete(f.world, e, OddAtIndex), KEEL_OK);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(OddAtIndex)), KEEL_OK);
    FOR_ALL(ASSERT_NOTHING, f.world, e)
    assert_no_error(f.world);
    api_end(&f);
    api_end(&other);
}

static void no_world_has_nothing(void **state) {
    (void)state;
    const keel_world *world = NULL;
    FOR_ALL(ASSERT_NOTHING, world, handle_at(0, 0))
}

static const struct CMUnitTest tests[] = {
    // proves S-110
    TEST(what_is_there_is_found, "keel_get finds what the exported function finds"),
    TEST(what_is_unknown_is_not_found, "what a world does not know is not found in it"),
    TEST(no_world_has_nothing, "without a world nothing is found"),
};
int main(void) { return RUN(tests); }
