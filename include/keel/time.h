// SPDX-License-Identifier: MIT
/// @file time.h
/// A fixed step: runs a simulation in ticks of equal length, however long the frames are. This
/// header needs no world.
///
/// A simulation that advances by the time of each frame gives other results on other machines. With
/// a fixed step each frame runs as many ticks as fit into its time, none or several, and draws a
/// state between the last two ticks:
///
///     static keel_fixed_step clock;
///     for (uint32_t n = keel_fixed_step_advance(&clock, frame_seconds); n; --n)
///         keel_run_workload(world, simulate);
///     draw(world, keel_fixed_step_alpha(&clock));
#pragma once
#include <keel/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A clock that counts ticks. It lives in the caller's memory and need not be destroyed. All zeros
/// are a clock of 60 ticks per second. It counts time in whole picoseconds, so that rounding loses
/// no time in long runs.
/// @threads one at a time
typedef struct keel_fixed_step {
    double step; ///< seconds of a tick, 1e-9 to 1e6 (others count as the nearer limit); default
                 ///< 1/60, also for negative values and NaN. It may be changed at any time
    uint32_t max_ticks; ///< the most ticks of one frame; default 8
    uint64_t ticks;     ///< ticks so far: the simulation's time is `ticks * step`
    uint64_t dropped;   ///< ticks that were left out because of `max_ticks`
    uint64_t rest;      ///< private: picoseconds that are no tick yet
} keel_fixed_step;

/// Returns the number of ticks to run for a frame that took `elapsed_seconds`. The time that is
/// left, less than a tick, is kept for the next frame. If more than `max_ticks` ticks fit, the
/// further ticks are dropped, and the simulation falls behind the wall clock. Without this limit a
/// slow simulation would make each frame longer than the frame before.
/// @param elapsed_seconds a negative time and NaN count as 0, above a million as a million
/// @return 0 to `max_ticks`
KEEL_API uint32_t keel_fixed_step_advance(keel_fixed_step *clock, double elapsed_seconds);

/// Returns where the present time lies between the last tick and the next: 0 at the last tick,
/// below 1 before the next. To draw a smooth motion, draw `before + (now - before) * alpha`, with
/// the states before and after the last tick.
/// @return 0 to below 1
KEEL_API double keel_fixed_step_alpha(const keel_fixed_step *clock);

#ifdef __cplusplus
}
#endif
