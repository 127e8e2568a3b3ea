// SPDX-License-Identifier: MIT
// What the raw versions share. They are the physical limit: one plain array per component, and no
// handles beyond what the workload itself needs.
#pragma once
#define BENCH_SUFFIX raw
#include "bench.h"

#include <stdlib.h>
#include <string.h>

// A growing array: the least that creating one by one can do.
#define RAW_PUSH(array, count, capacity, value)                                                    \
    do {                                                                                           \
        if ((count) == (capacity)) {                                                               \
            (capacity) = (capacity) ? (capacity)*2 : 64;                                           \
            (array) = bench_grow((array), sizeof *(array) * (capacity));                           \
        }                                                                                          \
        (array)[(count)++] = (value);                                                              \
    } while (0)

#define RAW_NEW(type, count) ((type *)bench_new(sizeof(type) * (count)))

static inline long long raw_sum_positions(const Position *p, uint32_t count) {
    long long sum = 0;
    for (uint32_t i = 0; i < count; ++i)
        sum += bench_sum_of(p[i].x, p[i].y);
    return sum;
}

static inline long long raw_sum_velocities(const Velocity *v, uint32_t count) {
    long long sum = 0;
    for (uint32_t i = 0; i < count; ++i)
        sum += bench_sum_of(v[i].x, v[i].y);
    return sum;
}
