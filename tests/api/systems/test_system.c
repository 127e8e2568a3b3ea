// SPDX-License-Identifier: MIT
// Systems: every kind of parameter, from none to sixteen, per entity, per span and once.
#include "support/api_types.h"

// Entities with the Numbers 0, 1, ... count - 1.
static void add_numbers(keel_world *world, uint32_t count, keel_entity *out) {
    for (uint32_t i = 0; i < count; ++i) {
        const keel_entity e = keel_add_entity(world, KEEL_INIT(Number, { i }));
        assert_false(keel_is_null(e));
        if (out) out[i] = e;
    }
}

static uint32_t number_of(const keel_world *world, keel_entity e) {
    return keel_get(world, e, Number)->value;
}

// ------------------------------------------------------------------ values
KEEL_SYSTEM(move, KEEL_WRITE(Position, p), KEEL_READ(Velocity, v)) {
    p->x += v->x;
    p->y += v->y;
}

static void a_system_runs_for_what_has_its_components(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity both =
        keel_add_entity(f.world, KEEL_INIT(Position, { 1, 2 }), KEEL_INIT(Velocity, { 3, 4 }));
    const keel_entity still = keel_add_entity(f.world, KEEL_INIT(Position, { 5, 6 }));
    const keel_entity nowhere = keel_add_entity(f.world, KEEL_INIT(Velocity, { 7, 8 }));
    assert_int_equal(keel_run(f.world, move), KEEL_OK);
    assert_true(keel_get(f.world, both, Position)->x == 4);
    assert_true(keel_get(f.world, both, Position)->y == 6);
    assert_true(keel_get(f.world, still, Position)->x == 5);
    assert_null(keel_get(f.world, nowhere, Position));
    api_end(&f);
}

static void views_are_released_when_a_system_returns(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e =
        keel_add_entity(f.world, KEEL_INIT(Position), KEEL_INIT(Velocity, { 1, 0 }));
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(keel_run(f.world, move), KEEL_OK);
        assert_int_equal(keel_add(f.world, e, Velocity, { 1, 1 }), KEEL_OK);
    }
    assert_true(keel_get(f.world, e, Position)->x == 3);
    assert_no_error(f.world);
    api_end(&f);
}

KEEL_SYSTEM(skip_odd, KEEL_WRITE(Number, n)) {
    if (n->value % 2) return;
    n->value += 100;
}

static void return_goes_on_to_the_next_entity(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[5];
    api_begin(&f);
    add_numbers(f.world, 5, e);
    assert_int_equal(keel_run(f.world, skip_odd), KEEL_OK);
    for (uint32_t i = 0; i < 5; ++i)
        assert_int_equal(number_of(f.world, e[i]), i % 2 ? i : i + 100);
    api_end(&f);
}

static void a_system_without_matches_does_nothing(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    assert_int_equal(keel_run(f.world, move), KEEL_OK); // makes both components known
    assert_non_null(keel_find_component(f.world, "Velocity"));
    assert_int_equal(keel_entity_count(f.world), 0);
    api_end(&f);
}

KEEL_SYSTEM(maybe, KEEL_WRITE(Number, n), KEEL_OPTIONAL_READ(Other, o),
            KEEL_OPTIONAL_WRITE(Third, t)) {
    n->value = (o ? o->value : 1000) + (t ? 1u : 0u);
    if (t) ++t->value;
}

static void maybe_is_null_where_the_component_is_absent(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[300];
    api_begin(&f);
    add_numbers(f.world, 300, e);
    assert_int_equal(keel_run(f.world, maybe), KEEL_OK); // absent throughout
    for (uint32_t i = 0; i < 300; ++i)
        assert_int_equal(number_of(f.world, e[i]), 1000);
    for (uint32_t i = 0; i < 300; ++i) {
        if (i % 3 == 0) assert_int_equal(keel_add(f.world, e[i], Other, { i }), KEEL_OK);
        if (i >= 100) assert_int_equal(keel_add(f.world, e[299 - i], Third, { 7 }), KEEL_OK);
    }
    assert_int_equal(keel_run(f.world, maybe), KEEL_OK);
    for (uint32_t i = 0; i < 300; ++i) {
        const Third *third = keel_get(f.world, e[i], Third);
        assert_int_equal(number_of(f.world, e[i]), (i % 3 ? 1000 : i) + (third ? 1u : 0u));
        if (third) assert_int_equal(third->value, 8);
    }
    api_end(&f);
}

