// SPDX-License-Identifier: MIT
// A bar on the terminal. play.c calls it after each day.
#include "progress.h"
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

// Seconds between two changes of the line, and before the first: short runs show nothing.
static const double progress_interval = 0.1, progress_patience = 0.5;

static double progress_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_begin(progress *line, uint32_t days, bool quiet) {
    const double begin = progress_now();
    *line = (progress){ !quiet && isatty(STDERR_FILENO) == 1, days, begin, begin + progress_patience };
}

void progress_day(progress *line, uint32_t done, uint64_t infected) {
    static const char full[] = "########################################";
    const double now = line->is_shown ? progress_now() : 0;
    if (!line->is_shown || now < line->next_shown) return;
    line->next_shown = now + progress_interval;
    const int width = (int)sizeof full - 1;
    const int length = (int)((uint64_t)done * (uint64_t)width / line->days);
    // \r: back to the start of the line; \033[K: clear what is left of a longer one.
    fprintf(stderr, "\r[%-*.*s] day %" PRIu32 " of %" PRIu32 ", %" PRIu64 " infected, %.0f s left\033[K",
            width, length, full, done, line->days, infected,
            (now - line->begin) / done * (line->days - done));
    fflush(stderr);
}

double progress_end(progress *line) {
    if (line->is_shown) fputs("\r\033[K", stderr);
    return progress_now() - line->begin;
}
