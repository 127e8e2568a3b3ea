// SPDX-License-Identifier: MIT
// Keel versions: creating, destroying, adding, removing, looking up, memory, hierarchy.
#include "kernel.h"

#include <math.h>

// ---- create ----
BENCH_SHARED void create_empty(bench_run *run, bool cold) {
    const uint32_t n = run->n;
    keel_entity *e = bench_handles(n);
    run->items = n;
    while (bench_next(run)) {
        keel_world *world = bench_world();
        if (cold) bench_give_back();
        bench_start(run);
        for (uint32_t i = 0; i < n; ++i)
            e[i] = keel_add_entity(world);
        bench_stop(run);
        run->sum = keel_entity_count(world);
        bench_end(run, world);
    }
    free(e);
}

BENCH_WORKLOAD(create_empty) { create_empty(run, false); }
BENCH_WORKLOAD(create_empty_cold) { create_empty(run, true); }

BENCH_WORKLOAD(create_empty_bulk) {
    const uint32_t n = run->n;
    keel_entity *e = bench_handles(n);
    run->items = n;
    while (bench_next(run)) {
        keel_world *world = bench_world();
        bench_start(run);
        keel_add_entities(world, n, e);
        bench_stop(run);
        run->sum = keel_entity_count(world);
        bench_end(run, world);
    }
    free(e);
}

static keel_world *world_of_2(void) {
    keel_world *world = bench_world();
    bench_expect(keel_register(world, Position, Velocity));
    BENCH_MAKE_GROUP(world, NULL, KEEL_OF(Position), KEEL_OF(Velocity));
    return world;
}

typedef enum call { TYPED, POINTER } call;

BENCH_SHARED keel_entity create_one(keel_world *world, uint32_t i, call how) {
    const Position p = bench_position(i);
    const Velocity v = bench_velocity(i);
    if (how == TYPED) return keel_add_entity(world, KEEL_INIT(Position, p), KEEL_INIT(Velocity, v));
    const keel_value values[] = { { KEEL_OF(Position), &p }, { KEEL_OF(Velocity), &v }, { 0 } };
    return keel_add_entity_values(world, values);
}

BENCH_SHARED void create_2(bench_run *run, call how, bool cold) {
    const uint32_t n = run->n;
    keel_entity *e = bench_handles(n);
    run->items = n;
    while (bench_next(run)) {
        keel_world *world = world_of_2();
        if (cold) bench_give_back();
        bench_start(run);
        for (uint32_t i = 0; i < n; ++i)
            e[i] = create_one(world, i, how);
        bench_stop(run);
        run->sum = bench_sum_both(world);
        bench_end(run, world);
    }
    free(e);
}

BENCH_WORKLOAD(create_2) { create_2(run, TYPED, false); }
BENCH_WORKLOAD(create_2_pointer) { create_2(run, POINTER, false); }
BENCH_WORKLOAD(create_2_cold) { create_2(run, TYPED, true); }

BENCH_SHARED void create_2_bulk(bench_run *run, bool cold) {
    const uint32_t n = run->n;
    keel_entity *e = bench_handles(n);
    bench_source from = bench_new_source(n);
    run->items = n;
    while (bench_next(run)) {
        keel_world *world = world_of_2();
        if (cold) bench_give_back();
        bench_start(run);
        keel_add_entities(world, n, e, KEEL_COLUMN(Position, from.p),
                          KEEL_COLUMN(Velocity, from.v));
        bench_stop(run);
        run->sum = bench_sum_both(world);
        bench_end(run, world);
    }
    bench_free_source(&from);
    free(e);
}

BENCH_WORKLOAD(create_2_bulk) { create_2_bulk(run, false); }
BENCH_WORKLOAD(create_2_bulk_cold) { create_2_bulk(run, true); }

static void note_shorter(double *best, double ns) {
    if (ns < *best) *best = ns;
}

// An interruption by the machine hits another call each pass, growth always the same one.
BENCH_WORKLOAD(create_2_worst) {
    const uint32_t n = run->n;
    double *best = bench_new(n * sizeof *best);
    run->items = 1;
    while (bench_next(run)) {
        for (uint32_t i = 0; i < n; ++i)
            best[i] = HUGE_VAL;
        for (int pass = 0; pass < BENCH_WORST_PASSES; ++pass) {
            keel_world *world = world_of_2();
            for (uint32_t i = 0; i < n; ++i) {
                const double started = bench_now();
                create_one(world, i, TYPED);
                note_shorter(&best[i], bench_now() - started);
            }
            run->sum = bench_sum_both(world);
            bench_end(run, world);
        }
        run->ns = bench_worst(best, n);
    }
    free(best);
}

