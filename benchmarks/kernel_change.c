// SPDX-License-Identifier: MIT
// Keel versions: changes that are tracked, and observers.
#include "kernel.h"

typedef struct Tracked {
    float x, y;
} Tracked;
KEEL_COMPONENT(Tracked, .storage = BENCH_STORAGE, .tracking = KEEL_TRACK_MODIFICATION);

static long long visited;

BENCH_SYSTEM(visit_changed, KEEL_READ(Tracked, t), KEEL_MODIFIED(Tracked)) {
    visited += (long long)t->x;
}

static keel_world *world_of_tracked(keel_entity *e, uint32_t n) {
    keel_world *world = bench_world();
    for (uint32_t i = 0; i < n; ++i)
        e[i] = keel_add_entity(world, KEEL_INIT(Tracked, { 1, 1 }));
    bench_expect(BENCH_RUN(world, visit_changed));
    return world;
}

typedef enum part { MARK, ITERATE } part;

// One of 100 is changed each time, and then visited.
BENCH_SHARED void change(bench_run *run, part timed) {
    const uint32_t n = run->n, changing = n / 100;
    uint32_t *order = bench_shuffled(n);
    keel_entity *e = bench_handles(n);
    keel_world *world = world_of_tracked(e, n);
    run->items = changing;
    while (bench_next(run)) {
        visited = 0;
        if (timed == MARK) bench_start(run);
        for (uint32_t i = 0; i < changing; ++i) {
            Tracked *t = keel_get_mut(world, e[order[i]], Tracked);
            if (t) t->x += 1;
        }
        if (timed == MARK) bench_stop(run);
        if (timed == ITERATE) bench_start(run);
        bench_expect(BENCH_RUN(world, visit_changed));
        if (timed == ITERATE) bench_stop(run);
        run->sum = visited;
    }
    bench_end(run, world);
    free(order);
    free(e);
}

BENCH_WORKLOAD(change_mark) { change(run, MARK); }
BENCH_WORKLOAD(change_iter) { change(run, ITERATE); }

// Nothing changed since the last time.
BENCH_WORKLOAD(change_none) {
    const uint32_t n = run->n, times = 1000;
    keel_entity *e = bench_handles(n);
    keel_world *world = world_of_tracked(e, n);
    run->items = times;
    while (bench_next(run)) {
        visited = 0;
        bench_start(run);
        for (uint32_t i = 0; i < times; ++i)
            bench_expect(BENCH_RUN(world, visit_changed));
        bench_stop(run);
        run->sum = visited;
    }
    bench_end(run, world);
    free(e);
}

static void count_event(const keel_change *event, void *data) {
    (void)event;
    ++*(long long *)data;
}

BENCH_WORKLOAD(observer_add) {
    const uint32_t n = run->n;
    keel_entity *e = bench_handles(n);
    keel_world *world = bench_world();
    long long events = 0;
    bench_populate(world, e, n, 1);
    bench_expect(keel_observe(world, Velocity, KEEL_ON_INSERTED, count_event, &events));
    run->items = n;
    while (bench_next(run)) {
        for (uint32_t i = 0; i < n; ++i)
            keel_remove(world, e[i], Velocity);
        events = 0;
        bench_start(run);
        for (uint32_t i = 0; i < n; ++i)
            keel_add(world, e[i], Velocity, { 1, 1 });
        bench_stop(run);
        run->sum = events;
    }
    bench_end(run, world);
    free(e);
}
