// SPDX-License-Identifier: MIT
// Measures what keel::mpi costs beside the model that it spreads: a step on one rank beside plain
// Keel, in turns; ghosts, moves and balance on four ranks; bytes; packing and unpacking beside
// memcpy; how evenly a drifting cluster is divided; checkpoints beside keel_save; how long many
// ranks divide space. Ranks are threads. Called by make bench-ranks.
#define _POSIX_C_SOURCE 200809L
#include "boids.h"
#include "domain.h"

#include <keel_save.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RANKS = 4, ROUNDS = 9 };

static double now_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// Returns the seconds that this process had a processor.
static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(double *numbers, int count) {
    qsort(numbers, (size_t)count, sizeof *numbers, compare);
    return numbers[count / 2];
}

static void need(bool is_well, const char *what) {
    if (is_well) return;
    fprintf(stderr, "bench_ranks: %s failed\n", what);
    exit(1);
}

static void row(const char *what, const char *goal, const char *format, double number) {
    char text[32];
    (void)snprintf(text, sizeof text, format, number);
    printf("%-62s %12s   %s\n", what, text, goal);
    (void)fflush(stdout);
}

// ------------------------------------------------------------------ boids
typedef struct flock {
    keel_world *world;
    keel_domain *domain; // NULL: plain Keel
    steer_sight sight;
} flock;

static const keel_reduced totals[] = { { KEEL_UNIQUE_OF(Total), KEEL_REDUCE_SUM },
                                       { NULL, KEEL_REDUCE_SUM } };

static void begin_flock(flock *f, keel_ranks ranks, uint64_t boids, bool is_plain) {
    *f = (flock){ .world = keel_world_create(&(keel_world_desc){ .worker_count = 1 }) };
    const Rules rules = { .seed = 1, .side = boids_side(boids, 12), .noise = BOIDS_TURN / 5 };
    need(f->world && boids_begin(f->world, ranks, boids, &rules, &f->sight) >= 0, "adding boids");
    if (is_plain) return;
    f->domain = keel_domain_begin(f->world, &(keel_domain_desc){ .ranks = ranks,
                                                                 .position = KEEL_OF(Place),
                                                                 .halo = BOIDS_REACH + 1,
                                                                 .ghosts = KEEL_LIST(Velocity),
                                                                 .reduced = totals });
    need(f->domain != NULL, "keel_domain_begin");
}

static double step_flock(flock *f) {
    const double begin = now_seconds();
    need((f->domain ? keel_domain_step(f->domain, KEEL_WORKLOAD_OF(boids_step))
                    : keel_run_workload(f->world, boids_step)) >= 0,
         "a step");
    return now_seconds() - begin;
}

static void end_flock(flock *f) {
    keel_domain_end(f->domain);
    keel_world_destroy(f->world);
    steer_free(&f->sight);
}

static void compare_one_rank(keel_ranks ranks, void *unused) {
    (void)unused;
    enum { BOIDS = 200000, STEPS = 41 };
    flock plain, one;
    double seconds[2][STEPS];
    begin_flock(&plain, ranks, BOIDS, true);
    begin_flock(&one, ranks, BOIDS, false);
    for (int i = 0; i < STEPS; ++i) {
        seconds[i & 1][i] = step_flock(i & 1 ? &one : &plain);
        seconds[!(i & 1)][i] = step_flock(i & 1 ? &plain : &one);
    }
    row("200,000 boids: one rank beside plain Keel, time of a step", "1.03", "%.3f",
        median_of(seconds[1], STEPS) / median_of(seconds[0], STEPS));
    end_flock(&plain);
    end_flock(&one);
}

enum { STEPS_OF_FOUR = 20 };

static void play_four(keel_ranks ranks, void *data) {
    enum { BOIDS = 1000000 };
    keel_domain_status *all = data;
    flock f;
    begin_flock(&f, ranks, BOIDS, false);
    const keel_domain_status begun = keel_domain_status_of(f.domain);
    for (int i = 0; i < STEPS_OF_FOUR; ++i)
        (void)step_flock(&f);
    keel_domain_status *s = &all[ranks.rank];
    *s = keel_domain_status_of(f.domain);
    s->seconds_ghosts -= begun.seconds_ghosts;
    s->seconds_move -= begun.seconds_move;
    s->seconds_waited -= begun.seconds_waited;
    s->bytes_ghosts -= begun.bytes_ghosts;
    s->bytes_moved -= begun.bytes_moved;
    s->bytes_sent -= begun.bytes_sent;
    end_flock(&f);
}

