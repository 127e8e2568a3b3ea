// SPDX-License-Identifier: MIT
// Keel versions of prefabs: trees of a root and its parts, at once, one by one, and by hand.
#include "kernel.h"

typedef enum way { AT_ONCE, ONE_BY_ONE, BY_HAND } way;

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
