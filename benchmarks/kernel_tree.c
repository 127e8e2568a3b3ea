// SPDX-License-Identifier: MIT
// A tree of three levels: what has a parent gets something of its parent.
#include "kernel.h"

typedef Affine Local;
typedef Affine Global;
KEEL_COMPONENT(Local, .storage = BENCH_STORAGE);
KEEL_COMPONENT(Global, .storage = BENCH_STORAGE);

// ---- the value of the parent ----
BENCH_SYSTEM(take, KEEL_WRITE(Velocity, v),
             KEEL_OF_TARGET(keel_child, KEEL_READ(Position, above))) {
    v->x = above->x;
    v->y += above->y;
}

static void take_by_hand(keel_world *world) {
    const keel_lookup positions = keel_lookup_of(world, Position);
    KEEL_EACH(world, KEEL_WRITE(Velocity, v), KEEL_WITH(keel_child), KEEL_ENTITY(e)) {
        const keel_entity parent = keel_parent_of(world, e);
        const Position *above = keel_lookup_get(&positions, parent, Position);
        if (!above) continue;
        v->x = above->x;
        v->y += above->y;
    }
}

BENCH_SHARED void of_target(bench_run *run, bool by_hand) {
    const uint32_t n = run->n;
    keel_entity *e = bench_handles(n);
    keel_world *world = bench_world();
    bench_populate(world, e, n, 2);
    for (uint32_t i = BENCH_ROOTS; i < n; ++i)
        keel_attach(world, e[i], e[bench_parent(i)]);
    run->items = n - BENCH_ROOTS;
    while (bench_next(run)) {
        bench_start(run);
        if (by_hand) take_by_hand(world);
        else BENCH_RUN(world, take);
        bench_stop(run);
        run->sum = bench_sum_velocities(world);
        for (uint32_t i = 0; i < n; ++i)
            *keel_get_mut(world, e[i], Velocity) = bench_velocity(i);
    }
    bench_end(run, world);
    free(e);
}

BENCH_WORKLOAD(tree_target) { of_target(run, false); }
BENCH_WORKLOAD(tree_target_by_hand) { of_target(run, true); }

// ---- one ordered pass ----
BENCH_SYSTEM(place, KEEL_TARGETS_FIRST(keel_child), KEEL_READ(Local, l), KEEL_WRITE(Global, g),
             KEEL_UP(keel_child, KEEL_OPTIONAL_READ(Global, above))) {
    *g = above ? bench_affine_mul(*above, *l) : *l;
}
BENCH_SYSTEM(place_changed, KEEL_TARGETS_FIRST(keel_child), KEEL_CHANGED_UP(keel_child, Local),
             KEEL_READ(Local, l), KEEL_WRITE(Global, g),
             KEEL_UP(keel_child, KEEL_OPTIONAL_READ(Global, above))) {
    *g = above ? bench_affine_mul(*above, *l) : *l;
}

typedef enum timed_pass { ALL, EDITED, NONE_CHANGED, SOME_CHANGED } timed_pass;

BENCH_SHARED void up(bench_run *run, timed_pass pass, bool is_shuffled) {
    const uint32_t n = run->n;
    keel_entity *e = bench_handles(n), *node = bench_handles(n);
    uint32_t *order = bench_shuffled(n);
    keel_world *world = bench_world();
    for (uint32_t i = 0; i < n; ++i)
        e[i] = keel_add_entity(world);
    for (uint32_t i = 0; i < n; ++i) {
        node[i] = e[is_shuffled ? order[i] : i];
        keel_add(world, node[i], Local, bench_affine(i));
        keel_add(world, node[i], Global);
        if (i >= BENCH_ROOTS) keel_attach(world, node[i], node[bench_parent(i)]);
    }
    run->items = pass == NONE_CHANGED ? 1 : n;
    if (pass >= NONE_CHANGED) BENCH_RUN(world, place_changed);
    while (bench_next(run)) {
        if (pass == EDITED) keel_attach(world, node[n - 1], node[bench_parent(n - 1)]);
        for (uint32_t i = 0; pass == SOME_CHANGED && i < n; i += 100)
            *keel_get_mut(world, node[i], Local) = bench_affine(i);
        bench_start(run);
        if (pass >= NONE_CHANGED) BENCH_RUN(world, place_changed);
        else BENCH_RUN(world, place);
        bench_stop(run);
        run->sum = 0;
        KEEL_EACH(world, KEEL_READ(Global, g))
            run->sum += bench_sum_of(g->x, g->y);
    }
    bench_end(run, world);
    free(order);
    free(node);
    free(e);
}

BENCH_WORKLOAD(tree_up) { up(run, ALL, false); }
BENCH_WORKLOAD(tree_up_shuffled) { up(run, ALL, true); }
BENCH_WORKLOAD(tree_up_edited) { up(run, EDITED, false); }
BENCH_WORKLOAD(tree_up_edited_shuffled) { up(run, EDITED, true); }
BENCH_WORKLOAD(tree_changed_none) { up(run, NONE_CHANGED, false); }
BENCH_WORKLOAD(tree_changed_1pct) { up(run, SOME_CHANGED, false); }
