// SPDX-License-Identifier: MIT
// The program of one rank. main.c runs it on all of them.
#pragma once
#include "options.h"
#include <keel_mpi.h>
#include <stdatomic.h>

typedef struct play_job {
    const options *options;
    atomic_int status; // exit status: 0 done, else as --help says
} play_job;

// Plays the epidemic as one of the ranks; `data` is a play_job. Rank 0 prints and writes the results.
void play(keel_ranks ranks, void *data);
