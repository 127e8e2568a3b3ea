// SPDX-License-Identifier: MIT
// Raw versions: creating, destroying, adding, removing, looking up, memory, hierarchy.
#include "raw.h"

#include <math.h>

// ---- create ----
// Arrays with room for all, whose pages are there already. In the _cold rows they grow from
// nothing, in memory that the system has to provide first.
typedef struct rows {
    Position *p;
    Velocity *v;
    uint32_t *versions;
} rows;

static rows new_rows(uint32_t n) {
    const rows r = { bench_touched(n * sizeof *r.p), bench_touched(n * sizeof *r.v),
                     bench_touched(n * sizeof *r.versions) };
    return r;
}
static void free_rows(rows *r) {
    free(r->p);
    free(r->v);
    free(r->versions);
}

BENCH_WORKLOAD(create_empty) {
    const uint32_t n = run->n;
    uint64_t *handles = bench_touched(n * sizeof *handles);
    uint32_t *versions = bench_touched(n * sizeof *versions);
    run->items = n;
    while (bench_next(run)) {
        bench_start(run);
        for (uint32_t i = 0; i < n; ++i) {
            versions[i] = 0;
            handles[i] = i;
            BENCH_BARRIER();
        }
        bench_stop(run);
        run->sum = n;
    }
    free(versions);
    free(handles);
}

BENCH_WORKLOAD(create_empty_cold) {
    const uint32_t n = run->n;
    uint64_t *handles = bench_touched(n * sizeof *handles);
    run->items = n;
    while (bench_next(run)) {
        uint32_t *versions = NULL, count = 0, capacity = 0;
        bench_give_back();
        bench_start(run);
        for (uint32_t i = 0; i < n; ++i) {
            RAW_PUSH(versions, count, capacity, 0u);
            BENCH_OBSERVE(versions);
            handles[i] = i;
        }
        bench_stop(run);
        run->sum = count;
        free(versions);
    }
    free(handles);
}

BENCH_WORKLOAD(create_empty_bulk) {
    const uint32_t n = run->n;
    uint64_t *handles = bench_touched(n * sizeof *handles);
    uint32_t *versions = bench_touched(n * sizeof *versions);
    run->items = n;
    while (bench_next(run)) {
        bench_start(run);
        for (uint32_t i = 0; i < n; ++i) {
            versions[i] = 0;
            handles[i] = i;
        }
        BENCH_OBSERVE(versions);
        bench_stop(run);
        run->sum = n;
    }
    free(versions);
    free(handles);
}

BENCH_WORKLOAD(create_2) {
    const uint32_t n = run->n;
    uint64_t *handles = bench_touched(n * sizeof *handles);
    rows r = new_rows(n);
    run->items = n;
    while (bench_next(run)) {
        bench_start(run);
        for (uint32_t i = 0; i < n; ++i) {
            r.versions[i] = 0;
            r.p[i] = bench_position(i);
            r.v[i] = bench_velocity(i);
            handles[i] = i;
            BENCH_BARRIER();
        }
        bench_stop(run);
        run->sum = raw_sum_positions(r.p, n) + raw_sum_velocities(r.v, n);
    }
    free_rows(&r);
    free(handles);
}

BENCH_WORKLOAD(create_2_cold) {
    const uint32_t n = run->n;
    uint64_t *handles = bench_touched(n * sizeof *handles);
    run->items = n;
    while (bench_next(run)) {
        rows r = { NULL, NULL, NULL };
        uint32_t np = 0, nv = 0, count = 0, cp = 0, cv = 0, capacity = 0;
        bench_give_back();
        bench_start(run);
        for (uint32_t i = 0; i < n; ++i) {
            RAW_PUSH(r.versions, count, capacity, 0u);
            RAW_PUSH(r.p, np, cp, bench_position(i));
            RAW_PUSH(r.v, nv, cv, bench_velocity(i));
            handles[i] = i;
            BENCH_OBSERVE(r.versions);
            BENCH_OBSERVE(r.p);
            BENCH_OBSERVE(r.v);
        }
        bench_stop(run);
        run->sum = raw_sum_positions(r.p, n) + raw_sum_velocities(r.v, n);
        free_rows(&r);
    }
    free(handles);
}

