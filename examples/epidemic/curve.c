// SPDX-License-Identifier: MIT
// The numbers of each day, and what they are at most. play.c calls it.
#include "curve.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool curve_begin(curve *c, uint64_t people, uint64_t infected, uint32_t days, double beta,
                 double gamma) {
    *c = (curve){ .people = people };
    c->counted = calloc(days + 1u, sizeof *c->counted);
    c->equation = calloc(days + 1u, sizeof *c->equation);
    if (!c->counted || !c->equation) return false;
    c->counted[0] = (Counts){ people - infected, infected, 0 };
    c->equation[0] = curve_day(c, 0);
    for (uint32_t day = 1; day <= days; ++day)
        c->equation[day] = equation_day(c->equation[day - 1], beta, gamma);
    return true;
}

void curve_restart(curve *c, uint32_t day, const Counts *counts) {
    c->first = c->days = day;
    c->counted[day] = *counts;
}

void curve_add(curve *c, const Counts *counts) { c->counted[++c->days] = *counts; }

sir curve_day(const curve *c, uint32_t day) {
    const Counts *counted = &c->counted[day];
    const double people = (double)c->people;
    return (sir){ (double)counted->susceptible / people, (double)counted->infected / people,
                  (double)counted->recovered / people };
}

static void consider_day(curve_extremes *e, sir at, uint32_t day) {
    if (at.infected > e->peak) {
        e->peak = at.infected;
        e->peak_day = day;
    }
    e->final_size = 1 - at.susceptible;
}

curve_extremes curve_extremes_of_people(const curve *c) {
    curve_extremes e = { 0, 0, 0 };
    for (uint32_t day = c->first; day <= c->days; ++day)
        consider_day(&e, curve_day(c, day), day);
    return e;
}

curve_extremes curve_extremes_of_equation(const curve *c) {
    curve_extremes e = { 0, 0, 0 };
    for (uint32_t day = c->first; day <= c->days; ++day)
        consider_day(&e, c->equation[day], day);
    return e;
}

bool curve_write_csv(const curve *c, FILE *file) {
    fputs("day,susceptible,infected,recovered,equation_susceptible,equation_infected,"
          "equation_recovered\n",
          file);
    const double people = (double)c->people;
    for (uint32_t day = c->first; day <= c->days; ++day) {
        const Counts *at = &c->counted[day];
        const sir *same = &c->equation[day];
        fprintf(file, "%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.1f,%.1f,%.1f\n", day,
                at->susceptible, at->infected, at->recovered, same->susceptible * people,
                same->infected * people, same->recovered * people);
    }
    return !ferror(file);
}

void curve_free(curve *c) {
    free(c->counted);
    free(c->equation);
    memset(c, 0, sizeof *c);
}
