// SPDX-License-Identifier: MIT
// Raw versions: a small game. An array of each component for all entities that have the same ones,
// and each system is a loop over those that it is for.
#include "raw.h"

#include "game.h"

// ---- frames ----
enum { KINDS = 16 }; // sets of GAME_HAS_* and GAME_IS_HERO

typedef struct table {
    uint32_t count;
    Position *p;
    Velocity *v;
    Data *d;
    Player *player;
    Health *health;
    Damage *damage;
    Sprite *sprite;
} table;

typedef struct game {
    table tables[KINDS]; // by what their entities have
    Screen screen;
} game;

static uint32_t parts_of(game_kind kind, uint32_t i, uint32_t n) {
    const uint32_t losses = game_losses(kind, i, n);
    return losses == UINT32_MAX ? 0 : game_parts(kind, i, n) & ~losses;
}

static void make_game(game *g, game_kind kind, uint32_t n) {
    uint32_t counts[KINDS] = { 0 };
    for (uint32_t i = 0; i < n; ++i)
        ++counts[parts_of(kind, i, n)];
    for (uint32_t k = 0; k < KINDS; ++k) {
        const uint32_t c = counts[k];
        g->tables[k] = (table){ 0,
                                RAW_NEW(Position, c),
                                RAW_NEW(Velocity, c),
                                RAW_NEW(Data, c),
                                RAW_NEW(Player, c),
                                RAW_NEW(Health, c),
                                RAW_NEW(Damage, c),
                                RAW_NEW(Sprite, c) };
    }
    for (uint32_t i = 0; i < n; ++i) {
        table *t = &g->tables[parts_of(kind, i, n)];
        const game_entity e = game_entity_of(i);
        const uint32_t at = t->count++;
        t->p[at] = e.p;
        t->v[at] = e.v;
        t->d[at] = e.d;
        t->player[at] = e.player;
        t->health[at] = e.health;
        t->damage[at] = e.damage;
        t->sprite[at] = e.sprite;
    }
    g->screen.pixels = bench_touched(GAME_WIDTH * GAME_HEIGHT);
}

static void free_game(game *g) {
    for (uint32_t k = 0; k < KINDS; ++k) {
        const table *t = &g->tables[k];
        free(t->p);
        free(t->v);
        free(t->d);
        free(t->player);
        free(t->health);
        free(t->damage);
        free(t->sprite);
    }
    free(g->screen.pixels);
}

#define LOOP(name, ...)                                                                            \
    static __attribute__((noinline)) void name(__VA_ARGS__, uint32_t n) {                          \
        for (uint32_t i = 0; i < n; ++i)
#define LOOP_END }

LOOP(move, Position *restrict p, const Velocity *restrict v) game_move(&p[i], &v[i]);
LOOP_END
LOOP(data, Data *restrict d) game_data(&d[i]);
LOOP_END
LOOP(steer, const Position *restrict p, Velocity *restrict v, Data *restrict d)
game_steer(&p[i], &v[i], &d[i]);
LOOP_END
LOOP(health, Health *restrict h) game_health(&h[i]);
LOOP_END
LOOP(damage, Health *restrict h, const Damage *restrict d) game_damage(&h[i], &d[i]);
LOOP_END
LOOP(sprite, Sprite *restrict s, const Player *restrict p, const Health *restrict h)
game_sprite(&s[i], &p[i], &h[i]);
LOOP_END
LOOP(render, Screen *screen, const Position *restrict p, const Sprite *restrict s)
game_render(screen, &p[i], &s[i]);
LOOP_END

#define FOR_TABLES(g, t, parts)                                                                    \
    for (uint32_t k = 0; k < KINDS; ++k)                                                           \
        for (table *t = (k & (parts)) == (parts) ? &(g)->tables[k] : NULL; t; t = NULL)

static void update(game *g, bool is_complex) {
    const uint32_t body = GAME_HAS_POSITION | GAME_HAS_VELOCITY;
    FOR_TABLES(g, t, body) move(t->p, t->v, t->count);
    FOR_TABLES(g, t, GAME_HAS_DATA) data(t->d, t->count);
    FOR_TABLES(g, t, body | GAME_HAS_DATA) steer(t->p, t->v, t->d, t->count);
    if (!is_complex) return;
    FOR_TABLES(g, t, GAME_IS_HERO) health(t->health, t->count);
    FOR_TABLES(g, t, GAME_IS_HERO) damage(t->health, t->damage, t->count);
    FOR_TABLES(g, t, GAME_IS_HERO) sprite(t->sprite, t->player, t->health, t->count);
    FOR_TABLES(g, t, GAME_IS_HERO | GAME_HAS_POSITION)
    render(&g->screen, t->p, t->sprite, t->count);
}

static long long sum_of(const game *g) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < KINDS; ++k) {
        const table *t = &g->tables[k];
        for (uint32_t i = 0; i < t->count; ++i) {
            if (k & GAME_HAS_POSITION) sum += game_two_floats(t->p[i].x, t->p[i].y);
            if (k & GAME_HAS_VELOCITY) sum += game_two_floats(t->v[i].x, t->v[i].y);
            if (k & GAME_HAS_DATA) sum += game_data_sum(&t->d[i]);
            if (!(k & GAME_IS_HERO)) continue;
            sum += game_health_sum(&t->health[i]);
            sum += game_mixed((uint64_t)t->sprite[i].character);
        }
    }
    return (long long)(sum >> 1);
}

