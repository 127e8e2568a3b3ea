// SPDX-License-Identifier: MIT
// epidemic: one model on several processes, with keel::mpi. README.md tells about it.
#include "play.h"
#include <stdio.h>
#include <stdlib.h>

// Returns a number that a launcher of MPI sets for each process, before MPI is initialised: bad
// options are told once, and by no more than a process.
static int launcher_number(const char *open_mpi, const char *others, int otherwise) {
    const char *text = getenv(open_mpi);
    if (!text) text = getenv(others);
    return text ? atoi(text) : otherwise;
}

// Plays on the ranks that the options ask for. Returns the exit status.
static int play_all(const options *o) {
    play_job job = { .options = o };
    const keel_ranks ranks = o->ranks ? (keel_ranks){ .count = 0 } : keel_mpi_ranks();
    if (ranks.count) {
        play(ranks, &job);
    } else if (keel_run_ranks(o->ranks ? o->ranks : 1, 1, play, &job) < 0) {
        fputs("epidemic: --ranks: the threads could not be made; take fewer\n", stderr);
        return 1;
    }
    return atomic_load(&job.status);
}

int main(int count, char *arguments[]) {
    const int rank = launcher_number("OMPI_COMM_WORLD_RANK", "PMI_RANK", 0);
    const int ranks = launcher_number("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", 1);
    options o;
    char why[240] = "";
    bool is_good = options_parse(&o, count, arguments, why);
    if (is_good && o.ranks && ranks > 1) {
        snprintf(why, sizeof why, "epidemic: --ranks: mpirun has started %d ranks; leave --ranks out", ranks);
        is_good = false;
    }
    if (!is_good && rank == 0) fprintf(stderr, "%s\n", why);
    if (!is_good) return 2;
    if (!o.help) return play_all(&o);
    if (rank == 0) fputs(options_help, stdout);
    return 0;
}
