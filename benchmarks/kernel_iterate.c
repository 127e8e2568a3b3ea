// SPDX-License-Identifier: MIT
// Keel versions: loops over entities, frames.
#include "kernel.h"

#include <math.h>

// Tags in the storage that is measured.
#define BENCH_TAG(T)                                                                               \
    typedef struct T T;                                                                            \
    static uint32_t T##_slot;                                                                      \
    static const keel_component KEEL_COMPONENT_##T = { .type = #T,                                 \
                                                       .storage = BENCH_STORAGE,                   \
                                                       .file = __FILE__,                           \
                                                       .line = __LINE__,                           \
                                                       .slot = &T##_slot }
BENCH_TAG(Frozen);

// ---- all, half, 1 %, 0.01 % of the entities ----
BENCH_SYSTEM(pass_1, KEEL_WRITE(Position, p)) { p->x += 1.0f; }

BENCH_SYSTEM(pass_2, KEEL_WRITE(Position, p), KEEL_READ(Velocity, v)) {
    p->x += v->x;
    p->y += v->y;
}

BENCH_SYSTEM(pass_3, KEEL_WRITE(Position, p), KEEL_WRITE(Velocity, v), KEEL_READ(Acceleration, a)) {
    v->x += a->x * BENCH_DT;
    v->y += a->y * BENCH_DT;
    p->x += v->x * BENCH_DT;
    p->y += v->y * BENCH_DT;
}

BENCH_SYSTEM(pass_excl, KEEL_WRITE(Position, p), KEEL_READ(Velocity, v), KEEL_WITHOUT(Frozen)) {
    p->x += v->x;
    p->y += v->y;
}

// A world with a group of the first `components`.
static keel_world *world_of(int components) {
    keel_world *world = bench_world();
    if (components == 2) BENCH_MAKE_GROUP(world, NULL, KEEL_OF(Position), KEEL_OF(Velocity));
    if (components == 3)
        BENCH_MAKE_GROUP(world, NULL, KEEL_OF(Position), KEEL_OF(Velocity), KEEL_OF(Acceleration));
    return world;
}

// `passes` runs of a system, each over `matching` entities.
#define TIME_PASSES(system, matching, passes)                                                      \
    do {                                                                                           \
        run->items = (double)(matching) * (passes);                                                \
        while (bench_next(run)) {                                                                  \
            bench_start(run);                                                                      \
            for (uint32_t k_ = 0; k_ < (passes); ++k_)                                             \
                BENCH_RUN(world, system);                                                          \
            bench_stop(run);                                                                       \
        }                                                                                          \
    } while (0)

BENCH_WORKLOAD(iter_1) {
    keel_world *world = world_of(1);
    bench_populate(world, NULL, run->n, 1);
    TIME_PASSES(pass_1, run->n, bench_passes(run->n));
    run->sum = bench_sum_positions(world);
    bench_end(run, world);
}

BENCH_WORKLOAD(iter_3) {
    keel_world *world = world_of(3);
    bench_populate(world, NULL, run->n, 3);
    TIME_PASSES(pass_3, run->n, bench_passes(run->n));
    run->sum = bench_sum_positions(world);
    bench_end(run, world);
}

// All have a position, every `step`th a velocity.
BENCH_SHARED void iterate_2(bench_run *run, uint32_t step) {
    const uint32_t matching = run->n / step;
    keel_entity *e = bench_handles(run->n);
    keel_world *world = world_of(2);
    bench_populate(world, e, run->n, step == 1 ? 2 : 1);
    if (step > 1)
        for (uint32_t i = 0; i < run->n; i += step)
            keel_add(world, e[i], Velocity, bench_velocity(i));
    free(e);
    TIME_PASSES(pass_2, matching, bench_passes(matching));
    run->sum = bench_sum_positions(world);
    bench_end(run, world);
}

