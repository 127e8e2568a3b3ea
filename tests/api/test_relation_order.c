// SPDX-License-Identifier: MIT
// The order of a target's sources, and of a source's targets, survives wherever edges are related
// anew: in a world that is merged, in copies of a prefab, in saves.
#include "support/api_fixture.h"

#include <string.h>

typedef struct Place {
    uint32_t slot;
} Place;
typedef struct Price {
    uint32_t coins;
} Price;
typedef struct Bond {
    uint32_t strength;
} Bond;
KEEL_RELATION(Inside, .exclusive = true);
KEEL_RELATION(Likes);
KEEL_RELATION(Knows, .symmetric = true);
KEEL_RELATION(Married, .exclusive = true, .symmetric = true);
KEEL_VALUED_RELATION(Place, .exclusive = true, .no_padding = true);
KEEL_VALUED_RELATION(Bond, .symmetric = true, .no_padding = true);
KEEL_VALUED_RELATION(Price, .no_padding = true);

enum { ENTITIES = 40, FEW = 12, RELATIONS = 7 };
static const keel_component *relations[RELATIONS];
static api_fixture f, g;
static uint32_t seed;

static uint32_t roll(uint32_t below) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static void relate(keel_world *world, const keel_component *c, keel_entity a, keel_entity b) {
    const uint32_t value = roll(1000);
    if (roll(4))
        assert_int_equal(keel_relate_component(world, a, c, b, c->size ? &value : NULL), KEEL_OK);
    else (void)keel_unrelate_component(world, a, c, b);
}

// Each edge came when it came, or went again.
static void relate_all(keel_world *world, const keel_entity *e, uint32_t count) {
    for (uint32_t n = 0; n < count * 30; ++n)
        relate(world, relations[roll(RELATIONS)], e[roll(count)], e[roll(count)]);
}

static keel_entity number(keel_entity e, const keel_entity *from, const keel_entity *to,
                          uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        if (keel_is_same(from[i], e)) return to[i];
    return keel_null();
}

// What the one is related to, the other is, in the same order, and the other way round. `has`:
// both, sources only, targets only.
static void assert_alike(keel_world *world, const keel_entity *e, keel_world *other,
                         const keel_entity *copies, uint32_t count) {
    for (uint32_t r = 0; r < RELATIONS; ++r) {
        const keel_component *c = relations[r];
        for (uint32_t i = 0; i < count; ++i) {
            keel_entity a = keel_null(), b = keel_null();
            do {
                a = keel_next_target_component(world, e[i], c, a);
                b = keel_next_target_component(other, copies[i], c, b);
                assert_same_entity(number(a, e, copies, count), b);
                const void *value = keel_get_related_component(world, e[i], c, a);
                const void *copy = keel_get_related_component(other, copies[i], c, b);
                if (value) assert_memory_equal(value, copy, c->size);
            } while (!keel_is_null(a));
            do {
                a = keel_next_source_component(world, e[i], c, a);
                b = keel_next_source_component(other, copies[i], c, b);
                assert_same_entity(number(a, e, copies, count), b);
            } while (!keel_is_null(a));
        }
    }
}

static void begin(uint32_t from) {
    const keel_component *all[RELATIONS] = { KEEL_OF(Inside),  KEEL_OF(Likes), KEEL_OF(Knows),
                                             KEEL_OF(Married), KEEL_OF(Place), KEEL_OF(Bond),
                                             KEEL_OF(Price) };
    memcpy(relations, all, sizeof all);
    api_begin(&f);
    seed = from;
}

// ------------------------------------------------------------------ merging
static void merging_keeps_the_order(void **state) {
    (void)state;
    for (uint32_t from = 0; from < 20; ++from) {
        keel_entity e[ENTITIES], copies[ENTITIES];
        begin(from);
        api_begin(&g);
        keel_delete_entity(g.world, keel_add_entity(g.world));
        keel_add_entity(g.world);
        for (uint32_t i = 0; i < ENTITIES; ++i)
            e[i] = keel_add_entity(f.world);
        relate_all(f.world, e, ENTITIES);
        const keel_merge_options options = { .handles = copies };
        assert_int_equal(keel_merge_world(g.world, f.world, &options), KEEL_OK);
        assert_alike(f.world, e, g.world, copies, ENTITIES);
        api_end(&g);
        api_end(&f);
    }
}

