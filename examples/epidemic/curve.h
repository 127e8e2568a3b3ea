// SPDX-License-Identifier: MIT
// The numbers of each day, beside those of the SIR equations. play.c fills it, picture.c draws it.
#pragma once
#include "equation.h"
#include "people.h"
#include <stdbool.h>
#include <stdio.h>

// The most people who were ill at once, and all who have ever been ill, as shares of all people.
typedef struct curve_extremes {
    double peak, final_size;
    uint32_t peak_day;
} curve_extremes;

typedef struct curve {
    uint64_t people;
    uint32_t first;   // day: 0, or that of the checkpoint
    uint32_t days;    // that have been played, also by a run before this one
    Counts *counted;  // of the first day and all that were played after it
    sir *equation;    // the same from the equations
} curve;

// Begins with day 0, and solves the equations for all days. Returns false when out of memory.
bool curve_begin(curve *c, uint64_t people, uint64_t infected, uint32_t days, double beta,
                 double gamma);

// Begins anew with the day of a checkpoint.
void curve_restart(curve *c, uint32_t day, const Counts *counts);

// Adds the next day.
void curve_add(curve *c, const Counts *counts);

// Returns the shares of a day that was played.
sir curve_day(const curve *c, uint32_t day);

curve_extremes curve_extremes_of_people(const curve *c);
curve_extremes curve_extremes_of_equation(const curve *c);

// Writes a line of CSV for each day. Returns false when the file cannot be written.
bool curve_write_csv(const curve *c, FILE *file);

void curve_free(curve *c);
