// SPDX-License-Identifier: MIT
// Times of frames and systems. A system that is split has an entry for each thread; its time is from the first begin to the
// last end.
#include "measure.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double measure_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

bool measure_begin(measure *m, keel_world *world, uint32_t room) {
    memset(m, 0, sizeof *m);
    snprintf(m->frame.name, sizeof m->frame.name, "frame");
    m->room = room;
    if (room) m->frame.samples = calloc(room, sizeof(float));
    if (room && !m->frame.samples) return false;
    return keel_timings_begin(world, 4096) == KEEL_OK;
}

// Returns the row of a system, or NULL if there is no room for one more.
static measure_row *row_of(measure *m, const char *name) {
    for (uint32_t i = 0; i < m->system_count; ++i)
        if (!strcmp(m->systems[i].name, name)) return &m->systems[i];
    if (m->system_count == MEASURE_SYSTEMS) return NULL;
    measure_row *row = &m->systems[m->system_count];
    if (m->room && !(row->samples = calloc(m->room, sizeof(float)))) return NULL;
    snprintf(row->name, sizeof row->name, "%s", name);
    ++m->system_count;
    return row;
}

static void note(measure *m, measure_row *row, float milliseconds) {
    row->last = milliseconds;
    row->smooth += (milliseconds - row->smooth) * (m->frames ? 0.05f : 1);
    if (m->frames < m->room) row->samples[m->frames] = milliseconds;
}

void measure_frame(measure *m, keel_world *world, float milliseconds) {
    uint64_t begin[MEASURE_SYSTEMS], end[MEASURE_SYSTEMS] = { 0 };
    for (keel_timing t; keel_timings_next(world, &m->cursor, &t);) {
        const measure_row *row = row_of(m, t.system);
        if (!row) continue;
        const size_t i = (size_t)(row - m->systems);
        if (!end[i] || t.begin < begin[i]) begin[i] = t.begin;
        if (t.end > end[i]) end[i] = t.end;
    }
    for (uint32_t i = 0; i < m->system_count; ++i)
        note(m, &m->systems[i], end[i] ? (float)((double)(end[i] - begin[i]) / 1e6) : 0);
    note(m, &m->frame, milliseconds);
    ++m->frames;
}

static int compare(const void *a, const void *b) {
    const float left = *(const float *)a, right = *(const float *)b;
    return (left > right) - (left < right);
}

float measure_part(measure_row *row, uint32_t count, float part) {
    if (!count) return 0;
    qsort(row->samples, count, sizeof *row->samples, compare);
    const uint32_t at = (uint32_t)((float)count * part);
    return row->samples[at < count ? at : count - 1];
}

static void print_row(measure_row *row, uint32_t count) {
    printf("%-10s %8.3f ms %8.3f ms\n", row->name, (double)measure_part(row, count, 0.5f),
           (double)measure_part(row, count, 0.99f));
}

void measure_print(measure *m) {
    const uint32_t count = m->frames < m->room ? m->frames : m->room;
    printf("%-10s %11s %11s\n", "", "median", "99 %");
    print_row(&m->frame, count);
    for (uint32_t i = 0; i < m->system_count; ++i)
        print_row(&m->systems[i], count);
}

void measure_end(measure *m) {
    free(m->frame.samples);
    for (uint32_t i = 0; i < m->system_count; ++i)
        free(m->systems[i].samples);
    memset(m, 0, sizeof *m);
}
