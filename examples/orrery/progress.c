// SPDX-License-Identifier: MIT
// A line on the terminal that tells how far a long run is.
#include "progress.h"
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

// Seconds between two changes of the line, and before the first: short runs show nothing.
static const double interval = 0.1, patience = 0.5;

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_begin(progress *line, uint64_t steps) {
    const double start = seconds_now();
    *line = (progress){ isatty(STDERR_FILENO) == 1, steps, start, start + patience };
}

void progress_step(progress *line, uint64_t done) {
    if (!line->is_shown) return;
    const double now = seconds_now();
    if (now < line->next_shown) return;
    line->next_shown = now + interval;
    const double speed = (double)done / (now - line->start);
    // \r: back to the start of the line; \033[K: clear what is left of a longer one.
    fprintf(stderr, "\r%3.0f%%  step %" PRIu64 " of %" PRIu64 "  %.0f steps/s  %.0f s left\033[K",
            100 * (double)done / (double)line->steps, done, line->steps, speed,
            (double)(line->steps - done) / speed);
    fflush(stderr);
}

double progress_end(progress *line) {
    if (line->is_shown) fputs("\r\033[K", stderr);
    return seconds_now() - line->start;
}
