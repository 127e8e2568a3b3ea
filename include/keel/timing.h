// SPDX-License-Identifier: MIT
/// @file timing.h
/// Timings: when each system ran, on which worker, and for how long.
///
/// Timings are off by default. When they are on, a world keeps the latest entries in a ring of
/// fixed size: one entry for each system that ran, one for each further worker that took part in a
/// system that was split, and one for each time that a workload applied the commands of a system.
/// There is no entry for skipped systems, for loops without entities, and for conditions. The
/// program can read the entries one by one, for a graph on the screen, or write them to a file that
/// ui.perfetto.dev and chrome://tracing show.
///
///     keel_timings_begin(world, 0);
///     run_some_frames(world);
///     keel_timings_write_trace(world, "trace.json");
#pragma once
#include <keel/explain.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The most entries of a ring of timings.
#define KEEL_MAX_TIMINGS (1u << 24)

/// One run of a system on one worker, or one time that its commands were applied. Times are
/// nanoseconds since keel_timings_begin.
typedef struct keel_timing {
    char system[48];   ///< name of the system, cut to 47 bytes
    char workload[48]; ///< the workload of its step; empty: run by keel_run
    uint64_t begin;    ///< time of the call
    uint64_t end;      ///< time of the return
    /// Time when the last part of the workload had ended that this one waits for; the same as
    /// `begin` outside of workloads, and where one thread runs everything. From then until `begin`
    /// the part waited for a worker
    uint64_t ready;
    /// The tick of the changes that the system made, for keel_change_tick. Its commands have an
    /// entry with a tick of their own. A system that has the whole world (KEEL_WORLD) and runs
    /// others may have made changes with later ticks
    uint64_t tick;
    uint64_t entities; ///< entities that the loop visited on this worker; 0: it is no loop
    uint64_t commands; ///< edits that were applied, where `is_commands`; otherwise 0
    /// The number of workloads that keel_run* had begun at that time, the system's own included;
    /// nested workloads do not count. It is the number of the frame if each frame runs one
    /// workload.
    uint64_t frame;
    /// Number of the thread, unique in the process also among threads that have ended
    uint64_t thread;
    uint32_t worker; ///< see keel_run_info
    /// `position` of the step among keel_world_workload_nodes; KEEL_NO_STEP: run by keel_run
    uint32_t position;
    bool is_commands; ///< true: the commands of the system were applied
} keel_timing;

/// A cursor over the entries. Zeros: reading begins with the oldest entry.
typedef struct keel_timings_cursor {
    uint64_t next;   ///< private: the number of the next entry
    uint64_t missed; ///< entries so far that were overwritten before they were read
} keel_timings_cursor;

/// Starts to keep timings. Entries from before are dropped. All memory is allocated here.
/// @param capacity entries to keep, each about 190 bytes; new entries overwrite the oldest ones. At
///   most KEEL_MAX_TIMINGS; 0: 16,384
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ERROR_ARGUMENT, KEEL_ERROR_MEMORY, KEEL_ERROR_SHARED, KEEL_ERROR_BORROWED
///   while a system runs
KEEL_API keel_result keel_timings_begin(keel_world *world, uint32_t capacity);

/// Stops keeping timings, and drops all entries.
/// @threads the world's owner
/// @return KEEL_OK, also when no timings were kept; KEEL_ERROR_SHARED, KEEL_ERROR_BORROWED while a
///   system runs
KEEL_API keel_result keel_timings_end(keel_world *world);

/// Returns the time now as entries count it: nanoseconds since keel_timings_begin.
/// @threads the world's owner
/// @return false when no timings are kept; `*now` is then 0
KEEL_API bool keel_timings_now(const keel_world *world, uint64_t *now);

/// Reads the next entry that the cursor has not read, in order of `begin`. An entry can be read
/// when its system and all systems that began before it have returned.
/// @threads any, but not during keel_timings_begin and keel_timings_end; each with its own cursor
/// @return false when there is no such entry
KEEL_API bool keel_timings_next(keel_world *world, keel_timings_cursor *cursor, keel_timing *out);

/// Writes all entries that can be read to a file, in the trace event format of Chrome (JSON), which
/// Perfetto reads, too. The former content of the file is lost.
/// @threads the world's owner
/// @return KEEL_OK; KEEL_ERROR_FILE with the operating system's reason (the file is then
///   incomplete), KEEL_ERROR_ARGUMENT (`path` is NULL; no timings are kept), KEEL_ERROR_MEMORY
KEEL_API keel_result keel_timings_write_trace(keel_world *world, const char *path);

#ifdef __cplusplus
}
#endif
