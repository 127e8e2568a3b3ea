// SPDX-License-Identifier: MIT
// Entities: created, deleted, re-used, walked, brought to life at a given handle.
#include "support/api_types.h"

#include <stdlib.h>
#include <time.h>

static void an_entity_may_have_no_component(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    assert_false(keel_is_null(e));
    assert_true(keel_is_alive(f.world, e));
    assert_int_equal(keel_entity_count(f.world), 1);
    assert_null(keel_next_component_of(f.world, e, NULL));
    // NULL instead of a list is the same as an empty list
    assert_false(keel_is_null(keel_add_entity_values(f.world, NULL)));
    api_end(&f);
}

static void an_entity_may_start_with_one_component(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Position, { 1, 2 }));
    assert_true(keel_get(f.world, e, Position)->x == 1);
    assert_true(keel_get(f.world, e, Position)->y == 2);
    assert_false(keel_has(f.world, e, Velocity));
    api_end(&f);
}

static void an_entity_may_start_with_several_components(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const Velocity v = { 3, 4 };
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Position, { 1, 2 }),
                                          KEEL_INIT(Velocity, v), KEEL_INIT(Frozen));
    assert_true(keel_get(f.world, e, Position)->y == 2);
    assert_true(keel_get(f.world, e, Velocity)->x == 3);
    assert_true(keel_has(f.world, e, Frozen));
    assert_int_equal(keel_count(f.world, Position), 1);
    assert_int_equal(keel_count(f.world, Velocity), 1);
    assert_int_equal(keel_count(f.world, Frozen), 1);
    api_end(&f);
}

static int by_bits(const void *a, const void *b) {
    const keel_entity_bits x = ((const keel_entity *)a)->bits, y = ((const keel_entity *)b)->bits;
    return x < y ? -1 : x > y;
}

// 10,000 adds with deletions in between; no handle is ever given twice.
static void every_handle_is_new(void **state) {
    (void)state;
    enum { COUNT = 10000 };
    api_fixture f;
    keel_entity *given = malloc(COUNT * sizeof *given);
    uint32_t seed = 1;
    assert_non_null(given);
    api_begin(&f);
    for (uint32_t i = 0; i < COUNT; ++i) {
        given[i] = keel_add_entity(f.world, KEEL_INIT(Number, { i }));
        seed = seed * 1664525u + 1013904223u;
        if (seed >> 31) (void)keel_delete_entity(f.world, given[(seed >> 8) % (i + 1)]);
    }
    uint32_t alive = 0;
    for (uint32_t i = 0; i < COUNT; ++i) {
        const Number *n = keel_get(f.world, given[i], Number);
        assert_int_equal(keel_is_alive(f.world, given[i]), n != NULL);
        if (n) assert_int_equal(n->value, i); // never the value of a later entity
        alive += n != NULL;
    }
    assert_int_equal(alive, keel_entity_count(f.world));
    qsort(given, COUNT, sizeof *given, by_bits);
    for (uint32_t i = 1; i < COUNT; ++i)
        assert_false(keel_is_same(given[i - 1], given[i]));
    free(given);
    api_end(&f);
}

static void deleting_an_entity_deletes_its_components(void **state) {
    (void)state;
    api_fixture f;
    owned_begin();
    api_begin(&f);
    const Owned mine = owned_make(), other = owned_make();
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Position, { 1, 2 }),
                                          KEEL_INIT(Owned, mine), KEEL_INIT(Frozen));
    const keel_entity stays =
        keel_add_entity(f.world, KEEL_INIT(Owned, other), KEEL_INIT(Position, { 3, 4 }));
    assert_int_equal(keel_delete_entity(f.world, e), KEEL_OK);
    assert_false(keel_is_alive(f.world, e));
    assert_int_equal(keel_entity_count(f.world), 1);
    assert_int_equal(keel_count(f.world, Position), 1);
    assert_int_equal(keel_count(f.world, Owned), 1);
    assert_int_equal(keel_count(f.world, Frozen), 0);
    assert_false(keel_has(f.world, e, Position));
    assert_int_equal(owned.drops, 1); // deleted, not handed out
    assert_int_equal(owned.living, 1);
    assert_true(keel_get(f.world, stays, Position)->x == 3);
    assert_int_equal(keel_get(f.world, stays, Owned)->token, other.token);
    api_end(&f);
    assert_owned_end();
}

