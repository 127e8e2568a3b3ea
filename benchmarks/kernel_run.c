// SPDX-License-Identifier: MIT
// Keel versions: what workloads cost, and what a second worker gains.
#include "kernel.h"

#include <math.h>

// ---- heavy: one system ----
BENCH_SYSTEM(compute, KEEL_WRITE(Transform, m), KEEL_WRITE(Position3, p)) { bench_heavy(m, p); }

BENCH_SHARED void heavy(bench_run *run, uint32_t workers) {
    keel_world *world = bench_world_of(workers);
    BENCH_MAKE_GROUP(world, NULL, KEEL_OF(Transform), KEEL_OF(Position3));
    for (uint32_t i = 0; i < run->n; ++i)
        keel_add_entity(world, KEEL_INIT(Transform), KEEL_INIT(Position3), KEEL_INIT(Rotation3),
                        KEEL_INIT(Velocity3));
    run->items = run->n;
    while (bench_next(run)) {
        KEEL_EACH(world, KEEL_WRITE(Transform, m), KEEL_WRITE(Position3, p)) {
            *m = bench_rotation(1.2f);
            *p = (Position3){ 1, 0, 0 };
        }
        bench_start(run);
        if (workers == 1) BENCH_RUN(world, compute);
        else BENCH_RUN_PARALLEL(world, compute);
        bench_stop(run);
        double sum = 0;
        KEEL_EACH(world, KEEL_READ(Transform, m)) {
            for (int k = 0; k < 16; ++k)
                sum += (double)m->m[k];
        }
        run->sum = llround(sum);
    }
    bench_end(run, world);
}

BENCH_WORKLOAD(heavy_seq) { heavy(run, 1); }
BENCH_WORKLOAD(heavy_par) { heavy(run, 2); }

// ---- schedule: the sets AB, ABC, ABCD, ABCE, and three systems ----
typedef struct A {
    float v;
} A;
typedef struct B {
    float v;
} B;
typedef struct C {
    float v;
} C;
typedef struct D {
    float v;
} D;
typedef struct E {
    float v;
} E;
KEEL_COMPONENT(A, .storage = BENCH_STORAGE);
KEEL_COMPONENT(B, .storage = BENCH_STORAGE);
KEEL_COMPONENT(C, .storage = BENCH_STORAGE);
KEEL_COMPONENT(D, .storage = BENCH_STORAGE);
KEEL_COMPONENT(E, .storage = BENCH_STORAGE);

BENCH_SHARED void swap(float *a, float *b) {
    const float kept = *a;
    *a = *b;
    *b = kept;
}

BENCH_SYSTEM(swap_ab, KEEL_WRITE(A, a), KEEL_WRITE(B, b)) { swap(&a->v, &b->v); }
BENCH_SYSTEM(swap_cd, KEEL_WRITE(C, c), KEEL_WRITE(D, d)) { swap(&c->v, &d->v); }
BENCH_SYSTEM(swap_ce, KEEL_WRITE(C, c), KEEL_WRITE(E, e)) { swap(&c->v, &e->v); }

BENCH_TABLE(swap_all, BENCH_STEP(swap_ab), BENCH_STEP(swap_cd), BENCH_STEP(swap_ce));

static double sum_pair(float x, float y) { return (double)(x + 10 * y); }

BENCH_SHARED void schedule(bench_run *run, uint32_t workers) {
    keel_world *world = bench_world_of(workers);
    for (uint32_t set = 0; set < 4; ++set)
        for (uint32_t i = 0; i < BENCH_SCHEDULE_SET; ++i) {
            const keel_entity e = keel_add_entity(world, KEEL_INIT(A, { 1 }), KEEL_INIT(B, { 2 }));
            if (set >= 1) keel_add(world, e, C, { 3 });
            if (set == 2) keel_add(world, e, D, { 4 });
            if (set == 3) keel_add(world, e, E, { 5 });
        }
    run->items = (double)run->n * BENCH_SCHEDULE_RUNS;
    while (bench_next(run)) {
        bench_start(run);
        for (int k = 0; k < BENCH_SCHEDULE_RUNS; ++k)
            BENCH_RUN_WORKLOAD(world, swap_all);
        bench_stop(run);
    }
    double sum = 0;
    KEEL_EACH(world, KEEL_READ(A, a), KEEL_READ(B, b)) {
        sum += sum_pair(a->v, b->v);
    }
    KEEL_EACH(world, KEEL_READ(C, c), KEEL_READ(D, d)) {
        sum += sum_pair(c->v, d->v);
    }
    KEEL_EACH(world, KEEL_READ(C, c), KEEL_READ(E, e)) {
        sum += sum_pair(c->v, e->v);
    }
    run->sum = (long long)sum;
    bench_end(run, world);
}

BENCH_WORKLOAD(schedule_seq) { schedule(run, 1); }
BENCH_WORKLOAD(schedule_par) { schedule(run, 2); }

// ---- systems that match nothing: none of the entities has a velocity ----
#define TEN(X, tens)                                                                               \
    X(tens##0)                                                                                     \
    X(tens##1)                                                                                     \
    X(tens##2) X(tens##3) X(tens##4) X(tens##5) X(tens##6) X(tens##7) X(tens##8) X(tens##9)
#define HUNDRED(X)                                                                                 \
    TEN(X, 0)                                                                                      \
    TEN(X, 1) TEN(X, 2) TEN(X, 3) TEN(X, 4) TEN(X, 5) TEN(X, 6) TEN(X, 7) TEN(X, 8) TEN(X, 9)
#define NOBODY(number)                                                                             \
    BENCH_SYSTEM(nobody_##number, KEEL_WRITE(Position, p), KEEL_READ(Velocity, v)) {               \
        p->x += v->x;                                                                              \
        p->y += v->y;                                                                              \
    }
#define NOBODY_STEP(number) BENCH_STEP(nobody_##number),
HUNDRED(NOBODY)
BENCH_TABLE(nobody, HUNDRED(NOBODY_STEP));

BENCH_WORKLOAD(empty_system) {
    keel_world *world = bench_world();
    bench_populate(world, NULL, 1000, 1);
    run->items = (double)run->n * BENCH_SYSTEM_RUNS;
    while (bench_next(run)) {
        bench_start(run);
        for (int k = 0; k < BENCH_SYSTEM_RUNS; ++k)
            BENCH_RUN_WORKLOAD(world, nobody);
        bench_stop(run);
    }
    bench_end(run, world);
}
