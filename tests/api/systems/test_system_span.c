// SPDX-License-Identifier: MIT
// Systems by span, compared with systems by entity and a walk by hand: whatever form the values
// come in, each matching entity is visited once with its own values.
#include "support/api_types.h"

#include <stdlib.h>

// ------------------------------------------------------------------ populations
static uint32_t random_state;
static uint32_t random_below(uint32_t limit) {
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % limit;
}

typedef struct population {
    api_fixture f;
    keel_entity *e;
    uint32_t count;
} population;

// `count` entities with a Number, in the order of their indices; the values are their own.
static void populate(population *p, uint32_t count) {
    api_begin(&p->f);
    p->count = count;
    p->e = calloc(count + 1, sizeof *p->e);
    Number *numbers = calloc(count + 1, sizeof *numbers);
    assert_true(p->e && numbers);
    for (uint32_t i = 0; i < count; ++i)
        numbers[i].value = i + 1;
    assert_int_equal(keel_add_entities(p->f.world, count, p->e, KEEL_COLUMN(Number, numbers)),
                     KEEL_OK);
    free(numbers);
}

static void depopulate(population *p) {
    assert_no_error(p->f.world);
    free(p->e);
    api_end(&p->f);
}

// Other in the same order for all but every `gap`th.
static void add_in_order(population *p, uint32_t gap) {
    for (uint32_t i = 0; i < p->count; ++i)
        if (i % gap != gap - 1)
            assert_int_equal(keel_add(p->f.world, p->e[i], Other, { i * 3 }), KEEL_OK);
}

// Other, Third, Frozen for some, each in an order of its own; a few entities are deleted.
static void add_scattered(population *p, uint32_t one_in) {
    keel_world *world = p->f.world;
    for (uint32_t k = 0; k < p->count; ++k) {
        const uint32_t i = random_below(p->count);
        if (i % one_in == 0) (void)keel_add(world, p->e[i], Other, { i * 3 });
    }
    for (uint32_t i = p->count; i-- > 0;) {
        if (random_below(4) == 0) (void)keel_add(world, p->e[i], Third, { i });
        if (random_below(5) == 0) (void)keel_add(world, p->e[i], Frozen);
        if (random_below(10) == 0) (void)keel_delete_entity(world, p->e[i]);
    }
}

// ------------------------------------------------------------------ the same system three times
// What was visited: a sum that depends on which values came together, and how often.
typedef struct tally {
    uint64_t sum;
    uint32_t count, calls;
} tally;

enum { VISITED = 1u << 24 }; // added to Other by each visit

static void note(tally *t, keel_entity e, const Number *n, Other *o, const Third *third) {
    const uint64_t key = keel_entity_index(e) + 1;
    t->sum +=
        key * (n->value + 3 * (uint64_t)(o->value % VISITED) + (third ? third->value + 7 : 1));
    ++t->count;
    o->value += VISITED;
}

KEEL_SYSTEM(by_entity, KEEL_READ(Number, n), KEEL_WRITE(Other, o), KEEL_OPTIONAL_READ(Third, third),
            KEEL_WITHOUT(Frozen), KEEL_ENTITY(e), KEEL_DATA(tally, t)) {
    note(t, e, n, o, third);
}
KEEL_SYSTEM_SPAN(by_span, KEEL_SPAN_COUNT(count), KEEL_READ(Number, n), KEEL_WRITE(Other, o),
                 KEEL_OPTIONAL_READ(Third, third), KEEL_WITHOUT(Frozen),
                 KEEL_SPAN_ENTITIES(entities), KEEL_DATA(tally, t)) {
    ++t->calls;
    assert_true(count > 0);
    for (uint32_t i = 0; i < count; ++i)
        note(t, entities[i], &n[i], &o[i], third ? &third[i] : NULL);
}

static tally by_hand(keel_world *world) {
    tally t = { 0 };
    keel_entity e = keel_null();
    while (!keel_is_null(e = keel_next_entity(world, e))) {
        const Number *n = keel_get(world, e, Number);
        Other *o = keel_get_mut(world, e, Other);
        if (n && o && !keel_has(world, e, Frozen)) note(&t, e, n, o, keel_get(world, e, Third));
    }
    return t;
}

// Everything that matches was visited this often, and nothing else at all.
static void assert_visits(keel_world *world, uint32_t visits) {
    keel_entity e = keel_null();
    while (!keel_is_null(e = keel_next_entity(world, e))) {
        const Other *o = keel_get(world, e, Other);
        if (!o) continue;
        const bool matches = keel_has(world, e, Number) && !keel_has(world, e, Frozen);
        assert_int_equal(o->value / VISITED, matches ? visits : 0);
    }
}

