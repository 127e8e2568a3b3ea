// SPDX-License-Identifier: MIT
// Plays the steps on one rank. Rank 0 keeps the record, prints the summary, and writes the files.
#include "play.h"
#include "colony.h"
#include "options.h"
#include "picture.h"
#include "progress.h"
#include "record.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// The objects that a rank works with.
typedef struct colony {
    const options *options;
    rank *rank;
    touch_grid grid;
    Rules rules;
    record record; // rank 0, if a file is made of it
    progress progress;
    double seconds; // until the last step
    uint64_t moved;
} colony;

static bool has_record(const colony *c) { return c->options->csv || c->options->curve; }

// ---- files --------------------------------------------------------------------------------------

// Returns this rank's cells, or NULL when out of memory.
static picture_cell *list_cells(const rank *r, size_t *count) {
    picture_cell *list = malloc((keel_count(r->world, Place) + 1u) * sizeof *list);
    *count = 0;
    if (!list) return NULL;
    KEEL_EACH(r->world, KEEL_READ(Place, place), KEEL_READ(Skin, skin), KEEL_READ(Body, body), KEEL_WITHOUT(keel_ghost))
        list[(*count)++] = (picture_cell){ { place->x, place->y, skin->clone, r->ranks.rank }, skin->radius, body->generation };
    return list;
}

// Draws the cells of all ranks. Returns the exit status.
static int write_picture(const colony *c) {
    rank *r = c->rank;
    size_t own_count, count;
    picture_cell *own = list_cells(r, &own_count);
    if (!own) {
        r->ranks.stop(r->ranks.self, "out of memory");
        return rank_complain(r, 1, "--picture", "out of memory");
    }
    picture_cell *all = rank_gather(r, own, own_count, sizeof *own, &count);
    free(own);
    if (!all) return 1;
    const char *why = rank_is_first(r) ? picture_draw_cells(all, count, c->options, r->ranks.count) : NULL;
    free(all);
    return why ? rank_complain(r, 2, c->options->picture, why) : 0;
}

static int write_record(const colony *c) {
    const options *o = c->options;
    if (o->csv && rank_write_file(c->rank, o->csv, record_write_csv, &c->record)) return 2;
    const char *why = o->curve ? picture_draw_curve(&c->record, o, c->rank->ranks.count) : NULL;
    return why ? rank_complain(c->rank, 2, o->curve, why) : 0;
}

// ---- steps --------------------------------------------------------------------------------------

// Adds a row to the record. All ranks call it together. Returns false when another rank has stopped.
static bool note_step(colony *c) {
    rank_totals totals;
    if (!rank_add_up(c->rank, &totals)) return false;
    if (!rank_is_first(c->rank)) return true;
    const double seconds = progress_seconds(&c->progress);
    const Census *census = keel_get_unique(c->rank->world, Census);
    record_add(&c->record, (record_row){ .cells = census->cells,
                                         .births = census->births,
                                         .deaths = census->deaths,
                                         .bonds = census->bond_ends / 2,
                                         .generation = keel_get_unique(c->rank->world, Depth)->generation,
                                         .seconds = seconds - c->seconds,
                                         .imbalance = totals.imbalance,
                                         .ghosts = totals.ghosts,
                                         .moved = totals.moved - c->moved });
    c->seconds = seconds;
    c->moved = totals.moved;
    return true;
}

// Edges that lead to cells of other ranks.
typedef struct crossings {
    uint64_t bond_ends, mothers;
} crossings;

// Adds up those of all ranks, on rank 0. All ranks call it together. Returns false when another rank has
// stopped, or memory has run out.
static bool count_crossings(const colony *c, crossings *sum) {
    rank *r = c->rank;
    crossings own = { 0, 0 };
    KEEL_EACH(r->world, KEEL_WITH(Body), KEEL_WITHOUT(keel_ghost), KEEL_ENTITY(e)) {
        KEEL_EACH_TARGET(r->world, e, Bound, other) own.bond_ends += keel_has(r->world, other, keel_ghost);
        own.mothers += keel_has(r->world, keel_target_of(r->world, e, DaughterOf), keel_ghost);
    }
    size_t count;
    crossings *all = rank_gather(r, &own, 1, sizeof own, &count);
    if (!all) return false;
    *sum = (crossings){ 0, 0 };
    for (size_t i = 0; i < count; ++i) {
        sum->bond_ends += all[i].bond_ends;
        sum->mothers += all[i].mothers;
    }
    free(all);
    return true;
}

