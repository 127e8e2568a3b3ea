// SPDX-License-Identifier: MIT
// Keel versions of saving and loading: keel_save_to and keel_load_from, to memory and back.
#include "kernel.h"

#include "save_data.h"

#include <keel_save.h>
#include <string.h>

typedef struct SavedPosition {
    float x, y;
} SavedPosition;
KEEL_FIELDS(SavedPosition, x, y);
KEEL_COMPONENT(SavedPosition, KEEL_HAS_FIELDS(SavedPosition), .storage = BENCH_STORAGE);
typedef struct SavedVelocity {
    float x, y;
} SavedVelocity;
KEEL_FIELDS(SavedVelocity, x, y);
KEEL_COMPONENT(SavedVelocity, KEEL_HAS_FIELDS(SavedVelocity), .storage = BENCH_STORAGE);
typedef struct SavedTransform {
    float m[16];
} SavedTransform;
KEEL_FIELDS(SavedTransform, m);
KEEL_COMPONENT(SavedTransform, KEEL_HAS_FIELDS(SavedTransform), .storage = BENCH_STORAGE);
KEEL_FIELDS(SavedHealth, points, most);
KEEL_COMPONENT(SavedHealth, KEEL_HAS_FIELDS(SavedHealth), .storage = BENCH_STORAGE);
typedef struct SavedReference {
    keel_entity to;
} SavedReference;
KEEL_FIELDS(SavedReference, to);
KEEL_COMPONENT(SavedReference, KEEL_HAS_FIELDS(SavedReference), .storage = BENCH_STORAGE);

typedef struct buffer {
    char *bytes;
    size_t size;
} buffer;

static bool keep(void *context, const void *bytes, size_t size) {
    buffer *b = context;
    if (size) memcpy(b->bytes + b->size, bytes, size);
    b->size += size;
    return true;
}

static keel_world *filled(uint32_t n) {
    keel_world *world = bench_world();
    save_data data;
    bench_save_data(&data, n);
    keel_entity *all = bench_handles(n);
    SavedReference *to = bench_new(n * sizeof *to);
    bench_expect(keel_add_entities(
        world, n, all, KEEL_COLUMN(SavedPosition, (SavedPosition *)(void *)data.position),
        KEEL_COLUMN(SavedVelocity, (SavedVelocity *)(void *)data.velocity),
        KEEL_COLUMN(SavedTransform, (SavedTransform *)(void *)data.transform),
        KEEL_COLUMN(SavedHealth, data.health)));
    for (uint32_t i = 0; i < n; ++i)
        to[i].to = data.target[i].index < n ? all[data.target[i].index] : keel_null();
    bench_expect(
        keel_add_component_to_many(world, all, n, KEEL_OF(SavedReference), to, sizeof *to));
    free(to);
    free(all);
    bench_save_data_free(&data);
    return world;
}

typedef enum stage { SAVE, LOAD, SIZE } stage;

static void save_world(bench_run *run, stage timed) {
    keel_world *world = filled(run->n);
    buffer to = { bench_touched((size_t)run->n * SAVE_BYTES * 2), 0 };
    const keel_save_sink sink = { keep, &to };
    bench_expect(keel_save_to(world, sink, NULL));
    run->items = run->n;
    while (bench_next(run)) {
        keel_world *other = timed == LOAD ? bench_world() : NULL;
        if (other)
            bench_expect(keel_register(other, SavedPosition, SavedVelocity, SavedTransform,
                                       SavedHealth, SavedReference));
        bench_start(run);
        if (timed == LOAD) bench_expect(keel_load_from(other, to.bytes, to.size, NULL));
        else to.size = 0, bench_expect(keel_save_to(world, sink, NULL));
        bench_stop(run);
        if (timed == SIZE) run->bytes = (double)to.size;
        keel_world_destroy(other);
        run->sum = run->n;
    }
    free(to.bytes);
    bench_end(run, world);
}

// What an autosave adds to a frame, in which all moved and one of a hundred was hurt: the take,
// which another thread saves.
BENCH_WORKLOAD(autosave) {
    const uint32_t n = run->n;
    keel_world *world = filled(n);
    uint32_t *order = bench_shuffled(n);
    keel_snapshot *snapshot = keel_snapshot_create(world, "autosave");
    if (!snapshot) bench_expect(KEEL_ERROR_MEMORY);
    bench_expect(keel_snapshot_reserve(snapshot));
    bench_expect(keel_snapshot_take(snapshot));
    run->items = 1;
    while (bench_next(run)) {
        KEEL_EACH(world, KEEL_WRITE(SavedPosition, p), KEEL_READ(SavedVelocity, v),
                  KEEL_WRITE(SavedTransform, t)) {
            t->m[12] = p->x += v->x;
            t->m[13] = p->y += v->y;
        }
        for (uint32_t i = 0; i < n / 100; ++i)
            --keel_get_mut(world, keel_entity_at(world, order[i]), SavedHealth)->points;
        (void)keel_tick(world); // as each system that is run does
        bench_start(run);
        bench_expect(keel_snapshot_take(snapshot));
        bench_stop(run);
        run->sum = n;
    }
    free(order);
    keel_snapshot_destroy(snapshot);
    bench_end(run, world);
}

BENCH_WORKLOAD(save_mixed) { save_world(run, SAVE); }
BENCH_WORKLOAD(load_mixed) { save_world(run, LOAD); }
BENCH_WORKLOAD(save_mixed_size) { save_world(run, SIZE); }
BENCH_WORKLOAD(save_mixed_memcpy) { save_world(run, SAVE); }