// ---- memory: what a world with n entities makes resident ----
BENCH_SHARED void memory_2(bench_run *run, bool bulk) {
    const uint32_t n = run->n;
    keel_entity *e = bench_handles(n);
    bench_source from = bench_new_source(n);
    run->items = n;
    while (bench_next(run)) {
        bench_give_back();
        const double before = bench_resident();
        keel_world *world = world_of_2();
        bench_start(run);
        if (bulk)
            keel_add_entities(world, n, e, KEEL_COLUMN(Position, from.p),
                              KEEL_COLUMN(Velocity, from.v));
        else
            for (uint32_t i = 0; i < n; ++i)
                e[i] = create_one(world, i, TYPED);
        bench_stop(run);
        run->bytes = bench_resident() - before;
        run->sum = bench_sum_both(world);
        bench_end(run, world);
    }
    bench_free_source(&from);
    free(e);
}

BENCH_WORKLOAD(memory_2) { memory_2(run, false); }
BENCH_WORKLOAD(memory_2_bulk) { memory_2(run, true); }

// Bytes of the world, not of the process, for each owner of one component: every `step`th entity.
BENCH_SHARED void memory_of(bench_run *run, const keel_component *component, uint32_t step) {
    const uint32_t n = run->n, owners = n / step;
    keel_entity *e = bench_handles(n);
    run->items = owners;
    while (bench_next(run)) {
        keel_world *world = bench_world();
        bench_expect(keel_add_entities(world, n, e));
        bench_expect(keel_register_component(world, component) ? KEEL_OK : KEEL_ERROR_MEMORY);
        const size_t before = keel_world_statistics(world).memory.total;
        bench_start(run);
        for (uint32_t i = 0; i < n; i += step)
            bench_expect(keel_add_component(world, e[i], component, NULL));
        bench_stop(run);
        run->bytes = (double)(keel_world_statistics(world).memory.total - before);
        run->sum = (long long)keel_component_count(world, component) - owners;
        bench_end(run, world);
    }
    free(e);
}

BENCH_WORKLOAD(memory_8_all) { memory_of(run, KEEL_OF(Position), 1); }
BENCH_WORKLOAD(memory_8_10pct) { memory_of(run, KEEL_OF(Position), 10); }
BENCH_WORKLOAD(memory_8_1pct) { memory_of(run, KEEL_OF(Position), 100); }
BENCH_WORKLOAD(memory_64_all) { memory_of(run, KEEL_OF(Transform), 1); }
BENCH_WORKLOAD(memory_64_10pct) { memory_of(run, KEEL_OF(Transform), 10); }
BENCH_WORKLOAD(memory_64_1pct) { memory_of(run, KEEL_OF(Transform), 100); }

// ---- destroy ----
// Further component types that the world knows and one other entity has.
static void add_types(keel_world *world, uint32_t count) {
    if (!count) return;
    const keel_entity other = keel_add_entity(world);
    for (uint32_t k = 0; k < count; ++k) {
        char name[16];
        snprintf(name, sizeof name, "Other%u", k);
        const keel_component c = { .name = name, .size = 8, .align = 8, .storage = BENCH_STORAGE };
        const keel_component *known = keel_register_component(world, &c);
        bench_expect(known ? KEEL_OK : keel_last_error(world)->result);
        bench_expect(keel_add_component(world, other, known, NULL));
    }
}

BENCH_SHARED void destroy_2(bench_run *run, uint32_t types) {
    const uint32_t n = run->n;
    keel_entity *e = bench_handles(n);
    run->items = n;
    while (bench_next(run)) {
        keel_world *world = world_of_2();
        add_types(world, types - 2);
        const uint32_t others = keel_entity_count(world);
        for (uint32_t i = 0; i < n; ++i)
            e[i] = create_one(world, i, TYPED);
        bench_start(run);
        for (uint32_t i = 0; i < n; ++i)
            keel_delete_entity(world, e[i]);
        bench_stop(run);
        run->sum = keel_entity_count(world) - others;
        bench_end(run, world);
    }
    free(e);
}

BENCH_WORKLOAD(destroy_2) { destroy_2(run, 2); }
BENCH_WORKLOAD(destroy_2_64types) { destroy_2(run, 64); }
BENCH_WORKLOAD(destroy_2_500types) { destroy_2(run, 500); }

// ---- add, remove ----
typedef enum half { ADD, REMOVE } half;

BENCH_SHARED void add_one(keel_world *world, keel_entity e, uint32_t i, call how) {
    const Velocity v = bench_velocity(i);
    if (how == TYPED) keel_add(world, e, Velocity, v);
    else keel_add_component(world, e, KEEL_OF(Velocity), &v);
}

BENCH_SHARED void add_and_remove(bench_run *run, half timed, call how) {
    const uint32_t n = run->n;
    keel_entity *e = bench_handles(n);
    keel_world *world = world_of_2();
    bench_populate(world, e, n, 1);
    run->items = n;
    while (bench_next(run)) {
        bench_start(run);
        for (uint32_t i = 0; i < n; ++i)
            add_one(world, e[i], i, how);
        if (timed == ADD) bench_stop(run);
        run->sum = bench_sum_velocities(world);
        bench_start(run);
        for (uint32_t i = 0; i < n; ++i)
            keel_remove(world, e[i], Velocity);
        if (timed == REMOVE) bench_stop(run);
        run->sum += keel_count(world, Velocity);
    }
    bench_end(run, world);
    free(e);
}

