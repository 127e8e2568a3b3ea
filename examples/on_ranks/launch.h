// SPDX-License-Identifier: MIT
// The main of a program on several ranks: it reads the options, and chooses between the processes of
// mpirun, threads (--ranks) and one world (--plain). main.c of each program calls it.
#pragma once
#include "command_line.h"
#include "rank.h"

typedef struct launch_program {
    const char *name, *help;
    void *options;                // of the program
    const common_options *common; // those among them
    // Reads the options; false after it has written a sentence.
    bool (*parse)(void *options, int count, char *arguments[], char why[WHY_SIZE]);
    // Plays on one rank. Returns the exit status.
    int (*play)(rank *r, const void *options);
} launch_program;

// Runs the program. Returns its exit status.
int launch(const launch_program *program, int count, char *arguments[]);
