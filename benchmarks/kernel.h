// SPDX-License-Identifier: MIT
// What the Keel versions share. Every kernel_*.c is compiled once per storage with
//   BENCH_STORAGE  the keel_storage of the components
//   BENCH_SUFFIX   the storage's name in benchmarks and in the names of functions
//   BENCH_GROUP    defined: worlds have a group, see bench_make_group
#pragma once
#include "bench.h"

#include <keel/keel.h>
#include <stdio.h>
#include <stdlib.h>

KEEL_COMPONENT(Position, .storage = BENCH_STORAGE);
KEEL_COMPONENT(Velocity, .storage = BENCH_STORAGE);
KEEL_COMPONENT(Acceleration, .storage = BENCH_STORAGE);
KEEL_COMPONENT(Transform, .storage = BENCH_STORAGE);
KEEL_COMPONENT(Position3, .storage = BENCH_STORAGE);
KEEL_COMPONENT(Rotation3, .storage = BENCH_STORAGE);
KEEL_COMPONENT(Velocity3, .storage = BENCH_STORAGE);
KEEL_COMPONENT(EnttPosition, .storage = BENCH_STORAGE);
KEEL_COMPONENT(EnttVelocity, .storage = BENCH_STORAGE);

// Systems are global objects, and each storage has its own: what KEEL_SYSTEM, keel_run, KEEL_STEP
// and so on are elsewhere, with the storage's suffix on the name.
#define BENCH_SYSTEM(name, ...) KEEL_SYSTEM(BENCH_NAME(name), __VA_ARGS__)
#define BENCH_RUN(world, name) BENCH_RUN_1(world, BENCH_NAME(name))
#define BENCH_RUN_1(world, name) keel_run(world, name)
#define BENCH_RUN_PARALLEL(world, name) BENCH_RUN_PARALLEL_1(world, BENCH_NAME(name))
#define BENCH_RUN_PARALLEL_1(world, name) keel_run_parallel(world, name)
#define BENCH_TABLE(name, ...) BENCH_TABLE_1(BENCH_NAME(name), __VA_ARGS__)
#define BENCH_TABLE_1(name, ...) KEEL_WORKLOAD(name, __VA_ARGS__)
#define BENCH_RUN_WORKLOAD(world, name) BENCH_RUN_WORKLOAD_1(world, BENCH_NAME(name))
#define BENCH_RUN_WORKLOAD_1(world, name) keel_run_workload(world, name)
#define BENCH_STEP(name) KEEL_STEP(BENCH_NAME(name))

#ifdef BENCH_GROUP
// Called when a world is set up, before it has entities: make the group that owns these components
// (the list ends with NULL), without those that have `without` (or NULL).
static inline keel_result bench_make_group(keel_world *world, const keel_component *const *owned,
                                           const keel_component *without) {
    const keel_component *const exclude[] = { without, NULL };
    keel_group *group;
    return keel_group_create_of(
        world, &(keel_group_desc){ .owned = owned, .exclude = without ? exclude : NULL }, &group);
}
#define BENCH_MAKE_GROUP(world, without, ...)                                                      \
    bench_expect(bench_make_group((world), (const keel_component *const[]){ __VA_ARGS__, NULL },   \
                                  (without)))
#else
#define BENCH_MAKE_GROUP(world, without, ...) ((void)0)
#endif

// For set-up, where nothing can go wrong but memory.
static inline void bench_expect(keel_result result) {
    if (result >= 0) return;
    fprintf(stderr, "keel_bench: setting up: %s\n", keel_result_text(result));
    exit(1);
}

static inline keel_world *bench_world_of(uint32_t workers) {
    keel_world *world = keel_world_create(&(keel_world_desc){ .worker_count = workers });
    if (!world) bench_expect(KEEL_ERROR_MEMORY);
    return world;
}
static inline keel_world *bench_world(void) { return bench_world_of(0); }

// Whatever went wrong in the workload is told, and is the benchmark's error.
static inline void bench_end(bench_run *run, keel_world *world) {
    const keel_error *error = keel_last_error(world);
    if (error->result != KEEL_OK) snprintf(run->error, sizeof run->error, "%s", error->message);
    keel_world_destroy(world);
}

static inline keel_entity *bench_handles(uint32_t n) {
    return bench_touched(n * sizeof(keel_entity));
}

// Where bulk edits take their values from.
typedef struct bench_source {
    Position *p;
    Velocity *v;
    Acceleration *a;
} bench_source;

static inline bench_source bench_new_source(uint32_t n) {
    const bench_source from = { bench_new(n * sizeof(Position)), bench_new(n * sizeof(Velocity)),
                                bench_new(n * sizeof(Acceleration)) };
    for (uint32_t i = 0; i < n; ++i) {
        from.p[i] = bench_position(i);
        from.v[i] = bench_velocity(i);
        from.a[i] = bench_acceleration(i);
    }
    return from;
}

static inline void bench_free_source(bench_source *from) {
    free(from->p);
    free(from->v);
    free(from->a);
}

// Set-up: `n` entities with the first `components` of Position, Velocity and Acceleration.
static inline void bench_populate(keel_world *world, keel_entity *e, uint32_t n, int components) {
    bench_source from = bench_new_source(n);
    const keel_value_column end = { NULL, NULL, 0 };
    keel_value_column columns[] = { KEEL_COLUMN(Position, from.p), KEEL_COLUMN(Velocity, from.v),
                                    KEEL_COLUMN(Acceleration, from.a), end };
    columns[components] = end;
    bench_expect(keel_add_entity_columns(world, n, e, columns));
    bench_free_source(&from);
}

// One by one, from the lowest index up, whatever order they were made in: what is free then is
// handed out from the highest index down.
static inline void bench_delete_ascending(keel_world *world) {
    keel_entity e = keel_null();
    while (!keel_is_null(e = keel_next_entity(world, e)))
        bench_expect(keel_delete_entity(world, e));
}

static inline long long bench_sum_positions(keel_world *world) {
    long long sum = 0;
    KEEL_EACH(world, KEEL_READ(Position, p)) {
        sum += bench_sum_of(p->x, p->y);
    }
    return sum;
}

static inline long long bench_sum_velocities(keel_world *world) {
    long long sum = 0;
    KEEL_EACH(world, KEEL_READ(Velocity, v)) {
        sum += bench_sum_of(v->x, v->y);
    }
    return sum;
}

static inline long long bench_sum_both(keel_world *world) {
    return bench_sum_positions(world) + bench_sum_velocities(world);
}
