// SPDX-License-Identifier: MIT
// Keel versions of sorting: sparse sets, and groups of two.
#include "kernel.h"

#ifdef BENCH_GROUP
static const keel_component *const both[] = { KEEL_OF(EnttPosition), KEEL_OF(EnttVelocity), NULL };
#endif

static int ascending(const void *a, const void *b, void *data) {
    const EnttPosition *p = a, *q = b;
    (void)data;
    return (p->x > q->x) - (p->x < q->x);
}
static int descending(const void *a, const void *b, void *data) { return ascending(b, a, data); }

static void sort_positions(keel_world *world, keel_value_compare *compare) {
#ifdef BENCH_GROUP
    keel_sort_with(world, .group = keel_find_group(world, "both"), .by = KEEL_OF(EnttPosition),
                   .compare = compare, .data = NULL);
#else
    keel_sort(world, EnttPosition, compare, NULL);
#endif
}

// Set-up: `n` entities in this order.
static keel_world *world_of(const EnttPosition *p, keel_entity *e, uint32_t n) {
    keel_world *world = bench_world();
    static const EnttVelocity v = { 1, 0 };
#ifdef BENCH_GROUP
    bench_expect(
        keel_group_create_of(world, &(keel_group_desc){ .name = "both", .owned = both }, NULL));
#endif
    bench_expect(keel_add_entities(world, n, e, KEEL_COLUMN(EnttPosition, p),
                                   (keel_value_column){ KEEL_OF(EnttVelocity), &v, 0 }));
    return world;
}

// Some go and come again behind the others.
static void disturb(keel_world *world, keel_entity *e) {
    for (uint32_t k = 0; k < BENCH_SORT_LATE; ++k)
        keel_delete_entity(world, e[bench_sort_late(k)]);
    for (uint32_t k = 0; k < BENCH_SORT_LATE; ++k)
        keel_add_entity(world, KEEL_INIT(EnttPosition, { bench_sort_late(k), 0 }),
                        KEEL_INIT(EnttVelocity, { 1, 0 }));
}

static long long sum_of_order(keel_world *world) {
    long long sum = 0;
    uint32_t at = 0;
    KEEL_EACH(world, KEEL_READ(EnttPosition, p)) {
        sum += bench_order_sum(at++, p->x);
    }
    return sum;
}

BENCH_SHARED void sort_all(bench_run *run, bench_sort how) {
    const uint32_t n = run->n;
    keel_entity *e = bench_handles(n);
    EnttPosition *p = bench_sort_input(how, n);
    run->items = n;
    while (bench_next(run)) {
        keel_world *world = world_of(p, e, n);
        if (how == BENCH_SORT_ALMOST) disturb(world, e);
        bench_start(run);
        sort_positions(world, how == BENCH_SORT_REVERSED ? descending : ascending);
        bench_stop(run);
        run->sum = sum_of_order(world);
        bench_end(run, world);
    }
    free(p);
    free(e);
}

BENCH_WORKLOAD(sort_random) { sort_all(run, BENCH_SORT_RANDOM); }
BENCH_WORKLOAD(entt_sort_single) { sort_all(run, BENCH_SORT_REVERSED); }
BENCH_WORKLOAD(entt_sort_almost_sorted) { sort_all(run, BENCH_SORT_ALMOST); }

// Velocity in the order that positions have since they were sorted.
BENCH_WORKLOAD(entt_sort_multi) {
    const uint32_t n = run->n;
    keel_entity *e = bench_handles(n);
    EnttPosition *p = bench_sort_input(BENCH_SORT_REVERSED, n);
    run->items = n;
    while (bench_next(run)) {
        keel_world *world = world_of(p, e, n);
        for (uint32_t i = 0; i < n; ++i)
            keel_get_mut(world, e[i], EnttVelocity)->x = i;
        sort_positions(world, descending);
        bench_start(run);
        keel_sort_as(world, EnttVelocity, EnttPosition);
        bench_stop(run);
        run->sum = 0;
        uint32_t at = 0;
        KEEL_EACH(world, KEEL_READ(EnttVelocity, v)) {
            run->sum += bench_order_sum(at++, v->x);
        }
        bench_end(run, world);
    }
    free(p);
    free(e);
}
