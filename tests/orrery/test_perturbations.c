// SPDX-License-Identifier: MIT
// What the planets do to each other: who has terms, and what they come to.
#include "components.h"
#include "dates.h"
#include "perturbations.h"
#include "population.h"
#include "support/test.h"
#include "systems.h"
#include <math.h>
#include <string.h>

static const double minute = 3.14159265358979323846 / 180 / 60;

static void load(body_list *list) {
    failure why;
    assert_true(bodies_load(list, ORRERY_BODIES, &why));
}

static const body_row *find(const body_list *list, const char *name) {
    for (int k = 0; k < list->count; ++k)
        if (strcmp(list->items[k].name, name) == 0) return &list->items[k];
    fail_msg("no %s", name);
    return NULL;
}

static void planets_have_terms_and_others_have_none(void **state) {
    (void)state;
    static const char *const planets[] = { "Mercury", "Venus",  "EarthMoon", "Mars",
                                           "Jupiter", "Saturn", "Uranus",    "Neptune" };
    static const int counts[] = { 8, 7, 6, 7, 6, 3, 1, 2 };
    body_list list;
    int total = 0;
    load(&list);
    for (int k = 0; k < 8; ++k)
        assert_int_equal(perturbations_of(find(&list, planets[k])).count, counts[k]);
    for (int k = 0; k < list.count; ++k)
        total += perturbations_of(&list.items[k]).count;
    assert_int_equal(total, 40);
    bodies_free(&list);
}

static void a_name_alone_does_not_make_a_planet(void **state) {
    (void)state;
    body_list list;
    load(&list);
    body_row saturn = *find(&list, "Saturn");
    assert_int_equal(perturbations_of(&saturn).count, 3);
    saturn.per_century.L *= 1.002;
    assert_int_equal(perturbations_of(&saturn).count, 0);
    saturn.per_century.L = 0;
    assert_int_equal(perturbations_of(&saturn).count, 0);
    saturn.per_century.L = -find(&list, "Saturn")->per_century.L;
    assert_int_equal(perturbations_of(&saturn).count, 0);
    bodies_free(&list);
}

// By hand: 20012 cos x - 4964 sin x of the largest term of Saturn, x once round in 60.89 years.
static void terms_are_cosines_and_sines(void **state) {
    (void)state;
    const double turn = 2 * 3.14159265358979323846;
    body_list list;
    load(&list);
    perturbations saturn = perturbations_of(find(&list, "Saturn"));
    saturn.count = 1;
    const double period = turn / (287 * 0.035953620);
    assert_true(fabs(period - 0.6089) < 1e-4);
    assert_true(fabs(perturbations_at(&saturn, 0) - 20012e-7) < 1e-12);
    assert_true(fabs(perturbations_at(&saturn, period / 4) + 4964e-7) < 1e-12);
    assert_true(fabs(perturbations_at(&saturn, -period / 4) - 4964e-7) < 1e-12);
    assert_true(fabs(perturbations_at(&saturn, 10 * period) - 20012e-7) < 1e-12);
    bodies_free(&list);
}

// No planet is moved by more than the sum of its amplitudes: 12 arc minutes.
static void terms_stay_small(void **state) {
    (void)state;
    body_list list;
    load(&list);
    for (int k = 0; k < list.count; ++k) {
        const perturbations terms = perturbations_of(&list.items[k]);
        for (double centuries = -20; centuries < 80; centuries += 0.0137)
            assert_true(fabs(perturbations_at(&terms, centuries)) < 12 * minute);
    }
    bodies_free(&list);
}

static void the_workload_moves_planets_only(void **state) {
    (void)state;
    body_list list;
    int moved = 0;
    load(&list);
    keel_world *world = keel_world_create(NULL);
    assert_int_equal(populate_bodies(world, &list), KEEL_OK);
    assert_int_equal(keel_count(world, Perturbation), 8);
    assert_int_equal(orrery_step(world, J2000 + DAYS_PER_CENTURY / 8), KEEL_OK);
    KEEL_EACH(world, KEEL_READ(Anomaly, anomaly), KEEL_READ(Motion, motion),
              KEEL_OPTIONAL_READ(Perturbation, perturbation)) {
        const double mean = motion->at_j2000 + motion->per_century * 0.125;
        const double added = perturbation ? perturbations_at(&perturbation->list, 0.125) : 0;
        assert_true(fabs(anomaly->mean - mean - added) < 1e-9);
        moved += added != 0;
    }
    assert_int_equal(moved, 8);
    keel_world_destroy(world);
    bodies_free(&list);
}

static const struct CMUnitTest tests[] = {
    TEST(planets_have_terms_and_others_have_none, "planets have terms, other bodies have none"),
    TEST(a_name_alone_does_not_make_a_planet, "a planet's name alone does not make a planet"),
    TEST(terms_are_cosines_and_sines, "terms are cosines and sines of the time"),
    TEST(terms_stay_small, "terms stay small"),
    TEST(the_workload_moves_planets_only, "the workload moves planets only"),
};

int main(void) { return RUN(tests); }