// Tags as bindings ask for them: the typed KEEL_OPTIONAL_READ refuses them.
static const keel_component tags_of_each_storage[] = {
    { .name = "InSet", .align = 1, .storage = KEEL_SPARSE_SET },
    { .name = "InIndex", .align = 1, .storage = KEEL_INDEXED },
    { .name = "InRows", .align = 1, .storage = KEEL_ARCHETYPE },
};
typedef Number AtIndex;
KEEL_COMPONENT(AtIndex, .storage = KEEL_INDEXED);
typedef Number InRow;
KEEL_COMPONENT(InRow, .storage = KEEL_ARCHETYPE);

static void expect_optional(keel_world *world, const keel_component *tag,
                            const keel_component *leader, const keel_component *other) {
    const keel_term terms[] = {
        { .kind = KEEL_TERM_OPTIONAL_READ, .component = tag },
        { .kind = KEEL_TERM_ENTITY },
        { .kind = leader ? KEEL_TERM_WITH : KEEL_TERM_END, .component = leader },
        { .kind = other ? KEEL_TERM_READ : KEEL_TERM_END, .component = other },
        { .kind = KEEL_TERM_END }
    };
    keel_view view;
    keel_iterator walk;
    uint32_t visits = 0;
    assert_int_equal(keel_view_begin(&view, world, terms, "optional"), KEEL_OK);
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
    for (const keel_chunk *c; (c = keel_iterator_next(&walk)) != NULL;)
        for (uint32_t i = 0; i < c->count; ++i) {
            if (c->form == KEEL_CHUNK_MASK && !(c->words[i / 64] >> (i % 64) & 1)) continue;
            const bool is_there = c->form == KEEL_CHUNK_LIST ? c->columns[0].index[i] != UINT32_MAX
                                                             : c->columns[0].base != NULL;
            if (is_there != keel_has_component(&view, c->entities[i], tag))
                fail_msg("%s %s %s form %d i %u", tag->name, leader ? leader->name : "-",
                         other ? other->name : "-", (int)c->form, i);
            ++visits;
        }
    assert_int_equal(visits, 300);
    keel_iterator_end(&walk);
    keel_view_end(&view);
}

static void an_optional_tag_is_null_where_it_is_absent(void **state) {
    (void)state;
    static const keel_component *const leaders[] = { NULL, KEEL_OF(Number), KEEL_OF(AtIndex),
                                                     KEEL_OF(InRow) };
    api_fixture f;
    keel_entity e[300];
    api_begin(&f);
    for (uint32_t i = 0; i < 300; ++i)
        e[i] = keel_add_entity(f.world, KEEL_INIT(Number, { i }), KEEL_INIT(AtIndex, { i }),
                               KEEL_INIT(InRow, { i }));
    for (uint32_t some = 0; some < 3; ++some)
        for (uint32_t t = 0; t < 3; ++t) {
            const keel_component *tag = &tags_of_each_storage[t];
            for (uint32_t i = 0; some && i < 300; ++i)
                if (some == 1 ? i % 7 == 3 || (i > 100 && i < 200) : i > 64)
                    (void)keel_add_component(f.world, e[i], tag, NULL);
            for (uint32_t l = 0; l < 4; ++l)
                for (uint32_t o = 0; o < 4; ++o)
                    if (l || !o) expect_optional(f.world, tag, leaders[l], leaders[o]);
        }
    api_end(&f);
}

KEEL_SYSTEM(enlarge, KEEL_WRITE(Large, large), KEEL_READ(Number, n)) {
    for (uint32_t i = 0; i < 512; ++i)
        large->word[i] = n->value + i;
}

static void values_may_be_large(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[40];
    api_begin(&f);
    add_numbers(f.world, 40, e);
    for (uint32_t i = 40; i-- > 0;) // another order than the numbers
        if (i != 17) assert_int_equal(keel_add(f.world, e[i], Large), KEEL_OK);
    assert_int_equal(keel_run(f.world, enlarge), KEEL_OK);
    for (uint32_t i = 0; i < 40; ++i)
        if (i != 17) assert_int_equal(keel_get(f.world, e[i], Large)->word[511], i + 511);
    api_end(&f);
}

