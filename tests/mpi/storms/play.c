// SPDX-License-Identifier: MIT
// Plays a storm in plain Keel, and on ranks. main.c compares nothing itself: a part of a storm that
// was played has a problem, or none.
#include "domain.h"
#include "storm.h"

#include <stdio.h>

// ------------------------------------------------------------------ worlds
static keel_world *play_world(const storm_plan *plan) {
    keel_world *w = keel_world_create(&(keel_world_desc){
        .worker_count = 1, .log = keel_log_none, .on_parent_delete = plan->on_parent_delete });
    storm_register(w, plan);
    return w;
}

static keel_domain *play_domain(keel_ranks ranks, keel_world *w, const storm_plan *plan,
                                const char *restart, keel_error *error) {
    const keel_component *ghosts[8] = { KEEL_OF(Mood), KEEL_OF(Red) };
    uint32_t count = 2;
    if (plan->is_rich) ghosts[count++] = KEEL_OF(Knows);
    const keel_component *const required[] = { KEEL_OF(Aim), KEEL_OF(Sniper), KEEL_OF(Barrel),
                                               KEEL_OF(Zoom) };
    for (uint32_t i = 0; i < 4 && plan->shows_required; ++i)
        ghosts[count++] = required[i];
    const keel_domain_desc desc = {
        .ranks = ranks,
        .position = KEEL_OF(Place),
        .dimensions = plan->dimensions,
        .halo = plan->halo,
        .ghosts = ghosts,
        .together = plan->is_rich ? KEEL_LIST(Part, Hung, Bolt) : NULL,
        .balance_above = 1e30, // by the plan only, so that the storm is the same each time
        .restart = restart,
        .error = error,
    };
    return keel_domain_begin(w, &desc);
}

static void play_weather(keel_world *w, storm_rank *rank, uint32_t step) {
    keel_set_unique(w, Weather, { rank->plan, rank, step });
}

static void play_rank_free(storm_rank *rank) {
    free(rank->owned.items);
    free(rank->ghosts.items);
    free(rank->were_owned);
}

// ------------------------------------------------------------------ plain Keel
// A domain of one rank gives its hash, and does nothing else.
static void play_plain_rank(keel_ranks ranks, void *data) {
    storm_plain *plain = data;
    const storm_plan *plan = plain->plan;
    storm_rank rank = { .plan = plan };
    keel_world *w = play_world(plan);
    for (uint64_t i = 0; i < plan->entities; ++i)
        storm_add(w, plan, i + 1);
    keel_error error = { 0 };
    keel_domain *d = play_domain(ranks, w, plan, NULL, &error);
    keel_result result = d ? KEEL_OK : error.result;
    for (uint32_t step = 0; step < plan->steps && result >= 0; ++step) {
        play_weather(w, &rank, step);
        result = keel_run_workload(w, storm_tick);
        plain->censuses[step] = storm_census_of(w, plan, &rank);
        if (result >= 0) result = keel_domain_hash(d, &plain->hashes[step]);
        plain->steps = step + 1;
    }
    if (result < 0 || rank.problem[0]) {
        (void)fprintf(stderr, "storm %llu in plain Keel: %s%s%s\n", (unsigned long long)plan->seed,
                      keel_last_error(w)->message,
                      d ? keel_domain_error(d)->message : error.message, rank.problem);
        exit(2);
    }
    keel_domain_end(d);
    keel_world_destroy(w);
    play_rank_free(&rank);
}

storm_plain storm_play_plain(const storm_plan *plan) {
    storm_plain plain = { .plan = plan };
    plain.censuses = storm_room(NULL, plan->steps, sizeof *plain.censuses);
    plain.hashes = storm_room(NULL, plan->steps, sizeof *plain.hashes);
    (void)keel_run_ranks(1, 1, play_plain_rank, &plain);
    return plain;
}

void storm_plain_free(storm_plain *plain) {
    for (uint32_t i = 0; i < plain->steps; ++i)
        free(plain->censuses[i].items);
    free(plain->censuses);
    free(plain->hashes);
}

// ------------------------------------------------------------------ ranks
typedef struct play_run {
    keel_ranks ranks;
    storm_part *part;
    keel_world *w;
    keel_domain *d;
    storm_rank rank;
} play_run;

// Keeps the error of the domain. Returns false: it is the same on all ranks.
static bool play_failed(play_run *p, uint32_t step, const char *what) {
    storm_problem(&p->rank, "step %u: %s: %.180s", (unsigned)step, what,
                  keel_domain_error(p->d)->message);
    return false;
}

// Compares the hash and the number of entities with plain Keel, after all that has more to say.
static bool play_hash(play_run *p, uint32_t step) {
    const storm_plain *plain = p->part->plain;
    uint64_t hash = 0, count = 0;
    if (keel_domain_hash(p->d, &hash) < 0) return play_failed(p, step, "hash");
    if (keel_domain_count(p->d, &count) < 0) return play_failed(p, step, "count");
    if (p->ranks.rank == 0 && hash != plain->hashes[step])
        storm_problem(&p->rank, "step %u: another hash", (unsigned)step);
    if (p->ranks.rank == 0 && count != plain->censuses[step].count)
        storm_problem(&p->rank, "step %u: another count", (unsigned)step);
    return true; // the next comparison tells the others
}

static bool play_step(play_run *p, uint32_t step) {
    const storm_plan *plan = p->part->plan;
    play_weather(p->w, &p->rank, step);
    if (keel_domain_step(p->d, KEEL_WORKLOAD_OF(storm_tick)) < 0)
        return play_failed(p, step, "step");
    storm_check_rank(p->w, &p->rank, step);
    if (!storm_compare(p->ranks, p->w, &p->rank, p->part->plain, step) || !play_hash(p, step))
        return false;
    if (!plan->balance_every || step % plan->balance_every) return true;
    // all entities weigh the same, not as they took time: the storm is the same each time
    memset(p->d->least_seconds, 0, sizeof p->d->least_seconds);
    if (keel_domain_balance(p->d) < 0) return play_failed(p, step, "balance");
    storm_check_rank(p->w, &p->rank, step);
    storm_check_leaks(p->w, &p->rank);
    return play_hash(p, step);
}

void storm_play(keel_ranks ranks, void *data) {
    storm_part *part = data;
    play_run p = { .ranks = ranks, .part = part, .rank = { .plan = part->plan } };
    p.w = play_world(part->plan);
    uint64_t count;
    const uint64_t first = keel_rank_share(ranks, part->plan->entities, &count);
    for (uint64_t i = first; i < first + count && !part->begin; ++i)
        storm_add(p.w, part->plan, i + 1);
    keel_error error = { 0 };
    p.d = play_domain(ranks, p.w, part->plan, part->begin ? part->folder : NULL, &error);
    p.rank.domain = p.d;
    bool is_well = p.d != NULL;
    if (!is_well) storm_problem(&p.rank, "begin: %.200s", error.message);
    if (is_well) storm_check_rank(p.w, &p.rank, part->begin - 1);
    for (uint32_t step = part->begin; step < part->end && is_well; ++step)
        is_well = play_step(&p, step);
    if (is_well && part->saves && keel_domain_save(p.d, part->folder) < 0)
        (void)play_failed(&p, part->end, "save");
    if (ranks.rank == 0) memcpy(part->problem, p.rank.problem, sizeof part->problem);
    keel_domain_end(p.d);
    keel_world_destroy(p.w);
    play_rank_free(&p.rank);
}
