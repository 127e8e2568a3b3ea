// SPDX-License-Identifier: MIT
// Positions as a time series in an SQLite database: a frame for each step.
#pragma once
#include "output_file.h"
#include <keel/keel.h>

// Give the bodies their names, which are columns of the database, and begin one.
bool sqlite_begin(output_file *output, keel_world *world, failure *why);

// Add a frame. Without SQLite this fails, and so does the option --sqlite before.
bool sqlite_write_step(const output_file *output, keel_world *world, uint64_t step, failure *why);