// Prints what a rank sees and sends, on average.
static void print_traffic(const keel_domain_status all[RANKS]) {
    double ghosts = 0, shown = 0, moved = 0, sent = 0;
    for (int r = 0; r < RANKS; ++r) {
        ghosts += all[r].ghosts;
        shown += (double)all[r].bytes_ghosts / STEPS_OF_FOUR;
        moved += (double)all[r].bytes_moved / STEPS_OF_FOUR;
        sent += (double)all[r].bytes_sent / STEPS_OF_FOUR;
    }
    row("  ghosts of a rank", "", "%.0f", ghosts / RANKS);
    row("  bytes that a rank sends in a step", "", "%.0f", sent / RANKS);
    row("    for ghosts", "", "%.0f", shown / RANKS);
    row("    of entities that move", "", "%.0f", moved / RANKS);
}

static void measure_four(void) {
    keel_domain_status all[RANKS];
    need(keel_run_ranks(RANKS, 0, play_four, all) == KEEL_OK, "keel_run_ranks");
    double run = 0, other = 0, waited = 0;
    for (int r = 0; r < RANKS; ++r) {
        run += all[r].seconds_run;
        other += all[r].seconds_ghosts + all[r].seconds_move;
        waited += all[r].seconds_waited;
    }
    row("1,000,000 boids, 4 ranks: ghosts, moves, balance, of a step", "8 %", "%.1f %%",
        100 * (other - waited) / (run + other - waited));
    row("  with waiting for other ranks, and exchanging", "", "%.1f %%",
        100 * other / (run + other));
    print_traffic(all);
}

// ------------------------------------------------------------------ bytes
// 40 bytes in three components.
typedef struct Spot {
    double x, y;
} Spot;
typedef struct Load {
    uint64_t numbers[2];
} Load;
typedef struct Mark {
    uint64_t number;
} Mark;
KEEL_FIELDS(Spot, x, y);
KEEL_COMPONENT(Spot, .storage = KEEL_INDEXED, .no_padding = true, KEEL_HAS_FIELDS(Spot));
KEEL_COMPONENT(Load, .storage = KEEL_INDEXED, .no_padding = true);
KEEL_COMPONENT(Mark, .storage = KEEL_INDEXED, .no_padding = true);

KEEL_SYSTEM_ONCE(rest, KEEL_MAY_READ(Spot)) {}
KEEL_WORKLOAD(rest_step, KEEL_STEP(rest));
KEEL_SYSTEM(shift, KEEL_WRITE(Spot, s), KEEL_WITHOUT(keel_ghost)) { s->y += 1; }
KEEL_WORKLOAD(shift_step, KEEL_STEP(shift));
KEEL_SYSTEM(swap_sides, KEEL_WRITE(Spot, s), KEEL_WITHOUT(keel_ghost)) { s->x = -s->x; }
KEEL_WORKLOAD(swap_step, KEEL_STEP(swap_sides));

static keel_world *new_spots(keel_ranks ranks, uint64_t all) {
    keel_world *w = keel_world_create(&(keel_world_desc){ .worker_count = 1 });
    need(w && keel_register(w, Spot, Load, Mark, keel_global_id, keel_ghost) >= 0, "registering");
    uint64_t count;
    const uint64_t first = keel_rank_share(ranks, all, &count);
    for (uint64_t i = first; i < first + count; ++i)
        keel_add_entity(w, KEEL_INIT(keel_global_id, { i + 1 }),
                        KEEL_INIT(Spot, { i & 1 ? 1 : -1, (double)i }),
                        KEEL_INIT(Load, { { i, i * i } }), KEEL_INIT(Mark, { ~i }));
    return w;
}

