// SPDX-License-Identifier: MIT
// The machine: clock, memory, the deterministic shuffle; and the arithmetic of heavy_seq.
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

double bench_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

// ---- memory ----
void *bench_grow(void *block, size_t bytes) {
    void *fresh = realloc(block, bytes ? bytes : 1);
    if (!fresh) {
        fprintf(stderr, "keel_bench: out of memory (%zu bytes)\n", bytes);
        exit(1);
    }
    return fresh;
}

void *bench_new(size_t bytes) { return bench_grow(NULL, bytes); }

void *bench_touched(size_t bytes) { return memset(bench_new(bytes), 1, bytes); }

double bench_resident(void) {
    long size = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld %ld", &size, &resident) != 2) resident = 0;
    if (f) fclose(f);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

void bench_give_back(void) {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

// By default glibc moves the size from which it maps pages with each large block that is freed, and
// gives the top of the heap back: the same loop then costs 20 or 48 ns an entity, depending on what
// ran before.
void bench_pin_malloc(void) {
#if defined(__GLIBC__)
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

// ---- numbers ----
static uint64_t next_random(uint64_t *state) { // xorshift64*
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1Du;
}

uint32_t *bench_shuffled(uint32_t n) {
    uint32_t *order = bench_new(n * sizeof *order);
    uint64_t state = 0x9E3779B97F4A7C15u;
    for (uint32_t i = 0; i < n; ++i)
        order[i] = i;
    for (uint32_t i = n - 1; i > 0; --i) {
        const uint32_t j = (uint32_t)(next_random(&state) % (i + 1)), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    return order;
}

double bench_worst(const double *ns, uint32_t n) {
    double worst = 0;
    for (uint32_t i = 0; i < n; ++i)
        if (ns[i] > worst) worst = ns[i];
    return worst;
}

static int compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_percentile(double *ns, uint32_t n, double fraction) {
    qsort(ns, n, sizeof *ns, compare_doubles);
    return ns[(uint32_t)ceil(fraction * n) - 1];
}

// ---- heavy_seq ----
Transform bench_rotation(float angle) {
    Transform r;
    memset(&r, 0, sizeof r);
    const float c = cosf(angle), s = sinf(angle);
    r.m[0] = r.m[15] = 1;
    r.m[5] = r.m[10] = c;
    r.m[6] = s;
    r.m[9] = -s;
    return r;
}

// By cofactors.
static inline Transform inverse(const Transform *of) {
    const float *m = of->m;
    const float s0 = m[0] * m[5] - m[4] * m[1], s1 = m[0] * m[6] - m[4] * m[2];
    const float s2 = m[0] * m[7] - m[4] * m[3], s3 = m[1] * m[6] - m[5] * m[2];
    const float s4 = m[1] * m[7] - m[5] * m[3], s5 = m[2] * m[7] - m[6] * m[3];
    const float c5 = m[10] * m[15] - m[14] * m[11], c4 = m[9] * m[15] - m[13] * m[11];
    const float c3 = m[9] * m[14] - m[13] * m[10], c2 = m[8] * m[15] - m[12] * m[11];
    const float c1 = m[8] * m[14] - m[12] * m[10], c0 = m[8] * m[13] - m[12] * m[9];
    const float d = 1.0f / (s0 * c5 - s1 * c4 + s2 * c3 + s3 * c2 - s4 * c1 + s5 * c0);
    const Transform inverted = { {
        (m[5] * c5 - m[6] * c4 + m[7] * c3) * d,
        (-m[1] * c5 + m[2] * c4 - m[3] * c3) * d,
        (m[13] * s5 - m[14] * s4 + m[15] * s3) * d,
        (-m[9] * s5 + m[10] * s4 - m[11] * s3) * d,
        (-m[4] * c5 + m[6] * c2 - m[7] * c1) * d,
        (m[0] * c5 - m[2] * c2 + m[3] * c1) * d,
        (-m[12] * s5 + m[14] * s2 - m[15] * s1) * d,
        (m[8] * s5 - m[10] * s2 + m[11] * s1) * d,
        (m[4] * c4 - m[5] * c2 + m[7] * c0) * d,
        (-m[0] * c4 + m[1] * c2 - m[3] * c0) * d,
        (m[12] * s4 - m[13] * s2 + m[15] * s0) * d,
        (-m[8] * s4 + m[9] * s2 - m[11] * s0) * d,
        (-m[4] * c3 + m[5] * c1 - m[6] * c0) * d,
        (m[0] * c3 - m[1] * c1 + m[2] * c0) * d,
        (-m[12] * s3 + m[13] * s1 - m[14] * s0) * d,
        (m[8] * s3 - m[9] * s1 + m[10] * s0) * d,
    } };
    return inverted;
}

__attribute__((noinline)) void bench_heavy(Transform *m, Position3 *p) {
    for (int k = 0; k < 100; ++k)
        *m = inverse(m);
    const float *a = m->m;
    const Position3 q = *p;
    p->x = a[0] * q.x + a[4] * q.y + a[8] * q.z;
    p->y = a[1] * q.x + a[5] * q.y + a[9] * q.z;
    p->z = a[2] * q.x + a[6] * q.y + a[10] * q.z;
}

EnttPosition *bench_sort_input(bench_sort how, uint32_t n) {
    EnttPosition *p = bench_new(n * sizeof *p);
    uint32_t *order = bench_shuffled(n);
    for (uint32_t i = 0; i < n; ++i)
        p[i] = (EnttPosition){ how == BENCH_SORT_RANDOM ? order[i] : i, 0 };
    free(order);
    return p;
}
