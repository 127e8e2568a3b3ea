// SPDX-License-Identifier: MIT
// Raw versions of saving and loading: zstd level 1 over the columns as they are, in pieces of 256
// KiB, to memory and back.
#include "raw.h"

#include "save_data.h"

#include <math.h>
#include <zstd.h>

static uint32_t random_of(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

void bench_save_data(save_data *data, uint32_t n) {
    uint64_t seed = 1;
    *data = (save_data){ .position = bench_new(n * sizeof(Position)),
                         .velocity = bench_new(n * sizeof(Velocity)),
                         .transform = bench_new(n * sizeof(Transform)),
                         .health = bench_new(n * sizeof(SavedHealth)),
                         .target = bench_new(n * sizeof(SavedTarget)) };
    for (uint32_t i = 0; i < n; ++i) {
        const float way = (float)i * 0.00731F, radius = 300 + 3 * (float)(i / 1000 % 50);
        const float angle = (float)random_of(&seed) * 1e-8F, to = (float)random_of(&seed) * 1e-8F;
        const bool rests = random_of(&seed) % 10 < 3, is_well = random_of(&seed) % 4;
        const Position p = { 512 + radius * cosf(way), 512 + radius * sinf(way) };
        const Velocity moving = { 3 * cosf(to), 3 * sinf(to) }, none = { 0, 0 };
        const float c = cosf(angle), s = sinf(angle);
        const Transform m = { { c, s, 0, 0, -s, c, 0, 0, 0, 0, 1, 0, p.x, p.y, 0, 1 } };
        const SavedTarget target = { i > 100 ? i - random_of(&seed) % 100 : i, 0 };
        const SavedTarget nobody = { UINT32_MAX, UINT32_MAX };
        data->position[i] = p;
        data->velocity[i] = rests ? none : moving;
        data->transform[i] = m;
        data->health[i] = (SavedHealth){ is_well ? 100 : (int)(random_of(&seed) % 100), 100 };
        data->target[i] = i % 8 ? target : nobody;
    }
    const void *columns[] = { data->position, data->velocity, data->transform, data->health,
                              data->target };
    const size_t size[] = { 8, 8, 64, 8, 8 };
    memcpy(data->columns, columns, sizeof columns);
    memcpy(data->size, size, sizeof size);
}

void bench_save_data_free(save_data *data) {
    free(data->position);
    free(data->velocity);
    free(data->transform);
    free(data->health);
    free(data->target);
}

typedef struct packed {
    char *bytes;
    size_t size, count;
    size_t piece[4096];
} packed;

static void pack(packed *to, ZSTD_CCtx *zstd, const save_data *data, uint32_t n) {
    to->size = to->count = 0;
    for (uint32_t c = 0; c < SAVE_COLUMNS; ++c) {
        const size_t all = data->size[c] * n;
        for (size_t at = 0; at < all; at += SAVE_PIECE) {
            const size_t size = all - at < SAVE_PIECE ? all - at : SAVE_PIECE;
            const size_t done = ZSTD_compressCCtx(zstd, to->bytes + to->size, size + SAVE_PIECE,
                                                  (const char *)data->columns[c] + at, size, 1);
            to->piece[to->count++] = done;
            to->size += done;
        }
    }
}

static void save_all(bench_run *run, bool loads) {
    const size_t bytes = (size_t)run->n * SAVE_BYTES;
    save_data data;
    bench_save_data(&data, run->n);
    packed *to = bench_new(sizeof *to);
    to->bytes = bench_touched(bytes + 2 * SAVE_PIECE);
    char *out = bench_touched(bytes);
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    ZSTD_DCtx *unpack = ZSTD_createDCtx();
    pack(to, zstd, &data, run->n);
    run->items = run->n;
    while (bench_next(run)) {
        bench_start(run);
        if (!loads) pack(to, zstd, &data, run->n);
        size_t from = 0, done = 0;
        for (size_t i = 0; loads && i < to->count; from += to->piece[i++])
            done += ZSTD_decompressDCtx(unpack, out + done, bytes - done, to->bytes + from,
                                        to->piece[i]);
        bench_stop(run);
        run->sum = run->n;
    }
    ZSTD_freeCCtx(zstd);
    ZSTD_freeDCtx(unpack);
    free(out);
    free(to->bytes);
    free(to);
    bench_save_data_free(&data);
}

BENCH_WORKLOAD(save_mixed) { save_all(run, false); }
BENCH_WORKLOAD(load_mixed) { save_all(run, true); }

// How much the same is, in bytes.
BENCH_WORKLOAD(save_mixed_size) {
    save_data data;
    bench_save_data(&data, run->n);
    packed *to = bench_new(sizeof *to);
    to->bytes = bench_new((size_t)run->n * SAVE_BYTES + 2 * SAVE_PIECE);
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    run->items = run->n;
    while (bench_next(run)) {
        pack(to, zstd, &data, run->n);
        run->bytes = (double)to->size;
        run->sum = run->n;
    }
    ZSTD_freeCCtx(zstd);
    free(to->bytes);
    free(to);
    bench_save_data_free(&data);
}

// The columns that a frame writes, copied.
BENCH_WORKLOAD(autosave) {
    save_data data;
    bench_save_data(&data, run->n);
    char *to = bench_touched((size_t)run->n * SAVE_BYTES);
    run->items = 1;
    while (bench_next(run)) {
        data.position[0].x += 1;
        bench_start(run);
        const size_t positions = run->n * sizeof *data.position;
        memcpy(to, data.position, positions);
        memcpy(to + positions, data.transform, run->n * sizeof *data.transform);
        bench_stop(run);
        BENCH_OBSERVE(to);
        run->sum = run->n;
    }
    free(to);
    bench_save_data_free(&data);
}

// Copied, not packed.
BENCH_WORKLOAD(save_mixed_memcpy) {
    save_data data;
    bench_save_data(&data, run->n);
    char *to = bench_touched((size_t)run->n * SAVE_BYTES);
    run->items = run->n;
    while (bench_next(run)) {
        bench_start(run);
        size_t at = 0;
        for (uint32_t c = 0; c < SAVE_COLUMNS; at += data.size[c++] * run->n)
            memcpy(to + at, data.columns[c], data.size[c] * run->n);
        bench_stop(run);
        BENCH_OBSERVE(to);
        run->sum = run->n;
    }
    free(to);
    bench_save_data_free(&data);
}
