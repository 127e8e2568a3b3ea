// SPDX-License-Identifier: MIT
// Descriptions of schedules, as the user sees them (keel/explain.h), made on demand. Running a
// workload needs none of this; describe.c, describe_write.c and timings.c use it.
// A description groups the nodes into batches, as if a barrier were between two batches: each node
// is in the last batch so far, unless it must wait for a node in that batch. Running a workload
// uses no batches.
#pragma once
#include "base/text.h"
#include "run/schedule.h"

// Returns the description of an edge of the schedule.
keel_workload_edge keeli_describe_edge(const keeli_schedule *s, uint32_t edge);

// The three functions write a schedule in one format each. The nodes of the schedule must be
// described already (describe_write.c).
void keeli_write_text(keeli_writer *w, const keeli_schedule *s);
void keeli_write_dot(keeli_writer *w, const keeli_schedule *s);
void keeli_write_json(keeli_writer *w, const keeli_schedule *s);
// Writes a string of JSON with its quotes. The text may have any bytes.
void keeli_write_json_string(keeli_writer *w, const char *text);

// Frees the timings of a world, if it has any.
void keeli_timings_deinit(keel_world *world);
