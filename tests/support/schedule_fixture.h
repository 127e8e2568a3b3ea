// SPDX-License-Identifier: MIT
// The fixture of tests of the scheduler: worlds with several numbers of workers, the batches of a
// workload, and a record of when its systems ran. Tests in tests/api include it.
#pragma once
#include "support/api_types.h"

// ------------------------------------------------------------------ worlds
// Runs the test in a new world for each number of workers: 1, 2 and 4.
void with_workers(void (*test)(api_fixture *f));

// ------------------------------------------------------------------ batches
// Asserts which systems are in each batch, by their positions in the lists: "{0 1} {2}". "c3" are
// the commands of system 3.
void assert_batches(keel_world *world, const keel_workload *workload, const char *expected);
// Returns the node that kept system `position` out of the batch before its own, or NULL if it is in
// the first batch or none did. `node` receives the node of the system itself.
const keel_workload_node *kept_out_by(keel_world *world, const keel_workload *workload,
                                      uint32_t position, keel_workload_node *node);
// Asserts the positions of the systems that have an edge to system `position`: "0 2".
void assert_waits_for(keel_world *world, const keel_workload *workload, uint32_t position,
                      const char *expected);

// ------------------------------------------------------------------ the order of systems
// Records the begin and the end of a system by its letter, with a little work between them.
void mark(char letter);
void forget_marks(void);
uint32_t times_marked(char letter);
// Asserts that since the last call exactly these systems ran, each once, and that for each pair of
// `order`
// ("ab bc") the first ended before the second began.
void assert_marks(const char *letters, const char *order);
// Runs the workload, which must succeed, and asserts the same.
void assert_runs(keel_world *world, const keel_workload *workload, const char *letters,
                 const char *order);

// Systems without parameters that only call mark.
extern const keel_system mark_a, mark_b, mark_c, mark_d, mark_e;
#define MARK(letter) .system = &mark_##letter
// The initialiser of a workload from an array of steps: `const keel_workload w = WORKLOAD("name",
// steps)`.
#define WORKLOAD(n, list)                                                                          \
    { .name = (n), .steps = (list), .step_count = sizeof(list) / sizeof *(list) }
