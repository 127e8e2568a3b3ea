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

// Four targets for each entity in one array. A frame writes one, and copies those of the 64
// entities beside it into each of eight frames in turn.
BENCH_WORKLOAD(ring_relate) {
    enum { FRAMES = 8, BLOCK = 256 };
    const uint32_t n = run->n;
    uint32_t *world = bench_touched((size_t)n * sizeof *world);
    uint32_t *ring = bench_touched((size_t)n * FRAMES * sizeof *ring);
    run->items = 1;
    uint32_t frame = 0;
    while (bench_next(run)) {
        bench_start(run);
        const uint32_t at = frame * 7919 % n, block = at / BLOCK * BLOCK;
        ++world[at];
        memcpy(ring + (size_t)(frame++ % FRAMES) * n + block, world + block,
               (n - block < BLOCK ? n - block : BLOCK) * sizeof *world);
        bench_stop(run);
        run->sum = n;
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
