// SPDX-License-Identifier: MIT
// Raw versions: loops over entities, frames.
#include "raw.h"

#include <math.h>

// ---- passes over packed arrays ----
static __attribute__((noinline)) void pass_1(Position *restrict p, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i)
        p[i].x += 1.0f;
}

static __attribute__((noinline)) void pass_2(Position *restrict p, const Velocity *restrict v,
                                             uint32_t n) {
    for (uint32_t i = 0; i < n; ++i) {
        p[i].x += v[i].x;
        p[i].y += v[i].y;
    }
}

static __attribute__((noinline)) void pass_3(Position *restrict p, Velocity *restrict v,
                                             const Acceleration *restrict a, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i) {
        v[i].x += a[i].x * BENCH_DT;
        v[i].y += a[i].y * BENCH_DT;
        p[i].x += v[i].x * BENCH_DT;
        p[i].y += v[i].y * BENCH_DT;
    }
}

// Entities 0 to n - 1; those with i % step == offset match, and only they are in the arrays:
// nothing can do better. The checksum counts the others too, with their first value.
BENCH_SHARED void iterate(bench_run *run, int components, uint32_t step, uint32_t offset) {
    const uint32_t n = run->n, m = n / step, passes = bench_passes(m);
    Position *p = RAW_NEW(Position, m);
    Velocity *v = RAW_NEW(Velocity, m);
    Acceleration *a = RAW_NEW(Acceleration, m);
    long long others = 0;
    for (uint32_t i = 0; i < m; ++i) {
        p[i] = bench_position(i * step + offset);
        v[i] = bench_velocity(i * step + offset);
        a[i] = bench_acceleration(i * step + offset);
    }
    for (uint32_t i = 0; i < n; ++i)
        if (i % step != offset) others += bench_sum_of(bench_position(i).x, bench_position(i).y);
    run->items = (double)m * passes;
    while (bench_next(run)) {
        bench_start(run);
        for (uint32_t k = 0; k < passes; ++k) {
            if (components == 1) pass_1(p, m);
            else if (components == 2) pass_2(p, v, m);
            else pass_3(p, v, a, m);
            BENCH_BARRIER();
        }
        bench_stop(run);
    }
    run->sum = raw_sum_positions(p, m) + others;
    free(p);
    free(v);
    free(a);
}

BENCH_WORKLOAD(iter_1) { iterate(run, 1, 1, 0); }
BENCH_WORKLOAD(iter_2) { iterate(run, 2, 1, 0); }
BENCH_WORKLOAD(iter_3) { iterate(run, 3, 1, 0); }
BENCH_WORKLOAD(iter_2_half) { iterate(run, 2, 2, 0); }
BENCH_WORKLOAD(iter_2_sparse1pct) { iterate(run, 2, 100, 0); }
BENCH_WORKLOAD(iter_2_sparse1in10k) { iterate(run, 2, 10000, 0); }
BENCH_WORKLOAD(iter_excl) { iterate(run, 2, 2, 1); }

static __attribute__((noinline)) void pass_shuffled(Position *restrict p,
                                                    const Velocity *restrict v,
                                                    const uint32_t *restrict order, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i) {
        p[order[i]].x += v[i].x;
        p[order[i]].y += v[i].y;
    }
}

BENCH_WORKLOAD(iter_2_shuffled) {
    const uint32_t n = run->n, passes = bench_passes(n);
    uint32_t *order = bench_shuffled(n);
    Position *p = RAW_NEW(Position, n);
    Velocity *v = RAW_NEW(Velocity, n);
    for (uint32_t i = 0; i < n; ++i) {
        p[i] = bench_position(i);
        v[i] = bench_velocity(order[i]);
    }
    run->items = (double)n * passes;
    while (bench_next(run)) {
        bench_start(run);
        for (uint32_t k = 0; k < passes; ++k) {
            pass_shuffled(p, v, order, n);
            BENCH_BARRIER();
        }
        bench_stop(run);
    }
    run->sum = raw_sum_positions(p, n);
    free(order);
    free(p);
    free(v);
}

static __attribute__((noinline)) void pass_simple(Position3 *restrict p,
                                                  const Velocity3 *restrict v, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i) {
        p[i].x += v[i].x;
        p[i].y += v[i].y;
        p[i].z += v[i].z;
    }
}

BENCH_WORKLOAD(simple_iter) {
    const uint32_t n = run->n, passes = bench_passes(n);
    Position3 *p = RAW_NEW(Position3, n);
    Velocity3 *v = RAW_NEW(Velocity3, n);
    for (uint32_t i = 0; i < n; ++i) {
        p[i] = (Position3){ 1, 0, 0 };
        v[i] = (Velocity3){ 1, 0, 0 };
    }
    run->items = (double)n * passes;
    while (bench_next(run)) {
        bench_start(run);
        for (uint32_t k = 0; k < passes; ++k) {
            pass_simple(p, v, n);
            BENCH_BARRIER();
        }
        bench_stop(run);
    }
    double sum = 0;
    for (uint32_t i = 0; i < n; ++i)
        sum += (double)p[i].x;
    run->sum = (long long)sum;
    free(p);
    free(v);
}