static void an_entity_is_deleted_once(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_delete_entity(f.world, e), KEEL_OK);
    assert_int_equal(keel_delete_entity(f.world, e), KEEL_ABSENT);
    const keel_entity again = keel_add_entity(f.world); // has the same index
    assert_int_equal(keel_delete_entity(f.world, e), KEEL_ABSENT);
    assert_true(keel_is_alive(f.world, again));
    assert_no_error(f.world); // absence is no error
    api_end(&f);
}

// The walk of the EnTT seed, as handles (version, index). DESIGN section 8: (0, *) and so on are
// null handles here, and what is inside the free list is tested where it is.
static void indices_are_used_again_last_in_first_out(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[5];
    api_begin(&f);
    for (uint32_t i = 0; i < 5; ++i) {
        e[i] = keel_add_entity(f.world);
        assert_same_entity(e[i], handle_at(i, 0));
        assert_int_equal(keel_entity_count(f.world), i + 1);
    }
    assert_int_equal(keel_delete_entity(f.world, e[0]), KEEL_OK);
    assert_int_equal(keel_delete_entity(f.world, e[2]), KEEL_OK);
    assert_int_equal(keel_entity_count(f.world), 3);
    assert_true(keel_is_null(keel_entity_at(f.world, 0)));
    assert_same_entity(keel_entity_at(f.world, 1), e[1]);
    assert_true(keel_is_null(keel_entity_at(f.world, 5)));
    assert_true(keel_is_null(keel_entity_at(f.world, 1u << 30)));
    assert_true(keel_is_null(keel_entity_at(f.world, UINT32_MAX)));
    assert_false(keel_is_alive(f.world, e[0]));
    assert_false(keel_is_alive(f.world, e[2]));
    assert_false(keel_is_alive(f.world, handle_at(0, 1))); // not yet
    assert_false(keel_is_alive(f.world, handle_at(2, 1)));
    assert_same_entity(keel_add_entity(f.world), handle_at(2, 1));
    assert_same_entity(keel_add_entity(f.world), handle_at(0, 1));
    assert_int_equal(keel_entity_count(f.world), 5);
    assert_false(keel_is_alive(f.world, e[0]));
    assert_false(keel_is_alive(f.world, e[2]));
    assert_true(keel_is_alive(f.world, handle_at(0, 1)));
    assert_true(keel_is_alive(f.world, handle_at(2, 1)));
    assert_same_entity(keel_entity_at(f.world, 2), handle_at(2, 1));
    assert_same_entity(keel_add_entity(f.world), handle_at(5, 0));
    api_end(&f);
}

// Shipyard's unit test of entities, with Keel's order of re-use (LIFO where Shipyard's is FIFO).
static void deleting_twice_frees_an_index_once(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity a = keel_add_entity(f.world), b = keel_add_entity(f.world);
    assert_int_equal(keel_delete_entity(f.world, a), KEEL_OK);
    assert_int_equal(keel_delete_entity(f.world, a), KEEL_ABSENT);
    assert_same_entity(keel_add_entity(f.world), handle_at(0, 1));
    assert_int_equal(keel_delete_entity(f.world, b), KEEL_OK);
    assert_int_equal(keel_delete_entity(f.world, handle_at(0, 1)), KEEL_OK);
    assert_same_entity(keel_add_entity(f.world), handle_at(0, 2));
    assert_same_entity(keel_add_entity(f.world), handle_at(1, 1));
    assert_same_entity(keel_add_entity(f.world), handle_at(2, 0));
    api_end(&f);
}

