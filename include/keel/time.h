// SPDX-License-Identifier: MIT
/// @file time.h
/// A fixed step: simulate in equal ticks, whatever the frames take.
///
/// A simulation that advances by the time of each frame gives other results on other machines. With
/// a fixed step each frame runs as many ticks as its time is long, none or several, and draws
/// between the last two.
#pragma once
#include <keel/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A clock that hands out ticks. It lives in your memory and needs no end; zeros are a clock of 60
/// ticks per second. Time is counted in whole picoseconds, so long runs do not lose any.
/// @threads one at a time
typedef struct keel_fixed_step {
    double step; ///< seconds of a tick, 1e-9 to 1e6 (others count as the nearer one); default 1/60,
                 ///< which also stands for negative ones and NaN. May be changed at any time
    uint32_t max_ticks; ///< ticks of one frame at most; default 8
    uint64_t ticks;     ///< ticks so far: the simulation's time is `ticks * step`
    uint64_t dropped;   ///< ticks that were left out because of `max_ticks`
    uint64_t rest;      ///< private: picoseconds that are no tick yet
} keel_fixed_step;

/// A frame took `elapsed_seconds`: how many ticks to run now. What is not a whole tick is kept for
/// the next frame. When the simulation itself is too slow, the frames would take ever longer; so
/// what is more than `max_ticks` is left out, and the simulation falls behind the wall clock.
/// @param elapsed_seconds a negative time and NaN count as 0, above a million as a million
/// @return 0 to `max_ticks`
KEEL_API uint32_t keel_fixed_step_advance(keel_fixed_step *clock, double elapsed_seconds);

/// How far the time of drawing is between the last tick and the next: draw
/// `before + (now - before) * alpha`.
/// @return 0 to below 1
KEEL_API double keel_fixed_step_alpha(const keel_fixed_step *clock);

#ifdef __cplusplus
}
#endif
