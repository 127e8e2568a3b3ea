// SPDX-License-Identifier: MIT
// The planets against an independent ephemeris, seen from the Sun, from 1900 to 2050. The positions
// come out of the program's own world and workload.
#include "components.h"
#include "dates.h"
#include "population.h"
#include "reference.h"
#include "support/test.h"
#include "systems.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// Arc minutes that each planet may be off, on every day.
static const double tolerance[REFERENCE_PLANETS] = { 0.5, 0.5, 0.5, 2, 12, 12, 12, 12 };

static double minutes_between(const double a[3], const double b[3]) {
    const double cross[3] = { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                              a[0] * b[1] - a[1] * b[0] };
    const double sine = sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]);
    const double cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    return atan2(sine, cosine) * 180 / 3.14159265358979323846 * 60;
}

typedef struct deviation {
    double angle, jd; // the largest one, arc minutes, and when
    double distance;  // the largest relative error of the distance
} deviation;

static void compare(keel_world *world, double jd, deviation worst[REFERENCE_PLANETS]) {
    int compared = 0;
    KEEL_EACH(world, KEEL_READ(Name, name), KEEL_READ(Position, position)) {
        for (int k = 0; k < REFERENCE_PLANETS; ++k) {
            if (strcmp(name->text, reference_names[k]) != 0) continue;
            const double ours[3] = { position->x, position->y, position->z };
            double theirs[3];
            reference_position(k, jd, theirs);
            const double angle = minutes_between(ours, theirs);
            const double r =
                sqrt(theirs[0] * theirs[0] + theirs[1] * theirs[1] + theirs[2] * theirs[2]);
            const double off = sqrt(ours[0] * ours[0] + ours[1] * ours[1] + ours[2] * ours[2]) - r;
            assert_true(angle <= tolerance[k]);
            if (angle > worst[k].angle) worst[k] = (deviation){ angle, jd, worst[k].distance };
            worst[k].distance = fmax(worst[k].distance, fabs(off) / r);
            ++compared;
        }
    }
    assert_int_equal(compared, REFERENCE_PLANETS);
}

static void planets_are_where_they_should_be(void **state) {
    (void)state;
    body_list list;
    failure why;
    deviation worst[REFERENCE_PLANETS] = { { 0, 0, 0 } };
    double first, last;
    assert_true(date_parse("1900-01-01", &first));
    assert_true(date_parse("2050-12-31", &last));
    assert_true(bodies_load(&list, ORRERY_BODIES, &why));
    keel_world *world = keel_world_create(NULL);
    assert_int_equal(populate_bodies(world, &list), KEEL_OK);
#ifdef NDEBUG
    const double step = 1;
#else
    const double step = 7; // the reference takes most of the time
#endif
    for (double jd = first; jd <= last; jd += step) {
        assert_int_equal(orrery_step(world, jd), KEEL_OK);
        compare(world, jd, worst);
    }
    for (int k = 0; k < REFERENCE_PLANETS; ++k) {
        char date[DATE_TEXT_SIZE];
        date_format(worst[k].jd, date);
        printf("%-10s at most %6.3f arc minutes (%s), %.1e of the distance\n", reference_names[k],
               worst[k].angle, date, worst[k].distance);
        assert_true(worst[k].distance < 0.01);
    }
    keel_world_destroy(world);
    bodies_free(&list);
}

// Longitudes of the date would grow by 1.4 degrees more in a century.
static void the_reference_is_in_the_frame_of_j2000(void **state) {
    (void)state;
    const int earth = 2;
    const double sidereal_year = 365.25636;
    double then[3], now[3];
    reference_position(earth, 2451545.0 - 100 * sidereal_year, then);
    reference_position(earth, 2451545.0, now);
    assert_true(minutes_between(then, now) < 3);
}

static const struct CMUnitTest tests[] = {
    TEST(the_reference_is_in_the_frame_of_j2000, "the reference is in the frame of J2000"),
    TEST(planets_are_where_they_should_be,
         "planets agree with VSOP87 on every day from 1900 to 2050"),
};

int main(void) { return RUN(tests); }
