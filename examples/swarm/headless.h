// SPDX-License-Identifier: MIT
// Runs the swarm without a window: for measurements, and to compare results. main.c calls it.
#pragma once
#include "options.h"

// Runs the frames and prints what they took. Returns the exit status of the program.
int headless_run(const options *o);

// Runs the frames with one thread and with all, prints the ratio and whether the results are equal. Returns the exit status: 1 if
// they are not.
int headless_compare(const options *o);
