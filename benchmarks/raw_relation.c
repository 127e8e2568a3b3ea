// SPDX-License-Identifier: MIT
// Raw versions of relations: linked lists by index where a source has one target, two vectors where
// it has several.
#include "raw.h"

typedef enum stage { RELATE, VISIT, UNRELATE, DIES } stage;
enum { NONE = UINT32_MAX };

BENCH_SHARED void relations(bench_run *run, stage timed) {
    const uint32_t n = run->n;
    uint32_t *order = bench_shuffled(n), *target = RAW_NEW(uint32_t, n);
    uint32_t *first = RAW_NEW(uint32_t, n), *last = RAW_NEW(uint32_t, n);
    uint32_t *next = RAW_NEW(uint32_t, n), *prev = RAW_NEW(uint32_t, n);
    run->items = n - BENCH_TARGETS;
    while (bench_next(run)) {
        long long sum = 0;
        for (uint32_t i = 0; i < n; ++i)
            first[i] = last[i] = next[i] = prev[i] = target[i] = NONE;
        bench_start(run);
        for (uint32_t i = BENCH_TARGETS; i < n; ++i) {
            const uint32_t to = i % BENCH_TARGETS, before = last[to];
            target[i] = to;
            prev[i] = before;
            *(before == NONE ? &first[to] : &next[before]) = i;
            last[to] = i;
        }
        if (timed == RELATE) bench_stop(run);

        bench_start(run);
        for (uint32_t k = 0; k < BENCH_TARGETS; ++k)
            for (uint32_t i = first[k]; i != NONE; i = next[i])
                sum += i;
        if (timed == VISIT) bench_stop(run);

        bench_start(run);
        for (uint32_t k = 0; timed == UNRELATE && k < n; ++k) {
            const uint32_t i = order[k], to = target[i];
            if (to == NONE) continue;
            *(prev[i] == NONE ? &first[to] : &next[prev[i]]) = next[i];
            *(next[i] == NONE ? &last[to] : &prev[next[i]]) = prev[i];
            target[i] = NONE;
        }
        if (timed == UNRELATE) bench_stop(run);

        bench_start(run);
        for (uint32_t k = 0; k < BENCH_TARGETS; ++k)
            for (uint32_t i = first[k]; i != NONE; i = next[i])
                target[i] = NONE;
        if (timed == DIES) bench_stop(run);
        uint32_t left = 0;
        for (uint32_t i = 0; i < n; ++i)
            left += target[i] != NONE;
        run->sum = sum % n + left;
    }
    free(order);
    free(target);
    free(first);
    free(last);
    free(next);
    free(prev);
}

BENCH_WORKLOAD(rel_relate) { relations(run, RELATE); }
BENCH_WORKLOAD(rel_visit) { relations(run, VISIT); }
BENCH_WORKLOAD(rel_unrelate) { relations(run, UNRELATE); }
BENCH_WORKLOAD(rel_target_dies) { relations(run, DIES); }

typedef struct vector {
    uint32_t *items;
    uint32_t count, capacity;
} vector;

BENCH_WORKLOAD(rel_relate_many) {
    const uint32_t n = run->n;
    vector *targets = RAW_NEW(vector, n), *sources = RAW_NEW(vector, n);
    run->items = (double)n * BENCH_DEGREE;
    while (bench_next(run)) {
        memset(targets, 0, n * sizeof *targets);
        memset(sources, 0, n * sizeof *sources);
        bench_start(run);
        for (uint32_t i = 0; i < n; ++i)
            for (uint32_t k = 1; k <= BENCH_DEGREE; ++k) {
                vector *to = &targets[i], *from = &sources[(i + k) % n];
                RAW_PUSH(to->items, to->count, to->capacity, (i + k) % n);
                RAW_PUSH(from->items, from->count, from->capacity, i);
            }
        bench_stop(run);
        run->sum = sources[7].count;
        for (uint32_t i = 0; i < n; ++i) {
            free(targets[i].items);
            free(sources[i].items);
        }
    }
    free(targets);
    free(sources);
}