BENCH_SHARED void create_2_bulk(bench_run *run, bool cold) {
    const uint32_t n = run->n;
    rows from = new_rows(n);
    uint64_t *handles = bench_touched(n * sizeof *handles);
    for (uint32_t i = 0; i < n; ++i) {
        from.p[i] = bench_position(i);
        from.v[i] = bench_velocity(i);
    }
    rows to = { NULL, NULL, NULL };
    if (!cold) to = new_rows(n);
    run->items = n;
    while (bench_next(run)) {
        if (cold) bench_give_back();
        bench_start(run);
        if (cold) to = (rows){ RAW_NEW(Position, n), RAW_NEW(Velocity, n), RAW_NEW(uint32_t, n) };
        BENCH_OBSERVE(to.p);
        BENCH_OBSERVE(to.v);
        BENCH_OBSERVE(to.versions);
        memcpy(to.p, from.p, n * sizeof *to.p);
        memcpy(to.v, from.v, n * sizeof *to.v);
        for (uint32_t i = 0; i < n; ++i) {
            to.versions[i] = 0;
            handles[i] = i;
        }
        BENCH_OBSERVE(to.p);
        BENCH_OBSERVE(to.v);
        BENCH_OBSERVE(to.versions);
        bench_stop(run);
        run->sum = raw_sum_positions(to.p, n) + raw_sum_velocities(to.v, n);
        if (cold) free_rows(&to);
    }
    if (!cold) free_rows(&to);
    free_rows(&from);
    free(handles);
}

BENCH_WORKLOAD(create_2_bulk) { create_2_bulk(run, false); }
BENCH_WORKLOAD(create_2_bulk_cold) { create_2_bulk(run, true); }

static void note_shorter(double *best, double ns) {
    if (ns < *best) *best = ns;
}

BENCH_WORKLOAD(create_2_worst) {
    const uint32_t n = run->n;
    double *best = RAW_NEW(double, n);
    run->items = 1;
    while (bench_next(run)) {
        for (uint32_t i = 0; i < n; ++i)
            best[i] = HUGE_VAL;
        for (int pass = 0; pass < BENCH_WORST_PASSES; ++pass) {
            Position *p = NULL;
            Velocity *v = NULL;
            uint32_t *versions = NULL;
            uint32_t np = 0, nv = 0, count = 0, cp = 0, cv = 0, capacity = 0;
            for (uint32_t i = 0; i < n; ++i) {
                const double started = bench_now();
                RAW_PUSH(versions, count, capacity, 0u);
                RAW_PUSH(p, np, cp, bench_position(i));
                RAW_PUSH(v, nv, cv, bench_velocity(i));
                note_shorter(&best[i], bench_now() - started);
            }
            run->sum = raw_sum_positions(p, n) + raw_sum_velocities(v, n);
            free(p);
            free(v);
            free(versions);
        }
        run->ns = bench_worst(best, n);
    }
    free(best);
}

// ---- memory: exact arrays, 4 bytes for the version and 16 of values ----
BENCH_WORKLOAD(memory_2) {
    const uint32_t n = run->n;
    run->items = n;
    while (bench_next(run)) {
        bench_give_back();
        const double before = bench_resident();
        bench_start(run);
        Position *p = RAW_NEW(Position, n);
        Velocity *v = RAW_NEW(Velocity, n);
        uint32_t *versions = RAW_NEW(uint32_t, n);
        for (uint32_t i = 0; i < n; ++i) {
            p[i] = bench_position(i);
            v[i] = bench_velocity(i);
            versions[i] = 0;
        }
        BENCH_OBSERVE(p);
        BENCH_OBSERVE(v);
        BENCH_OBSERVE(versions);
        bench_stop(run);
        run->bytes = bench_resident() - before;
        run->sum = raw_sum_positions(p, n) + raw_sum_velocities(v, n);
        free(p);
        free(v);
        free(versions);
    }
}

