// SPDX-License-Identifier: MIT
// When systems ran: a ring of entries, if the user wants it (keel_timings_begin).
#pragma once
#include "run/context.h"

#include <keel/timing.h>

// The context's system begins, on its lane: a number for keeli_timings_leave. Only while timings
// are kept.
uint64_t keeli_timings_enter(const keel_context *context);
void keeli_timings_leave(keel_world *world, uint64_t number);
// A workload begins that is not part of another one.
void keeli_timings_count_frame(keel_world *world);
void keeli_timings_deinit(keel_world *world);
