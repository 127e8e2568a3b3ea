// SPDX-License-Identifier: MIT
/// @file timing.h
/// When each system ran, on which worker, and for how long.
///
/// Off by default. When on, a world keeps the latest entries in a ring of fixed size: one for each
/// system that ran, and one for each further worker that took part in a system that was split.
/// Systems that were skipped, and loops that had nothing to loop over, have none; nor do
/// conditions. The entries can be read one by one, for a graph on the screen, or written as a file
/// that ui.perfetto.dev and chrome://tracing show.
#pragma once
#include <keel/component.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The most entries that timings can keep.
#define KEEL_MAX_TIMINGS (1u << 24)

/// One system that ran. Times are nanoseconds since keel_timings_begin.
typedef struct keel_timing {
    char system[48];   ///< its name; a longer one is cut
    char workload[48]; ///< the workload whose step it is; empty: run by keel_run
    uint64_t begin;    ///< when it was called
    uint64_t end;      ///< when it returned
    /// How many workloads keel_run_workload and the like had begun by then, this one included;
    /// those nested in others do not count. The number of the frame where each frame runs one
    /// workload.
    uint64_t frame;
    uint64_t thread; ///< where it ran: a number that no other thread of the process has or had
    uint32_t worker; ///< see keel_run_info
} keel_timing;

/// How far somebody has read. Zeros: nothing; reading begins with the oldest entry.
typedef struct keel_timings_cursor {
    uint64_t next;   ///< private: the number of the next entry
    uint64_t missed; ///< entries so far that were overwritten before they were read
} keel_timings_cursor;

/// From now on keep timings. What was kept before is dropped. All memory is allocated here.
/// @param capacity entries to keep, each about 150 bytes; the oldest make room for new ones.
///   At most KEEL_MAX_TIMINGS; 0: 16,384
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ERROR_ARGUMENT, KEEL_ERROR_MEMORY, KEEL_ERROR_SHARED, KEEL_ERROR_BORROWED
/// while a system runs
KEEL_API keel_result keel_timings_begin(keel_world *world, uint32_t capacity);

/// Keep no timings any more, and drop those there are.
/// @threads the world's owner
/// @return KEEL_OK, also when there were none; KEEL_ERROR_SHARED, KEEL_ERROR_BORROWED while a
/// system
///   runs
KEEL_API keel_result keel_timings_end(keel_world *world);

/// The next entry that the cursor has not read, in order of `begin`. An entry can be read when its
/// system and all that began before it have returned.
/// @threads any, but not during keel_timings_begin and keel_timings_end; each with its own cursor
/// @return false when there is none
KEEL_API bool keel_timings_next(keel_world *world, keel_timings_cursor *cursor, keel_timing *out);

/// Write all entries that can be read to a file in the trace event format of Chrome, which Perfetto
/// reads, too: JSON. What the file had before is lost.
/// @threads the world's owner
/// @return KEEL_OK; KEEL_ERROR_FILE with the system's reason (what is in the file then is not
///   complete), KEEL_ERROR_ARGUMENT (`path` is NULL; no timings are kept), KEEL_ERROR_MEMORY
KEEL_API keel_result keel_timings_write_trace(keel_world *world, const char *path);

#ifdef __cplusplus
}
#endif
