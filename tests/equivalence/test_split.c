// SPDX-License-Identifier: MIT
// Systems that are split over several workers visit each match once, wherever they are cut, and
// what they record comes out in the order of the unsplit loop.
#include "equivalence/everywhere.h"

#include <stdlib.h>

enum { MOST = 4096 + 300 };
static const uint32_t sizes[] = { 1, 2, 5, 63, 64, 65, 300, 1000, 4095, 4096, MOST };
enum { SIZES = sizeof sizes / sizeof sizes[0] };

typedef struct scene {
    api_fixture f;
    keel_world *world;
    keel_entity e[MOST];
    uint32_t count;
} scene;
static scene s;

static void begin(uint32_t count, uint32_t workers) {
    numbers n = { count };
    api_begin_with(&s.f,
                   (keel_world_desc){ .on_misuse = KEEL_MISUSE_RETURN, .worker_count = workers });
    s.world = s.f.world;
    s.count = count;
    assert_int_equal(keel_add_entity_columns(s.world, count, s.e, NULL), KEEL_OK);
    for (uint32_t i = 0; i < count; ++i) {
        keel_add(s.world, s.e[i], Number, { 0 });
        if (next_below(&n, 2)) keel_add(s.world, s.e[i], Velocity, { 1, 1 });
        if (i / 100 % 2 == 0) keel_add(s.world, s.e[i], Byte, { 1 });
        if (i % 50 == 49) keel_add(s.world, s.e[i], Frozen);
    }
    if (count > 1) keel_delete_entity(s.world, s.e[count / 3]);
}

KEEL_SYSTEM(visit_all, KEEL_WRITE(Number, n)) { ++n->value; }
KEEL_SYSTEM(visit_moving, KEEL_WRITE(Number, n), KEEL_READ(Velocity, v)) {
    n->value += (uint32_t)v->x;
}
KEEL_SYSTEM(visit_thawed, KEEL_WRITE(Number, n), KEEL_WITHOUT(Frozen),
            KEEL_ANY_OF(Velocity, Byte)) {
    ++n->value;
}
KEEL_SYSTEM(visit_others, KEEL_OPTIONAL_WRITE(Number, n), KEEL_WITHOUT(Velocity), KEEL_ENTITY(e)) {
    if (!keel_is_null(e)) ++n->value;
}
KEEL_SYSTEM_SPAN(visit_spans, KEEL_WRITE(Number, n), KEEL_SPAN_COUNT(count), KEEL_WITHOUT(Frozen)) {
    for (uint32_t i = 0; i < count; ++i)
        ++n[i].value;
}

static bool has(const keel_component *c, keel_entity e) {
    return keel_has_component(s.world, e, c);
}
static bool matches_all(keel_entity e) { return keel_is_alive(s.world, e); }
static bool matches_moving(keel_entity e) { return has(KEEL_OF(Velocity), e); }
static bool matches_thawed(keel_entity e) {
    return !has(KEEL_OF(Frozen), e) && (has(KEEL_OF(Velocity), e) || has(KEEL_OF(Byte), e));
}
static bool matches_others(keel_entity e) { return !has(KEEL_OF(Velocity), e); }
static bool matches_spans(keel_entity e) { return !has(KEEL_OF(Frozen), e); }

static void check(const keel_system *system, bool (*matches)(keel_entity e)) {
    for (uint32_t workers = 1; workers <= 4; workers += 3)
        for (uint32_t k = 0; k < SIZES; ++k) {
            begin(sizes[k], workers);
            for (uint32_t runs = 1; runs <= 3; ++runs) {
                assert_int_equal(
                    keel_run_system(s.world, system, &(keel_run_desc){ .parallel = true }),
                    KEEL_OK);
                for (uint32_t i = 0; i < s.count; ++i) {
                    if (!keel_is_alive(s.world, s.e[i])) continue;
                    assert_int_equal(keel_get(s.world, s.e[i], Number)->value,
                                     matches(s.e[i]) ? runs : 0);
                }
            }
            api_end(&s.f);
        }
}

static void each_match_is_visited_once(void **state) {
    (void)state;
    check(&KEEL_SYSTEM_visit_all, matches_all);
    check(&KEEL_SYSTEM_visit_moving, matches_moving);
    check(&KEEL_SYSTEM_visit_thawed, matches_thawed);
    check(&KEEL_SYSTEM_visit_others, matches_others);
    check(&KEEL_SYSTEM_visit_spans, matches_spans);
}

KEEL_SYSTEM(bear, KEEL_READ(Number, n), KEEL_WITHOUT(Frozen), KEEL_ENTITY(e),
            KEEL_COMMANDS(commands)) {
    if (n->value == 0)
        (void)keel_add_entity(commands, KEEL_INIT(N1, { (uint32_t)keel_entity_index(e) }));
}

KEEL_WORKLOAD(births, KEEL_STEP(bear, .parallel = true));

// All N1, by their entities' indices.
static uint32_t children(uint32_t *parents) {
    uint32_t count = 0;
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(s.world, e));) {
        const N1 *n = keel_get(s.world, e, N1);
        if (n) parents[count++] = n->value;
    }
    return count;
}

static void commands_come_in_the_order_of_the_loop(void **state) {
    (void)state;
    static uint32_t expected[MOST], found[MOST];
    for (uint32_t k = 0; k < SIZES; ++k) {
        begin(sizes[k], 1);
        assert_int_equal(keel_run(s.world, bear), KEEL_OK);
        const uint32_t count = children(expected);
        api_end(&s.f);
        for (uint32_t workers = 1; workers <= 4; workers += 3) {
            begin(sizes[k], workers);
            assert_int_equal(keel_run_workload(s.world, births), KEEL_OK);
            assert_int_equal(children(found), count);
            assert_memory_equal(found, expected, count * sizeof *found);
            api_end(&s.f);
        }
    }
}

static const struct CMUnitTest tests[] = {
    TEST(each_match_is_visited_once, "a split system visits each match once"),
    TEST(commands_come_in_the_order_of_the_loop, "a split system records in the loop's order"),
};

EVERYWHERE(tests)
