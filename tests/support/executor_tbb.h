// SPDX-License-Identifier: MIT
// An executor over oneTBB, as a program that uses oneTBB would pass to a world. It is no part of
// Keel: tests/run/test_executor.c and tests/determinism use it where oneTBB is installed.
#pragma once
#include <keel/executor.h>

#ifdef __cplusplus
extern "C" {
#endif

// Creates a job system whose workers are the threads of an arena. NULL if memory runs out.
keel_executor *tbb_executor_create(uint32_t worker_count);
// Waits for all jobs.
void tbb_executor_destroy(keel_executor *executor);

#ifdef __cplusplus
}
#endif
