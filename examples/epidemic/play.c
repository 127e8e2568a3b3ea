// SPDX-License-Identifier: MIT
// Plays the days on one rank. Rank 0 keeps the curve, prints the summary, and writes the files.
#include "play.h"
#include "curve.h"
#include "people.h"
#include "picture.h"
#include "progress.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The objects that a rank works with.
typedef struct rank_play {
    const options *options;
    keel_ranks ranks;
    keel_world *world;
    keel_domain *domain;
    near_grid grid;
    curve curve; // rank 0
    progress progress;
    keel_rank_bytes *out, *in; // one for each rank
} rank_play;

// The work of all ranks together.
typedef struct rank_totals {
    uint64_t ghosts, moved;
} rank_totals;

static bool is_first(const rank_play *p) { return p->ranks.rank == 0; }

// Prints a sentence, once. Returns the exit status.
static int complain(const rank_play *p, int status, const char *name, const char *why) {
    if (is_first(p)) fprintf(stderr, "epidemic: %s%s%s\n", name, *name ? ": " : "", why);
    return status;
}

// ---- what ranks tell rank 0 ---------------------------------------------------------------------

// Sends bytes to rank 0, which finds those of all ranks in `in`. All ranks call it together.
static bool tell_first(rank_play *p, const void *bytes, size_t size) {
    for (uint32_t r = 0; r < p->ranks.count; ++r)
        p->out[r] = (keel_rank_bytes){ bytes, r ? 0 : size };
    return p->ranks.exchange(p->ranks.self, p->out, p->in);
}

static bool add_up(rank_play *p, rank_totals *totals) {
    const keel_domain_status status = keel_domain_status_of(p->domain);
    const rank_totals own = { status.ghosts, status.sent };
    *totals = (rank_totals){ 0, 0 };
    if (!tell_first(p, &own, sizeof own)) return false;
    for (uint32_t r = 0; is_first(p) && r < p->ranks.count; ++r) {
        rank_totals one;
        memcpy(&one, p->in[r].bytes, sizeof one);
        totals->ghosts += one.ghosts;
        totals->moved += one.moved;
    }
    return true;
}

// Returns this rank's people, or NULL when out of memory.
static picture_person *list_people(const rank_play *p, uint64_t *count) {
    picture_person *list = malloc((keel_count(p->world, Place) + 1u) * sizeof *list);
    *count = 0;
    if (!list) return NULL;
    KEEL_EACH(p->world, KEEL_READ(Place, place), KEEL_READ(Health, health),
              KEEL_WITHOUT(keel_ghost))
        list[(*count)++] =
            (picture_person){ place->x, place->y, health->state, p->ranks.rank };
    return list;
}

// Draws the people of all ranks. Returns the exit status.
static int write_map(rank_play *p) {
    uint64_t count = 0;
    picture_person *own = list_people(p, &count);
    if (!own) {
        p->ranks.stop(p->ranks.self, "out of memory");
        return complain(p, 1, "--map", "out of memory");
    }
    const bool was_told = tell_first(p, own, (size_t)count * sizeof *own);
    free(own);
    if (!was_told) return complain(p, 1, "--map", "another rank has stopped");
    if (!is_first(p)) return 0;
    size_t size = 0;
    for (uint32_t r = 0; r < p->ranks.count; ++r)
        size += p->in[r].size;
    picture_person *all = malloc(size + 1);
    if (!all) return complain(p, 1, "--map", "out of memory");
    size_t at = 0;
    for (uint32_t r = 0; r < p->ranks.count; ++r) {
        if (p->in[r].size) memcpy((char *)all + at, p->in[r].bytes, p->in[r].size);
        at += p->in[r].size;
    }
    const char *why = picture_draw_map(all, size / sizeof *all, p->options, p->ranks.count, p->curve.days);
    free(all);
    return why ? complain(p, 2, p->options->map, why) : 0;
}

// ---- files of rank 0 ----------------------------------------------------------------------------

// Returns the name of a file that cannot be written, or NULL: a long run must not end with that.
static const char *find_bad_file(const options *o) {
    const char *const names[] = { o->curve, o->map, o->csv };
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        FILE *file = names[i] ? fopen(names[i], "ab") : NULL;
        if (names[i] && !file) return names[i];
        if (file) fclose(file);
    }
    return NULL;
}

// Tells all ranks whether rank 0 can write its files. Returns the exit status.
static int check_files(rank_play *p) {
    const char *bad = is_first(p) ? find_bad_file(p->options) : NULL;
    const char *why = bad ? strerror(errno) : "";
    const char answer = bad != NULL;
    for (uint32_t r = 0; r < p->ranks.count; ++r)
        p->out[r] = (keel_rank_bytes){ &answer, is_first(p) ? 1 : 0 };
    if (!p->ranks.exchange(p->ranks.self, p->out, p->in)) return 1;
    const bool is_bad = p->in[0].size == 1 && *(const char *)p->in[0].bytes;
    return is_bad ? complain(p, 2, bad ? bad : "", why) : 0;
}

static int write_csv(const rank_play *p) {
    FILE *file = fopen(p->options->csv, "w");
    if (!file) return complain(p, 2, p->options->csv, strerror(errno));
    const bool is_written = curve_write_csv(&p->curve, file);
    if (fclose(file) == 0 && is_written) return 0;
    return complain(p, 2, p->options->csv, "the file could not be written; is the disk full?");
}

