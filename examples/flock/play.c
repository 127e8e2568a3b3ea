// SPDX-License-Identifier: MIT
// Plays the steps on one rank. Rank 0 keeps the record, prints the summary, and writes the files.
#include "play.h"
#include "boids.h"
#include "options.h"
#include "picture.h"
#include "progress.h"
#include "record.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// The objects that a rank works with.
typedef struct flock {
    const options *options;
    rank *rank;
    steer_sight sight;
    Rules rules;
    record record; // rank 0, if a file is made of it
    progress progress;
    double seconds; // until the last step
    uint64_t moved;
} flock;

static bool has_record(const flock *f) { return f->options->csv || f->options->curve; }

// ---- files --------------------------------------------------------------------------------------

// Returns this rank's boids, or NULL when out of memory.
static map_point *list_boids(const rank *r, size_t *count) {
    map_point *list = malloc((keel_count(r->world, Place) + 1u) * sizeof *list);
    *count = 0;
    if (!list) return NULL;
    KEEL_EACH(r->world, KEEL_READ(Place, place), KEEL_WITHOUT(keel_ghost))
        list[(*count)++] = (map_point){ place->x, place->y, r->ranks.rank, r->ranks.rank };
    return list;
}

// Draws the boids of all ranks. Returns the exit status.
static int write_picture(const flock *f) {
    rank *r = f->rank;
    size_t own_count, count;
    map_point *own = list_boids(r, &own_count);
    if (!own) {
        r->ranks.stop(r->ranks.self, "out of memory");
        return rank_complain(r, 1, "--picture", "out of memory");
    }
    map_point *all = rank_gather(r, own, own_count, sizeof *own, &count);
    free(own);
    if (!all) return 1;
    const map boids = { all, count, f->rules.side };
    const char *why = rank_is_first(r) ? picture_draw_map(&boids, f->options, r->ranks.count) : NULL;
    free(all);
    return why ? rank_complain(r, 2, f->options->picture, why) : 0;
}

static int write_record(const flock *f) {
    const options *o = f->options;
    if (o->csv && rank_write_file(f->rank, o->csv, record_write_csv, &f->record)) return 2;
    const char *why = o->curve ? picture_draw_curve(&f->record, o, f->rank->ranks.count) : NULL;
    return why ? rank_complain(f->rank, 2, o->curve, why) : 0;
}

// ---- steps --------------------------------------------------------------------------------------

// Adds a row to the record. All ranks call it together. Returns false when another rank has stopped.
static bool note_step(flock *f) {
    rank_totals totals;
    if (!rank_add_up(f->rank, &totals)) return false;
    if (!rank_is_first(f->rank)) return true;
    const double seconds = progress_seconds(&f->progress);
    record_add(&f->record, (record_row){ .order = boids_order(keel_get_unique(f->rank->world, Total)),
                                         .seconds = seconds - f->seconds,
                                         .imbalance = totals.imbalance,
                                         .ghosts = totals.ghosts,
                                         .moved = totals.moved - f->moved });
    f->seconds = seconds;
    f->moved = totals.moved;
    return true;
}

static void print_summary(const flock *f, rank_totals totals, uint64_t hash, double seconds) {
    const options *o = f->options;
    const uint32_t ranks = f->rank->ranks.count;
    const double share = totals.seconds > 0 ? totals.seconds_ranks / totals.seconds : 0;
    printf("%" PRIu64 " boids, %" PRIu32 " rank%s, %" PRIu32 " steps: order %.3f\n", o->boids, ranks,
           ranks == 1 ? "" : "s", o->steps, boids_order(keel_get_unique(f->rank->world, Total)));
    printf("%.5f s a step, %.1f %% in ghosts, moves and balance, %" PRIu64 " ghosts, %" PRIu64
           " moved to another rank, hash %016" PRIx64 "\n",
           seconds / (o->steps - f->rank->steps_before), 100 * share, totals.ghosts, totals.moved, hash);
}

