// SPDX-License-Identifier: MIT
// One rank of a program: its world, its domain, and what it tells rank 0, which prints and writes
// files. launch.c makes it, play.c of each program plays with it.
#pragma once
#include "command_line.h"
#include <keel_mpi.h>
#include <stdio.h>

typedef struct rank {
    const char *program; // begins each sentence
    const common_options *common;
    keel_ranks ranks;
    keel_world *world;     // play.c makes it, rank_end destroys it
    keel_domain *domain;   // NULL with --plain, until rank_hash
    keel_domain_desc desc; // of the domain
    keel_error error;      // of the last function that failed
    uint32_t steps_before; // that were played before this run: 0 without --restart
    // private
    keel_rank_bytes *out, *in; // one for each rank
} rank;

// Begins a rank without a world. Returns false when out of memory; rank_end is good then, too.
bool rank_begin(rank *r, const char *program, const common_options *common, keel_ranks ranks);

// Ends the domain, destroys the world, and frees what the rank has.
void rank_end(rank *r);

bool rank_is_first(const rank *r);

// Prints a sentence, on rank 0. Returns `status`.
int rank_complain(const rank *r, int status, const char *name, const char *why);

// ---- steps --------------------------------------------------------------------------------------

// Begins a domain with the world; `.ranks` and `.error` are set here. With --plain it only keeps the
// descriptor. Returns false after it has set r->error, on all ranks.
bool rank_begin_domain(rank *r, const keel_domain_desc *desc);

// Plays one step, with --plain by keel_run_workload, and saves a checkpoint if one is due. An error is
// in r->error, on all ranks.
keel_result rank_step(rank *r, const keel_workload *workload);

// Hashes all entities: the same for any number of ranks, and with --plain.
keel_result rank_hash(rank *r, uint64_t *hash);

// Prints r->error, on rank 0. Returns the exit status.
int rank_complain_error(const rank *r);

// ---- restarts -----------------------------------------------------------------------------------

// An option that the restarted run and that of the checkpoint must have in common.
typedef struct rank_option {
    const char *name;
    uint64_t saved, given;
    bool is_derived; // the numbers follow from the value, and would tell nothing
} rank_option;

// Compares the options of a restart with those of the checkpoint, and whether there are steps left to
// play: `steps` is the value of the option `name`. Returns the exit status; 0 without --restart.
int rank_check_restart(const rank *r, const char *name, uint32_t steps, const rank_option *options, size_t count);

// ---- what ranks tell rank 0 ---------------------------------------------------------------------

// The work of all ranks so far.
typedef struct rank_totals {
    uint64_t ghosts, moved;
    uint64_t balances;
    double seconds;        // of all ranks together, in steps
    double seconds_ranks;  // of these in ghosts, moves and balance
    double imbalance;      // slowest rank to average; 1: none
} rank_totals;

// Adds up the work of all ranks, on rank 0; it is zero on others. All ranks call it together. Returns
// false when another rank has stopped.
bool rank_add_up(rank *r, rank_totals *totals);

// Gathers arrays of all ranks on rank 0, in the order of ranks. All ranks call it together.
// Returns an array that the caller frees, with `*count` items; elsewhere one without items. NULL
// after it has complained.
void *rank_gather(rank *r, const void *items, size_t count, size_t item_size, size_t *all);

// ---- files --------------------------------------------------------------------------------------

// Tells all ranks whether rank 0 can write these files, and the folder of --checkpoint; NULL among them
// is none. A long run must not end with that. Returns the exit status.
int rank_check_files(rank *r, const char *const *names, size_t count);

// Writes a file, on rank 0. Returns the exit status.
int rank_write_file(const rank *r, const char *name, bool (*write)(const void *data, FILE *file),
                    const void *data);