// ---- many small sets ----
BENCH_WORKLOAD(frag_iter) {
    float *data[BENCH_FRAG_SETS];
    for (int k = 0; k < BENCH_FRAG_SETS; ++k)
        data[k] = RAW_NEW(float, BENCH_FRAG_EACH);
    run->items = (double)run->n * BENCH_FRAG_PASSES;
    while (bench_next(run)) {
        for (int k = 0; k < BENCH_FRAG_SETS; ++k)
            for (int i = 0; i < BENCH_FRAG_EACH; ++i)
                data[k][i] = 1;
        bench_start(run);
        for (int pass = 0; pass < BENCH_FRAG_PASSES; ++pass) {
            for (int k = 0; k < BENCH_FRAG_SETS; ++k) {
                float *x = data[k];
                for (int i = 0; i < BENCH_FRAG_EACH; ++i)
                    x[i] *= 2.0f;
            }
            BENCH_BARRIER();
        }
        bench_stop(run);
        run->sum = 0;
        for (int k = 0; k < BENCH_FRAG_SETS; ++k)
            for (int i = 0; i < BENCH_FRAG_EACH; ++i)
                run->sum += ilogbf(data[k][i]);
    }
    for (int k = 0; k < BENCH_FRAG_SETS; ++k)
        free(data[k]);
}

BENCH_WORKLOAD(frag_many) {
    enum { SETS = 1 << BENCH_MARKERS };
    const uint32_t n = run->n, each = n / SETS, passes = bench_passes(n);
    Position *p[SETS];
    Velocity *v[SETS];
    for (uint32_t k = 0; k < SETS; ++k) {
        p[k] = RAW_NEW(Position, each);
        v[k] = RAW_NEW(Velocity, each);
        for (uint32_t i = 0; i < each; ++i) {
            p[k][i] = bench_position(i * SETS + k);
            v[k][i] = bench_velocity(i * SETS + k);
        }
    }
    run->items = (double)n * passes;
    while (bench_next(run)) {
        bench_start(run);
        for (uint32_t pass = 0; pass < passes; ++pass) {
            for (uint32_t k = 0; k < SETS; ++k)
                pass_2(p[k], v[k], each);
            BENCH_BARRIER();
        }
        bench_stop(run);
    }
    run->sum = 0;
    for (uint32_t k = 0; k < SETS; ++k) {
        run->sum += raw_sum_positions(p[k], each);
        free(p[k]);
        free(v[k]);
    }
}

// ---- frames that change sets: one array, whose first `moving` rows have a velocity ----
typedef struct churn {
    Position *p;
    Velocity *v;
    uint32_t *order, *row, *id;
    uint32_t n, moving, next;
} churn;

static churn churn_begin(uint32_t n) {
    churn c = { .n = n, .order = bench_shuffled(n) };
    c.p = RAW_NEW(Position, n);
    c.v = RAW_NEW(Velocity, n);
    c.row = RAW_NEW(uint32_t, n);
    c.id = RAW_NEW(uint32_t, n);
    uint32_t rows = 0;
    for (uint32_t i = 0; i < n; i += 2)
        c.id[rows++] = i;
    c.moving = rows;
    for (uint32_t i = 1; i < n; i += 2)
        c.id[rows++] = i;
    for (uint32_t at = 0; at < n; ++at) {
        c.row[c.id[at]] = at;
        c.p[at] = bench_position(c.id[at]);
        c.v[at] = (Velocity){ 1, 1 };
    }
    return c;
}

static void churn_end(bench_run *run, churn *c) {
    run->sum = raw_sum_positions(c->p, c->n);
    free(c->p);
    free(c->v);
    free(c->order);
    free(c->row);
    free(c->id);
}

BENCH_SHARED void churn_frame(churn *c) {
    for (int j = 0; j < BENCH_TOGGLES; ++j) {
        const uint32_t e = c->order[c->next];
        c->next = c->next + 1 == c->n ? 0 : c->next + 1;
        const uint32_t at = c->row[e], to = at < c->moving ? --c->moving : c->moving++;
        const Position kept = c->p[at];
        c->p[at] = c->p[to];
        c->p[to] = kept;
        c->id[at] = c->id[to];
        c->id[to] = e;
        c->row[c->id[at]] = at;
        c->row[e] = to;
        c->v[to] = (Velocity){ 1, 1 };
    }
    pass_2(c->p, c->v, c->moving);
    BENCH_BARRIER();
}

BENCH_WORKLOAD(churn_frame) {
    churn c = churn_begin(run->n);
    run->items = BENCH_FRAMES;
    while (bench_next(run)) {
        bench_start(run);
        for (int frame = 0; frame < BENCH_FRAMES; ++frame)
            churn_frame(&c);
        bench_stop(run);
    }
    churn_end(run, &c);
}

BENCH_WORKLOAD(churn_frame_p999) {
    churn c = churn_begin(run->n);
    double *ns = RAW_NEW(double, BENCH_PERCENTILE_FRAMES);
    run->items = 1;
    while (bench_next(run)) {
        for (int frame = 0; frame < BENCH_PERCENTILE_FRAMES; ++frame) {
            const double started = bench_now();
            churn_frame(&c);
            ns[frame] = bench_now() - started;
        }
        run->ns = bench_percentile(ns, BENCH_PERCENTILE_FRAMES, 0.999);
    }
    free(ns);
    churn_end(run, &c);
}
