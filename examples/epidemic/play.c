// SPDX-License-Identifier: MIT
// Plays the days on one rank. Rank 0 keeps the curve, prints the summary, and writes the files.
#include "play.h"
#include "curve.h"
#include "options.h"
#include "people.h"
#include "picture.h"
#include "progress.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// The objects that a rank works with.
typedef struct epidemic {
    const options *options;
    rank *rank;
    near_grid grid;
    curve curve; // rank 0
    progress progress;
} epidemic;

// ---- files --------------------------------------------------------------------------------------

// Returns this rank's people, or NULL when out of memory.
static map_point *list_people(const rank *r, size_t *count) {
    map_point *list = malloc((keel_count(r->world, Place) + 1u) * sizeof *list);
    *count = 0;
    if (!list) return NULL;
    KEEL_EACH(r->world, KEEL_READ(Place, place), KEEL_READ(Health, health), KEEL_WITHOUT(keel_ghost))
        list[(*count)++] = (map_point){ place->x, place->y, health->state, r->ranks.rank };
    return list;
}

// Draws the people of all ranks. Returns the exit status.
static int write_map(const epidemic *p) {
    rank *r = p->rank;
    size_t own_count, count;
    map_point *own = list_people(r, &own_count);
    if (!own) {
        r->ranks.stop(r->ranks.self, "out of memory");
        return rank_complain(r, 1, "--map", "out of memory");
    }
    map_point *all = rank_gather(r, own, own_count, sizeof *own, &count);
    free(own);
    if (!all) return 1;
    const map people = { all, count, PEOPLE_SIDE };
    const char *why = rank_is_first(r) ? picture_draw_map(&people, p->options, r->ranks.count) : NULL;
    free(all);
    return why ? rank_complain(r, 2, p->options->map, why) : 0;
}

static bool write_rows(const void *data, FILE *file) { return curve_write_csv(data, file); }

static int write_curves(const epidemic *p) {
    const options *o = p->options;
    if (o->csv && rank_write_file(p->rank, o->csv, write_rows, &p->curve)) return 2;
    const char *why = o->curve ? picture_draw_curve(&p->curve, o, p->rank->ranks.count) : NULL;
    return why ? rank_complain(p->rank, 2, o->curve, why) : 0;
}

// ---- days ---------------------------------------------------------------------------------------

static void print_summary(const epidemic *p, rank_totals totals, uint64_t hash, double seconds) {
    const curve_extremes found = curve_extremes_of_people(&p->curve);
    const curve_extremes equation = curve_extremes_of_equation(&p->curve);
    const uint32_t ranks = p->rank->ranks.count;
    printf("%" PRIu64 " people, %" PRIu32 " rank%s, %" PRIu32 " days: final size %.3f (equation %.3f), "
           "peak %.3f on day %" PRIu32 " (%.3f on day %" PRIu32 ")\n",
           p->curve.people, ranks, ranks == 1 ? "" : "s", p->curve.days, found.final_size, equation.final_size,
           found.peak, found.peak_day, equation.peak, equation.peak_day);
    printf("%.4f s a day, %" PRIu64 " ghosts, %" PRIu64 " moved to another rank, hash %016" PRIx64 "\n",
           seconds / (p->curve.days - p->curve.first), totals.ghosts, totals.moved, hash);
}

// Plays all days, and writes what is to be seen of them. Returns the exit status.
static int play_days(epidemic *p) {
    const options *o = p->options;
    rank *r = p->rank;
    const uint32_t before = r->steps_before;
    progress_begin(&p->progress, "day", before, o->days, o->common.quiet || !rank_is_first(r));
    keel_result result = KEEL_OK;
    for (uint32_t day = before + 1; day <= o->days && result >= 0; ++day) {
        result = rank_step(r, KEEL_WORKLOAD_OF(people_day));
        if (result < 0 || !rank_is_first(r)) continue;
        const Counts *counts = keel_get_unique(r->world, Counts);
        curve_add(&p->curve, counts);
        progress_step(&p->progress, day, (double)counts->infected, "infected");
    }
    const double seconds = progress_end(&p->progress);
    uint64_t hash = 0;
    if (result >= 0) result = rank_hash(r, &hash);
    if (result < 0) return rank_complain_error(r);
    rank_totals totals;
    if (!rank_add_up(r, &totals)) return rank_complain(r, 1, "", "another rank has stopped");
    if (rank_is_first(r) && !o->common.quiet) print_summary(p, totals, hash, seconds);
    const int map_status = o->map ? write_map(p) : 0;
    const int status = rank_is_first(r) ? write_curves(p) : 0;
    return status ? status : map_status;
}

