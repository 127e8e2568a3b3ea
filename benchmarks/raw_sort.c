// SPDX-License-Identifier: MIT
// Raw versions of sorting: arrays of values, without anything that has to follow them.
#include "raw.h"

// A merge sort whose comparison is known to the compiler.
static void merge_sort(EnttPosition *p, EnttPosition *spare, uint32_t n, bool down) {
    if (n < 2) return;
    const uint32_t half = n / 2;
    merge_sort(p, spare, half, down);
    merge_sort(p + half, spare, n - half, down);
    if (down ? p[half - 1].x >= p[half].x : p[half - 1].x <= p[half].x) return;
    memcpy(spare, p, half * sizeof *p);
    for (uint32_t i = 0, a = 0, b = half; a < half; ++i) {
        const bool take_b = b < n && (down ? p[b].x > spare[a].x : p[b].x < spare[a].x);
        p[i] = take_b ? p[b++] : spare[a++];
    }
}

static void insertion_sort(EnttPosition *p, uint32_t n) {
    for (uint32_t i = 1; i < n; ++i) {
        const EnttPosition value = p[i];
        uint32_t at = i;
        for (; at && p[at - 1].x > value.x; --at)
            p[at] = p[at - 1];
        p[at] = value;
    }
}

// Some go, the last takes the place of each, and they come again behind the others.
static void disturb(EnttPosition *p, uint32_t n) {
    uint32_t count = n;
    for (uint32_t k = 0; k < BENCH_SORT_LATE; ++k)
        p[bench_sort_late(k)] = p[--count];
    for (uint32_t k = 0; k < BENCH_SORT_LATE; ++k)
        p[count++] = (EnttPosition){ bench_sort_late(k), 0 };
}

BENCH_SHARED void sort_all(bench_run *run, bench_sort how) {
    const uint32_t n = run->n;
    EnttPosition *from = bench_sort_input(how, n), *p = RAW_NEW(EnttPosition, n);
    EnttPosition *spare = RAW_NEW(EnttPosition, n);
    run->items = n;
    while (bench_next(run)) {
        memcpy(p, from, n * sizeof *p);
        if (how == BENCH_SORT_ALMOST) disturb(p, n);
        bench_start(run);
        if (how == BENCH_SORT_ALMOST) insertion_sort(p, n);
        else merge_sort(p, spare, n, how == BENCH_SORT_REVERSED);
        bench_stop(run);
        run->sum = 0;
        for (uint32_t i = 0; i < n; ++i)
            run->sum += bench_order_sum(i, p[i].x);
    }
    free(from);
    free(p);
    free(spare);
}

BENCH_WORKLOAD(sort_random) { sort_all(run, BENCH_SORT_RANDOM); }
BENCH_WORKLOAD(entt_sort_single) { sort_all(run, BENCH_SORT_REVERSED); }
BENCH_WORKLOAD(entt_sort_almost_sorted) { sort_all(run, BENCH_SORT_ALMOST); }

// Velocity in the order of the positions' owners.
BENCH_WORKLOAD(entt_sort_multi) {
    const uint32_t n = run->n;
    uint32_t *owner = RAW_NEW(uint32_t, n), *slot = RAW_NEW(uint32_t, n);
    EnttVelocity *v = RAW_NEW(EnttVelocity, n), *sorted = RAW_NEW(EnttVelocity, n);
    run->items = n;
    for (uint32_t i = 0; i < n; ++i) {
        owner[i] = n - 1 - i;
        slot[i] = i;
        v[i] = (EnttVelocity){ i, 0 };
    }
    while (bench_next(run)) {
        bench_start(run);
        for (uint32_t i = 0; i < n; ++i)
            sorted[i] = v[slot[owner[i]]];
        BENCH_OBSERVE(sorted);
        bench_stop(run);
        run->sum = 0;
        for (uint32_t i = 0; i < n; ++i)
            run->sum += bench_order_sum(i, sorted[i].x);
    }
    free(owner);
    free(slot);
    free(v);
    free(sorted);
}
