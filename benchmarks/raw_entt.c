// SPDX-License-Identifier: MIT
// Raw versions of the cases of EnTT's own benchmark; and the table of all raw workloads.
#include "raw.h"

// Every x is 1 at first and the rows set it to 0, so the sum of all x tells which were visited.

// ---- create ----
BENCH_WORKLOAD(entt_create_many_and_emplace_components) {
    const uint32_t n = run->n;
    uint64_t *handles = bench_touched(n * sizeof *handles);
    run->items = n;
    while (bench_next(run)) {
        EnttPosition *p = NULL;
        EnttVelocity *v = NULL;
        uint32_t np = 0, nv = 0, cp = 0, cv = 0;
        bench_start(run);
        uint32_t *versions = RAW_NEW(uint32_t, n);
        for (uint32_t i = 0; i < n; ++i) {
            versions[i] = 0;
            handles[i] = i;
        }
        BENCH_OBSERVE(versions);
        for (uint32_t i = 0; i < n; ++i) {
            RAW_PUSH(p, np, cp, ((EnttPosition){ 1, 0 }));
            RAW_PUSH(v, nv, cv, ((EnttVelocity){ 1, 0 }));
            BENCH_OBSERVE(p);
            BENCH_OBSERVE(v);
        }
        bench_stop(run);
        run->sum = (long long)np + nv;
        free(versions);
        free(p);
        free(v);
    }
    free(handles);
}

// A free list: the index goes, its next version stays.
BENCH_WORKLOAD(entt_recycle) {
    const uint32_t n = run->n;
    uint64_t *handles = bench_touched(n * sizeof *handles);
    uint32_t *list = RAW_NEW(uint32_t, n), *versions = RAW_NEW(uint32_t, n);
    run->items = n;
    while (bench_next(run)) {
        uint32_t left = n;
        for (uint32_t i = 0; i < n; ++i) {
            list[i] = n - 1 - i;
            versions[i] = 1;
        }
        bench_start(run);
        for (uint32_t i = 0; i < n; ++i) {
            const uint32_t index = list[--left];
            handles[i] = (uint64_t)versions[index] << 32 | index;
            BENCH_BARRIER();
        }
        bench_stop(run);
        run->sum = n - left;
    }
    free(handles);
    free(list);
    free(versions);
}

// ---- sparse sets: remove, clear, destroy ----
typedef struct set {
    EnttPosition *values;
    uint32_t *sparse, *dense, count;
} set;

static set new_set(uint32_t n) {
    const set s = { RAW_NEW(EnttPosition, n), RAW_NEW(uint32_t, n), RAW_NEW(uint32_t, n), 0 };
    return s;
}

static void fill_set(set *s, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i) {
        s->values[i] = (EnttPosition){ 1, 0 };
        s->sparse[i] = s->dense[i] = i;
    }
    s->count = n;
}

static void free_set(set *s) {
    free(s->values);
    free(s->sparse);
    free(s->dense);
}

BENCH_SHARED void remove_from_set(set *s, uint32_t i) {
    const uint32_t at = s->sparse[i], last = --s->count;
    s->values[at] = s->values[last];
    s->dense[at] = s->dense[last];
    s->sparse[s->dense[at]] = at;
    s->sparse[i] = UINT32_MAX;
}

typedef enum take { REMOVE, CLEAR, DESTROY } take;

BENCH_SHARED void take_away(bench_run *run, take how, uint32_t components) {
    const uint32_t n = run->n;
    set sets[2] = { new_set(n), new_set(n) };
    uint32_t *versions = bench_touched(n * sizeof *versions);
    run->items = n;
    while (bench_next(run)) {
        for (uint32_t k = 0; k < 2; ++k)
            fill_set(&sets[k], n);
        bench_start(run);
        if (how == CLEAR) {
            for (uint32_t k = 0; k < components; ++k) {
                memset(sets[k].sparse, 0xFF, n * sizeof(uint32_t));
                sets[k].count = 0;
                BENCH_OBSERVE(sets[k].sparse);
            }
        } else {
            for (uint32_t i = 0; i < n; ++i) {
                for (uint32_t k = 0; k < components; ++k)
                    remove_from_set(&sets[k], i);
                if (how == DESTROY) ++versions[i];
                BENCH_BARRIER();
            }
        }
        bench_stop(run);
        run->sum = sets[0].count;
        if (components == 2) run->sum += sets[1].count;
    }
    free(versions);
    for (uint32_t k = 0; k < 2; ++k)
        free_set(&sets[k]);
}

BENCH_WORKLOAD(entt_erase_many) { take_away(run, REMOVE, 1); }
BENCH_WORKLOAD(entt_erase_many_multi) { take_away(run, REMOVE, 2); }
BENCH_WORKLOAD(entt_clear) { take_away(run, CLEAR, 1); }
BENCH_WORKLOAD(entt_clear_multi) { take_away(run, CLEAR, 2); }
BENCH_WORKLOAD(entt_destroy) { take_away(run, DESTROY, 1); }
BENCH_WORKLOAD(entt_destroy_many_multi) { take_away(run, DESTROY, 2); }

// ---- loops over packed arrays of those that match ----
typedef struct columns {
    EnttPosition *p;
    EnttVelocity *v;
    EnttComp *c[3];
} columns;

static columns new_columns(uint32_t n) {
    columns s = { .p = RAW_NEW(EnttPosition, n), .v = RAW_NEW(EnttVelocity, n) };
    for (uint32_t k = 0; k < 3; ++k)
        s.c[k] = RAW_NEW(EnttComp, n);
    for (uint32_t i = 0; i < n; ++i) {
        s.p[i] = (EnttPosition){ 1, 0 };
        s.v[i] = (EnttVelocity){ 1, 0 };
        for (uint32_t k = 0; k < 3; ++k)
            s.c[k][i] = (EnttComp){ 1 };
    }
    return s;
}

