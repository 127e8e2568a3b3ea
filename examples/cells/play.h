// SPDX-License-Identifier: MIT
// The program of one rank. main.c launches it on all of them.
#pragma once
#include "rank.h"

// Plays the colony as one of the ranks, with `options` of options.h. Rank 0 prints and writes the
// results. Returns the exit status.
int play(rank *r, const void *options);
