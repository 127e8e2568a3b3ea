// SPDX-License-Identifier: MIT
// Keel versions: a small game (game.h). Also compiled with BENCH_ADVISED: each component in the
// storage that docs/understand/storages.md recommends for it.
#include "kernel.h"

#include "game.h"

#ifdef BENCH_ADVISED
#define HERO_STORAGE KEEL_ARCHETYPE // looped over together, in a mixed population
#else
#define HERO_STORAGE BENCH_STORAGE
#endif
KEEL_COMPONENT(Data, .storage = BENCH_STORAGE);
KEEL_COMPONENT(Player, .storage = HERO_STORAGE);
KEEL_COMPONENT(Health, .storage = HERO_STORAGE);
KEEL_COMPONENT(Damage, .storage = HERO_STORAGE);
KEEL_COMPONENT(Sprite, .storage = HERO_STORAGE);
KEEL_UNIQUE(Screen);

// ---- systems ----
BENCH_SYSTEM(move, KEEL_WRITE(Position, p), KEEL_READ(Velocity, v)) { game_move(p, v); }
BENCH_SYSTEM(data, KEEL_WRITE(Data, d)) { game_data(d); }
BENCH_SYSTEM(steer, KEEL_READ(Position, p), KEEL_WRITE(Velocity, v), KEEL_WRITE(Data, d)) {
    game_steer(p, v, d);
}
BENCH_SYSTEM(health, KEEL_WRITE(Health, h)) { game_health(h); }
BENCH_SYSTEM(damage, KEEL_WRITE(Health, h), KEEL_READ(Damage, d)) { game_damage(h, d); }
BENCH_SYSTEM(sprite, KEEL_WRITE(Sprite, s), KEEL_READ(Player, p), KEEL_READ(Health, h)) {
    game_sprite(s, p, h);
}
BENCH_SYSTEM(render, KEEL_UNIQUE_WRITE(Screen, screen), KEEL_READ(Position, p),
             KEEL_READ(Sprite, s)) {
    game_render(screen, p, s);
}

#define SPLIT_STEP(name) SPLIT_STEP_1(BENCH_NAME(name))
#define SPLIT_STEP_1(name) KEEL_STEP(name, .parallel = true)
BENCH_TABLE(game_few, BENCH_STEP(move), BENCH_STEP(data), BENCH_STEP(steer));
BENCH_TABLE(game_few_split, SPLIT_STEP(move), SPLIT_STEP(data), SPLIT_STEP(steer));
BENCH_TABLE(game_all, BENCH_STEP(move), BENCH_STEP(data), BENCH_STEP(steer), BENCH_STEP(health),
            BENCH_STEP(damage), BENCH_STEP(sprite), BENCH_STEP(render));
BENCH_TABLE(game_all_split, SPLIT_STEP(move), SPLIT_STEP(data), SPLIT_STEP(steer),
            SPLIT_STEP(health), SPLIT_STEP(damage), SPLIT_STEP(sprite), BENCH_STEP(render));

// ---- frames ----
static void lose(keel_world *world, keel_entity e, uint32_t losses) {
    if (losses == UINT32_MAX) {
        bench_expect(keel_delete_entity(world, e));
        return;
    }
    if (losses & GAME_HAS_POSITION) bench_expect(keel_remove(world, e, Position));
    if (losses & GAME_HAS_VELOCITY) bench_expect(keel_remove(world, e, Velocity));
    if (losses & GAME_HAS_DATA) bench_expect(keel_remove(world, e, Data));
}

static keel_world *new_game(game_kind kind, uint32_t n, uint32_t workers) {
    keel_world *world = bench_world_of(workers);
    keel_entity *e = bench_handles(n);
    for (uint32_t i = 0; i < n; ++i) {
        const uint32_t parts = game_parts(kind, i, n);
        const game_entity it = game_entity_of(i);
        e[i] = keel_add_entity(world, KEEL_INIT(Position, it.p), KEEL_INIT(Velocity, it.v));
        if (parts & GAME_HAS_DATA) bench_expect(keel_add(world, e[i], Data, it.d));
        if (parts & GAME_IS_HERO)
            bench_expect(keel_add_values(world, e[i], KEEL_INIT(Player, it.player),
                                         KEEL_INIT(Health, it.health), KEEL_INIT(Damage, it.damage),
                                         KEEL_INIT(Sprite, it.sprite)));
    }
    for (uint32_t i = 0; i < n; ++i)
        lose(world, e[i], game_losses(kind, i, n));
    free(e);
    char *pixels = bench_touched(GAME_WIDTH * GAME_HEIGHT);
    bench_expect(keel_set_unique(world, Screen, { pixels }));
    return world;
}

