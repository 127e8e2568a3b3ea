// SPDX-License-Identifier: MIT
// The command line of a program on several ranks: a table of its options, and those that all of them
// have. options.c of each program calls it.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The options that all programs have.
typedef struct common_options {
    uint64_t seed;
    uint32_t ranks;   // threads that are ranks; 0: the ranks of mpirun, or one
    uint32_t threads; // of each rank
    uint32_t every;   // steps between two checkpoints
    bool plain;       // one world, without keel::mpi
    bool quiet, help;
    const char *checkpoint, *restart; // folders, or NULL
} common_options;

// Their lines in the text of --help.
#define COMMON_OPTIONS_HELP                                                                        \
    "  --ranks N       play on N threads that are ranks, 1 to 64, instead of processes\n"          \
    "  --plain         play one world without keel::mpi, which is only used for the hash\n"        \
    "  --threads N     threads of each rank, 1 to 256 (default 1)\n"                               \
    "  --seed N        which run: the same number gives the same one (default 1)\n"                \
    "  --checkpoint FOLDER  save the run into a folder now and then, for --restart\n"            \
    "  --every N       steps between two checkpoints, 1 to 1000000 (default 50)\n"               \
    "  --restart FOLDER     go on from a checkpoint, on any number of ranks\n"                   \
    "  --quiet         print nothing but errors\n"                                                 \
    "  --help          print this text\n"                                                          \
    "\n"                                                                                           \
    "The results are the same for any number of ranks and threads.\n"                              \
    "Exit status: 0 done, 1 out of memory or a rank failed, 2 bad options or output.\n"

// The way in which the value of an option is read, and the type that keeps it.
typedef enum option_kind {
    OPTION_SWITCH, // no value; bool
    OPTION_TEXT,   // const char *
    OPTION_COUNT,  // uint32_t
    OPTION_WIDE,   // uint64_t
    OPTION_SHARE,  // double
} option_kind;

typedef struct option_row {
    const char *name;
    option_kind kind;
    void *value;
    double least, most; // of numbers
} option_row;

typedef struct command_line {
    const char *program; // begins each sentence
    const option_row *rows;
    size_t row_count;
    common_options *common; // set to their defaults, and read
} command_line;

// The room for a sentence about a bad command line.
enum { WHY_SIZE = 240 };

// Reads the command line. Options that are not given keep their values, but the common ones. Returns
// false after it has written a sentence to `why`.
bool command_line_read(const command_line *line, int count, char *arguments[], char why[WHY_SIZE]);
