// SPDX-License-Identifier: MIT
// A bar on the terminal. play.c of each program calls it after each step.
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

void progress_begin(progress *line, const char *unit, uint32_t before, uint32_t steps, bool quiet) {
    const double begin = progress_now();
    *line = (progress){ !quiet && isatty(STDERR_FILENO) == 1, before, steps, unit, begin, begin + progress_patience };
}

void progress_step(progress *line, uint32_t done, double number, const char *what) {
    static const char full[] = "########################################";
    const double now = line->is_shown ? progress_now() : 0;
    if (!line->is_shown || now < line->next_shown) return;
    line->next_shown = now + progress_interval;
    const int width = (int)sizeof full - 1;
    const int length = (int)((uint64_t)done * (uint64_t)width / line->steps);
    // \r: back to the start of the line; \033[K: clear what is left of a longer one.
    fprintf(stderr, "\r[%-*.*s] %s %" PRIu32 " of %" PRIu32 ", %.10g %s, %.0f s left\033[K", width,
            length, full, line->unit, done, line->steps, number, what,
            (now - line->begin) / (done - line->before) * (line->steps - done));
    fflush(stderr);
}

double progress_seconds(const progress *line) { return progress_now() - line->begin; }

double progress_end(progress *line) {
    if (line->is_shown) fputs("\r\033[K", stderr);
    return progress_seconds(line);
}