static void print_summary(const colony *c, rank_totals totals, crossings across, uint64_t hash, double seconds) {
    const options *o = c->options;
    const keel_world *world = c->rank->world;
    const uint32_t ranks = c->rank->ranks.count;
    const Census *census = keel_get_unique(world, Census);
    const History *before = keel_get_unique(world, History);
    const double share = totals.seconds > 0 ? totals.seconds_ranks / totals.seconds : 0;
    printf("%" PRIu64 " cells, %" PRIu32 " rank%s, %" PRIu32 " steps: %" PRIu64 " births, %" PRIu64 " deaths, %" PRIu64
           " bonds, %" PRIu64 " mothers, deepest generation %" PRIu32 "\n",
           census->cells, ranks, ranks == 1 ? "" : "s", o->steps, before->births + census->births, before->deaths + census->deaths,
           census->bond_ends / 2, census->daughters, keel_get_unique(world, Depth)->generation);
    printf("%.5f s a step, %.1f %% in ghosts, moves and balance, %" PRIu64 " ghosts, %" PRIu64 " bonds across borders, %" PRIu64
           " mothers on another rank, %" PRIu64 " entities moved, hash %016" PRIx64 "\n",
           seconds / (o->steps - c->rank->steps_before), 100 * share, totals.ghosts, across.bond_ends / 2,
           across.mothers, totals.moved, hash);
}

// Plays all steps, and writes what is to be seen of them. Returns the exit status.
static int play_steps(colony *c) {
    const options *o = c->options;
    rank *r = c->rank;
    const uint32_t before = r->steps_before;
    progress_begin(&c->progress, "step", before, o->steps, o->common.quiet || !rank_is_first(r));
    keel_result result = KEEL_OK;
    bool are_all_there = true;
    for (uint32_t step = before + 1; step <= o->steps && result >= 0 && are_all_there; ++step) {
        result = rank_step(r, KEEL_WORKLOAD_OF(colony_step));
        if (result >= 0 && has_record(c)) are_all_there = note_step(c);
        if (result >= 0) progress_step(&c->progress, step, (double)keel_get_unique(r->world, Census)->cells, "cells");
    }
    const double seconds = progress_end(&c->progress);
    uint64_t hash = 0;
    rank_totals totals;
    if (result >= 0 && are_all_there) result = rank_hash(r, &hash);
    if (result < 0) return rank_complain_error(r);
    if (!are_all_there || !rank_add_up(r, &totals)) return rank_complain(r, 1, "", "another rank has stopped");
    crossings across;
    if (!count_crossings(c, &across)) return 1;
    if (rank_is_first(r) && !o->common.quiet) print_summary(c, totals, across, hash, seconds);
    const int picture_status = o->picture ? write_picture(c) : 0;
    const int status = rank_is_first(r) ? write_record(c) : 0;
    return status ? status : picture_status;
}

// Adds the founders of this rank. Returns false after it has stopped all ranks.
static bool begin_world(colony *c) {
    const options *o = c->options;
    rank *r = c->rank;
    r->world = keel_world_create(&(keel_world_desc){ .worker_count = o->common.threads });
    const bool is_ready = r->world && colony_begin(r->world, &c->rules, &c->grid) >= 0 &&
                          (o->common.restart || colony_add_founders(r->world, r->ranks, &c->rules) >= 0);
    if (!is_ready) r->ranks.stop(r->ranks.self, "out of memory: take fewer --cells");
    return is_ready;
}

// Checks a restart, and begins the record. Returns the exit status.
static int begin_steps(colony *c) {
    const options *o = c->options;
    rank *r = c->rank;
    const Rules *saved = keel_get_unique(r->world, Rules);
    const rank_option same[] = { { "--cells", saved->cells, o->cells, false },
                                 { "--founders", saved->founders, o->founders, false },
                                 { "--seed", saved->seed, o->common.seed, false } };
    const int status = rank_check_restart(r, "--steps", o->steps, same, sizeof same / sizeof *same);
    if (status || !rank_is_first(r) || !has_record(c) || record_begin(&c->record, r->steps_before, o->steps)) return status;
    r->ranks.stop(r->ranks.self, "out of memory: take fewer --steps");
    return rank_complain(r, 1, "", "out of memory: take fewer --steps");
}

static int play_colony(colony *c) {
    static const keel_reduced reduced[] = { { KEEL_UNIQUE_OF(Census), KEEL_REDUCE_SUM },
                                            { KEEL_UNIQUE_OF(Depth), KEEL_REDUCE_MAX },
                                            { NULL, KEEL_REDUCE_SUM } };
    const options *o = c->options;
    rank *r = c->rank;
    const char *const files[] = { o->picture, o->curve, o->csv };
    const int status = rank_check_files(r, files, sizeof files / sizeof *files);
    if (status) return status;
    c->rules = (Rules){ .seed = o->common.seed, .cells = o->cells, .founders = o->founders };
    if (!begin_world(c)) {
        fprintf(stderr, "cells: rank %" PRIu32 ": out of memory: take fewer --cells\n", r->ranks.rank);
        return 1;
    }
    const keel_domain_desc desc = { .position = KEEL_OF(Place),
                                    .dimensions = 2,
                                    .halo = TOUCH_REACH + 1,
                                    .ghosts = KEEL_LIST(Skin),
                                    .together = KEEL_LIST(NucleusOf),
                                    .reduced = reduced };
    if (!rank_begin_domain(r, &desc)) return rank_complain_error(r);
    const int begun = begin_steps(c);
    return begun ? begun : play_steps(c);
}

int play(rank *r, const void *options_of_program) {
    colony c = { .options = options_of_program, .rank = r };
    const int status = play_colony(&c);
    touch_free(&c.grid);
    record_free(&c.record);
    return status;
}