BENCH_SHARED void run_frames(bench_run *run, game_kind kind) {
    const uint32_t n = run->n, frames = game_frames(n);
    game g;
    make_game(&g, kind, n);
    run->items = (double)n * frames;
    while (bench_next(run)) {
        bench_start(run);
        for (uint32_t k = 0; k < frames; ++k)
            update(&g, kind >= GAME_COMPLEX);
        bench_stop(run);
    }
    run->sum = sum_of(&g);
    free_game(&g);
}

BENCH_WORKLOAD(game_systems) { run_frames(run, GAME_SYSTEMS); }
BENCH_WORKLOAD(game_systems_mixed) { run_frames(run, GAME_SYSTEMS_MIXED); }
BENCH_WORKLOAD(game_complex) { run_frames(run, GAME_COMPLEX); }
BENCH_WORKLOAD(game_complex_mixed) { run_frames(run, GAME_COMPLEX_MIXED); }

// One thread takes as long as one thread.
BENCH_WORKLOAD(threads_graph) {
    run->items = 1;
    while (bench_next(run))
        run->ns = 1;
}

// ---- edits: rows that are there, found by index; free indices on a stack ----
typedef struct rows {
    Position *p;
    Velocity *v;
    Data *d;
    uint32_t *versions, *row, *id;
    uint64_t *handles;
} rows;

static rows new_rows(uint32_t n) {
    const rows r = { bench_touched(n * sizeof *r.p),      bench_touched(n * sizeof *r.v),
                     bench_touched(n * sizeof *r.d),      bench_touched(n * sizeof *r.versions),
                     bench_touched(n * sizeof *r.row),    bench_touched(n * sizeof *r.id),
                     bench_touched(n * sizeof *r.handles) };
    return r;
}
static void free_rows(rows *r) {
    free(r->p);
    free(r->v);
    free(r->d);
    free(r->versions);
    free(r->row);
    free(r->id);
    free(r->handles);
}
static void fill_rows(rows *r, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i) {
        const game_entity e = game_entity_of(i);
        r->p[i] = e.p;
        r->v[i] = e.v;
        r->d[i] = e.d;
        r->handles[i] = r->row[i] = r->id[i] = i;
        r->versions[i] = 0;
    }
}

BENCH_WORKLOAD(game_create_2) {
    rows r = new_rows(run->n);
    run->items = run->n;
    while (bench_next(run)) {
        bench_start(run);
        for (uint32_t i = 0; i < run->n; ++i) {
            r.versions[i] = 0;
            r.p[i] = bench_position(i);
            r.v[i] = bench_velocity(i);
            r.handles[i] = i;
            BENCH_BARRIER();
        }
        bench_stop(run);
        run->sum = raw_sum_positions(r.p, run->n) + raw_sum_velocities(r.v, run->n);
    }
    free_rows(&r);
}

