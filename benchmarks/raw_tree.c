// SPDX-License-Identifier: MIT
// A tree of three levels: what has a parent gets something of its parent. Arrays are sorted by
// level, and the place of the parent is known.
#include "raw.h"

BENCH_WORKLOAD(tree_target) {
    const uint32_t n = run->n;
    uint32_t *parent = RAW_NEW(uint32_t, n);
    Position *p = RAW_NEW(Position, n);
    Velocity *v = RAW_NEW(Velocity, n);
    for (uint32_t i = 0; i < n; ++i) {
        parent[i] = bench_parent(i);
        p[i] = bench_position(i);
        v[i] = bench_velocity(i);
    }
    run->items = n - BENCH_ROOTS;
    while (bench_next(run)) {
        bench_start(run);
        for (uint32_t i = BENCH_ROOTS; i < n; ++i) {
            v[i].x = p[parent[i]].x;
            v[i].y += p[parent[i]].y;
        }
        BENCH_BARRIER();
        bench_stop(run);
        run->sum = raw_sum_velocities(v, n);
        for (uint32_t i = 0; i < n; ++i)
            v[i] = bench_velocity(i);
    }
    free(parent);
    free(p);
    free(v);
}

BENCH_WORKLOAD(tree_up) {
    const uint32_t n = run->n;
    uint32_t *parent = RAW_NEW(uint32_t, n);
    Affine *local = RAW_NEW(Affine, n), *global = RAW_NEW(Affine, n);
    for (uint32_t i = 0; i < n; ++i) {
        parent[i] = bench_parent(i);
        local[i] = bench_affine(i);
        global[i] = bench_affine(0);
    }
    run->items = n;
    while (bench_next(run)) {
        bench_start(run);
        for (uint32_t i = 0; i < BENCH_ROOTS; ++i)
            global[i] = local[i];
        for (uint32_t i = BENCH_ROOTS; i < n; ++i)
            global[i] = bench_affine_mul(global[parent[i]], local[i]);
        BENCH_BARRIER();
        bench_stop(run);
        run->sum = 0;
        for (uint32_t i = 0; i < n; ++i)
            run->sum += bench_sum_of(global[i].x, global[i].y);
    }
    free(parent);
    free(local);
    free(global);
}
