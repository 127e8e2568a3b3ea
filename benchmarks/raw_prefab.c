// SPDX-License-Identifier: MIT
// Raw version of prefabs: arrays of all parts, with the parent of each by index.
#include "raw.h"

BENCH_WORKLOAD(spawn_tree) {
    const uint32_t n = run->n / BENCH_TREE * BENCH_TREE;
    Position *p = RAW_NEW(Position, n);
    Velocity *v = RAW_NEW(Velocity, n);
    uint32_t *versions = RAW_NEW(uint32_t, n), *parent = RAW_NEW(uint32_t, n);
    run->items = n;
    while (bench_next(run)) {
        bench_start(run);
        for (uint32_t root = 0; root < n; root += BENCH_TREE)
            for (uint32_t i = 0; i < BENCH_TREE; ++i) {
                p[root + i] = bench_position(i);
                v[root + i] = bench_velocity(i);
                versions[root + i] = 0;
                parent[root + i] = i ? root : UINT32_MAX;
            }
        BENCH_OBSERVE(p);
        BENCH_OBSERVE(v);
        BENCH_OBSERVE(versions);
        BENCH_OBSERVE(parent);
        bench_stop(run);
        uint32_t children = 0;
        for (uint32_t i = 0; i < n; ++i)
            children += parent[i] != UINT32_MAX;
        run->sum = raw_sum_positions(p, n) + raw_sum_velocities(v, n) + children;
    }
    free(p);
    free(v);
    free(versions);
    free(parent);
}

BENCH_WORKLOAD(spawn_5) {
    const uint32_t n = run->n;
    Position *p = RAW_NEW(Position, n);
    Velocity *v = RAW_NEW(Velocity, n);
    Acceleration *a = RAW_NEW(Acceleration, n);
    Affine *s = RAW_NEW(Affine, n);
    uint32_t *kind = RAW_NEW(uint32_t, n), *versions = RAW_NEW(uint32_t, n);
    run->items = n;
    while (bench_next(run)) {
        bench_start(run);
        for (uint32_t i = 0; i < n; ++i) {
            p[i] = bench_position(1);
            v[i] = bench_velocity(1);
            a[i] = bench_acceleration(1);
            s[i] = bench_affine(1);
            kind[i] = 1;
            versions[i] = 0;
        }
        BENCH_BARRIER();
        bench_stop(run);
        run->sum = raw_sum_positions(p, n);
        for (uint32_t i = 0; i < n; ++i)
            run->sum += kind[i];
    }
    free(p);
    free(v);
    free(a);
    free(s);
    free(kind);
    free(versions);
}
