// SPDX-License-Identifier: MIT
// The numbers of each step, as CSV. play.c calls it.
#include "record.h"
#include <inttypes.h>
#include <stdlib.h>

bool record_begin(record *r, uint32_t before, uint32_t steps) {
    *r = (record){ .room = steps - before, .before = before };
    r->rows = calloc(r->room + 1u, sizeof *r->rows);
    return r->rows != NULL;
}

void record_add(record *r, record_row row) {
    if (r->count < r->room) r->rows[r->count++] = row;
}

bool record_write_csv(const void *record_of_run, FILE *file) {
    const record *r = record_of_run;
    fputs("step,order,ghosts,moved,seconds,imbalance\n", file);
    for (uint32_t i = 0; i < r->count; ++i) {
        const record_row *row = &r->rows[i];
        fprintf(file, "%" PRIu32 ",%.9f,%" PRIu64 ",%" PRIu64 ",%.6f,%.3f\n", r->before + i + 1, row->order, row->ghosts,
                row->moved, row->seconds, row->imbalance);
    }
    return !ferror(file);
}

void record_free(record *r) {
    free(r->rows);
    *r = (record){ 0 };
}
