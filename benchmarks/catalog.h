// SPDX-License-Identifier: MIT
// What can be run: workloads.h and the storages of CMakeLists.txt, as data; and the goals.
#pragma once
#include "bench.h"

#include <string>
#include <vector>

struct Workload {
    std::string name;
    std::string raw; // the workload whose raw version is the limit
    bool warm;       // an untimed sample comes first
    std::vector<uint32_t> sizes;
    std::vector<uint32_t> samples; // for each size: timed samples in one repetition
};

struct Storage {
    std::string name;
    bench_function *const *functions; // in the order of the workloads; NULL: none of its own
};

const std::vector<Workload> &workloads();
const std::vector<Storage> &storages(); // raw comes first

enum class Unit { ns, times_raw, bytes };

struct Goal {
    const char *workload;
    uint32_t n;          // 0: all sizes
    const char *storage; // "": the best one that is meant for the pattern
    Unit unit;
    double limit;
};

// The goals of one row; none for most entt_ rows.
std::vector<Goal> goals_of(const std::string &workload, uint32_t n);

// The figure of a row on two threads is its fastest repetition; of others the median.
bool counts_fastest(const std::string &workload);

// workload/storage/N
std::string benchmark_name(const std::string &workload, const std::string &storage, uint32_t n);
