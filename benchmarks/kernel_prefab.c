// SPDX-License-Identifier: MIT
// Keel versions of prefabs: trees of a root and its parts, and single entities of five components;
// at once, one by one, and by hand.
#include "kernel.h"

typedef enum way { AT_ONCE, FILL, ONE_BY_ONE, BY_HAND } way;

static keel_entity tree_by_hand(keel_world *world) {
    const keel_entity root = keel_add_entity(world, KEEL_INIT(Position, bench_position(0)),
                                             KEEL_INIT(Velocity, bench_velocity(0)));
    for (uint32_t i = 1; i < BENCH_TREE; ++i)
        keel_add_child(world, root, KEEL_INIT(Position, bench_position(i)),
                       KEEL_INIT(Velocity, bench_velocity(i)));
    return root;
}

BENCH_SHARED void spawn_tree(bench_run *run, way how) {
    const uint32_t trees = run->n / BENCH_TREE;
    keel_world *world = bench_world();
    const keel_prefab tree = { tree_by_hand(keel_templates(world)) };
    run->items = (double)trees * BENCH_TREE;
    while (bench_next(run)) {
        bench_start(run);
        if (how == AT_ONCE) bench_expect(keel_spawn_many(world, tree, trees, NULL));
        for (uint32_t i = 0; how == ONE_BY_ONE && i < trees; ++i)
            keel_spawn(world, tree);
        for (uint32_t i = 0; how == BY_HAND && i < trees; ++i)
            tree_by_hand(world);
        bench_stop(run);
        run->sum = bench_sum_both(world) + keel_count(world, keel_child);
        keel_clear_entities(world);
    }
    bench_end(run, world);
}

BENCH_WORKLOAD(spawn_tree) { spawn_tree(run, AT_ONCE); }
BENCH_WORKLOAD(spawn_tree_one) { spawn_tree(run, ONE_BY_ONE); }
BENCH_WORKLOAD(spawn_tree_by_hand) { spawn_tree(run, BY_HAND); }

// ---- one entity of five components, in a new world ----
typedef Affine Stance;
typedef struct Kind {
    uint32_t number;
} Kind;
KEEL_COMPONENT(Stance, .storage = BENCH_STORAGE);
KEEL_COMPONENT(Kind, .storage = BENCH_STORAGE);

static void make_5(keel_world *world, keel_prefab prefab, way how, keel_entity *e, uint32_t n) {
    const Position p = bench_position(1);
    const Velocity v = bench_velocity(1);
    const Acceleration a = bench_acceleration(1);
    const Stance s = bench_affine(1);
    const Kind kind = { 1 };
    if (how == AT_ONCE) bench_expect(keel_spawn_many(world, prefab, n, e));
    if (how == FILL)
        bench_expect(keel_add_entities(world, n, e, KEEL_FILL(Position, p), KEEL_FILL(Velocity, v),
                                       KEEL_FILL(Acceleration, a), KEEL_FILL(Stance, s),
                                       KEEL_FILL(Kind, kind)));
    for (uint32_t i = 0; how == ONE_BY_ONE && i < n; ++i)
        e[i] = keel_spawn(world, prefab);
    for (uint32_t i = 0; how == BY_HAND && i < n; ++i)
        e[i] = keel_add_entity(world, KEEL_INIT(Position, p), KEEL_INIT(Velocity, v),
                               KEEL_INIT(Acceleration, a), KEEL_INIT(Stance, s),
                               KEEL_INIT(Kind, kind));
}

BENCH_SHARED void spawn_5(bench_run *run, way how) {
    const uint32_t n = run->n;
    keel_entity *e = bench_handles(n);
    run->items = n;
    while (bench_next(run)) {
        keel_world *world = bench_world();
        bench_expect(keel_register(world, Position, Velocity, Acceleration, Stance, Kind));
        keel_prefab prefab;
        make_5(keel_templates(world), (keel_prefab){ keel_null() }, BY_HAND, &prefab.root, 1);
        bench_start(run);
        make_5(world, prefab, how, e, n);
        bench_stop(run);
        run->sum = bench_sum_positions(world) + keel_count(world, Kind);
        bench_end(run, world);
    }
    free(e);
}

BENCH_WORKLOAD(spawn_5) { spawn_5(run, AT_ONCE); }
BENCH_WORKLOAD(spawn_5_fill) { spawn_5(run, FILL); }
BENCH_WORKLOAD(spawn_5_one) { spawn_5(run, ONE_BY_ONE); }
BENCH_WORKLOAD(spawn_5_by_hand) { spawn_5(run, BY_HAND); }
