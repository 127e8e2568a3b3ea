// SPDX-License-Identifier: MIT
// Keel versions of the cases of EnTT's own benchmark; and the table of all workloads of a storage.
#include "kernel.h"

typedef EnttComp EnttComp0, EnttComp1, EnttComp2;
KEEL_COMPONENT(EnttComp0, .storage = BENCH_STORAGE);
KEEL_COMPONENT(EnttComp1, .storage = BENCH_STORAGE);
KEEL_COMPONENT(EnttComp2, .storage = BENCH_STORAGE);

static long long sum_of_all_x(keel_world *world) {
    long long sum = 0;
    KEEL_EACH(world, KEEL_READ(EnttPosition, p)) {
        sum += (long long)p->x;
    }
    KEEL_EACH(world, KEEL_READ(EnttVelocity, v)) {
        sum += (long long)v->x;
    }
    KEEL_EACH(world, KEEL_READ(EnttComp0, c)) {
        sum += c->x;
    }
    KEEL_EACH(world, KEEL_READ(EnttComp1, c)) {
        sum += c->x;
    }
    KEEL_EACH(world, KEEL_READ(EnttComp2, c)) {
        sum += c->x;
    }
    return sum;
}

// ---- create ----
BENCH_WORKLOAD(entt_create_many_and_emplace_components) {
    const uint32_t n = run->n;
    keel_entity *e = bench_handles(n);
    run->items = n;
    while (bench_next(run)) {
        keel_world *world = bench_world();
        bench_expect(keel_register(world, EnttPosition, EnttVelocity));
        bench_start(run);
        keel_add_entities(world, n, e);
        for (uint32_t i = 0; i < n; ++i) {
            keel_add(world, e[i], EnttPosition, { 1, 0 });
            keel_add(world, e[i], EnttVelocity, { 1, 0 });
        }
        bench_stop(run);
        run->sum = sum_of_all_x(world);
        bench_end(run, world);
    }
    free(e);
}

BENCH_SHARED void recycle(bench_run *run, bool many) {
    const uint32_t n = run->n;
    keel_entity *e = bench_handles(n);
    run->items = n;
    while (bench_next(run)) {
        keel_world *world = bench_world();
        bench_expect(keel_add_entities(world, n, e));
        for (uint32_t i = 0; i < n; ++i)
            keel_delete_entity(world, e[i]);
        bench_start(run);
        if (many) keel_add_entities(world, n, e);
        else
            for (uint32_t i = 0; i < n; ++i)
                e[i] = keel_add_entity(world);
        bench_stop(run);
        run->sum = keel_entity_count(world);
        bench_end(run, world);
    }
    free(e);
}

BENCH_WORKLOAD(entt_recycle) { recycle(run, false); }
BENCH_WORKLOAD(entt_recycle_many) { recycle(run, true); }

// ---- remove, clear, destroy ----
// Set-up: `n` entities with the components `first` to `last` - 1 of the five.
static void fill_world(keel_world *world, keel_entity *e, uint32_t n, uint32_t first,
                       uint32_t last) {
    static const EnttPosition p = { 1, 0 };
    static const EnttVelocity v = { 1, 0 };
    static const EnttComp c = { 1 };
    const keel_value_column end = { NULL, NULL, 0 };
    keel_value_column columns[] = {
        { KEEL_OF(EnttPosition), &p, 0 }, { KEEL_OF(EnttVelocity), &v, 0 },
        { KEEL_OF(EnttComp0), &c, 0 },    { KEEL_OF(EnttComp1), &c, 0 },
        { KEEL_OF(EnttComp2), &c, 0 },    end
    };
    columns[last] = end;
    bench_expect(keel_add_entity_columns(world, n, e, columns + first));
}

typedef enum take { REMOVE, REMOVE_MANY, CLEAR, DESTROY, DESTROY_MANY } take;

BENCH_SHARED void take_away(bench_run *run, take how, uint32_t components) {
    const uint32_t n = run->n;
    keel_entity *e = bench_handles(n);
    run->items = n;
    while (bench_next(run)) {
        keel_world *world = bench_world();
        fill_world(world, e, n, 0, components);
        bench_start(run);
        if (how == REMOVE)
            for (uint32_t i = 0; i < n; ++i)
                keel_delete(world, e[i], EnttPosition, EnttVelocity);
        if (how == REMOVE_MANY) keel_delete_many(world, e, n, EnttPosition);
        if (how == DESTROY)
            for (uint32_t i = 0; i < n; ++i)
                keel_delete_entity(world, e[i]);
        if (how == CLEAR) {
            keel_clear(world, EnttPosition);
            if (components == 2) keel_clear(world, EnttVelocity);
        }
        if (how == DESTROY_MANY) keel_delete_entities_having(world, EnttPosition);
        bench_stop(run);
        run->sum = keel_count(world, EnttPosition);
        if (components == 2) run->sum += keel_count(world, EnttVelocity);
        if (how >= DESTROY) run->sum += keel_entity_count(world);
        bench_end(run, world);
    }
    free(e);
}