static long long sum_of(keel_world *world) {
    uint64_t sum = 0;
    KEEL_EACH(world, KEEL_READ(Position, p)) {
        sum += game_two_floats(p->x, p->y);
    }
    KEEL_EACH(world, KEEL_READ(Velocity, v)) {
        sum += game_two_floats(v->x, v->y);
    }
    KEEL_EACH(world, KEEL_READ(Data, d)) {
        sum += game_data_sum(d);
    }
    KEEL_EACH(world, KEEL_READ(Health, h), KEEL_READ(Sprite, s)) {
        sum += game_health_sum(h) + game_mixed((uint64_t)s->character);
    }
    return (long long)(sum >> 1);
}

BENCH_SHARED void run_frames(bench_run *run, game_kind kind, uint32_t workers,
                             const keel_workload *frame) {
    const uint32_t n = run->n, frames = game_frames(n);
    keel_world *world = new_game(kind, n, workers);
    run->items = (double)n * frames;
    while (bench_next(run)) {
        bench_start(run);
        for (uint32_t k = 0; k < frames; ++k)
            keel_run_workload_of(world, frame, NULL);
        bench_stop(run);
    }
    run->sum = sum_of(world);
    free(keel_get_unique(world, Screen)->pixels);
    bench_end(run, world);
}

