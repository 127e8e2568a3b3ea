// SPDX-License-Identifier: MIT
// keel::transform against globals that are found by climbing, in 2-D and 3-D.
#include "support/api_fixture.h"

#include <keel_transform.h>

enum { COUNT = 600, ROUNDS = 200 };

static uint64_t seed;
static uint32_t roll(uint32_t below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % below;
}

typedef struct scene {
    keel_world *world;
    keel_entity all[COUNT];
} scene;
static scene s;

// Whole numbers, so that every order of the same products is exact; low ones, in trees that are
// not deep.
static float small(void) { return (float)roll(3) - 1; }
static keel_local_2d random_2d(void) {
    const keel_local_2d local = { { small(), small(), small(), small(), small(), small() } };
    return local;
}
static keel_local_3d random_3d(void) {
    keel_local_3d local = { keel_affine_3d_at(small(), small(), small()) };
    local.map.x[roll(3)] = small();
    local.map.y[roll(3)] = small();
    return local;
}

static keel_affine_2d expected_2d(keel_entity e) {
    const keel_affine_2d own = keel_get(s.world, e, keel_local_2d)->map;
    const keel_entity parent = keel_parent_of(s.world, e);
    return keel_is_null(parent) ? own : keel_affine_2d_mul(expected_2d(parent), own);
}
static keel_affine_3d expected_3d(keel_entity e) {
    const keel_affine_3d own = keel_get(s.world, e, keel_local_3d)->map;
    const keel_entity parent = keel_parent_of(s.world, e);
    return keel_is_null(parent) ? own : keel_affine_3d_mul(expected_3d(parent), own);
}

static void add(uint32_t i) {
    s.all[i] = keel_add_entity(s.world);
    keel_add(s.world, s.all[i], keel_local_2d, random_2d());
    keel_add(s.world, s.all[i], keel_local_3d, random_3d());
    if (i && roll(5)) keel_attach(s.world, s.all[i], s.all[roll(i < 20 ? i : 20)]);
}

static void change(void) {
    const keel_entity e = s.all[roll(COUNT)];
    const uint32_t what = roll(6);
    if (what == 0) keel_get_mut(s.world, e, keel_local_2d)->map.e += 1;
    if (what == 1) keel_add(s.world, e, keel_local_3d, random_3d());
    if (what == 2) keel_detach(s.world, e);
    if (what == 3 && !(keel_child_count(s.world, e) > 0)) keel_attach(s.world, e, s.all[roll(20)]);
    if (what == 4) *keel_get_mut(s.world, s.all[roll(20)], keel_local_2d) = random_2d();
}

static void globals_are_those_of_the_model(void **state) {
    (void)state;
    for (uint32_t workers = 1; workers <= 4; ++workers) {
        api_fixture f;
        api_begin_workers(&f, workers);
        seed = workers;
        s.world = f.world;
        for (uint32_t i = 0; i < COUNT; ++i)
            add(i);
        for (uint32_t round = 0; round < ROUNDS; ++round) {
            for (uint32_t n = roll(4); n; --n)
                change();
            keel_clear_errors(f.world); // an attachment that would be a circle
            assert_int_equal(keel_run_workload(f.world, keel_transform_2d), KEEL_OK);
            assert_int_equal(keel_run_workload(f.world, keel_transform_3d), KEEL_OK);
            for (uint32_t i = 0; i < COUNT; ++i) {
                const keel_affine_2d flat = expected_2d(s.all[i]);
                const keel_affine_3d deep = expected_3d(s.all[i]);
                assert_memory_equal(keel_get(f.world, s.all[i], keel_global_2d), &flat,
                                    sizeof flat);
                assert_memory_equal(keel_get(f.world, s.all[i], keel_global_3d), &deep,
                                    sizeof deep);
            }
        }
        assert_no_error(f.world);
        api_end(&f);
    }
}

static void nothing_is_written_where_nothing_changed(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    s.world = f.world;
    for (uint32_t i = 0; i < COUNT; ++i)
        add(i);
    keel_run_workload(f.world, keel_transform_2d);
    keel_get_mut(f.world, s.all[7], keel_global_2d)->map.e = 77; // by somebody else
    keel_run_workload(f.world, keel_transform_2d);
    assert_true(keel_get(f.world, s.all[7], keel_global_2d)->map.e == 77);
    (void)keel_get_mut(f.world, s.all[7], keel_local_2d);
    keel_run_workload(f.world, keel_transform_2d);
    const keel_affine_2d flat = expected_2d(s.all[7]);
    assert_memory_equal(keel_get(f.world, s.all[7], keel_global_2d), &flat, sizeof flat);
    api_end(&f);
}

static void maps_are_what_they_say(void **state) {
    (void)state;
    const keel_affine_2d quarter = keel_affine_2d_turned(1.57079633f, 2, 10, 0);
    const keel_affine_2d moved = keel_affine_2d_mul(quarter, keel_affine_2d_at(3, 0));
    assert_true(fabsf(moved.e - 10) < 1e-4f && fabsf(moved.f - 6) < 1e-4f);
    const keel_affine_3d up =
        keel_affine_3d_mul(keel_affine_3d_at(1, 2, 3), keel_affine_3d_at(4, 5, 6));
    assert_true(up.at[0] == 5 && up.at[1] == 7 && up.at[2] == 9 && up.x[0] == 1);
}

static const struct CMUnitTest tests[] = {
    TEST(globals_are_those_of_the_model, "globals are what climbing finds, on 1 to 4 workers"),
    TEST(nothing_is_written_where_nothing_changed, "nothing is written where nothing changed"),
    TEST(maps_are_what_they_say, "maps are turned, scaled and moved as they say"),
};
int main(void) { return RUN(tests); }