// An index whose versions are used up is retired, not started anew.
static void an_index_retires_after_its_last_version(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity last = handle_at(0, KEEL_MAX_ENTITY_VERSION);
    assert_int_equal(keel_add_entity_at(f.world, last), KEEL_OK);
    assert_int_equal(keel_delete_entity(f.world, last), KEEL_OK);
    assert_int_equal(keel_delete_entity(f.world, last), KEEL_ABSENT);
    assert_false(keel_is_alive(f.world, last));
    assert_false(keel_is_alive(f.world, handle_at(0, 0)));
    assert_same_entity(keel_add_entity(f.world), handle_at(1, 0));
    assert_int_equal(keel_add_entity_at(f.world, handle_at(0, 0)), KEEL_ERROR_FULL);
    assert_error(f.world, KEEL_ERROR_FULL, "index 0");
    assert_int_equal(keel_clear_entities(f.world), KEEL_OK);
    assert_same_entity(keel_add_entity(f.world), handle_at(1, 1));
    api_end(&f);
}

static void all_entities_can_be_walked(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[3];
    api_begin(&f);
    for (int i = 0; i < 3; ++i)
        e[i] = keel_add_entity(f.world);
    keel_entity at = keel_null();
    for (int i = 0; i < 3; ++i)
        assert_same_entity(at = keel_next_entity(f.world, at), e[i]);
    assert_true(keel_is_null(keel_next_entity(f.world, at)));
    assert_int_equal(keel_delete_entity(f.world, e[1]), KEEL_OK);
    assert_int_equal(keel_delete_entity(f.world, e[0]), KEEL_OK);
    assert_same_entity(keel_add_entity(f.world), handle_at(0, 1));
    assert_same_entity(at = keel_next_entity(f.world, keel_null()), handle_at(0, 1));
    assert_same_entity(at = keel_next_entity(f.world, at), e[2]); // index 1 is dead
    assert_true(keel_is_null(keel_next_entity(f.world, at)));
    api_end(&f);
}

static void the_walk_survives_deletion_of_its_place(void **state) {
    (void)state;
    api_fixture f;
    uint32_t seen = 0;
    api_begin(&f);
    for (int i = 0; i < 10000; ++i)
        (void)keel_add_entity(f.world);
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(f.world, e)); ++seen)
        assert_int_equal(keel_delete_entity(f.world, e), KEEL_OK);
    assert_int_equal(seen, 10000);
    assert_int_equal(keel_entity_count(f.world), 0);
    api_end(&f);
}

// Shipyard's tests/clear.rs: after a clear of three, four adds.
static void clearing_ends_all_and_starts_from_the_lowest(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[3];
    api_begin(&f);
    for (uint32_t i = 0; i < 3; ++i)
        e[i] = keel_add_entity(f.world, KEEL_INIT(Number, { i }));
    assert_int_equal(keel_clear_entities(f.world), KEEL_OK);
    for (int i = 0; i < 3; ++i)
        assert_false(keel_is_alive(f.world, e[i]));
    assert_int_equal(keel_entity_count(f.world), 0);
    assert_int_equal(keel_count(f.world, Number), 0);
    assert_true(keel_is_null(keel_next_entity(f.world, keel_null())));
    for (uint32_t i = 0; i < 3; ++i)
        assert_same_entity(keel_add_entity(f.world), handle_at(i, 1));
    assert_same_entity(keel_add_entity(f.world), handle_at(3, 0));
    assert_int_equal(keel_count(f.world, Number), 0);
    api_end(&f);
}

// Upstream shipped a clear that left the last entity alive.
static void clearing_leaves_nobody_alive(void **state) {
    (void)state;
    static const uint32_t counts[] = { 0, 1, 2, 4095, 4096, 4097 };
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; ++k) {
        api_fixture f;
        keel_entity last = keel_null();
        api_begin(&f);
        for (uint32_t i = 0; i < counts[k]; ++i)
            last = keel_add_entity(f.world, KEEL_INIT(Position, { 1, 1 }));
        assert_int_equal(keel_clear_entities(f.world), KEEL_OK);
        assert_false(keel_is_alive(f.world, last));
        assert_int_equal(keel_entity_count(f.world), 0);
        assert_int_equal(keel_count(f.world, Position), 0);
        api_end(&f);
    }
}

// tests/spawn.rs: new_world_empty.
static void a_handle_beyond_the_end_leaves_gaps(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    assert_int_equal(keel_add_entity_at(f.world, handle_at(3, 0)), KEEL_OK);
    assert_true(keel_is_alive(f.world, handle_at(3, 0)));
    assert_int_equal(keel_entity_count(f.world), 1);
    static const uint32_t next[] = { 0, 1, 2, 4 };
    for (int i = 0; i < 4; ++i)
        assert_same_entity(keel_add_entity(f.world), handle_at(next[i], 0));
    api_end(&f);
}

