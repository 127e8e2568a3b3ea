// SPDX-License-Identifier: MIT
// Raw versions: a list of what changed, and a function that is called for each value that comes.
#include "raw.h"

typedef enum part { MARK, ITERATE } part;

BENCH_SHARED void change(bench_run *run, part timed) {
    const uint32_t n = run->n, changing = n / 100;
    uint32_t *order = bench_shuffled(n);
    Position *values = RAW_NEW(Position, n);
    bool *is_changed = RAW_NEW(bool, n);
    uint32_t *list = bench_touched(n * sizeof *list);
    for (uint32_t i = 0; i < n; ++i) {
        values[i] = (Position){ 1, 1 };
        is_changed[i] = false;
    }
    run->items = changing;
    while (bench_next(run)) {
        uint32_t count = 0;
        long long visited = 0;
        if (timed == MARK) bench_start(run);
        for (uint32_t i = 0; i < changing; ++i) {
            values[order[i]].x += 1;
            if (!is_changed[order[i]]) list[count++] = order[i];
            is_changed[order[i]] = true;
        }
        BENCH_OBSERVE(list);
        if (timed == MARK) bench_stop(run);
        if (timed == ITERATE) bench_start(run);
        for (uint32_t i = 0; i < count; ++i) {
            visited += (long long)values[list[i]].x;
            is_changed[list[i]] = false;
        }
        BENCH_OBSERVE(is_changed);
        if (timed == ITERATE) bench_stop(run);
        run->sum = visited;
    }
    free(order);
    free(values);
    free(is_changed);
    free(list);
}

BENCH_WORKLOAD(change_mark) { change(run, MARK); }
BENCH_WORKLOAD(change_iter) { change(run, ITERATE); }

BENCH_WORKLOAD(change_none) {
    volatile uint32_t count = 0;
    run->items = 1000;
    while (bench_next(run)) {
        long long visited = 0;
        bench_start(run);
        for (uint32_t i = 0; i < 1000; ++i)
            visited += count;
        bench_stop(run);
        run->sum = visited;
    }
}

static __attribute__((noinline)) void count_event(long long *events) {
    ++*events;
    BENCH_OBSERVE(events);
}

BENCH_WORKLOAD(observer_add) {
    const uint32_t n = run->n;
    run->items = n;
    while (bench_next(run)) {
        Velocity *values = NULL;
        uint32_t count = 0, capacity = 0;
        long long events = 0;
        bench_start(run);
        for (uint32_t i = 0; i < n; ++i) {
            RAW_PUSH(values, count, capacity, ((Velocity){ 1, 1 }));
            BENCH_OBSERVE(values);
            count_event(&events);
        }
        bench_stop(run);
        run->sum = events;
        free(values);
    }
}