BENCH_WORKLOAD(iter_2) { iterate_2(run, 1); }
BENCH_WORKLOAD(iter_2_half) { iterate_2(run, 2); }
BENCH_WORKLOAD(iter_2_sparse1pct) { iterate_2(run, 100); }
BENCH_WORKLOAD(iter_2_sparse1in10k) { iterate_2(run, 10000); }

BENCH_WORKLOAD(iter_excl) {
    const uint32_t matching = run->n / 2;
    keel_world *world = bench_world();
    BENCH_MAKE_GROUP(world, KEEL_OF(Frozen), KEEL_OF(Position), KEEL_OF(Velocity));
    keel_entity *e = bench_handles(run->n);
    bench_populate(world, e, run->n, 2);
    for (uint32_t i = 0; i < run->n; i += 2)
        keel_add(world, e[i], Frozen);
    free(e);
    TIME_PASSES(pass_excl, matching, bench_passes(matching));
    run->sum = bench_sum_positions(world);
    bench_end(run, world);
}

// A sparse set in shuffled order leads; the position is in the storage that is measured.
typedef struct Drift {
    float x, y;
} Drift;
KEEL_COMPONENT(Drift, .storage = KEEL_SPARSE_SET);

BENCH_SYSTEM(pass_shuffled, KEEL_READ(Drift, d), KEEL_WRITE(Position, p)) {
    p->x += d->x;
    p->y += d->y;
}

BENCH_WORKLOAD(iter_2_shuffled) {
    const uint32_t n = run->n;
    uint32_t *order = bench_shuffled(n);
    keel_entity *e = bench_handles(n);
    keel_world *world = bench_world();
    bench_populate(world, e, n, 1);
    for (uint32_t i = 0; i < n; ++i) {
        const Velocity v = bench_velocity(order[i]);
        keel_add(world, e[order[i]], Drift, { v.x, v.y });
    }
    TIME_PASSES(pass_shuffled, n, bench_passes(n));
    run->sum = bench_sum_positions(world);
    bench_end(run, world);
    free(order);
    free(e);
}

BENCH_SYSTEM(pass_simple, KEEL_WRITE(Position3, p), KEEL_READ(Velocity3, v)) {
    p->x += v->x;
    p->y += v->y;
    p->z += v->z;
}

BENCH_WORKLOAD(simple_iter) {
    keel_world *world = bench_world();
    BENCH_MAKE_GROUP(world, NULL, KEEL_OF(Position3), KEEL_OF(Velocity3));
    for (uint32_t i = 0; i < run->n; ++i)
        keel_add_entity(world, KEEL_INIT(Transform, bench_rotation(1.0f)),
                        KEEL_INIT(Position3, { 1, 0, 0 }), KEEL_INIT(Rotation3, { 1, 0, 0 }),
                        KEEL_INIT(Velocity3, { 1, 0, 0 }));
    TIME_PASSES(pass_simple, run->n, bench_passes(run->n));
    double sum = 0;
    KEEL_EACH(world, KEEL_READ(Position3, p)) {
        sum += (double)p->x;
    }
    run->sum = (long long)sum;
    bench_end(run, world);
}

// ---- many small sets ----
// `count` components, made at run time.
static void register_many(keel_world *world, const keel_component **out, uint32_t count,
                          uint32_t size) {
    for (uint32_t k = 0; k < count; ++k) {
        char name[16];
        snprintf(name, sizeof name, "Set%u", k);
        const keel_component c = {
            .name = name, .size = size, .align = size ? 4 : 1, .storage = BENCH_STORAGE
        };
        out[k] = keel_register_component(world, &c);
        bench_expect(out[k] ? KEEL_OK : keel_last_error(world)->result);
    }
}

typedef struct Data {
    float value;
} Data;
KEEL_COMPONENT(Data, .storage = BENCH_STORAGE);

BENCH_SYSTEM(double_data, KEEL_WRITE(Data, data)) { data->value *= 2.0f; }