static keel_domain *begin_spots(keel_ranks ranks, keel_world *w, double halo, const char *restart) {
    keel_error error = { 0 };
    keel_domain *d = keel_domain_begin(w, &(keel_domain_desc){ .ranks = ranks,
                                                               .position = KEEL_OF(Spot),
                                                               .halo = halo,
                                                               .ghosts = KEEL_LIST(Load),
                                                               .balance_above = 1e9,
                                                               .restart = restart,
                                                               .error = &error });
    need(d != NULL, error.message);
    return d;
}

// Steps once, and returns what a rank has sent since then.
static keel_domain_status sent_in(keel_domain *d, const keel_workload *workload) {
    const keel_domain_status before = keel_domain_status_of(d);
    need(keel_domain_step(d, workload) >= 0, "a step");
    keel_domain_status after = keel_domain_status_of(d);
    after.bytes_ghosts -= before.bytes_ghosts;
    after.bytes_moved -= before.bytes_moved;
    after.sent -= before.sent;
    return after;
}

static void measure_bytes(keel_ranks ranks, void *unused) {
    (void)unused;
    enum { SPOTS = 20000 };
    keel_world *w = new_spots(ranks, SPOTS);
    keel_domain *d = begin_spots(ranks, w, 1e6, NULL); // each sees all of the other's
    (void)sent_in(d, KEEL_WORKLOAD_OF(rest_step));
    const keel_domain_status still = sent_in(d, KEEL_WORKLOAD_OF(shift_step));
    const keel_domain_status moved = sent_in(d, KEEL_WORKLOAD_OF(rest_step));
    const double of = (double)moved.ghosts;
    if (!ranks.rank) {
        row("bytes of a ghost that did not change", "0", "%.2f", (double)still.bytes_ghosts / of);
        row("bytes of a ghost with one changed column, beside the column", "4", "%.2f",
            (double)moved.bytes_ghosts / of - sizeof(Spot));
    }
    keel_domain_end(d);
    keel_world_destroy(w);
    w = new_spots(ranks, SPOTS);
    d = begin_spots(ranks, w, 0, NULL);
    double low = 1e30, high = -1e30; // each rank has one side, or half of the height
    KEEL_EACH(w, KEEL_READ(Spot, s)) {
        low = s->y < low ? s->y : low;
        high = s->y > high ? s->y : high;
    }
    KEEL_EACH(w, KEEL_WRITE(Spot, s))
        s->y = high < SPOTS * 0.75 ? s->y + SPOTS : s->y - SPOTS;
    const keel_domain_status away = sent_in(d, KEEL_WORKLOAD_OF(rest_step));
    if (!ranks.rank)
        row("bytes of an entity that moves, beside its 40 bytes of values", "16", "%.2f",
            (double)away.bytes_moved / (double)away.sent - 40);
    keel_domain_end(d);
    keel_world_destroy(w);
}

// ------------------------------------------------------------------ packing
static void measure_packing(keel_ranks ranks, void *unused) {
    (void)unused;
    enum { SPOTS = 200000, BYTES = SPOTS * 40 };
    double pack[ROUNDS], unpack[ROUNDS], copy[ROUNDS];
    mpi_list list = { 0 };
    mpi_bytes bytes = { 0 };
    unsigned char *from = calloc(1, BYTES), *to = calloc(1, BYTES);
    need(from && to, "calloc");
    for (int i = 0; i < ROUNDS; ++i) {
        keel_world *w = new_spots(ranks, SPOTS), *other = new_spots(ranks, 0);
        keel_domain *d = begin_spots(ranks, w, 0, NULL), *d2 = begin_spots(ranks, other, 0, NULL);
        list.count = 0;
        bytes.size = 0; // the memory is kept, as from step to step
        KEEL_EACH(w, KEEL_WITH(Spot), KEEL_ENTITY(e))
            need(keeli_list_add(&list, e), "a list");
        double begin = now_seconds();
        need(keeli_columns_pack(d, &list, &bytes) >= 0, "packing");
        pack[i] = now_seconds() - begin;
        begin = now_seconds();
        need(keeli_columns_unpack(d2, (keel_rank_bytes){ bytes.items, bytes.size }, 0) >= 0,
             "unpacking");
        unpack[i] = now_seconds() - begin;
        begin = now_seconds();
        memcpy(to, from, BYTES);
        copy[i] = now_seconds() - begin;
        from[to[i]] += 1; // the copy is used
        keel_domain_end(d);
        keel_domain_end(d2);
        keel_world_destroy(w);
        keel_world_destroy(other);
    }
    const double memory = median_of(copy, ROUNDS);
    row("packing 200,000 entities of 40 bytes, speed of memcpy", "0.3", "%.2f",
        memory / median_of(pack, ROUNDS));
    row("unpacking them, entities created", "0.3", "%.2f", memory / median_of(unpack, ROUNDS));
    free(list.items);
    free(bytes.items);
    free(from);
    free(to);
}

