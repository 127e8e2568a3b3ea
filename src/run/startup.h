// SPDX-License-Identifier: MIT
// Startup systems: one run of a workload runs each, also when several threads run it at once.
#pragma once
#include "run/schedule.h"

// May this run run the startup system of the node? False: it ran in another one, which this one has
// waited for; a run inside of another one does not wait.
bool keeli_startup_begin(keeli_schedule *s, uint32_t index);
// After that it did.
void keeli_startup_end(keeli_schedule *s, uint32_t index, bool is_done);