// tests/spawn.rs: new_world. The order is Keel's: last deleted first, then gaps, then new ones.
static void a_handle_beyond_dead_ones_leaves_them_dead(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[3];
    api_begin(&f);
    for (int i = 0; i < 3; ++i)
        e[i] = keel_add_entity(f.world);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(keel_delete_entity(f.world, e[i]), KEEL_OK);
    assert_int_equal(keel_add_entity_at(f.world, handle_at(5, 0)), KEEL_OK);
    static const uint32_t index[] = { 2, 1, 0, 3, 4, 6 }, version[] = { 1, 1, 1, 0, 0, 0 };
    for (int i = 0; i < 6; ++i)
        assert_same_entity(keel_add_entity(f.world), handle_at(index[i], version[i]));
    api_end(&f);
}

// tests/spawn.rs: multiple_dead_*: the one in the middle comes back as it was.
static void a_dead_handle_can_be_brought_back(void **state) {
    (void)state;
    static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                      { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    for (int k = 0; k < 6; ++k) {
        api_fixture f;
        keel_entity e[3];
        api_begin(&f);
        for (int i = 0; i < 3; ++i)
            e[i] = keel_add_entity(f.world);
        for (int i = 0; i < 3; ++i)
            assert_int_equal(keel_delete_entity(f.world, e[orders[k][i]]), KEEL_OK);
        assert_int_equal(keel_add_entity_at(f.world, e[1]), KEEL_OK);
        assert_true(keel_is_alive(f.world, e[1]));
        for (int i = 2; i >= 0; --i) { // the other two, last deleted first
            if (orders[k][i] == 1) continue;
            assert_same_entity(keel_add_entity(f.world), handle_at((uint32_t)orders[k][i], 1));
        }
        assert_same_entity(keel_add_entity(f.world), handle_at(3, 0));
        api_end(&f);
    }
}

static void a_living_index_cannot_be_brought_to_life(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 7 }));
    assert_int_equal(keel_add_entity_at(f.world, e), KEEL_ERROR_OCCUPIED);
    assert_error(f.world, KEEL_ERROR_OCCUPIED, "index 0");
    assert_int_equal(keel_add_entity_at(f.world, handle_at(0, 9)), KEEL_ERROR_OCCUPIED);
    assert_error(f.world, KEEL_ERROR_OCCUPIED, "index 0");
    assert_int_equal(keel_add_entity_at(f.world, keel_null()), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_get(f.world, e, Number)->value, 7);
    assert_int_equal(keel_entity_count(f.world), 1);
    api_end(&f);
}

// A world of one entity, as far away as can be, is small and fast.
static void a_far_index_costs_little(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    api_fixture f;
    api_begin(&f);
    // 32-bit handles: the highest index; 64-bit handles: far enough
    const uint32_t far = KEEL_MAX_ENTITY_INDEX < 100000000u ? KEEL_MAX_ENTITY_INDEX : 100000000u;
    const size_t before = f.memory.live_bytes;
    assert_int_equal(keel_add_entity_at(f.world, handle_at(far, 3)), KEEL_OK);
    assert_int_equal(keel_add(f.world, handle_at(far, 3), Number, { 5 }), KEEL_OK);
    assert_true(f.memory.live_bytes - before < 2000000); // tables of pages
    assert_int_equal(keel_get(f.world, handle_at(far, 3), Number)->value, 5);
    assert_same_entity(keel_next_entity(f.world, keel_null()), handle_at(far, 3));
    assert_true(keel_is_null(keel_next_entity(f.world, handle_at(far, 3))));
    assert_same_entity(keel_add_entity(f.world), handle_at(0, 0));
    api_end(&f);
}