// ------------------------------------------------------------------ filters and handles
KEEL_SYSTEM(mark_with, KEEL_WRITE(Number, n), KEEL_WITH(Frozen)) { n->value |= 1; }
KEEL_SYSTEM(mark_without, KEEL_WRITE(Number, n), KEEL_WITHOUT(Frozen)) { n->value |= 2; }
KEEL_SYSTEM(mark_any, KEEL_WRITE(Number, n), KEEL_ANY_OF(Frozen, Dead)) { n->value |= 4; }
KEEL_SYSTEM(mark_any_of_8, KEEL_WRITE(Number, n),
            KEEL_ANY_OF(Position, Velocity, Health, Other, Third, Large, Owned, Dead)) {
    n->value |= 8;
}

static void filters_choose_entities_without_reading(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[4];
    static const uint32_t expected[] = { 2, 1 | 4, 2 | 4 | 8, 1 | 4 | 8 };
    api_begin(&f);
    for (int i = 0; i < 4; ++i) {
        e[i] = keel_add_entity(f.world, KEEL_INIT(Number));
        if (i & 1) assert_int_equal(keel_add(f.world, e[i], Frozen), KEEL_OK);
        if (i & 2) assert_int_equal(keel_add(f.world, e[i], Dead), KEEL_OK);
    }
    assert_int_equal(keel_run(f.world, mark_with), KEEL_OK);
    assert_int_equal(keel_run(f.world, mark_without), KEEL_OK);
    assert_int_equal(keel_run(f.world, mark_any), KEEL_OK);
    assert_int_equal(keel_run(f.world, mark_any_of_8), KEEL_OK);
    for (int i = 0; i < 4; ++i)
        assert_int_equal(number_of(f.world, e[i]), expected[i]);
    api_end(&f);
}

// Systems hand results out through their data.
typedef struct visits {
    uint32_t count;
    keel_entity entity[64];
} visits;
KEEL_SYSTEM(visit_all, KEEL_ENTITY(e), KEEL_DATA(visits, v)) { v->entity[v->count++] = e; }
KEEL_SYSTEM(visit_frozen, KEEL_WITH(Frozen), KEEL_DATA(visits, v)) { ++v->count; }
KEEL_SYSTEM(visit_warm, KEEL_WITHOUT(Frozen), KEEL_DATA(visits, v), KEEL_ENTITY(e)) {
    v->entity[v->count++] = e;
}
KEEL_SYSTEM(visit_maybe, KEEL_OPTIONAL_READ(Number, n), KEEL_DATA(visits, v)) {
    v->count += n ? 100 : 1;
}

static void handles_alone_visit_all_living_entities_by_index(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[20];
    visits v = { 0 };
    api_begin(&f);
    add_numbers(f.world, 20, e);
    for (int i = 0; i < 20; i += 3)
        assert_int_equal(keel_delete_entity(f.world, e[i]), KEEL_OK);
    assert_int_equal(keel_run_with(f.world, visit_all, &v), KEEL_OK);
    assert_int_equal(v.count, keel_entity_count(f.world));
    for (uint32_t i = 0, at = 0; i < 20; ++i)
        if (i % 3) assert_same_entity(v.entity[at++], e[i]);
    api_end(&f);
}

static void filters_alone_are_enough_for_a_system(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[10];
    visits frozen = { 0 }, warm = { 0 }, maybe_one = { 0 };
    api_begin(&f);
    add_numbers(f.world, 10, e);
    for (int i = 0; i < 4; ++i)
        assert_int_equal(keel_add(f.world, e[i], Frozen), KEEL_OK);
    assert_int_equal(keel_delete(f.world, e[9], Number), KEEL_OK);
    assert_int_equal(keel_run_with(f.world, visit_frozen, &frozen), KEEL_OK);
    assert_int_equal(keel_run_with(f.world, visit_warm, &warm), KEEL_OK);
    assert_int_equal(keel_run_with(f.world, visit_maybe, &maybe_one), KEEL_OK);
    assert_int_equal(frozen.count, 4);
    assert_int_equal(warm.count, 6);
    assert_same_entity(warm.entity[0], e[4]);
    assert_int_equal(maybe_one.count, 9 * 100 + 1);
    api_end(&f);
}

