// SPDX-License-Identifier: MIT
// The clock of <keel/time.h>: it turns the time of each frame into a number of ticks of equal
// length. It knows no world and reads no clock of the system; programs call it. It counts whole
// picoseconds, so that no rest of a frame is lost to rounding. The length of a step is rounded down
// and that of a frame to the nearest picosecond, so that a frame of k steps always has k ticks.
// This makes a step of 1/60 s shorter by 0.04 parts per billion at most.
#include <keel/time.h>

#include "base/assert.h"

static const double picoseconds = 1e12, least_step = 1e-9, most_seconds = 1e6;

static uint64_t step_of(const keel_fixed_step *clock) {
    double step = clock->step > 0 ? clock->step : 1.0 / 60; // false for NaN, too
    if (step < least_step)
        step = least_step;
    if (step > most_seconds)
        step = most_seconds;
    return (uint64_t)(step * picoseconds);
}

static uint64_t elapsed_of(double seconds) {
    if (!(seconds > 0))
        return 0;
    if (seconds > most_seconds)
        seconds = most_seconds;
    return (uint64_t)(seconds * picoseconds + 0.5);
}

uint32_t keel_fixed_step_advance(keel_fixed_step *clock, double elapsed_seconds) {
    if (!clock) {
        KEEL_ASSERT(false, "keel_fixed_step_advance needs a clock, but it is NULL");
        return 0;
    }

    const uint64_t step = step_of(clock), now = clock->rest + elapsed_of(elapsed_seconds);
    const uint32_t most = clock->max_ticks ? clock->max_ticks : 8;
    const uint64_t due = now / step;
    const uint32_t ticks = due < most ? (uint32_t)due : most;

    clock->rest = now % step;
    clock->ticks += ticks;
    clock->dropped += due - ticks;
    return ticks;
}

double keel_fixed_step_alpha(const keel_fixed_step *clock) {
    if (!clock) {
        KEEL_ASSERT(false, "keel_fixed_step_alpha needs a clock, but it is NULL");
        return 0;
    }

    // the result stays below 1 even if the step has become shorter than the rest
    const double below_one = 1 - 1.0 / 9007199254740992.0;
    const double alpha = (double)clock->rest / (double)step_of(clock);
    return alpha < below_one ? alpha : below_one;
}