// Plays all steps, and writes what is to be seen of them. Returns the exit status.
static int play_steps(flock *f) {
    const options *o = f->options;
    rank *r = f->rank;
    const uint32_t before = r->steps_before;
    progress_begin(&f->progress, "step", before, o->steps, o->common.quiet || !rank_is_first(r));
    keel_result result = KEEL_OK;
    bool are_all_there = true;
    for (uint32_t step = before + 1; step <= o->steps && result >= 0 && are_all_there; ++step) {
        result = rank_step(r, KEEL_WORKLOAD_OF(boids_step));
        if (result >= 0 && has_record(f)) are_all_there = note_step(f);
        progress_step(&f->progress, step, (double)o->boids, "boids");
    }
    const double seconds = progress_end(&f->progress);
    uint64_t hash = 0;
    rank_totals totals;
    if (result >= 0 && are_all_there) result = rank_hash(r, &hash);
    if (result < 0) return rank_complain_error(r);
    if (!are_all_there || !rank_add_up(r, &totals)) return rank_complain(r, 1, "", "another rank has stopped");
    if (rank_is_first(r) && !o->common.quiet) print_summary(f, totals, hash, seconds);
    const int picture_status = o->picture ? write_picture(f) : 0;
    const int status = rank_is_first(r) ? write_record(f) : 0;
    return status ? status : picture_status;
}

// Adds the boids of this rank. Returns false after it has stopped all ranks.
static bool begin_world(flock *f) {
    const options *o = f->options;
    rank *r = f->rank;
    r->world = keel_world_create(&(keel_world_desc){ .worker_count = o->common.threads });
    const bool is_ready = r->world && boids_begin(r->world, r->ranks, o->common.restart ? 0 : o->boids, &f->rules, &f->sight) >= 0;
    if (!is_ready) r->ranks.stop(r->ranks.self, "out of memory: take fewer --boids");
    return is_ready;
}

// Checks a restart, and begins the record. Returns the exit status.
static int begin_steps(flock *f) {
    const options *o = f->options;
    rank *r = f->rank;
    uint64_t boids = o->boids;
    if (o->common.restart && keel_domain_count(r->domain, &boids) < 0) return rank_complain(r, 1, "", "another rank has stopped");
    const Rules *saved = keel_get_unique(r->world, Rules);
    const rank_option same[] = { { "--boids", boids, o->boids, false },
                                 { "--seed", saved->seed, f->rules.seed, false },
                                 { "--near", (uint64_t)saved->side, (uint64_t)f->rules.side, true },
                                 { "--noise", (uint64_t)saved->noise, (uint64_t)f->rules.noise, true } };
    const int status = rank_check_restart(r, "--steps", o->steps, same, sizeof same / sizeof *same);
    if (status || !rank_is_first(r) || !has_record(f) || record_begin(&f->record, r->steps_before, o->steps)) return status;
    r->ranks.stop(r->ranks.self, "out of memory: take fewer --steps");
    return rank_complain(r, 1, "", "out of memory: take fewer --steps");
}

static int play_flock(flock *f) {
    static const keel_reduced reduced[] = { { KEEL_UNIQUE_OF(Total), KEEL_REDUCE_SUM },
                                            { NULL, KEEL_REDUCE_SUM } };
    const options *o = f->options;
    rank *r = f->rank;
    const char *const files[] = { o->picture, o->curve, o->csv };
    const int status = rank_check_files(r, files, sizeof files / sizeof *files);
    if (status) return status;
    f->rules = (Rules){ .seed = o->common.seed,
                        .side = boids_side(o->boids, o->near),
                        .noise = (int32_t)(o->noise * BOIDS_TURN) };
    if (!begin_world(f)) {
        fprintf(stderr, "flock: rank %" PRIu32 ": out of memory: take fewer --boids\n", r->ranks.rank);
        return 1;
    }
    const keel_domain_desc desc = { .position = KEEL_OF(Place),
                                    .dimensions = 2,
                                    .halo = BOIDS_REACH + 1,
                                    .ghosts = KEEL_LIST(Velocity),
                                    .reduced = reduced };
    if (!rank_begin_domain(r, &desc)) return rank_complain_error(r);
    const int begun = begin_steps(f);
    return begun ? begun : play_steps(f);
}

int play(rank *r, const void *options_of_program) {
    flock f = { .options = options_of_program, .rank = r };
    const int status = play_flock(&f);
    steer_free(&f.sight);
    record_free(&f.record);
    return status;
}
