// SPDX-License-Identifier: MIT
// The table of positions: jd,name,x,y,z.
#pragma once
#include "output_file.h"
#include <keel/keel.h>

// The header line.
bool csv_begin(const output_file *output, failure *why);

// A row for each body that has a name, in the order of the data file. Asteroids have none.
bool csv_write_step(const output_file *output, keel_world *world, double jd, failure *why);

// The same for bodies whose position changed since the reader's last time, in the order of change.
bool csv_write_changes(const output_file *output, keel_reader *reader, double jd, failure *why);
