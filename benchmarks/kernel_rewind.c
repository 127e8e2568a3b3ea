// SPDX-License-Identifier: MIT
// Keel versions of going back in time: entities of 8 + 8 + 64 bytes.
#include "kernel.h"

typedef struct BenchMatrix {
    float value[16];
} BenchMatrix;
KEEL_COMPONENT(BenchMatrix, .storage = BENCH_STORAGE);

typedef enum stage { TAKE, RESTORE, COPY } stage;

BENCH_SHARED void rewind_world(bench_run *run, stage timed) {
    const uint32_t n = run->n;
    keel_world *world = bench_world();
    for (uint32_t i = 0; i < n; ++i)
        (void)keel_add_entity(world, KEEL_INIT(Position, { (float)i, 0 }),
                              KEEL_INIT(Velocity, { 1, 1 }),
                              KEEL_INIT(BenchMatrix, { { (float)i } }));
    keel_snapshot *snapshot = keel_snapshot_create(world, "bench");
    if (!snapshot) bench_expect(KEEL_ERROR_MEMORY);
    bench_expect(keel_snapshot_reserve(snapshot));
    bench_expect(keel_snapshot_take(snapshot));
    run->items = n;
    while (bench_next(run)) {
        keel_world *other = timed == COPY ? bench_world() : NULL;
        bench_start(run);
        if (timed == TAKE) bench_expect(keel_snapshot_take(snapshot));
        if (timed == RESTORE) bench_expect(keel_snapshot_restore(snapshot));
        if (timed == COPY) bench_expect(keel_copy_world(world, other));
        bench_stop(run);
        keel_world_destroy(other);
        run->sum = keel_count(world, BenchMatrix);
    }
    keel_snapshot_destroy(snapshot);
    bench_end(run, world);
}

BENCH_WORKLOAD(snapshot_take) { rewind_world(run, TAKE); }
BENCH_WORKLOAD(snapshot_restore) { rewind_world(run, RESTORE); }
BENCH_WORKLOAD(snapshot_copy_world) { rewind_world(run, COPY); }