#define FRAME(name) FRAME_1(BENCH_NAME(name))
#define FRAME_1(name) FRAME_2(name)
#define FRAME_2(name) &KEEL_WORKLOAD_##name
// On one thread; on two, with systems that run beside each other; and with systems that are split.
#define FRAMES(workload, kind, few)                                                                \
    BENCH_WORKLOAD(workload) { run_frames(run, kind, 1, FRAME(game_##few)); }                      \
    BENCH_WORKLOAD(workload##_graph_par) { run_frames(run, kind, 2, FRAME(game_##few)); }          \
    BENCH_WORKLOAD(workload##_split_par) { run_frames(run, kind, 2, FRAME(game_##few##_split)); }
FRAMES(game_systems, GAME_SYSTEMS, few)
FRAMES(game_systems_mixed, GAME_SYSTEMS_MIXED, few)
FRAMES(game_complex, GAME_COMPLEX, all)
FRAMES(game_complex_mixed, GAME_COMPLEX_MIXED, all)

// ---- two threads beside one ----
// `frame` in a world of one worker and `wide` in one of two, in turns: the time of the second as a
// part of the first's is the figure, as if it were nanoseconds.
BENCH_SHARED void compare_threads(bench_run *run, const keel_workload *frame,
                                  const keel_workload *wide) {
    enum { ROUNDS = 31 };
    const uint32_t frames = game_frames(run->n);
    keel_world *const worlds[] = { new_game(GAME_COMPLEX, run->n, 1),
                                   new_game(GAME_COMPLEX, run->n, 2) };
    run->items = 1;
    while (bench_next(run)) {
        double ratios[ROUNDS];
        for (uint32_t round = 0; round < ROUNDS; ++round) {
            double ns[2];
            for (uint32_t turn = 0; turn < 2; ++turn) {
                const uint32_t at = (round + turn) % 2;
                const double began = bench_now();
                for (uint32_t k = 0; k < frames; ++k)
                    keel_run_workload_of(worlds[at], at ? wide : frame, NULL);
                ns[at] = bench_now() - began;
            }
            ratios[round] = ns[1] / ns[0];
        }
        run->ns = bench_percentile(ratios, ROUNDS, 0.5);
    }
    run->sum = sum_of(worlds[1]) - sum_of(worlds[0]);
    for (uint32_t at = 0; at < 2; ++at) {
        free(keel_get_unique(worlds[at], Screen)->pixels);
        bench_end(run, worlds[at]);
    }
}
BENCH_WORKLOAD(threads_graph) { compare_threads(run, FRAME(game_all), FRAME(game_all)); }
BENCH_WORKLOAD(threads_split) { compare_threads(run, FRAME(game_all), FRAME(game_all_split)); }

// ---- edits ----
typedef enum indices { FRESH, RECYCLED } indices;

// A new world, or the world of before when all its entities were deleted in ascending order.
static keel_world *emptied(keel_world *world, keel_entity *e, uint32_t n, indices which) {
    if (which == FRESH && world) keel_world_destroy(world);
    if (which == RECYCLED && world) {
        bench_delete_ascending(world);
        return world;
    }
    world = bench_world();
    bench_expect(keel_register(world, Position, Velocity));
    if (which == RECYCLED) {
        bench_populate(world, e, n, 2);
        return emptied(world, e, n, which);
    }
    return world;
}

BENCH_SHARED void create_2(bench_run *run, indices which) {
    const uint32_t n = run->n;
    keel_entity *e = bench_handles(n);
    keel_world *world = NULL;
    run->items = n;
    while (bench_next(run)) {
        world = emptied(world, e, n, which);
        bench_start(run);
        for (uint32_t i = 0; i < n; ++i)
            e[i] = keel_add_entity(world, KEEL_INIT(Position, bench_position(i)),
                                   KEEL_INIT(Velocity, bench_velocity(i)));
        bench_stop(run);
        run->sum = bench_sum_both(world);
    }
    bench_end(run, world);
    free(e);
}

BENCH_SHARED void create_2_bulk(bench_run *run, indices which) {
    const uint32_t n = run->n;
    keel_entity *e = bench_handles(n);
    bench_source from = bench_new_source(n);
    keel_world *world = NULL;
    run->items = n;
    while (bench_next(run)) {
        world = emptied(world, e, n, which);
        bench_start(run);
        keel_add_entities(world, n, e, KEEL_COLUMN(Position, from.p),
                          KEEL_COLUMN(Velocity, from.v));
        bench_stop(run);
        run->sum = bench_sum_both(world);
    }
    bench_end(run, world);
    bench_free_source(&from);
    free(e);
}

BENCH_WORKLOAD(game_create_2) { create_2(run, FRESH); }
BENCH_WORKLOAD(game_create_2_recycled) { create_2(run, RECYCLED); }
BENCH_WORKLOAD(game_create_2_bulk) { create_2_bulk(run, FRESH); }
BENCH_WORKLOAD(game_create_2_bulk_recycled) { create_2_bulk(run, RECYCLED); }

BENCH_SHARED void destroy_2(bench_run *run, bool bulk) {
    const uint32_t n = run->n;
    keel_entity *e = bench_handles(n);
    run->items = n;
    while (bench_next(run)) {
        keel_world *world = bench_world();
        bench_populate(world, e, n, 2);
        bench_start(run);
        if (bulk) keel_delete_entities(world, e, n);
        else
            for (uint32_t i = 0; i < n; ++i)
                keel_delete_entity(world, e[i]);
        bench_stop(run);
        run->sum = keel_entity_count(world);
        bench_end(run, world);
    }
    free(e);
}

BENCH_WORKLOAD(game_destroy_2) { destroy_2(run, false); }
BENCH_WORKLOAD(game_destroy_2_bulk) { destroy_2(run, true); }

BENCH_SHARED long long unpack(keel_world *world, const keel_entity *e, uint32_t n, int components) {
    long long sum = 0;
    for (uint32_t i = 0; i < n; ++i) {
        if (components == 0 && keel_is_alive(world, e[i])) ++sum;
        if (components >= 1) {
            const Position *p = keel_get_mut(world, e[i], Position);
            if (p) sum += (int)p->x;
        }
        if (components >= 2) {
            const Velocity *v = keel_get(world, e[i], Velocity);
            if (v) sum += (int)v->x;
        }
        if (components >= 3) {
            const Data *d = keel_get_mut(world, e[i], Data);
            if (d) sum += (int)d->seed;
        }
    }
    return sum;
}

BENCH_SHARED void run_unpack(bench_run *run, int components) {
    const uint32_t n = run->n, passes = game_frames(n);
    keel_entity *e = bench_handles(n);
    keel_world *world = bench_world();
    for (uint32_t i = 0; i < n; ++i) {
        const game_entity it = game_entity_of(i);
        e[i] = keel_add_entity(world, KEEL_INIT(Position, it.p), KEEL_INIT(Velocity, it.v),
                               KEEL_INIT(Data, it.d));
    }
    run->items = (double)n * passes;
    while (bench_next(run)) {
        bench_start(run);
        for (uint32_t k = 0; k < passes; ++k)
            run->sum = unpack(world, e, n, components);
        bench_stop(run);
    }
    bench_end(run, world);
    free(e);
}

BENCH_WORKLOAD(game_unpack_0) { run_unpack(run, 0); }
BENCH_WORKLOAD(game_unpack_1) { run_unpack(run, 1); }
BENCH_WORKLOAD(game_unpack_2) { run_unpack(run, 2); }
BENCH_WORKLOAD(game_unpack_3) { run_unpack(run, 3); }

// Position comes to entities that have a velocity; or it goes and comes back.
BENCH_SHARED void add_position(bench_run *run, bool removes) {
    const uint32_t n = run->n;
    keel_entity *e = bench_handles(n);
    keel_world *world = bench_world();
    for (uint32_t i = 0; i < n; ++i)
        e[i] = keel_add_entity(world, KEEL_INIT(Velocity, { 1, 1 }));
    if (removes) bench_expect(keel_add_many(world, e, n, Position));
    run->items = n;
    while (bench_next(run)) {
        if (!removes) (void)keel_delete_many(world, e, n, Position);
        bench_start(run);
        for (uint32_t i = 0; i < n; ++i) {
            if (removes) keel_remove(world, e[i], Position);
            keel_add(world, e[i], Position, bench_position(i));
        }
        bench_stop(run);
        run->sum = bench_sum_positions(world);
    }
    bench_end(run, world);
    free(e);
}

BENCH_WORKLOAD(game_add_1) { add_position(run, false); }
BENCH_WORKLOAD(game_remove_add_1) { add_position(run, true); }
