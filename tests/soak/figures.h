// SPDX-License-Identifier: MIT
// How long things took: a count for each of 16 steps between a power of two and the next.
#pragma once
#include <stdint.h>

typedef struct figures {
    uint64_t counts[64 * 16], all, worst;
} figures;

void figures_add(figures *f, uint64_t ns);
// The median, one in 100, one in 10,000, the worst; then begin anew.
void figures_print(figures *f);
