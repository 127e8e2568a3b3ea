// SPDX-License-Identifier: MIT
// All workloads of this storage: see `group` in workloads.h.
#include "bench.h"

#include <keel/component.h>

#if defined(BENCH_ADVISED)
#define KERNEL_IF_0(function) NULL
#define KERNEL_IF_1(function) NULL
#define KERNEL_IF_2(function) NULL
#define KERNEL_IF_3(function) NULL
#define KERNEL_IF_4(function) NULL
#define KERNEL_IF_5(function) function
#elif defined(BENCH_GROUP)
#define KERNEL_IF_0(function) NULL
#define KERNEL_IF_1(function) function
#define KERNEL_IF_2(function) function
#define KERNEL_IF_3(function) function
#define KERNEL_IF_4(function) NULL
#define KERNEL_IF_5(function) NULL
#else
#define KERNEL_IF_0(function) function
#define KERNEL_IF_1(function) function
#define KERNEL_IF_2(function) NULL
#define KERNEL_IF_3(function) (BENCH_STORAGE == KEEL_SPARSE_SET ? function : NULL)
#define KERNEL_IF_4(function) KERNEL_IF_3(function)
#define KERNEL_IF_5(function) function
#endif
#define KERNEL_ENTRY(workload, raw, warm, group, ...) KERNEL_IF_##group(BENCH_NAME(workload)),
bench_function *const BENCH_NAME(functions)[] = { BENCH_WORKLOADS(KERNEL_ENTRY) };
