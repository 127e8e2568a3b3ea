// SPDX-License-Identifier: MIT
// Solves the SIR equations with small steps of Runge and Kutta's method. play.c calls it.
#include "equation.h"

static sir slope_of(sir at, double beta, double gamma) {
    const double infections = beta * at.susceptible * at.infected;
    const double recoveries = gamma * at.infected;
    return (sir){ -infections, infections - recoveries, recoveries };
}

static sir sir_after(sir from, sir slope, double time) {
    return (sir){ from.susceptible + time * slope.susceptible,
                  from.infected + time * slope.infected, from.recovered + time * slope.recovered };
}

sir equation_day(sir now, double beta, double gamma) {
    // Small enough for any rate: no rate of change may exceed a fraction in a step.
    const double fastest = beta + gamma;
    const int steps = fastest > 1 ? (int)(16 * fastest) + 1 : 16;
    const double time = 1.0 / steps;
    for (int i = 0; i < steps; ++i) {
        const sir a = slope_of(now, beta, gamma);
        const sir b = slope_of(sir_after(now, a, time / 2), beta, gamma);
        const sir c = slope_of(sir_after(now, b, time / 2), beta, gamma);
        const sir d = slope_of(sir_after(now, c, time), beta, gamma);
        now = sir_after(now, a, time / 6);
        now = sir_after(now, b, time / 3);
        now = sir_after(now, c, time / 3);
        now = sir_after(now, d, time / 6);
    }
    return now;
}