BENCH_WORKLOAD(entt_erase_many) { take_away(run, REMOVE_MANY, 1); }
BENCH_WORKLOAD(entt_erase_many_multi) { take_away(run, REMOVE, 2); }
BENCH_WORKLOAD(entt_clear) { take_away(run, CLEAR, 1); }
BENCH_WORKLOAD(entt_clear_multi) { take_away(run, CLEAR, 2); }
BENCH_WORKLOAD(entt_destroy) { take_away(run, DESTROY, 1); }
BENCH_WORKLOAD(entt_destroy_many) { take_away(run, DESTROY_MANY, 1); }
BENCH_WORKLOAD(entt_destroy_many_multi) { take_away(run, DESTROY_MANY, 2); }

// ---- look up, in the order of creation ----
BENCH_SHARED void get_all(bench_run *run, bool from_view, uint32_t components) {
    const uint32_t n = run->n, passes = bench_entt_passes(n);
    keel_entity *e = bench_handles(n);
    keel_world *world = bench_world();
    keel_view view;
    fill_world(world, e, n, 0, components);
    if (from_view)
        bench_expect(keel_view_begin(
            &view, world,
            KEEL_TERMS(KEEL_WRITE(EnttPosition, p), KEEL_OPTIONAL_WRITE(EnttVelocity, v)), "get"));
    run->items = (double)n * passes;
    while (bench_next(run)) {
        bench_start(run);
        for (uint32_t pass = 0; pass < passes; ++pass)
            for (uint32_t i = 0; i < n; ++i) {
                EnttPosition *p = from_view ? keel_get_mut(&view, e[i], EnttPosition)
                                            : keel_get_mut(world, e[i], EnttPosition);
                p->x = 0;
                if (components < 2) continue;
                EnttVelocity *v = from_view ? keel_get_mut(&view, e[i], EnttVelocity)
                                            : keel_get_mut(world, e[i], EnttVelocity);
                v->y = 0;
            }
        bench_stop(run);
    }
    if (from_view) keel_view_end(&view);
    run->sum = sum_of_all_x(world);
    bench_end(run, world);
    free(e);
}

BENCH_WORKLOAD(entt_get_from_registry) { get_all(run, false, 1); }
BENCH_WORKLOAD(entt_get_from_registry_multi) { get_all(run, false, 2); }
BENCH_WORKLOAD(entt_get_from_view) { get_all(run, true, 1); }
BENCH_WORKLOAD(entt_get_from_view_multi) { get_all(run, true, 2); }

// ---- loops ----
BENCH_SYSTEM(zero_1, KEEL_WRITE(EnttPosition, p)) { p->x = 0; }
BENCH_SYSTEM(zero_2, KEEL_WRITE(EnttPosition, p), KEEL_WRITE(EnttVelocity, v)) { p->x = v->x = 0; }
BENCH_SYSTEM(zero_3, KEEL_WRITE(EnttPosition, p), KEEL_WRITE(EnttVelocity, v),
             KEEL_WRITE(EnttComp0, c)) {
    p->x = v->x = 0;
    c->x = 0;
}
BENCH_SYSTEM(zero_5, KEEL_WRITE(EnttPosition, p), KEEL_WRITE(EnttVelocity, v),
             KEEL_WRITE(EnttComp0, c0), KEEL_WRITE(EnttComp1, c1), KEEL_WRITE(EnttComp2, c2)) {
    p->x = v->x = 0;
    c0->x = c1->x = c2->x = 0;
}

static keel_world *world_of(uint32_t components) {
    keel_world *world = bench_world();
    if (components == 2)
        BENCH_MAKE_GROUP(world, NULL, KEEL_OF(EnttPosition), KEEL_OF(EnttVelocity));
    if (components == 3)
        BENCH_MAKE_GROUP(world, NULL, KEEL_OF(EnttPosition), KEEL_OF(EnttVelocity),
                         KEEL_OF(EnttComp0));
    if (components == 5)
        BENCH_MAKE_GROUP(world, NULL, KEEL_OF(EnttPosition), KEEL_OF(EnttVelocity),
                         KEEL_OF(EnttComp0), KEEL_OF(EnttComp1), KEEL_OF(EnttComp2));
    return world;
}

typedef enum who { ALL, HALF, ONE } who;

// All but the position are on every entity.
static uint32_t populate(keel_world *world, uint32_t n, who have, uint32_t components) {
    keel_entity *e = bench_handles(n);
    fill_world(world, e, n, have == ALL ? 0 : 1, components);
    if (have != ALL)
        for (uint32_t i = 0; i < n; ++i)
            if (have == HALF ? i % 2 == 1 : i == BENCH_ENTT_ONE)
                keel_add(world, e[i], EnttPosition, { 1, 0 });
    free(e);
    return keel_count(world, EnttPosition);
}

