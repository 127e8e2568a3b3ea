// SPDX-License-Identifier: MIT
// Random storms of migration: entities of every kind jump from rank to rank, edit what they have,
// give birth and die. After each step all ranks together must have what plain Keel has, and ghosts
// must be as their entities. A storm is given by its seed.
// usage: mpi_storms [--storms N] [--seed S] [--ranks R] [--steps T] [--quiet] [--verbose] [--mpi]
// [--first]
// --first ends with the first problem; --mpi plays on the processes of mpirun.
#define _DEFAULT_SOURCE // mkdtemp
#include "storm.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

typedef struct options {
    uint64_t storms, seed, ranks, steps; // 0: what the seed says
    bool is_quiet, is_verbose, is_mpi, ends_early;
} options;

static char main_folder[] = "/tmp/keel_storms_XXXXXX";

static void main_clear(void) {
    DIR *all = opendir(main_folder);
    for (const struct dirent *one; all && (one = readdir(all)) != NULL;)
        (void)unlinkat(dirfd(all), one->d_name, 0);
    if (all) (void)closedir(all);
}

// Plays a part on the ranks of MPI. All of them learn whether rank 0 has found a problem.
static keel_result main_part_mpi(storm_part *part) {
    const keel_ranks ranks = keel_mpi_ranks();
    keel_rank_bytes out[64] = { { NULL, 0 } }, in[64];
    storm_play(ranks, part);
    for (uint32_t r = 0; r < ranks.count; ++r)
        if (ranks.rank == 0) out[r] = (keel_rank_bytes){ part->problem, sizeof part->problem };
    if (!ranks.exchange(ranks.self, out, in)) return KEEL_ERROR_FILE;
    memcpy(part->problem, in[0].bytes, sizeof part->problem);
    return KEEL_OK;
}

static keel_result main_part(storm_part *part, uint32_t ranks, bool is_mpi) {
    return is_mpi ? main_part_mpi(part)
                  : keel_run_ranks(ranks, part->plan->transport, storm_play, part);
}

// Plays a storm. Returns true if all is well.
static bool main_play(const storm_plan *plan, bool is_mpi) {
    storm_plain plain = { .plan = plan };
    if (!is_mpi || keel_mpi_ranks().rank == 0) plain = storm_play_plain(plan);
    const bool restarts = plan->restart_after && plan->restart_after < plan->steps;
    storm_part part = { .plan = plan, .plain = &plain, .folder = main_folder };
    part.end = restarts ? plan->restart_after : plan->steps;
    part.saves = restarts;
    uint32_t ranks = plan->ranks;
    keel_result result = main_part(&part, ranks, is_mpi);
    if (restarts && result >= 0 && !part.problem[0]) {
        part.begin = part.end;
        part.end = plan->steps;
        part.saves = false;
        ranks = plan->later_ranks;
        result = main_part(&part, ranks, is_mpi);
    }
    if (!is_mpi || keel_mpi_ranks().rank == 0) main_clear();
    storm_plain_free(&plain);
    if (result < 0) (void)snprintf(part.problem, sizeof part.problem, "ranks could not be made");
    if (part.problem[0] && (!is_mpi || keel_mpi_ranks().rank == 0))
        printf("storm %llu on %u ranks: %s\n", (unsigned long long)plan->seed, (unsigned)ranks,
               part.problem);
    return !part.problem[0];
}

// Makes the folder of checkpoints: with MPI all ranks use that of rank 0. False: it cannot be made.
static bool main_make_folder(bool is_mpi) {
    if (!is_mpi) return mkdtemp(main_folder) != NULL;
    const keel_ranks ranks = keel_mpi_ranks();
    if (ranks.count == 0 || ranks.count > 64) return false;
    keel_rank_bytes out[64] = { { NULL, 0 } }, in[64];
    if (ranks.rank == 0 && !mkdtemp(main_folder)) main_folder[0] = 0;
    for (uint32_t r = 0; r < ranks.count && ranks.rank == 0; ++r)
        out[r] = (keel_rank_bytes){ main_folder, sizeof main_folder };
    if (!ranks.exchange(ranks.self, out, in)) return false;
    memcpy(main_folder, in[0].bytes, sizeof main_folder);
    return main_folder[0] != 0;
}

static bool main_number(const char *text, uint64_t *number) {
    char *end = NULL;
    *number = text ? strtoull(text, &end, 10) : 0;
    return text && *text && !*end;
}

static bool main_options(int count, char **texts, options *o) {
    for (int i = 1; i < count; ++i) {
        uint64_t *const numbers[] = { &o->storms, &o->seed, &o->ranks, &o->steps };
        static const char *const names[] = { "--storms", "--seed", "--ranks", "--steps" };
        bool is_known = strcmp(texts[i], "--quiet") == 0;
        o->is_quiet |= is_known;
        if (strcmp(texts[i], "--verbose") == 0) o->is_verbose = is_known = true;
        if (strcmp(texts[i], "--first") == 0) o->ends_early = is_known = true;
        if (strcmp(texts[i], "--mpi") == 0) o->is_mpi = is_known = true;
        for (size_t k = 0; k < 4 && !is_known; ++k)
            if (strcmp(texts[i], names[k]) == 0) {
                if (!main_number(texts[++i], numbers[k])) return false;
                is_known = true;
            }
        if (!is_known) return false;
    }
    return o->ranks <= 64;
}

static void main_describe(const storm_plan *plan) {
    printf("storm %llu: %u ranks, %u entities, %u steps, kinds %x", (unsigned long long)plan->seed,
           (unsigned)plan->ranks, (unsigned)plan->entities, (unsigned)plan->steps,
           (unsigned)plan->kinds);
    if (plan->balance_every) printf(", a balance every %u steps", (unsigned)plan->balance_every);
    if (plan->restart_after && plan->restart_after < plan->steps)
        printf(", a restart on %u ranks after step %u", (unsigned)plan->later_ranks,
               (unsigned)plan->restart_after - 1);
    puts("");
}

int main(int count, char **texts) {
    options o = { .storms = 1, .seed = 1 };
    if (!main_options(count, texts, &o) || !main_make_folder(o.is_mpi)) {
        fputs("usage: mpi_storms [--storms N] [--seed S] [--ranks R] [--steps T] [--quiet] "
              "[--verbose] [--mpi] [--first]\n",
              stderr);
        return 2;
    }
    const bool is_first = !o.is_mpi || keel_mpi_ranks().rank == 0;
    uint64_t failures = 0;
    for (uint64_t seed = o.seed; seed < o.seed + o.storms && !(failures && o.ends_early); ++seed) {
        storm_plan plan = storm_plan_of(seed);
        plan.is_verbose = o.is_verbose;
        if (o.is_mpi) o.ranks = keel_mpi_ranks().count;
        if (o.ranks) plan.ranks = plan.later_ranks = (uint32_t)o.ranks;
        if (o.steps && o.steps < plan.steps) plan.steps = (uint32_t)o.steps;
        if (!o.is_quiet && is_first) main_describe(&plan);
        (void)fflush(stdout);
        failures += !main_play(&plan, o.is_mpi);
    }
    if (!is_first) return failures != 0;
    (void)rmdir(main_folder);
    printf("%llu storms, %llu with a problem\n", (unsigned long long)o.storms,
           (unsigned long long)failures);
    return failures != 0;
}
