// SPDX-License-Identifier: MIT
// Workloads, storages and goals as data.
#include "catalog.h"

#include "storages.h" // written by CMake: BENCH_STORAGES(X)

#define BENCH_EXTERN(storage) extern bench_function *const bench_functions_##storage[];
extern "C" {
BENCH_STORAGES(BENCH_EXTERN)
}

const std::vector<Storage> &storages() {
#define BENCH_STORAGE_ENTRY(storage) { #storage, bench_functions_##storage },
    static const std::vector<Storage> all = { BENCH_STORAGES(BENCH_STORAGE_ENTRY) };
    return all;
}

const std::vector<Workload> &workloads() {
#define BENCH_LIST(...)                                                                            \
    { __VA_ARGS__ }
#define BENCH_WORKLOAD_ENTRY(workload, raw, warm, group, sizes, samples)                           \
    { #workload, #raw, warm != 0, BENCH_LIST sizes, BENCH_LIST samples },
    static const std::vector<Workload> all = { BENCH_WORKLOADS(BENCH_WORKLOAD_ENTRY) };
    return all;
}

// Nanoseconds are those of one machine (2 virtual CPUs, Zen 4). Elsewhere look at the raw column
// first: what is left of a difference is the library's.
static const Goal goals[] = {
    { "create_empty", 0, "", Unit::ns, 2.4 },
    { "create_empty_bulk", 0, "", Unit::ns, 0.6 },
    { "create_2", 0, "", Unit::ns, 9.5 },
    { "create_2_pointer", 0, "", Unit::ns, 11.5 },
    { "create_2_bulk", 0, "", Unit::ns, 1.8 },
    { "create_2_cold", 0, "", Unit::ns, 30 },
    { "create_2_bulk_cold", 0, "", Unit::ns, 16 },
    { "memory_2", 0, "indexed", Unit::bytes, 26 },
    { "memory_2", 0, "archetype", Unit::bytes, 37 },
    { "memory_2_bulk", 0, "indexed", Unit::bytes, 26 },
    { "memory_2_bulk", 0, "archetype", Unit::bytes, 37 },
    { "destroy_2", 0, "", Unit::ns, 5.5 },
    { "destroy_2_64types", 0, "", Unit::ns, 5.5 },
    { "destroy_2_500types", 0, "", Unit::ns, 5.5 },
    { "add_1", 0, "", Unit::ns, 3.7 },
    { "add_1_pointer", 0, "", Unit::ns, 6.3 },
    { "remove_1", 0, "", Unit::ns, 2.8 },
    { "get_random", 10000, "", Unit::ns, 1.5 },
    { "get_random", 100000, "", Unit::ns, 2.3 },
    { "get_random", 1000000, "", Unit::ns, 5.0 },
    { "get_random_checked", 10000, "", Unit::ns, 2.6 },
    { "get_random_checked", 100000, "", Unit::ns, 4.0 },
    { "get_random_checked", 1000000, "", Unit::ns, 9.0 },
    { "iter_1", 0, "", Unit::times_raw, 1.1 },
    { "iter_2", 0, "", Unit::times_raw, 1.15 },
    { "iter_3", 0, "", Unit::times_raw, 1.15 },
    { "iter_2_half", 0, "archetype", Unit::times_raw, 1.2 },
    { "iter_2_half", 10000, "indexed", Unit::ns, 0.6 },
    { "iter_2_half", 100000, "indexed", Unit::ns, 0.6 },
    { "iter_2_half", 1000000, "indexed", Unit::ns, 0.75 },
    { "iter_2_half", 0, "sparse", Unit::ns, 1.2 },
    { "iter_2_sparse1pct", 0, "archetype", Unit::times_raw, 1.3 },
    { "iter_2_sparse1pct", 10000, "indexed", Unit::ns, 1.9 },
    { "iter_2_sparse1pct", 1000000, "indexed", Unit::ns, 4.0 },
    { "iter_2_sparse1pct", 0, "sparse", Unit::ns, 1.5 },
    { "iter_excl", 0, "archetype", Unit::times_raw, 1.2 },
    { "iter_excl", 10000, "indexed", Unit::ns, 0.6 },
    { "iter_excl", 100000, "indexed", Unit::ns, 0.6 },
    { "iter_excl", 1000000, "indexed", Unit::ns, 0.75 },
    { "iter_excl", 0, "sparse", Unit::ns, 1.5 },
    { "simple_iter", 0, "", Unit::times_raw, 1.15 },
    { "frag_iter", 0, "", Unit::ns, 0.10 },
    { "frag_many", 0, "indexed", Unit::times_raw, 1.3 },
    { "frag_many", 0, "archetype", Unit::ns, 0.5 },
    { "heavy_seq", 0, "", Unit::times_raw, 1.02 },
    { "heavy_par", 0, "", Unit::times_raw, 1.03 },
    { "schedule_seq", 0, "", Unit::times_raw, 1.2 },
    { "schedule_par", 0, "", Unit::ns, 0.09 },
    { "threads_graph", 0, "", Unit::times_raw, 1.05 },
    { "threads_split", 0, "", Unit::times_raw, 1.05 },
    { "empty_system", 0, "", Unit::ns, 2.0 },
    { "churn_frame", 0, "", Unit::ns, 45000 },
    { "change_mark", 0, "", Unit::ns, 4.6 },
    { "change_iter", 0, "", Unit::ns, 1.3 },
    { "change_none", 0, "", Unit::ns, 20 },
    { "observer_add", 0, "", Unit::ns, 6.5 },
    { "hier_attach", 0, "", Unit::ns, 9 },
    { "hier_traverse", 0, "", Unit::ns, 3 },
    { "hier_destroy", 0, "", Unit::ns, 8 },
    { "tree_target", 0, "", Unit::times_raw, 6 },
    { "tree_up", 0, "", Unit::times_raw, 2 },
    { "tree_up_shuffled", 0, "", Unit::times_raw, 3 },
    { "tree_up_edited", 0, "", Unit::times_raw, 3.5 },
    { "tree_up_edited_shuffled", 0, "", Unit::times_raw, 6 },
    { "tree_changed_none", 0, "", Unit::ns, 5000 },
    // 0.85 of memcpy's speed over the snapshot's bytes: 125, 94 and 97 for 80 of values
    { "snapshot_take", 0, "sparse", Unit::times_raw, 1.84 },
    { "snapshot_take", 0, "indexed", Unit::times_raw, 1.38 },
    { "snapshot_take", 0, "archetype", Unit::times_raw, 1.43 },
    { "snapshot_restore", 0, "sparse", Unit::times_raw, 1.84 },
    { "snapshot_restore", 0, "indexed", Unit::times_raw, 1.38 },
    { "snapshot_restore", 0, "archetype", Unit::times_raw, 1.43 },
    { "snapshot_take_none", 0, "", Unit::times_raw, 0.02 },
    { "snapshot_take_side", 0, "", Unit::times_raw, 0.02 },
    { "snapshot_take_mark", 0, "", Unit::times_raw, 0.08 },
    { "save_mixed", 0, "", Unit::times_raw, 0.77 },
    { "save_mixed_size", 0, "", Unit::bytes, 38.4 }, // 2.5 : 1
    { "load_mixed", 0, "", Unit::ns, 192 },          // 500 MB/s
    { "autosave", 0, "", Unit::ns, 10e6 },           // of a frame
};

// Others get the second processor now and then: the fastest repetition had it.
bool counts_fastest(const std::string &workload) {
    const std::string end = "_par";
    return workload.size() > end.size() &&
           workload.compare(workload.size() - end.size(), end.size(), end) == 0;
}

std::vector<Goal> goals_of(const std::string &workload, uint32_t n) {
    std::vector<Goal> found;
    // What the goals say of 1 % of the entities is for up to a million of them.
    if (n > 1000000) return found;
    for (const Goal &goal : goals)
        if (workload == goal.workload && (goal.n == 0 || goal.n == n)) found.push_back(goal);
    return found;
}

std::string benchmark_name(const std::string &workload, const std::string &storage, uint32_t n) {
    return workload + "/" + storage + "/" + std::to_string(n);
}
