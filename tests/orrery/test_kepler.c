// SPDX-License-Identifier: MIT
// Kepler's equation and the geometry of orbits.
#include "kepler.h"
#include "support/test.h"
#include <math.h>

static const double pi = 3.14159265358979323846;

// The mean anomaly is computed from a known E, so that the answer is known too.
static double worst_error(double e) {
    double worst = 0;
    for (int k = -20000; k <= 20000; k += (int)test_few()) {
        // As many small anomalies as large ones: near 0 the equation is hardest.
        const double share = k / 20000.0, known = pi * (k % 2 ? share : share * share * share);
        const eccentric_anomaly solved = kepler_solve(known - e * sin(known), e);
        worst = fmax(worst, fabs(remainder(solved.radians - known, 2 * pi)));
        worst = fmax(worst, fabs(solved.sine - sin(known)));
        worst = fmax(worst, fabs(solved.cosine - cos(known)));
    }
    return worst;
}

static void keplers_equation_is_solved(void **state) {
    (void)state;
    for (int percent = 0; percent <= 99; ++percent)
        assert_true(worst_error(percent / 100.0) < 1e-12);
    assert_true(worst_error(0.999) < 1e-12);
}

static void nearly_parabolic_orbits_do_not_diverge(void **state) {
    (void)state;
    assert_true(worst_error(0.999999) < 1e-9);
    assert_true(worst_error(1 - 1e-12) < 1e-6);
}

static void many_rounds_do_not_matter(void **state) {
    (void)state;
    for (int k = -1000; k <= 1000; ++k) {
        const eccentric_anomaly once = kepler_solve(0.7, 0.3);
        const eccentric_anomaly again = kepler_solve(0.7 + 2 * pi * 100 * k, 0.3);
        assert_true(fabs(once.radians - again.radians) < 1e-9); // 5 digits are lost in M itself
        assert_true(fabs(again.radians) <= pi);
    }
}

static double length_of(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static void an_ellipse_has_its_axes_and_its_plane(void **state) {
    (void)state;
    const elements orbit = { .a = 2.5, .e = 0.6, .i = 0.4, .L = 1, .peri = 2.2, .node = 0.9 };
    const ellipse path = ellipse_of(&orbit);
    assert_true(fabs(length_of(path.p) - 2.5) < 1e-14);
    assert_true(fabs(length_of(path.q) - 2.0) < 1e-14); // a * sqrt(1 - 0.36)
    const double product = path.p[0] * path.q[0] + path.p[1] * path.q[1] + path.p[2] * path.q[2];
    assert_true(fabs(product) < 1e-14);
    // The normal leans by i, away from the ascending node.
    const double n[3] = { path.p[1] * path.q[2] - path.p[2] * path.q[1],
                          path.p[2] * path.q[0] - path.p[0] * path.q[2],
                          path.p[0] * path.q[1] - path.p[1] * path.q[0] };
    assert_true(fabs(n[2] / length_of(n) - cos(0.4)) < 1e-14);
    assert_true(fabs(atan2(n[0], -n[1]) - 0.9) < 1e-14);
}

static void elements_drift_with_time(void **state) {
    (void)state;
    const elements at = { 1, 0.1, 0.2, 0.3, 0.4, 0.5 }, rate = { 10, 20, 30, 40, 50, 60 };
    const elements then = elements_at(&at, &rate, 0.01);
    assert_true(fabs(then.a - 1.1) < 1e-15 && fabs(then.e - 0.3) < 1e-15);
    assert_true(fabs(then.i - 0.5) < 1e-15 && fabs(then.L - 0.7) < 1e-15);
    assert_true(fabs(then.peri - 0.9) < 1e-15 && fabs(then.node - 1.1) < 1e-15);
}

static const struct CMUnitTest tests[] = {
    TEST(keplers_equation_is_solved, "Kepler's equation is solved to 1e-12 for e to 0.99"),
    TEST(nearly_parabolic_orbits_do_not_diverge, "nearly parabolic orbits do not diverge"),
    TEST(many_rounds_do_not_matter, "the mean anomaly may have any number of rounds"),
    TEST(an_ellipse_has_its_axes_and_its_plane, "an ellipse has its axes and its plane"),
    TEST(elements_drift_with_time, "elements drift with time"),
};

int main(void) { return RUN(tests); }
