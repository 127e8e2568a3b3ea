// SPDX-License-Identifier: MIT
// Keel versions of relations: a thousand targets, and sources in turn.
#include "kernel.h"

KEEL_RELATION(BenchOf, .exclusive = true);
KEEL_RELATION(BenchMany);

typedef enum stage { RELATE, VISIT, UNRELATE, DIES } stage;

BENCH_SHARED void relations(bench_run *run, stage timed) {
    const uint32_t n = run->n;
    uint32_t *order = bench_shuffled(n);
    keel_entity *e = bench_handles(n);
    keel_world *world = bench_world();
    run->items = n - BENCH_TARGETS;
    while (bench_next(run)) {
        long long sum = 0;
        bench_populate(world, e, n, 1);
        bench_start(run);
        for (uint32_t i = BENCH_TARGETS; i < n; ++i)
            keel_relate(world, e[i], BenchOf, e[i % BENCH_TARGETS]);
        if (timed == RELATE) bench_stop(run);

        bench_start(run);
        for (uint32_t k = 0; k < BENCH_TARGETS; ++k)
            KEEL_EACH_SOURCE(world, e[k], BenchOf, source) sum += keel_entity_index(source);
        if (timed == VISIT) bench_stop(run);

        bench_start(run);
        for (uint32_t i = 0; timed == UNRELATE && i < n; ++i)
            if (order[i] >= BENCH_TARGETS) keel_unrelate_all(world, e[order[i]], BenchOf);
        if (timed == UNRELATE) bench_stop(run);

        bench_start(run);
        for (uint32_t k = 0; k < BENCH_TARGETS; ++k)
            keel_delete_entity(world, e[k]);
        if (timed == DIES) bench_stop(run);
        run->sum = sum % n + keel_count(world, BenchOf);
        keel_clear_entities(world);
    }
    bench_end(run, world);
    free(order);
    free(e);
}

BENCH_WORKLOAD(rel_relate) { relations(run, RELATE); }
BENCH_WORKLOAD(rel_visit) { relations(run, VISIT); }
BENCH_WORKLOAD(rel_unrelate) { relations(run, UNRELATE); }
BENCH_WORKLOAD(rel_target_dies) { relations(run, DIES); }

BENCH_WORKLOAD(rel_relate_many) {
    const uint32_t n = run->n;
    keel_entity *e = bench_handles(n);
    keel_world *world = bench_world();
    run->items = (double)n * BENCH_DEGREE;
    while (bench_next(run)) {
        bench_populate(world, e, n, 1);
        bench_start(run);
        for (uint32_t i = 0; i < n; ++i)
            for (uint32_t k = 1; k <= BENCH_DEGREE; ++k)
                keel_relate(world, e[i], BenchMany, e[(i + k) % n]);
        bench_stop(run);
        run->sum = keel_source_count(world, e[7], BenchMany);
        keel_clear_entities(world);
    }
    bench_end(run, world);
    free(e);
}
