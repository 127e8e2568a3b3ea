// SPDX-License-Identifier: MIT
// An executor over oneTBB: what a program that uses it already would hand to a world.
#pragma once
#include <keel/executor.h>

#ifdef __cplusplus
extern "C" {
#endif

// A job system; its workers are the threads of an arena. NULL when out of memory.
keel_executor *tbb_executor_create(uint32_t worker_count);
// Waits for all jobs.
void tbb_executor_destroy(keel_executor *executor);

#ifdef __cplusplus
}
#endif