// ------------------------------------------------------------------ uniques, commands, data
KEEL_SYSTEM(age, KEEL_WRITE(Number, n), KEEL_UNIQUE_READ(Time, time)) {
    n->value += (uint32_t)time->step;
}
KEEL_SYSTEM_ONCE(tick, KEEL_UNIQUE_WRITE(Time, time)) { time->now += time->step; }

static void uniques_are_parameters_of_every_kind_of_system(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[3];
    api_begin(&f);
    add_numbers(f.world, 3, e);
    assert_int_equal(keel_set_unique(f.world, Time, { .now = 1, .step = 10 }), KEEL_OK);
    assert_int_equal(keel_run(f.world, tick), KEEL_OK);
    assert_int_equal(keel_run(f.world, tick), KEEL_OK);
    assert_int_equal(keel_run(f.world, age), KEEL_OK);
    assert_true(keel_get_unique(f.world, Time)->now == 21);
    for (uint32_t i = 0; i < 3; ++i)
        assert_int_equal(number_of(f.world, e[i]), i + 10);
    api_end(&f);
}

KEEL_SYSTEM(cull, KEEL_READ(Number, n), KEEL_ENTITY(e), KEEL_COMMANDS(commands)) {
    if (n->value % 2) (void)keel_delete_entity(commands, e);
    else (void)keel_add_entity(commands, KEEL_INIT(Other, { n->value }));
}

static void commands_are_applied_when_the_system_has_ended(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[6];
    api_begin(&f);
    add_numbers(f.world, 6, e);
    assert_int_equal(keel_run(f.world, cull), KEEL_OK);
    assert_int_equal(keel_count(f.world, Number), 3);
    assert_int_equal(keel_count(f.world, Other), 3);
    for (uint32_t i = 0; i < 6; ++i)
        assert_int_equal(keel_is_alive(f.world, e[i]), i % 2 == 0);
    api_end(&f);
}

KEEL_SYSTEM(sum_up, KEEL_READ(Number, n), KEEL_DATA(uint64_t, sum)) { *sum += n->value; }

static void a_system_hands_its_result_out_through_its_data(void **state) {
    (void)state;
    api_fixture f;
    uint64_t sum = 5;
    api_begin(&f);
    add_numbers(f.world, 1000, NULL);
    assert_int_equal(keel_run_with(f.world, sum_up, &sum), KEEL_OK);
    assert_int_equal(sum, 5 + 999 * 1000 / 2);
    api_end(&f);
}

static void data_must_be_what_the_system_declares(void **state) {
    (void)state;
    api_fixture f;
    uint64_t sum = 0;
    uint32_t narrow = 0;
    api_begin(&f);
    add_numbers(f.world, 3, NULL);
    assert_int_equal(keel_run(f.world, sum_up), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT,
                 "'sum_up' takes KEEL_DATA(sum) of 8 bytes but was given 0");
    assert_int_equal(keel_run_with(f.world, sum_up, &narrow), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "8 bytes but was given 4");
    uint64_t *const nothing = NULL;
    assert_int_equal(keel_run_with(f.world, sum_up, nothing), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "was given 0");
    assert_int_equal(narrow, 0);
    assert_int_equal(keel_run_with(f.world, sum_up, &sum), KEEL_OK);
    assert_int_equal(sum, 3);
    assert_int_equal(keel_set_unique(f.world, Time, { .step = 1 }), KEEL_OK);
    assert_int_equal(keel_run_with(f.world, tick, &sum), KEEL_OK); // not asked for: not looked at
    api_end(&f);
}

// ------------------------------------------------------------------ no parameters, and sixteen
static uint32_t calls;
KEEL_SYSTEM_ONCE(nothing) { ++calls; }
KEEL_CONDITION(always) { return true; }

static void a_task_may_take_nothing_and_runs_once(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    add_numbers(f.world, 100, NULL);
    calls = 0;
    assert_int_equal(keel_run(f.world, nothing), KEEL_OK);
    assert_int_equal(calls, 1);
    api_end(&f);
}

