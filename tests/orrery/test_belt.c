// SPDX-License-Identifier: MIT
// The asteroids: where they are, and that a seed means the same ones for ever.
#include "belt.h"
#include "dates.h"
#include "support/test.h"
#include <math.h>

static void asteroids_stay_in_the_belt(void **state) {
    (void)state;
    uint64_t random = 7;
    for (int k = 0; k < 100000; ++k) {
        double mean_motion;
        const elements at = belt_next(&random, &mean_motion);
        assert_true(at.e >= 0 && at.e < 1);
        assert_true(at.a * (1 - at.e) >= 2.1 - 1e-12 && at.a * (1 + at.e) <= 3.3 + 1e-12);
    }
}

static void asteroids_obey_keplers_third_law(void **state) {
    (void)state;
    uint64_t random = 7;
    for (int k = 0; k < 1000; ++k) {
        double mean_motion;
        const elements at = belt_next(&random, &mean_motion);
        const double years = 2 * 3.14159265358979323846 / mean_motion * DAYS_PER_CENTURY / 365.2569;
        assert_true(fabs(years * years / (at.a * at.a * at.a) - 1) < 1e-6);
    }
}

static void a_seed_means_the_same_asteroids(void **state) {
    (void)state;
    uint64_t one = 1, again = 1, other = 2;
    double motion, motion_again, motion_other;
    const elements a = belt_next(&one, &motion), b = belt_next(&again, &motion_again);
    const elements c = belt_next(&other, &motion_other);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(motion == motion_again && a.a != c.a);
    assert_true(a.a > 2.1 && a.a < 3.3);
    // Eight numbers of splitmix64 each, so that belts never change behind the users' back.
    assert_true(one == 1 + 8 * 0x9E3779B97F4A7C15u);
}

static const struct CMUnitTest tests[] = {
    TEST(asteroids_stay_in_the_belt, "asteroids stay between 2.1 and 3.3 au"),
    TEST(asteroids_obey_keplers_third_law, "asteroids obey Kepler's third law"),
    TEST(a_seed_means_the_same_asteroids, "a seed means the same asteroids"),
};

int main(void) { return RUN(tests); }