// ------------------------------------------------------------------ balance
typedef struct drift {
    double after, between; // greatest number of entities of a rank by the average
    uint64_t balances;
} drift;

KEEL_SYSTEM(drift_along, KEEL_WRITE(Spot, s), KEEL_WRITE(Load, load), KEEL_WITHOUT(keel_ghost)) {
    s->x += 0.01;
    s->y += 0.003;
    for (int i = 0; i < 400; ++i) // work that is the same for each
        load->numbers[0] = load->numbers[0] * 6364136223846793005u + 1442695040888963407u;
}
KEEL_WORKLOAD(drift_step, KEEL_STEP(drift_along));

static double unevenness(keel_domain *d, keel_ranks ranks) {
    const double own = keel_domain_status_of(d).owned;
    double most = 0, all = 0;
    need(keeli_domain_tell_all(d, &own, sizeof own) >= 0, "telling");
    for (uint32_t r = 0; r < ranks.count; ++r) {
        const double one = *(const double *)d->receive[r].bytes;
        most = one > most ? one : most;
        all += one;
    }
    return most * ranks.count / all;
}

// A dense cluster that flies through a thin gas.
static void measure_drift(keel_ranks ranks, void *data) {
    enum { SPOTS = 40000, STEPS = 200 };
    drift *out = data;
    keel_world *w = new_spots(ranks, SPOTS);
    KEEL_EACH(w, KEEL_WRITE(Spot, s), KEEL_READ(keel_global_id, id)) {
        const double u = (double)(id->value * 2654435761u % 10007) / 10007;
        const double v = (double)(id->value * 40503u % 9973) / 9973;
        const double radius = id->value % 4 ? 0.3 : 2; // three of four are in the cluster
        *s = (Spot){ (u - 0.5) * radius, (v - 0.5) * radius };
    }
    keel_domain *d =
        keel_domain_begin(w, &(keel_domain_desc){ .ranks = ranks, .position = KEEL_OF(Spot) });
    need(d != NULL, "keel_domain_begin");
    uint64_t balances = keel_domain_status_of(d).balances;
    drift worst = { 1, 1, 0 };
    for (int i = 0; i < STEPS; ++i) {
        KEEL_EACH(w, KEEL_WRITE(Spot, s), KEEL_READ(keel_global_id, id), KEEL_WITHOUT(keel_ghost))
            if (id->value % 4 == 0) s->x -= 0.01, s->y -= 0.003; // the gas stands still
        need(keel_domain_step(d, KEEL_WORKLOAD_OF(drift_step)) >= 0, "a step");
        const uint64_t now = keel_domain_status_of(d).balances;
        const double uneven = unevenness(d, ranks);
        double *const most = now > balances ? &worst.after : &worst.between;
        *most = uneven > *most ? uneven : *most;
        balances = now;
    }
    worst.balances = balances;
    if (!ranks.rank) *out = worst;
    keel_domain_end(d);
    keel_world_destroy(w);
}