static tally compare(keel_world *world) {
    const tally expected = by_hand(world);
    tally entities = { 0 }, spans = { 0 };
    assert_visits(world, 1);
    assert_int_equal(keel_run_with(world, by_entity, &entities), KEEL_OK);
    assert_visits(world, 2);
    assert_int_equal(keel_run_with(world, by_span, &spans), KEEL_OK);
    assert_visits(world, 3);
    assert_int_equal(entities.count, expected.count);
    assert_int_equal(spans.count, expected.count);
    assert_true(entities.sum == expected.sum);
    assert_true(spans.sum == expected.sum);
    return spans;
}

KEEL_SYSTEM_SPAN(count_spans, KEEL_READ(Number, n), KEEL_WRITE(Other, o), KEEL_SPAN_COUNT(count),
                 KEEL_DATA(tally, t)) {
    ++t->calls;
    t->count += count;
    assert_true(o[count - 1].value % VISITED == (n[count - 1].value - 1) * 3);
}

static const uint32_t sizes[] = { 0, 1, 2, 63, 64, 65, 4095, 4096, 4097, 9000, 20000 };
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void sets_in_the_same_order_give_long_spans(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    for (uint32_t s = 0; s < SIZES; ++s) {
        population p;
        populate(&p, sizes[s]);
        add_in_order(&p, UINT32_MAX);
        const tally t = compare(p.f.world);
        assert_int_equal(t.count, sizes[s]);
        assert_true(t.calls <= sizes[s] / 200 + 1); // filtered in blocks
        tally plain = { 0 };
        assert_int_equal(keel_run_with(p.f.world, count_spans, &plain), KEEL_OK);
        assert_int_equal(plain.count, sizes[s]);
        assert_true(plain.calls <= sizes[s] / 4000 + 1); // whole pages
        assert_true(sizes[s] > 0 || t.calls == 0);
        depopulate(&p);
    }
}

static void sets_with_gaps_are_visited_right(void **state) {
    (void)state;
    for (uint32_t s = 0; s < SIZES; ++s)
        for (uint32_t gap = 2; gap <= 200; gap = gap * 3 + 1) {
            population p;
            populate(&p, sizes[s]);
            add_in_order(&p, gap);
            (void)compare(p.f.world);
            depopulate(&p);
        }
}

static void scattered_sets_are_visited_right(void **state) {
    (void)state;
    random_state = 1;
    for (uint32_t s = 1; s < SIZES; ++s)
        for (uint32_t one_in = 1; one_in <= 30; one_in = one_in * 5) {
            population p;
            populate(&p, sizes[s]);
            add_scattered(&p, one_in);
            (void)compare(p.f.world);
            depopulate(&p);
        }
}

// ------------------------------------------------------------------ single parameter kinds
KEEL_SYSTEM_SPAN(widen, KEEL_SPAN_COUNT(n), KEEL_WRITE(Large, large), KEEL_READ(Number, number)) {
    for (uint32_t i = 0; i < n; ++i)
        large[i].word[511] = number[i].value;
}

static void spans_of_large_values_hold_their_own(void **state) {
    (void)state;
    for (int backwards = 0; backwards < 2; ++backwards) {
        population p;
        populate(&p, 70);
        for (uint32_t i = 0; i < 70; ++i)
            assert_int_equal(keel_add(p.f.world, p.e[backwards ? 69 - i : i], Large), KEEL_OK);
        assert_int_equal(keel_run(p.f.world, widen), KEEL_OK);
        for (uint32_t i = 0; i < 70; ++i)
            assert_int_equal(keel_get(p.f.world, p.e[i], Large)->word[511], i + 1);
        depopulate(&p);
    }
}

KEEL_SYSTEM_SPAN(handles_only, KEEL_SPAN_ENTITIES(e), KEEL_SPAN_COUNT(n), KEEL_DATA(tally, t)) {
    for (uint32_t i = 0; i < n; ++i)
        t->sum += keel_entity_index(e[i]);
    t->count += n;
}
KEEL_SYSTEM_SPAN(filters_only, KEEL_WITH(Number), KEEL_WITHOUT(Other), KEEL_ANY_OF(Third, Frozen),
                 KEEL_SPAN_COUNT(n), KEEL_DATA(tally, t)) {
    t->count += n;
}