static long long end_columns(columns *s, uint32_t n, uint32_t components) {
    long long sum = 0;
    for (uint32_t i = 0; i < n; ++i) {
        sum += (long long)s->p[i].x;
        if (components >= 2) sum += (long long)s->v[i].x;
        for (uint32_t k = 0; k + 2 < components; ++k)
            sum += s->c[k][i].x;
    }
    free(s->p);
    free(s->v);
    for (uint32_t k = 0; k < 3; ++k)
        free(s->c[k]);
    return sum;
}

BENCH_SHARED void entt_loop(bench_run *run, uint32_t components, uint32_t matching,
                            long long others) {
    const uint32_t passes = bench_entt_passes(matching);
    columns s = new_columns(matching);
    run->items = (double)matching * passes;
    while (bench_next(run)) {
        bench_start(run);
        for (uint32_t pass = 0; pass < passes; ++pass) {
            for (uint32_t i = 0; i < matching; ++i) {
                s.p[i].x = 0;
                if (components >= 2) s.v[i].x = 0;
                if (components >= 3) s.c[0][i].x = 0;
                if (components >= 5) s.c[1][i].x = s.c[2][i].x = 0;
            }
            BENCH_BARRIER();
        }
        bench_stop(run);
    }
    run->sum = end_columns(&s, matching, components) + others;
}

// All but the position are on every entity.
BENCH_SHARED void entt_iterate(bench_run *run, uint32_t components, uint32_t matching) {
    entt_loop(run, components, matching, (long long)(run->n - matching) * (components - 1));
}

BENCH_WORKLOAD(entt_get_from_registry) { entt_iterate(run, 1, run->n); }
BENCH_WORKLOAD(entt_iterate_single_component) { entt_iterate(run, 1, run->n); }
BENCH_WORKLOAD(entt_iterate_two_components) { entt_iterate(run, 2, run->n); }
BENCH_WORKLOAD(entt_iterate_two_components_half) { entt_iterate(run, 2, run->n / 2); }
BENCH_WORKLOAD(entt_iterate_two_components_one) { entt_iterate(run, 2, 1); }
BENCH_WORKLOAD(entt_iterate_three_components) { entt_iterate(run, 3, run->n); }
BENCH_WORKLOAD(entt_iterate_three_components_half) { entt_iterate(run, 3, run->n / 2); }
BENCH_WORKLOAD(entt_iterate_three_components_one) { entt_iterate(run, 3, 1); }
BENCH_WORKLOAD(entt_iterate_five_components) { entt_iterate(run, 5, run->n); }
BENCH_WORKLOAD(entt_iterate_five_components_half) { entt_iterate(run, 5, run->n / 2); }
BENCH_WORKLOAD(entt_iterate_five_components_one) { entt_iterate(run, 5, 1); }

BENCH_WORKLOAD(entt_get_from_registry_multi) {
    const uint32_t n = run->n, passes = bench_entt_passes(n);
    columns s = new_columns(n);
    run->items = (double)n * passes;
    while (bench_next(run)) {
        bench_start(run);
        for (uint32_t pass = 0; pass < passes; ++pass) {
            for (uint32_t i = 0; i < n; ++i) {
                s.p[i].x = 0;
                s.v[i].y = 0;
            }
            BENCH_BARRIER();
        }
        bench_stop(run);
    }
    run->sum = end_columns(&s, n, 2);
}

// ---- pathological: only the number of those that still have all three is needed ----
typedef struct survivors {
    uint32_t matching;
    long long others; // components on entities that do not match
} survivors;

static survivors churn(void) {
    enum { P = 1, V = 2, C = 4, ALIVE = 8 };
    const uint32_t most = BENCH_ENTT_START + BENCH_ENTT_ROUNDS * BENCH_ENTT_EACH_ROUND;
    uint8_t *has = RAW_NEW(uint8_t, most);
    uint32_t *list = RAW_NEW(uint32_t, most), left = 0, used = BENCH_ENTT_START;
    memset(has, P | V | C | ALIVE, most);
    for (uint32_t round = 0; round < BENCH_ENTT_ROUNDS; ++round) {
        uint32_t step = 0;
        for (uint32_t i = 0; i < used; ++i) {
            if (!(has[i] & ALIVE)) continue;
            if (++step % 7 == 0) has[i] &= (uint8_t)~P;
            if (++step % 11 == 0) has[i] &= (uint8_t)~V;
            if (++step % 13 == 0) has[i] &= (uint8_t)~C;
            if (++step % 17 == 0) {
                has[i] = 0;
                list[left++] = i;
            }
        }
        for (uint32_t i = 0; i < BENCH_ENTT_EACH_ROUND; ++i)
            has[left ? list[--left] : used++] = P | V | C | ALIVE;
    }
    survivors s = { 0, 0 };
    for (uint32_t i = 0; i < used; ++i) {
        const uint8_t all = P | V | C;
        if ((has[i] & all) == all) ++s.matching;
        else s.others += (has[i] & P) / P + (has[i] & V) / V + (has[i] & C) / C;
    }
    free(has);
    free(list);
    return s;
}

BENCH_WORKLOAD(entt_iterate_pathological) {
    const survivors s = churn();
    entt_loop(run, 3, s.matching, s.others);
}

// ---- all raw workloads; rows that share a limit share its function ----
#define RAW_ENTRY(workload, raw, ...) BENCH_NAME(raw),
bench_function *const BENCH_NAME(functions)[] = { BENCH_WORKLOADS(RAW_ENTRY) };
