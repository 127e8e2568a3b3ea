// SPDX-License-Identifier: MIT
// The solver of the SIR equations against what is known of them without solving: the final size,
// the peak, and that nobody is lost. The number of contacts of the model against pairs that are
// counted.
#include "equation.h"
#include "people.h"
#include "support/test.h"
#include <math.h>

static void the_solution_has_the_known_end_and_peak(void **unused) {
    (void)unused;
    static const struct {
        double beta, gamma;
    } cases[] = { { 0.32, 0.1 }, { 0.15, 0.1 }, { 2, 0.5 }, { 12, 1 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const double ratio = cases[i].beta / cases[i].gamma, begin = 1 - 1e-4;
        sir at = { begin, 1e-4, 0 };
        double peak = 0;
        for (int day = 0; day < 1000; ++day) {
            at = equation_day(at, cases[i].beta, cases[i].gamma);
            assert_true(fabs(at.susceptible + at.infected + at.recovered - 1) < 1e-12);
            peak = fmax(peak, at.infected);
        }
        // S falls to S0 exp(-R0 (1 - S)), and I is largest when S = 1 / R0
        assert_true(fabs(at.susceptible - begin * exp(-ratio * (1 - at.susceptible))) < 1e-6);
        const double known = 1 - (1 + log(ratio * begin)) / ratio;
        assert_true(peak <= known + 1e-6);
        if (cases[i].beta < 1) assert_true(peak > known - 0.01); // a fast one is over within a day
    }
}

static double unit_of(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static void contacts_are_the_pairs_of_a_square(void **unused) {
    (void)unused;
    static const double radii[] = { 0.05, 0.2, 0.5 };
    enum { PAIRS = 400000 };
    uint64_t state = 5;
    for (size_t i = 0; i < sizeof radii / sizeof *radii; ++i) {
        int near = 0;
        for (int k = 0; k < PAIRS; ++k) {
            const double x = unit_of(&state) - unit_of(&state),
                         y = unit_of(&state) - unit_of(&state);
            near += x * x + y * y <= radii[i] * radii[i];
        }
        const double share = (double)near / PAIRS, expected = people_contacts(2, radii[i]);
        assert_true(fabs(share - expected) < 5 * sqrt(expected / PAIRS));
        assert_true(fabs(people_radius(1001, people_contacts(1001, radii[i])) - radii[i]) < 1e-9);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        TEST(the_solution_has_the_known_end_and_peak, "the solution has the known end and peak"),
        TEST(contacts_are_the_pairs_of_a_square, "contacts are the pairs of a square"),
    };
    return RUN(tests);
}