BENCH_WORKLOAD(game_create_2_bulk) {
    const uint32_t n = run->n;
    rows from = new_rows(n), to = new_rows(n);
    for (uint32_t i = 0; i < n; ++i) {
        from.p[i] = bench_position(i);
        from.v[i] = bench_velocity(i);
    }
    run->items = n;
    while (bench_next(run)) {
        bench_start(run);
        memcpy(to.p, from.p, n * sizeof *to.p);
        memcpy(to.v, from.v, n * sizeof *to.v);
        for (uint32_t i = 0; i < n; ++i) {
            to.versions[i] = 0;
            to.handles[i] = i;
        }
        BENCH_BARRIER();
        bench_stop(run);
        run->sum = raw_sum_positions(to.p, n) + raw_sum_velocities(to.v, n);
    }
    free_rows(&from);
    free_rows(&to);
}

BENCH_WORKLOAD(game_destroy_2) {
    const uint32_t n = run->n;
    rows r = new_rows(n);
    run->items = n;
    while (bench_next(run)) {
        fill_rows(&r, n);
        uint32_t count = n;
        bench_start(run);
        for (uint32_t i = 0; i < n; ++i) {
            const uint32_t at = r.row[i], last = --count;
            r.p[at] = r.p[last];
            r.v[at] = r.v[last];
            r.id[at] = r.id[last];
            r.row[r.id[at]] = at;
            ++r.versions[i];
            BENCH_BARRIER();
        }
        bench_stop(run);
        run->sum = count;
    }
    free_rows(&r);
}

static __attribute__((noinline)) long long unpack(const rows *r, uint32_t n, int components) {
    long long sum = 0;
    for (uint32_t i = 0; i < n; ++i) {
        const uint32_t at = (uint32_t)r->handles[i];
        if (r->versions[at] != (uint32_t)(r->handles[i] >> 32)) continue;
        if (components == 0) ++sum;
        if (components >= 1) sum += (int)r->p[at].x;
        if (components >= 2) sum += (int)r->v[at].x;
        if (components >= 3) sum += (int)r->d[at].seed;
        BENCH_BARRIER();
    }
    return sum;
}

BENCH_SHARED void run_unpack(bench_run *run, int components) {
    const uint32_t n = run->n, passes = game_frames(n);
    rows r = new_rows(n);
    fill_rows(&r, n);
    run->items = (double)n * passes;
    while (bench_next(run)) {
        bench_start(run);
        for (uint32_t k = 0; k < passes; ++k)
            run->sum = unpack(&r, n, components);
        bench_stop(run);
    }
    free_rows(&r);
}

BENCH_WORKLOAD(game_unpack_0) { run_unpack(run, 0); }
BENCH_WORKLOAD(game_unpack_1) { run_unpack(run, 1); }
BENCH_WORKLOAD(game_unpack_2) { run_unpack(run, 2); }
BENCH_WORKLOAD(game_unpack_3) { run_unpack(run, 3); }

// A packed array of positions that all leave again and come back: a sparse set.
BENCH_SHARED void add_position(bench_run *run, bool removes) {
    const uint32_t n = run->n;
    rows r = new_rows(n);
    run->items = n;
    while (bench_next(run)) {
        fill_rows(&r, n);
        uint32_t count = removes ? n : 0;
        bench_start(run);
        for (uint32_t i = 0; i < n; ++i) {
            if (removes) {
                const uint32_t at = r.row[i], last = --count;
                r.p[at] = r.p[last];
                r.id[at] = r.id[last];
                r.row[r.id[at]] = at;
                BENCH_BARRIER();
            }
            r.p[count] = bench_position(i);
            r.id[count] = i;
            r.row[i] = count++;
            BENCH_BARRIER();
        }
        bench_stop(run);
        run->sum = raw_sum_positions(r.p, count);
    }
    free_rows(&r);
}

BENCH_WORKLOAD(game_add_1) { add_position(run, false); }
BENCH_WORKLOAD(game_remove_add_1) { add_position(run, true); }
