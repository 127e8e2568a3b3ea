// SPDX-License-Identifier: MIT
// For tests of the scheduler: worlds with several numbers of workers, the batches of a workload,
// and when its systems ran.
#pragma once
#include "support/api_types.h"

// ------------------------------------------------------------------ worlds
// Run the test in a new world for each number of workers: 1, 2, 4.
void with_workers(void (*test)(api_fixture *f));

// ------------------------------------------------------------------ batches
// Which systems, by their position in the lists, are in which batch: "{0 1} {2}". Commands of
// system 3 are "c3".
void assert_batches(keel_world *world, const keel_workload *workload, const char *expected);
// What kept system `position` out of the batch before; NULL: it is in the first one, or nothing.
// `node` is that system's.
const keel_workload_node *kept_out_by(keel_world *world, const keel_workload *workload,
                                      uint32_t position, keel_workload_node *node);
// Positions of the systems that have an edge to system `position`: "0 2".
void assert_waits_for(keel_world *world, const keel_workload *workload, uint32_t position,
                      const char *expected);

// ------------------------------------------------------------------ when systems ran
// Called by a system that is known by a letter: it begins, works a little, and ends.
void mark(char letter);
void forget_marks(void);
uint32_t times_marked(char letter);
// Since the last look exactly these systems ran, each once, in whatever order; for each pair of
// `order` ("ab bc") the first ended before the second began.
void assert_marks(const char *letters, const char *order);
// The same for a run of the workload, which must succeed.
void assert_runs(keel_world *world, const keel_workload *workload, const char *letters,
                 const char *order);

// Systems that touch nothing and leave their mark.
extern const keel_system mark_a, mark_b, mark_c, mark_d, mark_e;
#define MARK(letter) .system = &mark_##letter
// A workload of steps: `const keel_workload w = WORKLOAD("name", steps)`, for an array.
#define WORKLOAD(n, list)                                                                          \
    { .name = (n), .steps = (list), .step_count = sizeof(list) / sizeof *(list) }
