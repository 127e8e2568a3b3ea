// SPDX-License-Identifier: MIT
// The SIR equations of Kermack and McKendrick (1927), with which play.c compares the people:
//
//     dS/dt = -beta S I / N        dI/dt = beta S I / N - gamma I        dR/dt = gamma I
#pragma once
#include <stdint.h>

// Shares of all people, together 1.
typedef struct sir {
    double susceptible, infected, recovered;
} sir;

// Returns the state a day after another one.
sir equation_day(sir now, double beta, double gamma);