static void handles_and_filters_are_enough_for_spans(void **state) {
    (void)state;
    population p;
    tally handles = { 0 }, filtered = { 0 };
    populate(&p, 5000);
    for (uint32_t i = 0; i < 5000; ++i) {
        if (i % 2) assert_int_equal(keel_add(p.f.world, p.e[i], Other), KEEL_OK);
        if (i % 3 == 0) assert_int_equal(keel_add(p.f.world, p.e[4999 - i], Third), KEEL_OK);
        if (i % 5 == 0) assert_int_equal(keel_add(p.f.world, p.e[i], Frozen), KEEL_OK);
    }
    uint32_t expected = 0;
    for (uint32_t i = 0; i < 5000; i += 2)
        expected += (4999 - i) % 3 == 0 || i % 5 == 0;
    assert_int_equal(keel_delete_entity(p.f.world, p.e[1]), KEEL_OK);
    assert_int_equal(keel_run_with(p.f.world, handles_only, &handles), KEEL_OK);
    assert_int_equal(keel_run_with(p.f.world, filters_only, &filtered), KEEL_OK);
    assert_int_equal(handles.count, 4999);
    assert_int_equal(handles.sum, 5000 * 4999 / 2 - 1);
    assert_int_equal(filtered.count, expected);
    depopulate(&p);
}

KEEL_SYSTEM_SPAN(fill_third, KEEL_OPTIONAL_WRITE(Third, t), KEEL_READ(Number, n),
                 KEEL_SPAN_COUNT(count)) {
    if (!t) return;
    for (uint32_t i = 0; i < count; ++i)
        t[i].value = n[i].value;
}

static void an_optional_array_is_whole_or_null(void **state) {
    (void)state;
    population p;
    populate(&p, 600);
    for (uint32_t i = 0; i < 600; ++i)
        if (i / 50 % 2) assert_int_equal(keel_add(p.f.world, p.e[i], Third), KEEL_OK);
    assert_int_equal(keel_run(p.f.world, fill_third), KEEL_OK);
    for (uint32_t i = 0; i < 600; ++i) {
        const Third *t = keel_get(p.f.world, p.e[i], Third);
        assert_int_equal(t ? t->value : 0, i / 50 % 2 ? i + 1 : 0);
    }
    depopulate(&p);
}

KEEL_SYSTEM_SPAN(all_kinds, KEEL_SPAN_COUNT(n), KEEL_SPAN_COUNT(again), KEEL_WRITE(Number, number),
                 KEEL_OPTIONAL_READ(Third, t), KEEL_WITH(Position), KEEL_WITHOUT(Frozen),
                 KEEL_ANY_OF(Velocity, Dead), KEEL_SPAN_ENTITIES(e), KEEL_UNIQUE_WRITE(Time, time),
                 KEEL_MAY_READ(Velocity), KEEL_MAY_WRITE(Health), KEEL_MAY_EDIT(Large),
                 KEEL_COMMANDS(commands), KEEL_CONTEXT(context), KEEL_DATA(uint32_t, runs)) {
    assert_true(n == again && t == NULL && n > 0);
    time->now += n;
    for (uint32_t i = 0; i < n; ++i, ++*runs) {
        assert_true(keel_has(context, e[i], Velocity));
        keel_get_mut(context, e[i], Health)->points = (int32_t)number[i].value;
        number[i].value = 0;
        assert_int_equal(keel_add(context, e[i], Large), KEEL_OK);
        assert_int_equal(keel_add(commands, e[i], Frozen), KEEL_OK);
    }
}

static void all_kinds_of_parameters_go_together(void **state) {
    (void)state;
    population p;
    uint32_t runs = 0;
    populate(&p, 3);
    keel_world *w = p.f.world;
    for (uint32_t i = 0; i < 3; ++i)
        assert_int_equal(
            keel_add_values(w, p.e[i], KEEL_INIT(Position), KEEL_INIT(Velocity), KEEL_INIT(Health)),
            KEEL_OK);
    assert_int_equal(keel_set_unique(w, Time, { .step = 3 }), KEEL_OK);
    assert_int_equal(keel_run_with(w, all_kinds, &runs), KEEL_OK);
    assert_int_equal(keel_run_with(w, all_kinds, &runs), KEEL_OK); // Frozen now
    assert_int_equal(runs, 3);
    assert_true(keel_get_unique(w, Time)->now == 3);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_int_equal(keel_get(w, p.e[i], Health)->points, i + 1);
        assert_int_equal(keel_get(w, p.e[i], Number)->value, 0);
        assert_true(keel_has(w, p.e[i], Large) && keel_has(w, p.e[i], Frozen));
    }
    depopulate(&p);
}