static void handles_are_made_of_an_index_and_a_version(void **state) {
    (void)state;
    assert_true(keel_is_null(keel_null()));
    assert_true(keel_is_null((keel_entity){ 0 }));
    assert_int_equal(keel_entity_version(keel_null()), UINT32_MAX);
    const keel_entity e = keel_entity_make(7, 5);
    assert_int_equal(keel_entity_index(e), 7);
    assert_int_equal(keel_entity_version(e), 5);
    assert_true(e.bits == ((keel_entity_bits)6 << KEEL_ENTITY_INDEX_BITS | 7));
    const keel_entity last = keel_entity_make(KEEL_MAX_ENTITY_INDEX, KEEL_MAX_ENTITY_VERSION);
    assert_int_equal(keel_entity_index(last), KEEL_MAX_ENTITY_INDEX);
    assert_int_equal(keel_entity_version(last), KEEL_MAX_ENTITY_VERSION);
    assert_true(keel_is_null(keel_entity_make(0, KEEL_MAX_ENTITY_VERSION + 1u)));
#if KEEL_ENTITY_INDEX_BITS == 20
    assert_true(keel_is_null(keel_entity_make(KEEL_MAX_ENTITY_INDEX + 1u, 0)));
#endif
}

static double best_walk_of(const keel_world *world, uint32_t count) {
    double best = 1e9;
    for (uint32_t round = 0; round < 3; ++round) {
        const clock_t begin = clock();
        uint32_t met = 0;
        for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(world, e));)
            ++met;
        const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        if (seconds < best) best = seconds;
        assert_int_equal(met, count);
    }
    return best;
}

// All were alive once, and a few are now.
static void a_walk_costs_what_lives(void **state) {
    (void)state;
    enum { MANY = 400000, FEW = 10 };
    api_fixture f;
    api_begin(&f);
    assert_int_equal(keel_add_entities(f.world, MANY, NULL), KEEL_OK);
    const double all = best_walk_of(f.world, MANY);
    assert_int_equal(keel_clear_entities(f.world), KEEL_OK);
    for (uint32_t i = 0; i < FEW; ++i)
        (void)keel_add_entity(f.world);
    assert_true(best_walk_of(f.world, FEW) < all / 10);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    // proves S-12
    TEST(an_entity_may_have_no_component, "an entity can be created without components"),
    // proves S-13
    TEST(an_entity_may_start_with_one_component, "an entity can be created with one"),
    // proves S-14
    TEST(an_entity_may_start_with_several_components, "or with several in one call"),
    // proves S-15
    TEST(every_handle_is_new, "no handle is given twice, and none means a later entity"),
    // proves S-17 S-19 E-S8
    TEST(deleting_an_entity_deletes_its_components,
         "deleting an entity deletes its components in every storage"),
    // proves S-20
    TEST(an_entity_is_deleted_once, "deleting reports success the first time only"),
    // proves E-F1..E-F9 E-F11 E-F12
    TEST(indices_are_used_again_last_in_first_out, "the walk of the seed, as handles"),
    TEST(deleting_twice_frees_an_index_once, "an index is freed once, and re-used with versions"),
    TEST(an_index_retires_after_its_last_version, "an index retires instead of wrapping"),
    // proves E-S9
    TEST(all_entities_can_be_walked, "walking all entities skips dead indices"),
    TEST(a_walk_costs_what_lives, "walking all entities costs what lives, not what ever did"),
    TEST(the_walk_survives_deletion_of_its_place, "the walk goes on from a deleted entity"),
    TEST(clearing_ends_all_and_starts_from_the_lowest,
         "clearing deletes all, and indices are used again in ascending order"),
    TEST(clearing_leaves_nobody_alive, "clearing leaves nobody alive, not even the last"),
    TEST(a_handle_beyond_the_end_leaves_gaps, "gaps below a given handle are used, lowest first"),
    TEST(a_handle_beyond_dead_ones_leaves_them_dead, "dead indices come before gaps"),
    TEST(a_dead_handle_can_be_brought_back, "a dead handle can be brought back as it was"),
    TEST(a_living_index_cannot_be_brought_to_life, "a living index is occupied"),
    TEST(a_far_index_costs_little, "a far index costs little memory"),
    // proves E-S1 E-S4
    TEST(handles_are_made_of_an_index_and_a_version, "accessors and maker round-trip"),
};

int main(void) { return RUN(tests); }