BENCH_WORKLOAD(frag_iter) {
    const keel_component *sets[BENCH_FRAG_SETS];
    keel_world *world = bench_world();
    register_many(world, sets, BENCH_FRAG_SETS, 4);
    for (uint32_t k = 0; k < BENCH_FRAG_SETS; ++k)
        for (uint32_t i = 0; i < BENCH_FRAG_EACH; ++i)
            bench_expect(keel_add_component(
                world, keel_add_entity(world, KEEL_INIT(Data, { 1.0f })), sets[k], NULL));
    run->items = (double)run->n * BENCH_FRAG_PASSES;
    while (bench_next(run)) {
        KEEL_EACH(world, KEEL_WRITE(Data, data)) {
            data->value = 1.0f;
        }
        bench_start(run);
        for (int pass = 0; pass < BENCH_FRAG_PASSES; ++pass)
            BENCH_RUN(world, double_data);
        bench_stop(run);
    }
    run->sum = 0;
    KEEL_EACH(world, KEEL_READ(Data, data)) {
        run->sum += ilogbf(data->value);
    }
    bench_end(run, world);
}

BENCH_WORKLOAD(frag_many) {
    const keel_component *markers[BENCH_MARKERS];
    keel_world *world = world_of(2);
    register_many(world, markers, BENCH_MARKERS, 0);
    for (uint32_t i = 0; i < run->n; ++i) {
        const keel_entity e = keel_add_entity(world, KEEL_INIT(Position, bench_position(i)),
                                              KEEL_INIT(Velocity, bench_velocity(i)));
        for (uint32_t k = 0; k < BENCH_MARKERS; ++k)
            if (i >> k & 1) bench_expect(keel_add_component(world, e, markers[k], NULL));
    }
    TIME_PASSES(pass_2, run->n, bench_passes(run->n));
    run->sum = bench_sum_positions(world);
    bench_end(run, world);
}

// ---- frames that change sets ----
typedef struct churn {
    keel_world *world;
    keel_entity *shuffled;
    uint32_t n, next;
} churn;

static churn churn_begin(uint32_t n) {
    churn c = { world_of(2), bench_handles(n), n, 0 };
    uint32_t *order = bench_shuffled(n);
    keel_entity *e = bench_handles(n);
    bench_populate(c.world, e, n, 1);
    for (uint32_t i = 0; i < n; i += 2)
        keel_add(c.world, e[i], Velocity, { 1, 1 });
    for (uint32_t i = 0; i < n; ++i)
        c.shuffled[i] = e[order[i]];
    free(e);
    free(order);
    return c;
}

static void churn_end(bench_run *run, churn *c) {
    run->sum = bench_sum_positions(c->world);
    bench_end(run, c->world);
    free(c->shuffled);
}

BENCH_SHARED void churn_frame(churn *c) {
    for (int j = 0; j < BENCH_TOGGLES; ++j) {
        const keel_entity e = c->shuffled[c->next];
        c->next = c->next + 1 == c->n ? 0 : c->next + 1;
        if (keel_remove(c->world, e, Velocity) == KEEL_ABSENT)
            keel_add(c->world, e, Velocity, { 1, 1 });
    }
    BENCH_RUN(c->world, pass_2);
}

BENCH_WORKLOAD(churn_frame) {
    churn c = churn_begin(run->n);
    run->items = BENCH_FRAMES;
    while (bench_next(run)) {
        bench_start(run);
        for (int frame = 0; frame < BENCH_FRAMES; ++frame)
            churn_frame(&c);
        bench_stop(run);
    }
    churn_end(run, &c);
}

BENCH_WORKLOAD(churn_frame_p999) {
    churn c = churn_begin(run->n);
    double *ns = bench_new(BENCH_PERCENTILE_FRAMES * sizeof *ns);
    run->items = 1;
    while (bench_next(run)) {
        for (int frame = 0; frame < BENCH_PERCENTILE_FRAMES; ++frame) {
            const double started = bench_now();
            churn_frame(&c);
            ns[frame] = bench_now() - started;
        }
        run->ns = bench_percentile(ns, BENCH_PERCENTILE_FRAMES, 0.999);
    }
    free(ns);
    churn_end(run, &c);
}
