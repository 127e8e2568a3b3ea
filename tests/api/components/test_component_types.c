// SPDX-License-Identifier: MIT
// Component types that are made at run time: many, and some that come and go.
#include "support/api_types.h"

#include <stdio.h>
#include <time.h>

enum { FEW_TYPES = 200, MANY_TYPES = 8000 };
static char type_names[MANY_TYPES][24];
static keel_component types[MANY_TYPES];

static void register_types(keel_world *world, int from, int end) {
    for (int i = from; i < end; ++i) {
        (void)snprintf(type_names[i], sizeof type_names[i], "run_time_%d", i);
        types[i] = (keel_component){ .name = type_names[i], .size = 4, .align = 4 };
        assert_non_null(keel_register_component(world, &types[i]));
    }
}

// Seconds for each of the first `count` types: to be found by name and by descriptor, and walked.
static double best_look_at(keel_world *world, int count) {
    double best = 1e9;
    const keel_entity e = keel_add_entity(world);
    for (int round = 0; round < 3; ++round) {
        const clock_t begin = clock();
        const keel_component *at = NULL;
        for (int i = 0; i < count; ++i) {
            assert_non_null(keel_find_component(world, type_names[i]));
            assert_null(keel_get_component(world, e, &types[i]));
            at = keel_next_component(world, at);
            assert_null(keel_next_component_of(world, e, NULL));
        }
        const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC / count;
        if (seconds < best) best = seconds;
    }
    return best;
}

static void many_types_cost_what_few_cost(void **state) {
    (void)state;
    if (test_rounds(20) < 20) skip(); // times mean nothing under an emulator
    api_fixture f;
    api_begin(&f);
    register_types(f.world, 0, FEW_TYPES);
    const double few = best_look_at(f.world, FEW_TYPES);
    register_types(f.world, FEW_TYPES, MANY_TYPES);
    assert_true(best_look_at(f.world, MANY_TYPES) < few * 10);
    api_end(&f);
}

// As editors and scripts make and drop them.
static void types_come_and_go_without_a_trace(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    size_t before = 0;
    for (int i = 0; i < 2000; ++i) {
        register_types(f.world, i, i + 1);
        assert_int_equal(keel_unregister_component(f.world, &types[i]), KEEL_OK);
        if (i == 100) before = keel_world_statistics(f.world).memory.total;
    }
    assert_int_equal(keel_world_statistics(f.world).memory.total, before);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(types_come_and_go_without_a_trace, "types come and go without a trace in the memory"),
    TEST(many_types_cost_what_few_cost, "finding one of many types costs what one of few costs"),
};

int main(void) { return RUN(tests); }
