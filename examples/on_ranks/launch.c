// SPDX-License-Identifier: MIT
// Starts a program on its ranks. main.c of each program calls it.
#include "launch.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

// What all ranks of this process share.
typedef struct launch_job {
    const launch_program *program;
    atomic_int status; // exit status: 0 done, else as --help says
} launch_job;

// Returns a number that a launcher of MPI sets for each process, before MPI is initialised: bad
// options are told once, and by no more than a process.
static int launcher_number(const char *open_mpi, const char *others, int otherwise) {
    const char *text = getenv(open_mpi);
    if (!text) text = getenv(others);
    return text ? atoi(text) : otherwise;
}

static void launch_rank(keel_ranks ranks, void *data) {
    launch_job *job = data;
    const launch_program *program = job->program;
    rank r;
    int status = 1;
    if (rank_begin(&r, program->name, program->common, ranks))
        status = program->play(&r, program->options);
    int none = 0;
    if (status) atomic_compare_exchange_strong(&job->status, &none, status);
    rank_end(&r);
}

// Plays on the ranks that the options ask for. Returns the exit status.
static int launch_all(const launch_program *program) {
    const common_options *o = program->common;
    launch_job job = { .program = program };
    const keel_ranks ranks = o->ranks || o->plain ? (keel_ranks){ .count = 0 } : keel_mpi_ranks();
    if (ranks.count) {
        launch_rank(ranks, &job);
    } else if (keel_run_ranks(o->ranks ? o->ranks : 1, 1, launch_rank, &job) < 0) {
        fprintf(stderr, "%s: --ranks: the threads could not be made; take fewer\n", program->name);
        return 1;
    }
    return atomic_load(&job.status);
}

int launch(const launch_program *program, int count, char *arguments[]) {
    const int own_rank = launcher_number("OMPI_COMM_WORLD_RANK", "PMI_RANK", 0);
    const int ranks = launcher_number("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", 1);
    const common_options *o = program->common;
    char why[WHY_SIZE] = "";
    bool is_good = program->parse(program->options, count, arguments, why);
    if (is_good && (o->ranks || o->plain) && ranks > 1) {
        const char *name = o->plain ? "--plain" : "--ranks";
        snprintf(why, sizeof why, "%s: %s: mpirun has started %d ranks; leave %s out", program->name, name, ranks, name);
        is_good = false;
    }
    if (!is_good && own_rank == 0) fprintf(stderr, "%s\n", why);
    if (!is_good) return 2;
    if (!o->help) return launch_all(program);
    if (own_rank == 0) fputs(program->help, stdout);
    return 0;
}