BENCH_SHARED void run_passes(bench_run *run, keel_world *world, uint32_t matching,
                             uint32_t components) {
    const uint32_t passes = bench_entt_passes(matching);
    run->items = (double)matching * passes;
    while (bench_next(run)) {
        bench_start(run);
        for (uint32_t pass = 0; pass < passes; ++pass) {
            if (components == 1) BENCH_RUN(world, zero_1);
            if (components == 2) BENCH_RUN(world, zero_2);
            if (components == 3) BENCH_RUN(world, zero_3);
            if (components == 5) BENCH_RUN(world, zero_5);
        }
        bench_stop(run);
    }
    run->sum = sum_of_all_x(world);
    bench_end(run, world);
}

BENCH_SHARED void entt_iterate(bench_run *run, uint32_t components, who have) {
    keel_world *world = world_of(components);
    const uint32_t matching = populate(world, run->n, have, components);
    run_passes(run, world, matching, components);
}

// As a script host would: the terms are put together when the program runs, and values are found
// by component, without knowing the form of the storages.
static char *value_at(const keel_chunk *chunk, uint32_t term, uint32_t k, size_t size) {
    const keel_chunk_column *column = &chunk->columns[term];
    if (chunk->form != KEEL_CHUNK_LIST) return (char *)column->base + k * size;
    const uint32_t at = column->index[k], low = at & (((uint32_t)1 << column->shift) - 1);
    return (char *)column->pages[at >> column->shift] + low * size;
}

static void zero_values(const keel_chunk *chunk, const keel_term *terms, uint32_t k) {
    for (uint32_t t = 0; terms[t].kind != KEEL_TERM_END; ++t) {
        char *value = value_at(chunk, t, k, terms[t].component->size);
        if (terms[t].component->size == sizeof(EnttComp)) ((EnttComp *)(void *)value)->x = 0;
        else ((EnttPosition *)(void *)value)->x = 0;
    }
}

static void runtime_pass(keel_world *world, const keel_term *terms) {
    keel_view view;
    keel_iterator iterator;
    keel_view_begin(&view, world, terms, "run-time view");
    keel_iterator_begin(&iterator, &view);
    for (const keel_chunk *chunk; (chunk = keel_iterator_next(&iterator));) {
        if (chunk->form == KEEL_CHUNK_MASK) {
            for (uint32_t w = 0; w < (chunk->count + 63) / 64; ++w)
                for (uint64_t bits = chunk->words[w]; bits; bits &= bits - 1)
                    zero_values(chunk, terms, w * 64 + (uint32_t)__builtin_ctzll(bits));
        } else {
            for (uint32_t k = 0; k < chunk->count; ++k)
                zero_values(chunk, terms, k);
        }
    }
    keel_view_end(&view);
}

BENCH_SHARED void entt_iterate_runtime(bench_run *run, uint32_t components, who have) {
    static const keel_component *const all[] = { KEEL_OF(EnttPosition), KEEL_OF(EnttVelocity),
                                                 KEEL_OF(EnttComp0), KEEL_OF(EnttComp1),
                                                 KEEL_OF(EnttComp2) };
    keel_term terms[6] = { { .kind = KEEL_TERM_END } };
    for (uint32_t k = 0; k < components; ++k)
        terms[k] = (keel_term){ .kind = KEEL_TERM_WRITE, .component = all[k] };
    keel_world *world = bench_world();
    const uint32_t matching = populate(world, run->n, have, components);
    const uint32_t passes = bench_entt_passes(matching);
    run->items = (double)matching * passes;
    while (bench_next(run)) {
        bench_start(run);
        for (uint32_t pass = 0; pass < passes; ++pass)
            runtime_pass(world, terms);
        bench_stop(run);
    }
    run->sum = sum_of_all_x(world);
    bench_end(run, world);
}

BENCH_WORKLOAD(entt_iterate_single_component) { entt_iterate(run, 1, ALL); }
BENCH_WORKLOAD(entt_iterate_two_components) { entt_iterate(run, 2, ALL); }
BENCH_WORKLOAD(entt_iterate_two_components_half) { entt_iterate(run, 2, HALF); }
BENCH_WORKLOAD(entt_iterate_two_components_one) { entt_iterate(run, 2, ONE); }
BENCH_WORKLOAD(entt_iterate_three_components) { entt_iterate(run, 3, ALL); }
BENCH_WORKLOAD(entt_iterate_three_components_half) { entt_iterate(run, 3, HALF); }
BENCH_WORKLOAD(entt_iterate_three_components_one) { entt_iterate(run, 3, ONE); }
BENCH_WORKLOAD(entt_iterate_five_components) { entt_iterate(run, 5, ALL); }
BENCH_WORKLOAD(entt_iterate_five_components_half) { entt_iterate(run, 5, HALF); }
BENCH_WORKLOAD(entt_iterate_five_components_one) { entt_iterate(run, 5, ONE); }