// ------------------------------------------------------------------ many ranks
// Divides space as each of many ranks does, with a sample of all.
static void measure_cuts(void) {
    static const uint32_t counts[] = { 64, 256, 1024 };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        const uint32_t ranks = counts[i], count = ranks * MPI_SAMPLE;
        mpi_point *points = malloc(count * sizeof *points);
        mpi_cut *cuts = calloc(ranks, sizeof *cuts);
        need(points && cuts, "malloc");
        uint64_t random = 1;
        for (uint32_t k = 0; k < count; ++k) {
            points[k] = (mpi_point){ .weight = 1 };
            for (int axis = 0; axis < 2; ++axis) {
                random = random * 6364136223846793005u + 1442695040888963407u;
                points[k].at[axis] = (double)(random >> 11);
            }
        }
        const double begin = processor_seconds();
        keeli_regions_cut(cuts, ranks, points, count, 2);
        const double seconds = processor_seconds() - begin;
        char what[64];
        (void)snprintf(what, sizeof what, "dividing space for %u ranks, seconds of each one",
                       (unsigned)ranks);
        row(what, "", "%.2f", seconds);
        free(points);
        free(cuts);
    }
}

// ------------------------------------------------------------------ along a curve
// In the default storage, which has an order of its own.
typedef struct Dot {
    float x, y;
} Dot;
KEEL_FIELDS(Dot, x, y);
KEEL_COMPONENT(Dot, .no_padding = true, KEEL_HAS_FIELDS(Dot));
enum { CELLS = 1024 };
typedef struct Grid {
    uint32_t *counts; // of CELLS x CELLS
} Grid;
KEEL_UNIQUE(Grid, .transient = true);

// Looks at the cells around each dot, as systems do that have neighbours.
KEEL_SYSTEM(count_near, KEEL_READ(Dot, dot), KEEL_UNIQUE_WRITE(Grid, grid)) {
    const uint32_t at = (uint32_t)(dot->y * (CELLS - 2)) * CELLS + (uint32_t)(dot->x * (CELLS - 2));
    grid->counts[at + CELLS + 1] +=
        grid->counts[at] + grid->counts[at + 2] + grid->counts[at + 2 * CELLS + 1];
}
KEEL_WORKLOAD(count_step, KEEL_STEP(count_near));

static void measure_curve(keel_ranks ranks, void *unused) {
    (void)unused;
    enum { DOTS = 1000000 };
    keel_world *worlds[2];
    keel_domain *d = NULL;
    double seconds[2][ROUNDS];
    uint32_t *counts = calloc(CELLS * CELLS, sizeof *counts);
    need(counts != NULL, "calloc");
    for (int k = 0; k < 2; ++k) {
        worlds[k] = keel_world_create(&(keel_world_desc){ .worker_count = 1 });
        keel_set_unique(worlds[k], Grid, { counts });
        for (uint64_t i = 0; i < DOTS; ++i) {
            const uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
            keel_add_entity(worlds[k], KEEL_INIT(keel_global_id, { i + 1 }),
                            KEEL_INIT(Dot, { (float)(z >> 40) / 0x1p24f,
                                             (float)(z >> 16 & 0xFFFFFF) / 0x1p24f }));
        }
    }
    const keel_domain_desc desc = { .ranks = ranks, .position = KEEL_OF(Dot) };
    const double begin = now_seconds();
    d = keel_domain_begin(worlds[1], &desc);
    const double sorted = now_seconds() - begin;
    need(d != NULL, "keel_domain_begin");
    for (int i = 0; i < 2 * ROUNDS; ++i) {
        const double now = now_seconds();
        need(keel_run_workload(worlds[i & 1], count_step) >= 0, "a step");
        seconds[i & 1][i / 2] = now_seconds() - now;
    }
    const double plain = median_of(seconds[0], ROUNDS);
    row("1,000,000 dots that look at their cells, sorted along a curve, time", "", "%.2f",
        median_of(seconds[1], ROUNDS) / plain);
    row("  beginning a domain, with the sort, in steps of the unsorted", "", "%.1f",
        sorted / plain);
    keel_domain_end(d);
    keel_world_destroy(worlds[0]);
    keel_world_destroy(worlds[1]);
    free(counts);
}

// ------------------------------------------------------------------ checkpoints
enum { SAVED = 1000000 };
static char folder[] = "/tmp/keel_bench_ranks_XXXXXX";

