// SPDX-License-Identifier: MIT
// Raw versions: plain calls, and two threads of which one spins until it gets its half.
#include "raw.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

// ---- two threads ----
typedef struct pair {
    pthread_t helper;
    void (*work)(void *data, uint32_t half); // 0 here, 1 in the helper
    void *data;
    atomic_uint begun, ended; // runs so far
    atomic_bool stops;
} pair;

static void *help(void *data) {
    pair *p = data;
    for (unsigned seen = 0;; ++seen) {
        while (atomic_load_explicit(&p->begun, memory_order_acquire) == seen)
            if (atomic_load_explicit(&p->stops, memory_order_relaxed)) return NULL;
        p->work(p->data, 1);
        atomic_store_explicit(&p->ended, seen + 1, memory_order_release);
    }
}

static void pair_begin(pair *p, void (*work)(void *data, uint32_t half), void *data) {
    *p = (pair){ .work = work, .data = data };
    if (pthread_create(&p->helper, NULL, help, p) == 0) return;
    fprintf(stderr, "keel_bench: no second thread\n");
    exit(1);
}

static void pair_end(pair *p) {
    atomic_store(&p->stops, true);
    pthread_join(p->helper, NULL);
}

static void pair_run(pair *p) {
    const unsigned run = atomic_load_explicit(&p->begun, memory_order_relaxed) + 1;
    atomic_store_explicit(&p->begun, run, memory_order_release);
    p->work(p->data, 0);
    while (atomic_load_explicit(&p->ended, memory_order_acquire) != run) {}
}

// ---- heavy: one loop ----
typedef struct heavy {
    Transform *m;
    Position3 *p;
    uint32_t n;
} heavy;

static void compute_half(void *data, uint32_t half) {
    const heavy *h = data;
    for (uint32_t i = h->n / 2 * half; i < h->n / 2 * (half + 1); ++i)
        bench_heavy(&h->m[i], &h->p[i]);
}

static long long sum_heavy(const heavy *h) {
    double sum = 0;
    for (uint32_t i = 0; i < h->n; ++i)
        for (int k = 0; k < 16; ++k)
            sum += (double)h->m[i].m[k];
    return llround(sum);
}

BENCH_SHARED void run_heavy(bench_run *run, bool parallel) {
    heavy h = { RAW_NEW(Transform, run->n), RAW_NEW(Position3, run->n), run->n };
    pair threads;
    run->items = run->n;
    if (parallel) pair_begin(&threads, compute_half, &h);
    while (bench_next(run)) {
        for (uint32_t i = 0; i < h.n; ++i) {
            h.m[i] = bench_rotation(1.2f);
            h.p[i] = (Position3){ 1, 0, 0 };
        }
        bench_start(run);
        if (parallel) pair_run(&threads);
        else {
            compute_half(&h, 0);
            compute_half(&h, 1);
        }
        bench_stop(run);
        run->sum = sum_heavy(&h);
    }
    if (parallel) pair_end(&threads);
    free(h.m);
    free(h.p);
}

BENCH_WORKLOAD(heavy_seq) { run_heavy(run, false); }
BENCH_WORKLOAD(heavy_par) { run_heavy(run, true); }

// ---- schedule: the sets AB, ABC, ABCD, ABCE, and three systems ----
static void swap(float *restrict a, float *restrict b, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i) {
        const float kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

typedef struct schedule {
    float *a[4], *b[4], *c[4], *d, *e; // d belongs to the third set, e to the fourth
} schedule;

static __attribute__((noinline)) void swap_ab(const schedule *s) {
    for (int k = 0; k < 4; ++k)
        swap(s->a[k], s->b[k], BENCH_SCHEDULE_SET);
}
static __attribute__((noinline)) void swap_cd(const schedule *s) {
    swap(s->c[2], s->d, BENCH_SCHEDULE_SET);
}
static __attribute__((noinline)) void swap_ce(const schedule *s) {
    swap(s->c[3], s->e, BENCH_SCHEDULE_SET);
}

static void swap_half(void *data, uint32_t half) {
    if (half == 0) swap_ab(data);
    else {
        swap_cd(data);
        swap_ce(data);
    }
}

static float *filled(float value) {
    float *array = RAW_NEW(float, BENCH_SCHEDULE_SET);
    for (int i = 0; i < BENCH_SCHEDULE_SET; ++i)
        array[i] = value;
    return array;
}

static long long sum_pair(const float *x, const float *y) {
    double sum = 0;
    for (int i = 0; i < BENCH_SCHEDULE_SET; ++i)
        sum += (double)(x[i] + 10 * y[i]);
    return (long long)sum;
}

BENCH_SHARED void run_schedule(bench_run *run, bool parallel) {
    pair threads;
    schedule s = { .d = filled(4), .e = filled(5) };
    for (int k = 0; k < 4; ++k) {
        s.a[k] = filled(1);
        s.b[k] = filled(2);
        s.c[k] = filled(3);
    }
    run->items = (double)run->n * BENCH_SCHEDULE_RUNS;
    if (parallel) pair_begin(&threads, swap_half, &s);
    while (bench_next(run)) {
        bench_start(run);
        for (int k = 0; k < BENCH_SCHEDULE_RUNS; ++k) {
            if (parallel) pair_run(&threads);
            else {
                swap_half(&s, 0);
                swap_half(&s, 1);
            }
            BENCH_BARRIER();
        }
        bench_stop(run);
    }
    if (parallel) pair_end(&threads);
    run->sum = sum_pair(s.c[2], s.d) + sum_pair(s.c[3], s.e);
    for (int k = 0; k < 4; ++k) {
        run->sum += sum_pair(s.a[k], s.b[k]);
        free(s.a[k]);
        free(s.b[k]);
        free(s.c[k]);
    }
    free(s.d);
    free(s.e);
}

BENCH_WORKLOAD(schedule_seq) { run_schedule(run, false); }
BENCH_WORKLOAD(schedule_par) { run_schedule(run, true); }

// ---- calls of functions that do nothing ----
static __attribute__((noinline)) void nothing(void) { BENCH_BARRIER(); }

BENCH_WORKLOAD(empty_system) {
    void (*volatile systems[BENCH_SYSTEMS])(void);
    for (int i = 0; i < BENCH_SYSTEMS; ++i)
        systems[i] = nothing;
    run->items = (double)run->n * BENCH_SYSTEM_RUNS;
    while (bench_next(run)) {
        bench_start(run);
        for (int k = 0; k < BENCH_SYSTEM_RUNS; ++k)
            for (int i = 0; i < BENCH_SYSTEMS; ++i)
                systems[i]();
        bench_stop(run);
    }
}