// The values alone.
static void memory_of(bench_run *run, size_t size) {
    run->items = run->n;
    while (bench_next(run)) {
        bench_start(run);
        bench_stop(run);
        run->bytes = (double)size * run->n;
        run->sum = 0;
    }
}

BENCH_WORKLOAD(memory_8_all) { memory_of(run, sizeof(Position)); }
BENCH_WORKLOAD(memory_64_all) { memory_of(run, sizeof(Transform)); }

// ---- destroy: the last row takes the place of the one that goes, found through a row index ----
BENCH_WORKLOAD(destroy_2) {
    const uint32_t n = run->n;
    Position *p = RAW_NEW(Position, n);
    Velocity *v = RAW_NEW(Velocity, n);
    uint32_t *row = RAW_NEW(uint32_t, n), *id = RAW_NEW(uint32_t, n);
    uint32_t *versions = bench_touched(n * sizeof *versions);
    run->items = n;
    while (bench_next(run)) {
        for (uint32_t i = 0; i < n; ++i) {
            p[i] = bench_position(i);
            v[i] = bench_velocity(i);
            row[i] = id[i] = i;
        }
        uint32_t count = n;
        bench_start(run);
        for (uint32_t i = 0; i < n; ++i) {
            const uint32_t at = row[i], last = --count;
            p[at] = p[last];
            v[at] = v[last];
            id[at] = id[last];
            row[id[at]] = at;
            ++versions[i];
            BENCH_BARRIER();
        }
        bench_stop(run);
        run->sum = count;
    }
    free(p);
    free(v);
    free(row);
    free(id);
    free(versions);
}

// ---- add, remove: a sparse set ----
typedef enum half { ADD, REMOVE } half;

BENCH_SHARED void add_and_remove(bench_run *run, half timed) {
    const uint32_t n = run->n;
    Velocity *v = bench_touched(n * sizeof *v);
    uint32_t *sparse = bench_touched(n * sizeof *sparse);
    uint32_t *dense = bench_touched(n * sizeof *dense);
    run->items = n;
    while (bench_next(run)) {
        uint32_t count = 0;
        bench_start(run);
        for (uint32_t i = 0; i < n; ++i) {
            v[count] = bench_velocity(i);
            dense[count] = i;
            sparse[i] = count++;
            BENCH_BARRIER();
        }
        if (timed == ADD) bench_stop(run);
        run->sum = raw_sum_velocities(v, count);
        bench_start(run);
        for (uint32_t i = 0; i < n; ++i) {
            const uint32_t at = sparse[i], last = --count;
            v[at] = v[last];
            dense[at] = dense[last];
            sparse[dense[at]] = at;
            BENCH_BARRIER();
        }
        if (timed == REMOVE) bench_stop(run);
        run->sum += count;
    }
    free(v);
    free(sparse);
    free(dense);
}

BENCH_WORKLOAD(add_1) { add_and_remove(run, ADD); }
BENCH_WORKLOAD(remove_1) { add_and_remove(run, REMOVE); }

BENCH_WORKLOAD(add_1_worst) {
    const uint32_t n = run->n;
    double *best = RAW_NEW(double, n);
    run->items = 1;
    while (bench_next(run)) {
        for (uint32_t i = 0; i < n; ++i)
            best[i] = HUGE_VAL;
        for (int pass = 0; pass < BENCH_WORST_PASSES; ++pass) {
            Velocity *v = NULL;
            uint32_t *sparse = NULL, *dense = NULL;
            uint32_t nv = 0, ns = 0, nd = 0, cv = 0, cs = 0, cd = 0;
            for (uint32_t i = 0; i < n; ++i) {
                const double started = bench_now();
                RAW_PUSH(v, nv, cv, bench_velocity(i));
                RAW_PUSH(dense, nd, cd, i);
                RAW_PUSH(sparse, ns, cs, i);
                note_shorter(&best[i], bench_now() - started);
            }
            run->sum = raw_sum_velocities(v, n);
            free(v);
            free(sparse);
            free(dense);
        }
        run->ns = bench_worst(best, n);
    }
    free(best);
}