#define COMPONENT(name)                                                                            \
    typedef struct name {                                                                          \
        uint32_t value;                                                                            \
    } name;                                                                                        \
    KEEL_COMPONENT(name)
COMPONENT(C0);
COMPONENT(C1);
COMPONENT(C2);
COMPONENT(C3);
COMPONENT(C4);
COMPONENT(C5);
COMPONENT(C6);
COMPONENT(C7);
COMPONENT(C8);
COMPONENT(C9);
COMPONENT(C10);
COMPONENT(C11);
COMPONENT(C12);
COMPONENT(C13);
COMPONENT(C14);
COMPONENT(C15);
static const keel_component *const sixteen_components[] = {
    KEEL_OF(C0),  KEEL_OF(C1),  KEEL_OF(C2),  KEEL_OF(C3), KEEL_OF(C4),  KEEL_OF(C5),
    KEEL_OF(C6),  KEEL_OF(C7),  KEEL_OF(C8),  KEEL_OF(C9), KEEL_OF(C10), KEEL_OF(C11),
    KEEL_OF(C12), KEEL_OF(C13), KEEL_OF(C14), KEEL_OF(C15)
};
KEEL_SYSTEM(sixteen, KEEL_READ(C0, c0), KEEL_READ(C1, c1), KEEL_READ(C2, c2), KEEL_READ(C3, c3),
            KEEL_READ(C4, c4), KEEL_READ(C5, c5), KEEL_READ(C6, c6), KEEL_READ(C7, c7),
            KEEL_READ(C8, c8), KEEL_READ(C9, c9), KEEL_READ(C10, c10), KEEL_READ(C11, c11),
            KEEL_READ(C12, c12), KEEL_READ(C13, c13), KEEL_READ(C14, c14), KEEL_WRITE(C15, c15)) {
    c15->value = c0->value + c1->value + c2->value + c3->value + c4->value + c5->value + c6->value +
                 c7->value + c8->value + c9->value + c10->value + c11->value + c12->value +
                 c13->value + c14->value;
}
KEEL_SYSTEM_SPAN(sixteen_by_span, KEEL_SPAN_COUNT(n), KEEL_READ(C1, c1), KEEL_READ(C2, c2),
                 KEEL_READ(C3, c3), KEEL_READ(C4, c4), KEEL_READ(C5, c5), KEEL_READ(C6, c6),
                 KEEL_READ(C7, c7), KEEL_READ(C8, c8), KEEL_READ(C9, c9), KEEL_READ(C10, c10),
                 KEEL_READ(C11, c11), KEEL_READ(C12, c12), KEEL_READ(C13, c13), KEEL_READ(C14, c14),
                 KEEL_WRITE(C15, c15)) {
    for (uint32_t i = 0; i < n; ++i)
        c15[i].value = c1[i].value + c2[i].value + c3[i].value + c4[i].value + c5[i].value +
                       c6[i].value + c7[i].value + c8[i].value + c9[i].value + c10[i].value +
                       c11[i].value + c12[i].value + c13[i].value + c14[i].value;
}

// `step` entities apart, the components come in another order, so that no two sets are alike.
static void add_sixteen(keel_world *world, keel_entity *e, uint32_t count, bool scattered) {
    for (uint32_t c = 0; c < 16; ++c)
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t at = scattered ? (i * 7 + c * 5) % count : i;
            const uint32_t value = at << c % 4;
            assert_int_equal(keel_add_component(world, e[at], sixteen_components[c], &value),
                             KEEL_OK);
        }
}

static void check_sixteen(keel_world *world, const keel_entity *e, uint32_t count) {
    assert_int_equal(keel_run(world, sixteen), KEEL_OK);
    for (uint32_t i = 0; i < count; ++i) // four times 1, 2, 4 and three times 8
        assert_int_equal(keel_get(world, e[i], C15)->value, i * (4 * 7 + 3 * 8));
    assert_int_equal(keel_run(world, sixteen_by_span), KEEL_OK);
    for (uint32_t i = 0; i < count; ++i)
        assert_int_equal(keel_get(world, e[i], C15)->value, i * (4 * 7 + 3 * 8 - 1));
}