static int write_curves(const rank_play *p) {
    const options *o = p->options;
    if (o->csv && write_csv(p)) return 2;
    const char *why = o->curve ? picture_draw_curve(&p->curve, o, p->ranks.count) : NULL;
    return why ? complain(p, 2, o->curve, why) : 0;
}

// ---- days ---------------------------------------------------------------------------------------

static void print_summary(const rank_play *p, rank_totals totals, uint64_t hash, double seconds) {
    const curve_extremes found = curve_extremes_of_people(&p->curve);
    const curve_extremes equation = curve_extremes_of_equation(&p->curve);
    printf("%" PRIu64 " people, %" PRIu32 " rank%s, %" PRIu32 " days: final size %.3f (equation %.3f), "
           "peak %.3f on day %" PRIu32 " (%.3f on day %" PRIu32 ")\n",
           p->curve.people, p->ranks.count, p->ranks.count == 1 ? "" : "s", p->curve.days, found.final_size, equation.final_size,
           found.peak, found.peak_day, equation.peak, equation.peak_day);
    printf("%.4f s a day, %" PRIu64 " ghosts, %" PRIu64 " moved to another rank, hash %016" PRIx64 "\n",
           seconds / p->curve.days, totals.ghosts, totals.moved, hash);
}

// Plays all days, and writes what is to be seen of them. Returns the exit status.
static int play_days(rank_play *p) {
    const options *o = p->options;
    progress_begin(&p->progress, o->days, o->quiet || !is_first(p));
    keel_result result = KEEL_OK;
    for (uint32_t day = 1; day <= o->days && result >= 0; ++day) {
        result = keel_domain_step(p->domain, KEEL_WORKLOAD_OF(people_day));
        if (result < 0 || !is_first(p)) continue;
        const Counts *counts = keel_get_unique(p->world, Counts);
        curve_add(&p->curve, counts);
        progress_day(&p->progress, day, counts->infected);
    }
    const double seconds = progress_end(&p->progress);
    uint64_t hash = 0;
    if (result >= 0) result = keel_domain_hash(p->domain, &hash);
    if (result < 0) return complain(p, 1, "", keel_domain_error(p->domain)->message);
    rank_totals totals;
    if (!add_up(p, &totals)) return complain(p, 1, "", "another rank has stopped");
    if (is_first(p) && !o->quiet) print_summary(p, totals, hash, seconds);
    const int map_status = o->map ? write_map(p) : 0;
    const int status = is_first(p) ? write_curves(p) : 0;
    return status ? status : map_status;
}

static Rules rules_of(const options *o) {
    return (Rules){ .seed = o->seed,
                    .infection = people_chance_of(o->chance),
                    .recovery = people_chance_of(1 / o->ill),
                    .travel = people_chance_of(o->travel),
                    .radius = (int32_t)(o->radius * PEOPLE_SIDE) };
}

// Adds the people of this rank. Returns false after it has stopped all ranks.
static bool begin_world(rank_play *p, const Rules *rules) {
    const options *o = p->options;
    p->world = keel_world_create(&(keel_world_desc){ .worker_count = o->threads });
    const bool is_ready =
        p->world &&
        people_begin(p->world, p->ranks, o->people, o->infected, rules, &p->grid) >= 0 &&
        (!is_first(p) || curve_begin(&p->curve, o->people, o->infected, o->days,
                                     o->chance * o->contacts, 1 / o->ill));
    if (!is_ready) p->ranks.stop(p->ranks.self, "out of memory: take fewer --people");
    return is_ready;
}

static keel_domain *begin_domain_of(rank_play *p, const Rules *rules, keel_error *error) {
    static const keel_reduced reduced[] = { { KEEL_UNIQUE_OF(Counts), KEEL_REDUCE_SUM },
                                            { NULL, KEEL_REDUCE_SUM } };
    return keel_domain_begin(p->world, &(keel_domain_desc){ .ranks = p->ranks,
                                                            .position = KEEL_OF(Place),
                                                            .dimensions = 2,
                                                            .halo = (double)rules->radius + 1,
                                                            .ghosts = KEEL_LIST(Health),
                                                            .reduced = reduced,
                                                            .error = error });
}

static int play_rank(rank_play *p) {
    const int status = check_files(p);
    if (status) return status;
    const Rules rules = rules_of(p->options);
    if (!begin_world(p, &rules)) {
        fprintf(stderr, "epidemic: rank %" PRIu32 ": out of memory: take fewer --people\n", p->ranks.rank);
        return 1;
    }
    keel_error error = { 0 };
    p->domain = begin_domain_of(p, &rules, &error);
    return p->domain ? play_days(p) : complain(p, 1, "", error.message);
}

void play(keel_ranks ranks, void *data) {
    play_job *job = data;
    rank_play p = { .options = job->options, .ranks = ranks };
    p.out = calloc(ranks.count, sizeof *p.out);
    p.in = calloc(ranks.count, sizeof *p.in);
    int status = 1;
    if (p.out && p.in) status = play_rank(&p);
    else ranks.stop(ranks.self, "out of memory");
    int none = 0;
    if (status) atomic_compare_exchange_strong(&job->status, &none, status);
    keel_domain_end(p.domain);
    keel_world_destroy(p.world);
    near_free(&p.grid);
    curve_free(&p.curve);
    free(p.out);
    free(p.in);
}