BENCH_WORKLOAD(add_1) { add_and_remove(run, ADD, TYPED); }
BENCH_WORKLOAD(add_1_pointer) { add_and_remove(run, ADD, POINTER); }
BENCH_WORKLOAD(remove_1) { add_and_remove(run, REMOVE, TYPED); }

BENCH_WORKLOAD(add_1_worst) {
    const uint32_t n = run->n;
    keel_entity *e = bench_handles(n);
    double *best = bench_new(n * sizeof *best);
    run->items = 1;
    while (bench_next(run)) {
        for (uint32_t i = 0; i < n; ++i)
            best[i] = HUGE_VAL;
        for (int pass = 0; pass < BENCH_WORST_PASSES; ++pass) {
            keel_world *world = world_of_2();
            bench_populate(world, e, n, 1);
            for (uint32_t i = 0; i < n; ++i) {
                const double started = bench_now();
                add_one(world, e[i], i, TYPED);
                note_shorter(&best[i], bench_now() - started);
            }
            run->sum = bench_sum_velocities(world);
            bench_end(run, world);
        }
        run->ns = bench_worst(best, n);
    }
    free(best);
    free(e);
}

// ---- look up ----
typedef long long sum_fn(const keel_world *world, keel_lookup column, const keel_entity *e,
                         uint32_t n);

static __attribute__((noinline)) long long
sum_by_column(const keel_world *world, keel_lookup column, const keel_entity *e, uint32_t n) {
    (void)world;
    long long sum = 0;
    for (uint32_t i = 0; i < n; ++i) {
        const Position *p = keel_lookup_get(&column, e[i], Position);
        if (p) sum += (int)p->x;
    }
    return sum;
}

static __attribute__((noinline)) long long sum_checked(const keel_world *world, keel_lookup column,
                                                       const keel_entity *e, uint32_t n) {
    (void)column;
    long long sum = 0;
    for (uint32_t i = 0; i < n; ++i) {
        const Position *p = keel_get(world, e[i], Position);
        if (p) sum += (int)p->x;
    }
    return sum;
}

BENCH_SHARED void get_random(bench_run *run, sum_fn *sum_of) {
    const uint32_t n = run->n, passes = bench_get_passes(n);
    uint32_t *order = bench_shuffled(n);
    keel_entity *e = bench_handles(n), *shuffled = bench_handles(n);
    keel_world *world = bench_world();
    bench_populate(world, e, n, 1);
    for (uint32_t i = 0; i < n; ++i)
        shuffled[i] = e[order[i]];
    run->items = (double)n * passes;
    while (bench_next(run)) {
        long long sum = 0;
        const keel_lookup column = keel_lookup_of(world, Position);
        bench_start(run);
        for (uint32_t k = 0; k < passes; ++k) {
            sum += sum_of(world, column, shuffled, n);
            BENCH_BARRIER();
        }
        bench_stop(run);
        run->sum = sum / passes;
    }
    bench_end(run, world);
    free(order);
    free(e);
    free(shuffled);
}

BENCH_WORKLOAD(get_random) { get_random(run, sum_by_column); }
BENCH_WORKLOAD(get_random_checked) { get_random(run, sum_checked); }

// ---- hierarchy ----
typedef enum stage { ATTACH, TRAVERSE, DESTROY } stage;

BENCH_SHARED void hierarchy(bench_run *run, stage timed) {
    const uint32_t n = run->n;
    keel_entity *e = bench_handles(n);
    keel_world *world = bench_world();
    run->items = timed == DESTROY ? n : n - BENCH_ROOTS;
    while (bench_next(run)) {
        bench_populate(world, e, n, 1);
        bench_start(run);
        for (uint32_t i = BENCH_ROOTS; i < n; ++i)
            keel_attach(world, e[i], e[bench_parent(i)]);
        if (timed == ATTACH) bench_stop(run);

        long long sum = 0;
        bench_start(run);
        const keel_lookup positions = keel_lookup_of(world, Position);
        for (uint32_t k = 0; k < BENCH_ROOTS; ++k) {
            KEEL_EACH_DESCENDANT(world, e[k], descendant) {
                const Position *p = keel_lookup_get(&positions, descendant, Position);
                if (p) sum += (int)p->x;
            }
        }
        if (timed == TRAVERSE) bench_stop(run);

        bench_start(run);
        for (uint32_t k = 0; k < BENCH_ROOTS; ++k)
            keel_delete_tree(world, e[k]);
        if (timed == DESTROY) bench_stop(run);
        run->sum = sum + keel_entity_count(world);
    }
    bench_end(run, world);
    free(e);
}

BENCH_WORKLOAD(hier_attach) { hierarchy(run, ATTACH); }
BENCH_WORKLOAD(hier_traverse) { hierarchy(run, TRAVERSE); }
BENCH_WORKLOAD(hier_destroy) { hierarchy(run, DESTROY); }
