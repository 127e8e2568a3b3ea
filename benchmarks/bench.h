// SPDX-License-Identifier: MIT
// What the raw and the Keel version of a workload share: the run with its timer, the components,
// the constants, and the names of their functions.
#pragma once
#include "workloads.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// One repetition of one benchmark: untimed samples first, then timed ones. A workload function sets
// up, takes samples while bench_next says so, and cleans up; only what stands between bench_start
// and bench_stop is timed.
typedef struct bench_run {
    uint32_t n;      // the size in the benchmark's name
    double items;    // in one sample: set by the workload
    double ns;       // of the current sample
    double started;  // when bench_start was called
    double bytes;    // memory rows: resident bytes that the sample added; others: 0
    long long sum;   // checksum after the last sample: the same for all storages
    char error[320]; // what went wrong; empty: nothing
    bool (*next)(struct bench_run *run);
    void *host; // of `next`
} bench_run;

typedef void bench_function(bench_run *run);

static inline bool bench_next(bench_run *run) { return run->next(run); }

// ---- bench.c: the machine ----
double bench_now(void);                      // nanoseconds
void *bench_new(size_t bytes);               // never NULL
void *bench_touched(size_t bytes);           // the same with its pages resident: for handles
void *bench_grow(void *block, size_t bytes); // realloc that never fails
uint32_t *bench_shuffled(uint32_t n);        // 0 to n - 1 in an order that is always the same
double bench_resident(void);                 // bytes of this process in memory
void bench_give_back(void);                  // return free memory: the next use faults pages in
void bench_pin_malloc(void); // no mmap, no trimming: a loop costs the same each time
double bench_worst(const double *ns, uint32_t n);
double bench_percentile(double *ns, uint32_t n, double fraction); // sorts

static inline void bench_start(bench_run *run) { run->started = bench_now(); }
static inline void bench_stop(bench_run *run) { run->ns += bench_now() - run->started; }

// Memory may be read and written here: a compiler keeps each pass of a loop.
#define BENCH_BARRIER() __asm__ volatile("" ::: "memory")
// The memory behind `pointer` is looked at: a compiler keeps the allocation and the stores.
#define BENCH_OBSERVE(pointer) __asm__ volatile("" : : "r"(pointer) : "memory")

// ---- components, the same for every version ----
typedef struct Position {
    float x, y;
} Position;
typedef struct Velocity {
    float x, y;
} Velocity;
typedef struct Acceleration {
    float x, y;
} Acceleration;
typedef struct Transform {
    float m[16];
} Transform;
typedef struct Position3 {
    float x, y, z;
} Position3;
typedef struct Rotation3 {
    float x, y, z;
} Rotation3;
typedef struct Velocity3 {
    float x, y, z;
} Velocity3;

// Those of the entt_ rows, as EnTT's benchmark has them.
typedef struct EnttPosition {
    uint64_t x, y;
} EnttPosition;
typedef struct EnttVelocity {
    uint64_t x, y;
} EnttVelocity;
typedef struct EnttComp {
    int x;
} EnttComp;

static inline Position bench_position(uint32_t i) {
    const Position p = { (float)(i & 1023), 1.0f };
    return p;
}
static inline Velocity bench_velocity(uint32_t i) {
    const Velocity v = { (float)(i & 7), 1.0f };
    return v;
}
static inline Acceleration bench_acceleration(uint32_t i) {
    const Acceleration a = { (float)(i & 1), 0.0f };
    return a;
}
static inline long long bench_sum_of(float x, float y) { return (long long)(x + 3 * y); }

Transform bench_rotation(float angle);        // around x
void bench_heavy(Transform *m, Position3 *p); // 100 inversions, then p = m * p: never inlined
// One step of iter_3.
#define BENCH_DT 0.5f

// Those of the tree_ rows: from the own space to another one, 2-D, columns of a matrix.
typedef struct Affine {
    float a, b, c, d, x, y;
} Affine;
static inline Affine bench_affine(uint32_t i) {
    const Affine m = { 1, 0, 0, 1, (float)(i & 7), 1.0f };
    return m;
}
static inline Affine bench_affine_mul(Affine to, Affine by) {
    const Affine m = { to.a * by.a + to.c * by.b,        to.b * by.a + to.d * by.b,
                       to.a * by.c + to.c * by.d,        to.b * by.c + to.d * by.d,
                       to.a * by.x + to.c * by.y + to.x, to.b * by.x + to.d * by.y + to.y };
    return m;
}