// ---- look up ----
static __attribute__((noinline)) long long sum_at(const Position *p, const uint32_t *order,
                                                  uint32_t n) {
    long long sum = 0;
    for (uint32_t i = 0; i < n; ++i)
        sum += (int)p[order[i]].x;
    return sum;
}

BENCH_WORKLOAD(get_random) {
    const uint32_t n = run->n, passes = bench_get_passes(n);
    uint32_t *order = bench_shuffled(n);
    Position *p = RAW_NEW(Position, n);
    for (uint32_t i = 0; i < n; ++i)
        p[i] = bench_position(i);
    run->items = (double)n * passes;
    while (bench_next(run)) {
        long long sum = 0;
        bench_start(run);
        for (uint32_t k = 0; k < passes; ++k) {
            sum += sum_at(p, order, n);
            BENCH_BARRIER();
        }
        bench_stop(run);
        run->sum = sum / passes;
    }
    free(order);
    free(p);
}

// ---- hierarchy: links by index ----
typedef enum stage { ATTACH, TRAVERSE, DESTROY } stage;

BENCH_SHARED void hierarchy(bench_run *run, stage timed) {
    const uint32_t n = run->n;
    uint32_t *first = RAW_NEW(uint32_t, n), *next = RAW_NEW(uint32_t, n);
    uint32_t *parent = RAW_NEW(uint32_t, n), *stack = RAW_NEW(uint32_t, n);
    uint32_t *dead = bench_touched(n * sizeof *dead);
    Position *p = RAW_NEW(Position, n);
    run->items = timed == DESTROY ? n : n - BENCH_ROOTS;
    while (bench_next(run)) {
        for (uint32_t i = 0; i < n; ++i) {
            p[i] = bench_position(i);
            first[i] = next[i] = parent[i] = UINT32_MAX;
        }
        bench_start(run);
        for (uint32_t i = BENCH_ROOTS; i < n; ++i) {
            const uint32_t above = bench_parent(i);
            parent[i] = above;
            next[i] = first[above];
            first[above] = i;
        }
        if (timed == ATTACH) bench_stop(run);

        long long sum = 0;
        bench_start(run);
        for (uint32_t k = 0; k < BENCH_ROOTS; ++k) {
            uint32_t height = 0;
            stack[height++] = k;
            while (height) {
                const uint32_t e = stack[--height];
                for (uint32_t c = first[e]; c != UINT32_MAX; c = next[c]) {
                    sum += (int)p[c].x;
                    stack[height++] = c;
                }
            }
        }
        if (timed == TRAVERSE) bench_stop(run);

        uint32_t count = 0;
        bench_start(run);
        for (uint32_t k = 0; k < BENCH_ROOTS; ++k) {
            uint32_t height = 0;
            stack[height++] = k;
            while (height) {
                const uint32_t e = stack[--height];
                dead[count++] = e;
                for (uint32_t c = first[e]; c != UINT32_MAX; c = next[c])
                    stack[height++] = c;
            }
        }
        if (timed == DESTROY) bench_stop(run);
        run->sum = sum + (n - count);
    }
    free(first);
    free(next);
    free(parent);
    free(stack);
    free(dead);
    free(p);
}

BENCH_WORKLOAD(hier_attach) { hierarchy(run, ATTACH); }
BENCH_WORKLOAD(hier_traverse) { hierarchy(run, TRAVERSE); }
BENCH_WORKLOAD(hier_destroy) { hierarchy(run, DESTROY); }
