// SPDX-License-Identifier: MIT
// The order of a target's sources, and of a source's targets, survives wherever edges are related
// anew: in a world that is merged, in copies of a prefab, in saves.
#include "support/random_edges.h"

#include <keel/snapshot.h>

enum { FEW = 12 };
static api_fixture f, g;

static void begin(uint32_t from) {
    api_begin(&f);
    begin_edges(from);
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

// ------------------------------------------------------------------ sorting
static int by_salt(const keel_world *world, keel_entity a, keel_entity b, void *data) {
    const uint32_t salt = *(uint32_t *)data;
    const uint32_t x = (keel_entity_index(a) * 2654435761u ^ salt) >> 28,
                   y = (keel_entity_index(b) * 2654435761u ^ salt) >> 28;
    assert_true(keel_is_alive(world, a) && keel_is_alive(world, b));
    return (x > y) - (x < y);
}

static uint32_t list_sources(keel_entity e, const keel_component *c, keel_entity *list) {
    uint32_t n = 0;
    for (keel_entity a = keel_null();
         !keel_is_null(a = keel_next_source_component(f.world, e, c, a)); ++n)
        list[n] = a;
    return n;
}

// A target's sources against an insertion sort; of a symmetric relation its targets are the same.
static void sort_one(keel_entity e, const keel_component *c, uint32_t salt) {
    keel_entity list[ENTITIES], sorted[ENTITIES];
    const uint32_t n = list_sources(e, c, list);
    for (uint32_t i = 1; i < n; ++i) {
        const keel_entity a = list[i];
        uint32_t at = i;
        for (; at && by_salt(f.world, list[at - 1], a, &salt) > 0; --at)
            list[at] = list[at - 1];
        list[at] = a;
    }
    assert_int_equal(keel_sort_sources(f.world, e, c, by_salt, &salt),
                     n < 2 ? KEEL_ABSENT : KEEL_OK);
    assert_int_equal(list_sources(e, c, sorted), n);
    for (uint32_t i = 0; i < n; ++i)
        assert_same_entity(list[i], sorted[i]);
    keel_entity a = keel_null();
    for (uint32_t i = 0; c->symmetric && i < n; ++i)
        assert_same_entity(list[i], a = keel_next_target_component(f.world, e, c, a));
    keel_error wrong;
    assert_true(keel_world_check(f.world, &wrong));
}

static void sources_are_sorted(void **state) {
    (void)state;
    for (uint32_t from = 0; from < 10; ++from) {
        keel_entity e[ENTITIES];
        begin(from);
        for (uint32_t i = 0; i < ENTITIES; ++i)
            e[i] = keel_add_entity(f.world);
        for (uint32_t n = 0; n < 100; ++n) {
            for (uint32_t i = 0; i < 30; ++i)
                relate(f.world, relations[roll(RELATIONS)], e[roll(ENTITIES)], e[roll(ENTITIES)]);
            sort_one(e[roll(ENTITIES)], relations[roll(RELATIONS)], roll(UINT32_MAX));
        }
        api_end(&f);
    }
}

static void snapshots_bring_the_order_back(void **state) {
    (void)state;
    keel_entity e[ENTITIES], copies[ENTITIES];
    begin(3);
    for (uint32_t i = 0; i < ENTITIES; ++i)
        copies[i] = e[i] = keel_add_entity(f.world);
    relate_all(f.world, e, ENTITIES);
    for (uint32_t i = 0; i < ENTITIES; ++i)
        for (uint32_t r = 0; r < RELATIONS; ++r)
            sort_one(e[i], relations[r], 77);
    api_begin(&g);
    keel_snapshot *snapshot = keel_snapshot_create(f.world, "sorted");
    assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK);
    for (uint32_t n = 0; n < 3; ++n) {
        for (uint32_t i = 0; i < ENTITIES; ++i)
            for (uint32_t r = 0; r < RELATIONS; ++r)
                sort_one(e[i], relations[r], 99);
        assert_int_equal(keel_snapshot_restore(snapshot), KEEL_OK);
        assert_alike(g.world, copies, f.world, e, ENTITIES);
    }
    keel_snapshot_destroy(snapshot);
    api_end(&g);
    api_end(&f);
}