static void measure_saves(keel_ranks ranks, void *data) {
    uint64_t *hash = data;
    keel_world *w = new_spots(ranks, SAVED);
    keel_domain *d = begin_spots(ranks, w, 0, NULL);
    char path[sizeof folder + 16];
    (void)snprintf(path, sizeof path, "%s/alone.keel", folder);
    double seconds[2][ROUNDS];
    for (int i = 0; i < ROUNDS; ++i) {
        double begin = now_seconds();
        need(keel_save(w, path, NULL) >= 0, "keel_save");
        seconds[0][i] = now_seconds() - begin;
        begin = now_seconds();
        need(keel_domain_save(d, folder) >= 0, keel_domain_error(d)->message);
        seconds[1][i] = now_seconds() - begin;
        (void)unlink(path);
    }
    need(keel_domain_hash(d, hash) >= 0, "keel_domain_hash");
    row("a checkpoint of 1,000,000 entities of 40 bytes, speed of keel_save", "0.7", "%.2f",
        median_of(seconds[0], ROUNDS) / median_of(seconds[1], ROUNDS));
    keel_domain_end(d);
    keel_world_destroy(w);
}

static void restart(keel_ranks ranks, void *data) {
    keel_world *w = new_spots(ranks, 0);
    keel_domain *d = begin_spots(ranks, w, 0, folder);
    uint64_t hash = 0;
    need(keel_domain_hash(d, &hash) >= 0, "keel_domain_hash");
    if (!ranks.rank) *(uint64_t *)data = hash;
    keel_domain_end(d);
    keel_world_destroy(w);
}

static void measure_checkpoints(void) {
    need(mkdtemp(folder) != NULL, "mkdtemp");
    uint64_t saved = 0;
    uint32_t alike = 0;
    need(keel_run_ranks(1, 0, measure_saves, &saved) == KEEL_OK, "keel_run_ranks");
    for (uint32_t ranks = 1; ranks <= RANKS; ++ranks) {
        uint64_t hash = 0;
        need(keel_run_ranks(ranks, 0, restart, &hash) == KEEL_OK, "keel_run_ranks");
        alike += hash == saved;
    }
    row("  restarts on 1, 2, 3 and 4 ranks that have its hash", "4", "%.0f", alike);
    char command[sizeof folder + 16];
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    need(system(command) == 0, command);
}

static void compare_with_plain(void) {
    need(keel_run_ranks(1, 0, compare_one_rank, NULL) == KEEL_OK, "keel_run_ranks");
}
static void count_bytes(void) {
    need(keel_run_ranks(2, 0, measure_bytes, NULL) == KEEL_OK, "keel_run_ranks");
}
static void pack(void) {
    need(keel_run_ranks(1, 0, measure_packing, NULL) == KEEL_OK, "keel_run_ranks");
}
static void curve(void) {
    need(keel_run_ranks(1, 0, measure_curve, NULL) == KEEL_OK, "keel_run_ranks");
}
static void balance(void) {
    drift d;
    need(keel_run_ranks(RANKS, 0, measure_drift, &d) == KEEL_OK, "keel_run_ranks");
    printf("a cluster of 30,000 that drifts through 10,000, 4 ranks, %llu balances in 200 steps\n",
           (unsigned long long)d.balances);
    row("  entities of the fullest rank by the average, after a balance", "1.25", "%.2f", d.after);
    row("  and at most, between two balances", "1.6", "%.2f", d.between);
}

// Usage: bench_ranks [PART]...
int main(int count, char *arguments[]) {
    static const struct {
        const char *name;
        void (*measure)(void);
    } parts[] = { { "plain", compare_with_plain },
                  { "boids", measure_four },
                  { "bytes", count_bytes },
                  { "packing", pack },
                  { "balance", balance },
                  { "curve", curve },
                  { "checkpoints", measure_checkpoints },
                  { "cuts", measure_cuts } };
    printf("%-62s %12s   goal\n", "ranks are threads of one process", "");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        bool is_asked = count < 2;
        for (int k = 1; k < count; ++k)
            is_asked |= strcmp(arguments[k], parts[i].name) == 0;
        if (is_asked) parts[i].measure();
    }
    return 0;
}
