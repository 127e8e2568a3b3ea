// SPDX-License-Identifier: MIT
// The numbers of each step. play.c fills it on rank 0, picture.c draws it.
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct record_row {
    uint64_t cells, births, deaths, bonds;
    uint32_t generation; // the deepest
    uint64_t ghosts;     // on all ranks
    uint64_t moved;      // to other ranks, in the step
    double seconds;      // of the step
    double imbalance;    // slowest rank to average, since space was divided
} record_row;

typedef struct record {
    record_row *rows;
    uint32_t count, room;
    uint32_t before; // steps that were played before the first row
} record;

// Begins a record without rows, for the steps after `before` up to `steps`. Returns false when out of
// memory.
bool record_begin(record *r, uint32_t before, uint32_t steps);

// Adds the row of the next step, of at most as many as record_begin was told.
void record_add(record *r, record_row row);

// Writes a line of CSV for each step. Returns false when the file cannot be written.
bool record_write_csv(const void *r, FILE *file);

void record_free(record *r);
