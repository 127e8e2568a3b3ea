// SPDX-License-Identifier: MIT
// Random operations on the reference model, against plain tables that are indexed by entity index.
#include "world_model.h"

#include "support/test.h"

#include <string.h>

enum { INDICES = 24, KINDS = 3, STEPS = 20000 };

typedef struct tables {
    model_world world;
    uint32_t seed;
    keel_entity handle[INDICES];
    bool is_alive[INDICES];
    bool has[INDICES][KINDS];
    uint32_t value[INDICES][KINDS];
    int parent[INDICES]; // -1: none
} tables;

static uint32_t random_below(tables *t, uint32_t limit) {
    t->seed = t->seed * 1664525u + 1013904223u;
    return (t->seed >> 8) % limit;
}

static void tables_bury(tables *t, uint32_t i) {
    t->is_alive[i] = false;
    memset(t->has[i], 0, sizeof t->has[i]);
    t->parent[i] = -1;
    for (uint32_t child = 0; child < INDICES; child++)
        if (t->parent[child] == (int)i) t->parent[child] = -1;
}

static void tables_bear(tables *t, keel_entity e) {
    const uint32_t i = keel_entity_index(e);
    assert_false(t->is_alive[i]);
    t->handle[i] = e;
    t->is_alive[i] = true;
}

static void step_add_entity(tables *t, uint32_t i) {
    (void)i;
    if (model_entity_count(&t->world) < INDICES) // else the next index is outside of the tables
        tables_bear(t, model_add_entity(&t->world));
}

static void step_add_entity_at(tables *t, uint32_t i) {
    const keel_entity e = keel_entity_make(i, random_below(t, 9));
    const keel_result result = model_add_entity_at(&t->world, e);
    assert_int_equal(result, t->is_alive[i] ? KEEL_ERROR_OCCUPIED : KEEL_OK);
    if (result == KEEL_OK) tables_bear(t, e);
}

static void step_delete_entity(tables *t, uint32_t i) {
    const keel_result result = model_delete_entity(&t->world, t->handle[i]);
    assert_int_equal(result, t->is_alive[i] ? KEEL_OK : KEEL_ABSENT);
    tables_bury(t, i);
}

static void step_add(tables *t, uint32_t i) {
    const uint32_t kind = random_below(t, KINDS);
    const uint32_t value = random_below(t, 1000);
    const keel_result result = model_add(&t->world, t->handle[i], kind, &value);
    assert_int_equal(result, t->is_alive[i] ? KEEL_OK : KEEL_ERROR_DEAD_ENTITY);
    t->has[i][kind] = t->is_alive[i];
    t->value[i][kind] = value;
}

static void step_remove(tables *t, uint32_t i) {
    const uint32_t kind = random_below(t, KINDS);
    uint32_t out = 0;
    const keel_result result = model_remove(&t->world, t->handle[i], kind, &out);
    const keel_result living = t->has[i][kind] ? KEEL_OK : KEEL_ABSENT;
    assert_int_equal(result, t->is_alive[i] ? living : KEEL_ERROR_DEAD_ENTITY);
    if (t->has[i][kind]) assert_int_equal(out, t->value[i][kind]);
    t->has[i][kind] = false;
}

static bool tables_is_below(const tables *t, int i, int root) {
    while (i >= 0 && i != root)
        i = t->parent[i];
    return i == root;
}

static void step_attach(tables *t, uint32_t i) {
    const uint32_t parent = random_below(t, INDICES);
    const keel_result result = model_attach(&t->world, t->handle[i], t->handle[parent]);
    if (!t->is_alive[i] || !t->is_alive[parent]) {
        assert_int_equal(result, KEEL_ERROR_DEAD_ENTITY);
    } else if (tables_is_below(t, (int)parent, (int)i)) {
        assert_int_equal(result, KEEL_ERROR_CYCLE);
    } else {
        assert_int_equal(result, KEEL_OK);
        t->parent[i] = (int)parent;
    }
}

static void step_rare(tables *t, uint32_t i) {
    switch (random_below(t, 30)) {
    case 0:
        model_clear_entities(&t->world);
        for (i = 0; i < INDICES; i++)
            tables_bury(t, i);
        break;
    case 1:
        model_delete_with(&t->world, 0);
        for (i = 0; i < INDICES; i++)
            if (t->has[i][0]) tables_bury(t, i);
        break;
    case 2:
        model_clear(&t->world, 1);
        for (i = 0; i < INDICES; i++)
            t->has[i][1] = false;
        break;
    default:
        model_detach(&t->world, t->handle[i]);
        t->parent[i] = -1;
        break;
    }
}

static void step(tables *t) {
    static void (*const steps[])(tables *, uint32_t) = {
        step_add_entity, step_add_entity_at, step_delete_entity, step_add,
        step_remove,     step_attach,        step_rare,
    };
    const uint32_t which = random_below(t, sizeof steps / sizeof *steps);
    steps[which](t, random_below(t, INDICES));
}

static void assert_as_tables(const tables *t, uint32_t i) {
    const keel_entity e = t->handle[i];
    assert_int_equal(model_is_alive(&t->world, e), t->is_alive[i]);
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        assert_int_equal(model_has(&t->world, e, kind), t->has[i][kind]);
        if (t->has[i][kind])
            assert_int_equal(*(const uint32_t *)model_get(&t->world, e, kind), t->value[i][kind]);
    }
    const keel_entity parent = t->parent[i] < 0 ? keel_null() : t->handle[t->parent[i]];
    assert_true(keel_is_same(model_parent_of(&t->world, e), parent));
}

static void random_operations_agree_with_plain_tables(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    tables t = { .seed = 1 };
    for (uint32_t kind = 0; kind < KINDS; kind++)
        model_add_kind(&t.world, sizeof(uint32_t));
    for (uint32_t i = 0; i < INDICES; i++)
        t.parent[i] = -1;
    for (uint32_t n = 0; n < test_rounds(STEPS); n++) {
        step(&t);
        assert_true(model_is_valid(&t.world));
        for (uint32_t i = 0; i < INDICES; i++)
            assert_as_tables(&t, i);
    }
    model_deinit(&t.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(random_operations_agree_with_plain_tables,
             "random operations agree with plain tables"),
    };
    return RUN(tests);
}