static void sixteen_values_come_from_sixteen_storages(void **state) {
    (void)state;
    enum { COUNT = 100 }; // not divisible by 7
    for (int scattered = 0; scattered < 2; ++scattered) {
        api_fixture f;
        keel_entity e[COUNT];
        api_begin(&f);
        add_numbers(f.world, COUNT, e);
        add_sixteen(f.world, e, COUNT, scattered);
        check_sixteen(f.world, e, COUNT);
        api_end(&f);
    }
}

// Every kind of parameter that a per-entity system takes, in one system.
KEEL_SYSTEM(all_kinds, KEEL_WRITE(Number, n), KEEL_READ(Other, o), KEEL_OPTIONAL_READ(Third, t),
            KEEL_OPTIONAL_WRITE(Health, h), KEEL_WITH(Position), KEEL_WITHOUT(Frozen),
            KEEL_ANY_OF(Velocity, Dead), KEEL_ENTITY(e), KEEL_ENTITY(again),
            KEEL_UNIQUE_READ(Time, time), KEEL_MAY_READ(Velocity), KEEL_MAY_WRITE(C0),
            KEEL_MAY_EDIT(Large), KEEL_COMMANDS(commands), KEEL_CONTEXT(context),
            KEEL_DATA(uint32_t, runs)) {
    ++*runs;
    assert_true(keel_is_same(e, again) && t == NULL && time->step == 3);
    if (h) h->points = -1;
    if (keel_has(context, e, Velocity)) n->value = o->value;
    keel_get_mut(context, e, C0)->value = 5;
    assert_int_equal(keel_add(context, e, Large), KEEL_OK);
    assert_int_equal(keel_add(commands, e, Frozen), KEEL_OK);
}

static void all_kinds_of_parameters_go_together(void **state) {
    (void)state;
    api_fixture f;
    uint32_t runs = 0;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number), KEEL_INIT(Other, { 7 }),
                                          KEEL_INIT(Position), KEEL_INIT(Velocity));
    assert_int_equal(keel_add_values(f.world, e, KEEL_INIT(Health), KEEL_INIT(C0)), KEEL_OK);
    assert_int_equal(keel_set_unique(f.world, Time, { .step = 3 }), KEEL_OK);
    assert_int_equal(keel_run_with(f.world, all_kinds, &runs), KEEL_OK);
    assert_int_equal(runs, 1);
    assert_int_equal(number_of(f.world, e), 7);
    assert_int_equal(keel_get(f.world, e, Health)->points, -1);
    assert_int_equal(keel_get(f.world, e, C0)->value, 5);
    assert_true(keel_has(f.world, e, Large) && keel_has(f.world, e, Frozen));
    assert_int_equal(keel_run_with(f.world, all_kinds, &runs), KEEL_OK); // Frozen now
    assert_int_equal(runs, 1);
    assert_no_error(f.world);
    api_end(&f);
}

// ------------------------------------------------------------------ plain functions
static keel_result count_data(keel_context *context) {
    keel_run_info run;
    assert_ptr_equal(keel_context_info(context, &run), &run);
    assert_int_equal(run.data_size, sizeof(visits));
    visits *v = run.data;
    ++v->count;
    return v->count == 1 ? KEEL_OK : v->count == 2 ? KEEL_ABSENT : KEEL_ERROR_FULL;
}
static const keel_term only_data[] = { { .kind = KEEL_TERM_DATA, .data_size = sizeof(visits) },
                                       { .kind = KEEL_TERM_END } };
static const keel_term no_terms[] = { { .kind = KEEL_TERM_END } };
static const keel_system plain = {
    .name = "plain", .kind = KEEL_SYSTEM_PER_RUN, .function = count_data, .terms = only_data
};

static void a_plain_function_is_a_system_too(void **state) {
    (void)state;
    api_fixture f;
    visits v = { 0 };
    api_begin(&f);
    assert_int_equal(
        keel_run_system(f.world, &plain, &(keel_run_desc){ .data = &v, .data_size = sizeof v }),
        KEEL_OK);
    assert_int_equal(
        keel_run_system(f.world, &plain, &(keel_run_desc){ .data = &v, .data_size = sizeof v }),
        KEEL_OK); // KEEL_ABSENT
    assert_no_error(f.world);
    assert_int_equal(
        keel_run_system(f.world, &plain, &(keel_run_desc){ .data = &v, .data_size = sizeof v }),
        KEEL_ERROR_SYSTEM);
    assert_string_equal(keel_last_error(f.world)->system, "plain");
    assert_error(f.world, KEEL_ERROR_SYSTEM, keel_result_text(KEEL_ERROR_FULL));
    assert_int_equal(v.count, 3);
    api_end(&f);
}