KEEL_SYSTEM_SPAN(fail_at_once, KEEL_WRITE(Number, n), KEEL_SPAN_COUNT(count), KEEL_CONTEXT(context),
                 KEEL_COMMANDS(commands), KEEL_DATA(tally, t)) {
    ++t->calls;
    t->count += count;
    keel_fail(context, t, "span %u of %u", t->calls, count);
    for (uint32_t i = 0; i < count; ++i)
        n[i].value = 7; // the function goes on until it returns
    (void)keel_add_entity(commands, KEEL_INIT(Number));
}

static void a_failed_span_is_the_last(void **state) {
    (void)state;
    population p;
    tally t = { 0 };
    populate(&p, 20000);
    assert_int_equal(keel_run_with(p.f.world, fail_at_once, &t), KEEL_ERROR_SYSTEM);
    assert_int_equal(t.calls, 1);
    assert_true(t.count < 20000);
    assert_ptr_equal(keel_last_error(p.f.world)->object, &t);
    assert_error(p.f.world, KEEL_ERROR_SYSTEM, "'fail_at_once': span 1 of");
    assert_int_equal(keel_entity_count(p.f.world), 20000);
    for (uint32_t i = 0; i < 20000; ++i)
        assert_int_equal(keel_get(p.f.world, p.e[i], Number)->value, i < t.count ? 7 : i + 1);
    depopulate(&p);
}

KEEL_SYSTEM_SPAN(edits_itself, KEEL_READ(Number, n), KEEL_SPAN_ENTITIES(e), KEEL_MAY_EDIT(Number),
                 KEEL_CONTEXT(context)) {
    (void)n;
    (void)keel_delete(context, e[0], Number);
}
KEEL_SYSTEM_SPAN(writes_twice, KEEL_WRITE(Number, n), KEEL_MAY_READ(Number),
                 KEEL_SPAN_COUNT(count)) {
    n[count - 1].value = 0;
}

static void a_span_system_cannot_edit_what_it_walks(void **state) {
    (void)state;
    population p;
    populate(&p, 10);
    assert_int_equal(keel_run(p.f.world, edits_itself), KEEL_ERROR_ARGUMENT);
    assert_error(p.f.world, KEEL_ERROR_ARGUMENT, "Number");
    assert_int_equal(keel_run(p.f.world, writes_twice), KEEL_ERROR_ARGUMENT);
    assert_error(p.f.world, KEEL_ERROR_ARGUMENT, "Number");
    assert_int_equal(keel_count(p.f.world, Number), 10);
    depopulate(&p);
}

static void running_needs_memory_only_to_start(void **state) {
    (void)state;
    population p;
    populate(&p, 500);
    add_in_order(&p, 5);
    tally t = { 0 };
    keel_result result = KEEL_ERROR_MEMORY;
    for (size_t n = 0; result == KEEL_ERROR_MEMORY; ++n) {
        assert_int_equal(t.calls, 0); // all or nothing
        counting_allocator_fail_after(&p.f.memory, n);
        result = keel_run_with(p.f.world, by_span, &t);
        counting_allocator_never_fail(&p.f.memory);
        if (result == KEEL_ERROR_MEMORY) assert_error(p.f.world, KEEL_ERROR_MEMORY, NULL);
    }
    assert_int_equal(result, KEEL_OK);
    assert_int_equal(t.count, 400);
    counting_allocator_fail_after(&p.f.memory, 0);
    assert_int_equal(keel_run_with(p.f.world, by_span, &t), KEEL_OK); // warm
    depopulate(&p);
}

static const struct CMUnitTest tests[] = {
    TEST(sets_in_the_same_order_give_long_spans, "sets in the same order give long spans"),
    TEST(sets_with_gaps_are_visited_right, "sets with gaps are visited as by hand"),
    TEST(scattered_sets_are_visited_right, "scattered sets are visited as by hand"),
    TEST(spans_of_large_values_hold_their_own, "spans of large values hold their own values"),
    TEST(handles_and_filters_are_enough_for_spans, "handles and filters are enough for spans"),
    TEST(an_optional_array_is_whole_or_null, "an optional array is whole or NULL"),
    // proves S-59
    TEST(all_kinds_of_parameters_go_together,
         "all kinds of parameters go together in a span system"),
    TEST(a_failed_span_is_the_last, "a span system that failed sees no more spans"),
    TEST(a_span_system_cannot_edit_what_it_walks, "a span system cannot edit what it walks over"),
    TEST(running_needs_memory_only_to_start, "a system needs memory to start, and only then"),
};

int main(void) { return RUN(tests); }