// Where sorting made a circle, sources are in their order, and all edges are there.
static void sorted_sources_go_with_copies(void **state) {
    (void)state;
    for (uint32_t from = 0; from < 20; ++from) {
        keel_entity e[ENTITIES], copies[ENTITIES], list[ENTITIES];
        begin(from);
        api_begin(&g);
        for (uint32_t i = 0; i < ENTITIES; ++i)
            e[i] = keel_add_entity(f.world);
        relate_all(f.world, e, ENTITIES);
        for (uint32_t i = 0; i < ENTITIES; ++i)
            for (uint32_t r = 0; r < RELATIONS; ++r)
                sort_one(e[i], relations[r], i + r * 17);
        const keel_merge_options options = { .handles = copies };
        assert_int_equal(keel_merge_world(g.world, f.world, &options), KEEL_OK);
        for (uint32_t i = 0; i < ENTITIES; ++i)
            for (uint32_t r = 0; r < RELATIONS; ++r) {
                const keel_component *c = relations[r];
                keel_entity a = keel_null();
                const uint32_t n = list_sources(e[i], c, list);
                assert_int_equal(keel_source_count_component(g.world, copies[i], c), n);
                assert_int_equal(keel_target_count_component(g.world, copies[i], c),
                                 keel_target_count_component(f.world, e[i], c));
                for (uint32_t k = 0; !c->symmetric && k < n; ++k)
                    assert_same_entity(number(list[k], e, copies, ENTITIES),
                                       a = keel_next_source_component(g.world, copies[i], c, a));
            }
        api_end(&g);
        api_end(&f);
    }
}

static int by_index(const keel_world *world, keel_entity a, keel_entity b, void *data) {
    (void)world, (void)data;
    return (keel_entity_index(a) > keel_entity_index(b)) -
           (keel_entity_index(a) < keel_entity_index(b));
}
static int by_editing(const keel_world *world, keel_entity a, keel_entity b, void *data) {
    (void)b, (void)data;
    assert_int_equal(keel_delete_entity((keel_world *)(uintptr_t)world, a), KEEL_ERROR_SHARED);
    return 0;
}

static void what_cannot_be_sorted_stays(void **state) {
    (void)state;
    keel_entity e[ENTITIES];
    begin(0);
    for (uint32_t i = 0; i < ENTITIES; ++i)
        e[i] = keel_add_entity(f.world);
    keel_world *w = f.world;
    const keel_component *c = KEEL_OF(Likes);
    assert_int_equal(keel_sort_sources(w, e[0], c, by_index, NULL), KEEL_ABSENT); // not known yet
    for (uint32_t i = ENTITIES; --i;)
        keel_relate(w, e[i], Likes, e[0]);
    assert_int_equal(keel_sort_sources(w, keel_null(), c, by_index, NULL), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_sort_sources(w, e[0], c, NULL, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT, "comparator");
    assert_int_equal(keel_sort_sources(w, e[0], NULL, by_index, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT, "no relation");
    assert_int_equal(keel_sort_sources(w, e[1], c, by_index, NULL), KEEL_ABSENT);
    KEEL_EACH_SOURCE(w, e[0], Likes, other) {
        const bool has_more = keel_entity_index(other) > keel_entity_index(e[ENTITIES - 1]) - 1;
        if (has_more)
            assert_int_equal(keel_sort_sources(w, e[0], c, by_index, NULL), KEEL_ERROR_BORROWED);
    }
    assert_error(w, KEEL_ERROR_BORROWED, "has more to visit");
    assert_int_equal(keel_sort_sources(w, e[0], c, by_editing, NULL), KEEL_OK);
    assert_error(w, KEEL_ERROR_SHARED, NULL);
    assert_same_entity(keel_next_source_component(w, e[0], c, keel_null()), e[ENTITIES - 1]);
    counting_allocator_fail_once(&f.memory, 0);
    assert_int_equal(keel_sort_sources(w, e[0], c, by_index, NULL), KEEL_ERROR_MEMORY);
    assert_error(w, KEEL_ERROR_MEMORY, "sorting sources");
    assert_same_entity(keel_next_source_component(w, e[0], c, keel_null()), e[ENTITIES - 1]);
    assert_int_equal(keel_sort_sources(w, e[0], c, by_index, NULL), KEEL_OK);
    assert_same_entity(keel_next_source_component(w, e[0], c, keel_null()), e[1]);
    uint32_t n = 0;
    KEEL_EACH_SOURCE(w, e[0], Likes, other) assert_same_entity(other, e[++n]);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(merging_keeps_the_order, "a world that is merged keeps both orders of its edges"),
    TEST(copies_of_a_prefab_keep_the_order, "copies of a prefab keep both orders of its edges"),
    TEST(applied_prefabs_keep_the_order, "a prefab that is applied keeps both orders"),
    TEST(a_prefab_in_templates_is_copied_among_them, "a variant keeps both orders"),
    TEST(sources_are_sorted, "sources are sorted, and stay so while others come and go"),
    TEST(snapshots_bring_the_order_back, "snapshots bring the order of sources back"),
    TEST(sorted_sources_go_with_copies, "sorted sources go with copies, whatever else gives way"),
    TEST(what_cannot_be_sorted_stays, "what cannot be sorted stays"),
};

int main(void) { return RUN(tests); }