#define RUNTIME(workload, components, have)                                                        \
    BENCH_WORKLOAD(workload) { entt_iterate_runtime(run, components, have); }
RUNTIME(entt_iterate_single_component_runtime, 1, ALL)
RUNTIME(entt_iterate_two_components_runtime, 2, ALL)
RUNTIME(entt_iterate_two_components_runtime_half, 2, HALF)
RUNTIME(entt_iterate_two_components_runtime_one, 2, ONE)
RUNTIME(entt_iterate_three_components_runtime, 3, ALL)
RUNTIME(entt_iterate_three_components_runtime_half, 3, HALF)
RUNTIME(entt_iterate_three_components_runtime_one, 3, ONE)
RUNTIME(entt_iterate_five_components_runtime, 5, ALL)
RUNTIME(entt_iterate_five_components_runtime_half, 5, HALF)
RUNTIME(entt_iterate_five_components_runtime_one, 5, ONE)

// ---- pathological: ten rounds in which some lose a component, some go, and others come ----
static void add_full(keel_world *world, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i)
        keel_add_entity(world, KEEL_INIT(EnttPosition, { 1, 0 }), KEEL_INIT(EnttVelocity, { 1, 0 }),
                        KEEL_INIT(EnttComp0, { 1 }));
}

static uint32_t churn(keel_world *world) {
    add_full(world, BENCH_ENTT_START);
    for (uint32_t round = 0; round < BENCH_ENTT_ROUNDS; ++round) {
        uint32_t step = 0;
        for (keel_entity e = keel_next_entity(world, keel_null()); !keel_is_null(e);
             e = keel_next_entity(world, e)) {
            if (++step % 7 == 0) keel_remove(world, e, EnttPosition);
            if (++step % 11 == 0) keel_remove(world, e, EnttVelocity);
            if (++step % 13 == 0) keel_remove(world, e, EnttComp0);
            if (++step % 17 == 0) keel_delete_entity(world, e);
        }
        add_full(world, BENCH_ENTT_EACH_ROUND);
    }
    uint32_t matching = 0;
    KEEL_EACH(world, KEEL_WITH(EnttPosition), KEEL_WITH(EnttVelocity), KEEL_WITH(EnttComp0)) {
        ++matching;
    }
    return matching;
}

BENCH_WORKLOAD(entt_iterate_pathological) {
    keel_world *world = world_of(3);
    const uint32_t matching = churn(world);
    run_passes(run, world, matching, 3);
}

// ---- groups that own only the first components, or none; views find them by themselves ----
#ifdef BENCH_GROUP
static keel_world *world_with(uint32_t components, uint32_t owned) {
    const keel_component *const all[] = { KEEL_OF(EnttPosition), KEEL_OF(EnttVelocity),
                                          KEEL_OF(EnttComp0), KEEL_OF(EnttComp1),
                                          KEEL_OF(EnttComp2) };
    const keel_component *own[6] = { NULL }, *get[6] = { NULL };
    for (uint32_t k = 0; k < owned; ++k)
        own[k] = all[k];
    for (uint32_t k = owned; k < components; ++k)
        get[k - owned] = all[k];
    keel_world *world = bench_world();
    bench_expect(keel_group_create_of(world, &(keel_group_desc){ .owned = own, .get = get }, NULL));
    return world;
}

#define GROUPED(workload, components, owned)                                                       \
    BENCH_WORKLOAD(workload) {                                                                     \
        keel_world *world = world_with(components, owned);                                         \
        run_passes(run, world, populate(world, run->n, ALL, components), components);              \
    }
GROUPED(entt_iterate_two_components_nonowning, 2, 0)
GROUPED(entt_iterate_two_components_partial, 2, 1)
GROUPED(entt_iterate_three_components_nonowning, 3, 0)
GROUPED(entt_iterate_three_components_partial, 3, 2)
GROUPED(entt_iterate_five_components_nonowning, 5, 0)
GROUPED(entt_iterate_five_components_partial_4, 5, 4)
GROUPED(entt_iterate_five_components_partial_3, 5, 3)

BENCH_SHARED void pathological(bench_run *run, uint32_t owned) {
    keel_world *world = world_with(3, owned);
    run_passes(run, world, churn(world), 3);
}
BENCH_WORKLOAD(entt_iterate_pathological_nonowning) { pathological(run, 0); }
BENCH_WORKLOAD(entt_iterate_pathological_partial) { pathological(run, 2); }
#endif