static void refuse(keel_world *world, const keel_system *system, const char *part) {
    assert_int_equal(keel_run_system(world, system, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(world, KEEL_ERROR_ARGUMENT, part);
}

static void malformed_systems_are_refused(void **state) {
    (void)state;
    api_fixture f;
    const keel_term not_for_a_system[] = { { .kind = KEEL_TERM_READ }, { .kind = KEEL_TERM_END } };
    const keel_term unknown_kind[] = { { .kind = (keel_term_kind)99 }, { .kind = KEEL_TERM_END } };
    keel_term seventeen[18] = { { .kind = KEEL_TERM_END } };
    for (int i = 0; i < 17; ++i)
        seventeen[i].kind = KEEL_TERM_ENTITY;
    api_begin(&f);
    keel_system s = plain;
    refuse(f.world, NULL, "needs a name");
    s.terms = no_terms;
    s.name = NULL;
    refuse(f.world, &s, "needs a name");
    s.name = "odd";
    s.terms = NULL;
    refuse(f.world, &s, "terms");
    s.terms = no_terms;
    s.run = KEEL_SYSTEM_nothing.run; // and a function
    refuse(f.world, &s, "one of run, function and each_span");
    s.run = NULL;
    s.kind = KEEL_SYSTEM_PER_ENTITY;
    refuse(f.world, &s, "plain function");
    s.function = NULL;
    refuse(f.world, &s, "one of run, function and each_span");
    s = KEEL_SYSTEM_nothing;
    s.terms = not_for_a_system;
    refuse(f.world, &s, "lacks its component");
    s.terms = unknown_kind;
    refuse(f.world, &s, "unknown kind");
    s.terms = seventeen;
    refuse(f.world, &s, "more than 16");
    refuse(f.world, &KEEL_CONDITION_always, "is a condition");
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    // proves S-55 S-57
    TEST(a_system_runs_for_what_has_its_components,
         "a system runs at once, for each entity that has its components"),
    // proves S-58
    TEST(views_are_released_when_a_system_returns,
         "what a system used is free when it has returned"),
    TEST(return_goes_on_to_the_next_entity, "a return goes on to the next entity"),
    TEST(a_system_without_matches_does_nothing, "a system without matches does nothing"),
    TEST(maybe_is_null_where_the_component_is_absent,
         "an optional component is NULL where it is absent"),
    TEST(an_optional_tag_is_null_where_it_is_absent, "an optional tag is NULL where it is absent"),
    TEST(values_may_be_large, "values above 1 KiB in another order are found"),
    TEST(filters_choose_entities_without_reading, "filters choose entities without reading"),
    // proves S-59
    TEST(handles_alone_visit_all_living_entities_by_index,
         "a system of handles visits all living entities by index"),
    TEST(filters_alone_are_enough_for_a_system, "filters alone are enough for a system"),
    // proves S-59
    TEST(uniques_are_parameters_of_every_kind_of_system, "uniques are read and written by systems"),
    TEST(commands_are_applied_when_the_system_has_ended,
         "commands are applied when the system has ended"),
    // proves S-56 S-57
    TEST(a_system_hands_its_result_out_through_its_data,
         "a system hands any result out through its data"),
    TEST(data_must_be_what_the_system_declares, "data must be what the system declares"),
    // proves S-56
    TEST(a_task_may_take_nothing_and_runs_once, "a task may take nothing, and runs once"),
    // proves S-56
    TEST(sixteen_values_come_from_sixteen_storages,
         "sixteen parameters come from sixteen storages"),
    // proves S-55 S-59
    TEST(all_kinds_of_parameters_go_together, "all kinds of parameters go together in one system"),
    // proves S-55
    TEST(a_plain_function_is_a_system_too, "a plain function is a system too"),
    TEST(malformed_systems_are_refused, "malformed systems are refused"),
};

int main(void) { return RUN(tests); }
