// SPDX-License-Identifier: MIT
// How long frames take, and each system in them: from the timings that Keel keeps. Both programs print and show it.
#pragma once
#include <keel/keel.h>

enum { MEASURE_SYSTEMS = 12 };

// The times of one system, or of whole frames, in milliseconds.
typedef struct measure_row {
    char name[48];
    float last;
    float smooth;   // a mean of the last frames, for the screen
    float *samples; // of all frames, if there is room
} measure_row;

typedef struct measure {
    measure_row frame;
    measure_row systems[MEASURE_SYSTEMS];
    uint32_t system_count;
    uint32_t frames, room;
    keel_timings_cursor cursor;
} measure;

// Returns the time in milliseconds, from an arbitrary moment on.
double measure_now(void);

// Begins to measure a world. `room` is the number of frames whose times are kept for measure_print, 0 for none.
// Returns false without memory.
bool measure_begin(measure *m, keel_world *world, uint32_t room);

// Notes a frame that has taken `milliseconds`.
void measure_frame(measure *m, keel_world *world, float milliseconds);

// Sorts the samples of a row. Returns that of which `part` of all are smaller: 0.5 is the median.
float measure_part(measure_row *row, uint32_t count, float part);

// Prints a table: the median and the 99th percentile of the frame and of each system.
void measure_print(measure *m);

void measure_end(measure *m);