static Rules rules_of(const options *o) {
    return (Rules){ .seed = o->common.seed,
                    .infected = o->infected,
                    .infection = people_chance_of(o->chance),
                    .recovery = people_chance_of(1 / o->ill),
                    .travel = people_chance_of(o->travel),
                    .radius = (int32_t)(o->radius * PEOPLE_SIDE) };
}

// Adds the people of this rank. Returns false after it has stopped all ranks.
static bool begin_world(epidemic *p, const Rules *rules) {
    const options *o = p->options;
    rank *r = p->rank;
    r->world = keel_world_create(&(keel_world_desc){ .worker_count = o->common.threads });
    const bool is_ready =
        r->world && people_begin(r->world, r->ranks, o->common.restart ? 0 : o->people, rules, &p->grid) >= 0 &&
        (!rank_is_first(r) || curve_begin(&p->curve, o->people, o->infected, o->days,
                                          o->chance * o->contacts, 1 / o->ill));
    if (!is_ready) r->ranks.stop(r->ranks.self, "out of memory: take fewer --people");
    return is_ready;
}

// Checks a restart, and begins the curve with its day. Returns the exit status.
static int begin_days(epidemic *p, const Rules *rules) {
    const options *o = p->options;
    rank *r = p->rank;
    if (!o->common.restart) return 0;
    const Rules *saved = keel_get_unique(r->world, Rules);
    const Counts *counts = keel_get_unique(r->world, Counts);
    const rank_option same[] = {
        { "--people", counts->susceptible + counts->infected + counts->recovered, o->people, false },
        { "--infected", saved->infected, rules->infected, false },
        { "--seed", saved->seed, rules->seed, false },
        { "--contacts or --radius", (uint64_t)saved->radius, (uint64_t)rules->radius, true },
        { "--chance", saved->infection, rules->infection, true },
        { "--ill", saved->recovery, rules->recovery, true },
        { "--travel", saved->travel, rules->travel, true },
    };
    const int status = rank_check_restart(r, "--days", o->days, same, sizeof same / sizeof *same);
    if (!status && rank_is_first(r)) curve_restart(&p->curve, r->steps_before, counts);
    return status;
}

static int play_epidemic(epidemic *p) {
    static const keel_reduced reduced[] = { { KEEL_UNIQUE_OF(Counts), KEEL_REDUCE_SUM },
                                            { NULL, KEEL_REDUCE_SUM } };
    const options *o = p->options;
    rank *r = p->rank;
    const char *const files[] = { o->curve, o->map, o->csv };
    const int status = rank_check_files(r, files, sizeof files / sizeof *files);
    if (status) return status;
    const Rules rules = rules_of(o);
    if (!begin_world(p, &rules)) {
        fprintf(stderr, "epidemic: rank %" PRIu32 ": out of memory: take fewer --people\n", r->ranks.rank);
        return 1;
    }
    const keel_domain_desc desc = { .position = KEEL_OF(Place),
                                    .dimensions = 2,
                                    .halo = (double)rules.radius + 1,
                                    .ghosts = KEEL_LIST(Health),
                                    .reduced = reduced };
    if (!rank_begin_domain(r, &desc)) return rank_complain_error(r);
    const int begun = begin_days(p, &rules);
    return begun ? begun : play_days(p);
}

int play(rank *r, const void *options_of_program) {
    epidemic p = { .options = options_of_program, .rank = r };
    const int status = play_epidemic(&p);
    near_free(&p.grid);
    curve_free(&p.curve);
    return status;
}