// ---- constants ----
enum {
    BENCH_FRAG_SETS = 26,
    BENCH_FRAG_EACH = 20,
    BENCH_FRAG_PASSES = 100, // the value doubles each pass: 2^100 is a float
    BENCH_MARKERS = 10,      // frag_many: 1,024 sets
    BENCH_SCHEDULE_SET = 10000,
    BENCH_SCHEDULE_RUNS = 51, // odd: the swaps do not cancel out
    BENCH_SYSTEMS = 100,
    BENCH_SYSTEM_RUNS = 200,
    BENCH_TOGGLES = 1000,
    BENCH_FRAMES = 60,
    BENCH_PERCENTILE_FRAMES = 1000,
    BENCH_WORST_PASSES = 3,
    BENCH_ROOTS = 1000,
    BENCH_CHILDREN = 10,
    BENCH_TREE = 11,              // entities of a prefab
    BENCH_TARGETS = 1000,         // of relations,
    BENCH_DEGREE = 4,             // and of a source that has several
    BENCH_SORT_LATE = 3,          // almost sorted: values at the wrong end
    BENCH_ENTT_ONE = 500000,      // the only entity with a position, in the _one rows
    BENCH_ENTT_START = 500000,    // pathological: entities at first,
    BENCH_ENTT_ROUNDS = 10,       // then so often: some lose something, some go,
    BENCH_ENTT_EACH_ROUND = 50000 // and so many come
};

// Passes in one sample of a loop over `n` items: 4 million items, whatever the size.
static inline uint32_t bench_passes(uint32_t n) { return n >= 4000000 ? 1 : 4000000 / n; }
// The same for get_random, which costs up to 100 times more.
static inline uint32_t bench_get_passes(uint32_t n) { return n >= 1000000 ? 1 : 1000000 / n; }

// The same for the entt_ rows; a pass over one entity is not repeated a million times.
static inline uint32_t bench_entt_passes(uint32_t n) { return n < 4000 ? 1000 : bench_passes(n); }

// Hierarchy: roots, then children, then grandchildren. UINT32_MAX for a root.
static inline uint32_t bench_parent(uint32_t i) {
    const uint32_t roots = BENCH_ROOTS, grandchildren = roots + roots * BENCH_CHILDREN;
    if (i < roots) return UINT32_MAX;
    return i < grandchildren ? (i - roots) / BENCH_CHILDREN
                             : roots + (i - grandchildren) / BENCH_CHILDREN;
}

// ---- sorting: positions whose x is what is sorted by ----
typedef enum bench_sort {
    BENCH_SORT_RANDOM,
    BENCH_SORT_REVERSED, // ascending, to be sorted descending
    BENCH_SORT_ALMOST    // ascending, but BENCH_SORT_LATE of them come last
} bench_sort;
EnttPosition *bench_sort_input(bench_sort how, uint32_t n); // for free()
static inline uint32_t bench_sort_late(uint32_t k) { return k * 50000; }
// A checksum of which value is where.
static inline long long bench_order_sum(uint32_t at, uint64_t x) {
    return (long long)(at % 1000 * x);
}

// ---- names: bench_<workload>_<suffix> ----
#ifdef BENCH_SUFFIX
#define BENCH_NAME_2(workload, suffix) bench_##workload##_##suffix
#define BENCH_NAME_1(workload, suffix) BENCH_NAME_2(workload, suffix)
#define BENCH_NAME(workload) BENCH_NAME_1(workload, BENCH_SUFFIX)
#define BENCH_DECLARE(workload, ...) bench_function BENCH_NAME(workload);
BENCH_WORKLOADS(BENCH_DECLARE)
#undef BENCH_DECLARE
// A workload; in the body `run` is the bench_run.
#define BENCH_WORKLOAD(workload)                                                                   \
    __attribute__((noinline)) void BENCH_NAME(workload)(bench_run * run)
// A part that several workloads share and each compiles for itself.
#define BENCH_SHARED static inline __attribute__((always_inline))
// The workloads of this storage in the order of BENCH_WORKLOADS; NULL: it has none of its own.
extern bench_function *const BENCH_NAME(functions)[];
#endif

#ifdef __cplusplus
}
#endif
