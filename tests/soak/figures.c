// SPDX-License-Identifier: MIT
#include "figures.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint32_t place_of(uint64_t ns) {
    if (ns < 16) return (uint32_t)ns;
    const uint32_t power = 63 - (uint32_t)__builtin_clzll(ns);
    return power * 16 + (uint32_t)(ns >> (power - 4) & 15);
}

static uint64_t least_of(uint32_t place) {
    if (place < 16) return place;
    return (UINT64_C(16) + place % 16) << (place / 16) >> 4;
}

void figures_add(figures *f, uint64_t ns) {
    ++f->counts[place_of(ns)];
    ++f->all;
    if (ns > f->worst) f->worst = ns;
}

// Below which all but one in `of` are; 2: the median.
static uint64_t above(const figures *f, uint64_t of) {
    uint64_t left = f->all / of;
    for (uint32_t place = 64 * 16; place--;) {
        if (f->counts[place] > left) return least_of(place);
        left -= f->counts[place];
    }
    return 0;
}

void figures_print(figures *f) {
    printf("%7" PRIu64 " %7" PRIu64 " %7" PRIu64 " %9" PRIu64 "  ", above(f, 2), above(f, 100),
           above(f, 10000), f->worst);
    memset(f, 0, sizeof *f);
}
