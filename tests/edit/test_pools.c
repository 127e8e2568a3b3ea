// SPDX-License-Identifier: MIT
// The pools of a world: one sparse set and its values for each component.
#include "support/api_types.h"
#include "world.h"

#define U KEELI_NO_SLOT

typedef struct First {
    uint32_t value;
} First;
typedef struct Second {
    uint32_t value;
} Second;
KEEL_COMPONENT(First);
KEEL_COMPONENT(Second);

typedef struct pools {
    api_fixture f;
    keel_entity e[4];
    const keeli_sparse_set *first, *second;
} pools;

// The seed's four entities.
static void begin(pools *p) {
    api_begin(&p->f);
    p->e[0] = keel_add_entity(p->f.world, KEEL_INIT(First, { 322 }));
    p->e[1] = keel_add_entity(p->f.world, KEEL_INIT(Second, { 17 }));
    p->e[2] = keel_add_entity(p->f.world, KEEL_INIT(First, { 5050 }), KEEL_INIT(Second, { 3154 }));
    p->e[3] = keel_add_entity(p->f.world, KEEL_INIT(First, { 958 }));
    p->first = &keeli_storage_find(p->f.world, KEEL_OF(First))->set;
    p->second = &keeli_storage_find(p->f.world, KEEL_OF(Second))->set;
}

static void end(pools *p) {
    assert_no_error(p->f.world);
    api_end(&p->f);
}

static void assert_packed(const keeli_sparse_set *set, const uint32_t (*pairs)[2], uint32_t count) {
    assert_int_equal(set->count, count);
    for (uint32_t slot = 0; slot < count; ++slot) {
        assert_int_equal(keel_entity_index(*keeli_sparse_set_entity(set, slot)), pairs[slot][0]);
        assert_int_equal(*(const uint32_t *)keeli_sparse_set_value(set, slot), pairs[slot][1]);
    }
}
#define ASSERT_PACKED(set, ...)                                                                    \
    assert_packed((set), (const uint32_t[][2]){ __VA_ARGS__ },                                     \
                  sizeof((const uint32_t[][2]){ __VA_ARGS__ }) / sizeof(uint32_t[2]))

static void assert_cells(const keeli_sparse_set *set, const uint32_t cells[4]) {
    for (uint32_t index = 0; index < 4; ++index)
        assert_int_equal(keeli_sparse_set_find(set, index), cells[index]);
}

// Each component that the world knows has a set, of its own, that grows by itself.
static void each_component_has_a_set_of_its_own(void **state) {
    (void)state;
    pools p;
    begin(&p);
    assert_ptr_not_equal(p.first, p.second);
    assert_int_equal(p.first->count, 3);
    assert_int_equal(p.second->count, 2);
    uint32_t sets = 0, entries = 0;
    for (uint32_t i = 0; i < p.f.world->storages.count; ++i) {
        const keeli_storage *s = p.f.world->storages.items[i];
        sets += &s->set == p.first || &s->set == p.second;
        entries += s->set.count;
        for (uint32_t k = 0; k < i; ++k)
            assert_int_not_equal(p.f.world->storages.items[k]->slot, s->slot);
    }
    assert_int_equal(sets, 2);
    assert_int_equal(entries, 5); // no other set was touched
    assert_int_equal(keel_remove(p.f.world, p.e[2], First), KEEL_OK);
    assert_int_equal(p.first->count, 2);
    assert_int_equal(p.second->count, 2);
    assert_int_equal(keeli_sparse_set_find(p.second, 2), 1);
    end(&p);
}

static void the_seeds_four_entities(void **state) {
    (void)state;
    pools p;
    begin(&p);
    ASSERT_PACKED(p.first, { 0, 322 }, { 2, 5050 }, { 3, 958 });
    ASSERT_PACKED(p.second, { 1, 17 }, { 2, 3154 });
    assert_cells(p.first, (const uint32_t[]){ 0, U, 1, 2 });
    assert_cells(p.second, (const uint32_t[]){ U, 0, 1, U });
    end(&p);
}

// The seed prints a left shift: its text, its library and Keel swap.
static void removing_swaps(void **state) {
    (void)state;
    pools p;
    begin(&p);
    assert_int_equal(keel_remove(p.f.world, p.e[0], First), KEEL_OK);
    ASSERT_PACKED(p.first, { 3, 958 }, { 2, 5050 });
    assert_cells(p.first, (const uint32_t[]){ U, U, 1, 0 });
    ASSERT_PACKED(p.second, { 1, 17 }, { 2, 3154 });
    end(&p);
}

// Through additions, removals and deletions: slot k of the values belongs to entity k, and what the
// world hands out is that very value.
static void assert_pool(const pools *p, const keeli_sparse_set *set, const keel_component *c) {
    for (uint32_t slot = 0; slot < set->count; ++slot) {
        const keel_entity e = *keeli_sparse_set_entity(set, slot);
        assert_true(keel_is_alive(p->f.world, e));
        assert_int_equal(keeli_sparse_set_find(set, keel_entity_index(e)), slot);
        assert_ptr_equal(keel_get_component(p->f.world, e, c), keeli_sparse_set_value(set, slot));
    }
}

static void a_pool_is_a_set_and_values_beside_it(void **state) {
    (void)state;
    pools p;
    begin(&p);
    keel_entity e[300];
    for (uint32_t i = 0; i < 300; ++i) {
        e[i] = keel_add_entity(p.f.world, KEEL_INIT(First, { i }));
        if (i % 2) assert_int_equal(keel_add(p.f.world, e[i], Second, { 1000 + i }), KEEL_OK);
        if (i % 3 == 2)
            (void)keel_remove(p.f.world, e[i / 2], First); // also twice, also of the dead
        if (i % 5 == 4) assert_int_equal(keel_delete_entity(p.f.world, e[i - 1]), KEEL_OK);
        assert_pool(&p, p.first, KEEL_OF(First));
        assert_pool(&p, p.second, KEEL_OF(Second));
    }
    for (uint32_t i = 0; i < 300; ++i) {
        const First *first = keel_get(p.f.world, e[i], First);
        const Second *second = keel_get(p.f.world, e[i], Second);
        if (first) assert_int_equal(first->value, i);
        if (second) assert_int_equal(second->value, 1000 + i);
    }
    keel_clear_errors(p.f.world);
    end(&p);
}

static const struct CMUnitTest tests[] = {
    // proves S-117
    TEST(each_component_has_a_set_of_its_own, "each component has a set of its own"),
    // proves S-118
    TEST(the_seeds_four_entities, "the pools of the seed's four entities"),
    // proves S-120
    TEST(removing_swaps, "removing through the world swaps the last into the hole"),
    // proves S-116 E-C2
    TEST(a_pool_is_a_set_and_values_beside_it,
         "a pool is a sparse set and values in the same slots"),
};

int main(void) { return RUN(tests); }