// ------------------------------------------------------------------ prefabs
// Where the copy of each node is; children stand in the order of their nodes.
static void find_copies(keel_entity root, keel_entity *copies) {
    uint32_t n = 0;
    for (keel_entity at = root; !keel_is_null(at);
         at = keel_next_descendant(f.world, root, at, KEEL_DEPTH_FIRST))
        copies[n++] = at;
}

static void copies_of_a_prefab_keep_the_order(void **state) {
    (void)state;
    for (uint32_t from = 0; from < 40; ++from) {
        const uint32_t count = from % 2 ? ENTITIES : FEW;
        keel_entity e[ENTITIES], copies[ENTITIES], roots[3];
        begin(from);
        keel_world *templates = keel_templates(f.world);
        for (uint32_t i = 0; i < count; ++i)
            e[i] = i ? keel_add_child(templates, e[0]) : keel_add_entity(templates);
        relate_all(templates, e, count);
        keel_delete_entity(templates, keel_add_entity(templates));
        const keel_prefab prefab = { e[0] };
        find_copies(keel_spawn(f.world, prefab), copies);
        assert_alike(templates, e, f.world, copies, count);
        assert_int_equal(keel_spawn_many(f.world, prefab, 3, roots), KEEL_OK);
        for (uint32_t i = 0; i < 3; ++i) {
            find_copies(roots[i], copies);
            assert_alike(templates, e, f.world, copies, count);
        }
        api_end(&f);
    }
}

// The root, which is alive before, is related to nobody: to itself is the last thing that it is.
static void applied_prefabs_keep_the_order(void **state) {
    (void)state;
    for (uint32_t from = 0; from < 20; ++from) {
        keel_entity e[ENTITIES], copies[ENTITIES];
        begin(from);
        keel_world *templates = keel_templates(f.world);
        for (uint32_t i = 0; i < FEW; ++i)
            e[i] = i ? keel_add_child(templates, e[0]) : keel_add_entity(templates);
        relate_all(templates, e, FEW);
        for (uint32_t r = 0; r < RELATIONS; ++r)
            (void)keel_unrelate_component(templates, e[0], relations[r], e[0]);
        const keel_entity root = keel_add_entity(f.world);
        assert_int_equal(keel_apply_prefab(f.world, root, (keel_prefab){ e[0] }), KEEL_OK);
        find_copies(root, copies);
        assert_alike(templates, e, f.world, copies, FEW);
        api_end(&f);
    }
}

static void a_prefab_in_templates_is_copied_among_them(void **state) {
    (void)state;
    keel_entity e[FEW], copies[ENTITIES];
    begin(7);
    keel_world *templates = keel_templates(f.world);
    for (uint32_t i = 0; i < FEW; ++i)
        e[i] = i ? keel_add_child(templates, e[0]) : keel_add_entity(templates);
    relate_all(templates, e, FEW);
    const keel_entity copy = keel_spawn(templates, (keel_prefab){ e[0] });
    uint32_t n = 0;
    for (keel_entity at = copy; !keel_is_null(at);
         at = keel_next_descendant(templates, copy, at, KEEL_DEPTH_FIRST))
        copies[n++] = at;
    assert_int_equal(n, FEW);
    assert_alike(templates, e, templates, copies, FEW);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(merging_keeps_the_order, "a world that is merged keeps both orders of its edges"),
    TEST(copies_of_a_prefab_keep_the_order, "copies of a prefab keep both orders of its edges"),
    TEST(applied_prefabs_keep_the_order, "a prefab that is applied keeps both orders"),
    TEST(a_prefab_in_templates_is_copied_among_them, "a variant keeps both orders"),
};

int main(void) { return RUN(tests); }
