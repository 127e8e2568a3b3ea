// SPDX-License-Identifier: MIT
// A schedule as the user sees it (keel/explain.h), made on demand. It has its nodes as batches,
// too, the way a scheduler with barriers would run them: each node joins the last batch unless
// something in it stands in its way. Nothing runs by that.
#pragma once
#include "base/text.h"
#include "run/schedule.h"

// The edge at place `edge` of the schedule.
keel_workload_edge keeli_describe_edge(const keeli_schedule *s, uint32_t edge);

// The whole schedule, whose nodes are described, written down (describe_write.c).
void keeli_write_text(keeli_writer *w, const keeli_schedule *s);
void keeli_write_dot(keeli_writer *w, const keeli_schedule *s);
void keeli_write_json(keeli_writer *w, const keeli_schedule *s);
// A string of JSON with its quotes, whatever bytes the text has.
void keeli_write_json_string(keeli_writer *w, const char *text);

// Timings that are kept go with the world.
void keeli_timings_deinit(keel_world *world);
