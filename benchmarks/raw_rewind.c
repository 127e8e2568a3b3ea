// SPDX-License-Identifier: MIT
// Raw version of going back in time: memcpy of the values, into memory that was touched.
#include "raw.h"

#include <string.h>

BENCH_WORKLOAD(snapshot_take) {
    const size_t bytes = (size_t)run->n * 80;
    char *from = bench_touched(bytes), *to = bench_touched(bytes);
    run->items = run->n;
    while (bench_next(run)) {
        from[run->n] = to[run->n / 2];
        bench_start(run);
        memcpy(to, from, bytes);
        bench_stop(run);
        run->sum = run->n;
    }
    free(from);
    free(to);
}

// Eight frames that are written and copied whole, in turn.
BENCH_WORKLOAD(ring_all) {
    enum { FRAMES = 8, SIZE = 80 };
    const size_t bytes = (size_t)run->n * SIZE;
    char *world = bench_touched(bytes), *ring = bench_touched(bytes * FRAMES);
    run->items = 1;
    uint32_t frame = 0;
    while (bench_next(run)) {
        bench_start(run);
        for (size_t i = 0; i < bytes; i += SIZE)
            ++world[i];
        memcpy(ring + frame++ % FRAMES * bytes, world, bytes);
        bench_stop(run);
        run->sum = run->n;
    }
    free(world);
    free(ring);
}

// A hash of arrays of the same 20 bytes an entity, one multiplication for each 4 bytes.
BENCH_WORKLOAD(hash_all) {
    const size_t count = (size_t)run->n * 5;
    uint32_t *values = bench_touched(count * sizeof *values);
    run->items = run->n;
    while (bench_next(run)) {
        ++values[run->n];
        bench_start(run);
        uint64_t hash = 0xCBF29CE484222325u;
        for (size_t i = 0; i < count; ++i)
            hash = (hash ^ values[i]) * 0x100000001B3u;
        bench_stop(run);
        run->sum = run->n + (hash == 0);
    }
    free(values);
}
